"""Clopper and Pearson's bounds: against scipy's beta law, and all outcomes of a binomial."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binom

from pufferfish.audits.bounds import (
    delta_lower,
    epsilon_lower,
    probability_lower,
    probability_upper,
)

ALPHAS = (0.3, 0.05, 1e-3, 1e-8)
# The bounds give away 1e-9 of themselves; the binomial sums below are accurate to 1e-12.
GIVEN_AWAY = 2e-9
SUMS = 1e-12


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("draws", [1, 2, 17, 1000, 10**7, 10**10])
def test_bounds_are_quantiles_of_beta_laws_and_err_outwards(draws: int, alpha: float) -> None:
    hits = np.unique(np.linspace(1, draws, 9).astype(np.int64))
    lower, upper = probability_lower(hits, draws, alpha), probability_upper(hits, draws, alpha)
    least = beta.ppf(alpha, hits, draws - hits + 1)
    most = np.where(hits < draws, beta.isf(alpha, hits + 1, np.maximum(draws - hits, 1)), 1.0)
    # scipy.stats and scipy.special differ by up to 1e-10 for such laws.
    assert np.all(lower <= least * (1 + 1e-10))
    assert np.all(upper >= most * (1 - 1e-10))
    np.testing.assert_allclose(lower, least, rtol=GIVEN_AWAY)
    np.testing.assert_allclose(upper, most, rtol=GIVEN_AWAY)


@pytest.mark.parametrize("alpha", ALPHAS[:3])
@pytest.mark.parametrize("draws", [1, 2, 7, 30])
def test_bounds_are_wrong_at_most_as_often_as_stated(draws: int, alpha: float) -> None:
    hits = np.arange(draws + 1)
    lower, upper = probability_lower(hits, draws, alpha), probability_upper(hits, draws, alpha)
    # Where a bound is wrong changes only at the bounds themselves: look beside each of them.
    beside = np.concatenate([lower, upper])
    truths = np.clip(np.concatenate([beside * (1 - 1e-7), beside * (1 + 1e-7)]), 0.0, 1.0)
    for truth in truths:
        chances = binom.pmf(hits, draws, truth)
        assert chances[lower > truth].sum() <= alpha + SUMS
        assert chances[upper < truth].sum() <= alpha + SUMS


@pytest.mark.parametrize("alpha", ALPHAS[:3])
def test_bounds_waste_nothing(alpha: float) -> None:
    # At the bound itself so many hits, or more, have exactly the stated probability; giving away
    # 1e-9 of a bound near 1 is up to 3e-5 of what is left of it.
    hits = np.arange(1, 30)
    lower = probability_lower(hits, 30, alpha)
    np.testing.assert_allclose(binom.sf(hits - 1, 30, lower), alpha, rtol=1e-4)
    upper = probability_upper(hits, 30, alpha)
    np.testing.assert_allclose(binom.cdf(hits, 30, upper), alpha, rtol=1e-4)


def test_no_hits_and_nothing_but_hits() -> None:
    assert probability_lower(0, 100, 0.01) == 0.0
    assert probability_upper(100, 100, 0.01) == 1.0
    # (1 − p)^n = α, and its mirror image.
    assert probability_upper(0, 100, 0.01) == pytest.approx(1.0 - 0.01**0.01, rel=1e-8)
    assert probability_lower(100, 100, 0.01) == pytest.approx(0.01**0.01, rel=1e-8)


def test_bounds_are_in_order_and_close_in_with_more_draws() -> None:
    widths = []
    for draws in (100, 10_000, 1_000_000):
        lower = float(probability_lower(draws // 4, draws, 0.01))
        upper = float(probability_upper(draws // 4, draws, 0.01))
        assert lower < 0.25 < upper
        widths.append(upper - lower)
    assert widths[0] > 5 * widths[1] > 25 * widths[2]


def test_what_an_event_shows() -> None:
    first, second = np.array([0.5, 0.1, 0.0]), np.array([0.1, 0.1, 0.2])
    np.testing.assert_allclose(
        delta_lower(first, second, math.log(2.0)), [0.3, -0.1, -0.4], atol=1e-15
    )
    np.testing.assert_allclose(
        epsilon_lower(first, second, 0.05), [math.log(4.5), math.log(0.5), -math.inf], atol=1e-15
    )


def test_a_huge_epsilon_does_not_overflow() -> None:
    assert delta_lower(np.array([0.5]), np.array([1e-9]), 1e6)[0] < -1.0
