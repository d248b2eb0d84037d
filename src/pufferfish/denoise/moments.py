"""Mean, variance and slope of X from the published Y = X + N.

N is independent of everything, with mean 0 and known variance Var N, so

- E X = E Y;
- Var X = Var Y − Var N;
- Cov(X, Z) = Cov(Y, Z), hence the slope of Z on X is Cov(Y, Z)/(Var Y − Var N).

Rows are taken to be independent draws of one law. Each standard error is that of the influence
function, so it counts the rows and the noise together. A column that was clipped after the noise
breaks all of this, and one that was clipped before tells of the clipped values only. Rounding the
column to a step r adds about r²/12 to its variance. The noise's own grid γ moves a value by γ/2 at
most, and so the mean and the std of X; a grid coarser than a quarter of the noise is refused, but
for the mean. Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pufferfish.checks import FloatArray, nonnegative, require
from pufferfish.denoise.columns import Column, column, pieces
from pufferfish.denoise.estimate import Estimate, Z, normal_estimate
from pufferfish.denoise.law import check_fine, noise_variance
from pufferfish.errors import UnsupportedError
from pufferfish.noise import Noise, NoNoise, check_noise

__all__ = ["mean", "slope", "variance"]

# Below this many standard errors from 0, a variance says nothing about a slope.
_CLEAR = 2.0

_HIDDEN = "negative: the noise hides the spread of X"
_CONTRADICTED = "less than the noise alone would give: was the column clipped, or noised otherwise?"


class _Spread(NamedTuple):
    """A column's mean, largest deviation from it, and central moments in units of that."""

    mean: float
    unit: float
    second: float
    fourth: float


class _Ratio(NamedTuple):
    """s_YZ, s²_Y − Var N and their covariances, in units of the largest deviations; their unit."""

    above: float
    below: float
    above_above: float
    above_below: float
    below_below: float
    unit: float


def mean(values: Column, noise: Noise) -> Estimate:
    """E X, estimated by the mean of Y; standard error s_Y/√n.

    The noise has mean 0, on its grid γ too; values were rounded to that, by γ/2 at most, which the
    interval includes. Needs a column that was not clipped.
    """
    check_noise(noise)
    rows = column("values", values, 2)
    spread = _spread(rows)
    error = spread.unit * math.sqrt(spread.second / (rows.size - 1))
    estimate, half = normal_estimate(spread.mean, error), 0.5 * (noise.grid or 0.0)
    return replace(
        estimate,
        lower=estimate.lower - half,
        upper=estimate.upper + half,
        note=_clipping_note(rows, noise),
    )


def variance(values: Column, noise: Noise, *, rounded: float = 0.0) -> Estimate:
    """Var X, estimated by s²_Y − Var N; standard error √((m₄ − m₂²)/n), moments of Y.

    Var N is that of the law that is drawn, on its grid. The estimate can be negative, and is
    given as it is: cutting it off at 0 would make it too large on average. It then means that
    the noise hides the spread of X; the interval says how large Var X may be. Needs a column that
    was not clipped. One that was rounded to a step r ≤ b or θ after the noise has about r²/12 more
    variance: `rounded=r` takes it off.
    """
    rows, added = _rows(values, noise, 3), _added_variance(noise, rounded)
    estimate = normal_estimate(*_variance(_spread(rows), rows.size, added))
    if estimate.upper < 0.0:
        return replace(estimate, note=_CONTRADICTED)
    note = _HIDDEN if estimate.value < 0.0 else _clipping_note(rows, noise)
    return replace(estimate, note=note)


def slope(values: Column, outcome: Column, noise: Noise, *, rounded: float = 0.0) -> Estimate:
    """The slope of the outcome Z on X, where X is seen as Y: β = s_YZ/(s²_Y − Var N).

    Standard error √(mean ψ²/n), ψ = [(y−ȳ)(z−z̄) − β·((y−ȳ)² − Var N)]/(s²_Y − Var N). The interval
    holds the β for which s_YZ − β·(s²_Y − Var N) is within 1.96 of its standard errors of 0
    (Fieller): β ± 1.96 standard errors where the denominator is known well, and longer on one side
    where it is not. The noise must be independent of the outcome as well as of X. An outcome that
    was published with a noise of its own, independent of this one, only widens the interval. Needs
    a column that was not clipped; `rounded` is as for `variance`.

    Raises:
        UnsupportedError: s²_Y − Var N is not 2 standard errors above 0, so the data do not tell X
            from a constant.
    """
    rows = _rows(values, noise, 3)
    outcomes = column("outcome", outcome, 3)
    require(
        outcomes.size == rows.size,
        f"values and outcome must have a row for each other, got {rows.size} and {outcomes.size}.",
    )
    parts = _ratio(rows, outcomes, _added_variance(noise, rounded))
    clear = parts.below / math.sqrt(parts.below_below) if parts.below_below > 0.0 else 0.0
    if clear < -_CLEAR:
        raise UnsupportedError(
            f"the variance of the values is {_CONTRADICTED} Nothing can be said about the slope."
        )
    if clear <= _CLEAR:
        raise UnsupportedError(
            "the variance of the values is not clearly above that of the noise (by "
            f"{clear:.2g} standard errors, more than {_CLEAR:g} are needed): the data do not tell "
            "X from a constant and say nothing about the slope. Use more rows, or a release with "
            "less noise."
        )
    return _fieller(parts)


