"""Rows in random order, also where they do not fit into memory.

A row may be one number, or a whole row of a table with columns of any type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pufferfish.core.atomic import Scratch
from pufferfish.sampling.entropy import Entropy

__all__ = ["Dealt", "Packing", "Rows", "Shuffler", "permutation"]

# As many heaps as one random byte has values.
_HEAPS = 256
# Bytes of rows that are held in memory.
_MOST_HELD = 1 << 26
# How many parts may be in progress at a time; together they take at most that much.
_PARTS = 8

IntArray = npt.NDArray[np.int64]


class Rows(Protocol):
    """Some rows of a table, such as a batch of Arrow."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""

    @property
    def nbytes(self) -> int:
        """Their size in memory."""

    def slice(self, offset: int, length: int) -> Rows:
        """Some consecutive rows."""


class Packing(Protocol):
    """Operations on a kind of rows; several threads may call them at the same time."""

    def take(self, rows: Any, order: IntArray) -> Any:
        """The same rows in another order."""

    def join(self, parts: Sequence[Any]) -> Any:
        """Rows one after the other; there is at least one part."""

    def pack(self, rows: Any) -> bytes:
        """Rows as bytes, from which `unpack` makes them again."""

    def unpack(self, data: bytes) -> Any:
        """The rows."""


def permutation(rows: int, entropy: Entropy) -> IntArray:
    """The numbers of `rows` rows in random order, every order equally likely.

    Rows are sorted by random keys of 8 + 64 bits, as in a `Shuffler`: only where keys agree, with
    probability at most rows²/2^73, are orders not equally likely.
    """
    heap = entropy.words(rows, np.uint8)
    order = np.argsort(heap, kind="stable").astype(np.int64)  # linear, for keys of one byte
    return order[_within(np.bincount(heap, minlength=_HEAPS), entropy)]


def _within(sizes: npt.NDArray[np.int64], entropy: Entropy) -> IntArray:
    """An order that shuffles the rows of each heap, which are consecutive, among themselves."""
    found, start = np.empty(int(sizes.sum()), dtype=np.int64), 0
    for size in sizes[sizes > 0].tolist():
        keys = entropy.words(size, np.uint64)
        found[start : start + size] = start + np.argsort(keys)
        start += size
    return found


