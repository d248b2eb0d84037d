"""Quantiles and histograms of a smooth law of X from the published Y = X + N, by deconvolution.

F̂_h(t) = mean of A(t − Y_i) is unbiased for the distribution function of X + hW (`kernel`), and h
is chosen so that the difference to that of X is small compared with the standard error
(`bandwidth`). The weights A(t − Y_i) are independent with mean F_h(t), so their spread gives the
standard error at every t, which counts the rows and the noise together.

The column cannot confirm the assumption that X has a density that is smooth over about √6·h. Where
it fails, mainly on whole numbers, intervals miss: every estimate warns of it. The column must not
have been clipped or rounded. The noise's own grid γ moves a value by γ/2 at most, and so each
quantile, whose interval is widened by that; a grid coarser than a quarter of the noise is refused.
Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.core.validation import FloatArray, positive, require
from pufferfish.denoise.bandwidth import Bandwidth, choose_bandwidth, least_bandwidth
from pufferfish.denoise.curve import bin_column
from pufferfish.denoise.estimate import Estimate, Z, normal_estimate
from pufferfish.denoise.law import check_fine
from pufferfish.noise import Noise

__all__ = ["UNBOUNDED", "smooth_quantiles", "smooth_shares"]

# The range of nearly all rows, which the bandwidth rule uses.
_MIDDLE = (0.001, 0.999)
# A quantile of X is between two quantiles of Y; those are taken this many standard errors wider,
_MARGIN = 4.0
# and by this many bandwidths, for that of X + hW: P(W ≤ u) is within 0.006 of 1 beyond u = 6.
_SMEARED = 6.0

UNBOUNDED = "too few rows beyond this level to bound it on both sides"


def _warning(h: float) -> str:
    return (
        f"assumed: a density without spikes or jumps on a scale of {2.45 * h:.3g}. If the values "
        "are whole numbers, round or at a limit, the interval may miss: leave out "
        'support="smooth"'
    )


def smooth_quantiles(
    rows: FloatArray, noise: Noise, levels: FloatArray, bandwidth: float | None
) -> tuple[tuple[Estimate, ...], float]:
    """Estimates at the levels, and h.

    The estimate is the level's place in F̂_h, sorted so that it rises. The interval runs from the
    first to the last t at which F̂_h(t) is within 1.96 standard errors of the level (Woodruff), and
    the standard error is its length over 2·1.96. It covers the quantile of X + hW.
    """
    check_fine(noise)
    brackets, (h, note) = _brackets(rows, noise, levels, bandwidth)
    binned = bin_column(rows, noise, h, float(brackets.min()), float(brackets.max()))
    t, curve, error = binned.on_grid(float(brackets.min()), float(brackets.max()))
    estimates = []
    for level, ends_of_t in zip(levels.tolist(), (brackets - binned.first).T, strict=True):
        inside = slice(*np.searchsorted(t, ends_of_t).tolist())
        # A column without noise has this error, and one with noise has at least as much.
        floor = math.sqrt(level * (1.0 - level) / rows.size)
        band = Z * np.maximum(error[inside], floor)
        ends = _open_ends(level, rows.size)
        found_here = _invert(t[inside], curve[inside], band, level, ends)
        estimates.append(_move(found_here, binned.first, 0.5 * (noise.grid or 0.0), note, h))
    return tuple(estimates), h


def smooth_shares(
    rows: FloatArray, noise: Noise, edges: FloatArray, bandwidth: float | None
) -> tuple[tuple[Estimate, ...], float]:
    """F̂_h(edges[k+1]) − F̂_h(edges[k]) for each k, and h.

    The standard error is that of the difference of the two weights. Probabilities are returned
    unchanged, even below 0: each is then right on average for X + hW, and so is each sum of them,
    which cutting off at 0 would spoil.
    """
    check_fine(noise)
    finite = edges[np.isfinite(edges)]
    n = rows.size
    h, note = _bandwidth(rows, noise, _middle(rows), bandwidth)
    binned = bin_column(rows, noise, h, float(finite[0]), float(finite[-1]))
    shares, left = binned.counts / n, binned.weights_at(float(edges[0]))
    estimates = []
    for edge in edges[1:].tolist():
        right = binned.weights_at(edge)
        value = float(np.dot(shares, right - left))
        spread = float(np.dot(shares, np.square(right - left))) - value**2
        estimates.append(share_estimate(value, spread, n, note, _warning(h)))
        left = right
    return tuple(estimates), h


def share_estimate(
    value: float, spread: float, n: int, note: str = "", warning: str = ""
) -> Estimate:
    """The estimate of a probability by a mean of n weights with this variance.

    Its standard error counts at least one row inside and one outside: no count is certain to be 0.
    """
    inside = min(max(value, 1.0 / n), 1.0 - 1.0 / n)
    error = math.sqrt(max(spread, inside * (1.0 - inside)) / n)
    return normal_estimate(value, error, note, warning)


def _middle(rows: FloatArray) -> tuple[float, float]:
    low, high = np.quantile(rows, _MIDDLE, method="inverted_cdf").tolist()
    return low, high


def _bandwidth(
    rows: FloatArray, noise: Noise, middle: tuple[float, float], given: float | None
) -> Bandwidth:
    """The bandwidth that was given, else the one that the data require."""
    if given is None:
        return choose_bandwidth(rows, noise, middle)
    h, least = positive("bandwidth", given), least_bandwidth(noise)
    require(h >= least, f"bandwidth must be at least {least:.4g} for this noise, got {h:g}.")
    return Bandwidth(h)


def _brackets(
    rows: FloatArray, noise: Noise, levels: FloatArray, given: float | None
) -> tuple[FloatArray, Bandwidth]:
    """Brackets for each quantile of X, from quantiles of Y alone, and the bandwidth.

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
    # The part of each cell in which the curve, a line within it, is below the level.
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
        note="" if bounded else UNBOUNDED,
    )


def _move(estimate: Estimate, offset: float, widened: float, note: str, h: float) -> Estimate:
    """The estimate with an offset added, its interval widened, and a note added to its own."""
    return Estimate(
        value=estimate.value + offset,
        standard_error=estimate.standard_error,
        lower=estimate.lower + offset - widened,
        upper=estimate.upper + offset + widened,
        note="; ".join(text for text in (estimate.note, note) if text),
        warning=_warning(h),
    )


def _crossing(t: FloatArray, height: FloatArray) -> float:
    """The first t at which the broken line through (t, height) is at least 0; t[0] if nowhere."""
    k = int(np.argmax(height >= 0.0))
    if k == 0:
        return float(t[0])
    share = float(height[k] / (height[k] - height[k - 1]))
    return float(t[k] - share * (t[k] - t[k - 1]))
