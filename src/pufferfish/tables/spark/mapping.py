"""A Spark frame with one column changed, written to storage: whole or not there, each row once.

Spark computes lost work again, and noise that is drawn again gives an attacker an average. So a
change that draws noise is only ever the last step before a write:

1. Rows are changed in the stage that writes them. A task that is repeated, or run twice at a time,
   writes files of its own, and Spark's commit coordinator lets one attempt of each task commit. No
   shuffle follows, so no committed row can be asked for again.
2. Rows that change places get a random key of 64 bits beside their new value, are written with it,
   and the *written* rows are then sorted by key. That step can be repeated at will: it is a
   function of what was written. Rows with equal keys are sorted by their values, and so by nothing
   that is not published.
3. All of this happens in a hidden folder beside the target. The rows that arrived are counted, the
   manifest is written, and the folder gets its name in one step. Where a rename is no single step
   (object stores) the files are written to their place, and the manifest, written last, says that
   they are complete.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pufferfish.errors import EngineError, InvalidInputError, OutputExistsError
from pufferfish.tables.arrow import arrow_batch
from pufferfish.tables.extras import pyarrow, pyspark
from pufferfish.tables.manifest import MANIFEST, Entry, Manifest
from pufferfish.tables.mapping import Change, arrow_values
from pufferfish.tables.publishing import refuse_secret_key
from pufferfish.tables.spark.jobs import Field, mapped, understood
from pufferfish.tables.spark.storage import Storage, StoredFile

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Written", "map_spark"]

_FORMATS = {"parquet": {}, "csv": {"header": "true"}, "orc": {}}
_KEY = "key"
_PATTERNS = frozenset("*?[]{}\\")
# Rows of a file that holds shuffled ones.
_ROWS_PER_FILE = 4_000_000
# Files up to this size are hashed by the executors, which hold one in memory.
_LARGEST_HELD = 1 << 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A published folder.

    Attributes:
        frame: Reads the files of the manifest.
        manifest: What is in it.
    """

    frame: Any
    manifest: Manifest


def map_spark(
    frame: Any,
    how: Change,
    keys: Callable[[int], Any],
    target: str,
    rows: int,
    *,
    kind: str = "parquet",
    force: bool = False,
    before: Callable[[Manifest], None],
) -> Written:
    """Change a frame, and publish the result as a folder.

    Args:
        frame: A classic Spark frame.
        how: What is done to it; `change` goes to the executors.
        keys: So many random keys, as int64, for rows that change places; goes to them, too.
        target: The folder: a path, or an address that Spark can write to.
        rows: How many rows must arrive.
        kind: "parquet", "csv" or "orc".
        force: Replace what is there.
        before: Told the manifest when all is written and counted, just before it is published.
    """
    if kind not in _FORMATS:
        raise InvalidInputError(f"the format {kind!r} is not known; known: {', '.join(_FORMATS)}.")
    if set(target) & _PATTERNS:
        raise InvalidInputError(
            f"Spark would take {target!r} for a pattern when it reads it; choose a name without "
            f"any of {' '.join(sorted(_PATTERNS))}."
        )
    session = frame.sparkSession
    storage = Storage(session)
    _refuse_two_commits(session)
    place = storage.qualified(target)
    if storage.exists(place) and not force:
        raise OutputExistsError(
            f"{target} exists already; choose another name, or replace it with --force "
            "(force=True)."
        )
    if how.shuffle is None:
        refuse_secret_key(_keys(frame), how.secret)
    with _hidden_beside(storage, place) as folder:
        if storage.renames(place):
            table = f"{folder}/table"
        else:
            table = place
            storage.delete(place)
        _write_changed(frame, how, keys, folder, table, rows, kind)
        manifest = _manifest(session, storage, table, kind)
        if manifest.rows != rows:
            raise EngineError(
                f"{rows:,} rows were to be published and {manifest.rows:,} arrived: the table "
                "changed while it was read. Give Spark a table that stands still. Nothing was "
                "published."
            )
        how.finish()
        before(manifest)
        if table != place:
            storage.write_text(f"{table}/{MANIFEST}", manifest.to_json())
            _into_place(storage, folder, table, place)
        else:
            storage.write_text(f"{place}/{MANIFEST}", manifest.to_json())
    return Written(frame=_read(session, place, manifest.files, kind), manifest=manifest)


def _refuse_two_commits(session: Any) -> None:
    """Without a coordinator two attempts of one task could both publish their noise."""
    name = "spark.hadoop.outputCommitCoordination.enabled"
    if session.sparkContext.getConf().get(name, "true").lower() != "true":
        raise InvalidInputError(f"{name} must be true: a row could be published with two noises.")


