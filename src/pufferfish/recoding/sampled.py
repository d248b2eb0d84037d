"""One direction of a pair over its sampling region: bounds, and the witnesses that show them.

The search for witnesses is not trusted, and need not be: bad ones give a bound that is too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.witnesses import excess_upper
from pufferfish.recoding.worst_laws import worst_laws

__all__ = ["SampledPair", "Witnesses"]

# λ and λ' for each output.
Witnesses = tuple[tuple[float, float], ...]
Exact = Sequence[Sequence[Fraction]]


@dataclass(frozen=True, slots=True, eq=False)
class SampledPair:
    """One direction of a pair.

    Attributes:
        counts: How often each cell was seen, under the first secret and under the second.
        radius: t of the region.
        most: For each output and cell, at least the probability of the output.
        least: At most.
    """

    counts: tuple[tuple[int, ...], tuple[int, ...]]
    radius: float
    most: Exact
    least: Exact

    def excess(self, factor: Fraction, witnesses: Witnesses) -> list[Fraction]:
        """For each output at least the largest p·w − factor·q·w of any laws of the region."""
        return [
            excess_upper(
                self.counts,
                (most, [factor * each for each in least]),
                # As they are written down, they may be a rounding short.
                (max(Fraction(above), *most), max(Fraction(below), -factor * min(least))),
                self.radius,
            )
            for most, least, (above, below) in zip(self.most, self.least, witnesses, strict=True)
        ]

    def witnesses(self, factor: float) -> Witnesses:
        """Those for which the bounds of `excess` are the least."""
        return self.search(np.full(len(self.most), factor))[0]

    def search(self, factors: FloatArray) -> tuple[Witnesses, FloatArray]:
        """Witnesses for a factor of each output, and the ratios p·w/q·w of the worst laws."""
        most, least = (
            np.array([[float(each) for each in row] for row in rows])
            for rows in (self.most, self.least)
        )
        first, second = (np.array(each, dtype=np.float64) for each in self.counts)
        # In units of the largest entry: what is rarely published has few digits else.
        sizes = most.max(axis=1)
        units = np.where(sizes > 0.0, sizes, 1.0)
        found = worst_laws(
            (first, second),
            (most / units[:, None], factors[:, None] * least / units[:, None]),
            self.radius,
        )
        top, base = (found.first * most).sum(axis=1), (found.second * least).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(top > 0.0, top / base, 1.0)
        chosen = zip((found.above * units).tolist(), (found.below * units).tolist(), strict=True)
        return tuple(chosen), ratios
