"""The subject of a test: the law of a plan, and how the rows to which it is applied are read."""

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
    """A plan under test.

    Attributes:
        plan: What is released, and how.
        layout: What the columns are for, and how they are read.
    """

    plan: ColumnPlan | TablePlan
    layout: Layout

    @property
    def calibration(self) -> Calibration:
        """The calibration that keeps the promise for one row."""
        return self.plan.calibration

    @property
    def law(self) -> Law:
        """The mechanism."""
        return self.calibration.mechanism

    @property
    def goal(self) -> Guarantee:
        """The promise for one row."""
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
        """The sets of columns that described adversaries know; each contains the kept columns."""
        rest = [name for name in self.layout.known_names if name not in self.keep]
        return tuple(
            (*self.keep, *chosen)
            for size in range(len(rest) + 1)
            for chosen in combinations(rest, size)
        )

    @property
    def roles(self) -> tuple[str, ...]:
        """All columns that have a role in the plan."""
        person = () if self.plan.person is None else (self.plan.person,)
        return (*(each.column for each in self.layout.rules), *person)

    @property
    def numeric(self) -> bool:
        """Whether a single column of numbers is published that does not count as categories."""
        return isinstance(self.plan, ColumnPlan) or self.plan.numeric

    @property
    def in_words(self) -> str:
        """What is published, against which secret, by which mechanism."""
        law = self.law
        done = (
            f"a law for each of {list_in_words(self.keep)}"
            if isinstance(law, Stratified)
            else words_of(law).short(law)
        )
        secret = list_in_words(self.layout.secret_names)
        return f"{list_in_words(self.layout.column_names)} against {secret}, {done}"

    def extended(self, rules: Sequence[Rule]) -> Layout:
        """The layout for somebody who knows further columns."""
        return replace(self.layout, known=(*self.layout.known, *rules))


def subject_of(given: Any, planned: dict[str, Any]) -> Subject:
    """The subject from a plan, or from a calibration and the other arguments of a plan.

    Raises:
        UnsupportedError: The rows of each person become one first, so the table's rows are not
            published.
    """
    if isinstance(given, Calibration):
        require(
            "secret" in planned and ("column" in planned or "columns" in planned),
            "a calibration does not say what is published: give the column and the secret "
            '(column="...", secret="..."), or a plan.',
        )
        plan: Any = Plan(calibration=given, **planned)
    else:
        plan = given
        require(
            not planned,
            f"{', '.join(planned)}: the plan already says this; leave it out.",
        )
    if isinstance(plan, TablePlan):
        return Subject(plan, plan.layout)
    if not isinstance(plan, ColumnPlan):
        raise InvalidInputError(
            "give the plan of a release (pf.Plan), or the result of pf.calibrate with column= "
            f"and secret=, got {type(given).__name__}."
        )
    if plan.one_row is not None:
        raise UnsupportedError(
            "this plan first makes one row of each person's rows. Make that table, and a plan "
            "for it, and test that plan."
        )
    layout = Layout(
        columns=(Rule(column=plan.column, read="number"),),
        secrets=(Rule(column=plan.secret, read="label"),),
    )
    return Subject(plan, layout)
