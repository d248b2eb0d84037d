"""One release: what the plan does to the rows, what was counted, and the last word before they are
published.
"""

from __future__ import annotations

import math
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from pufferfish.errors import DataError
from pufferfish.ledger_file import charge
from pufferfish.plan import Plan
from pufferfish.record import ChecksumOf, Record
from pufferfish.release.counts import Counts
from pufferfish.release.dependence import refuse_dependent
from pufferfish.release.rows import RowRules
from pufferfish.sampling import Shuffler, SystemEntropy
from pufferfish.statement import Order, planned_source
from pufferfish.tables import Change, Changed
from pufferfish.tables.persons import PersonCounter, two_secrets
from pufferfish.tables.seen import PersonsFound

__all__ = ["Session", "software_versions"]


class Session:
    """Adds up what is seen of one table, and decides whether it may be published."""

    def __init__(
        self,
        plan: Plan,
        ledger: str | PathLike[str] | None,
        *,
        held: bool = True,
        folder: Path | None = None,
        engine: str | None = None,
        order: Order | None = None,
    ) -> None:
        """Nothing done yet; a ledger without room is refused before any work.

        Args:
            plan: What shall be done.
            ledger: The file of the ledger, if any.
            held: Whether the whole table is in memory; if not, what must wait for the last row
                waits in temporary files.
            folder: Where these are; None: the system's folder for such files.
            engine: The library that reads and writes, if its version is worth recording.
            order: The order in which it publishes rows; None: as the plan says.
        """
        self._order: Order = order or ("random" if plan.shuffled else "table")
        self._plan = plan
        self._engine = () if engine is None else (engine,)
        self._waiting: dict[str, Any] = {"most_held": None} if held else {"folder": folder}
        self.rules = RowRules.of(plan)
        self._ledger = None if ledger is None else Path(ledger)
        self._counts = Counts()
        self._persons = PersonCounter(**self._waiting)
        self._charge(only_check=True)

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
            whole=self.rules.mechanism.whole,
            change=self.rules.change,
            account=self._account,
            shuffle=Shuffler(SystemEntropy(), **self._waiting) if plan.shuffled else None,
            finish=self._finish,
            pairs=plan.tested_rows,
            one_row=plan.reduction,
        )

    def add(self, counts: Counts) -> None:
        """More rows were seen."""
        self._counts += counts

    @property
    def counts(self) -> Counts:
        """Of all rows so far."""
        return self._counts

    def _account(self, changed: Changed, persons: Any) -> None:
        self.add(changed.counts)
        if persons is not None:
            self._persons.add(persons)

    def record(self, sha256: str, of: ChecksumOf, output: str | None) -> Record:
        """What was done."""
        seen = self._counts
        return Record(
            plan=self._plan,
            rows_read=seen.rows,
            rows_published=seen.published,
            rows_missing=seen.missing,
            rows_unprotected=seen.unprotected,
            rows_outside=seen.outside,
            column_std=math.sqrt(seen.variance),
            sha256=sha256,
            checksum_of=of,
            output=output,
            order=self._order,
            # A table that does not pass is refused, so there is no record of it.
            rows_tested=self._plan.tests_rows,
            beliefs_from=planned_source(self._plan.calibration.scenario.beliefs),
            versions=software_versions(*self._engine),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _finish(self) -> None:
        self.finish(self._persons.found())

    def finish(self, persons: PersonsFound) -> None:
        """The last checks; after them the table is published, and the ledger knows it."""
        self.check(persons)
        self._charge(only_check=False)

    def _charge(self, *, only_check: bool) -> None:
        if self._ledger is None:
            return
        rows = self._plan.several_rows
        # Each of several independent rows has its own share of the promise, and its own releases.
        charge(
            self._ledger,
            self._plan.calibration,
            rows=1 if rows.apart else rows.count,
            dependence="any" if rows.apart else rows.dependence,
            width=rows.width,
            only_check=only_check,
        )

    def check(self, persons: PersonsFound) -> None:
        """Refuse a table of which nothing can be published, or too much of one person.

        Args:
            persons: What was seen of the persons; of nobody where the plan is about rows.
        """
        if self._counts.rows == 0:
            raise DataError("the table has no rows.")
        if self._counts.published == 0:
            raise DataError(f"column {self._plan.column!r} has no values.")
        if self._plan.person is not None:
            self._check_persons(self._plan.person, persons)

    def _check_persons(self, person: str, persons: PersonsFound) -> None:
        plan = self._plan
        if persons.two_secrets:
            raise two_secrets(person, plan.secret)
        if persons.most > plan.rows_per_person:
            raise DataError(
                f"column {person!r}: some person has more than {plan.rows_per_person} row(s), and "
                "each further one would tell more. Publish one row of each (one_row, --one-row "
                "first or mean), or allow for them with rows_per_person (--rows-per-person), which "
                "costs noise."
            )
        if plan.rows_per_person == 1:
            return
        if plan.dependence == "equal" and (
            persons.unequal or (persons.partly_missing and plan.missing == "keep")
        ):
            raise DataError(
                f"column {person!r}: some person has several values of {plan.column!r}, and the "
                "plan says that the rows of a person repeat one (--rows-are-equal). Publish one "
                "row of each (--one-row first, or mean), or leave out --rows-are-equal, which "
                "costs noise."
            )
        if plan.dependence == "independent":
            refuse_dependent(person, persons.pairs)


def software_versions(*more: str) -> dict[str, str]:
    """Of everything that a release rests on."""
    found = {"python": platform.python_version()}
    for name in ("pufferfish-privacy", "numpy", "scipy", "cryptography", "pyarrow", *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
