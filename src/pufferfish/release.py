"""The main job: a table and a plan become a table with noise, and the record of it.

Every value is noised once. What is published is whole or not there at all.
"""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pufferfish.checks import FloatArray, require
from pufferfish.errors import DataError, InvalidInputError
from pufferfish.ledger_file import charge
from pufferfish.plan import Plan
from pufferfish.record import Record
from pufferfish.sampling import Shuffler, SystemEntropy
from pufferfish.tables import (
    STANDARD_STREAM,
    Batch,
    Change,
    Changed,
    FileFormat,
    Progress,
    format_of,
    map_arrays,
    map_file,
    map_frame,
)
from pufferfish.tables.persons import most_rows

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
) -> Release:
    """Publish a column with the planned noise.

    Args:
        data: A frame (pandas, Polars eager or lazy, PyArrow), a dict of arrays, or a file's path.
        plan: What to release, and how.
        output: Where to write, for a file; not for frames, which are given back.
        ledger: A file that counts the releases of this column. The release is refused if it and
            those before it would break the promise together. It is charged when all rows have been
            checked, just before they are published.
        force: Replace an output that is there already.

    Returns:
        The released table: the same kind as `data`, with the protected column, in random order
        unless the plan keeps other columns or the order. Lazy frames are computed, so that nobody
        draws the noise twice.

    Raises:
        DataError: Missing values that the plan does not allow for, a secret that it does not know,
            a person with too many rows, values that are no numbers.
        BudgetExceededError: The ledger has no room for another release.
    """
    require(isinstance(plan, Plan), f"plan must be a Plan, got {type(plan).__name__}.")
    if isinstance(data, str | PathLike):
        if output is None:
            raise InvalidInputError("releasing a file needs output=, the file to write.")
        return release_file(fspath(data), plan, fspath(output), ledger=ledger, force=force)
    require(output is None, "output= is for files; the released frame is given back.")
    worker = _Worker(plan, ledger)
    how = worker.how
    mapped = map_arrays(data, how) if isinstance(data, Mapping) else map_frame(data, how)
    digest = hashlib.sha256(mapped.column.astype(mapped.column.dtype.newbyteorder("<")).tobytes())
    return Release(mapped.table, worker.record(digest.hexdigest(), "column", None))


def release_file(
    source: str,
    plan: Plan,
    target: str,
    *,
    source_format: FileFormat | None = None,
    target_format: FileFormat | None = None,
    ledger: str | PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
    save: Callable[[Record], None] = lambda record: None,
) -> Release:
    """`release` for files; "-" is standard input or output.

    Args:
        source: The table.
        plan: What to release, and how.
        target: Where to write.
        source_format: How the table is written; None: by its name.
        target_format: How to write; None: by its name.
        ledger: As for `release`.
        force: Replace a file that is there already.
        progress: Told the share of the work that is done.
        save: Given the record when the file is whole, just before it takes its place: a table
            without a record is never published.
    """
    worker = _Worker(plan, ledger)
    name = None if target == STANDARD_STREAM else Path(target).name
    digest = map_file(
        source,
        source_format or format_of(source),
        target,
        target_format or format_of(target),
        worker.how,
        force=force,
        progress=progress,
        before=lambda checksum: save(worker.record(checksum, "file", name)),
    )
    return Release(target, worker.record(digest, "file", name))


