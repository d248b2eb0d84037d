"""A table of several columns is one column of codes, with a code book.

Entries become labels by public rules, and the labels of a row become the place of its combination
in the domain of a recoding. Published places become entries again in the reverse way. Each
combination that occurs is decided once, and not row by row, because combinations are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from pufferfish.beliefs.labels import Label, label_key, natural_order, parts_of
from pufferfish.beliefs.rules import Rule
from pufferfish.recoding.law import Recoding
from pufferfish.tables.batch import Coded, ColumnType, IntArray, Numbers
from pufferfish.tables.coding import places_of

__all__ = ["UNLISTED", "Book", "Listed", "published_type"]

# The place of a combination that is not in a list.
UNLISTED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Combinations of labels in a list, found column by column.

    Attributes:
        labels: The labels of each column.
        steps: For each column, sorted: the number of the combination found up to the column before,
            times the number of labels of this column, plus the place of its label. So no number
            exceeds the length of the list times the labels of a column, however many columns there
            are.
        places: The place in the list of each complete combination.
    """

    labels: tuple[tuple[Label, ...], ...]
    steps: tuple[IntArray, ...]
    places: IntArray

    @classmethod
    def of(cls, values: Sequence[Sequence[Label]]) -> Self:
        """The list of some combinations, in their order."""
        columns = tuple(zip(*values, strict=True))
        labels = tuple(natural_order(each) for each in columns)
        found = np.zeros(len(values), dtype=np.int64)
        steps = []
        for own, column in zip(labels, columns, strict=True):
            index = {label_key(each): place for place, each in enumerate(own)}
            codes = np.array([index[label_key(each)] for each in column], dtype=np.int64)
            step, found = np.unique(found * len(own) + codes, return_inverse=True)
            steps.append(step)
        places = np.zeros(len(values), dtype=np.int64)
        places[found] = np.arange(len(values))
        return cls(labels, tuple(steps), places)

    def place(self, cells: Sequence[Coded]) -> IntArray:
        """The place of each combination in the list, or `UNLISTED`; `cells` has all columns."""
        found = np.zeros(cells[0].rows, dtype=np.int64)
        strange = np.zeros(found.size, dtype=bool)
        for each, labels, step in zip(cells, self.labels, self.steps, strict=True):
            own = places_of(each, labels)
            number = found * len(labels) + own
            found = np.minimum(np.searchsorted(step, number), step.size - 1)
            strange |= (own < 0) | (step[found] != number)
        return np.where(strange, UNLISTED, self.places[found])


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """The code book of the recodings of all strata: places in their domains, and outputs.

    Attributes:
        domains: For each stratum the values that are described, in the order of its recoding.
        starts: For each stratum the number of its first output: the outputs of all strata are
            numbered consecutively.
        published: For each column and each output: the place of its label, or the number and
            whether it is missing.
    """

    domains: tuple[Listed, ...]
    starts: tuple[int, ...]
    published: tuple[Coded | Numbers, ...]

    @classmethod
    def of(cls, rules: Sequence[Rule], laws: Sequence[Recoding]) -> Self:
        """The book of recodings of these columns."""
        outputs = [_outputs(law) for law in laws]
        ends = np.cumsum([0, *map(len, outputs)]).tolist()
        columns = list(zip(*(row for rows in outputs for row in rows), strict=True))
        return cls(
            tuple(Listed.of([parts_of(each) for each in law.values]) for law in laws),
            tuple(ends[:-1]),
            tuple(_column(rule, labels) for rule, labels in zip(rules, columns, strict=True)),
        )

    def decoded(self, numbers: IntArray) -> list[Coded | Numbers]:
        """What is published, column by column."""
        return [each.taken(numbers) for each in self.published]


def published_type(rule: Rule, labels: Sequence[Label]) -> ColumnType:
    """The type of a column after its rule, given its labels."""
    if rule.edges is None and rule.unit is None and not rule.merged:
        return "same"
    there = [each for each in labels if each is not None]
    if all(isinstance(each, str) for each in there):
        return "text"
    if any(isinstance(each, str | bool) for each in there):
        return "same"
    return "whole" if all(float(each).is_integer() for each in there) else "number"


def _outputs(law: Recoding) -> list[tuple[Label, ...]]:
    """What is published, by the number that a draw gives."""
    rows = [parts_of(each) for each in law.outputs]
    numbers = [int(each or 0.0) for each in law.coded_outputs]
    found = [rows[0]] * (max(numbers) + 1)
    for number, row in zip(numbers, rows, strict=True):
        found[number] = row
    return found


def _column(rule: Rule, column: Sequence[Label]) -> Coded | Numbers:
    """The entries of a column that may be published, one for each output."""
    there = [each for each in column if each is not None]
    plain = all(isinstance(each, int | float) and not isinstance(each, bool) for each in there)
    if plain and (rule.whole or published_type(rule, column) in ("whole", "number")):
        numbers = np.array([0.0 if each is None else float(each) for each in column])
        whole = bool((numbers == np.floor(numbers)).all())
        holes = np.array([each is None for each in column], dtype=bool)
        return Numbers(numbers.astype(np.int64) if whole else numbers, holes)
    # None is last among labels in their natural order, and has no code of its own.
    labels = tuple(each for each in natural_order(column) if each is not None)
    index = {label_key(each): place for place, each in enumerate(labels)}
    codes = [-1 if each is None else index[label_key(each)] for each in column]
    return Coded(np.array(codes, dtype=np.int64), labels)
