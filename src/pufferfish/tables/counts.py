"""How often each combination of labels occurs in some columns of a table: what was counted.

Labels are coded when they are read, and are integers from then on: a part of a table shares the
code book of the whole. Columns have roles (`Layout`): published, secret, known. A fit asks for the
counts of each secret (`groups`, `by_secret`), also of the rows with some known values (`strata`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import Label, label_key
from pufferfish.beliefs.layout import Layout, View
from pufferfish.beliefs.pairs import Secret, check_secret, some_secrets
from pufferfish.beliefs.rules import Rule
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import FloatArray, bounds, nonnegative, require
from pufferfish.tables.batch import IntArray
from pufferfish.tables.coding import ordered
from pufferfish.tables.combined import SomeCells, add_up
from pufferfish.tables.names import check_columns

__all__ = ["Counts", "Group", "Names", "column_layout"]

# The labels of a column: numbers as an array, in ascending order, nan last; else None is last.
Names = Sequence[Label] | FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Group:
    """Some rows by the value of one column of numbers.

    Attributes:
        values: The distinct values, sorted.
        counts: How often each occurs; all above 0.
        missing: How many rows have no value.
    """

    values: FloatArray
    counts: IntArray
    missing: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        self.values.setflags(write=False)
        self.counts.setflags(write=False)

    @property
    def records(self) -> int:
        """How many rows have a value."""
        return int(self.counts.sum())

    @property
    def missing_share(self) -> float:
        """The share of rows without a value."""
        return self.missing / (self.records + self.missing)

    def __repr__(self) -> str:
        """A text without any of the data."""
        return "Group(...)"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Counts:
    """The counts of a table, or of some of its rows: all that a fit needs of any number of rows.

    They are private unless the table is public, because they hold the frequencies themselves.

    Attributes:
        columns: The names of the columns.
        labels: For each column the labels that occur in the table, in the order in which they are
            shown: that of the categories or of the rule where there is one, else numbers in
            ascending order, truth values, and sorted texts. None, for rows without an entry, is
            last. Numbers are an array, with nan last; `labels_of` gives them as they are shown.
        codes: For each combination that occurs the places of its labels, sorted.
        counts: How often each combination occurs; all above 0.
        layout: The roles of the columns; None: they have none.
        bin_width: 0 where numbers are exact; otherwise those of the published column are the
            centres of bins this wide.
        cap: The bounds to which numbers were moved; None: they were not. See `capped`.
        wanted: The secrets that are asked for, in this order; None: all. See `only`.
        view: The secret that is asked about, where several are protected; None: the first.
        given: The known values that all of these rows have.
        unseen: Rows of the table that were set apart, and are not counted here. Only the values of
            a column of numbers are used; publication makes them public.
    """

    columns: tuple[str, ...]
    labels: tuple[Names, ...]
    codes: IntArray
    counts: IntArray
    layout: Layout | None = None
    bin_width: float = 0.0
    cap: tuple[float, float] | None = None
    wanted: tuple[Secret, ...] | None = None
    view: View | None = None
    given: Mapping[str, Label] = field(default_factory=lambda: MappingProxyType({}))
    unseen: Counts | None = None

    def __post_init__(self) -> None:
        """Make the counts read-only."""
        self.codes.setflags(write=False)
        self.counts.setflags(write=False)
        object.__setattr__(self, "bin_width", nonnegative("bin_width", self.bin_width))

    @classmethod
    def from_counts(
        cls,
        secrets: Iterable[Any],
        values: Iterable[Any],
        counts: Iterable[Any],
        *,
        column: str = "value",
        secret: str = "secret",  # noqa: S107
        bin_width: float = 0.0,
    ) -> Counts:
        """Counts made elsewhere, for example by SQL: one row for each secret and value.

        Args:
            secrets: The secret of each row.
            values: The value; None or nan for rows without a value.
            counts: How many records the row represents.
            column: The name of the values in messages.
            secret: The name of the secrets in messages.
            bin_width: If the values are centres of bins, the bins' width.
        """
        # The tally makes counts, so it imports this module.
        from pufferfish.tables.arrays import count_batch  # noqa: PLC0415
        from pufferfish.tables.tally import Counting, Tally  # noqa: PLC0415

        tally = Tally(Counting.of_column(column, secret, most_values=None))
        tally.add(count_batch({secret: secrets, column: values, "counts": counts}, column, secret))
        return replace(tally.result(), bin_width=bin_width)

    @classmethod
    def of_groups(
        cls,
        groups: Mapping[Secret, Group] | Mapping[Secret | None, Group],
        column: str,
        secret: str,
        **more: Any,
    ) -> Counts:
        """Counts of one column of numbers by secret; None is the group of rows without one."""
        by_label: dict[Label, Group] = dict(groups.items())
        labels = ordered(by_label)
        rows = [by_label[each] for each in labels]
        sizes = [each.values.size + 1 for each in rows]
        values = np.concatenate([np.append(each.values, np.nan) for each in rows])
        counts = np.concatenate([np.append(each.counts, each.missing) for each in rows])
        atoms, codes = np.unique(values, return_inverse=True)
        owners = np.repeat(np.arange(len(labels)), sizes)
        cells, found = add_up(
            [codes.astype(np.int64), owners], counts.astype(np.int64), [atoms.size, len(labels)]
        )
        return cls(
            columns=(column, secret),
            labels=(atoms, tuple(labels)),
            codes=cells,
            counts=found,
            layout=column_layout(column, secret),
            **more,
        )

    # What is counted.

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    @cached_property
    def shown(self) -> tuple[tuple[Label, ...], ...]:
        """The labels of each column as they are shown: numbers are whole where all are."""
        return tuple(map(_shown, self.labels))

    def labels_of(self, column: str) -> tuple[Label, ...]:
        """The labels of a column as they are shown."""
        check_columns(self.columns, column)
        return self.shown[self.columns.index(column)]

    @cached_property
    def cells(self) -> tuple[tuple[Label, ...], ...]:
        """The combinations that occur, as labels."""
        parts = [
            [labels[code] for code in codes]
            for labels, codes in zip(self.shown, self.codes.T.tolist(), strict=True)
        ]
        return tuple(zip(*parts, strict=True))

    def some_cells(self) -> SomeCells:
        """The counts as those of rows: the code of a missing entry is −1."""
        missing = [_place_of_missing(each) for each in self.labels]
        codes = np.where(self.codes == np.array(missing), -1, self.codes)
        return SomeCells(self.rows, self.shown, codes, self.counts)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the counts that are asked for: equal for tables that a fit cannot tell apart.

        It depends on the labels with their types, on the width of bins, and on how often each
        combination occurs; not on the order of the rows, on how they were cut into batches, on the
        engine that counted them, on the order in which labels are shown or columns are named, or on
        their names. It is as private as the counts: where these are few, they can be guessed and
        the guess can be checked.
        """
        asked = self._asked
        parts: list[tuple[bytes, bytes, str, IntArray]] = []
        for name, labels, codes in zip(asked.columns, asked.labels, asked.codes.T, strict=True):
            used, own = np.unique(codes, return_inverse=True)
            plain, ranks = _plain_labels(labels, used)
            places = ranks[own]
            rows = np.zeros(used.size, dtype=np.int64)
            np.add.at(rows, places, asked.counts)
            parts.append((plain, rows.astype("<i8").tobytes(), name, places))
        # By their labels and how often these occur; by name only where both are the same.
        parts.sort(key=lambda each: each[:3])
        found = hashlib.sha256(f"pufferfish counts 2 {self.bin_width.hex()}\n".encode())
        for plain, *_ in parts:
            found.update(f"{len(plain)}\n".encode() + plain)
        columns = [own for *_, own in parts]
        cells = np.lexsort(columns[::-1])
        found.update(np.stack(columns, axis=1)[cells].astype("<i8").tobytes())
        found.update(asked.counts[cells].astype("<i8").tobytes())
        return found.hexdigest()

    # Parts of it.

    def marginal(self, columns: Sequence[str]) -> Counts:
        """The counts of some of the columns, in the order in which they are named."""
        require(len(set(columns)) == len(columns) > 0, "columns must be different names.")
        check_columns(self.columns, *columns)
        places = [self.columns.index(name) for name in columns]
        labels = tuple(self.labels[place] for place in places)
        parts = [self.codes[:, place] for place in places]
        codes, counts = add_up(parts, self.counts, [len(each) for each in labels])
        told = self.layout is not None and {*self.layout.secret_names} <= {*columns}
        return replace(
            self,
            columns=tuple(columns),
            labels=labels,
            codes=codes,
            counts=counts,
            # Without the column of the secret nobody can ask for the rows of some secrets.
            wanted=self.wanted if told else None,
        )

    def rows_with(self, known: Mapping[str, Label]) -> Counts:
        """The counts of the rows with these labels, without these columns.

        Raises:
            InvalidInputError: No row has these labels, or no column is left.
        """
        rest = self._others(known)
        found = self._with(known)
        if not found.counts.size:
            raise InvalidInputError(
                f"no row has these labels in {', '.join(map(repr, known))}; see .labels."
            )
        return found.marginal(rest)

    def _with(self, known: Mapping[str, Label]) -> Counts:
        chosen = np.ones(self.counts.size, dtype=bool)
        for name, label in known.items():
            place = self.columns.index(name)
            keys = [label_key(each) for each in self.shown[place]]
            wanted = keys.index(label_key(label)) if label_key(label) in keys else -1
            chosen &= self.codes[:, place] == wanted
        return self._part(chosen, self.counts)

    def divided(self, columns: Sequence[str], least: int) -> tuple[Counts, Counts, int]:
        """The counts of combinations in some columns that have enough rows, and of the others.

        Args:
            columns: The columns.
            least: The number of rows that is enough.

        Returns:
            The frequent, the rare, and the number of rare combinations.
        """
        which, _ = self._numbered(columns)
        rows = np.bincount(which, weights=self.counts)
        often = rows[which] >= least
        rare = self._part(~often, self.counts)
        return self._part(often, self.counts), rare, int((rows < least).sum())

    def parts(self, columns: Sequence[str]) -> Iterator[tuple[tuple[Label, ...], Counts]]:
        """The combinations in some columns, each with the counts of the others; in their order."""
        rest = self._others(columns)
        shown = [self.labels_of(name) for name in columns]
        table = self.marginal([*columns, *rest])
        size = len(columns)
        ends = np.flatnonzero(np.diff(table.codes[:, :size], axis=0).any(axis=1)) + 1
        for cells in np.split(np.arange(table.counts.size), ends) if table.counts.size else ():
            first = table.codes[cells[0], :size].tolist()
            yield (
                tuple(labels[code] for labels, code in zip(shown, first, strict=True)),
                replace(
                    table,
                    columns=tuple(rest),
                    labels=table.labels[size:],
                    codes=table.codes[cells, size:],
                    counts=table.counts[cells],
                ),
            )

    def merged(self, column: str, merged: Mapping[Label, Label]) -> Counts:
        """The counts after labels of a column became others, as by `Rule.merged`.

        A label that was there keeps its place; a new one gets that of the first that became it.
        """
        check_columns(self.columns, column)
        place = self.columns.index(column)
        old = self.shown[place]
        rules = {label_key(given): made for given, made in merged.items()}
        own = {label_key(each): number for number, each in enumerate(old)}
        made = [rules.get(label_key(each), each) for each in old]
        keys = [label_key(each) for each in made]
        first: dict[Any, tuple[int, Label]] = {}
        for number, (key, each) in enumerate(zip(keys, made, strict=True)):
            first.setdefault(key, (own.get(key, number), each))
        order = sorted(first, key=lambda key: (key == label_key(None), first[key][0]))
        index = {key: number for number, key in enumerate(order)}
        codes = self.codes.copy()
        codes[:, place] = np.array([index[key] for key in keys], dtype=np.int64)[codes[:, place]]
        labels = list(self.labels)
        labels[place] = tuple(first[key][1] for key in order)
        return replace(self, labels=tuple(labels), codes=codes).marginal(self.columns)

    def resampled(self, counts: IntArray) -> Counts:
        """Other rows with the same labels: this number of each combination."""
        return self._part(counts > 0, counts)

    def _part(self, some: npt.NDArray[np.bool_], counts: IntArray) -> Counts:
        return replace(self, codes=self.codes[some], counts=counts[some])

    def _others(self, columns: Iterable[str]) -> list[str]:
        """The columns but for some."""
        named = list(columns)
        check_columns(self.columns, *named)
        rest = [name for name in self.columns if name not in named]
        require(bool(rest), "no column is left; name fewer.")
        return rest

    def _numbered(self, columns: Sequence[str]) -> tuple[IntArray, IntArray]:
        """A number for each combination in some columns, for each cell; and their codes."""
        check_columns(self.columns, *columns)
        codes = self.codes[:, [self.columns.index(name) for name in columns]]
        if not codes.size:
            return np.zeros(self.counts.size, dtype=np.int64), codes[:1]
        found, which = np.unique(codes, axis=0, return_inverse=True)
        return which.ravel().astype(np.int64, copy=False), found

    # Counts by secret and stratum; they need a layout.

    @property
    def roles(self) -> Layout:
        """The layout, which these counts must have."""
        if self.layout is None:
            raise InvalidInputError("these counts do not say which column is the secret.")
        return self.layout

    @property
    def of_column(self) -> bool:
        """Whether this is one column of numbers by a secret, without rules or known columns."""
        return self.roles == column_layout(self.column, self.secret)

    @property
    def about(self) -> View:
        """The secret that is asked about."""
        return self.view or self.roles.views[0]

    @property
    def column(self) -> str:
        """The name of the first published column."""
        return self.roles.column_names[0]

    @property
    def secret(self) -> str:
        """The names of the columns of the secret."""
        return ", ".join(self.roles.secret_names)

    @property
    def whole(self) -> Counts:
        """The counts of all secrets, if only some are asked for."""
        return self if self.wanted is None else replace(self, wanted=None)

    @cached_property
    def secrets(self) -> dict[Secret, int]:
        """How often each secret occurs, over all views; rows without a secret are left out."""
        found: dict[Secret, int] = {}
        for view in self.roles.views:
            own, secrets = self._owners(view)
            for secret, number in secrets.items():
                rows = int(self.counts[own == number].sum())
                found[secret] = found.get(secret, 0) + rows
        return dict(sorted(found.items(), key=lambda each: str(each[0])))

    @cached_property
    def by_secret(self) -> dict[Secret, Counts]:
        """The rows of each secret that is asked for."""
        own, secrets = self._owners(self.about)
        return {
            secret: self._part(own == secrets.get(secret, -2), self.counts)
            for secret in self._order
        }

    @cached_property
    def groups(self) -> dict[Secret, Group]:
        """The values of one column of numbers, for each secret that is asked for."""
        return {secret: part.numbers for secret, part in self.by_secret.items()}

    @property
    def without_secret(self) -> Group | None:
        """The rows that have no secret; None: every row has one.

        They are published, and nothing is promised for them.
        """
        own, _ = self._owners(self.about)
        nobody = self._part(own < 0, self.counts)
        return nobody.numbers if nobody.counts.size and not self.restricted else None

    @cached_property
    def pooled(self) -> Group:
        """The values of one column of numbers, over all rows that are asked for.

        That includes rows without a secret, unless some secrets are left out.
        """
        return self._asked.numbers

    @cached_property
    def numbers(self) -> Group:
        """The values of the published column of numbers, over all rows."""
        labels, codes = self.labels[self.columns.index(self.column)], self._codes_of(self.column)
        if not isinstance(labels, np.ndarray):
            labels = np.array([np.nan if each is None else float(each) for each in labels])
        sums = np.zeros(labels.size, dtype=np.int64)
        np.add.at(sums, codes, self.counts)
        there = (sums > 0) & ~np.isnan(labels)
        return Group(labels[there], sums[there], int(sums[np.isnan(labels)].sum()))

    @property
    def radius(self) -> float:
        """How far a value may be from the one listed here: half a bin."""
        return 0.5 * self.bin_width

    @property
    def resolution(self) -> float:
        """The smallest step between two values of the column, or the width of a bin."""
        values = self.pooled.values
        return max(float(np.diff(values).min(initial=np.inf)), self.bin_width)

    def strata(self, known: Sequence[str] = ()) -> Iterator[Counts]:
        """The rows by the values of some known columns, for each secret that is protected.

        Nothing is refused: a stratum may have few rows of a secret, or none.
        """
        layout = self.roles
        names = [*layout.column_names, *layout.secret_names]
        table = self.marginal([*names, *known])
        for labels, rows in table.parts(known) if known else [((), table)]:
            given = dict(zip(known, labels, strict=True))
            apart = self.unseen
            if apart is not None:
                apart = apart.marginal([*names, *known])._with(given).marginal(names)
            for view in layout.views:
                yield replace(rows, given=given, view=view, unseen=apart)

    def only(self, secrets: Iterable[Any]) -> Counts:
        """The counts of some of the secrets."""
        wanted = tuple(dict.fromkeys(check_secret(each) for each in secrets))
        there = self.whole._order
        for label in wanted:
            if label not in there:
                raise InvalidInputError(
                    f"column {self.secret!r} has no secret {label!r}; it has {some_secrets(there)}."
                )
        return replace(self, wanted=wanted)

    def without_missing(self) -> Counts:
        """The counts of the rows that have a value."""
        labels = self.labels[self.columns.index(self.column)]
        there = self._codes_of(self.column) != _place_of_missing(labels)
        # A secret that has no value at all is still asked for.
        return replace(self._part(there, self.counts), wanted=tuple(self._order))

    def capped(self, low: float, high: float) -> Counts:
        """The counts of the same rows, with values outside [low, high] moved to these bounds.

        A value and the centre of its bin, both moved, are not farther apart than before, so half a
        bin still bounds the error, also where a bound lies within a bin. The bounds must be public:
        one that was found by looking at the data reveals something about it.
        """
        cap = bounds("cap", (low, high))
        if self.cap is not None:
            raise InvalidInputError("these counts are already capped; cap the counts of the table.")
        place = self.columns.index(self.column)
        atoms, table = np.unique(
            np.clip(np.asarray(self.labels[place], float), *cap), return_inverse=True
        )
        codes, labels = self.codes.copy(), list(self.labels)
        codes[:, place], labels[place] = table[codes[:, place]], atoms
        unseen = None if self.unseen is None else self.unseen.capped(*cap)
        found = replace(self, codes=codes, labels=tuple(labels), cap=cap, unseen=unseen)
        return found.marginal(self.columns)

    @cached_property
    def laws_by_secret(self) -> tuple[Counts, dict[Secret, IntArray]]:
        """The combinations of published labels, and how often each occurs for each secret."""
        which, codes = self._numbered(self.roles.column_names)
        labels = tuple(self.labels[self.columns.index(each)] for each in self.roles.column_names)
        size = codes.shape[0]
        own, secrets = self._owners(self.about)

        def counted(some: Any) -> IntArray:
            found = np.zeros(size, dtype=np.int64)
            np.add.at(found, which[some], self.counts[some])
            return found

        domain = replace(
            self,
            columns=self.roles.column_names,
            labels=labels,
            codes=codes,
            counts=counted(slice(None)),
        )
        return domain, {each: counted(own == secrets.get(each, -2)) for each in self._order}

    def _codes_of(self, column: str) -> IntArray:
        return self.codes[:, self.columns.index(column)]

    @property
    def _order(self) -> list[Secret]:
        """The secrets that are asked for, also those that only rows have that were set apart."""
        if self.wanted is not None:
            return [each for each in self.wanted if self.about.holds(each)]
        there = dict(self._owners(self.about)[1])
        if self.unseen is not None:
            there |= self.unseen._owners(self.about)[1]
        return sorted(there, key=str)

    def _owners(self, view: View) -> tuple[IntArray, dict[Secret, int]]:
        """The number of each cell's secret, −1 where it has none, and those of the secrets."""
        layout = self.roles
        which, codes = self._numbered(view.columns)
        shown = [self.labels_of(name) for name in view.columns]
        # Labels of secret columns outside the view do not matter.
        every: list[Label] = [None] * len(layout.secrets)
        places: list[int] = []
        secrets: dict[Secret, int] = {}
        for row in codes.tolist() if self.counts.size else ():
            for place, labels, code in zip(view.places, shown, row, strict=True):
                every[place] = labels[code]
            secret = view.secret_of(every, missing=layout.missing_secret)
            require(
                secret is None or secret not in secrets,
                f"two values of {' and '.join(map(repr, view.columns))} would have the same name "
                "as secrets, such as 1 and True, 0.5 and the text '0.5', or a missing one and the "
                "text '(missing)': rename one of them (--merge).",
            )
            places.append(-1 if secret is None else secrets.setdefault(secret, len(secrets)))
        return np.array(places, dtype=np.int64)[which], secrets

    @cached_property
    def restricted(self) -> bool:
        """Whether some secret is left out."""
        if self.wanted is None:
            return False
        _, secrets = self._owners(self.about)
        return not set(secrets) <= set(self.wanted)

    @cached_property
    def _asked(self) -> Counts:
        """The rows of the secrets that are asked for."""
        if not self.restricted:
            return self
        own, secrets = self._owners(self.about)
        chosen = np.array([*(each in (self.wanted or ()) for each in secrets), False])
        return self._part(chosen[own], self.counts)

    def __repr__(self) -> str:
        """The columns; the counts may be private."""
        binned = f", bins of {self.bin_width:g}" if self.bin_width else ""
        return f"Counts({', '.join(map(repr, self.columns))}{binned})"


