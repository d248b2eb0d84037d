"""Monge's map between two Gaussians: where it sends quantiles, what it costs, how far it moves."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.integrate import quad
from scipy.optimize import linear_sum_assignment

import pufferfish as pf
from pufferfish.transport import MongeMap
from tests.strategies import gaussians, positions

STANDARD = NormalDist()


def tail(first: pf.Gaussian, second: pf.Gaussian, distance: Any) -> Any:
    """P(|Δμ + Δσ·Z| > distance) at 50 digits; Δσ must not be 0."""
    with mp.workdps(50):
        gap = mpf(first.mean) - mpf(second.mean)
        spread = abs(mpf(first.std) - mpf(second.std)) * mp.sqrt(2)
        return (mp.erfc((distance - gap) / spread) + mp.erfc((distance + gap) / spread)) / 2


@given(gaussians, gaussians, positions)
def test_it_is_the_linear_map_of_the_formula(
    first: pf.Gaussian, second: pf.Gaussian, x: float
) -> None:
    exact = Fraction(second.mean) + Fraction(second.std) / Fraction(first.std) * (
        Fraction(x) - Fraction(first.mean)
    )
    # Four roundings, of numbers no larger than 5 + 24·10 (std ratio times distance).
    assert abs(Fraction(float(MongeMap(first, second)(x))) - exact) <= 4 * 2.0**-53 * 256


@given(gaussians, gaussians, st.floats(1e-9, 1 - 1e-9))
def test_quantiles_go_to_quantiles(first: pf.Gaussian, second: pf.Gaussian, level: float) -> None:
    start, end = (NormalDist(law.mean, law.std).inv_cdf(level) for law in (first, second))
    # The standard library's inverse is good to about 1e-15 in stds; T stretches that by up to 24.
    assert float(MongeMap(first, second)(start)) == pytest.approx(end, rel=1e-12, abs=1e-12)


@given(gaussians, gaussians)
def test_the_law_is_pushed_forward(first: pf.Gaussian, second: pf.Gaussian) -> None:
    """P(T(X) ≤ t) is the second law's: T is increasing, so it is P(X ≤ x) at t = T(x)."""
    x = first.mean + first.std * np.linspace(-6.0, 6.0, 25)
    moved = MongeMap(first, second)(x)
    assert moved.shape == x.shape
    assert np.all(np.diff(moved) > 0.0)
    start, end = NormalDist(first.mean, first.std), NormalDist(second.mean, second.std)
    for before, after in zip(x, moved, strict=True):
        # erf's own rounding, and 1e-15·24/0.125 of a std in T.
        assert end.cdf(after) == pytest.approx(start.cdf(before), abs=1e-12)


@given(gaussians, gaussians)
def test_going_back_is_the_other_map(first: pf.Gaussian, second: pf.Gaussian) -> None:
    x = np.linspace(-5.0, 5.0, 11)
    back = MongeMap(second, first)(MongeMap(first, second)(x))
    # Rounding of T near 250, divided by a slope of at least 1/24.
    np.testing.assert_allclose(back, x, rtol=0.0, atol=1e-11)


@given(gaussians, gaussians)
@settings(max_examples=15)
def test_the_cost_is_the_integral_of_the_quantiles_difference(
    first: pf.Gaussian, second: pf.Gaussian
) -> None:
    start, end = NormalDist(first.mean, first.std), NormalDist(second.mean, second.std)

    def squared(u: float) -> float:
        return (start.inv_cdf(u) - end.inv_cdf(u)) ** 2

    found, error = quad(squared, 0.0, 1.0, epsabs=1e-9, epsrel=1e-9, limit=200)
    # The quadrature's own estimate: the integrand has logarithmic ends.
    assert MongeMap(first, second).cost == pytest.approx(found, abs=10 * error + 1e-9, rel=1e-9)
    assert error < 1e-6