def _keys(frame: Any) -> set[str]:
    """The columns that are names of the table's folders, "key=value", as far as Spark tells."""
    with understood():
        files = frame.inputFiles()
    folders = {part for file in files for part in file.split("/")[:-1] if "=" in part}
    return {unquote(part.partition("=")[0]) for part in folders}


@contextlib.contextmanager
def _hidden_beside(storage: Storage, place: str) -> Iterator[str]:
    """A folder for work in progress, for its owner alone, which does not stay."""
    parent, _, name = place.rstrip("/").rpartition("/")
    folder = f"{parent}/.{name}.{uuid.uuid4().hex}.unfinished"
    storage.make_private(folder)
    try:
        yield folder
    finally:
        # What cannot be removed is hidden and unfinished; the error itself matters more.
        with contextlib.suppress(OSError):
            storage.delete(folder)


def _write_changed(
    frame: Any,
    how: Change,
    keys: Callable[[int], Any],
    folder: str,
    table: str,
    rows: int,
    kind: str,
) -> None:
    number = "bigint" if how.whole else "double"
    if how.shuffle is None:
        names = how.stays(frame.columns)
        kinds = {name: str(frame.schema[name].dataType.simpleString()) for name in names}
        fields = [Field(name, kind) for name, kind in (kinds | {how.column: number}).items()]
        work = _Changing(how.column, how.secret, tuple(names), how.change, None)
        _write(mapped(frame, how.read, work, fields), table, kind)
        return
    work = _Changing(how.column, how.secret, (how.column,), how.change, keys)
    fields = [Field("value", number), Field(_KEY, "bigint")]
    noised = f"{folder}/noised"
    _write(mapped(frame, how.read, work, fields), noised, "parquet")
    parts = -(-rows // _ROWS_PER_FILE) or 1
    written = frame.sparkSession.read.parquet(noised)
    ordered = written.repartition(parts, _KEY).sortWithinPartitions(_KEY, "value")
    _write(ordered.select("value").toDF(how.column), table, kind)


@dataclass(frozen=True, slots=True)
class _Changing:
    """What an executor does with a partition.

    Attributes:
        column: The column to change.
        secret: That of the secret.
        names: The columns of the result.
        change: As in `Change`.
        keys: Random keys for rows that change places; None: they stay.
    """

    column: str
    secret: str
    names: tuple[str, ...]
    change: Callable[..., Any]
    keys: Callable[[int], Any] | None

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa = pyarrow()
        for part in parts:
            changed = self.change(arrow_batch(part, self.column, self.secret), None)
            if changed.rows is not None:
                part = part.filter(pa.array(changed.rows))  # noqa: PLW2901
            new = arrow_values(changed.values, changed.holes)
            columns = [new if name == self.column else part.column(name) for name in self.names]
            names = list(self.names)
            if self.keys is not None:
                columns.append(pa.array(self.keys(len(new)), pa.int64()))
                names.append(_KEY)
            yield pa.RecordBatch.from_arrays(columns, names=names)


def _write(frame: Any, folder: str, kind: str) -> None:
    with understood():
        (
            frame.write.format(kind)
            .options(**_FORMATS[kind])
            # A task's files appear at once; the other way leaves some of a task that died.
            .option("mapreduce.fileoutputcommitter.algorithm.version", "1")
            .mode("errorifexists")
            .save(folder)
        )


def _manifest(session: Any, storage: Storage, folder: str, kind: str) -> Manifest:
    """Every file with its rows and checksum, as it is in the storage."""
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


def _rows(session: Any, folder: str, files: Sequence[StoredFile], kind: str) -> dict[str, int]:
    """How many rows each file has; one without any is not in it."""
    sql = pyspark("sql.functions")
    table = _read(session, folder, files, kind)
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


def _read(session: Any, folder: str, files: Sequence[Any], kind: str) -> Any:
    """A frame of just these files."""
    paths = [f"{folder}/{each.path}" for each in files]
    reader = session.read.format(kind).options(**_FORMATS[kind])
    if kind == "csv":
        reader = reader.option("inferSchema", "true")
    return reader.load(paths)


def _into_place(storage: Storage, folder: str, table: str, place: str) -> None:
    storage.make_usual(table)
    aside = f"{folder}/replaced"
    replacing = storage.exists(place)
    if replacing:
        storage.rename(place, aside)
    try:
        storage.rename(table, place)
    except OSError:
        if replacing:
            storage.rename(aside, place)
        raise
