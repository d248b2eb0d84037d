"""Rows in random order, also where they are too many for the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.atomic import Scratch
from pufferfish.sampling.entropy import Entropy

__all__ = ["Dealt", "Shuffler"]

# As many as one random byte tells apart.
_HEAPS = 256
# Rows that are held in memory: 9 bytes each.
_MOST_HELD = 1 << 22

# A column, and where it has holes.
Rows = tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]


class Dealt(NamedTuple):
    """Some rows, heap by heap; heap i goes from ends[i] to ends[i + 1]."""

    rows: Rows
    ends: npt.NDArray[np.int64]

    def heap(self, number: int) -> Rows:
        """The rows of one heap."""
        part = slice(self.ends[number], self.ends[number + 1])
        return self.rows[0][part], self.rows[1][part]


class _Spilled(NamedTuple):
    """The same, in a file: all values from `start` on, then all holes."""

    file: Scratch
    start: int
    kind: np.dtype[Any]
    ends: npt.NDArray[np.int64]

    def heap(self, number: int) -> Rows:
        first, end = int(self.ends[number]), int(self.ends[number + 1])
        size, after = self.kind.itemsize, self.start + int(self.ends[-1]) * self.kind.itemsize
        values = self.file.read(self.start + first * size, (end - first) * size)
        holes = self.file.read(after + first, end - first)
        return np.frombuffer(values, self.kind), np.frombuffer(holes, np.bool_)


class Shuffler:
    """Takes rows as they come, and gives all of them back in random order.

    Each row is dealt into one of 256 heaps at random, and at the end each heap is sorted by random
    keys of 64 bits: the same as sorting all rows by (heap, key). A heap that is too large is dealt
    again, into 256 smaller ones: the same as sorting by (heap, smaller heap, key). Given that all
    keys of a heap differ, every order is equally likely, wherever the rows wait; two of n rows
    agree in all with a probability of at most n²/2^73.

    Rows beyond those that are held wait in a temporary file. Within a heap they are noised, but
    still in the table's order, which may betray secrets. So nobody else can read that file: it
    never has a name, and is gone with the process, however that ends.
    """

    def __init__(
        self, entropy: Entropy, folder: Path | None = None, most_held: int | None = _MOST_HELD
    ) -> None:
        """No rows yet.

        Args:
            entropy: Where the randomness comes from.
            folder: Where rows wait that are too many; None: the system's folder for such files.
            most_held: Rows that wait in memory; None: all.
        """
        self._entropy, self._folder, self._most_held = entropy, folder, most_held
        self._held: list[Dealt] = []
        self._file: Scratch | None = None
        self._spilled: list[_Spilled] = []

    def deal(self, values: npt.NDArray[Any], holes: npt.NDArray[np.bool_]) -> Dealt:
        """Some rows, in heaps; may be called by several threads at a time."""
        heap = self._entropy.words(values.size, np.uint8)
        order = np.argsort(heap, kind="stable")  # linear, for keys of one byte
        ends = np.cumsum(np.bincount(heap, minlength=_HEAPS))
        return Dealt((values[order], holes[order]), np.concatenate([[0], ends]))

    def take(self, dealt: Dealt) -> None:
        """Keep rows that were dealt, until all are there."""
        self._held.append(dealt)
        if self._too_many(sum(int(each.ends[-1]) for each in self._held)):
            self._spill()

    def parts(self, rows: int) -> Iterator[Callable[[], Rows]]:
        """All rows, about so many at a time.

        Each part is made when it is called, which several threads may do at a time.
        """
        sizes = self._sizes()
        together: list[int] = []
        for heap in np.flatnonzero(sizes).tolist():
            large = self._too_many(sizes[heap])
            if together and (large or sizes[together].sum() >= rows):
                yield partial(self._shuffled, together)
                together = []
            if large:
                yield from self._dealt_again(heap, rows)
            else:
                together.append(heap)
        if together:
            yield partial(self._shuffled, together)

    def _too_many(self, rows: int) -> bool:
        return self._most_held is not None and rows > self._most_held

    @property
    def _all(self) -> list[Dealt | _Spilled]:
        return [*self._spilled, *self._held]

    def _sizes(self) -> npt.NDArray[np.int64]:
        found = [np.diff(each.ends) for each in self._all]
        return np.sum(found, axis=0) if found else np.zeros(_HEAPS, dtype=np.int64)

    def _spill(self) -> None:
        """What is held goes to the file, heap by heap."""
        if self._file is None:
            self._file = Scratch(self._folder)
        start = self._file.size
        ends = np.sum([each.ends for each in self._held], axis=0)
        for column in (0, 1):
            for heap in np.flatnonzero(np.diff(ends)).tolist():
                for each in self._held:
                    self._file.append(each.heap(heap)[column].tobytes())
        kind = self._held[0].rows[0].dtype
        self._spilled.append(_Spilled(self._file, start, kind, ends))
        self._held = []

    def _shuffled(self, heaps: Sequence[int]) -> Rows:
        return _joined([self._sorted(_joined(list(self._pieces(heap)))) for heap in heaps])

    def _sorted(self, rows: Rows) -> Rows:
        order = np.argsort(self._entropy.words(rows[0].size, np.uint64))
        return rows[0][order], rows[1][order]

    def _pieces(self, heap: int) -> Iterator[Rows]:
        for each in self._all:
            yield each.heap(heap)

    def _dealt_again(self, heap: int, rows: int) -> Iterator[Callable[[], Rows]]:
        again = Shuffler(self._entropy, self._folder, self._most_held)
        for piece in self._pieces(heap):
            again.take(again.deal(*piece))
        return again.parts(rows)


def _joined(parts: Sequence[Rows]) -> Rows:
    values, holes = zip(*parts, strict=True)
    return np.concatenate(values), np.concatenate(holes)
