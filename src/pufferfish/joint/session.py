"""The release of a table: compares it with the beliefs, and draws and counts its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from pufferfish.beliefs.scenario import OTHER_ROWS, Belief
from pufferfish.columns.origin import rows_set_apart
from pufferfish.columns.statement import BeliefsFrom
from pufferfish.columns.statement.facts import planned_source
from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.joint.counts import TableRowCounts
from pufferfish.joint.known import counts_by_secret, known_says
from pufferfish.joint.origin import (
    are_fitted_to,
    other_table,
    refuse_other_counts,
    refuse_unseen,
    who_claim,
)
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord
from pufferfish.joint.rows import TableRules, changed_columns, read_columns
from pufferfish.learning.reveals import Reveals
from pufferfish.ledger.file import Released, charge
from pufferfish.releases.session import RowSession
from pufferfish.tables import Batch, Change, Changed, Counts, Engine, Progress, Staged, Survey
from pufferfish.tables.batch import ColumnType, labels_of, numbers_of
from pufferfish.tables.change import Measured
from pufferfish.tables.coding import Coding
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.engine import SurveyedGroup
from pufferfish.tables.halves import Halves, not_split
from pufferfish.tables.seen import PersonsFound
from pufferfish.tables.tally import Counting, Tally
from pufferfish.theorems.anybody import width_of

__all__ = ["TableSession"]


class TableSession(RowSession[TablePlan, TableRowCounts]):
    """The rows of a table."""

    _source: BeliefsFrom = "elsewhere"
    # Counts of combinations: on a cluster before anything is drawn, elsewhere of the rows drawn.
    _crosstab: Counts | None = None
    _halves: Halves | None = None
    _tally: Tally | None = None

    @cached_property
    def _rules(self) -> TableRules:
        return TableRules.of(self.plan)

    @classmethod
    def columns(cls, plan: TablePlan) -> Mapping[str, ColumnType]:
        """The columns under the promise, and known columns that are published."""
        return changed_columns(plan)

    @classmethod
    def kept(cls, plan: TablePlan) -> tuple[str, ...]:
        """The columns that are published without protection."""
        return plan.keep_unprotected

    @classmethod
    def measures(cls, plan: TablePlan) -> bool:
        """Whether a column is unprotected; kept columns are known, and so covered."""
        return bool(plan.keep_unprotected)

    @classmethod
    def reading(cls, plan: TablePlan) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns that are read as numbers, and those that are read as labels."""
        kinds = {**changed_columns(plan), **read_columns(plan)}
        return numbers_of(kinds), labels_of(kinds)

    @property
    def change(self) -> Callable[[Batch, int | None], Changed]:
        """Draw."""
        return self._rules.change

    @property
    def drops(self) -> bool:
        """Whether rows without a value are left out."""
        return bool(self.plan.missing == "drop")

    @property
    def how(self) -> Change:
        """The change, with the other columns that are read, and how secrets are found."""
        plan, measured = self.plan, None
        secret = plan.layout.secrets[0]
        if plan.numeric:
            rules = self._rules.numbers[0]
            measured = Measured(plan.columns[0], rules.low, rules.high, plan.cap)
        layout, groups = plan.layout, None
        # One secret column is enough to tell secrets, unless missing ones are a group as well.
        several = len(layout.secrets) > 1 or layout.missing_secret
        if several and self._crosstab is not None:
            counts = counts_by_secret(self._crosstab, layout, ())
            groups = {each: sum(own.values()) for each, own in counts.items()}
        return replace(
            super().how,
            secrets=self._rules.secrets if several else None,
            groups=groups,
            change=self.change,
            reads=read_columns(plan),
            known=plan.keep,
            bands=Coding.of(secret) if secret.read == "number" else None,
            measured=measured,
            # Rows that were counted must be those that are drawn.
            same=True,
        )

    def nothing(self) -> TableRowCounts:
        """Counts of no rows."""
        return TableRowCounts()

    def counts_of(self, group: SurveyedGroup) -> TableRowCounts:
        """What the rows of one secret add to the counts; the rest is counted by combinations."""
        return TableRowCounts(
            rows=group.rows,
            published=group.rows - (group.missing if self.drops else 0),
            outside=group.outside,
            capped=group.capped,
        )

    def begin(
        self,
        engine: Engine,
        just_counted: Counts | None,
        progress: Progress | None,
    ) -> tuple[Survey | None, Progress | None]:
        """On a cluster, also refuse what is not described before anything is drawn.

        Elsewhere the rows that are drawn are counted, and refused before they are published.
        """
        self._refuse_other_halves()
        survey, progress = super().begin(engine, None, progress)
        self._source = planned_source(self.plan.scenario.beliefs)
        rules = self._rules
        if survey is None:
            self._tally = Tally(self._counting)
            return survey, progress
        counted = engine.fold(self._counting)
        cells = counted.some_cells()
        judged = rules.cells.judge(cells)
        judged.refuse(np.arange(cells.counts.size), None)
        found = judged.counted(cells.counts, drops=self.drops)
        self.counts = replace(found, outside=self.counts.outside, capped=self.counts.capped)
        self._compare(counted)
        return survey, progress

    def leave_out(self, halves: Halves) -> None:
        """Release one half only; the beliefs are about the other."""
        if halves.fitted.roles != self.plan.layout:
            raise UnsupportedError(
                "halves= is for one column of numbers, and the plan is for a table of several "
                "columns. --fit-on half splits a table by all columns that matter."
            )
        self._halves = halves

    @property
    def _counting(self) -> Counting:
        """How rows are counted: as for the beliefs, in bins as wide as those of halves."""
        width = 0.0 if self._halves is None else self._halves.rest.bin_width
        return Counting(codings=self._rules.codings, layout=self.plan.layout, bin_width=width)

    def _refuse_other_halves(self) -> None:
        """Refuse a plan whose beliefs were not fitted on the half that is not released."""
        beliefs = [each for each in self.plan.scenario.beliefs if each.provenance == OTHER_ROWS]
        if self._halves is None:
            if beliefs:
                raise rows_set_apart()
            return
        fitted = self._halves.fitted.fingerprint
        if self._claiming or not beliefs or any(each.fitted_on != fitted for each in beliefs):
            raise DataError(
                "halves= releases the rows that no belief was fitted on, but the beliefs of this "
                "plan were not fitted on the other half: fit them with "
                "pf.fit_beliefs(halves.fitted)."
            )

    def account(self, changed: Changed) -> None:
        """Also add the counts of combinations."""
        super().account(changed)
        if self._tally is not None and isinstance(changed.counted, SomeCells):
            self._tally.merge(changed.counted)

    @property
    def _claiming(self) -> tuple[Belief, ...]:
        return who_claim(self.plan)

    def _compare(self, crosstab: Counts) -> None:
        """Refuse a table that the beliefs are not about, or that they do not cover."""
        self._crosstab = crosstab
        if self._halves is not None and crosstab.fingerprint != self._halves.rest.fingerprint:
            raise not_split()
        same = are_fitted_to(self.plan, crosstab)
        if same is not None:
            self._source = "this table" if same else "another table"
            if not same and not self._beliefs_from_plan:
                raise other_table()
            if same:
                refuse_other_counts(self.plan, crosstab)
        refuse_unseen(self.counts, self._rules.cells, crosstab, self.plan)

    def confirm(self) -> None:
        """Compare the beliefs with rows that were only counted as they were drawn."""
        if self._tally is not None:
            self._compare(self._tally.result())

    @property
    def known_says(self) -> Reveals | None:
        """What known columns reveal about the secret by themselves."""
        if self._crosstab is None or not self.plan.known:
            return None
        return known_says(self._crosstab, self.plan.layout, self.plan.scenario.pairs)

    def charge(self, ledger: Path, *, only_check: bool) -> None:
        """Charge the ledger for one more release of the rows."""
        plan = self.plan
        of = Released(
            plan.columns[0],
            plan.secret,
            plan.person,
            columns=plan.columns,
            secrets=plan.secret_columns,
        )
        width = width_of(plan.cap)
        charge(ledger, plan.calibration, width=width, of=of, only_check=only_check)

    def check_persons(self, person: str, persons: PersonsFound) -> None:
        """Refuse persons with several rows: no bound for them is proven for tables."""
        if persons.most > 1:
            raise DataError(
                f"column {person!r}: some person has several rows, and the promise for a table is "
                "about one row of each. Nothing was published. Keep one row of each person first."
            )
        super().check_persons(person, persons)

    def record(self, staged: Staged) -> TableRecord:
        """The record of what was done."""
        seen, another = self.counts, self._source == "another table"
        times = [each.fitted_at for each in self._claiming if each.fitted_at is not None]
        return TableRecord(
            plan=self.plan,
            rows_read=seen.rows,
            rows_published=seen.published,
            rows_missing=seen.missing,
            rows_unprotected=seen.unprotected,
            rows_unseen=seen.unseen,
            rows_outside=seen.outside,
            rows_capped=seen.capped,
            sha256=staged.sha256,
            checksum_of=staged.checksum_of,
            output=staged.name,
            order="random" if self.plan.shuffled else "table",
            rows_fitted=None if self._halves is None else self._halves.rows_fitted,
            beliefs_from=self._source,
            beliefs_fitted=max(times, default=None) if another else None,
            known_says=self.known_says,
            reveals=self.reveals,
            **self.stamp(),
        )
