"""What is put to the test: the law of a plan, and how the rows are read that it meets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.rules import Rule
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.result import Calibration
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.errors import InvalidInputError, UnsupportedError
from pufferfish.core.validation import require
from pufferfish.joint.plan import TablePlan
from pufferfish.kinds.choosing import Plan
from pufferfish.mechanisms import words_of
from pufferfish.noise import Law, Stratified
from pufferfish.words.phrases import list_in_words

__all__ = ["Subject", "subject_of"]


@dataclass(frozen=True)
class Subject:
    """A plan that is put to the test.

    Attributes:
        plan: What is released, and how.
        layout: What the columns are for, and how they are read.
    """

    plan: ColumnPlan | TablePlan
    layout: Layout

    @property
    def calibration(self) -> Calibration:
        """What keeps the promise for one row."""
        return self.plan.calibration

    @property
    def law(self) -> Law:
        """What is applied."""
        return self.calibration.mechanism

    @property
    def goal(self) -> Guarantee:
        """What is promised for one row."""
        return self.calibration.goal

    @property
    def scenario(self) -> Scenario:
        """What must look alike, to whom."""
        return self.calibration.scenario

    @property
    def keep(self) -> tuple[str, ...]:
        """Columns that everybody knows, for each value of which there is a law."""
        return self.law.columns if isinstance(self.law, Stratified) else ()

    @cached_property
    def known_sets(self) -> tuple[tuple[str, ...], ...]:
        """All that somebody who is described may know: each set contains what is kept."""
        rest = [name for name in self.layout.known_names if name not in self.keep]
        return tuple(
            (*self.keep, *chosen)
            for size in range(len(rest) + 1)
            for chosen in combinations(rest, size)
        )

    @property
    def roles(self) -> tuple[str, ...]:
        """All columns that have a role already."""
        person = () if self.plan.person is None else (self.plan.person,)
        return (*(each.column for each in self.layout.rules), *person)

    @property
    def numeric(self) -> bool:
        """Whether one column of numbers is published, which are not taken as categories."""
        return isinstance(self.plan, ColumnPlan) or self.plan.numeric

    @property
    def in_words(self) -> str:
        """What is published, against which secret, by what."""
        law = self.law
        done = (
            f"a law for each of {list_in_words(self.keep)}"
            if isinstance(law, Stratified)
            else words_of(law).short(law)
        )
        secret = list_in_words(self.layout.secret_names)
        return f"{list_in_words(self.layout.column_names)} against {secret}, {done}"

    def extended(self, rules: Sequence[Rule]) -> Layout:
        """The layout of somebody who knows further columns."""
        return replace(self.layout, known=(*self.layout.known, *rules))


def subject_of(given: Any, planned: dict[str, Any]) -> Subject:
    """Of a plan, or of a calibration and what else a plan would be told.

    Raises:
        UnsupportedError: Rows of persons become one first, so the table's rows are not published.
    """
    if isinstance(given, Calibration):
        plan: Any = Plan(calibration=given, **planned)
    else:
        plan = given
        require(
            not planned,
            f"{', '.join(planned)}: a plan says this already; leave it out.",
        )
    if isinstance(plan, TablePlan):
        return Subject(plan, plan.layout)
    if not isinstance(plan, ColumnPlan):
        raise InvalidInputError(
            "give the plan of a release (pf.Plan), or what pf.calibrate found with column= and "
            f"secret=, got {type(given).__name__}."
        )
    if plan.one_row is not None:
        raise UnsupportedError(
            "this plan makes one row of each person's rows first. Make that table, and a plan for "
            "it, and put that to the test."
        )
    layout = Layout(
        columns=(Rule(column=plan.column, read="number"),),
        secrets=(Rule(column=plan.secret, read="label"),),
    )
    return Subject(plan, layout)
