"""What the release of a table would mean: the library counts, describes and calibrates."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

from pufferfish.calibration.result import Calibration
from pufferfish.insight.guesses import Guess, best_guess
from pufferfish.joint.facts import TableFacts
from pufferfish.joint.known import known_says
from pufferfish.joint.plan import TablePlan
from pufferfish.options.counting import Opener, count_asked
from pufferfish.options.describing import DescribedTable, describe_table
from pufferfish.options.joint import plan_table
from pufferfish.options.table import Table
from pufferfish.options.voice import Voice
from pufferfish.studio.question import Question, column_digest
from pufferfish.studio.sources import Source
from pufferfish.tables import Counts
from pufferfish.tables.engine import Engine
from pufferfish.tables.local.engine import FilesEngine

__all__ = ["TableOutlook", "count_sources", "describe_sources", "table_outlook"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TableOutlook:
    """What the plan of a table would mean, before anything is drawn.

    Attributes:
        question: What was asked for.
        described: The scenario, and what it was made from.
        plan: What is applied, the promise and its certificate.
        facts: The public facts of the release.
        released: A key for each published column, which tells it and its values from every other.
        guess: The guess that is right most often, before and after.
    """

    question: Question
    described: DescribedTable
    plan: TablePlan
    facts: TableFacts
    released: tuple[str, ...]
    guess: Guess

    @property
    def calibration(self) -> Calibration:
        """The mechanism and its certificate."""
        return self.plan.calibration

    def release_plan(self, *, allow_no_noise: bool) -> TablePlan:
        """The plan; there is none for a table that could be published as it is."""
        del allow_no_noise
        return self.plan


def count_sources(question: Question, voice: Voice) -> Counts:
    """The counts of the columns that have a role."""
    return count_asked(question.asked.counting, voice, _opener(question.source))


def describe_sources(question: Question, counts: Counts, voice: Voice) -> DescribedTable:
    """The scenario from these counts; the beliefs are from the other table, if there is one."""
    # The table itself was already counted: only the other one is read, even if both share a name.
    opened = _opener(question.reference or question.source)
    return describe_table(question.asked.describing, voice, opened, counts)


def table_outlook(question: Question, described: DescribedTable, voice: Voice) -> TableOutlook:
    """The plan, and what it would mean."""
    plan = plan_table(question.asked, described, voice)
    counted = described.counted
    known = known_says(counted, counted.roles, plan.scenario.pairs) if plan.known else None
    return TableOutlook(
        question=question,
        described=described,
        plan=plan,
        facts=TableFacts.of(plan, known_says=known),
        released=tuple(f"{name} {_digest(counted, name)}" for name in plan.columns),
        guess=best_guess(plan.calibration, plan.promise),
    )


def _opener(source: Source) -> Opener:
    """Reads a table of the page from where it is, not from its name."""

    def opened(table: Table, names: Sequence[str]) -> AbstractContextManager[Engine]:
        del table, names
        return nullcontext(FilesEngine(source=source.path, source_format=source.format))

    return opened


def _digest(counted: Counts, name: str) -> str:
    """The same key as for the column by itself, if it holds numbers."""
    own = counted.marginal([name])
    values = [cell[0] for cell in own.cells]
    numbers = [each for each in values if isinstance(each, int | float)]
    if len(numbers) < sum(each is not None for each in values):
        return own.fingerprint
    order = np.argsort(numbers)
    held = np.array([each is not None for each in values])
    return column_digest(np.array(numbers, dtype=float)[order], own.counts[held][order])
