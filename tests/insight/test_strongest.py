"""Choosing ε: accuracy in, the strongest promise out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import laplace, norm

import pufferfish as pf
from pufferfish.core.ladder import rung_up
from pufferfish.insight.strongest import (
    choices,
    half_width,
    least_epsilon,
    noise_for_mean,
    noise_for_value,
)
from tests.strategies import priors
from tests.support import scenario_of

POINTS = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0]))
TABLES = scenario_of(
    pf.Discrete([0.0, 1.0, 2.0], [0.2, 0.5, 0.3]), pf.Discrete([0.0, 1.0, 3.0], [0.4, 0.4, 0.2])
)
SMOOTH = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(0.7, 1.3))
LEVELS = [0.01, 0.5, 0.68, 0.95, 0.999, 1.0 - 1e-9]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", [1e-3, 1.0, 7.3e4])
def test_half_widths_are_those_of_the_laws(level: float, size: float) -> None:
    for noise, law in (
        (pf.LaplaceNoise(size), laplace(scale=size)),
        (pf.GaussianNoise(size), norm(scale=size)),
    ):
        width = half_width(noise, level)  # type: ignore[arg-type]
        assert width == pytest.approx(law.isf(0.5 - 0.5 * level), rel=1e-6)
        assert law.cdf(width) - law.cdf(-width) == pytest.approx(level, rel=1e-9)
    assert half_width(pf.NoNoise(), level) == 0.0


@given(
    tolerance=st.floats(1e-6, 1e9),
    level=st.floats(0.05, 0.999),
    kind=st.sampled_from(["laplace", "gaussian"]),
)
def test_noise_for_a_value_is_the_largest_of_three_digits(
    tolerance: float, level: float, kind: Any
) -> None:
    noise = noise_for_value(kind, tolerance, level)
    assert not isinstance(noise, pf.NoNoise)
    law = laplace(scale=noise.std / math.sqrt(2)) if kind == "laplace" else norm(scale=noise.std)
    assert noise.grid is not None
    # Rounding to the grid moves a value by half a step, and its noise by at most another.
    assert law.cdf(tolerance - noise.grid) - law.cdf(noise.grid - tolerance) >= level - 1e-9
    # And no more than about 1% is given away.
    wider = 1.0102
    assert law.cdf(tolerance / wider) - law.cdf(-tolerance / wider) < level
    size = getattr(noise, "scale" if kind == "laplace" else "std")
    assert float(f"{size:.3g}") == size


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("rows", [1, 50, 10_000])
def test_noise_for_a_mean_leaves_the_mean_as_close(kind: Any, rows: int) -> None:
    noise = noise_for_mean(kind, 0.5, rows, 0.9)
    std = noise.std / math.sqrt(rows)
    within = norm.cdf(0.5 / std) - norm.cdf(-0.5 / std)
    assert 0.9 <= within < 0.904


def test_noise_that_is_chosen_by_accuracy_can_be_released() -> None:
    noise = noise_for_value("laplace", 10.0, 0.9)
    chosen = least_epsilon(POINTS, noise)
    mechanism = pf.Mechanism.from_calibration(chosen)
    errors = np.abs(mechanism.apply(np.full(100_000, 3.0)) - 3.0)
    share = np.count_nonzero(errors <= 10.0) / errors.size
    assert share > 0.9 - 5.0 * math.sqrt(0.09 / errors.size)


CASES = [
    (POINTS, pf.LaplaceNoise(2.0, 2.0**-30), 0.0),
    (TABLES, pf.LaplaceNoise(1.3, 2.0**-30), 0.0),
    (SMOOTH, pf.LaplaceNoise(1.3, 2.0**-30), 0.0),
    (TABLES, pf.LaplaceNoise(1.3, 2.0**-30), 0.01),
    (SMOOTH, pf.LaplaceNoise(0.4, 2.0**-30), 0.001),
    (SMOOTH, pf.GaussianNoise(2.0, 2.0**-30), 1e-4),
    (POINTS, pf.GaussianNoise(0.7, 2.0**-30), 1e-5),
    (SMOOTH, pf.NoNoise(), 0.1),
]


@pytest.mark.parametrize(("scenario", "noise", "delta"), CASES)
def test_the_least_epsilon_is_kept_and_a_little_less_is_not(
    scenario: pf.Scenario, noise: pf.Noise, delta: float
) -> None:
    found = least_epsilon(scenario, noise, delta)
    assert found.noise == noise
    assert found.goal.delta == delta
    assert found.certified
    assert pf.verify(scenario, noise, found.goal).holds is True
    # These beliefs are private: ε is rounded up to a rung.
    assert rung_up(found.goal.epsilon) == found.goal.epsilon
    public = pf.Scenario(
        [pf.Belief(each.priors, each.name, "public") for each in scenario.beliefs], scenario.pairs
    )
    exact = least_epsilon(public, noise, delta).goal.epsilon
    assert found.goal.epsilon == rung_up(exact)
    assert pf.verify(public, noise, pf.Guarantee(0.999 * exact, delta)).holds is not True


@settings(max_examples=15)
@given(first=priors, second=priors, scale=st.floats(0.25, 8.0))
def test_the_least_epsilon_and_the_least_noise_agree(first: Any, second: Any, scale: float) -> None:
    scenario = scenario_of(first, second)
    found = least_epsilon(scenario, pf.LaplaceNoise(scale), 0.0)
    if found.goal.epsilon < 1e-6:
        return
    again = pf.calibrate(scenario, pf.Guarantee(1.001 * found.goal.epsilon)).noise
    assert again == pf.NoNoise() or again.scale <= 1.0005 * scale  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("scenario", "noise", "delta"),
    [
        (POINTS, pf.GaussianNoise(1.0), 0.0),
        (POINTS, pf.NoNoise(), 0.01),
        (POINTS, pf.LaplaceNoise(1e-4), 0.0),
    ],
)
def test_where_no_promise_holds_it_is_said(
    scenario: pf.Scenario, noise: pf.Noise, delta: float
) -> None:
    with pytest.raises(pf.UnreachableGoalError):
        least_epsilon(scenario, noise, delta)


@pytest.mark.parametrize(
    ("tolerance", "delta", "epsilon"), [(1.0, 1e-4, 9.0), (1.5, 1e-6, 7.125), (2.0, 1e-6, 5.5)]
)
def test_a_promise_that_holds_is_found(tolerance: float, delta: float, epsilon: float) -> None:
    """On a grid the certified δ grows again with ε: only some ε in the middle are certified."""
    noise = noise_for_value("gaussian", tolerance)
    assert pf.verify(POINTS, noise, pf.Guarantee(epsilon, delta)).holds is True
    assert least_epsilon(POINTS, noise, delta).goal.epsilon <= rung_up(epsilon)


def test_equal_laws_cost_nothing() -> None:
    same = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 1.0))
    assert least_epsilon(same, pf.LaplaceNoise(1.0)).goal.epsilon < 1e-9


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_table_to_choose_from(noise: Any) -> None:
    found = choices(TABLES, 0.01, noise, 0.9, (0.1, 1.0, 4.0))
    assert [each.goal for each in found] == [pf.Guarantee(each, 0.01) for each in (0.1, 1.0, 4.0)]
    for each in found:
        assert each.noise == pf.calibrate(TABLES, each.goal, noise, rounding="ladder").noise
        assert pf.verify(TABLES, each.noise, each.goal).holds is True
        assert each.confidence == 0.9
        assert 0.5 <= each.accuracy_after <= each.accuracy_allowed <= 1.0
    # The weaker the promise, the closer the values and the better the guesses.
    assert found[0].half_width > found[1].half_width > found[2].half_width
    assert found[0].accuracy_after < found[1].accuracy_after < found[2].accuracy_after


def test_what_cannot_be_reached_is_left_out_of_the_table() -> None:
    with pytest.raises(pf.UnreachableGoalError):
        choices(POINTS, 0.0, "gaussian", epsilons=(1.0,))
    assert len(choices(POINTS)) == 6
    # A table about several rows of one person asks for more noise than one about a row.
    one, three = choices(POINTS, epsilons=(1.0,)), choices(POINTS, epsilons=(1.0,), rows=3)
    assert three[0].goal == one[0].goal
    # Three times as much, between two rungs.
    assert three[0].noise.std > 2.5 * one[0].noise.std


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, math.nan, "high"])
def test_a_confidence_that_is_none_is_refused(level: Any) -> None:
    for call in (
        lambda: choices(POINTS, confidence=level),
        lambda: noise_for_value("laplace", 1.0, level),
        lambda: noise_for_mean("laplace", 1.0, 10, level),
    ):
        with pytest.raises(pf.InvalidInputError, match="confidence"):
            call()


def test_what_is_no_accuracy_is_refused() -> None:
    for wrong in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(pf.InvalidInputError, match="accuracy"):
            noise_for_value("laplace", wrong)
        with pytest.raises(pf.InvalidInputError, match="accuracy"):
            noise_for_mean("laplace", wrong, 10)
    with pytest.raises(pf.InvalidInputError, match="row"):
        noise_for_mean("laplace", 1.0, 0)
    with pytest.raises(pf.InvalidInputError, match="noise"):
        noise_for_value("cauchy", 1.0)  # type: ignore[arg-type]
    with pytest.raises(pf.InvalidInputError, match="delta"):
        least_epsilon(POINTS, pf.LaplaceNoise(1.0), math.nan)
