"""The frontier as a picture."""

import math
from dataclasses import replace

import pytest

import pufferfish as pf
from pufferfish.insight.frontier import Way, frontier
from pufferfish.insight.set_apart import Split
from pufferfish.report.frontier_picture import frontier_picture

SCENARIO = pf.Scenario(
    pf.Belief(
        {"a": pf.Discrete([0, 1, 2], [0.5, 0.3, 0.2]), "b": pf.Discrete([0, 1, 2], [0.2, 0.3, 0.5])}
    )
)


@pytest.mark.parametrize("other", [0.7, math.inf])
def test_every_way_the_constant_and_other_rows_are_in_it(other):
    found = frontier(SCENARIO, [Way(name="some & way", calibrated=pf.calibrate)])
    split = Split(epsilon=other, delta=0.0, rmse=1.0, holds=other < 1)
    held = pf.HeldOut(goal=pf.Guarantee(1.0), splits=(split,))
    judged = replace(found, entries=tuple(replace(each, held_out=held) for each in found.entries))
    drawn = frontier_picture(judged, "svg").decode()
    for words in ("some &amp; way", "one constant for everybody", "the promise allows"):
        assert words in drawn
    assert "held-out rows" in drawn
    assert "held-out rows" not in frontier_picture(found, "svg").decode()
    assert frontier_picture(judged, "png").startswith(b"\x89PNG")
