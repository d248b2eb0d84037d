"""Change rows of arrays, frames and files: each goes once through a callable, some at a time.

This module does not know what the callable does. Arrays and frames are changed in one step. For
files, several batches are in progress at a time, in several threads, as fast as
`pufferfish.tables.local.publish` takes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.extras import narwhals, pyarrow
from pufferfish.tables.arrays import array_batch, narrow, new_array
from pufferfish.tables.arrow import BATCH, arrow_batch, arrow_column, arrow_type
from pufferfish.tables.batch import Coded, IntArray, Numbers, join_columns
from pufferfish.tables.change import Change, Changed, Shuffle
from pufferfish.tables.engine import Progress
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat, names_file, rename_for
from pufferfish.tables.local.dtypes import as_given
from pufferfish.tables.local.frames import collect_frame, frame_columns, native, to_arrow
from pufferfish.tables.local.one_row import reduce_arrays, reduce_frame, reduce_table
from pufferfish.tables.local.persons import (
    PersonCounter,
    SomePersons,
    array_persons,
    arrow_persons,
)
from pufferfish.tables.local.pieces import Piece, open_table
from pufferfish.tables.local.pool import in_order
from pufferfish.tables.local.reading import as_numbers
from pufferfish.tables.local.result import result_schema, with_columns
from pufferfish.tables.marks import without_marks
from pufferfish.tables.names import check_columns, refuse_sorting_keys
from pufferfish.tables.rows import Columns, plain_columns, take_rows
from pufferfish.tables.seen import NOBODY, PersonsFound
from pufferfish.tables.sources import Source, is_many

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ChangedArrays",
    "ChangedFiles",
    "ChangedFrame",
    "becomes_folder",
    "change_arrays",
    "change_files",
    "change_frame",
]


class ChangedArrays(NamedTuple):
    """A dict of arrays, changed.

    Attributes:
        kept: The columns that stay as they are.
        columns: The columns with new values.
        names: All columns, in their order.
        persons: What was found about its persons.
        kinds: The types of columns that keep theirs.
    """

    kept: dict[str, npt.NDArray[Any]]
    columns: Mapping[str, Numbers | Coded]
    names: list[str]
    persons: PersonsFound
    kinds: Mapping[str, npt.DTypeLike]

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All columns."""
        new = {name: new_array(each, self.kinds.get(name)) for name, each in self.columns.items()}
        both = self.kept | new
        return {name: both[name] for name in self.names}


def change_arrays(table: Mapping[str, Any], how: Change) -> ChangedArrays:
    """A dict of arrays, with new values."""
    check_columns(list(table), *how.read)
    names = list(table)
    if how.one_row is not None:
        table = reduce_arrays(table, how.one_row)
    batch = array_batch(table, how.numbers, how.labelled_secret, how.labels)
    batch = how.with_secrets(batch, None if how.one_row else 0)
    for name in how.read:
        if np.ma.asanyarray(table[name]).shape != (batch.rows,):
            raise DataError(f"column {name!r} must be as long as the others.")
    persons = PersonCounter(most_held=None)
    if how.person is not None:
        column, values = table[how.person], how.compared(batch)
        persons.add(array_persons(how.person, column, values, batch.secret, how.pairs))
    changed = how.checked(batch, None if how.one_row else 0)
    how.account(changed)
    rows = slice(None) if changed.rows is None else changed.rows
    kept = {name: narrow(np.asanyarray(table[name])[rows]) for name in how.keep}
    stays = how.stays(names)
    columns = {name: changed.columns[name] for name in stays if name in how.columns}
    same = [name for name in columns if how.columns[name] == "same"]
    kinds = {name: np.ma.asanyarray(table[name]).dtype for name in same}
    result = ChangedArrays(kept, columns, stays, persons.found(), kinds)
    if how.look is not None:
        arrays = result.arrays
        secrets = how.looked_for(batch, None if how.one_row else 0)
        how.show(
            [Coded(each.codes[rows], each.labels) for each in secrets],
            lambda chosen: {name: each[chosen].tolist() for name, each in arrays.items()},
        )
    return result


class ChangedFrame(NamedTuple):
    """A frame, changed.

    Attributes:
        frame: The frame with the columns that stay, eager, behind narwhals' interface.
        columns: The changed columns again.
        lazy: Whether a lazy frame was given.
        persons: What was found about its persons.
    """

    frame: Any
    columns: dict[str, Numbers | Coded]
    lazy: bool
    persons: PersonsFound


