"""Release a table: a table and a plan become a table to publish, and its record.

Every value is drawn once. The table is published completely or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from pufferfish.kinds.plan import RowPlan
from pufferfish.releases.kind import RowKind, row_kind
from pufferfish.releases.session import RowSession, software_versions
from pufferfish.tables import Counts, Engine, FileFormat, Progress, format_of
from pufferfish.tables.halves import Halves, of_the_rest
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.tables.verbs import to_publish

__all__ = ["Release", "RowKind", "RowSession", "release", "release_file", "release_with"]
__all__ += ["row_kind", "software_versions"]


@dataclass(frozen=True, slots=True)
class Release:
    """A released table, and its record.

    Attributes:
        frame: The released table, of the kind that was given; for a file, its path.
        record: What was done and promised; a record of the plan's kind.
    """

    frame: Any
    record: Any


def release(
    data: Any,
    plan: RowPlan,
    output: str | PathLike[str] | None = None,
    *,
    ledger: str | PathLike[str] | None = None,
    force: bool = False,
    beliefs_from_plan: bool = False,
    na: Sequence[str] = (),
    halves: Halves | None = None,
) -> Release:
    """Publish a table by its plan: a column with noise, or rows of another kind.

    Args:
        data: A frame (pandas, Polars eager or lazy, PyArrow, Spark), a dict of arrays, or a file's
            path.
        plan: What to release, and how.
        output: Where to write, for a file; for a Spark frame the folder, on any storage that
            Spark can write to. Not for other frames, which are returned.
        ledger: A file that counts the releases of this column. The release is refused if it would
            break the promise together with earlier ones. It is charged when all rows have been
            checked, just before they are published.
        force: Replace an output that is there already.
        beliefs_from_plan: Use the plan's beliefs although they were fitted on another table: the
            promise then holds against somebody who knows that table; the record says so.
        na: Texts of a file that mean a missing value or secret, as for `summarise`.
        halves: How `split_half` split this table: release the rows that no belief was fitted on.

    Returns:
        The released table, of the same kind as `data`, with the protected column and those that are
        kept, its rows in random order unless the plan keeps the order. Lazy frames are computed,
        so that the noise is drawn only once; a Spark frame reads what was written.

    Raises:
        DataError: Missing values that the plan does not allow for, a secret that it does not have,
            a person with too many rows, values that are not numbers; beliefs that claim to be
            fitted on the released column, but were fitted on another one.
        BudgetExceededError: The ledger has no room for another release.
    """
    row_kind(plan)
    engine = to_publish(data, output, na=na, force=force)
    return release_with(
        engine, plan, ledger=ledger, beliefs_from_plan=beliefs_from_plan, halves=halves
    )


def release_file(
    source: str,
    plan: RowPlan,
    target: str,
    *,
    source_format: FileFormat | None = None,
    target_format: FileFormat | None = None,
    ledger: str | PathLike[str] | None = None,
    force: bool = False,
    beliefs_from_plan: bool = False,
    just_counted: Counts | None = None,
    halves: Halves | None = None,
    progress: Progress | None = None,
    save: Callable[[Any], None] = lambda record: None,
) -> Release:
    """`release` for files; "-" is standard input or output.

    Args:
        source: The table: a file, a folder of files, or a pattern such as "year=*/*.parquet".
        plan: What to release, and how.
        target: Where to write. A table of several files becomes a folder, unless this is the name
            of a file: then it becomes one file.
        source_format: The format of the table; None: by its name.
        target_format: The format to write; None: by its name, in a folder that of the table.
        ledger: As for `release`.
        force: Replace a file, or a released folder, that is there already.
        beliefs_from_plan: As for `release`.
        just_counted: What was counted of this table a moment ago; then it is not counted again
            before the noise is drawn. If it has changed since, it is refused before it is
            published.
        halves: As for `release`.
        progress: Called with the share of the work that is done.
        save: Called with the record when the file is complete, just before it takes its place: a
            table without a record is never published.
    """
    engine = FilesEngine(
        source=source,
        source_format=source_format or format_of(source),
        target=target,
        target_format=target_format,
        force=force,
    )
    return release_with(
        engine,
        plan,
        ledger=ledger,
        beliefs_from_plan=beliefs_from_plan,
        just_counted=just_counted,
        halves=halves,
        progress=progress,
        save=save,
    )


def release_with(
    engine: Engine,
    plan: RowPlan,
    *,
    ledger: str | PathLike[str] | None = None,
    beliefs_from_plan: bool = False,
    just_counted: Counts | None = None,
    halves: Halves | None = None,
    progress: Progress | None = None,
    save: Callable[[Any], None] = lambda record: None,
) -> Release:
    """`release` for a table of any engine.

    Args:
        engine: The table, how it is read and written, and where to.
        plan: What to release, and how.
        ledger: As for `release`.
        beliefs_from_plan: As for `release`.
        just_counted: As for `release_file`.
        halves: As for `release`.
        progress: Called with the share of the work that is done, where the engine knows it.
        save: As for `release_file`.
    """
    session = row_kind(plan).session(
        plan, ledger, library=engine.library, beliefs_from_plan=beliefs_from_plan
    )
    if halves is not None:
        session.leave_out(halves)
    survey, progress = session.begin(engine, just_counted, progress)
    how = session.how if halves is None else of_the_rest(session.how, halves)
    with (
        engine.transform(how, survey, progress) as changed,
        engine.publish(changed, how) as staged,
    ):
        record = session.record(staged)
        save(record)
    return Release(staged.table(), record)
