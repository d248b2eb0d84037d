"""A proven upper bound, by witnesses, on p·w − q·v over a sampling region.

The region of a pair holds all (p, q) with Φ(p) + Φ'(q) ≤ t, every φ convex (`evidence`). For
columns w, v ≥ 0, any λ, λ' and any μ > 0, weak duality gives

    p·w − q·v ≤ λ + λ' + μ·t + Σ_x sup_{0≤p≤1} [(w(x) − λ)·p − μ·φ_x(p)] + the same of q and −v,

and as φ_x lies above its tangent at any p₀, with ρ = w(x) − λ − μ·φ'_x(p₀),

    sup_{0≤p≤1} [(w(x) − λ)·p − μ·φ_x(p)] ≤ (w(x) − λ)·p₀ − μ·φ_x(p₀) + max(ρ·(1 − p₀), −ρ·p₀).

The bound holds for all λ, λ', μ and p₀; they are best where ρ = 0. Sums are doubles, and a bound on
their error is added (docs/theory/sampling-error.md).
"""

from __future__ import annotations

import numpy as np

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray, require
from pufferfish.recoding.evidence import Evidence

__all__ = ["excess_upper"]

# Smaller shares are not searched for.
_LEAST = 1e-250


def excess_upper(
    evidence: tuple[Evidence, Evidence],
    columns: tuple[FloatArray, FloatArray],
    witnesses: FloatArray,
    radius: float,
) -> FloatArray:
    """For each column an upper bound on p·w − q·v over all pairs of laws in the region.

    Args:
        evidence: The evidence against laws of the first secret and of the second.
        columns: w rounded up and v rounded down: a row for each output, a column for each cell.
        witnesses: λ, λ' and μ of each output.
        radius: t.
    """
    above, below, price = witnesses.T
    require(bool((price >= 0.0).all()), "the last of three witnesses must not be negative.")
    terms = [above, below, price * radius * (1.0 + 4.0 * UNIT)]
    lost = []
    sides = (evidence[0], columns[0], above), (evidence[1], -columns[1], below)
    for said, wanted, level in sides:
        found, off = _suprema(said, wanted, level, price)
        terms += found
        lost.append(off)
    sizes = sum(np.abs(each) for each in terms)
    count = len(columns[0].T) * 2 + 3
    found = sum(terms) + sum(lost) + 8.0 * UNIT * count * sizes
    return np.asarray(np.where(columns[0].max(axis=1) > 0.0, found, 0.0))


def _suprema(
    evidence: Evidence, wanted: FloatArray, level: FloatArray, price: FloatArray
) -> tuple[list[FloatArray], FloatArray]:
    """The terms of Σ_x sup of one law, and bounds on their errors."""
    seen = evidence.seen
    free = np.ones(wanted.shape[1], dtype=bool)
    free[seen] = False
    gains = np.maximum(wanted[:, free] - level[:, None], 0.0).sum(axis=1)
    gaps = level[:, None] - wanted[:, seen]
    with np.errstate(divide="ignore", over="ignore"):
        ratios = np.where(gaps > 0.0, price[:, None] / gaps, np.inf)
    law = np.clip(evidence.solve(np.clip(ratios, _LEAST, 1.0 / _LEAST)), _LEAST, 1.0)
    slopes = price[:, None] * evidence.pull(law) / law
    # ρ from both sides: the remaining slope at p₀, and a bound on its error.
    rest = slopes - gaps
    off = price[:, None] * evidence.pull_error(law) / law + 8.0 * UNIT * (slopes + np.abs(gaps))
    beyond = np.maximum((rest + off) * (1.0 - law), (off - rest) * law).clip(min=0.0).sum(axis=1)
    spent = price * evidence.against(law)
    held = -(gaps * law).sum(axis=1)
    lost = price * evidence.error(law) + beyond
    rounded = 8.0 * UNIT * len(seen) * (np.abs(gaps) * law).sum(axis=1)
    return [gains, held, -spent], lost + rounded
