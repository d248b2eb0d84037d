"""Discrete Laplace noise: the law it should have, and not one a few percent off."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import laplace as continuous

import pufferfish as pf
from pufferfish.sampling import (
    FINEST_RATE,
    NotPrivateEntropy,
    SystemEntropy,
    discrete_laplace,
)
from pufferfish.sampling.lookup import Lookup
from tests import seams
from tests.sampling.fit import rejects_counts, rejects_independence, rejects_law

COUNT = 400_000
RATES = [Fraction(1), Fraction(2, 3), Fraction(1, 2), Fraction(1, 7), Fraction(3, 100)]
FINE = Fraction(1.25) / 2**24


def law(rate: float) -> Callable[[int], float]:
    """P(G = n) = tanh(r/2)·e^{−|n|r}."""
    return lambda n: math.tanh(rate / 2) * math.exp(-abs(n) * rate)


@pytest.mark.parametrize("rate", RATES)
def test_whole_numbers_have_their_probabilities(rate: Fraction) -> None:
    draws = discrete_laplace(COUNT, rate, NotPrivateEntropy(rate.denominator))
    assert not rejects_counts(draws, law(float(rate)))
    # The same draws are told from noise 5% larger and 5% smaller.
    assert rejects_counts(draws, law(float(rate) * 1.05))
    assert rejects_counts(draws, law(float(rate) / 1.05))


@pytest.mark.parametrize("rate", [FINE, Fraction(1, 2**30), FINEST_RATE, Fraction(1, 12345)])
def test_on_a_fine_grid_it_is_the_continuous_law(rate: Fraction) -> None:
    # Spread over a step: the distance that is left to the continuous law is below r², not seen.
    scale = 1.0 / float(rate)
    source = NotPrivateEntropy(5)
    draws = discrete_laplace(COUNT, rate, source).astype(float)
    draws += source.words(COUNT, np.uint32) / 2.0**32 - 0.5
    assert not rejects_law(draws, continuous(scale=scale).cdf)
    assert rejects_law(draws, continuous(scale=scale * 1.05).cdf)
    assert rejects_law(draws, continuous(scale=scale / 1.05).cdf)


@pytest.mark.parametrize("rate", [*RATES, FINE])
def test_mean_and_variance_are_those_of_the_formula(rate: Fraction) -> None:
    """Var = 2q/(1−q)², and the fourth moment bounds the error of the sample's."""
    draws = discrete_laplace(COUNT, rate, NotPrivateEntropy(11)).astype(float)
    q = math.exp(-float(rate))
    variance = 2.0 * q / (1.0 - q) ** 2
    fourth = 2.0 * q * (1.0 + 10.0 * q + q * q) / (1.0 - q) ** 4
    five = 4.9  # stds of a normal, for a false alarm once in a million
    assert abs(draws.mean()) < five * math.sqrt(variance / COUNT)
    error = math.sqrt((fourth - variance**2) / COUNT)
    assert abs((draws**2).mean() - variance) < five * error


def cuts_of(lookup: Lookup, bits: int) -> list[int]:
    """The cuts that a table stands for, in units of 2^-(bits + 64)."""
    cells = np.flatnonzero(lookup._table >= 2**15)
    return [(int(c) << 64) + int(e) for c, e in zip(cells, lookup._edges, strict=True)]


