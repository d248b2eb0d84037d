"""Discrete Gaussian noise: the law it should have, also where exact arithmetic has to decide."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

import pufferfish as pf
from pufferfish.sampling import NotPrivateEntropy, SystemEntropy, discrete_gaussian
from pufferfish.sampling import gaussian as module
from tests.sampling.fit import rejects_counts, rejects_independence, rejects_law
from tests.sampling.test_lookup import Scripted

COUNT = 400_000
STDS = [Fraction(1), Fraction(3, 2), Fraction(37, 10), Fraction(25)]


def law(std: float) -> Callable[[int], float]:
    """P(G = n) ∝ e^{−n²/(2s²)}."""
    norm = math.fsum(math.exp(-0.5 * (n / std) ** 2) for n in range(-400, 401))
    return lambda n: math.exp(-0.5 * (n / std) ** 2) / norm


@pytest.mark.parametrize("std", STDS)
def test_whole_numbers_have_their_probabilities(std: Fraction) -> None:
    draws = discrete_gaussian(COUNT, std, NotPrivateEntropy(std.numerator))
    assert not rejects_counts(draws, law(float(std)))
    assert rejects_counts(draws, law(float(std) * 1.05))
    assert rejects_counts(draws, law(float(std) / 1.05))


@pytest.mark.parametrize("std", [Fraction(2**24) * Fraction(1.3), Fraction(2**40), Fraction(999)])
def test_on_a_fine_grid_it_is_the_continuous_law(std: Fraction) -> None:
    source = NotPrivateEntropy(3)
    draws = discrete_gaussian(COUNT, std, source).astype(float)
    draws += source.words(COUNT, np.uint32) / 2.0**32 - 0.5
    assert not rejects_law(draws, norm(scale=float(std)).cdf)
    assert rejects_law(draws, norm(scale=float(std) * 1.05).cdf)
    assert rejects_law(draws, norm(scale=float(std) / 1.05).cdf)


@pytest.mark.parametrize("std", STDS)
def test_where_floating_point_never_decides_the_law_is_the_same(
    std: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DOUBT", 1.0)
    draws = discrete_gaussian(4_000, std, NotPrivateEntropy(29))
    assert not rejects_counts(draws, law(float(std)))


def test_floating_point_and_exact_arithmetic_decide_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = discrete_gaussian(3_000, Fraction(37, 10), NotPrivateEntropy(31))
    # Above 1 "below" can never be certain, nor "above" except at 0: everything is compared.
    monkeypatch.setattr(module, "_DOUBT", 1.0)
    assert np.array_equal(quick, discrete_gaussian(3_000, Fraction(37, 10), NotPrivateEntropy(31)))


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(7), Fraction(1, 10**9)])
def test_a_tie_draws_more_digits(exponent: Fraction) -> None:
    with mpmath.workdps(80):
        value = mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)
        digits = [int(mpmath.floor(value * mpmath.mpf(2) ** bits)) for bits in (64, 128)]
    next_digits = digits[1] % 2**64
    assert module._is_below(digits[0] - 1, exponent, Scripted())
    assert not module._is_below(digits[0] + 1, exponent, Scripted())
    assert module._is_below(digits[0], exponent, Scripted(next_digits - 1))
    assert not module._is_below(digits[0], exponent, Scripted(next_digits + 1))


def test_a_certain_acceptance_needs_no_comparison() -> None:
    assert module._is_below(2**64 - 1, Fraction(0), Scripted())


def test_neighbours_are_independent() -> None:
    draws = np.clip(discrete_gaussian(COUNT, Fraction(1), NotPrivateEntropy(37)), -3, 3)
    for lag in (1, 2, 1000):
        assert not rejects_independence(draws[:-lag], draws[lag:])


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_as_many_draws_as_asked_for(count: int) -> None:
    assert discrete_gaussian(count, Fraction(5), SystemEntropy()).shape == (count,)


@pytest.mark.parametrize("std", [Fraction(1, 2), Fraction(2**46), Fraction(0)])
def test_stds_that_no_grid_has_are_refused(std: Fraction) -> None:
    with pytest.raises(pf.InvalidInputError, match="grid"):
        discrete_gaussian(1, std, SystemEntropy())
