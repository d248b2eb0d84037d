"""Which laws of a sampling region tell a pair apart best: a search, whose result proves nothing.

The region of a pair holds all (p, q) with n·KL(p̂‖p) + m·KL(q̂‖q) ≤ t (`beliefs.sampling_error`).
For columns w and v the largest p·w − q·v over it is reached where, for one multiplier μ,

    p(x) = μ·n·p̂(x)/(λ − w(x)),    q(x) = μ·m·q̂(x)/(v(x) + λ'),

with λ and λ' such that both sum to 1. Where no row was seen, and nothing is larger than w(x), p may
have an atom at x: then λ = max w. λ and λ' are the *witnesses*: with them the bound of `witnesses`
is reached, and any others give a weaker one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray

__all__ = ["Worst", "worst_laws"]

# log μ lies within this; what it may be off by; and how many steps λ may take, and may be off by.
_WIDEST, _FINE, _STEPS, _CLOSE = 60.0, 1e-11, 60, 1e-14
# A law is kept this far inside the region, so that it is one of it whatever is rounded.
_INSIDE = 1.0 - 1e-9


class Worst(NamedTuple):
    """Of each column: the largest p·w − q·v, where it is reached, and the witnesses."""

    excess: FloatArray
    first: FloatArray
    second: FloatArray
    above: FloatArray
    below: FloatArray


def worst_laws(
    counts: tuple[FloatArray, FloatArray], columns: tuple[FloatArray, FloatArray], radius: float
) -> Worst:
    """The worst laws of a pair, for each of some columns.

    Args:
        counts: How often each cell was seen, under the first secret and under the second.
        columns: w and v, not negative: a row for each output, a column for each cell.
        radius: t.
    """
    sides = _Side(counts[0], columns[0]), _Side(counts[1], -columns[1])
    low = np.full(len(columns[0]), -_WIDEST)
    high = -low
    limit = radius * _INSIDE
    while float((high - low).max()) > _FINE:
        middle = 0.5 * (low + high)
        spent = sum(side.at(np.exp(middle))[1] for side in sides)
        low, high = np.where(spent > limit, middle, low), np.where(spent > limit, high, middle)
    (first, _, above), (second, _, below) = (side.at(np.exp(high)) for side in sides)
    excess = (first * columns[0]).sum(axis=1) - (second * columns[1]).sum(axis=1)
    return Worst(excess, first, second, above, below)


class _Side:
    """One law of the two, which maximises p·v; columns in units of their own spread."""

    def __init__(self, counts: FloatArray, columns: FloatArray) -> None:
        self._counts, self._total = counts, float(counts.sum())
        self._seen = counts > 0.0
        self._top = columns.max(axis=1, keepdims=True)
        self._gaps = self._top - columns
        self._places = columns.argmax(axis=1)
        self._rows = np.arange(len(columns))

    def at(self, mu: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The law for a multiplier, what it spends of t, and λ."""
        counts = self._counts[self._seen]
        gaps = self._gaps[:, self._seen]
        weights = mu[:, None] * counts
        # Σ weights/(z + gaps) = 1 falls in z, is convex, and is at least 1 here: from there Newton
        # never goes too far. Some mass may be left for a cell that nobody saw.
        z = (weights - gaps).max(axis=1).clip(min=0.0)
        for _ in range(_STEPS):
            parts = weights / (z[:, None] + gaps)
            value = parts.sum(axis=1)
            slope = (parts / (z[:, None] + gaps)).sum(axis=1)
            step = np.where(value > 1.0, (value - 1.0) / slope, 0.0)
            z = z + np.where(np.isfinite(step), step, 0.0)
            if (step <= _CLOSE * z).all():
                break
        law = np.zeros_like(self._gaps)
        law[:, self._seen] = weights / (z[:, None] + gaps)
        law[self._rows, self._places] += (1.0 - law.sum(axis=1)).clip(min=0.0)
        law /= law.sum(axis=1, keepdims=True)
        usual = counts / self._total
        spent = (counts * np.log(usual / law[:, self._seen])).sum(axis=1)
        return law, spent, z + self._top[:, 0]
