"""Mean, variance and slope of X from the published Y = X + N.

N is independent of everything, with mean 0 and known variance Var N, so

- E X = E Y;
- Var X = Var Y − Var N;
- Cov(X, Z) = Cov(Y, Z), hence the slope of Z on X is Cov(Y, Z)/(Var Y − Var N).

Rows are taken to be independent draws of one law. Each standard error is that of the influence
function, so it counts the rows and the noise together. A column that was clipped after the noise
breaks all of this: variance and slope are refused for it, and the mean asks for the possible
values of X (`shares`). One that was clipped before tells of the clipped values only. Rounding the
column to a step r adds about r²/12 to its variance. The noise's own grid γ moves a value by γ/2 at
most, and so the mean and the std of X; a grid coarser than a quarter of the noise is refused, but
for the mean. Missing values (nan, None) are left out, and the estimate says so: noise leaves a hole
where a value is missing, so it is about the rows that have one. A recoded column has no noise to
take off, and is refused (`check_additive` says what holds of it). Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.denoise.cells import Published
from pufferfish.denoise.columns import Column, column, pieces, rows_present
from pufferfish.denoise.estimate import Estimate, Z, announce, normal_estimate
from pufferfish.denoise.law import (
    check_additive,
    check_fine,
    inverse_characteristic,
    noise_size,
    noise_variance,
)
from pufferfish.denoise.shares import likely_mean
from pufferfish.denoise.support import SupportLike, read_support
from pufferfish.noise import Noise, NoNoise

__all__ = ["mean", "slope", "variance"]

# With fewer rows, less than 93% of the normal intervals covered (docs/theory/denoise.md).
_FEW_FOR_MEAN = 50
_FEW_FOR_VARIANCE = 1000
# As for quantiles and histograms.
_LEAST_LIKELY = 100
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


def mean(
    values: Column,
    noise: Noise,
    *,
    support: SupportLike = None,
    rounded: float = 0.0,
    clipped: tuple[float, float] | None = None,
) -> Estimate:
    """E X, estimated by the mean of Y; standard error s_Y/√n.

    The noise has mean 0, on its grid γ too; values were rounded to that, by γ/2 at most, which the
    interval includes, as it does what `rounded=r`, rounding after the noise, may move. `support` is
    needed where the column was clipped after the noise, `clipped=(low, high)`, and must list all
    values that X may have: the mean is then that of the most likely law.

    Raises:
        UnsupportedError: Clipped, and the values of X are not listed. How far X lies beyond a bound
            cannot be seen.
    """
    check_additive(noise)
    (present,), of_which = rows_present(values=values)
    published = Published.checked(rounded, clipped, noise)
    if published.clipped is not None:
        listed = read_support(support)
        if listed.listed is None or isinstance(noise, NoNoise):
            raise UnsupportedError(
                "the column was clipped, and how far values lie beyond a bound cannot be seen: a "
                "mean needs all values that X may have, support=[...], and noise. Quantiles and "
                "histograms need neither."
            )
        rows = column("values", present, _LEAST_LIKELY)
        (found,) = announce((likely_mean(rows, noise, listed, published),), of_which)
        return found
    rows = column("values", present, 2)
    spread = _spread(rows)
    error = spread.unit * math.sqrt(spread.second / (rows.size - 1))
    estimate = normal_estimate(spread.mean, error)
    half = 0.5 * (noise.grid or 0.0) + _rounding_bias(noise, published.rounded)
    (found,) = announce(
        (
            replace(
                estimate,
                lower=estimate.lower - half,
                upper=estimate.upper + half,
                warning=_warning(rows, noise, _FEW_FOR_MEAN),
            ),
        ),
        of_which,
    )
    return found


def variance(
    values: Column,
    noise: Noise,
    *,
    rounded: float = 0.0,
    clipped: tuple[float, float] | None = None,
) -> Estimate:
    """Var X, estimated by s²_Y − Var N; standard error √((m₄ − m₂²)/n), moments of Y.

    Var N is that of the law that is drawn, on its grid. The estimate can be negative, and is
    given as it is: cutting it off at 0 would make it too large on average. It then means that
    the noise hides the spread of X; the interval says how large Var X may be. A column that was
    rounded to a step r ≤ b or θ after the noise has about r²/12 more variance: `rounded=r` takes it
    off.

    Raises:
        UnsupportedError: The column was clipped after the noise, or rounded to a larger step.
    """
    (present,), of_which = rows_present(values=values)
    rows, added = _rows(present, noise, 3), _noise_variance(noise, rounded, clipped)
    estimate = normal_estimate(*_variance(_spread(rows), rows.size, added))
    warning = _warning(rows, noise, _FEW_FOR_VARIANCE)
    if estimate.upper < 0.0:
        estimate = replace(estimate, warning=_CONTRADICTED)
    else:
        note = _HIDDEN if estimate.value < 0.0 else ""
        estimate = replace(estimate, note=note, warning=warning)
    (found,) = announce((estimate,), of_which)
    return found


def slope(
    values: Column,
    outcome: Column,
    noise: Noise,
    *,
    rounded: float = 0.0,
    clipped: tuple[float, float] | None = None,
) -> Estimate:
    """The slope of the outcome Z on X, where X is seen as Y: β = s_YZ/(s²_Y − Var N).

    Standard error √(mean ψ²/n), ψ = [(y−ȳ)(z−z̄) − β·((y−ȳ)² − Var N)]/(s²_Y − Var N). The interval
    holds the β for which s_YZ − β·(s²_Y − Var N) is within 1.96 of its standard errors of 0
    (Fieller): β ± 1.96 standard errors where the denominator is known well, and longer on one side
    where it is not. The noise must be independent of the outcome as well as of X. An outcome that
    was published with a noise of its own, independent of this one, only widens the interval.
    `rounded` and `clipped` are as for `variance`.

    Raises:
        UnsupportedError: s²_Y − Var N is not 2 standard errors above 0, so the data do not tell X
            from a constant; or the column was clipped.
    """
    (present, beside), of_which = rows_present(values=values, outcome=outcome)
    rows, added = _rows(present, noise, 3), _noise_variance(noise, rounded, clipped)
    outcomes = column("outcome", beside, 3)
    require(
        outcomes.size == rows.size,
        f"values and outcome must have a row for each other, got {rows.size} and {outcomes.size}.",
    )
    parts = _ratio(rows, outcomes, added)
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
    warning = _warning(rows, noise, _FEW_FOR_VARIANCE)
    (found,) = announce((replace(_fieller(parts), warning=warning),), of_which)
    return found


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


def _warning(rows: FloatArray, noise: Noise, few: int) -> str:
    """Too few rows for a normal interval, or an end at which rows pile up as if clipped."""
    if rows.size < few:
        return f"only {rows.size} rows, and below {few} coverage of less than 93% was measured"
    if isinstance(noise, NoNoise):
        return ""
    least = max(3, rows.size // 1000)
    for sign, name in ((1.0, "smallest"), (-1.0, "largest")):
        end = float((sign * rows).min()) * sign
        count = int(np.count_nonzero(rows == end))
        if count >= least and count > _next_count(sign * rows, sign * end):
            return (
                f"{count} rows equal the {name} value. If the column was clipped, this is wrong: "
                "give clipped=(low, high)"
            )
    return ""


def _next_count(rows: FloatArray, least: float) -> int:
    """How many rows equal the smallest value above the least; tails fall, so more is no pile."""
    above = rows[rows > least]
    return int(np.count_nonzero(above == above.min())) if above.size else 0


def _rows(values: Column, noise: Noise, least: int) -> FloatArray:
    check_fine(noise)
    return column("values", values, least)


def _noise_variance(noise: Noise, rounded: float, clipped: object) -> float:
    """Var N, and that of rounding to a step."""
    published = Published.checked(rounded, clipped, noise)
    if published.clipped is not None:
        raise UnsupportedError(
            "the column was clipped, and how far values lie beyond a bound cannot be seen: neither "
            "a variance nor a slope can be had from it. Ask for quantiles or a histogram."
        )
    step = published.rounded
    if not isinstance(noise, NoNoise) and step > noise_size(noise):
        raise UnsupportedError(
            f"the column was rounded to {step:g}, more than the size of its noise "
            f"({noise_size(noise):g}): what that added to its variance depends on X. Ask for "
            "quantiles or a histogram."
        )
    return noise_variance(noise) + step * step / 12.0


def _rounding_bias(noise: Noise, step: float) -> float:
    """How far rounding to a step after the noise may move a mean.

    |E round(Y) − E Y| ≤ (r/π)·Σ_k φ_N(2πk/r)/k, and Σ is below 1.3·φ_N(2π/r) for r ≤ b or θ.
    """
    if not step or isinstance(noise, NoNoise) or step > noise_size(noise):
        return 0.5 * step
    first = np.array([2.0 * math.pi / step])
    return 1.3 * step / math.pi / float(inverse_characteristic(noise, first)[0])


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
