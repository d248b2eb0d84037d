"""What a cluster wrote: every file with its rows and its checksum, and a frame that reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pufferfish.core.extras import pyarrow, pyspark
from pufferfish.tables.manifest import Entry, Manifest
from pufferfish.tables.spark.jobs import Field, map_partitions, understood
from pufferfish.tables.spark.storage import Storage, StoredFile

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["manifest_of", "read_files"]

# Executors read files up to this size, which they hold in memory.
_LARGEST_HELD = 1 << 28
# The size of the end of a file, which says how many rows it has.
_END = 1 << 20


def manifest_of(session: Any, storage: Storage, folder: str, kind: str) -> Manifest:
    """Every file of a table, as it is in the storage."""
    files = storage.files(folder)
    seen = _see_file(session, folder, [each for each in files if each.bytes <= _LARGEST_HELD])
    uncounted = [each for each in files if seen.get(each.path, (None, ""))[0] is None]
    counted = _count(session, folder, uncounted, kind)
    return Manifest(
        files=tuple(
            Entry(
                path=each.path,
                rows=counted.get(each.path, 0) if rows is None else rows,
                bytes=each.bytes,
                sha256=digest or storage.sha256(f"{folder}/{each.path}"),
            )
            for each in files
            for rows, digest in [seen.get(each.path, (None, ""))]
        )
    )


def read_files(session: Any, folder: str, files: Sequence[Any], kind: str) -> Any:
    """A frame of just these files."""
    return session.read.format(kind).load([f"{folder}/{each.path}" for each in files])


def _see_file(
    session: Any, folder: str, files: Sequence[StoredFile]
) -> dict[str, tuple[int | None, str]]:
    """The rows (None: the end of the file does not say) and checksums of files, by executors."""
    if not files:
        return {}
    sql = pyspark("sql.functions")
    names = [f"{folder}/{each.path}" for each in files]
    held = session.read.format("binaryFile").load(names)
    end = sql.expr(f"substring(content, greatest(length(content) - {_END}, 0) + 1)")
    looked = held.select("path", sql.sha2("content", 256).alias("sha256"), end.alias("end"))
    fields = [Field("path", "string"), Field("sha256", "string"), Field("rows", "bigint")]
    with understood():
        found = map_partitions(looked, ["path", "sha256", "end"], _ends, fields).collect()
    return {_name(path): (rows, digest) for path, digest, rows in found}


def _ends(parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The numbers of rows of files, from their last bytes."""
    pa = pyarrow()
    for part in parts:
        rows = [_rows_told(each.as_buffer()) for each in part.column("end")]
        told = pa.array(rows, pa.int64())
        yield pa.RecordBatch.from_arrays(
            [part.column("path"), part.column("sha256"), told], names=["path", "sha256", "rows"]
        )


def _rows_told(end: pa.Buffer) -> int | None:
    """What the end of a Parquet file says; None for another kind, or where it is too long."""
    try:
        reader = pyarrow().BufferReader(end)
        return int(pyarrow("parquet").ParquetFile(reader).metadata.num_rows)
    except (pyarrow().ArrowInvalid, OSError):
        return None


def _count(session: Any, folder: str, files: Sequence[StoredFile], kind: str) -> dict[str, int]:
    """The numbers of rows of files, by reading them; without files that have no rows."""
    if not files:
        return {}
    sql = pyspark("sql.functions")
    table = read_files(session, folder, files, kind)
    with understood():
        counted = table.groupBy(sql.input_file_name()).count().collect()
    return {_name(path): int(rows) for path, rows in counted}


def _name(path: str) -> str:
    """A file's name: Spark writes all into one folder, under names without special characters."""
    return path.rpartition("/")[2]
