"""Quantiles and histograms of X from the published Y = X + N, by deconvolution.

F̂_h(t) = mean of A(t − Y_i) is unbiased for the distribution function of X + hW (`kernel`), and h
is chosen so that the difference to that of X is small beside the standard error (`bandwidth`). The
weights A(t − Y_i) are independent with mean F_h(t), so their spread gives the standard error at
every t, which counts the rows and the noise together.

Rows are taken to be independent draws of one law, and the column must not have been clipped or
rounded. The noise's own grid γ moves a value by γ/2 at most, and so each quantile, which is wider
by that; a grid coarser than a quarter of the noise is refused. Where X has atoms
(integers, say) the law of X + hW is what is estimated: each atom is spread over about √6·h.
Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pufferfish.checks import FloatArray, finite_array, positive, require
from pufferfish.denoise.bandwidth import Bandwidth, choose_bandwidth, least_bandwidth
from pufferfish.denoise.columns import Column, column, pieces
from pufferfish.denoise.curve import bin_column
from pufferfish.denoise.estimate import Estimate, Z, normal_estimate
from pufferfish.denoise.law import check_fine
from pufferfish.noise import Noise, NoNoise

__all__ = ["Histogram", "Quantiles", "histogram", "quantiles"]

# With fewer rows than this the normal interval of a distribution function means little.
_LEAST_ROWS = 100
# Nearly all of the rows: where the bandwidth rule looks.
_MIDDLE = (0.001, 0.999)
# A quantile of X is between two quantiles of Y; those are taken this many standard errors wider,
_MARGIN = 4.0
# and by this many bandwidths, for that of X + hW: P(W ≤ u) is within 0.006 of 1 beyond u = 6.
_SMEARED = 6.0

_UNBOUNDED = "too few rows beyond this level to bound it on both sides"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Quantiles of X.

    Attributes:
        levels: The levels asked for.
        estimates: One for each level, in that order.
        bandwidth: h, in the units of X; 0 where there is no noise. Detail finer than about √6·h
            is smoothed away.
    """

    levels: tuple[float, ...]
    estimates: tuple[Estimate, ...]
    bandwidth: float

    def __str__(self) -> str:
        lines = zip(self.levels, self.estimates, strict=True)
        return "\n".join(f"{level:g}: {estimate}" for level, estimate in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Probabilities that X is in each bin.

    Attributes:
        edges: The edges of the bins, rising.
        estimates: P(edges[k] < X ≤ edges[k+1]) for each k. As they come out: one may be below 0,
            and their sum is what the edges enclose.
        bandwidth: h, in the units of X; 0 where there is no noise.
    """

    edges: tuple[float, ...]
    estimates: tuple[Estimate, ...]
    bandwidth: float

    def __str__(self) -> str:
        bins = zip(self.edges[:-1], self.edges[1:], self.estimates, strict=True)
        return "\n".join(f"{low:g} to {high:g}: {estimate}" for low, high, estimate in bins)


def quantiles(
    values: Column, noise: Noise, levels: Column, *, bandwidth: float | None = None
) -> Quantiles:
    """Quantiles of X at `levels`, each strictly between 0 and 1.

    The estimate is the level's place in F̂_h sorted to rise. The interval runs from the first to
    the last t at which F̂_h(t) is within 1.96 standard errors of the level (Woodruff), and the
    standard error is its length over 2·1.96. It covers the quantile of X + hW; `bandwidth`
    replaces the h that is chosen from the data. Levels near 0 or 1 may have no bound on one side.
    """
    check_fine(noise)
    rows = column("values", values, _LEAST_ROWS)
    asked = finite_array("levels", levels)
    require(
        bool(np.all((asked > 0.0) & (asked < 1.0))),
        "levels must be greater than 0 and less than 1; ask for 0.5, not 50, for the median.",
    )
    if isinstance(noise, NoNoise):
        found = tuple(_order_statistics(rows, asked))
        return Quantiles(levels=tuple(asked.tolist()), estimates=found, bandwidth=0.0)
    brackets, (h, note) = _brackets(rows, noise, asked, bandwidth)
    binned = bin_column(rows, noise, h, float(brackets.min()), float(brackets.max()))
    t, curve, error = binned.on_grid(float(brackets.min()), float(brackets.max()))
    estimates = []
    for level, ends_of_t in zip(asked.tolist(), (brackets - binned.first).T, strict=True):
        inside = slice(*np.searchsorted(t, ends_of_t).tolist())
        # A column without noise has this error, and one with noise no less.
        floor = math.sqrt(level * (1.0 - level) / rows.size)
        band = Z * np.maximum(error[inside], floor)
        ends = _open_ends(level, rows.size)
        found_here = _invert(t[inside], curve[inside], band, level, ends)
        estimates.append(_moved(found_here, binned.first, 0.5 * (noise.grid or 0.0), note))
    return Quantiles(levels=tuple(asked.tolist()), estimates=tuple(estimates), bandwidth=h)


def histogram(
    values: Column, noise: Noise, edges: Column, *, bandwidth: float | None = None
) -> Histogram:
    """P(edges[k] < X ≤ edges[k+1]) for each k, as F̂_h(edges[k+1]) − F̂_h(edges[k]).

    The standard error is that of the difference of the two weights. Probabilities are given as
    they come out, below 0 too: each is then right on average, and so is each sum of them, which
    cutting off at 0 would spoil. The first edge may be −∞ and the last ∞. Bins narrower than a
    few `bandwidth` show X + hW, not X.
    """
    check_fine(noise)
    rows = column("values", values, _LEAST_ROWS)
    asked = _checked_edges(edges)
    finite = asked[np.isfinite(asked)]
    n = rows.size
    if isinstance(noise, NoNoise):
        h, note, parts = 0.0, "", [(share, share - share**2) for share in _shares(rows, asked)]
    else:
        (h, note), parts = _bandwidth(rows, noise, _middle(rows), bandwidth), []
        binned = bin_column(rows, noise, h, float(finite[0]), float(finite[-1]))
        shares, left = binned.counts / n, binned.weights_at(float(asked[0]))
        for edge in asked[1:].tolist():
            right = binned.weights_at(edge)
            value = float(np.dot(shares, right - left))
            parts.append((value, float(np.dot(shares, np.square(right - left))) - value**2))
            left = right
    estimates = []
    for value, spread in parts:
        # As if at least one row were inside and one outside: no count is certain to be 0.
        inside = min(max(value, 1.0 / n), 1.0 - 1.0 / n)
        error = math.sqrt(max(spread, inside * (1.0 - inside)) / n)
        estimates.append(normal_estimate(value, error, note))
    return Histogram(edges=tuple(asked.tolist()), estimates=tuple(estimates), bandwidth=h)


def _checked_edges(edges: Column) -> FloatArray:
    """Rising edges; only the outermost may be infinite."""
    require(isinstance(edges, Iterable), "edges must be a list of numbers.")
    listed = list(edges)
    first = listed[:1] if listed[:1] == [-math.inf] else []
    last = listed[-1:] if listed[-1:] == [math.inf] else []
    inside = listed[len(first) : len(listed) - len(last)]
    require(bool(inside), "edges must have at least one that is finite.")
    inner = finite_array("edges", inside)
    asked = np.concatenate([first, inner, last])
    require(
        asked.size >= 2 and bool(np.all(np.diff(asked) > 0.0)),
        "edges must be at least two numbers, each greater than the one before.",
    )
    return asked


def _middle(rows: FloatArray) -> tuple[float, float]:
    low, high = np.quantile(rows, _MIDDLE, method="inverted_cdf").tolist()
    return low, high


def _bandwidth(
    rows: FloatArray, noise: Noise, middle: tuple[float, float], given: float | None
) -> Bandwidth:
    """The bandwidth that was asked for, else the one that the data ask for."""
    if given is None:
        return choose_bandwidth(rows, noise, middle)
    h, least = positive("bandwidth", given), least_bandwidth(noise)
    require(h >= least, f"bandwidth must be at least {least:.4g} for this noise, got {h:g}.")
    return Bandwidth(h)


def _brackets(
    rows: FloatArray, noise: Noise, levels: FloatArray, given: float | None
) -> tuple[FloatArray, Bandwidth]:
    """Where each quantile of X can be, from quantiles of Y alone; and the bandwidth.

    N is symmetric, so P(Y ≤ x_q) ≥ P(X ≤ x_q, N ≤ 0) ≥ q/2, and likewise from above.
    """
    n = rows.size
    below, above = 0.5 * levels, 0.5 + 0.5 * levels
    below = below - _MARGIN * np.sqrt(below * (1.0 - below) / n)
    above = above + _MARGIN * np.sqrt(above * (1.0 - above) / n)
    shares = np.clip(np.concatenate([below, above, _MIDDLE]), 0.0, 1.0)
    found = np.quantile(rows, shares, method="inverted_cdf")
    bandwidth = _bandwidth(rows, noise, (float(found[-2]), float(found[-1])), given)
    wider = _SMEARED * bandwidth.h * np.array([[-1.0], [1.0]])
    return found[:-2].reshape(2, -1) + wider, bandwidth


def _open_ends(level: float, n: int) -> tuple[bool, bool]:
    """Whether there are too few rows for a bracket to bound the quantile below, and above."""
    least = _MARGIN**2
    return 0.5 * level * n <= least, 0.5 * (1.0 - level) * n <= least


def _invert(
    t: FloatArray, curve: FloatArray, band: FloatArray, level: float, open_ends: tuple[bool, bool]
) -> Estimate:
    """The level's place in the sorted curve, and the first and last t within the band."""
    step = float(t[1] - t[0])
    # How much of each cell has a curve below the level, the curve being a line within it.
    low, high = np.minimum(curve[:-1], curve[1:]), np.maximum(curve[:-1], curve[1:])
    part = np.clip((level - low) / np.maximum(high - low, 1e-300), 0.0, 1.0)
    value = float(t[0]) + step * float(np.sum(part))
    above, below = curve + band - level, curve - band - level
    lower = _crossing(t, above)
    upper = -_crossing(-t[::-1], -below[::-1])
    if open_ends[0] and lower <= t[0]:
        lower = -math.inf
    if open_ends[1] and upper >= t[-1]:
        upper = math.inf
    bounded = math.isfinite(lower) and math.isfinite(upper)
    return Estimate(
        value=value,
        standard_error=(upper - lower) / (2.0 * Z),
        lower=lower,
        upper=upper,
        note="" if bounded else _UNBOUNDED,
    )


def _moved(estimate: Estimate, offset: float, widened: float, note: str) -> Estimate:
    """The estimate with an offset added, its interval widened, and a note beside its own."""
    return Estimate(
        value=estimate.value + offset,
        standard_error=estimate.standard_error,
        lower=estimate.lower + offset - widened,
        upper=estimate.upper + offset + widened,
        note="; ".join(text for text in (estimate.note, note) if text),
    )


def _crossing(t: FloatArray, height: FloatArray) -> float:
    """The first t at which the broken line through (t, height) is at least 0; t[0] if nowhere."""
    k = int(np.argmax(height >= 0.0))
    if k == 0:
        return float(t[0])
    share = float(height[k] / (height[k] - height[k - 1]))
    return float(t[k] - share * (t[k] - t[k - 1]))


def _order_statistics(rows: FloatArray, levels: FloatArray) -> list[Estimate]:
    """Quantiles of a column without noise: F̂ is the share of rows, and the same inversion."""
    half = Z * np.sqrt(levels * (1.0 - levels) / rows.size)
    shares = np.concatenate([levels, levels - half, levels + half])
    found = np.quantile(rows, np.clip(shares, 0.0, 1.0), method="inverted_cdf")
    value, lower, upper = found.reshape(3, -1)
    lower = np.where(levels - half <= 0.0, -math.inf, lower)
    upper = np.where(levels + half >= 1.0, math.inf, upper)
    return [
        Estimate(
            value=v,
            standard_error=(u - w) / (2.0 * Z),
            lower=w,
            upper=u,
            note="" if math.isfinite(u - w) else _UNBOUNDED,
        )
        for v, w, u in zip(value.tolist(), lower.tolist(), upper.tolist(), strict=True)
    ]


def _shares(rows: FloatArray, edges: FloatArray) -> list[float]:
    """The share of rows in each bin, the upper edge being part of it."""
    counts = np.zeros(edges.size + 1, dtype=np.int64)
    for _, piece in pieces(rows):
        counts += np.bincount(np.searchsorted(edges, piece), minlength=counts.size)
    shares: list[float] = (counts[1:-1] / rows.size).tolist()
    return shares
