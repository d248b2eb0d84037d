"""Rows of many persons, dealt into heaps that are kept in a temporary file.

All rows of a person are in one heap, in their order, whatever the hash: it only makes the heaps
similar in size. So results that are computed heap by heap are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pufferfish.core.atomic import Scratch
from pufferfish.core.extras import pyarrow
from pufferfish.tables.rows import join_rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MOST_LEVELS", "Heap", "Heaps", "hash_rows"]

_HEAP_BITS = 8
_HEAPS = 1 << _HEAP_BITS
# After this many deals a heap is held in memory, whatever its size: there are not 256^8 persons.
MOST_LEVELS = 8
# How many names are hashed at a time.
_NAMES = 1 << 14
_RATIO = 0x9E3779B97F4A7C15


class Heap:
    """The rows of some persons; several threads may read them at the same time."""

    def __init__(self, file: Scratch, schema: pa.Schema, pieces: list[tuple[int, int]]) -> None:
        self._file, self._schema, self._pieces = file, schema, pieces

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The rows, some at a time, in their order."""
        pa = pyarrow()
        for start, size in self._pieces:
            data = pa.py_buffer(self._file.read(start, size))
            yield pa.ipc.read_record_batch(data, self._schema)


class Heaps:
    """256 heaps in one file without a name."""

    def __init__(self, folder: Path | None, level: int) -> None:
        """Begin with no rows.

        Args:
            folder: Where the file is; None: the system's folder for such files.
            level: How often these rows were already dealt: each time by another hash.
        """
        self._file = Scratch(folder)
        self._level = level
        self._schema: pa.Schema | None = None
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(_HEAPS)]

    def deal(self, rows: list[pa.RecordBatch]) -> None:
        """Deal some more rows; their first column names the person."""
        together = join_rows(rows)
        self._schema = together.schema
        heap = hash_rows(together.column(0), self._level)
        order = np.argsort(heap, kind="stable")
        ends = np.cumsum(np.bincount(heap, minlength=_HEAPS)).tolist()
        together = together.take(pyarrow().array(order))
        for pieces, start, end in zip(self._pieces, [0, *ends], ends, strict=False):
            if start < end:
                data = together.slice(start, end - start).serialize().to_pybytes()
                pieces.append((self._file.size, len(data)))
                self._file.append(data)

    def __iter__(self) -> Iterator[Heap]:
        """The heaps that are not empty."""
        for pieces in self._pieces:
            if pieces:
                yield Heap(self._file, self._schema, pieces)


def hash_rows(names: pa.LargeStringArray, level: int) -> npt.NDArray[np.uint8]:
    """A heap for each name: Σ b_j·r^j over its bytes, modulo 2^64, with another odd r each time.

    The sums of all names are differences of one running sum, times a power of 1/r.
    """
    ratio = (_RATIO + (level << 32)) % 2**64
    inverse = pow(ratio, -1, 2**64)
    found = []
    for start in range(0, len(names), _NAMES):
        part = names.slice(start, _NAMES)
        ends = np.frombuffer(part.buffers()[1], np.int64)[part.offset :][: len(part) + 1]
        letters = np.frombuffer(part.buffers()[2], np.uint8)[ends[0] : ends[-1]]
        ends = ends - ends[0]
        sums = np.zeros(letters.size + 1, dtype=np.uint64)
        np.cumsum(letters * _powers(ratio, letters.size), out=sums[1:])
        found.append(np.diff(sums[ends]) * _powers(inverse, letters.size + 1)[ends[:-1]])
    mixed = np.concatenate(found) * np.uint64(_RATIO)
    return (mixed >> np.uint64(64 - _HEAP_BITS)).astype(np.uint8)


def _powers(ratio: int, count: int) -> npt.NDArray[np.uint64]:
    """1, r, r², … modulo 2^64."""
    factors = np.full(count, ratio, dtype=np.uint64)
    factors[:1] = 1
    return np.cumprod(factors, dtype=np.uint64)
