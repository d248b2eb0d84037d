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
from tests import seams
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
    seams.put(monkeypatch, seams.DOUBT, math.inf)
    draws = discrete_gaussian(4_000, std, NotPrivateEntropy(29))
    assert not rejects_counts(draws, law(float(std)))


def test_floating_point_and_exact_arithmetic_decide_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = discrete_gaussian(3_000, Fraction(37, 10), NotPrivateEntropy(31))
    seams.put(monkeypatch, seams.DOUBT, math.inf)
    assert np.array_equal(quick, discrete_gaussian(3_000, Fraction(37, 10), NotPrivateEntropy(31)))


def accepted(proposal: int, std: Fraction, *words: int) -> bool:
    """Whether a proposal is kept, given the first 64 digits of U and those after them."""
    source = Scripted(*words)
    kept = bool(seams.found(seams.ACCEPTED)(np.array([proposal]), std, source)[0])
    assert source.left == 0
    return kept


@pytest.mark.parametrize(
    ("proposal", "std"), [(0, Fraction(3, 2)), (7, Fraction(3, 2)), (40, Fraction(1))]
)
def test_a_tie_draws_more_digits(proposal: int, std: Fraction) -> None:
    with mpmath.workdps(600):
        s, t = mpmath.mpf(std.numerator) / std.denominator, int(std) + 1
        value = mpmath.exp(-((proposal - s * s / t) ** 2) / (2 * s * s))
        # Words of 64 digits until the number has shown some.
        words = 1
        while value * mpmath.mpf(2) ** (64 * words) < 2:
            words += 1
        digits = int(mpmath.floor(value * mpmath.mpf(2) ** (64 * words)))
    split = [(digits >> (64 * (words - 1 - place))) % 2**64 for place in range(words)]
    below, above = [*split[:-1], split[-1] - 1], [*split[:-1], split[-1] + 1]
    assert accepted(proposal, std, *below)
    assert not accepted(proposal, std, *above)


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
