"""A release on a Spark cluster: the same plan, the same noise, the same record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from pufferfish.plan import Plan
from pufferfish.record import Record
from pufferfish.release.counts import Counts
from pufferfish.release.rows import RowRules
from pufferfish.release.session import Session
from pufferfish.sampling import SystemEntropy
from pufferfish.scenario import Secret
from pufferfish.tables import Batch
from pufferfish.tables.seen import NOBODY
from pufferfish.tables.spark import (
    SurveyedGroup,
    Written,
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
    save: Callable[[Record], None] = lambda record: None,
) -> SparkRelease:
    """`release` for a Spark frame.

    Args:
        frame: A classic Spark frame. It is read to count, again to draw, and once more where
            persons are counted.
        plan: What to release, and how.
        output: The folder to write: a path, or an address that Spark can write to.
        kind: "parquet" or "orc".
        ledger: As for `release`; a file on the driver.
        force: Replace a folder that is there already.
        save: Given the record when the folder is whole, just before it takes its place.
    """
    session = Session(
        plan, ledger, engine="pyspark", order="table" if plan.keep_order else "random"
    )
    rules = session.rules
    if plan.reduction is not None:
        frame = reduced_spark(frame, plan.reduction)
    groups = survey(frame, plan.column, plan.secret, rules.low, rules.high)
    _check(groups, rules)
    for group in groups:
        session.add(_counts(group, rules))
    if plan.person is None:
        session.check(NOBODY)
    else:
        session.check(
            spark_persons(frame, plan.person, plan.secret, plan.column, pairs=plan.tested_rows)
        )
    name = output.rstrip("/").rpartition("/")[2]

    written = map_spark(
        frame,
        session.how,
        None if plan.keep_order else random_keys,
        output,
        session.counts.published,
        kind=kind,
        force=force,
        before=lambda manifest: save(session.record(manifest.sha256, "folder", name)),
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


def _counts(group: SurveyedGroup, rules: RowRules) -> Counts:
    published = group.rows - (group.missing if rules.missing == "drop" else 0)
    return Counts(
        rows=group.rows,
        missing=group.missing,
        published=published,
        unprotected=0 if group.secret in rules.protected else published,
        outside=group.outside,
        mean=group.mean,
        squares=group.squares,
    )