def change_frame(frame: Any, how: Change) -> ChangedFrame:
    """A frame, with new values; a lazy one is computed."""
    given = native(frame)
    names = given.collect_schema().names()
    check_columns(names, *how.read)
    if how.one_row is not None:
        given = native(reduce_frame(frame, how.one_row))
    table = collect_frame(given.select(*how.read))
    looked_at = [
        name for name in how.read if name not in how.keep or name in how.reads or name == how.person
    ]
    arrow = to_arrow(table.select(*looked_at), *how.numbers)
    seen = _all_changed(arrow.to_batches(max_chunksize=BATCH), how)
    if not seen:
        # Refuses a table without rows.
        how.finish(NOBODY)
    changed = [each.changed for each in seen]
    columns = {
        name: join_columns([each.columns[name] for each in changed])
        for name in how.stays(names)
        if name in how.columns
    }
    new = {
        name: arrow_column(each, arrow_type(name, how.columns[name], arrow.schema.field(name).type))
        for name, each in columns.items()
    }
    result = narwhals().from_arrow(pyarrow().table(new), backend=table.implementation)
    result = result.with_columns(
        *(
            as_given(columns[name], result.get_column(name), table.get_column(name))
            for name in columns
            if how.columns[name] == "same"
        )
    )
    if how.keep:
        kept = table.select(*how.stays(names))
        if any(each.rows is not None for each in changed):
            kept = kept.filter(np.concatenate([each.stays for each in seen]).tolist())
        # A pandas index could reveal what a dropped column held.
        kept = narwhals().maybe_reset_index(kept)
        result = kept.with_columns(*(result.get_column(name) for name in new))
    before = 0
    for each in seen:
        how.show(each.secrets, partial(frame_columns, result, before))
        before += int(each.stays.sum())
    persons = PersonCounter(most_held=None)
    for each in seen:
        if each.persons is not None:
            persons.add(each.persons)
    return ChangedFrame(result, columns, hasattr(given, "collect"), persons.found())


class _Seen(NamedTuple):
    """Some rows after the change, and whose they are.

    Attributes:
        changed: The rows that stay.
        persons: The persons of all rows, where they are needed.
        secrets: The secrets of each row that stays, for the observer.
        rows: How many rows there were.
    """

    changed: Changed
    persons: SomePersons | None
    secrets: tuple[Coded, ...]
    rows: int

    @property
    def stays(self) -> npt.NDArray[np.bool_]:
        """Which rows stay."""
        return np.ones(self.rows, dtype=bool) if self.changed.rows is None else self.changed.rows


def _change_rows(rows: pa.RecordBatch, how: Change, before: int | None) -> _Seen:
    """Change some rows; `before`: how many come before them, where that is known."""
    batch, persons = arrow_batch(rows, how.numbers, how.labelled_secret, how.labels), None
    batch = how.with_secrets(batch, before)
    if how.person is not None:
        names, values = rows.column(how.person), how.compared(batch)
        persons = arrow_persons(how.person, names, values, batch.secret, before or 0, how.pairs)
    changed = how.checked(batch, before)
    secrets = how.looked_for(batch, before)
    if changed.rows is not None:
        stays = np.flatnonzero(changed.rows)
        secrets = tuple(each.taken(stays) for each in secrets)
    return _Seen(changed, persons, secrets, batch.rows)


def _all_changed(parts: Sequence[pa.RecordBatch], how: Change) -> list[_Seen]:
    starts: list[int | None] = np.cumsum([0, *(part.num_rows for part in parts[:-1])]).tolist()
    if how.one_row is not None:
        starts = [None] * len(parts)
    numbered = zip(parts, starts, strict=True) if parts else ()
    results = []
    for seen in in_order(numbered, lambda each: _change_rows(each[0], how, each[1])):
        how.account(seen.changed)
        results.append(seen)
    return results


class _Part(NamedTuple):
    """Some rows of a file, changed.

    Attributes:
        file: The name of the file.
        progress: The share of the table that was read up to here; None where that is not known.
        seen: The rows after the change.
        rows: The rows as they are written.
        dealt: The rows for the shuffle, if there is one.
    """

    file: str
    progress: float | None
    seen: _Seen
    rows: pa.RecordBatch
    dealt: Any

    def columns(self, chosen: IntArray) -> Columns:
        """Some of its rows, as they are published."""
        return plain_columns(take_rows(self.rows, chosen))


class ChangedFiles(NamedTuple):
    """The changed rows of one or several files, while the table is open.

    Attributes:
        schema: The columns of the result.
        names: The names of the files where they stay apart; else empty.
        shuffle: Takes the rows that change places; None: they stay.
        parts: All rows, in order.
    """

    schema: pa.Schema
    names: dict[str, str]
    shuffle: Shuffle | None
    parts: Iterator[_Part]


