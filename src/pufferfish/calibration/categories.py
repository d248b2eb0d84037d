"""The loss of a changed category and the frequency of each, which a recoding is fitted to.

The loss of publishing y for x is a sum over the columns, each times its weight: for numbers the
squared error in units of the column's std over all rows of the table; for anything else 1 if it is
changed, the number of steps between the two in the column's order, or an entry of a matrix. The
distance of a floor is the same sum with absolute errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.known import Given, Rules
from pufferfish.beliefs.labels import (
    Book,
    Label,
    Labels,
    Place,
    check_label,
    key_of,
    keys_of,
    label_key,
    natural_order,
    parts_of,
    places_of,
)
from pufferfish.beliefs.priors import Categorical
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.calibration.losses import counted_belief
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import FloatArray, positive, require

__all__ = ["Categories", "ColumnLoss", "Never", "categories_of"]
__all__ += ["check_never", "check_weights", "units_of"]

# "squared", "absolute", "changed", "steps", or a matrix over the column's labels in their order.
ColumnLoss = str | FloatArray
# Labels of some columns that must not occur together in a row.
Never = tuple[Mapping[str, Label], ...]

_LOSSES = ("squared", "absolute", "changed", "steps")
# To make or fill a hole in a column of numbers costs as much as to publish another row's value.
_HOLE = {"squared": 2.0, "absolute": 2.0 / math.sqrt(math.pi)}


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """The labels that may occur, and the frequency of each.

    Attributes:
        values: Labels, or tuples of them, in their order.
        frequencies: How often each occurs; sums to 1.
        columns: The names of the parts; empty if they have none.
        units: For each part the std of its numbers over all rows of the table; 0 for a part without
            numbers.
        given: The known values of these rows.
        rules: The public rules of some columns, such as an order of labels, or numbers that are
            codes.
    """

    values: tuple[Labels, ...]
    frequencies: FloatArray
    columns: tuple[str, ...]
    units: tuple[float, ...]
    given: Given
    rules: Rules

    @property
    def parts(self) -> list[tuple[Label, ...]]:
        """The labels of all values, column by column."""
        return list(zip(*map(parts_of, self.values), strict=True))

    def may_publish(self, never: Never) -> list[int]:
        """The places of the values that no rule forbids."""
        named = [
            {**self.given, **dict(zip(self.columns, parts_of(each), strict=True))}
            if self.columns
            else dict(self.given)
            for each in self.values
        ]
        known = {*self.columns, *self.given}
        for rule in never:
            for column in rule:
                require(
                    column in known,
                    f"a rule of what must never occur (--never) names {column!r}, which is not "
                    f"published in the row; published: {', '.join(map(repr, sorted(known)))}.",
                )
        kept = [
            place
            for place, row in enumerate(named)
            if not any(
                all(key_of(row[column]) == key_of(label) for column, label in rule.items())
                for rule in never
            )
        ]
        require(
            bool(kept),
            "the rules of what must never occur (--never) leave nothing to publish, in the whole "
            "table or for some known value: leave out one of the rules.",
        )
        return kept

    def losses(self, loss: object, weights: Mapping[str, float]) -> FloatArray:
        """c(x,y) for every two values.

        Args:
            loss: None for the default; one loss for all columns; {column: loss}; or a matrix.
            weights: The weight of each column; 1 by default.
        """
        size = len(self.values)
        if isinstance(loss, np.ndarray):
            require(
                loss.shape == (size, size)
                and bool(np.isfinite(loss).all() and (loss >= 0.0).all()),
                f"a loss of your own must be a matrix of {size} by {size} numbers, none negative, "
                "in the order of the categories.",
            )
            return loss
        total = np.zeros((size, size))
        by_column = self._by_column(loss)
        for part, labels in enumerate(self.parts):
            chosen = by_column[part]
            name = self.columns[part] if self.columns else ""
            total += weights.get(name, 1.0) * self._part_loss(part, labels, chosen)
        return total

    def part_changed(self, part: int) -> FloatArray:
        """1 where two values differ in one column."""
        return _changed(self.parts[part])

    def part_squares(self, part: int) -> FloatArray:
        """The squared differences in one column of numbers; nan where a number is missing."""
        numbers = _numbers(self.parts[part])
        return np.asarray((numbers[:, None] - numbers) ** 2)

    @property
    def distances(self) -> FloatArray:
        """The distances of a floor: Σ over columns of |x − y| in stds, or 1 where labels differ.

        A missing number is at infinite distance from all others.
        """
        total = np.zeros((len(self.values), len(self.values)))
        for part, labels in enumerate(self.parts):
            if not self.units[part]:
                total += _changed(labels)
                continue
            numbers = _numbers(labels)
            gaps = np.abs(numbers[:, None] - numbers) / self.units[part]
            hole = np.isnan(numbers)
            gaps[hole[:, None] & hole] = 0.0
            total += np.where(np.isnan(gaps), math.inf, gaps)
        return total

    def _by_column(self, loss: object) -> list[ColumnLoss | None]:
        if isinstance(loss, Mapping):
            for name in loss:
                require(
                    name in self.columns,
                    f"loss names the column {name!r}, which is not published; published: "
                    f"{', '.join(map(repr, self.columns)) or 'no names'}.",
                )
            return [loss.get(name) for name in self.columns]
        return [loss if isinstance(loss, str) else None] * len(self.units)

    def _part_loss(self, part: int, labels: Sequence[Label], loss: ColumnLoss | None) -> FloatArray:
        number = self.units[part] > 0.0
        chosen = loss if loss is not None else "squared" if number else "changed"
        if not isinstance(chosen, str):
            return self._own(part, labels, np.asarray(chosen, dtype=np.float64))
        require(
            chosen in _LOSSES,
            f"loss must be {', '.join(map(repr, _LOSSES))} or a matrix, got {chosen!r}.",
        )
        if chosen == "steps":
            ranks = _ranks(labels, self._order(part, labels)).astype(np.float64)
            return np.asarray(np.abs(ranks[:, None] - ranks))
        if chosen == "changed" or not number:
            return _changed(labels)
        numbers = _numbers(labels)
        gaps = np.abs(numbers[:, None] - numbers) / self.units[part]
        hole = np.isnan(numbers)
        found = gaps**2 if chosen == "squared" else gaps
        found[np.isnan(found)] = _HOLE[chosen]
        found[hole[:, None] & hole] = 0.0
        return np.asarray(found)

    def _own(self, part: int, labels: Sequence[Label], matrix: FloatArray) -> FloatArray:
        order = self._order(part, labels)
        size = len(order)
        require(
            matrix.shape == (size, size)
            and bool(np.isfinite(matrix).all() and (matrix >= 0.0).all()),
            f"the loss of {self.columns[part]!r} must be a matrix of {size} by {size} numbers, "
            "none negative, in the order of its categories.",
        )
        own = _ranks(labels, order)
        return np.asarray(matrix[np.ix_(own, own)])

    def _order(self, part: int, labels: Sequence[Label]) -> tuple[Label, ...]:
        """The labels of a column in the order of its rule, or else in that of the values."""
        rule = self.rules.get(self.columns[part] if self.columns else "")
        chosen = () if rule is None else rule.order
        named = places_of(chosen)
        return *chosen, *natural_order(each for each in labels if key_of(each) not in named)


def categories_of(scenario: Scenario, *, units: Mapping[str, float] | None = None) -> Categories:
    """The categories of the beliefs of a scenario, in the order in which these name them.

    Args:
        scenario: Beliefs about categories.
        units: Stds of columns over the whole table, if these beliefs are about part of it.
    """
    beliefs = scenario.beliefs
    require(
        len({each.columns for each in beliefs}) == 1
        and len({_width(each) for each in beliefs}) == 1,
        "all beliefs must be about the same columns, in the same order.",
    )
    weights = _weights(beliefs)
    values: dict[Any, Labels] = {}
    for table in (*(law for law, _ in weights), *_laws(beliefs)):
        for key, labels in zip(table.values.keys, table.values, strict=True):
            values.setdefault(key, labels)
    places = {key: place for place, key in enumerate(values)}
    often = np.zeros(len(values))
    for law, weight in weights or [(law, 1.0) for law in _laws(beliefs)]:
        own = [places[key] for key in law.values.keys]
        often[own] += weight * law.probabilities
    every, first = Book(values.values()), beliefs[0]
    frequencies = often / often.sum()
    found = tuple(
        0.0 if _is_code(first, part) else _std(labels, frequencies)
        for part, labels in enumerate(zip(*map(parts_of, every), strict=True))
    )
    if units is not None:
        found = tuple(
            units.get(name, unit) if unit else 0.0
            for name, unit in zip(first.columns, found, strict=True)
        )
    return Categories(every, frequencies, first.columns, found, _known_of_all(beliefs), first.rules)


def _known_of_all(beliefs: Sequence[Belief]) -> Given:
    """The values that all these beliefs know."""
    first, *others = (each.given for each in beliefs)
    return {
        name: label
        for name, label in first.items()
        if all(name in each and label_key(each[name]) == label_key(label) for each in others)
    }


def units_of(scenario: Scenario) -> dict[str, float] | None:
    """The std of each column of numbers over all rows that the beliefs describe, by name."""
    if not all(each.labelled and each.columns for each in scenario.beliefs):
        return None
    found = categories_of(scenario)
    return dict(zip(found.columns, found.units, strict=True))


def check_never(given: object) -> Never:
    """The rules of what must never occur together, checked: a list of {column: label}."""
    if given is None:
        return ()
    rules = list(given) if isinstance(given, Iterable) and not isinstance(given, Mapping) else None
    if rules is None or not all(isinstance(rule, Mapping) and rule for rule in rules):
        raise InvalidInputError(
            "never must be a list of rules such as {'sex': 'Male', 'pregnant': 'yes'}."
        )
    return tuple(
        {str(column): check_label(label) for column, label in rule.items()} for rule in rules
    )


def check_weights(weights: Mapping[Any, float] | None) -> dict[str, float]:
    """The weight of each column, checked."""
    return {
        str(name): positive(f"the weight of {name!r}", weight)
        for name, weight in (weights or {}).items()
    }


def _is_code(belief: Belief, part: int) -> bool:
    """Whether a column is read as labels, so that its numbers serve as names."""
    rule = belief.rules.get(belief.columns[part]) if belief.columns else None
    return rule is not None and rule.read == "label"


def _laws(beliefs: Iterable[Belief]) -> list[Categorical]:
    return [law for each in beliefs for law in each.priors.values() if isinstance(law, Categorical)]


def _weights(beliefs: Sequence[Belief]) -> list[tuple[Categorical, float]]:
    """How often each label occurs in the table, as far as it was counted; each row counts once."""
    first = counted_belief(beliefs)
    if first is None:
        return []
    counted = [
        each
        for each in beliefs
        if isinstance(each.frequencies, Categorical) and each.of_table == first.of_table
    ]
    # The beliefs with the fewest known columns describe the most rows; beliefs with the same known
    # values describe the same rows.
    names = min((tuple(each.given) for each in counted), key=len)
    parts: dict[Any, Categorical] = {}
    for each in counted:
        table = each.frequencies
        if {*each.given} == {*names} and isinstance(table, Categorical):
            parts.setdefault(key_of(tuple(each.given[name] for name in names)), table)
    return [
        (table, float(table.counts.sum()) if table.counts is not None else 1.0)
        for table in parts.values()
    ]


def _width(belief: Belief) -> int:
    return next(law.width for law in belief.priors.values() if isinstance(law, Categorical))


def _std(labels: Sequence[Label], frequencies: FloatArray) -> float:
    """The std of a column of numbers; 0 if it holds anything else."""
    there = [each for each in labels if each is not None]
    if not there or not all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in there
    ):
        return 0.0
    numbers = _numbers(labels)
    known = ~np.isnan(numbers)
    shares = frequencies[known] / frequencies[known].sum()
    mean = float(shares @ numbers[known])
    return math.sqrt(float(shares @ (numbers[known] - mean) ** 2))


def _numbers(labels: Sequence[Label]) -> FloatArray:
    return np.array([math.nan if each is None else float(each) for each in labels])


def _ranks(labels: Sequence[Label], order: Sequence[Label]) -> npt.NDArray[np.int64]:
    """The rank of each label in an order."""
    places = places_of(order)
    return np.array([places[key_of(each)] for each in labels], dtype=np.int64)


def _changed(labels: Sequence[Label]) -> FloatArray:
    index: dict[Place, int] = {}
    own = np.array([index.setdefault(key, len(index)) for key in keys_of(labels)])
    return np.asarray((own[:, None] != own).astype(np.float64))
