"""What a fit needs from a table: how often each value occurs for each secret. Data only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import Secret, check_secret, some_secrets
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import FloatArray, bounds, nonnegative

__all__ = ["Group", "IntArray", "Summary", "is_missing"]

IntArray = npt.NDArray[np.int64]


def is_missing(entry: object) -> bool:
    """Whether an entry of a column is None, nan or a frame's NA, whatever its type."""
    try:
        return entry is None or bool(entry != entry)  # noqa: PLR0124
    except (TypeError, ValueError):  # NA is neither equal nor unequal to itself
        return type(entry).__name__ == "NAType"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Group:
    """The rows of one secret.

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary:
    """The counts of a column by secret: all that a fit needs, whatever the number of rows.

    It is private unless the table is public, because it holds the frequencies themselves.

    Attributes:
        column: The column's name.
        secret: The name of the secret's column.
        groups: The counts of each secret.
        bin_width: 0 where the values are exact; otherwise they are the centres of bins this wide.
        cap: The bounds to which values were moved; None: they were not. See `capped`.
        whole: The summary of the whole table, if `only` has left out secrets of it.
        unseen: Values that the column may hold and no row here has, such as those of rows that were
            set apart; None: none are known.
        without_secret: The rows that have no secret; None: every row has one. They are published,
            and nothing is promised for them.
    """

    column: str
    secret: str
    groups: Mapping[Secret, Group]
    bin_width: float = 0.0
    cap: tuple[float, float] | None = None
    whole: Summary | None = None
    unseen: FloatArray | None = None
    without_secret: Group | None = None

    def __post_init__(self) -> None:
        """Freeze the mapping."""
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))
        object.__setattr__(self, "bin_width", nonnegative("bin_width", self.bin_width))
        if self.cap is not None:
            object.__setattr__(self, "cap", bounds("cap", self.cap))
        if self.unseen is not None:
            self.unseen.setflags(write=False)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the counts: equal for tables that a fit cannot tell apart.

        It depends on each secret with its type, on its values or bins, how often each occurs and
        how many are missing; not on the order of the rows, on how they were cut into batches, on
        the engine that counted them, or on the names of the columns. It is as private as the
        counts: where these are few, they can be guessed and the guess can be checked.
        """
        found = hashlib.sha256(b"pufferfish counts 1\n")
        kinds = {(type(label).__name__, str(label)): group for label, group in self.groups.items()}
        if self.without_secret is not None:
            kinds["NoneType", "None"] = self.without_secret
        for kind, text in sorted(kinds):
            group = kinds[kind, text]
            head = [kind, text, group.missing, group.values.size, self.bin_width.hex()]
            found.update(json.dumps(head).encode() + b"\n")
            found.update(group.values.astype("<f8").tobytes())
            found.update(group.counts.astype("<i8").tobytes())
        return found.hexdigest()

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
    ) -> Self:
        """A summary made elsewhere, for example by SQL: one row for each secret and value.

        Args:
            secrets: The secret of each row.
            values: The value; None or nan for rows without a value.
            counts: How many records the row represents.
            column: The name of the values in messages.
            secret: The name of the secrets in messages.
            bin_width: If the values are centres of bins, the bins' width.
        """
        # The tally makes summaries, so it imports this module.
        from pufferfish.tables.arrays import count_batch  # noqa: PLC0415
        from pufferfish.tables.tally import Tally  # noqa: PLC0415

        tally = Tally(column, secret, most_values=None)
        tally.add(count_batch({secret: secrets, column: values, "counts": counts}, column, secret))
        found = tally.summary()
        return cls(column, secret, found.groups, bin_width, without_secret=found.without_secret)

    @property
    def radius(self) -> float:
        """How far a value may be from the one listed here: half a bin."""
        return 0.5 * self.bin_width

    @property
    def resolution(self) -> float:
        """The smallest step between two values of the column, or the width of a bin."""
        values = self.pooled.values
        return max(float(np.diff(values).min(initial=np.inf)), self.bin_width)

    @property
    def pooled(self) -> Group:
        """All rows together, with those that have no secret."""
        groups = [*self.groups.values()]
        if self.without_secret is not None:
            groups.append(self.without_secret)
        atoms, position = np.unique(
            np.concatenate([group.values for group in groups]), return_inverse=True
        )
        counts = np.zeros(atoms.size, dtype=np.int64)
        np.add.at(counts, position, np.concatenate([group.counts for group in groups]))
        return Group(atoms, counts, sum(group.missing for group in groups))

    def only(self, secrets: Iterable[Any]) -> Summary:
        """The summary of some of the secrets."""
        wanted = list(dict.fromkeys(check_secret(each) for each in secrets))
        for label in wanted:
            if label not in self.groups:
                raise InvalidInputError(
                    f"column {self.secret!r} has no secret {label!r}; it has "
                    f"{some_secrets(self.groups)}."
                )
        chosen = {label: self.groups[label] for label in wanted}
        if len(chosen) == len(self.groups):
            return replace(self, groups=chosen)
        return replace(self, groups=chosen, whole=self.whole or self, without_secret=None)

    def without_missing(self) -> Summary:
        """The summary of the rows that have a value."""
        return replace(
            self._each(lambda group: Group(group.values, group.counts, 0)),
            whole=self.whole and self.whole.without_missing(),
        )

    def capped(self, low: float, high: float) -> Summary:
        """The summary of the same rows, with values outside [low, high] moved to these bounds.

        A value and the centre of its bin, both moved, are not farther apart than before, so half a
        bin still bounds the error, also where a bound lies within a bin. The bounds must be public:
        one that was found by looking at the data reveals something about it.
        """
        cap = bounds("cap", (low, high))
        if self.cap is not None:
            raise InvalidInputError("these counts are already capped; cap the counts of the table.")
        return replace(
            self._each(lambda group: _cap_values(group, *cap)),
            cap=cap,
            whole=self.whole and self.whole.capped(*cap),
            unseen=None if self.unseen is None else np.unique(np.clip(self.unseen, *cap)),
        )

    def _each(self, change: Callable[[Group], Group]) -> Summary:
        """The summary after a change of every group; groups without rows are left out."""
        nobody = None if self.without_secret is None else change(self.without_secret)
        if nobody is not None and not nobody.records + nobody.missing:
            nobody = None
        groups = {label: change(group) for label, group in self.groups.items()}
        return replace(self, groups=groups, without_secret=nobody)

    def __repr__(self) -> str:
        """The columns; the counts may be private."""
        binned = f", bins of {self.bin_width:g}" if self.bin_width else ""
        return f"Summary({self.column!r} by {self.secret!r}: {len(self.groups)} secrets{binned})"


def _cap_values(group: Group, low: float, high: float) -> Group:
    values, position = np.unique(np.clip(group.values, low, high), return_inverse=True)
    counts = np.zeros(values.size, dtype=np.int64)
    np.add.at(counts, position, group.counts)
    return Group(values, counts, group.missing)
