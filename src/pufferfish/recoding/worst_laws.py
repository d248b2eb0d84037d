"""A search for the laws of a sampling region that distinguish a pair best; it proves nothing.

The region of a pair holds all (p, q) with Φ(p) + Φ'(q) ≤ t (`evidence`). For columns w and v the
largest p·w − q·v over it is reached where, for one multiplier μ,

    p(x) = μ·H(p(x))/(λ − w(x)),    q(x) = μ·H'(q(x))/(λ' + v(x)),

with λ and λ' such that both sum to 1. Where there is no evidence against any p(x), and no w is
larger than w(x), p may have an atom at x: then λ = w(x). λ, λ' and μ are the *witnesses*: with them
the bound of `witnesses` is attained, and any others give a weaker bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.evidence import Evidence

__all__ = ["Worst", "worst_laws"]

# A bound on |log μ|, if columns have 1 as their largest entry; the first bracket, the halvings and
# the steps of its search; and tolerances for it and for the spent evidence. Bounds are flat around
# the best witnesses: an error enters by its square.
_WIDEST, _AROUND, _HALVINGS, _TRIES, _FINE, _NEAR = 60.0, 2.0, 5, 60, 1e-12, 1e-8
# The most steps in the search for λ, and its tolerance.
_STEPS, _CLOSE = 60, 1e-11
# A law is kept this far inside the region, so that rounding does not put it outside.
_INSIDE = 1.0 - 3e-8


class Worst(NamedTuple):
    """For each column: the largest p·w − q·v, the laws that reach it, and the witnesses."""

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
        evidence: The evidence against laws of the first secret and of the second.
        columns: w and v, not negative: a row for each output, a column for each cell.
        radius: t.
    """
    sides = _Side(evidence[0], columns[0]), _Side(evidence[1], -columns[1])
    limit = radius * _INSIDE

    def spent(logs: FloatArray) -> FloatArray:
        return sides[0].at(np.exp(logs))[1] + sides[1].at(np.exp(logs))[1]

    # For small changes n·KL is half the mean square of p/p̂ − 1, and p/p̂ − 1 is (w − mean)/μn.
    start = 0.5 * np.log((sides[0].spread() + sides[1].spread()) / (2.0 * limit))
    price = np.exp(_spend(spent, limit, start))
    (first, _, above), (second, _, below) = (side.at(price) for side in sides)
    excess = (first * columns[0]).sum(axis=1) - (second * columns[1]).sum(axis=1)
    return Worst(excess, first, second, above, below, price)


def _spend(
    spent: Callable[[FloatArray], FloatArray], limit: float, start: FloatArray
) -> FloatArray:
    """The approximate least log μ at which no more than the limit is spent, from a first guess.

    Secants in a bracket, where an end that stays is given less and less weight (Anderson and
    Björck).
    """
    target = limit * (1.0 - _NEAR)

    def over(logs: FloatArray) -> FloatArray:
        return np.asarray(np.log(np.maximum(spent(logs), 1e-300) / target))

    low, high = start - _AROUND, start + _AROUND
    above, below = over(low), over(high)
    outside = (above <= 0.0) | (below > 0.0)
    if outside.any():
        low, high = np.where(outside, -_WIDEST, low), np.where(outside, _WIDEST, high)
        above, below = over(low), over(high)
        # If no law spends any evidence, every law is in the region.
        high = np.where(above <= 0.0, low, high)
    stayed = np.zeros(len(start))
    for number in range(_TRIES):
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = above / (above - below)
        halves = ~np.isfinite(rise) | (outside & (number < _HALVINGS))
        share = np.where(halves, 0.5, rise)
        middle = low + share * (high - low)
        found = over(middle)
        more = found > 0.0
        # 1 where the upper end stayed, −1 where the lower one did; if it stays twice in a row, its
        # value is reduced by the improvement at the other end.
        with np.errstate(divide="ignore", invalid="ignore"):
            less = 1.0 - found / np.where(more, above, below)
        less = np.where((less > 0.0) & (less < 1.0), less, 0.5)
        below = np.where(more, np.where(stayed > 0.0, less * below, below), found)
        above = np.where(more, found, np.where(stayed < 0.0, less * above, above))
        low, high = np.where(more, middle, low), np.where(more, high, middle)
        stayed = np.where(more, 1.0, -1.0)
        if ((np.abs(found) < _NEAR) | (high - low <= _FINE)).all():
            break
    return np.where(np.abs(found) < _NEAR, middle, high)


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

    def spread(self) -> FloatArray:
        """The variance of a column over the rows, divided by their number."""
        counts = self._evidence.counts
        usual = counts / counts.sum()
        mean = self._gaps @ usual
        return np.asarray(np.maximum(self._gaps**2 @ usual - mean**2, 1e-30) / counts.sum())

    def at(self, mu: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The law for a multiplier, the part of t that it spends, and λ."""
        gaps = self._gaps[:, self._seen]
        # Σ p falls in z = λ − max w: it is at least 1 at the first end, unless some mass is left
        # for a cell without evidence, and at most 1 at the second, where every p is below 1/cells.
        low = (mu[:, None] * self._least - gaps).max(axis=1, initial=0.0).clip(min=0.0)
        high = low + mu * float(self._evidence.counts.sum()) + 1e-300
        settled = self._law(mu, low, gaps)[0].sum(axis=1) <= 1.0
        z = low if self._last is None else np.clip(self._last, low, high)
        for _ in range(_STEPS):
            z = np.where(settled, low, z)
            parts, slopes = self._law(mu, z, gaps)
            value = parts.sum(axis=1)
            low = np.where(settled | (value >= 1.0), z, low)
            high = np.where(value >= 1.0, high, z)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = (value - 1.0) / (parts * slopes / (z[:, None] + gaps)).sum(axis=1)
            following = z + np.where(np.isfinite(step), step, 0.0)
            inside = (following >= low) & (following <= high)
            following = np.where(inside, following, 0.5 * (low + high))
            settled |= np.abs(following - z) <= _CLOSE * z
            low = np.where(settled, following, low)
            z = following
            if settled.all():
                break
        self._last = z
        law = np.zeros_like(self._gaps)
        law[:, self._seen] = self._law(mu, z, gaps)[0]
        law[self._rows, self._places] += (1.0 - law.sum(axis=1)).clip(min=0.0)
        law /= law.sum(axis=1, keepdims=True)
        spent = self._evidence.against(np.maximum(law[:, self._seen], 1e-300))
        return law, spent, z + self._top[:, 0]

    def _law(
        self, mu: FloatArray, z: FloatArray, gaps: FloatArray
    ) -> tuple[FloatArray, FloatArray | float]:
        with np.errstate(divide="ignore"):
            return self._evidence.look_up(mu[:, None] / (z[:, None] + gaps))
