"""What a plan of a table does to single rows: checks, draws, counts. It runs where the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from pufferfish.beliefs.labels import Label, parts_of
from pufferfish.beliefs.rules import Rule
from pufferfish.beliefs.scenario import OTHER_ROWS, RELEASED
from pufferfish.calibration.mechanism import Mechanism
from pufferfish.columns.rows import RowRules
from pufferfish.core.validation import FloatArray
from pufferfish.joint.book import Book, published_type
from pufferfish.joint.cells import CellRules, Judged
from pufferfish.joint.plan import TablePlan
from pufferfish.kinds.recount import believed_range
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.tables import Batch, Changed
from pufferfish.tables.batch import Coded, ColumnType, IntArray, Numbers
from pufferfish.tables.coding import Coding
from pufferfish.tables.combined import SomeCells, rows_by_cell

__all__ = ["TableRules", "changed_columns", "counted_columns", "read_columns"]

Column = Numbers | Coded


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules:
    """All of a plan that its rows need, small enough to be sent to other processes.

    Attributes:
        codings: How the columns by which rows are judged and counted are read.
        cells: What the plan says about their combinations.
        columns: The columns under the promise.
        book: The code book of all recodings; None for a column of numbers.
        mechanisms: For each stratum what is applied.
        numbers: For each stratum the rules of a column of numbers; none for others.
        shown: The places in `codings` of known columns that are published, by their labels.
        drops: Whether rows without a value are left out.
    """

    codings: tuple[Coding, ...]
    cells: CellRules
    columns: tuple[str, ...]
    book: Book | None
    mechanisms: tuple[Mechanism, ...]
    numbers: tuple[RowRules, ...]
    shown: tuple[int, ...]
    drops: bool

    @classmethod
    def of(cls, plan: TablePlan) -> Self:
        """The rules of a plan."""
        mechanisms = tuple(
            replace(each, certificate=replace(each.certificate, results=(each.certificate.worst,)))
            for each in plan.mechanisms
        )
        book = None if plan.numeric else Book.of(plan.layout.columns, _recodings(plan))
        shown = {each.column for each in _published_known(plan)}
        return cls(
            codings=counted_columns(plan),
            cells=CellRules.of(plan, () if book is None else book.domains),
            columns=plan.columns,
            book=book,
            mechanisms=mechanisms,
            numbers=_number_rules(plan, mechanisms) if plan.numeric else (),
            shown=tuple(
                place for place, each in enumerate(plan.layout.rules) if each.column in shown
            ),
            drops=plan.missing == "drop",
        )

    def change(self, batch: Batch, before: int | None) -> Changed:
        """What is published of some rows, and their counts.

        Args:
            batch: The rows.
            before: How many rows come before them in the table, for messages; None: unknown.

        Raises:
            DataError: What the plan does not allow for.
        """
        coded = [each.coded(batch, before) for each in self.codings]
        return self.draw(coded, batch.numbers, before)

    def draw(
        self, coded: Sequence[Coded], numbers: Mapping[str, FloatArray], before: int | None
    ) -> Changed:
        """The same as `change`, for rows that were already read by the public rules.

        Args:
            coded: For each of `codings` the labels of the rows.
            numbers: The values of a column of numbers.
            before: As for `change`.
        """
        cells, where, judged = self._judged(coded, before)
        counts = judged.counted(cells.counts, drops=self.drops)
        stays = None
        columns: dict[str, Column] = {}
        if self.book is not None:
            columns |= self._draw_labels(self.book, judged, where)
        else:
            drawn, outside, capped = self._draw_numbers(numbers, judged.strata, where, before)
            columns[self.columns[0]] = drawn
            counts = replace(counts, outside=outside, capped=capped)
            if self.drops and counts.missing:
                stays = ~judged.missing[where]
        for place in self.shown:
            own = _whole(coded[place])
            shown = own if stays is None else own.taken(np.flatnonzero(stays))
            columns[self.codings[place].column] = shown
        return Changed(columns, stays, counts, cells)

    def looked_at(
        self, batch: Batch, before: int | None
    ) -> tuple[list[Coded], SomeCells, IntArray, Judged]:
        """What is known of some rows before anything is drawn.

        Returns:
            The labels of each column of `codings`; their combinations; which of these each row has;
            and what holds for each combination. It takes the arguments of `change`, and refuses
            the same rows.
        """
        coded = [each.coded(batch, before) for each in self.codings]
        return coded, *self._judged(coded, before)

    def _judged(
        self, coded: Sequence[Coded], before: int | None
    ) -> tuple[SomeCells, IntArray, Judged]:
        cells, where = rows_by_cell(coded)
        judged = self.cells.judge(cells)
        judged.refuse(where, before)
        return cells, where, judged

    def secrets(self, batch: Batch, before: int | None) -> tuple[Coded, ...]:
        """The protected secrets of some rows; the arguments are those of `change`."""
        names = self.cells.layout.secret_names
        codings = (each for each in self.codings if each.column in names)
        return self.cells.secrets_of({each.column: each.coded(batch, before) for each in codings})

    def _draw_labels(self, book: Book, judged: Judged, where: IntArray) -> dict[str, Column]:
        places = judged.places.take(where)
        drawn = np.empty(where.size, dtype=np.int64)
        for rows, number in self._strata(judged.strata, where):
            found = self.mechanisms[number].apply(places[rows])
            drawn[rows] = found + book.starts[number]
        return dict(zip(self.columns, book.decoded(drawn), strict=True))

    def _draw_numbers(
        self,
        numbers: Mapping[str, FloatArray],
        strata: IntArray,
        where: IntArray,
        before: int | None,
    ) -> tuple[Numbers, int, int]:
        """What is published of the rows that stay, and how many were outside or capped."""
        name = self.columns[0]
        values = numbers[name]
        parts: list[Numbers] = []
        order: list[IntArray] = []
        outside = capped = 0
        every = np.arange(values.size)
        for rows, number in self._strata(strata, where):
            some = Batch({name: values[rows]}, Coded.nothing(every[rows].size))
            made = self.numbers[number].change(some, before if len(self.numbers) == 1 else None)
            outside, capped = outside + made.counts.outside, capped + made.counts.capped
            new = made.columns[name]
            parts += [new] if isinstance(new, Numbers) else []
            order.append(every[rows] if made.rows is None else every[rows][made.rows])
        both = Numbers(*(np.concatenate(each) for each in zip(*parts, strict=True)))
        return both.taken(np.argsort(np.concatenate(order))), outside, capped

    def _strata(self, strata: IntArray, where: IntArray) -> Iterator[tuple[Any, int]]:
        """The rows of each stratum that has any, as an index, and its number."""
        if len(self.mechanisms) == 1:
            yield slice(None), 0
            return
        small = strata.astype(np.int16 if len(self.mechanisms) < 2**15 else np.int64).take(where)
        order = np.argsort(small, kind="stable")
        ends = np.searchsorted(small[order], np.arange(len(self.mechanisms) + 1))
        for number in range(len(self.mechanisms)):
            if ends[number] < ends[number + 1]:
                yield order[ends[number] : ends[number + 1]], number


def changed_columns(plan: TablePlan) -> dict[str, ColumnType]:
    """The columns that get new values, with their types."""
    found: dict[str, ColumnType] = {}
    if plan.numeric:
        whole = all(each.whole for each in plan.mechanisms)
        found[plan.columns[0]] = "whole" if whole else "number"
    else:
        rows = [parts_of(each) for law in _recodings(plan) for each in law.outputs]
        for rule, labels in zip(plan.layout.columns, zip(*rows, strict=True), strict=True):
            found[rule.column] = published_type(rule, labels)
    for rule in _published_known(plan):
        given = [each.given for each in plan.scenario.beliefs if rule.column in each.given]
        found[rule.column] = published_type(rule, [each[rule.column] for each in given])
    return found


def read_columns(plan: TablePlan) -> dict[str, ColumnType]:
    """All columns that are read, and how."""
    rules = plan.layout.rules
    return {each.column: "number" if each.read == "number" else "same" for each in rules}


def counted_columns(plan: TablePlan) -> tuple[Coding, ...]:
    """The columns by which rows are judged and counted.

    For numbers that no belief was fitted to, only whether one is missing: all may be different.
    """
    rules: list[Rule] = list(plan.layout.rules)
    fitted = any(each.provenance in (RELEASED, OTHER_ROWS) for each in plan.scenario.beliefs)
    if plan.numeric and not fitted:
        rules[0] = Rule(column=rules[0].column, read="number", edges=(0.0,), names=("<0", ">=0"))
    return tuple(map(Coding.of, rules))


def _recodings(plan: TablePlan) -> list[Recoding]:
    law = plan.calibration.mechanism
    laws: Sequence[Any] = tuple(law) if isinstance(law, Stratified) else (law,)
    return [each for each in laws if isinstance(each, Recoding)]


def _published_known(plan: TablePlan) -> list[Rule]:
    """The rules of known columns that are kept: their labels are published, not their entries.

    Entries that are one label to the laws, such as an empty text and a missing one, would otherwise
    be two strata to those who see them.
    """
    return [each for each in plan.layout.known if each.column in plan.keep]


def _number_rules(plan: TablePlan, mechanisms: Sequence[Mechanism]) -> tuple[RowRules, ...]:
    """The rules of each stratum; secrets and holes are checked elsewhere."""
    low, high = believed_range(plan.scenario.beliefs)
    return tuple(
        RowRules(
            mechanism=mechanism,
            column=plan.columns[0],
            secret=None,
            missing=plan.missing,
            known=frozenset(),
            protected=frozenset(),
            complete=frozenset(),
            low=low,
            high=high,
            cap=plan.cap,
            step=None,
        )
        for mechanism in mechanisms
    )


def _whole(column: Coded) -> Coded:
    """The column with integers for floats that are whole: labels are read as floats."""
    labels: list[Label] = [
        int(each) if isinstance(each, float) and each.is_integer() else each
        for each in column.labels
    ]
    return Coded(column.codes, tuple(labels))
