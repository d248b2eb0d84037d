"""The sampling region of a pair: its worst laws, and bounds that hold for all of them.

A region by *evidence* holds (p, q) with Φ(p) + Φ'(q) ≤ t (`evidence`):

    dirichlet     t = log(1/α) + the allowance of both (`DirichletEvidence.allowance`),
    likelihood    the least t > d = 2(k − 1) with e^{−t}·(e·t/d)^d ≤ α, k cells (Agrawal 2020).

*Boxes* are the products of Clopper-Pearson intervals of 2k cells, each of which is left with
probability at most α/2k; the worst law fills its boxes in the order of the column. Proofs:
docs/theory/sampling-error.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.special import betainc, betaincinv

from pufferfish.beliefs.region import SampleRegion
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.evidence import DirichletEvidence, Evidence
from pufferfish.recoding.witnesses import excess_upper
from pufferfish.recoding.worst_laws import Worst, worst_laws

__all__ = ["PairRegion", "region_of_pair"]

# The amount by which computed bounds are widened at first.
_WIDER = 1e-9


class PairRegion(Protocol):
    """All laws (p, q) that the rows of two secrets do not exclude."""

    def search(self, first: FloatArray, second: FloatArray) -> Worst:
        """The approximate maximum of p·w − q·v for each column, its laws, and witnesses."""

    def excess(self, first: FloatArray, second: FloatArray, witnesses: FloatArray) -> FloatArray:
        """An upper bound on p·w − q·v for each column, proven by witnesses."""


def region_of_pair(region: SampleRegion, first: Sequence[int], second: Sequence[int]) -> PairRegion:
    """The region of a pair, from the counts of both secrets, cell by cell."""
    if region.shape == "dirichlet":
        both = _dirichlet(tuple(first)), _dirichlet(tuple(second))
        radius = both[0].allowance + both[1].allowance - math.log(region.error)
        return _ByEvidence(both, radius * (1.0 + 8.0 * UNIT))
    cells = region.cells
    if cells is None:
        raise UnsupportedError(
            f'a region of shape "{region.shape}" is for noise; recodings are judged by counts: use '
            'region="dirichlet".'
        )
    if len(first) > cells:
        raise UnsupportedError(
            f"there are {len(first)} cells, and the region was stated for {cells}: give their "
            "number when you fit the belief (cells=...)."
        )
    counts = np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)
    if region.shape == "likelihood":
        plain = Evidence(counts[0]), Evidence(counts[1])
        return _ByEvidence(plain, _likelihood_radius(2 * (cells - 1), region.error))
    error = region.error / (2 * cells)
    return _Boxes(*(_boxes(each, cells, error) for each in counts))


@lru_cache(maxsize=64)
def _dirichlet(counts: tuple[int, ...]) -> DirichletEvidence:
    """Cached, because a search over sizes of noise needs the same evidence many times."""
    return DirichletEvidence(np.array(counts, dtype=np.float64))


def _likelihood_radius(dimensions: int, error: float) -> float:
    """The least t > d with −t + d·(1 + log(t/d)) ≤ log α, rounded up."""
    low, high = float(dimensions), 2.0 * dimensions - 4.0 * math.log(error)

    def holds(t: float) -> bool:
        return -t + dimensions * (1.0 + math.log(t / dimensions)) <= math.log(error) - 1e-12

    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True, eq=False)
class _ByEvidence:
    evidence: tuple[Evidence, Evidence]
    radius: float

    def search(self, first: FloatArray, second: FloatArray) -> Worst:
        return worst_laws(self.evidence, (first, second), self.radius)

    def excess(self, first: FloatArray, second: FloatArray, witnesses: FloatArray) -> FloatArray:
        return excess_upper(self.evidence, (first, second), witnesses, self.radius)


def _boxes(counts: FloatArray, cells: int, error: float) -> tuple[FloatArray, FloatArray]:
    """Clopper-Pearson bounds of each cell and of "other", widened by their rounding."""
    rows, half = counts.sum(), 0.5 * error
    low = np.where(
        counts > 0.0, betaincinv(np.maximum(counts, 1.0), rows - counts + 1.0, half), 0.0
    )
    high = np.where(
        counts < rows, 1.0 - betaincinv(np.maximum(rows - counts, 1.0), counts + 1.0, half), 1.0
    )
    widen = _WIDER
    for _ in range(30):
        low_now, high_now = low * (1.0 - widen), np.minimum(high * (1.0 + widen), 1.0)
        below = betainc(np.maximum(counts, 1.0), rows - counts + 1.0, low_now)
        above = betainc(np.maximum(rows - counts, 1.0), counts + 1.0, 1.0 - high_now)
        fits = np.where(counts > 0.0, below, 0.0) <= half * (1.0 - 1e-12)
        if (fits & (np.where(high_now < 1.0, above, 0.0) <= half * (1.0 - 1e-12))).all():
            break
        widen *= 2.0
    else:
        raise UnsupportedError(
            'Clopper-Pearson bounds cannot be computed for these counts: use region="dirichlet".'
        )
    never = 1.0 - math.exp(math.log(half) / rows) if rows else 1.0
    other = min((cells - len(counts)) * never * (1.0 + _WIDER), 1.0)
    return np.append(low_now, 0.0), np.append(high_now, other)


@dataclass(frozen=True, slots=True, eq=False)
class _Boxes:
    first: tuple[FloatArray, FloatArray]
    second: tuple[FloatArray, FloatArray]

    def search(self, first: FloatArray, second: FloatArray) -> Worst:
        p, q = _fill(self.first, _with_other(first)), _fill(self.second, -_with_other(second, -1.0))
        # Mass on "other" counts as mass on the cell that distinguishes best.
        p, q = _without_other(p, first.argmax(axis=1)), _without_other(q, second.argmin(axis=1))
        excess = (p * first).sum(axis=1) - (q * second).sum(axis=1)
        none = np.zeros(len(first))
        return Worst(excess, p, q, none, none, none)

    def excess(self, first: FloatArray, second: FloatArray, witnesses: FloatArray) -> FloatArray:
        most, least = _with_other(first), _with_other(second, -1.0)
        p, q = _fill(self.first, most), _fill(self.second, -least)
        one, two = (p * most).sum(axis=1), (q * least).sum(axis=1)
        lost = 8.0 * UNIT * most.shape[1] * (one + two)
        return np.asarray(one - two + lost)


def _with_other(columns: FloatArray, side: float = 1.0) -> FloatArray:
    """Columns with one more cell for unlisted values, which are published as a mixture of cells."""
    worst = columns.max(axis=1) if side > 0.0 else columns.min(axis=1)
    return np.column_stack([columns, worst])


def _without_other(law: FloatArray, places: FloatArray) -> FloatArray:
    found = law[:, :-1].copy()
    found[np.arange(len(found)), places] += law[:, -1]
    return found


def _fill(boxes: tuple[FloatArray, FloatArray], columns: FloatArray) -> FloatArray:
    """The law within boxes with the largest mean: spare mass goes to the largest entries first."""
    low, high = boxes
    order = np.argsort(-columns, axis=1, kind="stable")
    room = (high - low)[order]
    left = max(1.0 - float(low.sum()), 0.0)
    before = np.cumsum(room, axis=1) - room
    filled = np.clip(left - before, 0.0, room)
    found = np.empty_like(columns)
    np.put_along_axis(found, order, low[order] + filled, axis=1)
    return found
