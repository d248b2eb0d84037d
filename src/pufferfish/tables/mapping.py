"""A table with one column changed: rows go through a callable, some at a time, each once.

What the callable does is not known here. The result is the same kind of table: a dict of arrays, a
frame, or a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pufferfish.errors import DataError
from pufferfish.tables.arrays import array_batch
from pufferfish.tables.arrow import BATCH, arrow_batch
from pufferfish.tables.extras import narwhals, pyarrow
from pufferfish.tables.files import Progress
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.frames import (
    collected,
    native,
    to_arrow,
    without_metadata,
    without_unused_categories,
)
from pufferfish.tables.names import check_columns
from pufferfish.tables.persons import array_persons, arrow_persons
from pufferfish.tables.reading import opened
from pufferfish.tables.tally import Batch
from pufferfish.tables.writing import writing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Change", "Changed", "Mapped", "map_arrays", "map_file", "map_frame"]


class Changed(NamedTuple):
    """What becomes of some rows.

    Attributes:
        values: The new values of the rows that stay.
        holes: Where there is none.
        rows: Which rows stay; None: all.
        counts: What was seen of them, for `Change.account`.
    """

    values: npt.NDArray[Any]
    holes: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.bool_] | None
    counts: Any


class Shuffle(Protocol):
    """Rows in another order."""

    def deal(self, values: npt.NDArray[Any], holes: npt.NDArray[np.bool_]) -> None:
        """Take some rows."""

    def parts(self, rows: int) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]]:
        """Give all of them back, about so many at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a table is changed.

    Attributes:
        column: The column that gets new values.
        secret: The column of the secret, which does not stay.
        person: A column that the change looks at, and that stays only if it is kept.
        keep: The columns that stay as they are.
        drops: Whether rows may be left out.
        whole: Whether the new values are whole numbers.
        change: From rows, and how many come before them in the table (None: nobody knows), to what
            becomes of them; called once for each row, in several threads or processes at a time.
        account: Told what became of rows, and the person of each; called in the rows' order.
        shuffle: Takes all new values, and gives them back in another order; None: as they are.
            Only where no column is kept.
        finish: Called when all rows are through, before anything is published; may refuse.
    """

    column: str
    secret: str
    person: str | None
    keep: tuple[str, ...]
    drops: bool
    whole: bool
    change: Callable[[Batch, int | None], Changed]
    account: Callable[[Changed, Any], None]
    shuffle: Shuffle | None
    finish: Callable[[], None]

    @property
    def read(self) -> list[str]:
        """The columns that are looked at."""
        person = [] if self.person is None else [self.person]
        return list(dict.fromkeys([self.column, self.secret, *person, *self.keep]))

    def stays(self, names: Sequence[str]) -> list[str]:
        """The columns of the result, in the order of the table."""
        return [name for name in names if name == self.column or name in self.keep]


class Mapped(NamedTuple):
    """A changed table, and its changed column as an array, nan where there are holes."""

    table: Any
    column: npt.NDArray[Any]


def map_arrays(table: Mapping[str, Any], how: Change) -> Mapped:
    """A dict of arrays, changed."""
    check_columns(list(table), *how.read)
    batch = array_batch(table, how.column, how.secret)
    for name in how.read:
        if np.ma.asanyarray(table[name]).shape != batch.values.shape:
            raise DataError(f"column {name!r} must be as long as the others.")
    persons = None if how.person is None else array_persons(how.person, table[how.person])
    changed = how.change(batch, 0)
    how.account(changed, persons)
    how.finish()
    values, holes = _joined([changed], how)
    if holes.any():
        values = np.where(holes, np.nan, values)
    rows = slice(None) if changed.rows is None else changed.rows
    arrays = {
        name: values if name == how.column else np.asanyarray(table[name])[rows]
        for name in how.stays(list(table))
    }
    return Mapped(arrays, values)


def map_frame(frame: Any, how: Change) -> Mapped:
    """A frame, changed; computed at once, also where a lazy one was given and is given back."""
    given = native(frame)
    names = given.collect_schema().names()
    check_columns(names, *how.read)
    lazy = hasattr(given, "collect")
    table = collected(given.select(*how.read))
    looked_at = [name for name in how.read if name not in how.keep or name == how.person]
    parts = to_arrow(table.select(*looked_at), how.column).to_batches(max_chunksize=BATCH)
    changed = _all_changed(parts, how)
    how.finish()
    values = _arrow_values(*_joined(changed, how))
    result = narwhals().from_arrow(
        pyarrow().table({how.column: values}), backend=table.implementation
    )
    if how.keep:
        kept = table.select(*how.stays(names))
        if any(each.rows is not None for each in changed):
            kept = kept.filter(np.concatenate([_rows(each) for each in changed]).tolist())
            kept = without_unused_categories(kept)
        # A pandas index could say what a dropped column said.
        kept = narwhals().maybe_reset_index(kept)
        result = kept.with_columns(result.get_column(how.column))
    given_back = without_metadata(result.to_native())
    if lazy:
        given_back = given_back.lazy()
    return Mapped(given_back, values.to_numpy(zero_copy_only=False))


def map_file(
    source: str | Path,
    source_format: FileFormat,
    target: str | Path,
    target_format: FileFormat,
    how: Change,
    *,
    force: bool = False,
    progress: Progress | None = None,
    before: Callable[[str], None] = lambda checksum: None,
) -> str:
    """A file, changed and written to another; returns the checksum of what was written.

    `before` is told the checksum when the file is whole, just before it takes its place.

    Rows are read, changed and written some at a time. In another order, the new values of all of
    them are held in memory.
    """
    pa = pyarrow()
    with opened(source, source_format, how.read, how.column) as table:
        names = how.stays(table.schema.names)
        number = pa.int64() if how.whole else pa.float64()
        fields = [
            pa.field(each, number)
            if each == how.column
            else _kept_field(table.schema.field(each), target_format, drops=how.drops)
            for each in names
        ]
        schema = pa.schema(fields)
        with writing(target, target_format, schema, force=force, before=before) as writer:
            rows = 0
            for part in table.parts:
                changed = _changed(part, how, rows)
                rows += part.num_rows
                if how.shuffle is None:
                    writer.write(_with_column(part, changed, how, schema))
                else:
                    how.shuffle.deal(changed.values, changed.holes)
                if progress is not None and table.progress is not None:
                    progress(table.progress)
            how.finish()
            if how.shuffle is not None:
                for dealt in how.shuffle.parts(BATCH // 2):
                    writer.write(pa.record_batch([_arrow_values(*dealt)], schema=schema))
    return writer.sha256


def _all_changed(parts: Iterable[pa.RecordBatch], how: Change) -> list[Changed]:
    rows, results = 0, []
    for part in parts:
        results.append(_changed(part, how, rows))
        rows += part.num_rows
    return results


def _changed(part: pa.RecordBatch, how: Change, before: int) -> Changed:
    persons = None if how.person is None else arrow_persons(how.person, part.column(how.person))
    changed = how.change(arrow_batch(part, how.column, how.secret), before)
    how.account(changed, persons)
    return changed


def _joined(
    changed: Iterable[Changed], how: Change
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """The new values of all rows, in their new order, and the holes among them."""
    parts = [(each.values, each.holes) for each in changed]
    if how.shuffle is not None:
        for part in parts:
            how.shuffle.deal(*part)
        parts = list(how.shuffle.parts(BATCH))
    values, holes = zip(*parts, strict=True)
    return np.concatenate(values), np.concatenate(holes)


def _arrow_values(values: npt.NDArray[Any], holes: npt.NDArray[np.bool_]) -> pa.Array:
    return pyarrow().array(values, mask=holes if holes.any() else None)


def _with_column(
    part: pa.RecordBatch, changed: Changed, how: Change, schema: pa.Schema
) -> pa.RecordBatch:
    pa = pyarrow()
    if changed.rows is not None:
        part = part.filter(pa.array(changed.rows))
    values = _arrow_values(changed.values, changed.holes)
    columns = [
        values if field.name == how.column else _plain(part.column(field.name), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _kept_field(field: pa.Field, target: FileFormat, *, drops: bool) -> pa.Field:
    """The type of a kept column in the result."""
    types, kind = pyarrow().types, field.type
    text = target.kind == "csv"
    # A dictionary would still hold the entries of rows that were left out; a CSV has none.
    if types.is_dictionary(kind) and (drops or text):
        kind = kind.value_type
    if text and types.is_string_view(kind):
        kind = pyarrow().large_string()
    if text and (types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind)):
        raise DataError(
            f"column {field.name!r} is of type {kind}, which a CSV cannot hold; write Parquet or "
            "Arrow, or leave it out."
        )
    return pyarrow().field(field.name, kind)


def _plain(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column as the schema has it: categories may have become their values."""
    if column.type == kind:
        return column
    if pyarrow().types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(kind)


def _rows(changed: Changed) -> npt.NDArray[np.bool_]:
    return np.ones(changed.values.size, dtype=bool) if changed.rows is None else changed.rows
