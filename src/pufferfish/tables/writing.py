"""Files out: batches of rows to CSV, Parquet and Arrow, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pufferfish.atomic import replacing
from pufferfish.tables.extras import pyarrow
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableWriter", "writing"]


class TableWriter:
    """Takes batches of one schema; knows the checksum of what it wrote."""

    def __init__(self, file: BinaryIO, format_: FileFormat, schema: pa.Schema) -> None:
        """Write to an open file."""
        self._hashed = _Hashed(file)
        self._stack = contextlib.ExitStack()
        sink: Any = pyarrow().PythonFile(self._hashed, mode="w")
        if format_.compressed:
            sink = self._stack.enter_context(pyarrow().CompressedOutputStream(sink, "gzip"))
        if format_.kind == "csv":
            writer = _CsvWriter(sink, schema.names, format_.delimiter or ",")
        elif format_.kind == "parquet":
            writer = pyarrow("parquet").ParquetWriter(sink, schema)
        else:
            writer = pyarrow("ipc").new_file(sink, schema)
        self._writer = self._stack.enter_context(writer)

    def write(self, part: pa.RecordBatch) -> None:
        """Some more rows."""
        self._writer.write_batch(part)

    def close(self) -> None:
        """Write what a format has at its end."""
        self._stack.close()

    def abandon(self) -> None:
        """Let go of a file that will not be finished: nothing more is written to it."""
        self._hashed.abandoned = True
        with contextlib.suppress(Exception):
            self._stack.close()

    @property
    def sha256(self) -> str:
        """The checksum of the whole file, once it is closed."""
        return self._hashed.digest.hexdigest()


@contextlib.contextmanager
def writing(
    path: str | Path, format_: FileFormat, schema: pa.Schema, *, force: bool = False
) -> Iterator[TableWriter]:
    """A table file, which takes its place under `path` only when it is whole.

    What goes to standard output waits in a temporary file until then, too: a reader at the other
    end of a pipe would already have the rows that a later refusal is about.
    """
    if str(path) == STANDARD_STREAM:
        with tempfile.TemporaryFile() as file:
            yield from _written(file, format_, schema)
            file.seek(0)
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    with replacing(Path(path), force=force) as file:
        yield from _written(file, format_, schema)


def _written(file: BinaryIO, format_: FileFormat, schema: pa.Schema) -> Iterator[TableWriter]:
    writer = TableWriter(file, format_, schema)
    try:
        yield writer
        writer.close()
    except BaseException:
        writer.abandon()
        raise


class _CsvWriter(contextlib.AbstractContextManager["_CsvWriter"]):
    """Arrow's CSV, without the quotes around every name and text that it takes to be needed."""

    def __init__(self, sink: Any, names: list[str], delimiter: str) -> None:
        self._sink, self._delimiter = sink, delimiter
        line = io.StringIO()
        csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(names)
        sink.write(line.getvalue().encode("utf-8"))
        self._special = f'["\r\n{re.escape(delimiter)}]'

    def write_batch(self, part: pa.RecordBatch) -> None:
        pa, pc, arrow_csv = pyarrow(), pyarrow("compute"), pyarrow("csv")
        text = pa.types.is_string, pa.types.is_large_string
        texts = [each for each in part.columns if any(kind(each.type) for kind in text)]
        quoted = any(
            pc.any(pc.match_substring_regex(each, self._special)).as_py() for each in texts
        )
        options = arrow_csv.WriteOptions(
            include_header=False,
            delimiter=self._delimiter,
            quoting_style="needed" if quoted else "none",
        )
        arrow_csv.write_csv(part, self._sink, options)

    def __exit__(self, *_: object) -> None:
        """Nothing is held back."""


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
        """Whoever opened the file closes it."""
        self.closed = True
