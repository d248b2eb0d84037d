"""What a recoding would err for other promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.insight.error_curve import error_curve

SCENARIO = pf.Scenario(
    pf.Belief(
        {
            "a": pf.Discrete.from_counts({1: 10, 2: 50, 3: 30, 4: 10}),
            "b": pf.Discrete.from_counts({1: 40, 2: 30, 3: 20, 4: 10}),
        },
        provenance="public",
    )
)
SMOOTH = pf.Scenario(
    pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.5, 1.0)}, provenance="public")
)


@pytest.mark.parametrize(
    ("scenario", "goal", "asked"),
    [
        (SCENARIO, pf.Guarantee(0.4), {}),
        (SCENARIO, pf.Guarantee(0.4), {"floor": None, "wrong": 0.01, "loss": "changed"}),
        # Noise goes first, between listed values; and before bins.
        (SCENARIO, pf.Guarantee(0.4, 0.01), {}),
        (SMOOTH, pf.Guarantee(0.4), {"edges": (-1.0, 0.0, 1.0)}),
    ],
)
def test_each_point_is_what_would_be_calibrated(
    scenario: pf.Scenario, goal: pf.Guarantee, asked: dict[str, Any]
) -> None:
    found = pf.calibrate(scenario, goal, mechanism="recode", **asked)
    curve = error_curve(found)
    assert [each.epsilon for each in curve] == [0.1, 0.2, 0.4, 0.8, 1.6]
    for each in curve:
        other = pf.calibrate(
            scenario, pf.Guarantee(each.epsilon, goal.delta), mechanism="recode", **asked
        ).recode
        assert other is not None
        assert each.rmse == pytest.approx(other.rmse, rel=1e-6)
        assert each.laplace_rmse == other.laplace_rmse


def test_nobody_can_ask_again_with_a_loss_of_ones_own() -> None:
    own = 1.0 - np.eye(4)
    found = pf.calibrate(SCENARIO, pf.Guarantee(0.4), mechanism="recode", loss=own)
    assert error_curve(found) == ()
    assert error_curve(pf.calibrate(SCENARIO, pf.Guarantee(0.4))) == ()


def test_each_point_has_what_epsilon_becomes_on_other_rows() -> None:
    found = pf.calibrate(SCENARIO, pf.Guarantee(0.4), mechanism="recode")
    curve = error_curve(found, splits=2)
    for each in curve:
        goal = pf.Guarantee(each.epsilon)
        other = pf.held_out(SCENARIO, goal, splits=2, mechanism="recode")
        assert each.held_out == pytest.approx(other.epsilon)
    smooth = pf.calibrate(SMOOTH, pf.Guarantee(0.4), mechanism="recode", edges=(-1.0, 0.0, 1.0))
    assert {each.held_out for each in error_curve(smooth, splits=2)} == {None}
