"""Count rows as they come, in bounded memory, in any order.

Labels of a batch become places in one code book. Numbers stay numbers until all are known. Where
the column of numbers that is published has too many values, or too many combinations with other
columns, its values fall into bins [n·2^k, (n+1)·2^k), with the smallest k for which both are few
enough. Bins of one k are unions of those of k − 1, and neither number shrinks when rows are added:
so the result does not depend on the order of the rows or on how they were cut into batches. Other
tables with too many combinations are refused: such counts would be those of single persons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import Label, label_key
from pufferfish.beliefs.layout import Layout
from pufferfish.core.errors import DataError
from pufferfish.core.validation import FloatArray, require
from pufferfish.tables.batch import Batch, Coded, IntArray
from pufferfish.tables.coding import Coding, ordered, whole_numbers
from pufferfish.tables.combined import SomeCells, add_up, rows_by_cell
from pufferfish.tables.counts import Counts, Names, column_layout
from pufferfish.tables.one_row import OneRow

__all__ = ["MOST_CELLS", "MOST_VALUES", "Counting", "Tally", "centres", "finest"]

# Up to this many distinct values of a column its table is exact.
MOST_VALUES = 100_000
# Tables with up to this many combinations of labels are counted.
MOST_CELLS = 1_000_000
# How many entries of cells may accumulate before they are added up.
_MOST_PENDING = 4_000_000
# As elsewhere: beyond this, squares leave the range of floats.
_LARGEST = 1e100
# Numbers of bins in a range of this size are counted without sorting.
_FEW_BINS = 1 << 20
# Whether numbers are whole is guessed from this many of them.
_LOOKED_AT = 1 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What is counted in a table.

    Attributes:
        codings: The columns, and how their entries become labels.
        layout: The roles of the columns; None: they have none.
        secret: The column that is read as the secret of a batch; None: all are read as labels.
        count: A column that says how many records each row represents; None: one.
        most_values: Up to this many distinct values the published column of numbers is exact; None:
            it always is.
        most_cells: Up to this many combinations are counted; None: any number.
        one_row: How the rows of a person become one first; None: they stay.
        bin_width: Bins of the published column are at least this wide.
    """

    codings: tuple[Coding, ...]
    layout: Layout | None = None
    secret: str | None = None
    count: str | None = None
    most_values: int | None = MOST_VALUES
    most_cells: int | None = MOST_CELLS
    one_row: OneRow | None = None
    bin_width: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be counted."""
        names = [each.column for each in self.codings]
        require(bool(names), "codings must name at least one column.")
        require(len(set(names)) == len(names), "codings must name each column once.")
        for name, least in (("most_values", 2), ("most_cells", 1)):
            most = getattr(self, name)
            usable = isinstance(most, int) and not isinstance(most, bool) and most >= least
            require(
                most is None or usable,
                f"{name} must be a whole number of at least {least}, got {most!r}.",
            )

    @classmethod
    def of(cls, layout: Layout, **more: Any) -> Self:
        """The columns of a layout."""
        return cls(codings=tuple(map(Coding.of, layout.rules)), layout=layout, **more)

    @classmethod
    def of_column(cls, column: str, secret: str, **more: Any) -> Self:
        """One column of numbers by secret, however many combinations they have."""
        return cls.of(column_layout(column, secret), secret=secret, most_cells=None, **more)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(each.column for each in self.codings)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are read as numbers."""
        return tuple(each.column for each in self.codings if each.read == "number")

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that are read as labels, without the secret."""
        read = (each.column for each in self.codings if each.read == "label")
        return tuple(name for name in read if name != self.secret)

    @property
    def plain(self) -> tuple[bool, ...]:
        """Which columns hold numbers that stay as they are."""
        return tuple(each.whole and not each.merged and not each.order for each in self.codings)

    @property
    def numeric(self) -> bool:
        """Whether the first column is the one of numbers that is published."""
        return self.layout is not None and self.layout.numeric and self.plain[0]

    @property
    def bins(self) -> bool:
        """Whether these numbers fall into bins where they are too many."""
        return self.numeric and self.most_values is not None


class _Cells(list[npt.NDArray[Any]]):
    """For each column the places of labels, −1 where one is missing, or numbers; then counts."""


class Tally:
    """Counts of combinations of labels, from batches of rows."""

    def __init__(self, what: Counting) -> None:
        """Begin with no rows."""
        self.what = what
        self._index: list[dict[tuple[int, Any], int]] = [{} for _ in what.codings]
        self._labels: list[list[Label]] = [[] for _ in what.codings]
        self._pending: list[_Cells] = []
        width = what.bin_width
        self._exponent = math.frexp(width)[1] - 1 if width else None
        self._rows = 0

    def add(self, batch: Batch) -> None:
        """Count some rows, which come in the order of the table."""
        self.merge(self.counted(batch, self._rows))

    def counted(self, batch: Batch, before: int | None) -> SomeCells:
        """The counts of some rows, for `merge`; several threads may call it at the same time.

        Missing entries are not refused.

        Args:
            batch: The rows.
            before: How many rows come before them, for messages; None: unknown.

        Raises:
            DataError: As `Coding.coded`.
        """
        what = self.what
        if what.numeric:
            return self._counted_numbers(batch, before)
        return _cells_of([self._coded(each, batch, before) for each in what.codings], batch)

    def _coded(self, coding: Coding, batch: Batch, before: int | None) -> Coded:
        return batch.secret if coding.column == self.what.secret else coding.coded(batch, before)

    def _counted_numbers(self, batch: Batch, before: int | None) -> SomeCells:
        """The same where the first column may have as many values as there are rows."""
        first, *rest = self.what.codings
        values = first.numbers(batch, before, _LARGEST)
        coded = [self._coded(each, batch, before) for each in rest]
        present = values[~np.isnan(values)]
        if batch.counts is not None or not coded or not present.size or _few_whole(present):
            return _cells_of([first.coded(batch, before), *coded], batch)
        if self._exponent is not None and not np.isnan(values).all():
            # A bin lies within one bin of each coarser width, so rounding early changes nothing.
            values = centres(values, max(self._exponent, finest(values)))
        cells, where = rows_by_cell(coded)
        found, values, counts = _runs(where, values)
        codes = np.column_stack([np.arange(values.size), cells.codes[found]])
        codes[np.isnan(values), 0] = -1
        return SomeCells(batch.rows, (values, *cells.labels), codes, counts)

    def merge(self, counted: SomeCells) -> None:
        """Add the counts of some rows.

        Raises:
            DataError: There are too many combinations.
        """
        self._rows += counted.rows
        if not counted.counts.size:
            return
        cells = _Cells()
        for place, (labels, plain) in enumerate(zip(counted.labels, self.what.plain, strict=True)):
            own = counted.codes[:, place]
            table = self._numbers(labels) if plain else self._places(place, labels, own)
            cells.append(table[own])
        cells.append(counted.counts)
        self._pending.append(cells)
        waiting = sum(each[-1].size * len(each) for each in self._pending[1:])
        many = not self.what.bins and cells[-1].size > (self.what.most_cells or math.inf)
        if many or waiting > max(_MOST_PENDING, self._pending[0][-1].size):
            self._merge()

    def _numbers(self, labels: Names) -> FloatArray:
        return np.append(np.asarray(labels, dtype=np.float64), np.nan)

    def _places(self, place: int, labels: Names, codes: IntArray) -> IntArray:
        """The place in the code book of each label that occurs."""
        index, known = self._index[place], self._labels[place]
        table = np.full(len(labels) + 1, -1, dtype=np.int64)
        there = np.bincount(codes + 1, minlength=len(labels) + 1)[1:]
        for code in np.flatnonzero(there).tolist():
            table[code] = index.setdefault(label_key(labels[code]), len(known))
            if table[code] == len(known):
                known.append(labels[code])
        if self.what.most_cells is not None and len(known) > self.what.most_cells:
            raise self._too_many()
        return table

    @property
    def rows(self) -> int:
        """How many rows were counted so far."""
        return self._rows

    def cells(self) -> SomeCells:
        """The counts so far, for the `merge` of another tally."""
        labels, codes, counts = self._merge()
        return SomeCells(self._rows, tuple(labels), codes, counts)

    @property
    def exponent(self) -> int | None:
        """Bins have a width of 2^k; None: numbers are exact so far."""
        return self._exponent

    def at_least(self, exponent: int) -> None:
        """Make bins at least 2^k wide."""
        self._exponent = exponent if self._exponent is None else max(self._exponent, exponent)

    @property
    def bin_width(self) -> float:
        """The width of the bins so far; 0 where numbers are exact."""
        return 0.0 if self._exponent is None else math.ldexp(1.0, self._exponent)

    def result(self, orders: Mapping[str, Sequence[Label]] = MappingProxyType({})) -> Counts:
        """The counts so far.

        Args:
            orders: By column, the order in which labels are shown where the rule has none.
        """
        if not self._rows:
            raise DataError(f"there are no rows to count in {self._listed}.")
        found, codes, counts = self._merge()
        shown: list[Names] = []
        parts = []
        for place, coding in enumerate(self.what.codings):
            own, labels = codes[:, place], found[place]
            if self.what.plain[place]:
                missing = bool((own < 0).any())
                atoms = np.asarray(labels, dtype=np.float64)
                shown.append(np.append(atoms, np.nan) if missing else atoms)
                parts.append(np.where(own < 0, len(labels), own))
                continue
            names, table = _in_order(coding, labels, orders, own)
            shown.append(names)
            parts.append(table[own])
        cells, counted = add_up(parts, counts, [len(each) for each in shown])
        return Counts(
            columns=self.what.names,
            labels=tuple(shown),
            codes=cells,
            counts=counted,
            layout=self.what.layout,
            bin_width=self.bin_width,
        )

    def _merge(self) -> tuple[list[Names], IntArray, IntArray]:
        """All cells as one table: labels, codes, −1 where one is missing, and counts."""
        what, labels = self.what, [*map(tuple, self._labels)]
        if not self._pending:
            nothing = np.zeros((0, len(labels)), dtype=np.int64)
            return [*labels], nothing, np.zeros(0, dtype=np.int64)
        columns = [np.concatenate(each) for each in zip(*self._pending, strict=True)]
        while True:
            found: list[Names] = [*labels]
            parts = []
            for place, column in enumerate(columns[:-1]):
                if not what.plain[place]:
                    parts.append(column + 1)
                    continue
                found[place], own = self._coded_numbers(column, first=place == 0)
                parts.append(own)
            codes, counts = add_up(parts, columns[-1], [len(each) + 1 for each in found])
            least = self._coarser(np.asarray(found[0]), codes) if what.bins else None
            if least is None:
                break
            self._exponent = least
        if what.most_cells is not None and counts.size > what.most_cells:
            raise self._too_many()
        codes -= 1
        kept = _Cells()
        for place, names in enumerate(found):
            own = codes[:, place]
            kept.append(self._numbers(names)[own] if what.plain[place] else own)
        self._pending = [_Cells([*kept, counts])]
        return found, codes, counts

    def _coded_numbers(self, column: FloatArray, *, first: bool) -> tuple[FloatArray, IntArray]:
        """The distinct numbers, or centres of bins, and the place of each, from 1; 0: missing."""
        missing = np.isnan(column)
        present = column[~missing] + 0.0
        codes = np.zeros(column.size, dtype=np.int64)
        if not present.size:
            return present, codes
        most = self.what.most_values
        if first and self.what.bins and most is not None:
            distinct = present
            while True:
                if self._exponent is not None:
                    self._exponent = max(self._exponent, finest(present))
                    distinct, codes[~missing] = _binned(present, self._exponent)
                elif distinct.size > most:
                    distinct = np.unique(present)
                if distinct.size <= most:
                    break
                self._exponent = _coarsened(distinct, most)
            if self._exponent is not None:
                return distinct, codes
        atoms, own = np.unique(present, return_inverse=True)
        codes[~missing] = own + 1
        return atoms, codes

    def _coarser(self, values: FloatArray, codes: IntArray) -> int | None:
        """The smallest k with few enough combinations; None: they are few, or no k makes them so.

        Args:
            values: The numbers, or centres of bins, in ascending order.
            codes: For each combination the place of its number, from 1, and those of its labels.
        """
        most = self.what.most_cells
        if most is None or codes.shape[0] <= most or not values.size:
            return None
        low = finest(values) - 1 if self._exponent is None else self._exponent
        high = max(low, math.frexp(float(values[-1] - values[0]))[1])  # two bins at most
        order = np.lexsort((codes[:, 0], *codes[:, :0:-1].T))
        rest = np.any(np.diff(codes[order, 1:], axis=0) != 0, axis=1)
        inside = np.append(np.nan, values)[codes[order, 0]]
        while high - low > 1:
            middle = (low + high) // 2
            own = np.floor(np.ldexp(inside, -middle))
            same = (own[1:] == own[:-1]) | (np.isnan(own[1:]) & np.isnan(own[:-1]))
            if 1 + np.count_nonzero(rest | ~same) <= most:
                high = middle
            else:
                low = middle
        return None if high == self._exponent else high

    @property
    def _listed(self) -> str:
        return ", ".join(repr(each) for each in self.what.names if each != self.what.secret)

    def _too_many(self) -> DataError:
        return DataError(
            f"the columns {self._listed} have more than {self.what.most_cells:,} combinations of "
            "values. Bin numbers by public edges, take dates by a coarser unit, or publish fewer "
            "columns."
        )


def _few_whole(values: FloatArray) -> bool:
    """Whether some of the numbers are whole and near each other, so that all may be."""
    return whole_numbers(values[:_LOOKED_AT]) is not None


def _binned(values: FloatArray, exponent: int) -> tuple[FloatArray, IntArray]:
    """The centres of filled bins of width 2^k, and the place of each value among them, from 1."""
    bins = np.floor(np.ldexp(values, -exponent))
    low = bins.min()
    if bins.max() - low < max(_FEW_BINS, 4 * bins.size):
        steps = (bins - low).astype(np.int64)
        there = np.bincount(steps) > 0
        found, places = np.flatnonzero(there) + low, np.cumsum(there)[steps]
    else:
        found, places = np.unique(bins, return_inverse=True)
        places = places + 1
    return np.asarray(np.ldexp(found + 0.5, exponent)), places


def _coarsened(distinct: FloatArray, most: int) -> int:
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


def _in_order(
    coding: Coding, labels: Names, orders: Mapping[str, Sequence[Label]], codes: IntArray
) -> tuple[Names, IntArray]:
    """Labels in the order in which they are shown, and the place of each; None is last."""
    numbers = [each for each in labels if isinstance(each, float)]
    whole = coding.whole and all(each.is_integer() for each in numbers)
    plain = [int(each) if whole and isinstance(each, float) else each for each in labels]
    first = coding.display or tuple(orders.get(coding.column, ()))
    found = ordered(plain, first)
    index = {label_key(each): place for place, each in enumerate(found)}
    table = np.array([*(index[label_key(each)] for each in plain), len(plain)], dtype=np.int64)
    return (*found, *([None] if (codes < 0).any() else [])), table


def _cells_of(coded: Sequence[Coded], batch: Batch) -> SomeCells:
    sizes = [len(each.labels) + 1 for each in coded]
    codes, counts = add_up([each.codes + 1 for each in coded], batch.counts, sizes)
    return SomeCells(batch.rows, tuple(each.labels for each in coded), codes - 1, counts)


def finest(values: FloatArray) -> int:
    """The smallest k for which the centres of bins of width 2^k are exact doubles."""
    return math.frexp(float(np.nanmax(np.abs(values))))[1] - 51


def centres(values: FloatArray, exponent: int) -> FloatArray:
    """(n + ½)·2^k for the bin n of each value; a centre stays where it is."""
    return np.asarray(np.ldexp(np.floor(np.ldexp(values, -exponent)) + 0.5, exponent))


def _runs(codes: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Each (code, value) once, and how often it occurs; nan is a value."""
    if not codes.size:
        return codes, values, codes
    # Sorting the codes separately lets the values use the fast sort for plain floats.
    small = codes.astype(np.int16) if codes.max() < 2**15 else codes
    order = np.argsort(small, kind="stable")
    codes, values = codes[order], values[order] + 0.0  # turns −0.0 into 0.0
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    ends = np.append(starts[1:], codes.size)
    for start, end in zip(starts, ends, strict=True):
        values[start:end].sort()
    new = np.ones(codes.size, dtype=bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    for start, end in zip(starts, ends, strict=True):
        # Missing values, which differ from themselves, are sorted to the end.
        if np.isnan(values[end - 1]):
            new[start + np.flatnonzero(np.isnan(values[start:end]))[1:]] = False
    new[starts] = True
    first = np.flatnonzero(new).astype(np.int64, copy=False)
    return codes[first], values[first], np.diff(first, append=codes.size)
