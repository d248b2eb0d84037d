"""The main job: a table and a plan become a table with noise, and the record of it.

Every value is noised once. What is published is whole or not there at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from pufferfish.checks import require
from pufferfish.errors import InvalidInputError
from pufferfish.plan import Plan
from pufferfish.record import ChecksumOf, Record
from pufferfish.release.origin import counted, is_about_this_table
from pufferfish.release.session import Session, software_versions
from pufferfish.release.spark import release_spark
from pufferfish.tables import (
    STANDARD_STREAM,
    FileFormat,
    Progress,
    Summary,
    becomes_folder,
    format_of,
    map_arrays,
    map_file,
    map_frame,
)
from pufferfish.tables.spark import is_spark

__all__ = ["Release", "release", "release_file", "software_versions"]


@dataclass(frozen=True, slots=True)
class Release:
    """A released table, and its record.

    Attributes:
        frame: The same kind of table that was given; for a file, the path of the released one.
        record: What was done and promised.
    """

    frame: Any
    record: Record


def release(
    data: Any,
    plan: Plan,
    output: str | PathLike[str] | None = None,
    *,
    ledger: str | PathLike[str] | None = None,
    force: bool = False,
    beliefs_from_plan: bool = False,
    na: Sequence[str] = (),
) -> Release:
    """Publish a column with the planned noise.

    Args:
        data: A frame (pandas, Polars eager or lazy, PyArrow, Spark), a dict of arrays, or a file's
            path.
        plan: What to release, and how.
        output: Where to write, for a file; for a Spark frame the folder, on any storage that
            Spark can write to. Not for other frames, which are given back.
        ledger: A file that counts the releases of this column. The release is refused if it and
            those before it would break the promise together. It is charged when all rows have been
            checked, just before they are published.
        force: Replace an output that is there already.
        beliefs_from_plan: The plan's beliefs are meant, although they were fitted on another table:
            the promise is then to somebody who knows that one, and the record says so.
        na: Texts of a file that stand for a missing value or secret, as for `summarise`.

    Returns:
        The released table: the same kind as `data`, with the protected column and those that are
        kept, its rows in random order unless the plan keeps the order. Lazy frames are computed,
        so that nobody draws the noise twice; a Spark frame reads what was written.

    Raises:
        DataError: Missing values that the plan does not allow for, a secret that it does not know,
            a person with too many rows, values that are no numbers; beliefs that say that they were
            fitted on the released column, and were fitted on another one.
        BudgetExceededError: The ledger has no room for another release.
    """
    require(isinstance(plan, Plan), f"plan must be a Plan, got {type(plan).__name__}.")
    require(
        not na or isinstance(data, str | PathLike),
        "na= is for files; in a frame, make the entries that it names null.",
    )
    if is_spark(data):
        if output is None:
            raise InvalidInputError(
                "releasing a Spark frame needs output=, the folder to write: noise that is not "
                "written down would be drawn anew whenever the frame is looked at."
            )
        done = release_spark(
            data,
            plan,
            fspath(output),
            ledger=ledger,
            force=force,
            beliefs_from_plan=beliefs_from_plan,
        )
        return Release(done.written.frame, done.record)
    if isinstance(data, str | PathLike):
        if output is None:
            raise InvalidInputError("releasing a file needs output=, the file to write.")
        return release_file(
            fspath(data),
            plan,
            fspath(output),
            source_format=format_of(fspath(data), na=na) if na else None,
            ledger=ledger,
            force=force,
            beliefs_from_plan=beliefs_from_plan,
        )
    require(output is None, "output= is for files; the released frame is given back.")
    session = Session(plan, ledger, beliefs_from_plan=beliefs_from_plan)
    if is_about_this_table(plan) and not beliefs_from_plan:
        session.compare(counted(data, plan, session.rules))
    how = session.how
    mapped = map_arrays(data, how) if isinstance(data, Mapping) else map_frame(data, how)
    digest = hashlib.sha256(mapped.column.astype(mapped.column.dtype.newbyteorder("<")).tobytes())
    return Release(mapped.table, session.record(digest.hexdigest(), "column", None))


def release_file(
    source: str,
    plan: Plan,
    target: str,
    *,
    source_format: FileFormat | None = None,
    target_format: FileFormat | None = None,
    ledger: str | PathLike[str] | None = None,
    force: bool = False,
    beliefs_from_plan: bool = False,
    just_counted: Summary | None = None,
    progress: Progress | None = None,
    save: Callable[[Record], None] = lambda record: None,
) -> Release:
    """`release` for files; "-" is standard input or output.

    Args:
        source: The table: a file, a folder of files, or a pattern such as "year=*/*.parquet".
        plan: What to release, and how.
        target: Where to write. A table of many files becomes a folder, unless this is the name of
            a file: then it becomes one file.
        source_format: How the table is written; None: by its name.
        target_format: How to write; None: by its name, in a folder as the table.
        ledger: As for `release`.
        force: Replace a file, or a released folder, that is there already.
        beliefs_from_plan: As for `release`.
        just_counted: What was counted of this table a moment ago; then it is not counted once more
            before the noise is drawn. If it has changed since, it is refused before it is
            published.
        progress: Told the share of the work that is done.
        save: Given the record when the file is whole, just before it takes its place: a table
            without a record is never published.
    """
    place = None if target == STANDARD_STREAM else Path(target)
    session = Session(
        plan,
        ledger,
        held=False,
        folder=None if place is None else place.parent,
        beliefs_from_plan=beliefs_from_plan,
    )
    name = None if place is None else place.name
    folder = becomes_folder(source, target)
    of: ChecksumOf = "folder" if folder else "file"
    source_format = source_format or format_of(source)
    if is_about_this_table(plan) and not beliefs_from_plan and source != STANDARD_STREAM:
        if just_counted is None:
            half = _half(progress, 0.0)
            just_counted = counted(source, plan, session.rules, source_format, half)
            progress = _half(progress, 0.5)
        session.compare(just_counted)
    digest = map_file(
        source,
        source_format,
        target,
        target_format or (source_format if folder else format_of(target)),
        session.how,
        force=force,
        progress=progress,
        before=lambda checksum: save(session.record(checksum, of, name)),
    )
    return Release(target, session.record(digest, of, name))


def _half(progress: Progress | None, start: float) -> Progress | None:
    """Of work that is half of the whole."""
    return None if progress is None else lambda share: progress(start + 0.5 * share)
