"""Exact draws from finite laws given by whole numbers, with the same work for each draw.

Walker's alias method in whole numbers. Row x has weights over outcomes that sum to 2^b. They are
laid out in 2^c slots of 2^{b−c} each, so that no slot holds more than two outcomes. A draw takes
b random bits: the first c choose the slot, the others one of its two outcomes. Every probability is
the weight over 2^b; no floating-point number decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import require
from pufferfish.sampling.entropy import Entropy

IntArray = npt.NDArray[np.int64]

__all__ = ["AliasTables"]


# How many draws are made at a time: what they read and write fits into the processor's cache.
_AT_A_TIME = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class AliasTables:
    """One law for each row.

    Attributes:
        slots: The number of slots, 2^c.
        edges: The edge of each row and slot, as a share of 2⁶⁴: below it the outcome is the slot's
            number. 0 where a slot has one outcome.
        others: The outcome from the edge on.
    """

    slots: int
    edges: npt.NDArray[np.uint64]
    others: npt.NDArray[np.int64]

    @classmethod
    def of(cls, weights: npt.NDArray[np.int64], bits: int) -> Self:
        """Tables for rows of whole weights that sum to 2^bits."""
        require(
            bool((weights >= 0).all() and (weights.sum(axis=1) == 1 << bits).all()),
            f"each row of a table must have weights that sum to 2^{bits}.",
        )
        slots = 1 << max(weights.shape[1] - 1, 0).bit_length()
        require(slots <= 1 << bits, "a table has more outcomes than its bits can distinguish.")
        padded = np.zeros((len(weights), slots), dtype=np.int64)
        padded[:, : weights.shape[1]] = weights
        edges = np.empty(padded.shape, dtype=np.uint64)
        others = np.empty(padded.shape, dtype=np.int64)
        for row, own in enumerate(padded):
            edges[row], others[row] = _lay_out(own, (1 << bits) // slots)
        scale = np.uint64(64 - bits + slots.bit_length() - 1)
        return cls(slots, edges.ravel() << scale, others.ravel())

    def draw(self, rows: npt.NDArray[np.integer], entropy: Entropy) -> npt.NDArray[np.int64]:
        """One outcome for each entry, by the law of its row."""
        drawn = np.empty(rows.size, dtype=np.int64)
        for start in range(0, rows.size, _AT_A_TIME):
            part = slice(start, start + _AT_A_TIME)
            drawn[part] = self._draw(rows[part], entropy)
        return drawn

    def _draw(self, rows: npt.NDArray[np.integer], entropy: Entropy) -> npt.NDArray[np.int64]:
        words = entropy.words(rows.size, np.uint64)
        if self.slots == 1:
            return np.zeros(rows.size, dtype=np.int64)
        count = np.uint64(self.slots.bit_length() - 1)
        slot = (words >> (np.uint64(64) - count)).view(np.int64)
        place = rows * self.slots + slot
        first = (words << count) < self.edges.take(place)
        return np.where(first, slot, self.others.take(place))


def _lay_out(weights: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Edges and second outcomes of the slots of one law, each of this size.

    Slots with less than `size` are filled one after the other, the i-th from D_{i−1} to D_i of the
    total deficit. Outcomes with more give in their order: the j-th has the part between E_{j−1} and
    E_j of the total surplus. A slot is filled by the one outcome whose part contains D_{i−1}. If
    that outcome does not have enough (D_i > E_j), it takes the rest from its own slot, which the
    next outcome fills. Both sums end at the same number, which is below 2^b.
    """
    edges, others = np.zeros_like(weights), np.arange(weights.size)
    lacking, givers = np.flatnonzero(weights < size), np.flatnonzero(weights > size)
    if lacking.size:
        needed = np.cumsum(size - weights[lacking])
        given = np.cumsum(weights[givers] - size)
        starts = needed - (size - weights[lacking])
        edges[lacking] = weights[lacking]
        others[lacking] = givers[np.searchsorted(given, starts, side="right")]
        short = needed[np.searchsorted(needed, given)] - given
        # The last outcome that gives always has enough: surplus and deficit end together.
        falling = np.flatnonzero(short)
        edges[givers[falling]] = size - short[falling]
        others[givers[falling]] = givers[falling + 1]
    return edges, others
