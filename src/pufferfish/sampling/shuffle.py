"""Rows in random order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.sampling.entropy import Entropy

__all__ = ["Shuffler"]

# As many as one random byte tells apart.
_HEAPS = 256

# A column, and where it has holes.
Rows = tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]


class Shuffler:
    """Takes rows as they come, and gives all of them back in random order.

    Each row is dealt into one of 256 heaps at random, and at the end each heap is sorted by random
    keys of 64 bits: the same as sorting all rows by (heap, key). Given that all keys of a heap
    differ, every order is equally likely; two of n rows agree in both with a probability of at most
    n²/2^73. Nothing is ever sorted that does not fit the processor's cache.
    """

    def __init__(self, entropy: Entropy) -> None:
        """No rows yet."""
        self._entropy = entropy
        self._dealt: list[tuple[Rows, npt.NDArray[Any]]] = []

    def deal(self, values: npt.NDArray[Any], holes: npt.NDArray[np.bool_]) -> None:
        """Some more rows."""
        heap = self._entropy.words(values.size, np.uint8)
        order = np.argsort(heap, kind="stable")  # linear, for keys of one byte
        ends = np.cumsum(np.bincount(heap, minlength=_HEAPS))
        self._dealt.append(((values[order], holes[order]), np.concatenate([[0], ends])))

    def parts(self, rows: int) -> Iterator[Rows]:
        """All rows, at least so many at a time; the last part may have fewer."""
        sizes = sum((np.diff(ends) for _, ends in self._dealt), np.zeros(_HEAPS, dtype=np.int64))
        held: list[Rows] = []
        for heap in np.flatnonzero(sizes).tolist():
            held.append(self._shuffled(heap))
            if sum(values.size for values, _ in held) >= rows:
                yield _joined(held)
                held = []
        if held or not sizes.any():
            yield _joined(held or [part for part, _ in self._dealt])

    def _shuffled(self, heap: int) -> Rows:
        values, holes = _joined(
            [
                (part[0][ends[heap] : ends[heap + 1]], part[1][ends[heap] : ends[heap + 1]])
                for part, ends in self._dealt
            ]
        )
        order = np.argsort(self._entropy.words(values.size, np.uint64))
        return values[order], holes[order]


def _joined(parts: list[Rows]) -> Rows:
    if not parts:
        return np.zeros(0), np.zeros(0, dtype=bool)
    values, holes = zip(*parts, strict=True)
    return np.concatenate(values), np.concatenate(holes)
