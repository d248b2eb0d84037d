"""A table with one row for each person, of the same kind: arrays, a frame, files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pufferfish.core.errors import DataError
from pufferfish.core.extras import narwhals, pyarrow
from pufferfish.core.validation import FloatArray
from pufferfish.tables.arrays import array_batch
from pufferfish.tables.arrow import BATCH, arrow_numbers
from pufferfish.tables.batch import IntArray
from pufferfish.tables.local.frames import collect_frame, native, to_arrow
from pufferfish.tables.local.heaps import MOST_LEVELS, Heaps
from pufferfish.tables.local.persons import number_persons, person_names
from pufferfish.tables.local.pieces import OpenTable, Piece
from pufferfish.tables.names import check_columns
from pufferfish.tables.nested import decode, plain_kind
from pufferfish.tables.one_row import OneRow, means
from pufferfish.tables.rows import join_rows, wide
from pufferfish.tables.seen import two_secrets

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["reduce_arrays", "reduce_frame", "reduce_table"]

# Bytes of rows that are held in memory.
_MOST_HELD = 1 << 26
# The first column, of the persons' names; no column of a table has the same name.
_NAME = "\0person"


def reduce_arrays(table: Mapping[str, Any], how: OneRow) -> dict[str, Any]:
    """A dict of arrays, with one entry for each person, in the order of their first rows."""
    check_columns(list(table), *how.read)
    batch = array_batch(table, (how.column,), how.secret)
    for name in how.read:
        if np.ma.asanyarray(table[name]).shape != (batch.rows,):
            raise DataError(f"column {name!r} must be as long as the others.")
    numbers = number_persons(how.person, table[how.person])
    first = _first_rows(numbers, batch.secret.codes, how)
    arrays = {name: np.ma.asanyarray(table[name])[first] for name in how.read}
    plain = {name: each if np.ma.is_masked(each) else each.data for name, each in arrays.items()}
    if how.way == "mean":
        plain[how.column] = means(numbers, batch.numbers[how.column])[numbers[first]]
    return plain


def reduce_frame(frame: Any, how: OneRow) -> Any:
    """A frame, with one row for each person, in the order of their first rows; lazy stays lazy."""
    given = native(frame)
    check_columns(given.collect_schema().names(), *how.read)
    table = collect_frame(given.select(*how.read))
    arrow = to_arrow(table.select(how.column, how.secret, how.person), how.column)
    schema = pyarrow().schema([(field.name, wide(field.type)) for field in arrow.schema])
    rows = join_rows(arrow.cast(schema).to_batches(), schema)
    numbers = _number(person_names(how.person, rows.column(how.person)))
    first = _first_rows(numbers, _codes(rows.column(how.secret)), how)
    mask = np.zeros(rows.num_rows, dtype=bool)
    mask[first] = True
    found = narwhals().maybe_reset_index(table.filter(mask.tolist()))
    if how.way == "mean":
        values = means(numbers, arrow_numbers(how.column, rows.column(how.column)))[numbers[first]]
        column = narwhals().from_arrow(
            pyarrow().table({how.column: _values(values)}), backend=table.implementation
        )
        found = found.with_columns(column.get_column(how.column))
    return found.lazy().to_native() if hasattr(given, "collect") else found.to_native()


def reduce_table(table: OpenTable, how: OneRow, folder: Path | None) -> OpenTable:
    """A table of files, with one row for each person; memory is bounded.

    Rows that do not fit into memory are kept in a temporary file without a name, dealt by person.
    Then the order of the persons has nothing to do with the table.

    Args:
        table: The open table, with the columns of `how`.
        how: What is done.
        folder: Where the temporary file is; None: the system's folder for such files.
    """
    pa = pyarrow()
    kinds = [_kind(field, how) for field in table.schema]
    schema = pa.schema(list(zip(table.schema.names, kinds, strict=True)))
    prepared = _prepare(table.pieces, schema, how)
    return replace(table, schema=schema, pieces=_pieces(table, prepared, schema, how, folder))


def _first_rows(persons: IntArray, secrets: IntArray, how: OneRow) -> IntArray:
    """The places of each person's first row, in ascending order; each has one secret."""
    first = np.unique(persons, return_index=True)[1]
    if not np.array_equal(secrets, secrets[first][persons]):
        raise two_secrets(how.person, how.secret)
    return np.sort(first)


