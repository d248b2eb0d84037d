"""Which rows belong to one person: names of persons are only used to count."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow
from pufferfish.core.validation import FloatArray
from pufferfish.tables.arrays import is_missing
from pufferfish.tables.batch import Coded, IntArray
from pufferfish.tables.local.heaps import MOST_LEVELS, Heap, Heaps
from pufferfish.tables.local.pool import in_order
from pufferfish.tables.seen import (
    PersonsFound,
    Seen,
    WhichPairs,
    group,
    nobody,
    rows_of_persons,
    unnamed,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PersonCounter", "SomePersons", "array_persons", "arrow_persons", "number_persons"]
__all__ += ["person_names"]

# How many persons are held in memory: 50 to 80 bytes each, and their names.
_MOST_HELD = 1 << 19


class SomePersons(NamedTuple):
    """What was found about the persons of some rows.

    Attributes:
        names: The name of each person: texts of Arrow, or numbers.
        seen: One entry for each person.
        labels: The secrets that the numbers of secrets refer to.
    """

    names: pa.LargeStringArray | IntArray
    seen: Seen
    labels: tuple[Secret, ...]


def array_persons(
    name: str, column: object, values: FloatArray, secret: Coded, pairs: WhichPairs = "none"
) -> SomePersons:
    """What was found about each person, from an array of any kind and what its rows hold."""
    numbers = number_persons(name, column)
    seen = group(numbers, rows_of_persons(values, secret.codes, 0, pairs))
    return SomePersons(np.arange(seen.rows.size), seen, secret.labels)


def number_persons(name: str, column: object) -> npt.NDArray[np.int64]:
    """A number for each row's person, from an array of any kind; every number occurs."""
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


def arrow_persons(
    name: str,
    column: pa.Array,
    values: FloatArray,
    secret: Coded,
    before: int = 0,
    pairs: WhichPairs = "none",
) -> SomePersons:
    """What was found about each person, from a column of Arrow and what its rows hold."""
    names, numbers = _encode(person_names(name, column))
    seen = group(numbers, rows_of_persons(values, secret.codes, before, pairs))
    return SomePersons(names, seen, secret.labels)


def person_names(name: str, column: pa.Array) -> pa.LargeStringArray:
    """The name of each row's person.

    Names are compared as text, so that 1 in one file is "1" in another.

    Raises:
        DataError: Rows without a person, or names that cannot become text.
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
    return column


class PersonCounter:
    """Counts what was found about every person, exactly, in bounded memory.

    Up to a limit, persons are held with their counts. Beyond it they are dealt into heaps by a hash
    of their names. The heaps are kept in a temporary file, and counted one after the other; a heap
    that is too large is dealt again, by another hash.
    """

    def __init__(
        self, folder: Path | None = None, most_held: int | None = _MOST_HELD, level: int = 0
    ) -> None:
        """Begin with no persons.

        Args:
            folder: Where the temporary file is; None: the system's folder for such files.
            most_held: How many persons are held in memory; None: all.
            level: How often these were already dealt.
        """
        self._folder, self._level = folder, level
        self._most_held = most_held if level < MOST_LEVELS else None
        self._secrets: dict[Secret, int] = {}
        self._numbered: list[SomePersons] = []
        self._held: list[pa.RecordBatch] = []
        self._heaps: Heaps | None = None

    def add(self, persons: SomePersons) -> None:
        """Add some more rows, as `array_persons` or `arrow_persons` returned them."""
        seen = _renumber(persons, self._secrets)
        if isinstance(persons.names, np.ndarray):
            self._numbered.append(persons._replace(seen=seen))
        else:
            self._add(_batch(persons.names, seen))

    def found(self) -> PersonsFound:
        """All persons."""
        if self._numbered:
            # A whole table in arrays is one batch.
            [only] = self._numbered
            return PersonsFound.of(only.seen)
        if self._heaps is None:
            return PersonsFound.of(_count_seen(_add_up(self._held)) if self._held else nobody())
        if self._held:
            self._spill()
        return reduce(PersonsFound.and_, in_order(self._heaps, self._found_in))

    def _add(self, persons: pa.RecordBatch) -> None:
        if not persons.num_rows:
            return
        self._held.append(persons)
        if self._too_many(1.0):
            # Once there were too many different persons, more rows will not make them fewer.
            if self._heaps is None:
                self._held = [_add_up(self._held)]
            if self._heaps is not None or self._too_many(0.5):
                self._spill()

    def _too_many(self, share: float) -> bool:
        held = sum(each.num_rows for each in self._held)
        return self._most_held is not None and held > share * self._most_held

    def _spill(self) -> None:
        """Write the persons that are held to the file, heap by heap."""
        if self._heaps is None:
            self._heaps = Heaps(self._folder, self._level)
        self._heaps.deal(self._held)
        self._held = []

    def _found_in(self, heap: Heap) -> PersonsFound:
        smaller = PersonCounter(self._folder, self._most_held, self._level + 1)
        for part in heap:
            smaller._add(part)
        return smaller.found()


def _renumber(persons: SomePersons, known: dict[Secret, int]) -> Seen:
    """The entries with numbers of secrets that all parts of a table share.

    Different secrets get different numbers, so that a person with two of them still has two.
    """
    numbers = np.array(
        [*(known.setdefault(label, len(known)) for label in persons.labels), -1], dtype=np.int64
    )
    # The last one is −1, for rows without a secret.
    low, high = numbers[persons.seen.low_secret], numbers[persons.seen.high_secret]
    return persons.seen._replace(
        low_secret=np.minimum(low, high), high_secret=np.maximum(low, high)
    )


def _encode(names: pa.LargeStringArray) -> tuple[pa.LargeStringArray, IntArray]:
    """Each name once, and the number of each row's name."""
    coded = names.dictionary_encode()
    return coded.dictionary, coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _batch(names: pa.LargeStringArray, seen: Seen) -> pa.RecordBatch:
    pa = pyarrow()
    # The last four are empty where no two values are compared.
    columns = [pa.array(column) for column in seen if column.size == seen.rows.size]
    fields = Seen._fields[: len(columns)]
    return pa.RecordBatch.from_arrays([names, *columns], names=["person", *fields])


def _count_seen(persons: pa.RecordBatch) -> Seen:
    columns = [column.to_numpy(zero_copy_only=False) for column in persons.columns[1:]]
    return Seen(*columns, *nobody()[len(columns) :])


def _add_up(parts: list[pa.RecordBatch]) -> pa.RecordBatch:
    """One entry for each person, with all rows."""
    [joined] = pyarrow().Table.from_batches(parts).combine_chunks().to_batches()
    names, numbers = _encode(joined.column(0))
    return _batch(names, group(numbers, _count_seen(joined)))
