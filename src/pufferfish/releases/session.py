"""One release of rows, of any kind: what is done to them, what is counted, and the last checks."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.core.validation import require
from pufferfish.kinds.plan import RowPlan
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.learning import Sample, measure_leak
from pufferfish.learning.learner import check_learners
from pufferfish.learning.reveals import Reveals
from pufferfish.releases.counts import RowCounts
from pufferfish.releases.secrets import OfKnownSecrets
from pufferfish.sampling import Shuffler, SystemEntropy, permutation
from pufferfish.tables import Batch, Change, Changed, Counts, Engine, Progress, Staged, Survey
from pufferfish.tables.batch import ColumnType, IntArray, labels_of, numbers_of
from pufferfish.tables.engine import SurveyedGroup
from pufferfish.tables.halves import Halves
from pufferfish.tables.rows import ArrowPacking
from pufferfish.tables.seen import PersonsFound, two_secrets

__all__ = ["RowSession", "software_versions"]

PlanT = TypeVar("PlanT", bound=RowPlan)
CountsT = TypeVar("CountsT", bound=RowCounts)


class RowSession(ABC, Generic[PlanT, CountsT]):
    """Counts the rows of one table, and decides whether it may be published.

    Attributes:
        plan: What to do.
        counts: The counts so far.
        reveals: What the published columns reveal together, once all rows are processed; None where
            none is kept.
    """

    def __init__(
        self,
        plan: PlanT,
        ledger: str | PathLike[str] | None = None,
        *,
        library: str | None = None,
        beliefs_from_plan: bool = False,
    ) -> None:
        """Begin a release; a ledger without room is refused before any work.

        Args:
            plan: What to do.
            ledger: The file of the ledger, if any.
            library: The library that reads and writes, if its version is to be recorded.
            beliefs_from_plan: Whether beliefs may be about another table than they say.
        """
        _refuse_two_roles(plan, self.columns(plan), self.kept(plan))
        self.plan = plan
        self.counts = self.nothing()
        self.reveals: Reveals | None = None
        self._libraries = () if library is None else (library,)
        self._ledger = None if ledger is None else Path(ledger)
        self._beliefs_from_plan = beliefs_from_plan
        # The promise is about changed columns: what they reveal with others can only be measured.
        self._sample: Sample | None = None
        if self.measures(plan):
            check_learners()
            self._sample = Sample(sorted(plan.protected, key=str))
        self._charge(only_check=True)

    @classmethod
    @abstractmethod
    def columns(cls, plan: PlanT) -> Mapping[str, ColumnType]:
        """The columns that get new values, with their types."""

    @classmethod
    def kept(cls, plan: PlanT) -> tuple[str, ...]:
        """The columns that are published as they are."""
        return plan.keep

    @classmethod
    def measures(cls, plan: PlanT) -> bool:
        """Whether something is published that the promise does not cover, so it is measured."""
        return bool(plan.keep)

    @classmethod
    def reading(cls, plan: PlanT) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns that are read as numbers, and those that are read as labels."""
        kinds = cls.columns(plan)
        return numbers_of(kinds), (plan.secret, *labels_of(kinds))

    @property
    @abstractmethod
    def change(self) -> Callable[[Batch, int | None], Changed]:
        """What is done to rows, as in `Change`; for a cluster it must be picklable."""

    @abstractmethod
    def nothing(self) -> CountsT:
        """The counts of no rows; those of `Changed` are added to it."""

    @abstractmethod
    def counts_of(self, group: SurveyedGroup) -> CountsT:
        """What the rows of one secret add to the counts, where a table is surveyed."""

    @abstractmethod
    def record(self, staged: Staged) -> ReleaseRecord[Any, Any]:
        """The record of what was done."""

    @property
    def drops(self) -> bool:
        """Whether rows in which a changed column is missing are left out."""
        return False

    def charge(self, ledger: Path, *, only_check: bool) -> None:
        """Count this release, or only refuse it if there is no room."""
        raise UnsupportedError(
            f"a ledger cannot count releases by a {self.plan.KIND}: no proof covers several of "
            "them."
        )

    def confirm(self) -> None:
        """When all rows are processed, refuse a table that is not the one planned for."""

    @property
    def how(self) -> Change:
        """What is done to the table."""
        plan = self.plan
        return Change(
            columns=self.columns(plan),
            secret=plan.secret,
            person=plan.person,
            keep=self.kept(plan),
            drops=self.drops,
            change=OfKnownSecrets(self.change, plan.secret, plan.secrets),
            account=self.account,
            order=_random_order if plan.shuffled else None,
            shuffle=_shuffler if plan.shuffled else None,
            keys=_random_keys if plan.shuffled else None,
            look=self._sample,
            finish=self.finish,
            one_row=plan.reduction,
        )

    def begin(
        self,
        engine: Engine,
        just_counted: Counts | None,
        progress: Progress | None,
    ) -> tuple[Survey | None, Progress | None]:
        """Refuse what can be refused before anything is drawn.

        Args:
            engine: The table.
            just_counted: What was counted of it a moment ago.
            progress: Called with the share of the work that is done.

        Returns:
            What the engine knows of the table, and the progress to call for the remaining work.
        """
        survey = engine.survey(self.how)
        if survey is not None:
            self.surveyed(survey)
        return survey, progress

    def leave_out(self, halves: Halves) -> None:
        """Release only the half that no belief was fitted on."""
        raise UnsupportedError(
            f"a {self.plan.KIND} releases all rows of a table, not half of them."
        )

    def surveyed(self, survey: Survey) -> None:
        """Count and check what is known of a table."""
        for group in survey.groups:
            self.counts = self.counts + self.counts_of(group)
        self.check(survey.persons())

    def account(self, changed: Changed) -> None:
        """Add the counts of some changed rows. On a cluster there are none: rows were surveyed."""
        self.counts = self.counts + changed.counts

    def stamp(self) -> dict[str, Any]:
        """Versions of the software, and the time, for a record."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return {"versions": software_versions(*self._libraries), "created": now}

    def finish(self, persons: PersonsFound) -> None:
        """Make the last checks, measure what kept columns reveal, and charge the ledger.

        Then the table is published.
        """
        self.check(persons)
        self.confirm()
        if self._sample is not None:
            self.reveals = measure_leak(self._sample.rows(), self.plan.scenario.pairs)
        self._charge(only_check=False)

    def _charge(self, *, only_check: bool) -> None:
        if self._ledger is not None:
            self.charge(self._ledger, only_check=only_check)

    def check(self, persons: PersonsFound) -> None:
        """Refuse a table with nothing to publish, or with too many rows of one person.

        Args:
            persons: What was found about persons; empty where the plan is about rows.
        """
        plan = self.plan
        if self.counts.rows == 0:
            raise DataError("the table has no rows.")
        if self.counts.published == 0:
            names = [*map(repr, self.columns(plan))]
            if len(names) > 1:
                raise DataError(f"the columns {' and '.join(names)} have no values.")
            raise DataError(f"column {names[0]} has no values.")
        if plan.person is not None:
            self.check_persons(plan.person, persons)

    def check_persons(self, person: str, persons: PersonsFound) -> None:
        """Refuse persons with several secrets, or with more rows than the plan allows for."""
        if persons.two_secrets:
            raise two_secrets(person, self.plan.secret)
        most = self.plan.rows_per_person
        if persons.most > most:
            raise DataError(
                f"column {person!r}: some person has more than {most} row(s), and each further "
                "row would reveal more. Publish one row for each person (one_row, --one-row first "
                "or mean), or allow for more rows with rows_per_person (--rows-per-person), which "
                "costs noise."
            )


def _refuse_two_roles(
    plan: RowPlan, columns: Mapping[str, ColumnType], kept: Sequence[str]
) -> None:
    """Refuse a column with two roles: the secret is never published or changed."""
    roles = [*columns, plan.secret, *kept]
    twice = sorted({name for name in roles if roles.count(name) > 1})
    require(
        not twice,
        f"a column has two roles ({', '.join(map(repr, twice))}): each column of a plan is either "
        "changed, kept or the secret.",
    )


def _random_order(rows: int) -> IntArray:
    return permutation(rows, SystemEntropy())


def _random_keys(count: int) -> IntArray:
    """Random places for rows; runs in the executors of a cluster, each with fresh entropy."""
    return SystemEntropy().words(count, np.int64).astype(np.int64)


def _shuffler(folder: Path | None) -> Shuffler:
    return Shuffler(SystemEntropy(), ArrowPacking(), folder)


def software_versions(*more: str) -> dict[str, str]:
    """The versions of all software that a release depends on."""
    found = {"python": platform.python_version()}
    for name in ("pufferfish-privacy", "numpy", "scipy", "cryptography", "pyarrow", *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
