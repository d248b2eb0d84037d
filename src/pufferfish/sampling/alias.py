"""Draws from finite laws given by whole numbers, exactly, with the same work for each.

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

__all__ = ["AliasTables"]


# Draws at a time: what is read and written stays in the processor's cache.
_AT_A_TIME = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class AliasTables:
    """One law for each row.

    Attributes:
        slots: 2^c.
        edges: Of each row and slot, as a share of 2⁶⁴: below it the outcome is the slot's number.
            0 where a slot has one outcome.
        others: From it on, this outcome.
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
        require(slots <= 1 << bits, "a table has more outcomes than it can tell apart.")
        laid = [_lay_out(row, slots, (1 << bits) // slots) for row in weights.tolist()]
        edges = np.array([edge for row, _ in laid for edge in row], dtype=np.uint64)
        scale = np.uint64(64 - bits + slots.bit_length() - 1)
        others = np.array([other for _, row in laid for other in row], dtype=np.int64)
        return cls(slots, edges << scale, others)

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


def _lay_out(weights: list[int], slots: int, size: int) -> tuple[list[int], list[int]]:
    """Edges and second outcomes of the slots of one law."""
    left = [*weights, *[0] * (slots - len(weights))]
    # A slot that its own outcome fills needs no edge.
    edges, others = [0] * slots, list(range(slots))
    small = [slot for slot, weight in enumerate(left) if weight < size]
    large = [slot for slot, weight in enumerate(left) if weight > size]
    while small:
        slot, giver = small.pop(), large[-1]
        edges[slot], others[slot] = left[slot], giver
        left[giver] -= size - left[slot]
        if left[giver] <= size:
            large.pop()
            if left[giver] < size:
                small.append(giver)
    return edges, others
