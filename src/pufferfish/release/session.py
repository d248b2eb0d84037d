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

import numpy as np

from pufferfish.errors import DataError
from pufferfish.learning import Sample, revealed
from pufferfish.ledger_file import Released, charge
from pufferfish.plan import Plan
from pufferfish.record import Record
from pufferfish.release.counts import Counts
from pufferfish.release.dependence import refuse_dependent
from pufferfish.release.origin import fitted_at, is_about_this_table, refused, source_of
from pufferfish.release.rows import RowRules
from pufferfish.release.surveyed import check_groups, counts_of
from pufferfish.sampling import Shuffler, SystemEntropy, permutation
from pufferfish.statement import BeliefsFrom, Reveals
from pufferfish.tables import Batch, Change, Changed, Staged, Summary, Survey
from pufferfish.tables.change import Measured
from pufferfish.tables.rows import ArrowPacking
from pufferfish.tables.seen import PersonsFound, two_secrets
from pufferfish.tables.summary import IntArray
from pufferfish.tables.tally import Tally

__all__ = ["Session", "software_versions"]


class Session:
    """Adds up what is seen of one table, and decides whether it may be published."""

    def __init__(
        self,
        plan: Plan,
        ledger: str | PathLike[str] | None,
        *,
        library: str | None = None,
        beliefs_from_plan: bool = False,
    ) -> None:
        """Nothing done yet; a ledger without room is refused before any work.

        Args:
            plan: What shall be done.
            ledger: The file of the ledger, if any.
            library: Who reads and writes, if the version is worth recording.
            beliefs_from_plan: Whether beliefs may be about another table than they say.
        """
        self._plan = plan
        self._libraries = () if library is None else (library,)
        self.rules = RowRules.of(plan)
        self._ledger = None if ledger is None else Path(ledger)
        self._beliefs_from_plan = beliefs_from_plan
        self._source: BeliefsFrom = "elsewhere"
        # Rows that were not surveyed are counted as they are changed: of which table are they?
        self._tally: Tally | None = None
        self._counts = Counts()
        # The promise is about the column alone: what it says with others can only be measured.
        self._sample = Sample(sorted(plan.protected, key=str)) if plan.keep else None
        self._reveals: Reveals | None = None
        # Whether rows that are said to be independent were tested, and passed.
        self._tested = False
        self._charge(only_check=True)

    @property
    def how(self) -> Change:
        """What is done to the table."""
        plan = self._plan
        return Change(
            columns={plan.column: "whole" if self.rules.mechanism.whole else "number"},
            secret=plan.secret,
            person=plan.person,
            keep=plan.keep,
            drops=plan.missing == "drop",
            change=self.rules.change if self._tally is None else self._change,
            account=self._account,
            order=_random_order if plan.shuffled else None,
            shuffle=_shuffler if plan.shuffled else None,
            keys=_random_keys if plan.shuffled else None,
            look=self._sample,
            finish=self._finish,
            pairs=plan.tested_rows,
            one_row=plan.reduction,
            measured=Measured(plan.column, self.rules.low, self.rules.high, plan.cap),
            same=is_about_this_table(plan),
        )

    def begin(self, survey: Survey | None) -> None:
        """Refuse what the plan does not allow for, as far as a survey tells, if there is one."""
        if survey is None:
            if is_about_this_table(self._plan):
                self._tally = Tally(self._plan.column, self._plan.secret)
            return
        check_groups(survey.groups, self.rules)
        for group in survey.groups:
            self._counts += counts_of(group, self.rules)
        self._check(survey.persons())

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

    def _account(self, changed: Changed) -> None:
        # On a cluster all rows were counted before, and nobody tells of them here.
        self._counts += changed.counts
        if self._tally is not None and changed.counted is not None:
            self._tally.merge(changed.counted)

    def record(self, staged: Staged) -> Record:
        """What was done, now that it is."""
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
            sha256=staged.sha256,
            checksum_of=staged.checksum_of,
            output=staged.name,
            order="random" if self._plan.shuffled else "table",
            # A table that does not pass is refused, so there is no record of it.
            rows_tested=self._tested,
            beliefs_from=self._source,
            beliefs_fitted=fitted_at(self._plan) if self._source == "another table" else None,
            reveals=self._reveals,
            versions=software_versions(*self._libraries),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _finish(self, persons: PersonsFound) -> None:
        """The last checks, and what kept columns reveal; then the table is published.

        The ledger knows it from here on.
        """
        self._check(persons)
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

    def _check(self, persons: PersonsFound) -> None:
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


def _random_order(rows: int) -> IntArray:
    return permutation(rows, SystemEntropy())


def _random_keys(count: int) -> IntArray:
    """Where rows shall go; runs in the executors of a cluster, each with fresh entropy."""
    return SystemEntropy().words(count, np.int64).astype(np.int64)


def _shuffler(folder: Path | None) -> Shuffler:
    return Shuffler(SystemEntropy(), ArrowPacking(), folder)


def software_versions(*more: str) -> dict[str, str]:
    """Of everything that a release rests on."""
    found = {"python": platform.python_version()}
    for name in ("pufferfish-privacy", "numpy", "scipy", "cryptography", "pyarrow", *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
