"""One row for each person: its first row, or the mean of its values; defined for any engine.

Beliefs are fitted to a table with one row for each person and the mechanism is applied to it, so a
certificate for one row is one for one person.

The mean is that of the values that are not missing, added up in ascending order: it does not depend
on the order of the rows or on how they were cut into pieces. A person without any value has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pufferfish.core.validation import FloatArray, require
from pufferfish.tables.batch import IntArray

__all__ = ["OneRow", "Way", "means"]

Way = Literal["first", "mean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRow:
    """How the rows of a person become one.

    Attributes:
        person: The column that says which rows belong together.
        column: The numeric column.
        secret: The column of the secret; a person has one secret.
        way: The person's "first" row as it is, or the "mean" of the values.
        keep: Other columns that stay, with the values of the first row.
    """

    person: str
    column: str
    secret: str
    way: Way
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        require(self.way in ("first", "mean"), f"one_row must be first or mean, got {self.way!r}.")
        require(
            self.way == "first" or not self.keep,
            "kept columns do not go with the mean of a person's rows: no row of the table has that "
            "value, so no other column belongs to it. Keep none, or use the first row.",
        )

    @property
    def read(self) -> list[str]:
        """The columns that are read."""
        return list(dict.fromkeys([self.column, self.secret, self.person, *self.keep]))


def means(persons: IntArray, values: FloatArray) -> FloatArray:
    """The mean of each person's values, nan where there is none.

    Args:
        persons: The number of each row's person; every number from 0 to the largest occurs.
        values: The value of each row, nan where it is missing.
    """
    count = int(persons.max(initial=-1)) + 1
    found = np.full(count, np.nan)
    there = ~np.isnan(values)
    owners, present = persons[there], values[there]
    order = np.lexsort((present, owners))
    owners, present = owners[order], present[order]
    starts = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: owners.size])
    if not starts.size:
        return found
    ends = np.append(starts[1:], owners.size) - 1
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.add.reduceat(present, starts) / (ends - starts + 1)
    low, high = present[starts], present[ends]
    # Rounding must not move a mean out of the range of its values; infinite values stay visible.
    middle = np.clip(middle, low, high)
    found[owners[starts]] = np.where(np.isinf(low) | np.isinf(high), np.inf, middle)
    return found
