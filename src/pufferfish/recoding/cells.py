"""Laws on finitely many cells, known exactly or enclosed, as whole numbers over a total.

A cell is a listed value, a bin, or "missing". Counts of a table are exact. Computed probabilities
are enclosed, so that every certificate errs to the private side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray, require

__all__ = ["CellLaw", "IntegerTable", "Whole"]

# Whole numbers of any length.
Whole = npt.NDArray[np.object_]
# Whole numbers below 2⁶³.
IntegerTable = npt.NDArray[np.int64]

# Enclosures are this fine: 2⁻⁸⁰ of all probability, far below the resolution of a double.
_FINE = 1 << 80


@dataclass(frozen=True, slots=True, eq=False)
class CellLaw:
    """low[k]/total ≤ P(cell k) ≤ high[k]/total.

    Attributes:
        low: Lower ends.
        high: Upper ends.
        total: The number that stands for probability 1.
    """

    low: Whole
    high: Whole
    total: int

    @classmethod
    def from_counts(cls, counts: Sequence[int] | npt.NDArray[np.integer]) -> Self:
        """The law of a row drawn from a table with these counts: exact."""
        exact = np.array([int(each) for each in counts], dtype=object)
        require(all(each >= 0 for each in exact), "counts must not be negative.")
        total = int(sum(exact))
        require(total > 0, "counts must not all be 0.")
        return cls(exact, exact, total)

    @classmethod
    def from_bounds(cls, lower: Sequence[float], upper: Sequence[float]) -> Self:
        """A law whose probabilities lie between bounds, such as those of a smooth law in bins."""
        low = [int(Fraction(max(each, 0.0)) * _FINE) for each in lower]
        high = [-int(-Fraction(min(each, 1.0)) * _FINE // 1) for each in upper]
        require(
            all(a <= b for a, b in zip(low, high, strict=True)) and sum(low) <= _FINE <= sum(high),
            "bounds of probabilities must enclose a law: lower ends sum to at most 1, upper ends "
            "to at least 1.",
        )
        return cls(np.array(low, dtype=object), np.array(high, dtype=object), _FINE)

    @property
    def probabilities(self) -> FloatArray:
        """The approximate probability of each cell: for a search, never for a certificate."""
        middle = np.array(
            [
                float(Fraction(a + b, 2 * self.total))
                for a, b in zip(self.low, self.high, strict=True)
            ]
        )
        return np.asarray(middle / middle.sum())
