"""What was asked of a calibration is read off it, and finds the same again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.calibration.again import arguments_of, calibrate_again

GOAL = pf.Guarantee(0.5)
VALUES = [0.0, 1.0, 2.0, 5.0]


def numbers(cap: tuple[float, float] | None = None) -> pf.Scenario:
    laws = {
        "a": pf.Discrete(VALUES, counts=[40, 30, 20, 10]),
        "b": pf.Discrete(VALUES, counts=[20, 30, 30, 20]),
    }
    return pf.Scenario(pf.Belief(laws, name="counted", cap=cap))


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"mechanism": "gaussian"},
        {"method": "coupling"},
        {"radius": 0.1},
        {"mechanism": "recode"},
        {"mechanism": "recode", "floor": 1.0, "wrong": 0.02, "loss": "absolute"},
        {"mechanism": "recode", "floor": None, "nominal": True, "keep_histogram": False},
        {"mechanism": "recode", "wrong": 0.01, "edges": [0.5, 3.0]},
        {"mechanism": "recode", "goal": (0.5, 0.01)},
    ],
)
def test_it_is_found_again(how: dict[str, Any]) -> None:
    soft = "goal" in how or how.get("mechanism") == "gaussian"
    goal = pf.Guarantee(0.5, 0.01) if soft else GOAL
    how = {name: each for name, each in how.items() if name != "goal"}
    found = pf.calibrate(numbers(), goal, **how)
    again = calibrate_again(found)
    assert again.mechanism == found.mechanism
    assert again.rmse == found.rmse
    assert again.certificate.wrong == found.certificate.wrong


def test_a_change_and_another_scenario() -> None:
    found = pf.calibrate(numbers(), GOAL, mechanism="recode", wrong=0.01)
    more = calibrate_again(found, wrong=0.05)
    assert more.certificate.wrong == 0.05
    assert more.rmse > found.rmse
    apart = {"a": pf.Discrete([0.0, 5.0], counts=[9, 1]), "b": pf.Discrete([0.0, 5.0], [0.1, 0.9])}
    others = pf.Scenario(pf.Belief(apart, name="others"))
    assert calibrate_again(pf.calibrate(numbers(), GOAL), others).rmse > 0.0


def test_a_size_that_was_given_is_not_kept() -> None:
    found = pf.calibrate(numbers(), GOAL, size=50.0)
    assert calibrate_again(found).rmse < found.rmse


def test_laws_by_known_values() -> None:
    draws = np.random.default_rng(1)
    secret, known = draws.integers(0, 2, (2, 2_000))
    table = {
        "c": np.array(["x", "y"])[(draws.random(2_000) < 0.3 + 0.4 * secret).astype(int)],
        "s": np.array(["a", "b"])[secret],
        "k": np.array(["l", "r"])[known],
    }
    beliefs = pf.Scenario(pf.fit_beliefs(table, "c", "s", known=["k"]))
    found = pf.calibrate(beliefs, GOAL, mechanism="recode", wrong=0.02, keep=["k"])
    assert arguments_of(found)["keep"] == ("k",)
    assert calibrate_again(found).mechanism == found.mechanism


@pytest.mark.parametrize(
    "how", [{"loss": np.abs(np.subtract.outer(VALUES, VALUES))}, {"weights": {0.0: 2.0, 1.0: 1.0}}]
)
def test_what_a_calibration_does_not_keep_is_refused(how: dict[str, Any]) -> None:
    found = pf.calibrate(numbers(), GOAL, mechanism="recode", **how)
    with pytest.raises(pf.UnsupportedError, match="of your own"):
        calibrate_again(found)