def becomes_folder(source: str | Path, target: str | Path) -> bool:
    """Whether a table becomes a folder: it may have several files, and the target is no file."""
    return is_many(source) and not names_file(target)


@contextmanager
def change_files(
    source: str,
    source_format: FileFormat,
    target: str,
    target_format: FileFormat,
    how: Change,
    progress: Progress | None = None,
) -> Iterator[ChangedFiles]:
    """One or several files, with new values, for a file or a folder as `becomes_folder` says.

    Memory is bounded, whatever the number of rows: a few batches are in progress, in several
    threads, and the shuffle holds rows that change places.

    Args:
        source: A file, a folder or a pattern; "-" is standard input.
        source_format: The format of its files.
        target: A file or a folder; "-" is standard output.
        target_format: The format to write.
        how: What is done.
        progress: Called with the share of the table that was read.
    """
    folder = becomes_folder(source, target)
    beside = None if target == STANDARD_STREAM else Path(target).parent
    # Kept columns are published unchanged, also where the change reads them.
    numbers = tuple(name for name in how.numbers if name not in how.keep)
    named = how.labels if how.labelled_secret is None else (how.secret, *how.labels)
    labels = tuple(name for name in named if name not in how.keep)
    with open_table(source, source_format, how.read, numbers, labels) as given:
        table = given
        if how.one_row is not None:
            table = reduce_table(given, how.one_row, beside)
        if beside is not None and table.source.many:
            table.source.refuse_target(Path(target))
        if how.one_row is not None and folder and how.shuffle is None:
            raise InvalidInputError(
                "with one row for each person, rows cannot stay in their files: write one file "
                "(such as out.parquet), or leave out --keep-order, so that rows are shuffled."
            )
        shuffle = None if how.shuffle is None else how.shuffle(beside)
        apart = folder and shuffle is None
        if shuffle is None:
            _refuse_published_keys(table.source, how, folder=folder)
        schema = result_schema(table, target_format, how, apart=apart)
        names = _new_names(table.source, source_format, target_format) if apart else {}
        work = partial(_change_piece, how=how, schema=schema, shuffle=shuffle, na=source_format.na)
        with closing(in_order(table.pieces, work)) as parts:
            yield ChangedFiles(schema, names, shuffle, _telling(parts, progress))


def _telling(parts: Iterator[_Part], progress: Progress | None) -> Iterator[_Part]:
    """The same parts; reports progress after each."""
    for part in parts:
        yield part
        if progress is not None and part.progress is not None:
            progress(part.progress)


def _change_piece(
    piece: Piece, how: Change, schema: pa.Schema, shuffle: Shuffle | None, na: tuple[str, ...]
) -> _Part:
    with piece.naming():
        seen = _change_rows(_looked_at(piece, how, na), how, piece.before)
        rows = with_columns(piece.rows, seen.changed, how, schema)
        dealt = None if shuffle is None else shuffle.deal(rows)
    return _Part(piece.file.name, piece.progress, seen, rows, dealt)


def _looked_at(piece: Piece, how: Change, na: tuple[str, ...]) -> pa.RecordBatch:
    """Rows as the change reads them: kept columns too without marks, and as numbers."""
    pa, rows = pyarrow(), piece.rows
    for name in how.reads:
        if name not in how.keep:
            continue
        column = without_marks(rows.column(name), na)
        if name in how.numbers and pa.types.is_string(column.type):
            column = as_numbers(name, column, piece.before or 0)
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, name, column)
    return rows


def _refuse_published_keys(source: Source, how: Change, *, folder: bool) -> None:
    """Refuse rows that keep their places if their order or the folders' names reveal a column."""
    refuse_sorting_keys(source.keys, how.secret, how.columns)
    for key in source.keys:
        if folder and key not in how.keep:
            raise InvalidInputError(
                f"the folders are named by {key!r}, which would be published with them. Keep the "
                "column, or write one file (such as out.parquet), or do not keep the order, so "
                "that rows are shuffled."
            )


def _new_names(source: Source, old: FileFormat, new: FileFormat) -> dict[str, str]:
    """The names of the files where they stay apart."""
    names = {each.name: rename_for(each.name, old, new) for each in source.files}
    for name, count in Counter(names.values()).items():
        if count > 1:
            raise InvalidInputError(
                f"{count} files of the table would be written to {name}; rename them."
            )
    return names
