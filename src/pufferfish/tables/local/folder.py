"""Write several files: a folder, with a manifest, that takes its place when it is complete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pufferfish.core.atomic import replacing_folder
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local.writing import TableWriter, abandoning
from pufferfish.tables.manifest import MANIFEST, ROWS_PER_FILE, Entry, Manifest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FolderWriter", "writing_folder"]


class FolderWriter:
    """Writes batches of one schema, each to the file that it belongs to, and the manifest."""

    def __init__(self, folder: Path, format_: FileFormat, schema: pa.Schema) -> None:
        """Write to an empty folder."""
        self._folder, self._format, self._schema = folder, format_, schema
        self._name, self._rows = "", 0
        self._file: BinaryIO | None = None
        self._writer: TableWriter | None = None
        self._entries: list[Entry] = []

    def write(self, part: pa.RecordBatch, file: str | None) -> None:
        """Write some more rows of a file; the rows of one file come one after the other.

        Args:
            part: The rows.
            file: The file's name, with "/"; None: numbered files of about equal size.
        """
        name = self._numbered() if file is None else file
        if name != self._name:
            self._finish()
            self._begin(name)
        if self._writer is not None:
            self._writer.write(part, None)
        self._rows += part.num_rows

    def close(self) -> None:
        """Write the remaining rows, and the manifest last."""
        self._finish()
        with (self._folder / MANIFEST).open("wb") as file:
            file.write(self._manifest.to_json().encode("utf-8"))
            _sync(file)

    @property
    def sha256(self) -> str:
        """The checksum of the manifest, once it is closed."""
        return self._manifest.sha256

    @property
    def _manifest(self) -> Manifest:
        return Manifest(files=tuple(self._entries))

    def abandon(self) -> None:
        """Close files that will not be finished."""
        if self._writer is not None:
            self._writer.abandon()
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()

    def _numbered(self) -> str:
        if self._name and self._rows < ROWS_PER_FILE:
            return self._name
        return f"part-{len(self._entries) + bool(self._name):05d}{self._format.suffix}"

    def _begin(self, name: str) -> None:
        place = self._folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        self._file = place.open("xb")
        self._writer = TableWriter(self._file, self._format, self._schema)
        self._name, self._rows = name, 0

    def _finish(self) -> None:
        if self._writer is None or self._file is None:
            return
        self._writer.close()
        _sync(self._file)
        self._file.close()
        size = (self._folder / self._name).stat().st_size
        entry = Entry(path=self._name, rows=self._rows, bytes=size, sha256=self._writer.sha256)
        self._entries.append(entry)
        self._writer = self._file = None


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextlib.contextmanager
def writing_folder(
    path: str | Path,
    format_: FileFormat,
    schema: pa.Schema,
    *,
    force: bool = False,
) -> Iterator[FolderWriter]:
    """A folder of table files, which takes its place under `path` if the block raises no error.

    The caller closes it.
    """
    with (
        replacing_folder(Path(path), MANIFEST, force=force) as folder,
        abandoning(FolderWriter(folder, format_, schema)) as writer,
    ):
        yield writer
