"""The law of X that makes the published column most likely, over a list of possible values.

With counts w_j of the cells j of Y, as shares of n rows, and A_js = P(Y in cell j | X = s), the
log-likelihood of the weights p is n·ℓ(p), ℓ(p) = Σ_j w_j·log (Ap)_j: concave, on p ≥ 0, Σp = 1.
With g_s = Σ_j w_j·A_js/(Ap)_j,

    ℓ(q) − ℓ(p) ≤ log max_s g_s        for every q,

so the gap to the maximum is known at every step. A step is Newton's: the quadratic model of ℓ on
the values that carry weight and on those where g has a local maximum, by least squares with
weights ≥ 0 (Wang 2007), then halved until ℓ rises. Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray

__all__ = ["Fit", "maximise", "spread_start"]

_STEPS = 400
_HALVINGS = 20
# Nearly equal columns make the quadratic model flat; this share of its size keeps it solvable.
_RIDGE = 1e-11
# Smaller weights count as 0.
_SMALLEST = 1e-14
# The number of values with weight at the start.
_FIRST = 25


class Fit(NamedTuple):
    """Weights, their ℓ, and a bound on how much higher ℓ can be."""

    weights: FloatArray
    height: float
    gap: float


def spread_start(count: int) -> FloatArray:
    """Equal weights on a few of `count` values, evenly spread."""
    weights = np.zeros(count)
    weights[np.linspace(0, count - 1, _FIRST).astype(np.int64)] = 1.0
    return np.asarray(weights / weights.sum())


def maximise(
    matrix: FloatArray,
    shares: FloatArray,
    start: FloatArray,
    tolerance: float,
    scale: FloatArray | None = None,
) -> Fit:
    """The weights with the highest ℓ, within `tolerance`; ℓ = −∞ if some cell cannot be reached.

    With `scale` the columns of the matrix are multiplied by it.
    """
    factor = np.ones(start.size) if scale is None else scale
    weights, density = start, matrix @ (factor * start)
    if not bool(np.all(density > 0.0)):
        weights = np.full(start.size, 1.0 / start.size)
        density = matrix @ (factor * weights)
    if not bool(np.all(density > 0.0)):
        return Fit(start, -math.inf, 0.0)
    height, gap = float(shares @ np.log(density)), math.inf
    for _ in range(_STEPS):
        slope = factor * ((shares / density) @ matrix)
        gap = math.log(max(float(slope.max()), 1.0))
        if gap <= tolerance:
            break
        active = np.flatnonzero((weights > 0.0) | _peaks(slope))
        columns = matrix[:, active] * factor[active]
        target = _newton(columns / density[:, None], shares)
        before, step = height, 1.0
        moved = np.zeros_like(weights)
        for _ in range(_HALVINGS):
            moved[active] = (1.0 - step) * weights[active] + step * target
            moved[moved < _SMALLEST] = 0.0
            trial = columns @ moved[active]
            total = float(moved.sum())
            with np.errstate(divide="ignore"):
                height = float(shares @ np.log(trial / total)) if total > 0.0 else -math.inf
            if height > before:
                break
            step *= 0.5
        else:
            # Newton's model gains no more; the multiplicative step never lowers ℓ.
            moved = weights * slope
            trial, total = matrix @ (factor * moved), float(moved.sum())
            height = float(shares @ np.log(trial / total))
        weights, density = moved / total, trial / total
    return Fit(weights, height, gap)


def _peaks(slope: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The places where the slope is above 1 and no neighbour's is higher."""
    padded = np.concatenate([[-math.inf], slope, [-math.inf]])
    higher = (slope >= padded[:-2]) & (slope > padded[2:])
    return np.asarray(higher & (slope > 1.0))


def _newton(ratios: FloatArray, shares: FloatArray) -> FloatArray:
    """The q ≥ 0 with the largest 2·g·q − q·Hq/2 − Σq, H = Σ_j w_j·r_j·r_j, sum scaled to 1."""
    # This import takes longer than all others, and most users never need it.
    from scipy.optimize import nnls  # noqa: PLC0415

    scaled = ratios * np.sqrt(shares)[:, None]
    curvature = scaled.T @ scaled
    curvature[np.diag_indices_from(curvature)] += _RIDGE * float(curvature.diagonal().max())
    root = np.linalg.cholesky(curvature)
    target = np.linalg.solve(root, 2.0 * (ratios.T @ shares) - 1.0)
    found, _ = nnls(np.ascontiguousarray(root.T), target, maxiter=50 * target.size)
    total = float(found.sum())
    return np.asarray(found / total) if total > 0.0 else np.full(found.size, 1.0 / found.size)