def _pieces(
    table: OpenTable,
    prepared: Iterator[pa.RecordBatch],
    schema: pa.Schema,
    how: OneRow,
    folder: Path | None,
) -> Iterator[Piece]:
    """At least one piece. The file and row that a person was in are not known any more."""
    empty = True
    for rows in _reduce(prepared, how, folder, 0):
        for start in range(0, rows.num_rows, BATCH):
            columns = rows.slice(start, BATCH).columns[1:]
            batch = pyarrow().RecordBatch.from_arrays(columns, schema=schema)
            yield Piece(batch, table.source.files[0], None, None, many=False)
            empty = False
    if empty:
        nothing = pyarrow().RecordBatch.from_pylist([], schema=schema)
        yield Piece(nothing, table.source.files[0], None, None, many=False)


def _prepare(pieces: Iterable[Piece], schema: pa.Schema, how: OneRow) -> Iterator[pa.RecordBatch]:
    """The rows with the names of their persons as the first column."""
    pa = pyarrow()
    for piece in pieces:
        with piece.naming():
            names = person_names(how.person, piece.rows.column(how.person))
            columns = [
                _values(arrow_numbers(how.column, piece.rows.column(field.name)))
                if how.way == "mean" and field.name == how.column
                else decode(piece.rows.column(field.name), field.type)
                for field in schema
            ]
        if piece.rows.num_rows:
            yield pa.RecordBatch.from_arrays([names, *columns], names=[_NAME, *schema.names])


def _reduce(
    parts: Iterator[pa.RecordBatch], how: OneRow, folder: Path | None, level: int
) -> Iterator[pa.RecordBatch]:
    """One row for each person, dealt into heaps first where there are too many rows to hold."""
    held: list[pa.RecordBatch] = []
    heaps: Heaps | None = None

    def too_many(share: float) -> bool:
        size = sum(each.nbytes for each in held)
        return level < MOST_LEVELS and size > share * _MOST_HELD

    for part in parts:
        held.append(part)
        if not too_many(1.0):
            continue
        if heaps is None and how.way == "first":
            held = [_one_each(held, how)]
        if heaps is not None or too_many(0.5):
            heaps = heaps or Heaps(folder, level)
            heaps.deal(held)
            held = []
    if heaps is None:
        if held:
            yield _one_each(held, how)
        return
    if held:
        heaps.deal(held)
    for heap in heaps:
        yield from _reduce(iter(heap), how, folder, level + 1)


def _one_each(parts: list[pa.RecordBatch], how: OneRow) -> pa.RecordBatch:
    """One row for each person, from rows in their order."""
    pa = pyarrow()
    rows = join_rows(parts)
    numbers = _number(rows.column(_NAME))
    first = _first_rows(numbers, _codes(rows.column(how.secret)), how)
    found = rows.take(pa.array(first))
    if how.way == "first":
        return found
    values = means(numbers, arrow_numbers(how.column, rows.column(how.column)))[numbers[first]]
    place = found.schema.get_field_index(how.column)
    return found.set_column(place, found.schema.field(place), _values(values))


def _number(names: pa.LargeStringArray) -> IntArray:
    """The number of each row's person."""
    return np.asarray(names.dictionary_encode().indices.to_numpy(zero_copy_only=False), np.int64)


def _codes(secrets: pa.Array) -> IntArray:
    """The number of each row's secret, −1 where it is missing."""
    pa = pyarrow()
    if pa.types.is_string_view(secrets.type):
        secrets = secrets.cast(pa.large_string())
    coded = secrets if pa.types.is_dictionary(secrets.type) else secrets.dictionary_encode()
    codes = coded.indices.cast(pa.int64()).fill_null(-1)
    return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)


def _values(values: FloatArray) -> pa.Array:
    """The values, null where one is missing."""
    return pyarrow().array(values, mask=np.isnan(values))


def _kind(field: pa.Field, how: OneRow) -> pa.DataType:
    """The type of a column in the result: categories become their values, offsets have 64 bits."""
    if field.name == how.column and how.way == "mean":
        return pyarrow().float64()
    return wide(plain_kind(field.name, field.type))
