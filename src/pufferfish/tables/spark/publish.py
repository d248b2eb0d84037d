"""Write a Spark frame with changed columns to storage: completely or not at all, each row once.

Spark computes lost work again, and noise that is drawn twice gives an attacker an average. So a
change that draws noise is always the last step before a write:

1. Rows are changed in the stage that writes them. A task that is repeated, or run twice at a time,
   writes files of its own, and Spark's commit coordinator lets one attempt of each task commit. No
   shuffle follows, so no committed row can be computed again.
2. Which rows Spark keeps together can reveal as much as a column: all of one secret, after a join
   or a grouping. So each row is written with a random key of 64 bits, and the *written* rows are
   then sorted by key. That step can be repeated: it is a function of what was written. Rows with
   equal keys are sorted by their new values, and so only by what is published. Rows stay where
   they are only if the plan keeps the order.
3. All of this happens in a hidden folder next to the target. The rows that arrived are counted, the
   manifest is written, and the folder gets its name in one step. Where a rename is not a single
   step (object stores) the files are written to their place, and the manifest, written last, says
   that they are complete; the ledger is charged before the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from pufferfish.core.errors import EngineError, InvalidInputError
from pufferfish.tables.change import Change
from pufferfish.tables.engine import Staged
from pufferfish.tables.manifest import MANIFEST, ROWS_PER_FILE, Manifest
from pufferfish.tables.names import refuse_sorting_keys
from pufferfish.tables.seen import NOBODY
from pufferfish.tables.spark.jobs import understood
from pufferfish.tables.spark.storage import Storage
from pufferfish.tables.spark.survey import count_groups, fingerprint
from pufferfish.tables.spark.target import Target
from pufferfish.tables.spark.transform import KEY, ChangedRows
from pufferfish.tables.spark.written import manifest_of, read_files

__all__ = ["publish_spark"]

_FORMATS = ("parquet", "orc")
# Noised values hardly ever repeat.
_NO_DICTIONARY = {"parquet.enable.dictionary": "false"}


@contextmanager
def publish_spark(
    changed: ChangedRows, how: Change, given: str, *, kind: str = "parquet", force: bool = False
) -> Iterator[Staged]:
    """Write changed rows to a folder, which is published if the block raises no error.

    Args:
        changed: What to write.
        how: What was done.
        given: The folder: a path, or an address that Spark can write to.
        kind: "parquet" or "orc".
        force: Replace an earlier release.
    """
    if kind not in _FORMATS:
        raise InvalidInputError(
            f"on Spark the output must be {' or '.join(_FORMATS)}, not {kind!r}: all readers of "
            "these formats read the same values."
        )
    session = changed.given.sparkSession
    storage = Storage(session)
    _refuse_two_commits(session)
    with understood():
        inputs = changed.given.inputFiles()
    target = Target(storage, given, inputs, force=force)
    if how.keys is None:
        refuse_sorting_keys(_folder_keys(inputs), how.secret, how.columns)
    with target.staging() as folder:
        if not target.in_one_step:
            # Persons were counted before anything was drawn.
            how.finish(NOBODY)
        table = f"{folder}/table" if target.in_one_step else target.place
        _write_changed(changed, how, folder, table, kind)
        manifest = manifest_of(session, storage, table, kind)
        _refuse_others(manifest, changed, how)
        if target.in_one_step:
            storage.write_text(f"{table}/{MANIFEST}", manifest.to_json())
            how.finish(NOBODY)
        yield Staged(
            sha256=manifest.sha256,
            checksum_of="folder",
            name=given.rstrip("/").rpartition("/")[2],
            table=lambda: read_files(session, target.place, manifest.files, kind),
        )
        if target.in_one_step:
            target.publish(table)
        else:
            storage.write_text(f"{table}/{MANIFEST}", manifest.to_json())


def _refuse_others(manifest: Manifest, changed: ChangedRows, how: Change) -> None:
    """Refuse rows that are not those of the table that was counted."""
    if manifest.rows != changed.rows:
        raise EngineError(
            f"{changed.rows:,} rows were to be published and {manifest.rows:,} arrived. Either the "
            "table changed while it was read, or executors wrote to disks of their own: the "
            "output must be a place that they all share. Nothing was published."
        )
    if how.same:
        # The table was counted, and then read again to draw.
        again = count_groups(changed.given, how)
        if fingerprint(again) != fingerprint(changed.survey.groups):
            raise EngineError("the table changed while it was read. Nothing was published.")


def _refuse_two_commits(session: Any) -> None:
    """Refuse a session without a coordinator: two attempts of a task could publish their noise."""
    name = "spark.hadoop.outputCommitCoordination.enabled"
    if session.sparkContext.getConf().get(name, "true").lower() != "true":
        raise InvalidInputError(
            f"{name} must be true: otherwise a row could be published twice, with different noise."
        )


def _folder_keys(inputs: list[str]) -> set[str]:
    """The columns that are names of the table's folders, "key=value", as far as Spark knows."""
    folders = {part for file in inputs for part in file.split("/")[:-1] if "=" in part}
    return {unquote(part.partition("=")[0]) for part in folders}


def _write_changed(changed: ChangedRows, how: Change, folder: str, table: str, kind: str) -> None:
    if how.keys is None:
        _write(changed.frame, table, kind)
        return
    session, names = changed.given.sparkSession, changed.names
    noised = f"{folder}/noised"
    _write(changed.frame, noised, "parquet", {"compression": "uncompressed", **_NO_DICTIONARY})
    cores = int(session.sparkContext.defaultParallelism)
    parts = -(-changed.rows // ROWS_PER_FILE)
    if changed.rows > ROWS_PER_FILE:
        # Enough to keep all cores busy to the end.
        parts = -(-parts // cores) * cores
    written = session.read.parquet(noised)
    values = [f"c{names.index(name)}" for name in how.columns]
    ordered = written.repartition(parts, KEY).sortWithinPartitions(KEY, *values)
    alone = _NO_DICTIONARY if len(names) == 1 else {}
    _write(ordered.drop(KEY).toDF(*names), table, kind, alone)


def _write(
    frame: Any, folder: str, kind: str, options: Mapping[str, str] = MappingProxyType({})
) -> None:
    with understood():
        (
            frame.write.format(kind)
            .options(**options)
            # A task's files appear together; the other way leaves some of a task that failed.
            .option("mapreduce.fileoutputcommitter.algorithm.version", "1")
            .mode("errorifexists")
            .save(folder)
        )
