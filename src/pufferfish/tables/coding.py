"""Public rules by which the entries of a column become labels.

A label is a text, a number, a truth value, or None where an entry is missing. Numbers fall into
bins by public edges, dates into years, quarters or months, and labels may become others. A rule
looks at one entry at a time and never at the rest of the table, so the rule reveals nothing about
anybody.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import Label, label_key
from pufferfish.beliefs.rules import Rule, Unit
from pufferfish.core.errors import DataError
from pufferfish.core.validation import FloatArray
from pufferfish.tables.batch import Batch, Coded, IntArray

__all__ = ["ISO_DATE", "MISSING", "UNKNOWN", "Coding", "ordered"]
__all__ += ["places_of", "whole_numbers"]

# What `places_of` gives for rows without an entry, and for rows with a label that is not listed.
MISSING = -1
UNKNOWN = -2
# Whole numbers in a range of this size are grouped by counting, which is faster than sorting.
_NARROW = 1 << 16
# A date in a text, perhaps with a time.
ISO_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ].+)?"
_ISO = re.compile(ISO_DATE)
_NO_GUESS = "Correct or remove such rows first; the library does not guess what was meant"


class Coding(Rule):
    """A rule, applied to rows."""

    __slots__ = ()

    @classmethod
    def of(cls, rule: Rule) -> Coding:
        """The same rule, for rows."""
        return cls(**{each.name: getattr(rule, each.name) for each in fields(Rule)})

    def coded(self, batch: Batch, before: int | None = None) -> Coded:
        """The labels of some rows, after the rule; −1 where one is missing.

        Numbers without edges are floats here: only at the end is it known whether all are whole.

        Args:
            batch: Rows, with the column among the numbers or the labels as `read` says.
            before: How many rows come before them, for messages; None: unknown.

        Raises:
            DataError: An infinite number, a text that is not a date where one is needed, or a date
                without a unit.
        """
        if self.read == "number":
            found = self._of_numbers(self.numbers(batch, before))
        else:
            found = self._of_labels(batch.labels[self.column], before)
        return self._relabelled(found)

    def numbers(
        self, batch: Batch, before: int | None = None, largest: float = math.inf
    ) -> FloatArray:
        """The numbers of some rows, nan where one is missing; arguments as for `coded`.

        Raises:
            DataError: A number that is infinite, or beyond the largest.
        """
        values = batch.numbers[self.column]
        for bad, problem in (
            (np.isinf(values), "is infinite"),
            (np.abs(values) > largest, f"is beyond {largest:g}"),
        ):
            self._refuse(bad, before, f"{problem}. {_NO_GUESS}")
        return values

    def _of_numbers(self, values: FloatArray) -> Coded:
        missing = np.isnan(values)
        if self.edges is not None:
            codes = np.searchsorted(self.edges, values, side="right").astype(np.int64)
            labels: Any = self.names or ()
        elif missing.all():
            codes, labels = np.zeros(values.size, dtype=np.int64), np.zeros(0)
        else:
            codes, labels = _distinct(np.where(missing, values[~missing][0], values))
        return Coded(np.where(missing, MISSING, codes) if missing.any() else codes, labels)

    def _of_labels(self, given: Coded, before: int | None) -> Coded:
        dated = [isinstance(each, date) for each in given.labels]
        if self.unit is None:
            if any(dated):
                self._refuse(
                    np.array([*dated, False])[given.codes],
                    before,
                    'is a date. Say how to read dates: unit="year", "quarter" or "month"',
                )
            return given
        days = [_day(each) for each in given.labels]
        unusable = np.array([each is None for each in days] + [False])
        self._refuse(
            unusable[given.codes],
            before,
            f"is not a date (YYYY-MM-DD), and dates are read by {self.unit}. Correct it, or leave "
            "out the unit",
        )
        labels = [None if each is None else _by_unit(each, self.unit) for each in days]
        return Coded(given.codes, tuple(labels))

    def _refuse(self, bad: npt.NDArray[np.bool_], before: int | None, problem: str) -> None:
        if bad.any():
            number = int(np.flatnonzero(bad)[0]) + 1
            row = "a row" if before is None else f"row {before + number}"
            raise DataError(f"column {self.column!r}, {row}: the entry {problem}.")

    def _relabelled(self, given: Coded) -> Coded:
        """Labels after they became others, each once."""
        rules = self.renamed
        if not rules and self.names is None and self.unit is None:
            return given
        index: dict[tuple[int, Any], int] = {}
        labels: list[Label] = []
        table = []
        for label in (*given.labels, None):
            key = label_key(label)
            made = rules.get(key, label)
            if made is None:
                table.append(MISSING)
                continue
            place = index.setdefault(label_key(made), len(labels))
            if place == len(labels):
                number = self.whole and not isinstance(made, str | bool)
                labels.append(float(made) if number else made)
            table.append(place)
        return Coded(np.array(table, dtype=np.int64)[given.codes], tuple(labels))


def places_of(coded: Coded, labels: Sequence[Label]) -> IntArray:
    """The place of each row's label in a list.

    Rows without a label get the place of None, or `MISSING` where None is not listed. A label that
    is not listed gets `UNKNOWN`.
    """
    index = {label_key(each): place for place, each in enumerate(labels)}
    table = [index.get(label_key(each), UNKNOWN) for each in coded.labels]
    table.append(index.get(label_key(None), MISSING))
    return np.array(table, dtype=np.int64)[coded.codes]


def ordered(labels: Iterable[Label], first: Sequence[Label] = ()) -> list[Label]:
    """Labels in the order of a list, then by `label_key`; None is always last."""
    places: dict[tuple[int, Any], int] = {}
    for each in first:
        places.setdefault(label_key(each), len(places))

    def rank(label: Label) -> tuple[bool, int, tuple[int, Any]]:
        key = label_key(label)
        return label is None, places.get(key, len(places)), key

    return sorted(labels, key=rank)


def whole_numbers(values: FloatArray) -> tuple[IntArray, Any] | None:
    """Codes and the distinct numbers, in ascending order; None if they are not a few whole ones."""
    low, high = float(values.min()), float(values.max())
    if not high - low < _NARROW or low != math.floor(low) or abs(low) >= 2.0**52:
        return None
    steps = (values - low).astype(np.int64)
    if not np.array_equal(steps + low, values):
        return None
    there = np.bincount(steps) > 0
    places: IntArray = np.cumsum(there) - 1
    return places[steps], np.flatnonzero(there) + low


def _distinct(values: FloatArray) -> tuple[IntArray, Any]:
    """Codes and the distinct numbers, in ascending order."""
    if (few := whole_numbers(values)) is not None:
        return few
    found, codes = np.unique(values + 0.0, return_inverse=True)
    return codes.astype(np.int64, copy=False), found


def _day(label: object) -> date | None:
    """The date of a label: a date, or a text in the format of ISO 8601; None if it is neither."""
    if isinstance(label, date):
        return label
    if not isinstance(label, str) or not _ISO.fullmatch(label.strip()):
        return None
    try:
        return datetime.fromisoformat(label.strip())
    except ValueError:
        return None


def _by_unit(day: date, unit: Unit) -> Label:
    if unit == "year":
        return day.year
    if unit == "quarter":
        return f"{day.year:04d}-Q{(day.month + 2) // 3}"
    return f"{day.year:04d}-{day.month:02d}"
