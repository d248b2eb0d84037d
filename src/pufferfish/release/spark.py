"""A release on a Spark cluster: the same plan, the same noise, the same record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from pufferfish.errors import EngineError
from pufferfish.plan import Plan
from pufferfish.record import Record
from pufferfish.release.counts import Counts
from pufferfish.release.origin import is_about_this_table
from pufferfish.release.rows import RowRules
from pufferfish.release.session import Session
from pufferfish.sampling import SystemEntropy
from pufferfish.scenario import Secret
from pufferfish.tables import Batch, summarise
from pufferfish.tables.manifest import Manifest
from pufferfish.tables.seen import NOBODY
from pufferfish.tables.spark import (
    SurveyedGroup,
    Written,
    look_at_sample,
    map_spark,
    reduced_spark,
    spark_persons,
    survey,
)

__all__ = ["SparkRelease", "release_spark"]


@dataclass(frozen=True, slots=True)
class SparkRelease:
    """What was published, and its record."""

    written: Written
    record: Record


def release_spark(
    frame: Any,
    plan: Plan,
    output: str,
    *,
    kind: str = "parquet",
    ledger: str | PathLike[str] | None = None,
    force: bool = False,
    beliefs_from_plan: bool = False,
    save: Callable[[Record], None] = lambda record: None,
) -> SparkRelease:
    """`release` for a Spark frame.

    Args:
        frame: A classic Spark frame. It is read to count, again to draw, once more each where
            persons are counted and where columns are kept, and twice more where beliefs say that
            they were fitted on it. It must be the same each time.
        plan: What to release, and how.
        output: The folder to write: a path, or an address that Spark can write to.
        kind: "parquet" or "orc".
        ledger: As for `release`; a file on the driver.
        force: Replace a folder that is there already.
        beliefs_from_plan: As for `release`.
        save: Given the record when the folder is whole, just before it takes its place.
    """
    session = Session(
        plan,
        ledger,
        engine="pyspark",
        order="table" if plan.keep_order else "random",
        beliefs_from_plan=beliefs_from_plan,
    )
    rules = session.rules
    if plan.reduction is not None:
        frame = reduced_spark(frame, plan.reduction)
    look = partial(survey, frame, plan.column, plan.secret, rules.low, rules.high, rules.cap)
    groups = look()
    _check(groups, rules)
    for group in groups:
        session.add(_counts(group, rules))
    if plan.person is None:
        session.check(NOBODY)
    else:
        session.check(
            spark_persons(frame, plan.person, plan.secret, plan.column, pairs=plan.tested_rows)
        )
    if is_about_this_table(plan):
        session.compare(summarise(frame, column=plan.column, secret=plan.secret))
    if session.how.look is not None:
        counts = {
            group.secret: group.rows
            for group in groups
            if group.secret is not None and group.secret in rules.protected
        }
        look_at_sample(frame, session.how, counts, session.most_looked_at)
    name = output.rstrip("/").rpartition("/")[2]

    def finish(manifest: Manifest) -> None:
        # The table was counted, and then read once more to draw.
        if is_about_this_table(plan) and _rows_of(look()) != _rows_of(groups):
            raise EngineError("the table changed while it was read. Nothing was published.")
        save(session.record(manifest.sha256, "folder", name))

    written = map_spark(
        frame,
        session.how,
        None if plan.keep_order else random_keys,
        output,
        session.counts.published,
        kind=kind,
        force=force,
        before=finish,
    )
    return SparkRelease(written, session.record(written.manifest.sha256, "folder", name))


def random_keys(count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Where rows shall go; runs in the executors, each with fresh entropy."""
    return SystemEntropy().words(count, np.int64).astype(np.int64)


def _check(groups: tuple[SurveyedGroup, ...], rules: RowRules) -> None:
    """Refuse what the plan does not allow for, before anything is drawn.

    A few rows of each secret that has a problem stand for all of them. The executors check every
    row again, as they noise it.
    """
    values: list[float] = []
    secrets: list[Secret | None] = []
    for group in groups:
        found = [group.largest]
        found += [np.nan] if group.missing else []
        found += [np.inf] if group.infinite else []
        values += found
        secrets += [group.secret] * len(found)
    numbers = {label: number for number, label in enumerate(group.secret for group in groups)}
    codes = [-1 if each is None else numbers[each] for each in secrets]
    labels = tuple("" if label is None else label for label in numbers)
    rules.count(Batch(np.array(values), np.array(codes, dtype=np.int64), labels), None)


def _rows_of(groups: tuple[SurveyedGroup, ...]) -> frozenset[tuple[Secret | None, int, int]]:
    """What tells one table from another; sums of floats depend on who added first."""
    return frozenset((group.secret, group.rows, group.digest) for group in groups)


def _counts(group: SurveyedGroup, rules: RowRules) -> Counts:
    published = group.rows - (group.missing if rules.missing == "drop" else 0)
    return Counts(
        rows=group.rows,
        missing=group.missing,
        published=published,
        unprotected=0 if group.secret in rules.protected else published,
        outside=group.outside,
        capped=group.capped,
        mean=group.mean,
        squares=group.squares,
    )
