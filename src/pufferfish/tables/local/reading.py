"""Read files: batches of rows from CSV, Parquet and Arrow, in bounded memory."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow
from pufferfish.tables.arrow import BATCH
from pufferfish.tables.encodings import is_wide, not_utf8
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat, delimiter_of
from pufferfish.tables.marks import without_marks
from pufferfish.tables.names import (
    MARKS_HINT,
    check_columns,
    commas_of,
    not_numeric,
    with_commas,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableFile", "as_numbers", "name_of", "open_file"]

_BLOCK_BYTES = 1 << 22
_FIRST_BYTES = 1 << 16
# Whether numbers have decimal commas is judged by this number of entries.
_MOST_LOOKED_AT = 10_000
# Where all columns are read there may be many, so fewer rows are read at a time.
_FEW_ROWS = 1 << 14
_PAGE_BYTES = 1 << 20
# How Parquet and gzipped files begin.
_NOT_TEXT = (b"PAR1", b"\x1f\x8b")
_NEWLINE = re.compile(rb"\r\n|\n|\r")
_ROW = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableFile:
    """An open table: the requested columns, and their rows some at a time.

    Attributes:
        names: All columns of the file.
        schema: Names and types of the requested columns, in the file's order.
        parts: The rows.
        source: What is read from.
        size: How many bytes it has; 0 where that is not known.
    """

    names: tuple[str, ...]
    schema: pa.Schema
    parts: Iterator[pa.RecordBatch]
    source: Any
    size: int

    @property
    def progress(self) -> float | None:
        """The share of the file that was read; None where that is not known."""
        return min(self.source.tell() / self.size, 1.0) if self.size else None


@contextlib.contextmanager
def open_file(
    path: str | Path,
    format_: FileFormat,
    columns: Sequence[str] | None,
    numbers: tuple[str, ...],
    labels: tuple[str, ...] = (),
) -> Iterator[TableFile]:
    """A table file, open for reading.

    Args:
        path: The file, or "-" for standard input.
        format_: Its format.
        columns: The columns to read; None: all with a unique name, read so that the first rows of a
            large file take little time and memory.
        numbers: The columns that must hold numbers. In a CSV everything else is text, which is
            passed on unchanged.
        labels: The columns of which only the categories matter; those of a Parquet file are faster
            than text.
    """
    pyarrow()
    with contextlib.ExitStack() as stack:
        size = 0
        if str(path) == STANDARD_STREAM:
            source: Any = sys.stdin.buffer
        else:
            source = stack.enter_context(Path(path).open("rb", buffering=_FIRST_BYTES))
            size = Path(path).stat().st_size
        open_ = {"csv": _open_csv, "parquet": _open_parquet, "arrow": _open_arrow}[format_.kind]
        with _readable():
            names, schema, parts = open_(source, format_, columns, numbers, labels)
        yield TableFile(names=names, schema=schema, parts=parts, source=source, size=size)


def name_of(path: str) -> str:
    """The name of a table's file, without its folders; an open file may have none."""
    if path in (STANDARD_STREAM, "<stdin>"):
        return "standard input"
    return "the file" if Path(path).parent.name == "fd" else Path(path).name or path


_Opened = tuple[tuple[str, ...], Any, Iterator[Any]]


