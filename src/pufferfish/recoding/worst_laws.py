"""Which laws of a sampling region tell a pair apart best: a search, whose result proves nothing.

The region of a pair holds all (p, q) with Φ(p) + Φ'(q) ≤ t (`evidence`). For columns w and v the
largest p·w − q·v over it is reached where, for one multiplier μ,

    p(x) = μ·H(p(x))/(λ − w(x)),    q(x) = μ·H'(q(x))/(λ' + v(x)),

with λ and λ' such that both sum to 1. Where nothing is said against any p(x), and no w is larger
than w(x), p may have an atom at x: then λ = w(x). λ, λ' and μ are the *witnesses*: with them the
bound of `witnesses` is reached, and any others give a weaker one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.evidence import Evidence

__all__ = ["Worst", "worst_laws"]

# log μ lies within this, where columns have 1 as their largest entry; what it may be off by. Bounds
# are flat around the best witnesses: an error here matters by its square.
_WIDEST, _FINE = 60.0, 1e-7
# Steps that λ may take, and what it may be off by.
_STEPS, _CLOSE = 60, 1e-13
# A law is kept this far inside the region, so that it is one of it whatever is rounded.
_INSIDE = 1.0 - 1e-9


class Worst(NamedTuple):
    """Of each column: the largest p·w − q·v, where it is reached, and the witnesses."""

    excess: FloatArray
    first: FloatArray
    second: FloatArray
    above: FloatArray
    below: FloatArray
    price: FloatArray


def worst_laws(
    evidence: tuple[Evidence, Evidence], columns: tuple[FloatArray, FloatArray], radius: float
) -> Worst:
    """The worst laws of a pair, for each of some columns.

    Args:
        evidence: What is said against laws of the first secret and of the second.
        columns: w and v, not negative: a row for each output, a column for each cell.
        radius: t.
    """
    sides = _Side(evidence[0], columns[0]), _Side(evidence[1], -columns[1])
    low = np.full(len(columns[0]), -_WIDEST)
    high = -low
    limit = radius * _INSIDE
    while float((high - low).max()) > _FINE:
        middle = 0.5 * (low + high)
        spent = sum(side.at(np.exp(middle))[1] for side in sides)
        low, high = np.where(spent > limit, middle, low), np.where(spent > limit, high, middle)
    price = np.exp(high)
    (first, _, above), (second, _, below) = (side.at(price) for side in sides)
    excess = (first * columns[0]).sum(axis=1) - (second * columns[1]).sum(axis=1)
    return Worst(excess, first, second, above, below, price)


class _Side:
    """One law of the two, which maximises p·v; columns in units of their own spread."""

    def __init__(self, evidence: Evidence, columns: FloatArray) -> None:
        self._evidence, self._seen = evidence, evidence.seen
        self._top = columns.max(axis=1, keepdims=True)
        self._gaps = self._top - columns
        self._places = columns.argmax(axis=1)
        self._rows = np.arange(len(columns))
        self._least = evidence.most_pull()
        self._last: FloatArray | None = None

    def at(self, mu: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The law for a multiplier, what it spends of t, and λ."""
        gaps = self._gaps[:, self._seen]
        # Σ p falls in z = λ − max w: it is at least 1 at the first end, unless some mass is left for
        # a cell that says nothing, and at most 1 at the second, where every p is below 1/cells.
        low = (mu[:, None] * self._least - gaps).max(axis=1, initial=0.0).clip(min=0.0)
        high = low + mu * float(self._evidence.counts.sum()) + 1e-300
        z = low if self._last is None else np.clip(self._last, low, high)
        for _ in range(_STEPS):
            parts = self._law(mu, z, gaps)
            value = parts.sum(axis=1)
            low, high = np.where(value >= 1.0, z, low), np.where(value >= 1.0, high, z)
            # Each p falls at least as 1/(z + gap)^½ and at most as 1/(z + gap).
            with np.errstate(divide="ignore", invalid="ignore"):
                step = (value - 1.0) / (parts / (z[:, None] + gaps)).sum(axis=1)
            following = z + np.where(np.isfinite(step), step, 0.0)
            inside = (following > low) & (following < high)
            following = np.where(inside, following, 0.5 * (low + high))
            done = (np.abs(following - z) <= _CLOSE * (z + 1e-300)) | (high - low <= _CLOSE * high)
            z = following
            if done.all():
                break
        self._last = z
        law = np.zeros_like(self._gaps)
        law[:, self._seen] = self._law(mu, z, gaps)
        law[self._rows, self._places] += (1.0 - law.sum(axis=1)).clip(min=0.0)
        law /= law.sum(axis=1, keepdims=True)
        spent = self._evidence.against(np.maximum(law[:, self._seen], 1e-300))
        return law, spent, z + self._top[:, 0]

    def _law(self, mu: FloatArray, z: FloatArray, gaps: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return self._evidence.look_up(mu[:, None] / (z[:, None] + gaps))
