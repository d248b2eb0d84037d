"""A Spark frame with one column changed, written to storage: whole or not there, each row once.

Spark computes lost work again, and noise that is drawn again gives an attacker an average. So a
change that draws noise is only ever the last step before a write:

1. Rows are changed in the stage that writes them. A task that is repeated, or run twice at a time,
   writes files of its own, and Spark's commit coordinator lets one attempt of each task commit. No
   shuffle follows, so no committed row can be asked for again.
2. Which rows Spark keeps together can say as much as a column: all of one secret, after a join or a
   grouping. So each row is written with a random key of 64 bits, and the *written* rows are then
   sorted by key. That step can be repeated at will: it is a function of what was written. Rows with
   equal keys are sorted by their new values, and so by nothing that is not published. Only where
   the order is asked for do rows stay where they are.
3. All of this happens in a hidden folder beside the target. The rows that arrived are counted, the
   manifest is written, and the folder gets its name in one step. Where a rename is no single step
   (object stores) the files are written to their place, and the manifest, written last, says that
   they are complete; the ledger is charged before the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pufferfish.errors import EngineError, InvalidInputError
from pufferfish.extras import pyarrow
from pufferfish.tables.arrow import arrow_batch
from pufferfish.tables.folder import ROWS_PER_FILE
from pufferfish.tables.manifest import MANIFEST, Manifest
from pufferfish.tables.mapping import Change, arrow_values
from pufferfish.tables.publishing import refuse_secret_key
from pufferfish.tables.spark.jobs import Field, mapped, understood
from pufferfish.tables.spark.storage import Storage
from pufferfish.tables.spark.target import Target
from pufferfish.tables.spark.written import manifest_of, read_files

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Written", "map_spark"]

_FORMATS = ("parquet", "orc")
_KEY = "key"
# Noised values hardly ever repeat.
_NO_DICTIONARY = {"parquet.enable.dictionary": "false"}


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
    keys: Callable[[int], Any] | None,
    given: str,
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
        keys: So many random keys, as int64, by which rows are sorted; goes to them, too. None:
            rows stay where they are.
        given: The folder: a path, or an address that Spark can write to.
        rows: How many rows must arrive.
        kind: "parquet" or "orc".
        force: Replace an earlier release.
        before: Told the manifest when all is written and counted, just before it is published.
    """
    if kind not in _FORMATS:
        raise InvalidInputError(
            f"on Spark the output is {' or '.join(_FORMATS)}, not {kind!r}; their readers agree on "
            "what a value is."
        )
    session = frame.sparkSession
    storage = Storage(session)
    _refuse_two_commits(session)
    with understood():
        inputs = frame.inputFiles()
    target = Target(storage, given, inputs, force=force)
    if keys is None:
        refuse_secret_key(_folder_keys(inputs), how.secret)
    with target.staging() as folder:
        if not target.in_one_step:
            how.finish()
        table = f"{folder}/table" if target.in_one_step else target.place
        _write_changed(frame, how, keys, folder, table, rows, kind)
        manifest = manifest_of(session, storage, table, kind)
        if manifest.rows != rows:
            raise EngineError(
                f"{rows:,} rows were to be published and {manifest.rows:,} arrived. Either the "
                "table changed while it was read, or executors wrote to disks of their own: the "
                "output must be a place that they all share. Nothing was published."
            )
        if target.in_one_step:
            storage.write_text(f"{table}/{MANIFEST}", manifest.to_json())
            how.finish()
            before(manifest)
            target.publish(table)
        else:
            before(manifest)
            storage.write_text(f"{table}/{MANIFEST}", manifest.to_json())
    return Written(frame=read_files(session, target.place, manifest.files, kind), manifest=manifest)


def _refuse_two_commits(session: Any) -> None:
    """Without a coordinator two attempts of one task could both publish their noise."""
    name = "spark.hadoop.outputCommitCoordination.enabled"
    if session.sparkContext.getConf().get(name, "true").lower() != "true":
        raise InvalidInputError(f"{name} must be true: a row could be published with two noises.")


def _folder_keys(inputs: list[str]) -> set[str]:
    """The columns that are names of the table's folders, "key=value", as far as Spark tells."""
    folders = {part for file in inputs for part in file.split("/")[:-1] if "=" in part}
    return {unquote(part.partition("=")[0]) for part in folders}


def _write_changed(
    frame: Any,
    how: Change,
    keys: Callable[[int], Any] | None,
    folder: str,
    table: str,
    rows: int,
    kind: str,
) -> None:
    names = how.stays(frame.columns)
    fields = [
        Field(name, ("bigint" if how.whole else "double"))
        if name == how.column
        else Field(name, frame.schema[name].dataType)
        for name in names
    ]
    work = _Changing(how.column, how.secret, tuple(names), how.change, keys)
    if keys is None:
        _write(mapped(frame, how.read, work, fields), table, kind)
        return
    plain = [Field(f"c{number}", field.kind) for number, field in enumerate(fields)]
    noised = f"{folder}/noised"
    _write(
        mapped(frame, how.read, work, [*plain, Field(_KEY, "bigint")]),
        noised,
        "parquet",
        {"compression": "uncompressed", **_NO_DICTIONARY},
    )
    cores = int(frame.sparkSession.sparkContext.defaultParallelism)
    parts = -(-rows // ROWS_PER_FILE)
    if rows > ROWS_PER_FILE:
        # As many as keep all cores busy to the end.
        parts = -(-parts // cores) * cores
    written = frame.sparkSession.read.parquet(noised)
    value = f"c{names.index(how.column)}"
    ordered = written.repartition(parts, _KEY).sortWithinPartitions(_KEY, value)
    alone = _NO_DICTIONARY if len(names) == 1 else {}
    _write(ordered.drop(_KEY).toDF(*names), table, kind, alone)


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
            kept = part if changed.rows is None else part.filter(pa.array(changed.rows))
            new = arrow_values(changed.values, changed.holes)
            columns = [new if name == self.column else kept.column(name) for name in self.names]
            names = list(self.names)
            if self.keys is not None:
                columns.append(pa.array(self.keys(len(new)), pa.int64()))
                names.append(_KEY)
            yield pa.RecordBatch.from_arrays(columns, names=names)


def _write(
    frame: Any, folder: str, kind: str, options: Mapping[str, str] = MappingProxyType({})
) -> None:
    with understood():
        (
            frame.write.format(kind)
            .options(**options)
            # A task's files appear at once; the other way leaves some of a task that died.
            .option("mapreduce.fileoutputcommitter.algorithm.version", "1")
            .mode("errorifexists")
            .save(folder)
        )
