"""Count rows as they come, in bounded memory, in any order.

Up to a limit of distinct values the counts are exact. Beyond it values fall into bins
[n·2^k, (n+1)·2^k), with the smallest k that keeps the number of filled bins within the limit. Bins
of one k are unions of those of k − 1, so the result does not depend on the order of the rows or on
how they were cut into batches.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import DataError
from pufferfish.core.validation import FloatArray, require
from pufferfish.tables.batch import Batch, Coded
from pufferfish.tables.summary import Group, IntArray, Summary

__all__ = ["MOST_VALUES", "Counted", "Tally", "centres", "finest"]

# Up to this many distinct values of a column its table is exact.
MOST_VALUES = 100_000
# How many cells may accumulate before they are merged.
_MOST_PENDING = 2_000_000
# As elsewhere: beyond this, squares leave the range of floats.
_LARGEST = 1e100


class _Cells(NamedTuple):
    """Counts by (code, value), sorted."""

    codes: IntArray
    values: FloatArray
    counts: IntArray


class Counted(NamedTuple):
    """The counts of some rows.

    Attributes:
        rows: How many rows there are.
        labels: The labels of their secrets; the last is None where some rows have no secret.
        present: The indices of labels that occur.
        holes: The number of rows without a value, for each label.
        cells: The other rows, by index of label and value.
    """

    rows: int
    labels: tuple[Secret | None, ...]
    present: IntArray
    holes: IntArray
    cells: _Cells


class Tally:
    """Counts by secret and value, from batches of rows."""

    def __init__(
        self,
        column: str,
        secret: str,
        most_values: int | None = MOST_VALUES,
        *,
        numbered: bool = True,
    ) -> None:
        """Begin with no rows.

        Args:
            column: The numeric column.
            secret: The column of the secret.
            most_values: Up to this many distinct values the counts are exact; None: no limit.
            numbered: Whether rows come in the order of the table, so that messages can count them.
        """
        usable = isinstance(most_values, int) and not isinstance(most_values, bool)
        require(
            most_values is None or (usable and most_values >= 2),
            f"most_values must be a whole number of at least 2, got {most_values!r}.",
        )
        self._column, self._secret = column, secret
        self._most = math.inf if most_values is None else most_values
        self._codes: dict[Secret | None, int] = {}
        self._holes: dict[Secret | None, int] = {}
        self._pending: list[_Cells] = []
        self._exponent: int | None = None
        self._rows = 0
        self._numbered = numbered

    def add(self, batch: Batch) -> None:
        """Count some rows; refuses infinite values."""
        self.merge(self.counted(batch, self._rows if self._numbered else None))

    def counted(self, batch: Batch, before: int | None) -> Counted:
        """The counts of some rows, for `merge`; several threads may call it at the same time.

        Args:
            batch: The rows.
            before: How many rows come before them, for messages; None: unknown.

        Raises:
            DataError: Infinite values.
        """
        self.refuse_unusable(batch, before)
        values, counts = batch.numbers[self._column], batch.counts
        codes, labels = _with_none(batch.secret)
        if counts is not None:
            some = counts > 0
            codes, values, counts = codes[some], values[some], counts[some]
        hole = np.isnan(values)
        holes = np.bincount(
            codes[hole],
            weights=None if counts is None else counts[hole],
            minlength=len(labels),
        ).astype(np.int64)
        present = np.unique(codes)
        if hole.any():
            codes, values = codes[~hole], values[~hole]
            counts = None if counts is None else counts[~hole]
        if self._exponent is not None and values.size:
            # A bin lies within one bin of each coarser width, so rounding early changes nothing.
            values = centres(values, max(self._exponent, finest(values)))
        values = values + 0.0  # turns −0.0 into 0.0
        cells = _count(codes, values) if counts is None else _merge_tables(codes, values, counts)
        return Counted(batch.rows, labels, present, holes, cells)

    def merge(self, counted: Counted) -> None:
        """Add the counts of some rows; labels keep the order of first occurrence."""
        self._rows += counted.rows
        own = np.full(len(counted.labels), -1, dtype=np.int64)
        for index in counted.present:
            label = counted.labels[index]
            own[index] = self._codes.setdefault(label, len(self._codes))
            self._holes[label] = self._holes.get(label, 0) + int(counted.holes[index])
        codes, values, counts = counted.cells
        if not values.size:
            return
        self._pending.append(_Cells(own[codes], values, counts))
        waiting = sum(each.values.size for each in self._pending[1:])
        if waiting > max(_MOST_PENDING, self._pending[0].values.size):
            self._merge()

    def summary(self) -> Summary:
        """The counts so far."""
        if self._rows == 0:
            raise DataError(f"there are no rows to summarise in column {self._column!r}.")
        cells = self._merge()
        width = 0.0 if self._exponent is None else math.ldexp(1.0, self._exponent)
        starts = np.searchsorted(cells.codes, np.arange(len(self._codes) + 1))
        groups = {
            label: Group(
                cells.values[starts[code] : starts[code + 1]].copy(),
                cells.counts[starts[code] : starts[code + 1]].copy(),
                self._holes[label],
            )
            for label, code in sorted(self._codes.items(), key=lambda item: str(item[0]))
        }
        nobody = groups.pop(None, None)
        secrets = {label: group for label, group in groups.items() if label is not None}
        return Summary(self._column, self._secret, secrets, width, without_secret=nobody)

    @property
    def rows(self) -> int:
        """How many rows were counted so far."""
        return self._rows

    def refuse_unusable(self, batch: Batch, before: int | None) -> None:
        """Refuse infinite values; arguments as for `counted`."""
        values = batch.numbers[self._column]
        for bad, problem in (
            (np.isinf(values), "is infinite"),
            (np.abs(values) > _LARGEST, f"is beyond {_LARGEST:g}"),
        ):
            if bad.any():
                number = int(np.flatnonzero(bad)[0]) + 1
                row = "a row" if before is None else f"row {before + number}"
                raise DataError(
                    f"column {self._column!r}, {row}: the entry {problem}. Correct or remove such "
                    "rows first; the library does not guess what was meant."
                )

    def _merge(self) -> _Cells:
        """All cells as one, binned if there are too many values."""
        if not self._pending:
            empty = np.zeros(0, dtype=np.int64)
            return _Cells(empty, np.zeros(0), empty)
        codes, values, counts = self._pending[0]
        if len(self._pending) > 1:
            codes, values, counts = (
                np.concatenate(each) for each in zip(*self._pending, strict=True)
            )
        if self._exponent is not None:
            self._exponent = max(self._exponent, finest(values))
            values = centres(values, self._exponent)
        distinct = np.unique(values)
        if distinct.size > self._most:
            self._exponent = _coarsen(distinct, self._most)
            values = centres(values, self._exponent)
        self._pending = [_merge_tables(codes, values, counts)]
        return self._pending[0]


def _with_none(secret: Coded) -> tuple[IntArray, tuple[Secret | None, ...]]:
    """Codes and labels of secrets, with one more for rows that have none."""
    missing = secret.missing
    if not missing.any():
        return secret.codes, secret.labels
    return np.where(missing, len(secret.labels), secret.codes), (*secret.labels, None)


def finest(values: FloatArray) -> int:
    """The smallest k for which the centres of bins of width 2^k are exact doubles."""
    return math.frexp(float(np.abs(values).max()))[1] - 51


def centres(values: FloatArray, exponent: int) -> FloatArray:
    """(n + ½)·2^k for the bin n of each value; a centre stays where it is."""
    return np.asarray(np.ldexp(np.floor(np.ldexp(values, -exponent)) + 0.5, exponent))


def _coarsen(distinct: FloatArray, most: float) -> int:
    """The smallest k with at most `most` filled bins, for sorted values."""
    low = finest(distinct) - 1
    high = math.frexp(float(distinct[-1] - distinct[0]))[1]  # two bins at most
    while high - low > 1:
        middle = (low + high) // 2
        bins = np.floor(np.ldexp(distinct, -middle))
        if 1 + np.count_nonzero(np.diff(bins)) <= most:
            high = middle
        else:
            low = middle
    return high


def _count(codes: IntArray, values: FloatArray) -> _Cells:
    """How often each (code, value) occurs."""
    if not codes.size:
        return _Cells(codes, values, codes)
    # Sorting the codes separately lets the values use the fast sort for plain floats.
    small = codes.astype(np.int16) if codes.max() < 2**15 else codes
    order = np.argsort(small, kind="stable")
    codes, values = codes[order], values[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    for start, end in zip(starts, np.append(starts[1:], codes.size), strict=True):
        values[start:end].sort()
    first = _run_starts(codes, values)
    return _Cells(codes[first], values[first], np.diff(first, append=codes.size))


def _merge_tables(codes: IntArray, values: FloatArray, counts: IntArray) -> _Cells:
    """Cells with equal (code, value) added up."""
    order = np.lexsort((values, codes))
    codes, values, counts = codes[order], values[order], counts[order]
    first = _run_starts(codes, values)
    return _Cells(codes[first], values[first], np.add.reduceat(counts, first))


def _run_starts(codes: IntArray, values: FloatArray) -> IntArray:
    """Where a new (code, value) begins, in sorted cells."""
    new = np.ones(codes.size, dtype=bool)
    new[1:] = (codes[1:] != codes[:-1]) | (values[1:] != values[:-1])
    return np.flatnonzero(new).astype(np.int64, copy=False)