def _fieller(parts: _Ratio) -> Estimate:
    """c/v with the roots of (c − βv)² = Z²·Var(c − βv), a parabola that opens upwards."""
    c, v = parts.above, parts.below
    beta = c / v
    spread = parts.above_above - 2.0 * beta * parts.above_below + beta**2 * parts.below_below
    leading = v**2 - Z**2 * parts.below_below
    middle = c * v - Z**2 * parts.above_below
    common = parts.above_above * parts.below_below - parts.above_below**2
    half = Z * math.sqrt(max(v**2 * spread - Z**2 * common, 0.0))
    return Estimate(
        value=beta * parts.unit,
        standard_error=math.sqrt(max(spread, 0.0)) / v * parts.unit,
        lower=min((middle - half) / leading, beta) * parts.unit,
        upper=max((middle + half) / leading, beta) * parts.unit,
    )


def _clipping_note(rows: FloatArray, noise: Noise) -> str:
    """What many rows at an end of a noised column suggest; drawn on a grid, ties are rare."""
    if isinstance(noise, NoNoise):
        return ""
    least = max(3, rows.size // 1000)
    for end, name in ((rows.min(), "smallest"), (rows.max(), "largest")):
        count = int(np.count_nonzero(rows == end))
        if count >= least:
            return f"{count} rows equal the {name} value: if the column was clipped, this is biased"
    return ""


def _rows(values: Column, noise: Noise, least: int) -> FloatArray:
    check_fine(noise)
    return column("values", values, least)


def _added_variance(noise: Noise, rounded: float) -> float:
    """Var N, and that of rounding to a step."""
    step = nonnegative("rounded", rounded)
    return noise_variance(noise) + step * step / 12.0


def _spread(rows: FloatArray) -> _Spread:
    low, high = float(rows.min()), float(rows.max())
    # Near the data's middle, so that equal rows have their value as their mean, exactly.
    middle = low + 0.5 * (high - low)
    average = (
        middle + math.fsum(float(np.sum(part - middle)) for _, part in pieces(rows)) / rows.size
    )
    unit = max(high - average, average - low)
    if unit == 0.0:
        return _Spread(average, 0.0, 0.0, 0.0)
    second, fourth = [], []
    for _, piece in pieces(rows):
        square = np.square((piece - average) / unit)
        second.append(float(np.sum(square)))
        fourth.append(float(np.dot(square, square)))
    return _Spread(average, unit, math.fsum(second) / rows.size, math.fsum(fourth) / rows.size)


def _variance(spread: _Spread, n: int, added: float) -> tuple[float, float]:
    """s²_Y − Var N and its standard error."""
    squared = spread.unit * spread.unit
    value = squared * spread.second * (n / (n - 1)) - added
    return value, squared * math.sqrt(max(spread.fourth - spread.second**2, 0.0) / n)


def _ratio(rows: FloatArray, outcomes: FloatArray, added: float) -> _Ratio:
    spread, other = _spread(rows), _spread(outcomes)
    if spread.unit == 0.0:
        return _Ratio(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    n, noise_part = rows.size, added / spread.unit / spread.unit
    products = math.fsum(float(np.dot(y, z)) for y, z in _pairs(rows, spread, outcomes, other))
    above, below = products / (n - 1), spread.second * (n / (n - 1)) - noise_part
    sums = np.zeros((2, 2))
    for y, z in _pairs(rows, spread, outcomes, other):
        errors = np.stack([y * z - above, y * y - noise_part - below])
        sums += errors @ errors.T
    sums /= n * n
    unit = other.unit / spread.unit
    return _Ratio(above, below, float(sums[0, 0]), float(sums[0, 1]), float(sums[1, 1]), unit)


def _pairs(
    rows: FloatArray, spread: _Spread, outcomes: FloatArray, other: _Spread
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """y − ȳ and z − z̄ piece by piece, in units of the largest deviations."""
    for start, piece in pieces(rows):
        beside = outcomes[start : start + piece.size]
        yield (piece - spread.mean) / spread.unit, (beside - other.mean) / (other.unit or 1.0)