def column_layout(column: str, secret: str) -> Layout:
    """The roles of a column of numbers and of a secret."""
    return Layout(
        columns=(Rule(column=column, read="number"),), secrets=(Rule(column=secret, read="label"),)
    )


def _shown(labels: Names) -> tuple[Label, ...]:
    """Labels as they are shown: numbers without a point where all are whole."""
    if not isinstance(labels, np.ndarray):
        return tuple(labels)
    there = labels[~np.isnan(labels)]
    whole = bool(np.all(there == np.floor(there)))
    found: list[Label] = [int(each) for each in there.tolist()] if whole else there.tolist()
    return tuple(found) if there.size == labels.size else (*found, None)


def _plain_labels(labels: Names, used: IntArray) -> tuple[bytes, IntArray]:
    """Some labels in ascending order, with their types, as bytes; and the place of each in it."""
    if not isinstance(labels, np.ndarray):
        named = [labels[place] for place in used.tolist()]
        numbers = [each for each in named if each is not None]
        if any(isinstance(each, str | bool) or float(each) != each for each in numbers):
            keys = [label_key(each) for each in named]
            ranks = {key: rank for rank, key in enumerate(sorted(keys))}
            text = json.dumps(sorted(named, key=label_key)).encode()
            return text, np.array([ranks[key] for key in keys], dtype=np.int64)
        labels = np.array([np.nan if each is None else float(each) for each in named])
        used = np.arange(len(named))
    order = np.argsort(labels[used])
    ranked = np.empty(used.size, dtype=np.int64)
    ranked[order] = np.arange(used.size)
    return labels[used][order].astype("<f8").tobytes(), ranked


def _place_of_missing(labels: Names) -> int:
    """The place of a missing entry: the last one, or the one after it."""
    if not len(labels):
        return 0
    last = labels[-1]
    missing = last is None or (isinstance(labels, np.ndarray) and bool(np.isnan(last)))
    return len(labels) - 1 if missing else len(labels)