@given(gaussians, gaussians, st.integers(0, 2**32))
@settings(max_examples=15)
def test_no_other_pairing_is_cheaper(first: pf.Gaussian, second: pf.Gaussian, seed: int) -> None:
    """Thirty equally likely values of X and their images: no assignment beats x ↦ T(x)."""
    levels = (np.random.default_rng(seed).permutation(30) + 0.5) / 30
    x = first.mean + first.std * np.array([STANDARD.inv_cdf(level) for level in levels])
    images = MongeMap(first, second)(x)
    costs = np.subtract.outer(x, images) ** 2
    rows, columns = linear_sum_assignment(costs)
    # Sums of thirty squares below 700, in another order.
    assert np.trace(costs) <= costs[rows, columns].sum() * (1 + 1e-12) + 1e-10


@given(gaussians, gaussians, st.floats(-30.0, 30.0))
def test_the_displacement_is_the_folded_normal(
    first: pf.Gaussian, second: pf.Gaussian, z: float
) -> None:
    assume(first.std != second.std)
    gap, spread = abs(first.mean - second.mean), abs(first.std - second.std)
    distance = max(gap + z * spread, 0.0)
    true = tail(first, second, mpf(distance))
    bound = MongeMap(first, second).displacement.exceeds_upper(distance)
    # Rounded up by 1e-12 of it, and itself wrong by as much at worst.
    assert true <= bound <= true * (1 + mpf("3e-12"))


@given(gaussians, gaussians, st.floats(0.0, 10.0))
@settings(max_examples=15)
def test_the_displacement_is_that_of_the_map_itself(
    first: pf.Gaussian, second: pf.Gaussian, distance: float
) -> None:
    """P(|X − T(X)| > d) summed over a fine partition of X, without any formula for it."""
    assume(first.std != second.std)
    ends = np.linspace(-9.0, 9.0, 20_001)
    middles = first.mean + first.std * 0.5 * (ends[:-1] + ends[1:])
    masses = np.diff([STANDARD.cdf(end) for end in ends])
    moved = np.abs(middles - MongeMap(first, second)(middles))
    # Two crossings of d, each inside one cell of mass at most 9e-4·φ(0).
    assert MongeMap(first, second).displacement.exceeds_upper(distance) == pytest.approx(
        masses[moved > distance].sum(), abs=8e-4
    )


@given(st.floats(-1e6, 1e6), st.floats(-1.0, 1.0), st.floats(0.1, 2.0))
def test_a_distance_is_never_rounded_down(x: float, y: float, std: float) -> None:
    moved = MongeMap(pf.Gaussian(x, std), pf.Gaussian(y, std)).displacement
    exact = abs(Fraction(x) - Fraction(y))
    # Up to the next float and no further.
    assert exact <= Fraction(moved.reach) <= exact * (1 + Fraction(2) ** -52)


@given(gaussians, positions)
def test_equal_stds_move_everything_by_one_distance(first: pf.Gaussian, mean: float) -> None:
    moved = MongeMap(first, pf.Gaussian(mean, first.std)).displacement
    apart = abs(first.mean - mean)  # exact: both are multiples of 2⁻¹⁶
    assert moved.reach == apart
    assert moved.exceeds_upper(apart) == 0.0
    assert moved.quantile_upper(0.0) == apart
    assert moved.quantile_upper(0.5) == apart
    if apart > 0.0:
        assert moved.exceeds_upper(math.nextafter(apart, 0.0)) == 1.0


@given(gaussians, gaussians, st.floats(-12.0, math.log10(0.9)))
def test_the_quantile_is_the_least_distance_that_will_do(
    first: pf.Gaussian, second: pf.Gaussian, log_delta: float
) -> None:
    assume(first.std != second.std)
    delta = 10.0**log_delta
    moved = MongeMap(first, second).displacement
    distance = moved.quantile_upper(delta)
    assert tail(first, second, mpf(distance)) <= delta
    # A little less does not do: 1e-12 of the tail moves the quantile by less than 1e-9 of it.
    assert tail(first, second, mpf(distance) * (1 - mpf("1e-9"))) > delta
    assert moved.reach == math.inf
    assert moved.quantile_upper(0.0) == math.inf
