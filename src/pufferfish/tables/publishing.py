"""Files with one column changed, some rows at a time; what is written is whole or not there.

A table of one file becomes one file. A table of many files becomes a folder, or one file where the
target's name is that of a file.

Rows are shuffled whole, with the columns that are kept, and go to files of equal size, which are
only numbered: where a row was says nothing any more. The key of a folder ("key=value") that is kept
becomes a column of these files.

Rows that keep their places keep their files, too: the folder has the same names and each file the
same rows. So the names of files and folders are published, like the rows' order; and the key of a
folder must be a column that is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pufferfish.errors import DataError, InvalidInputError
from pufferfish.extras import pyarrow
from pufferfish.tables.arrow import BATCH
from pufferfish.tables.files import Progress
from pufferfish.tables.folder import writing_folder
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat, names_file, renamed
from pufferfish.tables.mapping import (
    Change,
    Changed,
    Seen,
    Shuffle,
    arrow_values,
    change_rows,
)
from pufferfish.tables.nested import decoded, plain_kind
from pufferfish.tables.one_row import reduced_table
from pufferfish.tables.pieces import OpenTable, Piece, opened_table
from pufferfish.tables.pool import in_order
from pufferfish.tables.rows import Columns, movable, plain_columns, taken
from pufferfish.tables.sources import Source, is_many
from pufferfish.tables.summary import IntArray
from pufferfish.tables.writing import Output, writing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["becomes_folder", "map_file", "refuse_secret_key"]


def becomes_folder(source: str | Path, target: str | Path) -> bool:
    """Whether a table is published as a folder: it may have many files, and the target is none."""
    return is_many(source) and not names_file(target)


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
    """One file or many, changed and written; returns the checksum of what was written.

    Memory is bounded, whatever the number of rows: some batches are under way, in several threads,
    and rows that change places wait in the shuffle.

    Args:
        source: A file, a folder or a pattern; "-" is standard input.
        source_format: Of its files.
        target: A file or a folder, as `becomes_folder` says; "-" is standard output.
        target_format: Of what is written.
        how: What is done.
        force: Replace what is there already.
        progress: Told the share of the table that was read.
        before: Told the checksum, of the file or of the folder's manifest, when all is whole, just
            before it takes its place.
    """
    folder = becomes_folder(source, target)
    with opened_table(str(source), source_format, how.read, how.column, how.secret) as given:
        table = given
        if how.one_row is not None:
            place = None if str(target) == STANDARD_STREAM else Path(target).parent
            table = reduced_table(given, how.one_row, place)
        if str(target) != STANDARD_STREAM and table.source.many:
            table.source.refuse_target(Path(target))
        if how.one_row is not None and folder and how.shuffle is None:
            raise InvalidInputError(
                "one row for each person has no file of its own to stay in: write one file (such "
                "as out.parquet), or leave out --keep-order, so that rows are shuffled."
            )
        shuffle = None if how.shuffle is None else how.shuffle()
        apart = folder and shuffle is None
        if shuffle is None:
            _refuse_published_keys(table.source, how, folder=folder)
        schema = _schema(table, target_format, how, apart=apart)
        names = _new_names(table.source, source_format, target_format) if apart else {}
        output: AbstractContextManager[Output] = (writing_folder if folder else writing)(
            target, target_format, schema, force=force, before=before
        )
        with output as writer:
            work = partial(_changed, how=how, schema=schema, shuffle=shuffle)
            with closing(in_order(table.pieces, work)) as results:
                for done in results:
                    how.account(done.seen.changed, done.seen.persons)
                    if how.look is not None:
                        how.look(done.seen.codes, done.seen.labels, done.columns)
                    if shuffle is None:
                        writer.write(done.rows, names.get(done.file))
                    else:
                        shuffle.take(done.dealt)
                    if progress is not None and done.progress is not None:
                        progress(done.progress)
            how.finish()
            if shuffle is not None:
                with closing(in_order(shuffle.parts(BATCH), lambda part: part())) as shuffled:
                    for rows in shuffled:
                        writer.write(rows, None)
    return writer.sha256


class _Done(NamedTuple):
    """A piece of the table, changed: rows to write, and the same dealt where they are shuffled."""

    file: str
    progress: float | None
    seen: Seen
    rows: pa.RecordBatch
    dealt: Any

    def columns(self, chosen: IntArray) -> Columns:
        """Some of its rows, as they are published."""
        return plain_columns(taken(self.rows, chosen))


def _changed(piece: Piece, how: Change, schema: pa.Schema, shuffle: Shuffle | None) -> _Done:
    with piece.naming():
        seen = change_rows(piece.rows, how, piece.before)
        rows = _with_column(piece.rows, seen.changed, how, schema)
        dealt = None if shuffle is None else shuffle.deal(rows)
    return _Done(piece.file.name, piece.progress, seen, rows, dealt)


def _refuse_published_keys(source: Source, how: Change, *, folder: bool) -> None:
    """Where rows keep their places, the order or the names of folders publish what sorts them."""
    refuse_secret_key(source.keys, how.secret)
    for key in source.keys:
        if folder and key not in how.keep:
            raise InvalidInputError(
                f"the folders are named by {key!r}, which would be published with them. Keep the "
                "column, or write one file (such as out.parquet), or do not keep the order, so "
                "that rows are shuffled."
            )


def refuse_secret_key(keys: Iterable[str], secret: str) -> None:
    """Refuse to keep rows in places that are sorted by the secret."""
    if secret in keys:
        raise InvalidInputError(
            f"the folders are named by the secret {secret!r}: keeping rows in their places would "
            "publish it. Do not keep the order, so that rows are shuffled, or write the table "
            "with other folders first."
        )


def _new_names(source: Source, old: FileFormat, new: FileFormat) -> dict[str, str]:
    """What the files are called where they stay apart."""
    names = {each.name: renamed(each.name, old, new) for each in source.files}
    for name, count in Counter(names.values()).items():
        if count > 1:
            raise InvalidInputError(
                f"{count} files of the table would be written to {name}; rename them."
            )
    return names


def _schema(table: OpenTable, target: FileFormat, how: Change, *, apart: bool) -> pa.Schema:
    """The columns of the result; where files stay apart, keys stay in their folders' names."""
    pa, source = pyarrow(), table.source
    names = how.stays(table.schema.names)
    number = pa.int64() if how.whole else pa.float64()
    return pa.schema(
        [
            pa.field(name, number)
            if name == how.column
            else _kept_field(table.schema.field(name), target)
            for name in names
            if not (apart and name in source.keys)
        ]
    )


def _with_column(
    part: pa.RecordBatch, changed: Changed, how: Change, schema: pa.Schema
) -> pa.RecordBatch:
    pa = pyarrow()
    if changed.rows is not None:
        part = part.filter(pa.array(changed.rows))
    values = arrow_values(changed.values, changed.holes)
    columns = [
        values if field.name == how.column else decoded(part.column(field.name), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _kept_field(field: pa.Field, target: FileFormat) -> pa.Field:
    """The type of a kept column in the result."""
    # A dictionary also holds entries that no row has, or none that is published.
    types, kind = pyarrow().types, movable(plain_kind(field.name, field.type))
    text = target.kind == "csv"
    if text and (types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind)):
        raise DataError(
            f"column {field.name!r} is of type {kind}, which a CSV cannot hold; write Parquet or "
            "Arrow, or leave it out."
        )
    return pyarrow().field(field.name, kind)
