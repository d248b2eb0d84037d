"""Write files: batches of rows to CSV, Parquet and Arrow, completely or not at all."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import re
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeVar

from pufferfish.core.atomic import replacing
from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Output", "TableWriter", "abandoning", "writing"]


# How many batches may wait to be written.
_MOST_WAITING = 3


class Output(Protocol):
    """Where changed rows go."""

    def write(self, part: pa.RecordBatch, file: str | None) -> None:
        """Write some more rows to a file of the result; None: any file."""

    def close(self) -> None:
        """Write the remaining rows, and the end of the file."""

    def abandon(self) -> None:
        """Close what will not be finished."""

    @property
    def sha256(self) -> str:
        """The checksum of all that was written, once it is closed."""


_Output = TypeVar("_Output", bound=Output)


class TableWriter:
    """Writes batches of one schema while the next are being made, and computes the checksum."""

    def __init__(self, file: BinaryIO, format_: FileFormat, schema: pa.Schema) -> None:
        """Write to an open file."""
        self._hashed = _Hashed(file)
        self._stack = contextlib.ExitStack()
        sink: Any = pyarrow().PythonFile(self._hashed, mode="w")
        if format_.compressed:
            sink = self._stack.enter_context(pyarrow().CompressedOutputStream(sink, "gzip"))
        self._sink = sink
        if format_.kind == "csv":
            writer = _CsvText(format_.delimiter or ",")
            sink.write(writer.line(schema.names))
        elif format_.kind == "parquet":
            # Noised numbers hardly repeat: looking for repeats would take most of the time.
            repeated = [each.name for each in schema if not pyarrow().types.is_floating(each.type)]
            writer = pyarrow("parquet").ParquetWriter(sink, schema, use_dictionary=repeated)
        else:
            writer = pyarrow("ipc").new_file(sink, schema)
        self._writer = self._stack.enter_context(writer)
        # Several threads make text, which is written in order; other formats have a state.
        self._threads = ThreadPoolExecutor(max_workers=2 if format_.kind == "csv" else 1)
        self._waiting: deque[Future[Any]] = deque()

    def write(self, part: pa.RecordBatch, _: str | None) -> None:
        """Write some more rows, all to one file.

        Errors of earlier rows are raised here, or by `close`.
        """
        while len(self._waiting) >= _MOST_WAITING:
            self._finish(self._waiting.popleft())
        task = self._writer.text if isinstance(self._writer, _CsvText) else self._writer.write_batch
        self._waiting.append(self._threads.submit(task, part))

    def close(self) -> None:
        """Write the remaining rows, and the end of the file."""
        while self._waiting:
            self._finish(self._waiting.popleft())
        self._threads.shutdown()
        self._stack.close()

    def _finish(self, written: Future[Any]) -> None:
        pa = pyarrow()
        try:
            text = written.result()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            # Arrow's own message would quote a cell.
            raise DataError(
                "a kept column cannot be written in this format; choose another, or leave it out."
            ) from None
        if text is not None:
            self._sink.write(text)

    def abandon(self) -> None:
        """Close a file that will not be finished: nothing more is written to it."""
        self._hashed.abandoned = True
        self._threads.shutdown(wait=True, cancel_futures=True)
        with contextlib.suppress(Exception):
            self._stack.close()

    @property
    def sha256(self) -> str:
        """The checksum of the whole file, once it is closed."""
        return self._hashed.digest.hexdigest()


@contextlib.contextmanager
def writing(
    path: str | Path,
    format_: FileFormat,
    schema: pa.Schema,
    *,
    force: bool = False,
) -> Iterator[TableWriter]:
    """A table file, which takes its place under `path` if the block raises no error.

    The caller closes it. Standard output too is kept in a temporary file until then: otherwise a
    reader at the other end of a pipe would already have rows that are refused later.
    """
    if str(path) == STANDARD_STREAM:
        with tempfile.TemporaryFile() as waiting:
            with abandoning(TableWriter(waiting, format_, schema)) as writer:
                yield writer
            waiting.seek(0)
            shutil.copyfileobj(waiting, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    with (
        replacing(Path(path), force=force) as file,
        abandoning(TableWriter(file, format_, schema)) as writer,
    ):
        yield writer


@contextlib.contextmanager
def abandoning(writer: _Output) -> Iterator[_Output]:
    """Abandon a writer if there is an error."""
    try:
        yield writer
    except BaseException:
        writer.abandon()
        raise


_EMPTY_LINE = re.compile(rb"^\n", re.MULTILINE)


class _CsvText(contextlib.AbstractContextManager["_CsvText"]):
    """Arrow's CSV, but with quotes only where a name or text needs them."""

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        self._special = (b'"', b"\r", b"\n", delimiter.encode("utf-8"))

    def line(self, names: list[str]) -> bytes:
        line = io.StringIO()
        csv.writer(line, delimiter=self._delimiter, lineterminator="\n").writerow(names)
        return line.getvalue().encode("utf-8")

    def text(self, part: pa.RecordBatch) -> pa.Buffer:
        arrow_csv, sink = pyarrow("csv"), pyarrow().BufferOutputStream()
        options = arrow_csv.WriteOptions(
            include_header=False,
            delimiter=self._delimiter,
            quoting_style="needed" if self._needs_quotes(part) else "none",
        )
        arrow_csv.write_csv(part, sink, options)
        if part.num_columns == 1 and part.column(0).null_count:
            # A hole would be an empty line, which readers skip.
            return pyarrow().py_buffer(_EMPTY_LINE.sub(b'""\n', sink.getvalue().to_pybytes()))
        return sink.getvalue()

    def _needs_quotes(self, part: pa.RecordBatch) -> bool:
        """Whether a text may hold a character that ends a field or a row."""
        types = pyarrow().types
        for column in part.columns:
            if types.is_string(column.type) or types.is_large_string(column.type):
                letters = column.buffers()[2]
                text = b"" if letters is None else letters.to_pybytes()
                if any(mark in text for mark in self._special):
                    return True
        return False

    def __exit__(self, *_: object) -> None:
        """Do nothing: nothing is buffered."""


class _Hashed:
    """A file that keeps the checksum of what is written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.digest = hashlib.sha256()
        self.closed = False
        self.abandoned = False

    def write(self, data: bytes) -> int:
        if self.abandoned:
            return len(data)
        self.digest.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        if not self.abandoned:
            self._file.flush()

    def close(self) -> None:
        """What opened the file closes it."""
        self.closed = True
