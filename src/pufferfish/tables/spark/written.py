"""What a cluster wrote: every file with its rows and its checksum, and a frame that reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pufferfish.tables.extras import pyspark
from pufferfish.tables.manifest import Entry, Manifest
from pufferfish.tables.spark.jobs import understood
from pufferfish.tables.spark.storage import Storage, StoredFile

__all__ = ["manifest_of", "read_files"]

# Files up to this size are hashed by the executors, which hold one in memory.
_LARGEST_HELD = 1 << 28


def manifest_of(session: Any, storage: Storage, folder: str, kind: str) -> Manifest:
    """Every file of a table, as it is in the storage."""
    files = storage.files(folder)
    counts = _rows(session, folder, files, kind)
    hashes = _hashes(session, storage, folder, files)
    return Manifest(
        files=tuple(
            Entry(
                path=each.path,
                rows=counts.get(each.path, 0),
                bytes=each.bytes,
                sha256=hashes[each.path],
            )
            for each in files
        )
    )


def read_files(session: Any, folder: str, files: Sequence[Any], kind: str) -> Any:
    """A frame of just these files."""
    return session.read.format(kind).load([f"{folder}/{each.path}" for each in files])


def _rows(session: Any, folder: str, files: Sequence[StoredFile], kind: str) -> dict[str, int]:
    """How many rows each file has; one without any is not in it."""
    if not files:
        return {}
    sql = pyspark("sql.functions")
    table = read_files(session, folder, files, kind)
    with understood():
        found = table.groupBy(sql.input_file_name()).count().collect()
    return {_name(path): int(rows) for path, rows in found}


def _hashes(
    session: Any, storage: Storage, folder: str, files: Sequence[StoredFile]
) -> dict[str, str]:
    """SHA-256 of each file: by the executors, but for files too large to be held in memory."""
    sql = pyspark("sql.functions")
    small = [f"{folder}/{each.path}" for each in files if each.bytes <= _LARGEST_HELD]
    found = {
        each.path: storage.sha256(f"{folder}/{each.path}")
        for each in files
        if each.bytes > _LARGEST_HELD
    }
    if small:
        held = session.read.format("binaryFile").load(small)
        with understood():
            hashed = held.select("path", sql.sha2("content", 256)).collect()
        found |= {_name(path): digest for path, digest in hashed}
    return found


def _name(path: str) -> str:
    """Spark writes the files of a table into one folder, under names without special characters."""
    return path.rpartition("/")[2]
