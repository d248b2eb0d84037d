"""Files out: batches of rows to CSV, Parquet and Arrow, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import sys
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
            delimiter = format_.delimiter or ","
            # Arrow would put every name in quotes.
            names = io.StringIO()
            csv.writer(names, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
            sink.write(names.getvalue().encode("utf-8"))
            options = pyarrow("csv").WriteOptions(
                include_header=False, delimiter=delimiter, quoting_style="needed"
            )
            writer = pyarrow("csv").CSVWriter(sink, schema, write_options=options)
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

    @property
    def sha256(self) -> str:
        """The checksum of the whole file, once it is closed."""
        return self._hashed.digest.hexdigest()


@contextlib.contextmanager
def writing(
    path: str | Path, format_: FileFormat, schema: pa.Schema, *, force: bool = False
) -> Iterator[TableWriter]:
    """A table file, which takes its place under `path` only when it is whole."""
    if str(path) == STANDARD_STREAM:
        writer = TableWriter(sys.stdout.buffer, format_, schema)
        yield writer
        writer.close()
        sys.stdout.buffer.flush()
        return
    with replacing(Path(path), force=force) as file:
        writer = TableWriter(file, format_, schema)
        yield writer
        writer.close()


class _Hashed:
    """A file that keeps the checksum of what is written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.digest = hashlib.sha256()
        self.closed = False

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """Whoever opened the file closes it."""
        self.closed = True
