"""Which rows belong to one person: counted, never looked at otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pufferfish.atomic import Scratch
from pufferfish.errors import DataError
from pufferfish.tables.extras import pyarrow
from pufferfish.tables.pool import in_order
from pufferfish.tables.summary import is_missing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PersonCounter", "array_persons", "arrow_persons", "unnamed"]

# Persons that are held in memory: some 30 bytes each, and their names.
_MOST_HELD = 1 << 20
_HEAP_BITS = 8
_HEAPS = 1 << _HEAP_BITS
# After so many deals a heap is held, whatever its size: 256^8 persons are not there.
_MOST_LEVELS = 8
# Names that are hashed at a time.
_NAMES = 1 << 14
_RATIO = 0x9E3779B97F4A7C15


def array_persons(name: str, column: object) -> npt.NDArray[np.int64]:
    """A number for each person, from an array of any kind."""
    masked = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else None
    entries = np.asarray(column)
    if entries.dtype.kind in "iuUSb":
        numbers = np.unique(entries, return_inverse=True)[1].astype(np.int64)
        missing = entries == "" if entries.dtype.kind == "U" else np.zeros(entries.size, dtype=bool)
    else:
        index: dict[str, int] = {}
        missing = np.array([is_missing(each) or each == "" for each in entries], dtype=bool)
        # 1, 1.0 and "1" are one person.
        keys = [
            str(int(each)) if isinstance(each, float) and each.is_integer() else str(each)
            for each in entries.tolist()
        ]
        numbers = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)
    if missing.any() or (masked is not None and masked.any()):
        raise unnamed(name)
    return numbers


def arrow_persons(name: str, column: pa.Array) -> pa.RecordBatch:
    """How many of these rows each person has, from a column of Arrow.

    Persons are told apart by how they are written, so that 1 in one file is "1" in another.
    """
    pa, pc = pyarrow(), pyarrow("compute")
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    missing = column.null_count > 0
    if pa.types.is_floating(column.type):
        missing |= bool(pc.any(pc.is_nan(column)).as_py())
    try:
        column = column.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"column {name!r} is of type {column.type}, which cannot tell persons apart; convert "
            "it to text."
        ) from None
    if missing or bool(pc.any(pc.equal(column, "")).as_py()):
        raise unnamed(name)
    ones = pa.array(np.ones(len(column), dtype=np.int64))
    return _added_up([pa.RecordBatch.from_arrays([column, ones], schema=_schema())])


class PersonCounter:
    """How many rows the person with most of them has, exactly, in bounded memory.

    Up to a limit, persons are held with their counts. Beyond it they are dealt into heaps by a hash
    of their names, and the heaps wait in a temporary file, to be counted one after the other; one
    that is too large is dealt again, by another hash. All rows of a person are in one heap, so the
    count is exact, whatever the hash: it only makes the heaps alike in size.
    """

    def __init__(
        self, folder: Path | None = None, most_held: int | None = _MOST_HELD, level: int = 0
    ) -> None:
        """Nobody counted yet.

        Args:
            folder: Where persons wait that are too many; None: the system's folder for such files.
            most_held: Persons that are held in memory; None: all.
            level: How often these were dealt already.
        """
        self._folder, self._level = folder, level
        self._most_held = most_held if level < _MOST_LEVELS else None
        self._numbers: list[npt.NDArray[np.int64]] = []
        self._held: list[pa.RecordBatch] = []
        self._file: Scratch | None = None
        # For each heap where its pieces are.
        self._heaps: list[list[tuple[int, int]]] = [[] for _ in range(_HEAPS)]

    def add(self, persons: Any) -> None:
        """Some more rows, as `array_persons` or `arrow_persons` says whose they are."""
        if isinstance(persons, np.ndarray):
            self._numbers.append(persons)
            return
        if not persons.num_rows:
            return
        self._held.append(persons)
        if self._too_many(1.0):
            # Once there were too many different ones, there is no hope that more are the same.
            if self._file is None:
                self._held = [_added_up(self._held)]
            if self._file is not None or self._too_many(0.5):
                self._spill()

    def most(self) -> int:
        """Rows of the person with most of them; 0 where there is nobody."""
        if self._numbers:
            return int(np.bincount(np.concatenate(self._numbers)).max())
        if self._file is None:
            return _most(_added_up(self._held)) if self._held else 0
        if self._held:
            self._spill()
        return max(in_order(self._heaps, self._most_of))

    def _too_many(self, share: float) -> bool:
        held = sum(each.num_rows for each in self._held)
        return self._most_held is not None and held > share * self._most_held

    def _spill(self) -> None:
        """Those who are held go to the file, heap by heap."""
        if self._file is None:
            self._file = Scratch(self._folder)
        pa = pyarrow()
        [persons] = pa.Table.from_batches(self._held).combine_chunks().to_batches()
        heap = _hashed(persons.column(0), self._level)
        order = np.argsort(heap, kind="stable")
        ends = np.cumsum(np.bincount(heap, minlength=_HEAPS)).tolist()
        persons = persons.take(pa.array(order))
        for pieces, start, end in zip(self._heaps, [0, *ends], ends, strict=False):
            if start < end:
                data = persons.slice(start, end - start).serialize().to_pybytes()
                pieces.append((self._file.size, len(data)))
                self._file.append(data)
        self._held = []

    def _most_of(self, pieces: list[tuple[int, int]]) -> int:
        smaller = PersonCounter(self._folder, self._most_held, self._level + 1)
        if self._file is not None:
            for start, size in pieces:
                smaller.add(_read(self._file.read(start, size)))
        return smaller.most()


def _schema() -> pa.Schema:
    pa = pyarrow()
    return pa.schema([("person", pa.large_string()), ("rows", pa.int64())])


def _read(data: bytes) -> pa.RecordBatch:
    return pyarrow().ipc.read_record_batch(pyarrow().py_buffer(data), _schema())


def _added_up(parts: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Each person once, with all rows."""
    pa = pyarrow()
    table = pa.Table.from_batches(parts).combine_chunks()
    names = table.column(0).combine_chunks().dictionary_encode()
    # Sums of whole numbers below 2^53 are exact.
    rows = np.bincount(names.indices.to_numpy(), weights=table.column(1).to_numpy())
    return pa.RecordBatch.from_arrays(
        [names.dictionary, pa.array(rows.astype(np.int64))], schema=_schema()
    )


def _most(persons: pa.RecordBatch) -> int:
    return int(pyarrow("compute").max(persons.column(1)).as_py())


def _hashed(names: pa.LargeStringArray, level: int) -> npt.NDArray[np.uint8]:
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


def unnamed(name: str) -> DataError:
    """Rows that cannot be counted for anybody."""
    return DataError(f"column {name!r}: some rows do not say which person they belong to.")