def _open_csv(
    source: Any,
    format_: FileFormat,
    columns: Sequence[str] | None,
    numbers: tuple[str, ...],
    labels: tuple[str, ...],
) -> _Opened:
    pa, arrow_csv = pyarrow(), pyarrow("csv")
    file = source

    if format_.compressed:
        source = io.BufferedReader(gzip.GzipFile(fileobj=source), _FIRST_BYTES)
    beginning = source.peek(_FIRST_BYTES)
    if is_wide(beginning):
        raise DataError(not_utf8(beginning))
    if b"\0" in beginning or beginning.startswith(_NOT_TEXT):
        raise DataError("the file is not CSV text; name its format with --format.")
    start = _NEWLINE.split(beginning, maxsplit=1)[0]
    if len(start) < len(beginning) and not _is_utf8(start):
        raise DataError(not_utf8(beginning))
    line = start.decode("utf-8-sig", "replace")
    if not line:
        raise DataError(
            f"{name_of(file.name)} is empty: a CSV needs a first line with the names of its "
            "columns."
        )
    delimiter = delimiter_of(line, format_)
    names = next(csv.reader([line], delimiter=delimiter))
    known = columns is not None and set(columns) <= set(names)
    if not known and any(_is_number(name) for name in names):
        # A message with the names would quote a row.
        raise DataError(
            "the first line of the CSV holds numbers, not the names of columns. Put a line with "
            "the names before it."
        )
    wanted = _wanted(names, columns)
    quotes = _Quotes(source)
    reader = arrow_csv.open_csv(
        pa.PythonFile(quotes, mode="r"),
        # One thread: several threads lose the number of a row that cannot be read.
        read_options=arrow_csv.ReadOptions(block_size=_BLOCK_BYTES, use_threads=False),
        parse_options=arrow_csv.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=True,
            # In a single column an empty line is a row without a value.
            ignore_empty_lines=len(names) > 1,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in wanted}, include_columns=wanted
        ),
    )
    schema = pa.schema(
        [(each, pa.float64() if each in numbers else pa.string()) for each in wanted]
    )
    marked = _Marked(numbers, labels, format_.na)
    return tuple(names), schema, _csv_parts(reader, schema, marked, quotes, beginning)


class _Quotes:
    """A file that counts the quotes read from it."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.count = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._source.read(size)
        self.count += data.count(b'"')
        return data

    def close(self) -> None:
        """What opened the file closes it."""
        self.closed = True


def _wanted(names: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    """The requested columns, in the file's order; refuses names that several columns share."""
    if columns is None:
        columns = [name for name in names if names.count(name) == 1] or names
    check_columns(names, *columns)
    return [name for name in names if name in columns]


class _Marked(NamedTuple):
    """The columns in which marks mean a missing entry, and these marks."""

    numbers: tuple[str, ...]
    labels: tuple[str, ...]
    na: tuple[str, ...]

    def column(self, part: pa.RecordBatch, name: str) -> pa.Array:
        """A column of some rows, null where there is a mark."""
        array = part.column(name)
        return without_marks(array, self.na) if name in self.numbers + self.labels else array


def _csv_parts(
    reader: Any, schema: pa.Schema, marked: _Marked, quotes: _Quotes, beginning: bytes
) -> Iterator[Any]:
    pa = pyarrow()

    rows = 0
    for part in _safely(reader, beginning):
        columns = [
            as_numbers(name, marked.column(part, name), rows)
            if name in marked.numbers
            else marked.column(part, name)
            for name in schema.names
        ]
        rows += part.num_rows
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
    if quotes.count % 2:
        raise DataError(
            "the CSV ends within quotes: it is cut off, or a quote within a text is not doubled."
        )


def as_numbers(name: str, text: pa.Array, rows: int) -> pa.Array:
    """Text as float64, null where it is empty; `rows` come before it."""
    pa, pc = pyarrow(), pyarrow("compute")

    with contextlib.suppress(pa.ArrowInvalid):
        return pc.cast(text, pa.float64())
    trimmed = pc.utf8_trim_whitespace(text)
    present = pc.if_else(pc.equal(trimmed, ""), None, trimmed)
    try:
        return pc.cast(present, pa.float64())
    except pa.ArrowInvalid:
        row = rows + _first_text(present) + 1
        some = present.drop_null()[:_MOST_LOOKED_AT].to_pylist()
        if commas := commas_of((each, 1) for each in some):
            raise DataError(with_commas(name, commas, f" in row {row}")) from None
        message = not_numeric(name, f"text in row {row}")
        raise DataError(f"{message} {MARKS_HINT}") from None


def _first_text(column: pa.Array) -> int:
    """The first entry that is not a number, found by bisection."""
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        if _are_numbers(column[low:middle]):
            low = middle
        else:
            high = middle
    return low


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_number(entry: str) -> bool:
    return _are_numbers(pyarrow().array([entry.strip()], pyarrow().string()))


