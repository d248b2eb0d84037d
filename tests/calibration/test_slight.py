"""Columns of few values: released with noise that hides something, or refused in words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.calibration.slight import drawable, publishes_values
from pufferfish.columns.story import story
from pufferfish.words.terminal import label_lines

ROWS = 1000
Table = dict[str, Any]
GOAL = pf.Guarantee(1.0)


def two_valued(first: float, second: float, values: tuple[float, float] = (0.0, 1.0)) -> Table:
    """A table with a share of ones for each of two secrets."""
    ones = [np.arange(ROWS) < share * ROWS for share in (first, second)]
    return {
        "x": np.where(np.concatenate(ones), values[1], values[0]),
        "s": np.repeat(["a", "b"], ROWS),
    }


@cache
def laws(first: float, second: float) -> pf.Calibration:
    return calibration(two_valued(first, second))


def calibration(table: Table, *families: str) -> pf.Calibration:
    beliefs = pf.fit_beliefs(
        table, column="x", secret="s", families=families or ("mixture", "empirical")
    )
    return pf.calibrate(pf.Scenario(beliefs), GOAL)


# For both shares the two fitted mixtures have means that differ by 4e-17.
ALIKE = [(0.3, 0.6), (0.49, 0.51)]


@pytest.mark.parametrize("shares", ALIKE)
def test_a_column_of_zeros_and_ones_is_refused_in_words(shares: tuple[float, float]) -> None:
    """Released today with noise of std 7e-18: "row 9: the value is beyond 1.9e-06"."""
    found = laws(*shares)
    assert publishes_values(found)
    with pytest.raises(pf.CertificationError, match="almost no noise is needed") as refused:
        pf.Plan(calibration=found, column="x", secret="s")
    assert "--allow-no-noise" in str(refused.value)
    assert "smaller epsilon" in str(refused.value)
    with pytest.raises(pf.CertificationError, match="almost no noise is needed"):
        pf.Mechanism.from_calibration(found)


@pytest.mark.parametrize("shares", ALIKE)
def test_and_released_where_that_is_asked_for(shares: tuple[float, float], tmp_path: Path) -> None:
    table = two_valued(*shares)
    plan = pf.Plan(calibration=laws(*shares), column="x", secret="s", allow_no_noise=True)
    assert plan.calibration.certified
    done = pf.release(table, plan)
    assert "in name only, because the values can be read off" in " ".join(
        label_lines(story(done.record)).split()
    )
    assert sorted(np.rint(done.frame["x"])) == sorted(table["x"])
    plan.save(tmp_path / "plan.json")
    assert pf.Plan.load(tmp_path / "plan.json") == plan


@pytest.mark.parametrize(("first", "second"), [(0.0, 0.6), (0.0, 1.0), (0.05, 0.6)])
def test_zeros_and_ones_that_say_too_much_get_noise(first: float, second: float) -> None:
    table = two_valued(first, second)
    found = laws(first, second)
    assert found.noise.std > 0.5
    assert not publishes_values(found)
    done = pf.release(table, pf.Plan(calibration=found, column="x", secret="s"))
    assert len(done.frame["x"]) == 2 * ROWS


@pytest.mark.parametrize(
    "table", [two_valued(0.5, 0.5), two_valued(0.3, 0.3), two_valued(0.0, 0.0)]
)
def test_columns_that_are_the_same_for_all_secrets(table: Table) -> None:
    found = calibration(table, "empirical")
    assert found.noise == pf.NoNoise()
    with pytest.raises(pf.CertificationError, match=r"^no noise is needed for ε = 1"):
        pf.Plan(calibration=found, column="x", secret="s")


def test_constant_columns_have_no_smooth_belief() -> None:
    with pytest.raises(pf.PufferfishError, match="is constant"):
        calibration(two_valued(0.0, 0.0))


def test_values_that_differ_in_their_last_digit() -> None:
    """0.1 + 0.2 for one secret and 0.3 for the other: a little noise would hide the digit."""
    one, other = ({0.1: 1, x: 1} for x in (0.1 + 0.2, 0.3))
    belief = pf.Belief(
        {"a": pf.Discrete.from_counts(one), "b": pf.Discrete.from_counts(other)}, name="table"
    )
    found = pf.calibrate(pf.Scenario([belief]), GOAL)
    assert 0.0 < found.noise.std < 1e-14
    assert publishes_values(found)
    raised = drawable(found)
    assert raised.certified
    assert 1e-12 < raised.noise.std < 1e-9
    assert drawable(raised) == raised


def test_noise_that_hides_something_stays_as_it_is() -> None:
    found = laws(0.0, 0.6)
    assert drawable(found) is found


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_what_is_drawn_has_room_for_the_values(offset: float) -> None:
    table = two_valued(0.3, 0.6, (offset, offset + 1.0))
    belief = pf.Belief(
        {
            secret: pf.GaussianMixture([0.5, 0.5], [offset, offset + 1.0], [0.3 + more, 0.3])
            for secret, more in (("a", 1e-16), ("b", 0.0))
        },
        name="smooth",
    )
    found = pf.calibrate(pf.Scenario([belief]), GOAL)
    plan = pf.Plan(calibration=found, column="x", secret="s", allow_no_noise=True)
    assert len(pf.release(table, plan).frame["x"]) == 2 * ROWS
