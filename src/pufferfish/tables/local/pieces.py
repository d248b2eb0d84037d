"""A table of one or several files, open for reading: its rows some at a time, in order."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.extras import pyarrow
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local.reading import TableFile, name_of, open_file
from pufferfish.tables.sources import Source, SourceFile, find_source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OpenTable", "Piece", "naming", "naming_table", "open_table"]


class Piece(NamedTuple):
    """Some rows of one file.

    Attributes:
        rows: The requested columns.
        file: The file.
        before: How many of its rows come before these; None: unknown.
        progress: The share of the table that was read up to here; None where that is not known.
        many: Whether the table may have other files.
    """

    rows: pa.RecordBatch
    file: SourceFile
    before: int | None
    progress: float | None
    many: bool

    def naming(self) -> contextlib.AbstractContextManager[None]:
        """A context in which an error names the file that it is about."""
        return naming(self.file, many=self.many)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OpenTable:
    """An open table, with the requested columns.

    Attributes:
        source: Its files.
        schema: Names and types, in the order of the first file; keys of folders come last.
        pieces: All rows. Each file has at least one piece, which may have no rows.
    """

    source: Source
    schema: pa.Schema
    pieces: Iterator[Piece]


@contextlib.contextmanager
def open_table(
    path: str,
    format_: FileFormat,
    columns: Sequence[str],
    numbers: tuple[str, ...],
    labels: tuple[str, ...] = (),
) -> Iterator[OpenTable]:
    """One file, a folder or a pattern, open for reading; the arguments are those of `open_file`.

    The keys of folders ("key=value") are columns of text.

    Raises:
        DataError: The files differ in the requested columns.
    """
    reader = _Reader(find_source(path), format_, columns, numbers, labels)
    with reader.opened(reader.source.files[0]) as first:
        schema = reader.schema(first)
        yield OpenTable(source=reader.source, schema=schema, pieces=reader.pieces(first, schema))


class _Reader(NamedTuple):
    """What is read, and how."""

    source: Source
    format_: FileFormat
    columns: Sequence[str]
    numbers: tuple[str, ...]
    labels: tuple[str, ...]

    @contextlib.contextmanager
    def opened(self, file: SourceFile) -> Iterator[TableFile]:
        keys = self.source.keys
        inside = [name for name in self.columns if name not in keys]
        with contextlib.ExitStack() as stack:
            with naming(file, many=self.source.many):
                table = stack.enter_context(
                    open_file(file.path, self.format_, inside, self.numbers, self.labels)
                )
                both = sorted(set(keys) & set(self.columns) & set(table.names))
                if both:
                    raise DataError(
                        f"column {both[0]!r} is in the file and is also the key of its folder."
                    )
            yield table

    def schema(self, table: TableFile) -> pa.Schema:
        pa = pyarrow()
        keys = [name for name in self.source.keys if name in self.columns]
        return pa.schema([*table.schema, *(pa.field(name, pa.string()) for name in keys)])

    def pieces(self, first: TableFile, schema: pa.Schema) -> Iterator[Piece]:
        files = self.source.files
        for number, file in enumerate(files):
            with contextlib.nullcontext(first) if number == 0 else self.opened(file) as table:
                with naming(file, many=self.source.many):
                    self._refuse_other(self.schema(table), schema)
                before = 0
                for rows in self._rows(file, table, schema):
                    share = table.progress
                    progress = None if share is None else (number + share) / len(files)
                    yield Piece(rows, file, before, progress, self.source.many)
                    before += rows.num_rows

    def _rows(
        self, file: SourceFile, table: TableFile, schema: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a file, with the keys of its folders; at least one batch."""
        pa, keys = pyarrow(), dict(file.keys)
        found = False
        parts = iter(table.parts)
        while True:
            with naming(file, many=self.source.many):
                part = next(parts, None)
            if part is None:
                break
            found = True
            columns = [
                pa.repeat(pa.scalar(self._key(name, keys[name]), pa.string()), part.num_rows)
                if name in keys
                else part.column(name)
                for name in schema.names
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)
        if not found:
            yield pa.RecordBatch.from_pylist([], schema=schema)

    def _key(self, name: str, value: str | None) -> str | None:
        marked = name in self.labels and value is not None and value.strip() in self.format_.na
        return None if marked else value

    def _refuse_other(self, schema: pa.Schema, first: pa.Schema) -> None:
        for field in first:
            kind = schema.field(field.name).type
            if kind != field.type:
                raise DataError(
                    f"column {field.name!r} is of type {kind}, but of type {field.type} in "
                    f"{self.source.files[0].name}. Convert one of them first."
                )


@contextlib.contextmanager
def naming_table(path: str) -> Iterator[None]:
    """A context in which an error about the data names the table."""
    try:
        yield
    except DataError as error:
        raise type(error)(f"{name_of(path)}: {error}") from None


@contextlib.contextmanager
def naming(file: SourceFile, *, many: bool) -> Iterator[None]:
    """A context in which an error names the file, if the table may have other files."""
    try:
        yield
    except InvalidInputError as error:
        if not many or str(error).startswith(file.name):
            raise
        raise type(error)(f"{file.name}: {error}") from None