class Dealt(NamedTuple):
    """Some rows, heap by heap; heap i goes from ends[i] to ends[i + 1]."""

    rows: Rows
    ends: IntArray

    def heap(self, number: int) -> Rows:
        """The rows of one heap."""
        start, end = int(self.ends[number]), int(self.ends[number + 1])
        return self.rows.slice(start, end - start)

    @property
    def counts(self) -> IntArray:
        """The number of rows of each heap."""
        return np.diff(self.ends)

    @property
    def sizes(self) -> IntArray:
        """The bytes of each heap, as if all rows had the same size."""
        return -(-self.counts * self.rows.nbytes // max(self.rows.num_rows, 1))


class _Spilled(NamedTuple):
    """Dealt rows in a file: heap i is packed from `places[i]` to `places[i + 1]`."""

    file: Scratch
    places: IntArray
    counts: IntArray
    sizes: IntArray
    packing: Packing

    def heap(self, number: int) -> Rows:
        start, end = int(self.places[number]), int(self.places[number + 1])
        found: Rows = self.packing.unpack(self.file.read(start, end - start))
        return found


class Shuffler:
    """Takes rows as they come, and returns all of them in random order.

    Each row is dealt into one of 256 heaps at random, and at the end each heap is sorted by random
    keys of 64 bits: the same as sorting all rows by (heap, key). A heap that is too large is dealt
    again, into 256 smaller ones: the same as sorting by (heap, smaller heap, key). Given that all
    keys of a heap differ, every order is equally likely, wherever the rows are kept; two of n rows
    agree in all keys with a probability of at most n²/2^73.

    Rows that do not fit into memory are kept in a temporary file. Within a heap they are noised,
    but still in the table's order, which may reveal secrets. So nobody else can read that file: it
    never has a name, and disappears with the process, however that ends.
    """

    def __init__(
        self,
        entropy: Entropy,
        packing: Packing,
        folder: Path | None = None,
        most_held: int = _MOST_HELD,
    ) -> None:
        """Begin with no rows.

        Args:
            entropy: Where the randomness comes from.
            packing: The operations on the rows.
            folder: Where the temporary file is; None: the system's folder for such files.
            most_held: Bytes of rows that are kept in memory.
        """
        self._entropy, self._packing = entropy, packing
        self._folder, self._most_held = folder, most_held
        self._held: list[Dealt] = []
        self._file: Scratch | None = None
        self._spilled: list[_Spilled] = []

    def deal(self, rows: Rows) -> Dealt:
        """Some rows, in heaps; several threads may call it at the same time."""
        heap = self._entropy.words(rows.num_rows, np.uint8)
        order = np.argsort(heap, kind="stable").astype(np.int64)
        ends = np.cumsum(np.bincount(heap, minlength=_HEAPS))
        return Dealt(self._packing.take(rows, order), np.concatenate([[0], ends]))

    def take(self, dealt: Dealt) -> None:
        """Keep rows that were dealt until all rows have come."""
        self._held.append(dealt)
        if sum(each.rows.nbytes for each in self._held) > self._most_held:
            self._spill()

    def parts(self, rows: int) -> Iterator[Callable[[], Any]]:
        """All rows, about `rows` at a time.

        Each part is made when it is called; several threads may call parts at the same time.
        """
        counts, sizes = (_sum(self._all, name) for name in ("counts", "sizes"))
        together: list[int] = []
        for heap in np.flatnonzero(counts).tolist():
            # A single row needs no shuffle, however large it is.
            large = counts[heap] > 1 and sizes[heap] > self._most_held
            full = together and (
                counts[together].sum() >= rows
                or sizes[together].sum() + sizes[heap] > self._most_held // _PARTS
            )
            if together and (large or full):
                yield partial(self._shuffled, together)
                together = []
            if large:
                yield from self._dealt_again(heap, rows)
            else:
                together.append(heap)
        if together:
            yield partial(self._shuffled, together)

    @property
    def _all(self) -> list[Dealt | _Spilled]:
        return [*self._spilled, *self._held]

    def _spill(self) -> None:
        """Write the rows in memory to the file, heap by heap."""
        if self._file is None:
            self._file = Scratch(self._folder)
        counts, sizes, lengths = np.zeros((3, _HEAPS), dtype=np.int64)
        start = self._file.size
        for heap in np.flatnonzero(_sum(self._held, "counts")).tolist():
            rows = self._packing.join([each.heap(heap) for each in self._held])
            data = self._packing.pack(rows)
            self._file.append(data)
            counts[heap], sizes[heap], lengths[heap] = rows.num_rows, rows.nbytes, len(data)
        places = start + np.concatenate([[0], np.cumsum(lengths)])
        self._spilled.append(_Spilled(self._file, places, counts, sizes, self._packing))
        self._held = []

    def _shuffled(self, heaps: Sequence[int]) -> Any:
        pieces = [list(self._pieces(heap)) for heap in heaps]
        sizes = np.array([sum(each.num_rows for each in heap) for heap in pieces])
        rows = self._packing.join([each for heap in pieces for each in heap])
        return self._packing.take(rows, _within(sizes, self._entropy))

    def _pieces(self, heap: int) -> Iterator[Rows]:
        for each in self._all:
            if each.counts[heap]:
                yield each.heap(heap)

    def _dealt_again(self, heap: int, rows: int) -> Iterator[Callable[[], Any]]:
        again = Shuffler(self._entropy, self._packing, self._folder, self._most_held)
        for piece in self._pieces(heap):
            again.take(again.deal(piece))
        return again.parts(rows)


def _sum(parts: Sequence[Dealt | _Spilled], name: str) -> IntArray:
    """The sum for each heap, over all parts."""
    found = [getattr(each, name) for each in parts]
    return np.sum(found, axis=0) if found else np.zeros(_HEAPS, dtype=np.int64)