class _Worker:
    """Noises the rows of one table, and counts them."""

    def __init__(self, plan: Plan, ledger: str | PathLike[str] | None) -> None:
        """Nothing done yet; a ledger without room is refused before any work."""
        self._plan = plan
        self._mechanism = plan.mechanism
        self._ledger = None if ledger is None else Path(ledger)
        self._rows = self._published = self._missing = self._unprotected = self._outside = 0
        self._low, self._high = _considered(plan)
        self._mean = self._squares = 0.0
        self._persons: list[Any] = []
        if self._ledger is not None:
            charge(self._ledger, plan.calibration, only_check=True)

    @property
    def how(self) -> Change:
        """What is done to the table."""
        plan = self._plan
        return Change(
            column=plan.column,
            secret=plan.secret,
            person=plan.person,
            keep=plan.keep,
            drops=plan.missing == "drop",
            whole=self._mechanism.whole,
            change=self._change,
            shuffle=Shuffler(SystemEntropy()) if plan.shuffled else None,
            finish=self._finish,
        )

    def record(self, sha256: str, of: Literal["file", "column"], output: str | None) -> Record:
        """What was done."""
        present = self._rows - self._missing
        return Record(
            plan=self._plan,
            rows_read=self._rows,
            rows_published=self._published,
            rows_missing=self._missing,
            rows_unprotected=self._unprotected,
            rows_outside=self._outside,
            column_std=math.sqrt(self._squares / present) if present else 0.0,
            sha256=sha256,
            checksum_of=of,
            output=output,
            versions=software_versions(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _change(self, batch: Batch, persons: Any) -> Changed:
        hole = np.isnan(batch.values)
        self._check(batch, hole)
        if persons is not None:
            self._persons.append(persons)
        present = batch.values[~hole]
        noised = self._mechanism.apply(present)
        self._count(batch, present)
        if not hole.any():
            return Changed(noised, hole, None)
        if self._plan.missing == "drop":
            return Changed(noised, np.zeros(noised.size, dtype=bool), ~hole)
        values = np.zeros(batch.values.size, dtype=noised.dtype)
        values[~hole] = noised
        return Changed(values, hole, None)

    def _check(self, batch: Batch, hole: Any) -> None:
        """Refuse what the plan does not allow for, by column and row, never by content."""
        plan = self._plan
        unknown = [code for code, label in enumerate(batch.labels) if label not in plan.secrets]
        self._refuse(batch.lacks_secret, plan.secret, "the secret is missing. Mend such rows first")
        self._refuse(
            np.isin(batch.codes, unknown),
            plan.secret,
            "the plan does not know this secret, and promises nothing for it. Make a plan from a "
            "table that has it, in the same kind of column (text and numbers are kept apart)",
        )
        with np.errstate(invalid="ignore"):
            far = np.abs(batch.values) > self._mechanism.limit
        self._refuse(np.isinf(batch.values), plan.column, "the value is infinite")
        self._refuse(far, plan.column, f"the value is beyond {self._mechanism.limit:g}")
        if plan.missing == "refuse":
            self._refuse(
                hole,
                plan.column,
                'the value is missing. missing="keep" (--missing keep) publishes holes with a '
                'certificate that allows for them, "drop" leaves such rows out',
            )
        if plan.missing == "keep":
            certain = [
                code
                for code, label in enumerate(batch.labels)
                if label in plan.protected
                and not all(each.missing[label] for each in plan.calibration.scenario.beliefs)
            ]
            self._refuse(
                hole & np.isin(batch.codes, certain),
                plan.column,
                "the value is missing, which the beliefs say cannot happen. Fit them to a table "
                "with such holes",
            )

    def _refuse(self, bad: Any, column: str, problem: str) -> None:
        if bad.any():
            row = self._rows + int(np.flatnonzero(bad)[0]) + 1
            raise DataError(f"column {column!r}, row {row}: {problem}.")

    def _count(self, batch: Batch, present: FloatArray) -> None:
        outside = [
            code for code, each in enumerate(batch.labels) if each not in self._plan.protected
        ]
        before = self._rows - self._missing
        self._rows += batch.values.size
        self._missing += batch.values.size - present.size
        dropped = self._plan.missing == "drop"
        self._published += present.size if dropped else batch.values.size
        published = ~np.isnan(batch.values) if dropped else slice(None)
        self._unprotected += int(np.count_nonzero(np.isin(batch.codes[published], outside)))
        self._outside += int(np.count_nonzero((present < self._low) | (present > self._high)))
        if present.size:
            mean, total = float(present.mean()), before + present.size
            apart = mean - self._mean
            self._squares += (
                float(((present - mean) ** 2).sum()) + apart**2 * before * present.size / total
            )
            self._mean += apart * present.size / total

    def _finish(self) -> None:
        """The last checks; after them the table is published."""
        if self._rows == 0:
            raise DataError("the table has no rows.")
        if self._published == 0:
            raise DataError(f"column {self._plan.column!r} has no values.")
        if self._plan.person is not None:
            most = most_rows(self._persons)
            if most > self._plan.rows_per_person:
                raise DataError(
                    f"column {self._plan.person!r}: some person has more than "
                    f"{self._plan.rows_per_person} row(s), and each further one would tell more. "
                    "Allow for them with rows_per_person (--rows-per-person), which costs noise, "
                    "or keep one row of each."
                )
        if self._ledger is not None:
            charge(self._ledger, self._plan.calibration)


def _considered(plan: Plan) -> tuple[float, float]:
    """Between which values the beliefs consider anything possible: 8 stds around each component."""
    laws = [
        prior.components()
        for belief in plan.calibration.scenario.beliefs
        for prior in belief.priors.values()
    ]
    low = min(float((law.means - 8.0 * law.stds).min()) for law in laws)
    high = max(float((law.means + 8.0 * law.stds).max()) for law in laws)
    return low, high


def software_versions() -> dict[str, str]:
    """Of everything that a release rests on."""
    found = {"python": platform.python_version()}
    for name in ("pufferfish-privacy", "numpy", "scipy", "cryptography", "pyarrow"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
