"""The release of a column: compares the beliefs with the table, and counts the rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pufferfish.columns.counts import ColumnRowCounts
from pufferfish.columns.dependence import refuse_dependent
from pufferfish.columns.origin import (
    is_about_this_table,
    other_table_error,
    refuse_other_halves,
    source_of,
    time_of_fit,
)
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.columns.rows import RowRules
from pufferfish.columns.statement import BeliefsFrom
from pufferfish.columns.surveyed import check_groups, counts_of
from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.ledger.file import Released, charge
from pufferfish.releases.session import RowSession
from pufferfish.tables import Batch, Change, Changed, Counts, Engine, Progress, Staged, Survey
from pufferfish.tables.batch import ColumnType
from pufferfish.tables.change import Measured
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.counts import column_layout
from pufferfish.tables.engine import SurveyedGroup
from pufferfish.tables.halves import Halves
from pufferfish.tables.seen import PersonsFound
from pufferfish.tables.tally import Counting, Tally

__all__ = ["ColumnSession"]


class ColumnSession(RowSession[ColumnPlan, ColumnRowCounts]):
    """The rows of a column, with noise."""

    _source: BeliefsFrom = "elsewhere"
    _halves: Halves | None = None
    # Rows that were not surveyed are counted as they are changed, to compare them with the beliefs.
    _tally: Tally | None = None
    # Whether rows that are stated to be independent were tested, and passed.
    _tested = False

    @cached_property
    def _rules(self) -> RowRules:
        return RowRules.of(self.plan)

    @classmethod
    def columns(cls, plan: ColumnPlan) -> Mapping[str, ColumnType]:
        """The one column, of numbers."""
        return {plan.column: "whole" if plan.mechanism.whole else "number"}

    @property
    def change(self) -> Callable[[Batch, int | None], Changed]:
        """What is done to rows: the noise, and the counting of rows that were not surveyed."""
        return self._rules.change if self._tally is None else self._change

    @property
    def drops(self) -> bool:
        """Whether rows without a value are left out."""
        return self.plan.missing == "drop"

    @property
    def how(self) -> Change:
        """The change, with what is measured of the column; its rules read the secrets."""
        rules, plan = self._rules, self.plan
        return replace(
            super().how,
            change=self.change,
            measured=Measured(plan.column, rules.low, rules.high, plan.cap),
            pairs=plan.tested_rows,
            same=is_about_this_table(plan),
        )

    def nothing(self) -> ColumnRowCounts:
        """Counts of no rows."""
        return ColumnRowCounts()

    def counts_of(self, group: SurveyedGroup) -> ColumnRowCounts:
        """What the rows of one secret add to the counts."""
        return counts_of(group, self._rules)

    def begin(
        self,
        engine: Engine,
        just_counted: Counts | None,
        progress: Progress | None,
    ) -> tuple[Survey | None, Progress | None]:
        """Also refuse a table that the beliefs are not about, before anything is drawn."""
        plan = self.plan
        refuse_other_halves(plan, self._halves)
        survey, progress = super().begin(engine, just_counted, progress)
        if not is_about_this_table(plan):
            return survey, progress
        if survey is None:
            width = 0.0 if self._halves is None else self._halves.rest.bin_width
            self._tally = Tally(Counting.of_column(plan.column, plan.secret, bin_width=width))
        # Rows that were not surveyed are counted again as they are drawn. That is enough where the
        # beliefs are meant to be about another table.
        if engine.once or (survey is None and self._beliefs_from_plan):
            return survey, progress
        if just_counted is None:
            what = Counting.of_column(plan.column, plan.secret, one_row=plan.reduction)
            first = _half(progress, 0.0)
            just_counted = engine.fold(what, check=self._rules.count, progress=first)
            progress = _half(progress, 0.5)
        self._compare(just_counted)
        return survey, progress

    def leave_out(self, halves: Halves) -> None:
        """Release one half only; the beliefs are about the other."""
        if halves.fitted.roles != column_layout(self.plan.column, self.plan.secret):
            raise UnsupportedError(
                "halves= is for a table of several columns, and the plan is for one column of "
                "numbers: split the table with pf.split_half."
            )
        self._halves, self._source = halves, "other rows"

    def surveyed(self, survey: Survey) -> None:
        """Check what was surveyed; every row is checked again as it is noised."""
        check_groups(survey.groups, self._rules)
        super().surveyed(survey)

    def account(self, changed: Changed) -> None:
        """Also add the counts by secret."""
        super().account(changed)
        if self._tally is not None and isinstance(changed.counted, SomeCells):
            self._tally.merge(changed.counted)

    def confirm(self) -> None:
        """Compare the beliefs with rows that were only counted as they were drawn."""
        if self._tally is not None:
            self._compare(self._tally.result())

    def record(self, staged: Staged) -> Record:
        """The record of what was done."""
        seen, another = self.counts, self._source == "another table"
        return Record(
            plan=self.plan,
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
            order="random" if self.plan.shuffled else "table",
            # A table that does not pass is refused, and so has no record.
            rows_tested=self._tested,
            rows_fitted=None if self._halves is None else self._halves.rows_fitted,
            beliefs_from=self._source,
            beliefs_fitted=time_of_fit(self.plan) if another else None,
            reveals=self.reveals,
            **self.stamp(),
        )

    def charge(self, ledger: Path, *, only_check: bool) -> None:
        """Charge the ledger for one more release of the column."""
        plan, rows = self.plan, self.plan.several_rows
        # Each of several independent rows has its own share of the promise, and its own releases.
        charge(
            ledger,
            plan.calibration,
            rows=1 if rows.apart else rows.count,
            dependence="any" if rows.apart else rows.dependence,
            width=rows.width,
            of=Released(plan.column, plan.secret, plan.person, plan.one_row),
            only_check=only_check,
        )

    def check_persons(self, person: str, persons: PersonsFound) -> None:
        """Also refuse rows of a person that contradict what was stated about them."""
        plan = self.plan
        super().check_persons(person, persons)
        if plan.rows_per_person == 1:
            return
        if plan.dependence == "equal" and (
            persons.unequal or (persons.partly_missing and plan.missing == "keep")
        ):
            raise DataError(
                f"column {person!r}: some person has several values of {plan.column!r}, and the "
                "plan says that the rows of a person repeat one (--rows-are equal). Publish one "
                "row of each (--one-row first, or mean), or leave out --rows-are equal, which "
                "costs noise."
            )
        if plan.dependence == "independent":
            # A cluster looks at persons once, before rows are drawn, and not at the end.
            self._tested |= refuse_dependent(person, persons.pairs)

    def _change(self, batch: Batch, before: int | None) -> Changed:
        changed = self._rules.change(batch, before)
        if self._tally is None:
            return changed
        return changed._replace(counted=self._tally.counted(batch, before))

    def _compare(self, summary: Counts) -> None:
        """Refuse a table that the beliefs are not about, unless that was asked for."""
        self._source = source_of(self.plan, summary)
        if self._source == "another table" and not self._beliefs_from_plan:
            raise other_table_error(self.plan)


def _half(progress: Progress | None, start: float) -> Progress | None:
    """Progress of work that is half of the whole."""
    return None if progress is None else lambda share: progress(start + 0.5 * share)
