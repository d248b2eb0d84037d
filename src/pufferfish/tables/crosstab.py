"""How often each combination of labels occurs, counted in bounded memory, in any order of rows.

Rows are counted some at a time, each part with its own codes. Counts are added up when enough have
accumulated. A table with more combinations than a limit is refused: such counts would be those of
single persons.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from pufferfish.beliefs.labels import Label, label_key
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.tables.batch import Batch
from pufferfish.tables.coding import Coding, ordered
from pufferfish.tables.combined import SomeCells, add_up
from pufferfish.tables.names import check_columns
from pufferfish.tables.summary import IntArray

__all__ = ["MOST_CELLS", "Crosstab", "CrosstabTally"]

# Tables with up to this many combinations of labels are counted.
MOST_CELLS = 1_000_000
# How many entries of cells may accumulate before they are added up.
_MOST_PENDING = 4_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Crosstab:
    """The counts of all combinations of labels in some columns of a table.

    It is private unless the table is public, because it holds the frequencies themselves.

    Attributes:
        columns: The names of the columns.
        labels: For each column the labels that occur, in the order in which they are shown: that
            of the categories or of the rule where there is one, else numbers in ascending order,
            truth values, and sorted texts. None, for rows without an entry, is last.
        codes: For each combination that occurs the places of its labels, sorted.
        counts: How often each combination occurs; all above 0.
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    codes: IntArray
    counts: IntArray

    def __post_init__(self) -> None:
        """Make the counts read-only."""
        self.codes.setflags(write=False)
        self.counts.setflags(write=False)

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    @property
    def cells(self) -> tuple[tuple[Label, ...], ...]:
        """The combinations that occur, as labels."""
        parts = [
            [labels[code] for code in codes]
            for labels, codes in zip(self.labels, self.codes.T.tolist(), strict=True)
        ]
        return tuple(zip(*parts, strict=True))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the counts: equal for tables with the same counts.

        It depends on the labels with their types and on how often each combination occurs; not on
        the order of the rows, on how they were cut into batches, on the engine that counted them,
        or on the order in which labels are shown or columns are named. It is as private as the
        counts: where these are few, they can be guessed and the guess can be checked.
        """
        order = sorted(range(len(self.columns)), key=self.columns.__getitem__)
        columns = tuple(self.columns[place] for place in order)
        named = tuple(self.labels[place] for place in order)
        plain = _sorted(columns, named, self.codes[:, order], self.counts, {})
        found = hashlib.sha256(b"pufferfish crosstab 1\n")
        for labels in plain.labels:
            found.update(json.dumps(labels).encode() + b"\n")
        found.update(np.ascontiguousarray(plain.codes, "<i8").tobytes())
        found.update(plain.counts.astype("<i8").tobytes())
        return found.hexdigest()

    def marginal(self, columns: Sequence[str]) -> Crosstab:
        """The counts of some of the columns, in the order in which they are named."""
        require(len(set(columns)) == len(columns) > 0, "columns must be different names.")
        check_columns(self.columns, *columns)
        places = [self.columns.index(name) for name in columns]
        labels = tuple(self.labels[place] for place in places)
        return _compact(tuple(columns), labels, self.codes[:, places], self.counts)

    def given(self, known: Mapping[str, Label]) -> Crosstab:
        """The counts of the rows with these labels, without these columns.

        Raises:
            InvalidInputError: No row has these labels, or no column is left.
        """
        check_columns(self.columns, *known)
        rest = [place for place, name in enumerate(self.columns) if name not in known]
        require(bool(rest), "given: no column is left; name fewer.")
        chosen = np.ones(self.counts.size, dtype=bool)
        for name, label in known.items():
            place = self.columns.index(name)
            keys = [label_key(each) for each in self.labels[place]]
            wanted = keys.index(label_key(label)) if label_key(label) in keys else -1
            chosen &= self.codes[:, place] == wanted
        if not chosen.any():
            raise InvalidInputError(
                f"no row has these labels in {', '.join(map(repr, known))}; see .labels."
            )
        return _compact(
            tuple(self.columns[place] for place in rest),
            tuple(self.labels[place] for place in rest),
            self.codes[chosen][:, rest],
            self.counts[chosen],
        )

    def divided(self, columns: Sequence[str], least: int) -> tuple[Crosstab, Crosstab, int]:
        """The counts of combinations in some columns that have enough rows, and of the others.

        Args:
            columns: The columns.
            least: The number of rows that is enough.

        Returns:
            The frequent, the rare, and the number of rare combinations.
        """
        check_columns(self.columns, *columns)
        places = [self.columns.index(name) for name in columns]
        _, which = np.unique(self.codes[:, places], axis=0, return_inverse=True)
        rows = np.bincount(which.ravel(), weights=self.counts)
        often = rows[which.ravel()] >= least
        frequent, rare = (
            _compact(self.columns, self.labels, self.codes[some], self.counts[some])
            for some in (often, ~often)
        )
        return frequent, rare, int((rows < least).sum())

    def parts(self, columns: Sequence[str]) -> Iterator[tuple[tuple[Label, ...], Crosstab]]:
        """The combinations in some columns, each with the counts of the others; in their order."""
        check_columns(self.columns, *columns)
        places = [self.columns.index(name) for name in columns]
        rest = [place for place in range(len(self.columns)) if place not in places]
        require(bool(rest), "parts: no column is left; name fewer.")
        chosen = self.codes[:, places]
        order = np.lexsort(chosen.T[::-1])
        ends = np.flatnonzero(np.diff(chosen[order], axis=0).any(axis=1)) + 1
        for cells in np.split(order, ends) if order.size else ():
            first = chosen[cells[0]]
            labels = tuple(
                self.labels[place][code] for place, code in zip(places, first, strict=True)
            )
            yield (
                labels,
                _compact(
                    tuple(self.columns[place] for place in rest),
                    tuple(self.labels[place] for place in rest),
                    self.codes[cells][:, rest],
                    self.counts[cells],
                ),
            )

    def pooled(self, column: str, merged: Mapping[Label, Label]) -> Crosstab:
        """The counts after labels of a column became others, as by `Coding.merged`.

        A label that was there keeps its place; a new one gets that of the first that became it.
        """
        check_columns(self.columns, column)
        place = self.columns.index(column)
        rules = {label_key(given): made for given, made in merged.items()}
        shown = {label_key(each): number for number, each in enumerate(self.labels[place])}
        made = [rules.get(label_key(each), each) for each in self.labels[place]]
        numbered = [(shown.get(label_key(each), number), each) for number, each in enumerate(made)]
        order = [each for _, each in sorted(numbered, key=lambda pair: pair[0])]
        labels = list(self.labels)
        labels[place] = tuple(made)
        orders = dict(zip(self.columns, self.labels, strict=True)) | {column: order}
        return _sorted(self.columns, tuple(labels), self.codes, self.counts, orders)

    def some_cells(self) -> SomeCells:
        """The counts as those of rows: the code of a missing entry is −1."""
        # None is last, where it occurs.
        missing = [len(each) - 1 if None in each else len(each) for each in self.labels]
        codes = np.where(self.codes == np.array(missing), -1, self.codes)
        return SomeCells(self.rows, self.labels, codes, self.counts)

    def __repr__(self) -> str:
        """The columns; the counts may be private."""
        return f"Crosstab({', '.join(map(repr, self.columns))})"


class CrosstabTally:
    """Counts of combinations of labels, from batches of rows."""

    def __init__(self, codings: Sequence[Coding], most_cells: int = MOST_CELLS) -> None:
        """Begin with no rows.

        Args:
            codings: The columns, and how their entries become labels.
            most_cells: A table with more combinations of labels is refused.
        """
        self._codings = tuple(codings)
        names = [each.column for each in self._codings]
        self._listed = ", ".join(map(repr, names))
        require(bool(names), "codings must name at least one column.")
        require(len(set(names)) == len(names), "codings must name each column once.")
        require(most_cells >= 1, f"most_cells must be at least 1, got {most_cells!r}.")
        self._most = most_cells
        self._index: list[dict[tuple[int, Any], int]] = [{} for _ in names]
        self._labels: list[list[Label]] = [[] for _ in names]
        self._pending: list[tuple[IntArray, IntArray]] = []
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
        found = [each.coded(batch, before) for each in self._codings]
        sizes = [len(each.labels) + 1 for each in found]
        counts = batch.counts
        codes, counted = add_up([each.codes + 1 for each in found], counts, sizes)
        return SomeCells(batch.rows, tuple(each.labels for each in found), codes - 1, counted)

    def merge(self, counted: SomeCells) -> None:
        """Add the counts of some rows.

        Raises:
            DataError: There are too many combinations.
        """
        self._rows += counted.rows
        if not counted.counts.size:
            return
        codes = np.empty_like(counted.codes)
        for place, labels in enumerate(counted.labels):
            index, known = self._index[place], self._labels[place]
            own = np.full(len(labels) + 1, -1, dtype=np.int64)
            for code in np.unique(counted.codes[:, place]).tolist():
                if code < 0:
                    continue
                own[code] = index.setdefault(label_key(labels[code]), len(known))
                if own[code] == len(known):
                    known.append(labels[code])
            codes[:, place] = own[counted.codes[:, place]]
            if len(known) > self._most:
                raise self._too_many()
        self._pending.append((codes, counted.counts))
        waiting = sum(each.size for each, _ in self._pending[1:])
        if waiting > max(_MOST_PENDING, self._pending[0][0].size):
            self._merge()

    @property
    def rows(self) -> int:
        """How many rows were counted so far."""
        return self._rows

    def cells(self) -> SomeCells:
        """The counts so far, for the `merge` of another tally."""
        codes, counts = self._merge()
        return SomeCells(self._rows, tuple(map(tuple, self._labels)), codes, counts)

    def crosstab(self, orders: Mapping[str, Sequence[Label]] = MappingProxyType({})) -> Crosstab:
        """The counts so far.

        Args:
            orders: By column, the order in which labels are shown where the rule has none.
        """
        if not self._rows:
            raise DataError(f"there are no rows to count in {self._listed}.")
        codes, counts = self._merge()
        labels = []
        for coding, found in zip(self._codings, self._labels, strict=True):
            numbers = [each for each in found if isinstance(each, float)]
            whole = coding.whole and all(each.is_integer() for each in numbers)
            plain = (int(each) if whole and isinstance(each, float) else each for each in found)
            labels.append((*plain, None))
        # −1 becomes the place of None, after all others.
        places = np.array([len(each) - 1 for each in labels])
        shown = {
            each.column: each.display or tuple(orders.get(each.column, ()))
            for each in self._codings
        }
        names = tuple(each.column for each in self._codings)
        every = np.where(codes < 0, places, codes)
        return _sorted(names, tuple(labels), every, counts, shown)

    def _merge(self) -> tuple[IntArray, IntArray]:
        """All cells as one table."""
        if not self._pending:
            return np.zeros((0, len(self._codings)), dtype=np.int64), np.zeros(0, dtype=np.int64)
        codes, counts = self._pending[0]
        if len(self._pending) > 1:
            codes = np.concatenate([each for each, _ in self._pending])
            counts = np.concatenate([each for _, each in self._pending])
            sizes = [len(each) + 1 for each in self._labels]
            codes, counts = add_up(list(codes.T + 1), counts, sizes)
            codes -= 1
        self._pending = [(codes, counts)]
        if counts.size > self._most:
            raise self._too_many()
        return codes, counts

    def _too_many(self) -> DataError:
        return DataError(
            f"the columns {self._listed} have more than {self._most:,} combinations of values. Bin "
            "numbers by public edges, take dates by a coarser unit, or publish fewer columns."
        )


def _compact(
    columns: tuple[str, ...],
    labels: tuple[tuple[Label, ...], ...],
    codes: IntArray,
    counts: IntArray,
) -> Crosstab:
    """Counts with only the labels that occur, in the same order."""
    shown = dict(zip(columns, labels, strict=True))
    return _sorted(columns, labels, codes, counts, shown)


def _sorted(
    columns: tuple[str, ...],
    labels: tuple[tuple[Label, ...], ...],
    codes: IntArray,
    counts: IntArray,
    orders: Mapping[str, Sequence[Label]],
) -> Crosstab:
    """Each combination once, sorted by labels that occur, in the order in which they are shown."""
    kept: list[tuple[Label, ...]] = []
    parts = []
    for place, name in enumerate(columns):
        present = np.unique(codes[:, place])
        distinct = {label_key(labels[place][code]): labels[place][code] for code in present}
        found = ordered(distinct.values(), orders.get(name, ()))
        index = {label_key(each): number for number, each in enumerate(found)}
        table = np.zeros(len(labels[place]), dtype=np.int64)
        for code in present.tolist():
            table[code] = index[label_key(labels[place][code])]
        kept.append(tuple(found))
        parts.append(table[codes[:, place]])
    cells, counted = add_up(parts, counts, [len(each) for each in kept])
    return Crosstab(columns, tuple(kept), cells, counted)
