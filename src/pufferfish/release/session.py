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

import numpy as np
import numpy.typing as npt

from pufferfish.errors import DataError
from pufferfish.learning import Sample, revealed
from pufferfish.ledger_file import Released, charge
from pufferfish.plan import Plan
from pufferfish.record import ChecksumOf, Record
from pufferfish.release.counts import Counts
from pufferfish.release.dependence import refuse_dependent
from pufferfish.release.origin import fitted_at, is_about_this_table, refused, source_of
from pufferfish.release.rows import RowRules
from pufferfish.sampling import Shuffler, SystemEntropy, permutation
from pufferfish.statement import BeliefsFrom, Order, Reveals
from pufferfish.tables import Batch, Change, Changed, Summary
from pufferfish.tables.persons import PersonCounter, two_secrets
from pufferfish.tables.rows import ArrowPacking
from pufferfish.tables.seen import PersonsFound
from pufferfish.tables.tally import Tally

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
        beliefs_from_plan: bool = False,
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
            beliefs_from_plan: Whether beliefs may be about another table than they say.
        """
        self._order: Order = order or ("random" if plan.shuffled else "table")
        self._plan = plan
        self._engine = () if engine is None else (engine,)
        self._folder = folder
        waiting: dict[str, Any] = {"most_held": None} if held else {"folder": folder}
        self.rules = RowRules.of(plan)
        self._ledger = None if ledger is None else Path(ledger)
        self._beliefs_from_plan = beliefs_from_plan
        self._source: BeliefsFrom = "elsewhere"
        # Whether rows that are changed are also counted, to see which table they are of.
        self._tally: Tally | None = None
        if engine is None and is_about_this_table(plan):
            self._tally = Tally(plan.column, plan.secret)
        self._counts = Counts()
        self._persons = PersonCounter(**waiting)
        # The promise is about the column alone: what it says with others can only be measured.
        self._sample = Sample(sorted(plan.protected, key=str)) if plan.keep else None
        self._reveals: Reveals | None = None
        self._record: Record | None = None
        # Whether rows that are said to be independent were tested, and passed.
        self._tested = False
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
            change=self.rules.change if self._tally is None else self._change,
            account=self._account,
            order=_random_order if plan.shuffled else None,
            shuffle=self._shuffle if plan.shuffled else None,
            look=None if self._sample is None else self._sample.look,
            finish=self._finish,
            pairs=plan.tested_rows,
            one_row=plan.reduction,
            cap=plan.cap,
        )

    def add(self, counts: Counts) -> None:
        """More rows were seen."""
        self._counts += counts

    @property
    def counts(self) -> Counts:
        """Of all rows so far."""
        return self._counts

    def compare(self, summary: Summary) -> None:
        """Refuse a table that the beliefs are not about, unless that is meant."""
        self._source = source_of(self._plan, summary)
        if self._source == "another table" and not self._beliefs_from_plan:
            raise refused(self._plan)

    def _change(self, batch: Batch, before: int | None) -> Changed:
        changed = self.rules.change(batch, before)
        if self._tally is None:
            return changed
        return changed._replace(counted=self._tally.counted(batch, before))

    @property
    def most_looked_at(self) -> int:
        """How many rows of each secret are looked at, to see what they reveal."""
        return 0 if self._sample is None else self._sample.most_each

    def _shuffle(self) -> Shuffler:
        return Shuffler(SystemEntropy(), ArrowPacking(), self._folder)

    def _account(self, changed: Changed, persons: Any) -> None:
        self.add(changed.counts)
        if self._tally is not None and changed.counted is not None:
            self._tally.merge(changed.counted)
        if persons is not None:
            self._persons.add(persons)

    def record(self, sha256: str, of: ChecksumOf, output: str | None) -> Record:
        """What was done; made once, so that it has one time."""
        if self._record is None:
            self._record = self._made(sha256, of, output)
        return self._record

    def _made(self, sha256: str, of: ChecksumOf, output: str | None) -> Record:
        seen = self._counts
        return Record(
            plan=self._plan,
            rows_read=seen.rows,
            rows_published=seen.published,
            rows_missing=seen.missing,
            rows_unprotected=seen.unprotected,
            rows_outside=seen.outside,
            rows_capped=seen.capped,
            column_std=math.sqrt(seen.variance),
            sha256=sha256,
            checksum_of=of,
            output=output,
            order=self._order,
            # A table that does not pass is refused, so there is no record of it.
            rows_tested=self._tested,
            beliefs_from=self._source,
            beliefs_fitted=fitted_at(self._plan) if self._source == "another table" else None,
            reveals=self._reveals,
            versions=software_versions(*self._engine),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _finish(self) -> None:
        self.finish(self._persons.found())

    def finish(self, persons: PersonsFound) -> None:
        """The last checks, and what kept columns reveal; then the table is published.

        The ledger knows it from here on.
        """
        self.check(persons)
        if self._tally is not None:
            self.compare(self._tally.summary())
        if self._sample is not None:
            self._reveals = revealed(self._sample.rows(), self._plan.calibration.scenario.pairs)
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
            of=Released(
                self._plan.column, self._plan.secret, self._plan.person, self._plan.one_row
            ),
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
            # On a cluster persons are seen once, before rows are drawn, and nobody at the end.
            self._tested |= refuse_dependent(person, persons.pairs)


def _random_order(rows: int) -> npt.NDArray[np.int64]:
    return permutation(rows, SystemEntropy())


def software_versions(*more: str) -> dict[str, str]:
    """Of everything that a release rests on."""
    found = {"python": platform.python_version()}
    for name in ("pufferfish-privacy", "numpy", "scipy", "cryptography", "pyarrow", *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
