"""One direction of a pair over its sampling region: bounds, and the witnesses that prove them.

The search for witnesses need not be trusted: bad witnesses give a bound that is too large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.cells import IntegerTable
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.regions import PairRegion

__all__ = ["LARGEST_EPSILON", "SampledPair", "Witnesses", "factor_lower"]

# λ, λ' and μ for each output, in units of its largest entry.
Witnesses = tuple[tuple[float, float, float], ...]

# Above this ε, e^ε is too large to search with.
LARGEST_EPSILON = 600.0


def factor_lower(epsilon: float) -> float:
    """e^ε, rounded down."""
    return math.exp(min(epsilon, LARGEST_EPSILON)) * (1.0 - 8.0 * UNIT)


@dataclass(frozen=True, slots=True, eq=False)
class SampledPair:
    """One direction of a pair.

    Attributes:
        region: The laws that the rows do not exclude.
        most: Upper bounds on the probability of each output in each cell.
        least: Lower bounds.
    """

    region: PairRegion
    most: FloatArray
    least: FloatArray

    @classmethod
    def from_table(cls, region: PairRegion, table: IntegerTable) -> Self:
        """The pair under a map of whole numbers over 2⁶²."""
        near = table.T.astype(np.float64) / WHOLE
        return cls(region, near * (1.0 + 4.0 * UNIT), near * (1.0 - 4.0 * UNIT))

    def excess(self, factor: float, witnesses: Witnesses) -> FloatArray:
        """For each output an upper bound on p·w − factor·q·w over all laws of the region."""
        most, least, units = self._columns(factor)
        found = self.region.excess(most, least, np.array(witnesses).reshape(-1, 3))
        return np.asarray(found * units * (1.0 + 4.0 * UNIT * np.sign(found)))

    def witnesses(self, factor: float) -> Witnesses:
        """The witnesses for which the bounds of `excess` are the least."""
        most, least, _ = self._columns(factor)
        found = self.region.search(most, least)
        chosen = np.column_stack([found.above, found.below, found.price]).tolist()
        return tuple((above, below, price) for above, below, price in chosen)

    def search(self, factor: float) -> tuple[FloatArray, npt.NDArray[np.intp]]:
        """The ratios p·w/q·w of the worst laws for a factor, and outputs that seem to exceed it."""
        most, least, _ = self._columns(factor)
        found = self.region.search(most, least)
        top = (found.first * self.most).sum(axis=1)
        base = (found.second * self.least).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(top > 0.0, top / base, 1.0)
        return ratios, np.flatnonzero((found.excess > 0.0) | (ratios > factor))

    def only(self, outputs: npt.NDArray[np.intp]) -> Self:
        """The same pair with some of the outputs."""
        return replace(self, most=self.most[outputs], least=self.least[outputs])

    def _columns(self, factor: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """w and v in units of the largest entry, so that rare outputs keep their digits."""
        sizes = self.most.max(axis=1)
        units = np.where(sizes > 0.0, sizes, 1.0)
        most = self.most / units[:, None] * (1.0 + 2.0 * UNIT)
        least = factor * (self.least / units[:, None]) * (1.0 - 4.0 * UNIT)
        return most, least, units
