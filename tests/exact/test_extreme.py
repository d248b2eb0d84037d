"""Extreme but legal input, against an independent high-precision computation.

tests/data/extreme.json is written by tests/data/make_extreme.py, which knows nothing of the
library. Its δ are good to 1e-12 absolute and 1e-9 relative, its log-ratios to 1e-9 relative.
"""

import math
from typing import Any

import pytest

import pufferfish as pf
from tests.cases import is_offered, load, prior_from
from tests.support import scenario_of

# The file also holds laws that mix atoms with Gaussians, which the library does not offer.
CASES = [case for case in load("extreme.json") if is_offered(case["p"]) and is_offered(case["q"])]
NOISES = {
    "laplace": pf.LaplaceNoise,
    "gaussian": pf.GaussianNoise,
}


def _certificate(case: dict[str, Any]) -> pf.Certificate:
    kind = case["noise"]["kind"]
    noise = NOISES[kind](case["noise"]["parameter"]) if kind in NOISES else pf.NoNoise()
    scenario = scenario_of(prior_from(case["p"]), prior_from(case["q"]))
    return pf.verify(scenario, noise, pf.Guarantee(case["epsilon"], 0.01))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_delta(case: dict[str, Any]) -> None:
    for result, name in zip(_certificate(case).results, ("delta_pq", "delta_qp"), strict=True):
        true = float(case[name])
        accuracy = min(1e-12, 1e-9 * true)
        assert result.delta_lower <= true + accuracy
        assert true - accuracy <= result.delta_upper
        assert result.delta_upper - result.delta_lower <= 1e-8


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_log_ratio(case: dict[str, Any]) -> None:
    for result, name in zip(_certificate(case).results, ("epsilon_pq", "epsilon_qp"), strict=True):
        true = float(case[name])
        accuracy = 1e-9 * abs(true) + 1e-12 if math.isfinite(true) else 0.0
        assert result.epsilon_lower <= true + accuracy
        assert true - accuracy <= result.epsilon_upper


@pytest.mark.parametrize(
    "case", [case for case in CASES if "exact_scale" in case], ids=lambda case: case["name"]
)
def test_least_size(case: dict[str, Any]) -> None:
    asked = case["exact_scale"]
    scenario = scenario_of(prior_from(case["p"]), prior_from(case["q"]))
    goal = pf.Guarantee(case["epsilon"], asked["delta"])
    true = float(asked["value"])
    if math.isinf(true):
        with pytest.raises(pf.UnreachableGoalError):
            pf.calibrate(scenario, goal, mechanism=asked["family"])
        return
    noise = pf.calibrate(scenario, goal, mechanism=asked["family"]).noise
    if isinstance(noise, pf.NoNoise):
        size = 0.0
    else:
        size = noise.scale if isinstance(noise, pf.LaplaceNoise) else noise.std
    # The reference is good to 1e-10; the grid may cost up to the promised 0.01%.
    assert true * (1 - 1e-9) <= size <= true * (1 + 1e-4)
