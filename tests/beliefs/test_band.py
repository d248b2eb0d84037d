"""Bands of distribution functions: against fractions, another algorithm, and simulated samples."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import kstwo

import pufferfish as pf
from pufferfish.beliefs.band import band_width
from pufferfish.core.validation import FloatArray

SAMPLES = 4_000


def above(rows: int, width: float) -> Fraction:
    """P(D⁺ > width) for continuous laws, in fractions."""
    d = Fraction(width)
    return d * sum(
        math.comb(rows, j)
        * (d + Fraction(j, rows)) ** (j - 1)
        * (1 - d - Fraction(j, rows)) ** (rows - j)
        for j in range(math.floor(rows * (1 - d)) + 1)
    )


@pytest.mark.parametrize("error", [0.5, 0.05, 0.05 / 190, 1e-9, 1e-15])
@pytest.mark.parametrize("rows", [1, 2, 3, 10, 57, 200])
def test_the_level_holds_in_fractions_and_a_narrower_band_misses_it(
    rows: int, error: float
) -> None:
    width = band_width(rows, error)
    assert 2 * above(rows, width) <= Fraction(error)
    narrower = width - 2e-9
    assert 2 * above(rows, narrower) > Fraction(error) * Fraction(1 - 1e-12)


@pytest.mark.parametrize("error", [0.3, 0.05, 1e-4])
@pytest.mark.parametrize("rows", [1, 4, 50, 1_000, 5_000, 5_001, 300_000])
def test_it_is_hardly_wider_than_the_two_sided_law(rows: int, error: float) -> None:
    exact = float(kstwo.isf(error, rows))
    # Five digits are what the two-sided algorithm promises.
    assert band_width(rows, error) >= exact * (1.0 - 1e-5)
    assert band_width(rows, error) <= exact * 1.005
    assert band_width(rows, error) <= math.sqrt(math.log(2.0 / error) / (2.0 * rows)) * 1.0001


def test_more_rows_or_more_error_make_it_narrower() -> None:
    widths = [band_width(rows, 0.05) for rows in (1, 2, 10, 100, 4_999, 5_000, 10_000, 10**6)]
    assert widths == sorted(widths, reverse=True)
    widths = [band_width(80, error) for error in (1e-12, 1e-6, 0.01, 0.05, 0.3, 0.9)]
    assert widths == sorted(widths, reverse=True)


def misses(rows: int, width: float, law: FloatArray | None) -> float:
    """In which share of samples the true distribution function is farther away than `width`."""
    generator = np.random.default_rng(20_240_817)
    if law is None:
        values = np.sort(generator.random((SAMPLES, rows)), axis=1)
        steps = np.arange(rows + 1) / rows
        away = np.maximum((steps[1:] - values).max(axis=1), (values - steps[:-1]).max(axis=1))
    else:
        counts = generator.multinomial(rows, law, size=SAMPLES)
        away = np.abs(np.cumsum(counts, axis=1) / rows - np.cumsum(law)).max(axis=1)
    return float(np.mean(away > width))


@pytest.mark.parametrize("rows", [8, 60, 1_000])
def test_samples_stay_inside_as_often_as_stated(rows: int) -> None:
    width = band_width(rows, 0.05)
    # 4.4 stds of a share of 0.05 in 4,000 samples: a false alarm in 100,000.
    room = 4.4 * math.sqrt(0.05 * 0.95 / SAMPLES)
    assert misses(rows, width, None) <= 0.05 + room
    assert misses(rows, width, None) >= 0.05 - room
    assert misses(rows, 0.8 * width, None) > 0.05 + room
    for law in (np.full(16, 1 / 16), np.array([0.98, 0.01, 0.01]), np.array([0.5, 0.5])):
        assert misses(rows, width, law) <= 0.05 + room


@pytest.mark.parametrize("rows", [0, -1, 2.0, True])
def test_no_rows_are_refused(rows: int) -> None:
    with pytest.raises(pf.InvalidInputError, match="rows"):
        band_width(rows, 0.05)


@pytest.mark.parametrize("error", [0.0, 1.0, -0.1, math.nan])
def test_no_level_is_refused(error: float) -> None:
    with pytest.raises(pf.InvalidInputError, match="error"):
        band_width(10, error)
