"""What a fit needs of a table: how often each value occurs for each secret. Data only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pufferfish.checks import FloatArray, nonnegative
from pufferfish.errors import InvalidInputError
from pufferfish.scenario import Secret, checked_secret, some_secrets

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
        """Nobody may write to a summary."""
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
        """Says nothing of the data."""
        return "Group(...)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary:
    """A column by secret, as counts: all that a fit looks at, whatever the number of rows.

    Private, unless the table is public: it holds the frequencies themselves.

    Attributes:
        column: The column's name.
        secret: The name of the secret's column.
        groups: For each secret its counts.
        bin_width: 0 where the values are exact; otherwise they are the centres of bins this wide.
    """

    column: str
    secret: str
    groups: Mapping[Secret, Group]
    bin_width: float = 0.0

    def __post_init__(self) -> None:
        """Freeze the mapping."""
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))
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
    ) -> Self:
        """A summary made elsewhere, for example by SQL: one row for each secret and value.

        Args:
            secrets: The secret of each row.
            values: The value; None or nan for rows without a value.
            counts: How many records the row stands for.
            column: The name that messages give the values.
            secret: The name that messages give the secrets.
            bin_width: If the values are centres of bins, their width.
        """
        # The tally makes summaries, so it stands above them.
        from pufferfish.tables.arrays import counted_batch  # noqa: PLC0415
        from pufferfish.tables.tally import Tally  # noqa: PLC0415

        tally = Tally(column, secret, most_values=None)
        tally.add(
            counted_batch({secret: secrets, column: values, "counts": counts}, column, secret)
        )
        return cls(column, secret, tally.summary().groups, bin_width)

    @property
    def radius(self) -> float:
        """How far a value may be from what stands for it here: half a bin."""
        return 0.5 * self.bin_width

    @property
    def resolution(self) -> float:
        """The smallest step between two values of the column, or the width of a bin."""
        values = self.pooled.values
        return max(float(np.diff(values).min(initial=np.inf)), self.bin_width)

    @property
    def pooled(self) -> Group:
        """All secrets together."""
        atoms, position = np.unique(
            np.concatenate([group.values for group in self.groups.values()]), return_inverse=True
        )
        counts = np.zeros(atoms.size, dtype=np.int64)
        np.add.at(counts, position, np.concatenate([g.counts for g in self.groups.values()]))
        return Group(atoms, counts, sum(group.missing for group in self.groups.values()))

    def only(self, secrets: Iterable[Any]) -> Summary:
        """The summary of some of the secrets."""
        wanted = list(dict.fromkeys(checked_secret(each) for each in secrets))
        for label in wanted:
            if label not in self.groups:
                raise InvalidInputError(
                    f"column {self.secret!r} has no secret {label!r}; it has "
                    f"{some_secrets(self.groups)}."
                )
        return Summary(
            self.column,
            self.secret,
            {label: self.groups[label] for label in wanted},
            self.bin_width,
        )

    def without_missing(self) -> Summary:
        """The summary of the rows that have a value."""
        groups = {
            label: Group(group.values, group.counts, 0) for label, group in self.groups.items()
        }
        return Summary(self.column, self.secret, groups, self.bin_width)

    def __repr__(self) -> str:
        """Names the columns; the counts may be private."""
        binned = f", bins of {self.bin_width:g}" if self.bin_width else ""
        return f"Summary({self.column!r} by {self.secret!r}: {len(self.groups)} secrets{binned})"