@pytest.mark.parametrize(
    ("rate", "widths"),
    [
        (FINE, (8, 8, 7)),
        (Fraction(1), ()),
        (Fraction(1, 2), (1,)),
        (Fraction(0.5) + Fraction(1, 2**53), ()),
        (Fraction(1, 3), (1,)),
        (FINEST_RATE, (8, 8, 8, 8, 8, 5)),
    ],
)
def test_every_threshold_of_the_tables_is_exact(rate: Fraction, widths: tuple[int, ...]) -> None:
    """To 80 binary digits, against mpmath; the outcomes on either side of each as they should."""
    tables = seams.found(seams.LAPLACE_TABLES)(rate)
    with mpmath.workdps(80):
        r = mpmath.mpf(rate.numerator) / rate.denominator
        for place, (block, width) in enumerate(zip(tables.blocks, widths, strict=True)):
            step = r * 2 ** (8 * place)
            whole = -mpmath.expm1(-(2**width) * step)
            cuts = [-mpmath.expm1(-j * step) / whole for j in range(1, 2**width)]
            assert cuts_of(block, 16) == [int(mpmath.floor(cut * 2**80)) for cut in cuts]
        lead = r * 2**tables.digits
        assert 0.5 <= lead <= 1
        cuts = [-mpmath.expm1(-j * lead) for j in range(1, 9)]
        assert cuts_of(tables.lead, 15) == [int(mpmath.floor(cut * 2**79)) for cut in cuts]
    for lookup in (*tables.blocks, tables.lead):
        outcomes = lookup._table & (2**15 - 1)
        steps = np.diff(outcomes.astype(int))
        # One more outcome after each cell with a cut, and nowhere else.
        assert np.array_equal(steps == 1, (lookup._table >= 2**15)[:-1])


def test_neighbours_are_independent() -> None:
    draws = discrete_laplace(COUNT, Fraction(1), NotPrivateEntropy(13))
    small = np.clip(draws, -3, 3)
    for lag in (1, 2, 1000):
        assert not rejects_independence(small[:-lag], small[lag:])
    assert rejects_independence(small[:-1], np.clip(small[:-1] + small[1:], -3, 3))


@pytest.mark.parametrize("low", [0, 4, 7, 8, 12, 16, 20])
def test_digits_are_independent_of_each_other(low: int) -> None:
    """Within a block, across blocks, and between the blocks and what leads them."""
    draws = discrete_laplace(COUNT, FINE, NotPrivateEntropy(17))
    digits = (np.abs(draws) >> low) & 1
    other = (np.abs(draws) >> (low + 1)) & 7
    sign = (draws < 0).astype(np.int64)
    assert not rejects_independence(digits, other)
    assert not rejects_independence(sign, other)


def test_zero_is_not_doubled() -> None:
    draws = discrete_laplace(COUNT, Fraction(1), NotPrivateEntropy(19))
    share = np.count_nonzero(draws == 0) / COUNT
    truth = math.tanh(0.5)
    assert share == pytest.approx(truth, abs=4.9 * math.sqrt(truth * (1 - truth) / COUNT))


def test_what_leads_is_not_cut_off() -> None:
    """P(|G| ≥ n) beyond several rounds of "eight or more", where a cut-off would show."""
    draws = np.abs(discrete_laplace(2_000_000, Fraction(1, 2), NotPrivateEntropy(23)))
    for n in (16, 17, 20, 24):
        truth = 2.0 * math.exp(-n / 2) / (1.0 + math.exp(-0.5))
        share = np.count_nonzero(draws >= n) / draws.size
        assert share == pytest.approx(truth, abs=4.9 * math.sqrt(truth / draws.size))


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_as_many_draws_as_asked_for(count: int) -> None:
    assert discrete_laplace(count, FINE, SystemEntropy()).shape == (count,)


def test_no_two_draws_share_noise() -> None:
    one, other = (discrete_laplace(10_000, FINE, SystemEntropy()) for _ in range(2))
    assert np.count_nonzero(one == other) < 5  # a coincidence has probability 3e-8 each
    assert np.unique(one).size > 9_990


@pytest.mark.parametrize("rate", [Fraction(3, 2), Fraction(1, 2**46), Fraction(0), Fraction(-1)])
def test_rates_that_no_grid_has_are_refused(rate: Fraction) -> None:
    with pytest.raises(pf.InvalidInputError, match="grid"):
        discrete_laplace(1, rate, SystemEntropy())