def _are_numbers(column: pa.Array) -> bool:
    pa = pyarrow()

    try:
        column.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _open_parquet(
    source: Any,
    format_: FileFormat,
    columns: Sequence[str] | None,
    numbers: tuple[str, ...],
    labels: tuple[str, ...],
) -> _Opened:
    parquet, types = pyarrow("parquet"), pyarrow().types
    if columns is None:
        # Read page by page: a row group may be as large as the file.
        file = parquet.ParquetFile(source, pre_buffer=False, buffer_size=_PAGE_BYTES)
    else:
        file = parquet.ParquetFile(source)
    names = file.schema_arrow.names
    wanted = _wanted(names, columns)
    given = [file.schema_arrow.field(name) for name in labels if name in names]
    texts = [field.name for field in given if types.is_string(field.type)]
    if texts:
        file = parquet.ParquetFile(source, metadata=file.metadata, read_dictionary=texts)
    chosen = pyarrow().schema([file.schema_arrow.field(name) for name in wanted])
    rows = BATCH if columns is not None else _FEW_ROWS
    parts = (
        part
        for groups in _row_groups(file.metadata)
        for part in file.iter_batches(batch_size=rows, row_groups=groups, columns=wanted)
    )
    return tuple(names), chosen, _without_marks(parts, _Marked(numbers, labels, format_.na))


def _without_marks(parts: Iterator[Any], marked: _Marked) -> Iterator[Any]:
    for part in _safely(parts):
        if not marked.na:
            yield part
            continue
        columns = [marked.column(part, name) for name in part.schema.names]
        yield pyarrow().RecordBatch.from_arrays(columns, schema=part.schema)


def _row_groups(metadata: Any) -> Iterator[list[int]]:
    """Some row groups at a time: one reader for all would keep everything until the end."""
    together: list[int] = []
    rows = 0
    for group in range(metadata.num_row_groups):
        together.append(group)
        rows += metadata.row_group(group).num_rows
        if rows >= BATCH:
            yield together
            together, rows = [], 0
    if together:
        yield together


def _open_arrow(
    source: Any,
    format_: FileFormat,
    columns: Sequence[str] | None,
    numbers: tuple[str, ...],
    labels: tuple[str, ...],
) -> _Opened:
    pa = pyarrow()

    # Only the used parts of a mapped file are read: a batch may be as large as the file.
    file = pa.ipc.open_file(source if columns is not None else pa.memory_map(source.name))
    names = file.schema.names
    wanted = _wanted(names, columns)
    chosen = pa.schema([file.schema.field(name) for name in wanted])
    parts = (file.get_batch(index).select(wanted) for index in range(file.num_record_batches))
    return tuple(names), chosen, _without_marks(parts, _Marked(numbers, labels, format_.na))


def _safely(parts: Iterator[Any], beginning: bytes = b"") -> Iterator[Any]:
    """The same batches; errors do not quote a cell."""
    while True:
        with _readable(beginning):
            part = next(parts, None)
        if part is None:
            return
        if part.num_rows:
            yield part


@contextlib.contextmanager
def _readable(beginning: bytes = b"") -> Iterator[None]:
    """Turn errors of a reader into messages without any of the file's content.

    Args:
        beginning: The first bytes of a text, which show its encoding.
    """
    pa = pyarrow()

    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError("the compressed file is damaged, or ends too early.") from None
    except pa.ArrowKeyError:
        raise DataError(
            "the names of the columns cannot be read: one of them holds a line break. Rename it."
        ) from None
    except pa.ArrowInvalid as error:
        found = _ROW.search(str(error))
        if found:
            row, expected, got = found.groups()
            raise DataError(
                f"row {int(row) - 1} has {got} fields where the first line has {expected}. Correct "
                "it, or name the delimiter (--delimiter)."
            ) from None
        if "UTF8" in str(error):
            raise DataError(not_utf8(beginning)) from None
        raise DataError(
            "the file cannot be read: it is damaged, ends too early, or is not what its name says."
        ) from None
