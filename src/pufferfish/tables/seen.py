"""What was found about each person: how many rows, which secrets, which values, and two of them.

There is one entry, of numbers only, for each person. Two sets of entries about the same persons
become one, in any order, so that rows can be counted in any pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import DataError
from pufferfish.core.validation import FloatArray
from pufferfish.tables.batch import IntArray

__all__ = [
    "MOST_PAIRS",
    "NOBODY",
    "Pairs",
    "PersonsFound",
    "Seen",
    "WhichPairs",
    "group",
    "nobody",
    "rows_of_persons",
    "two_secrets",
    "unnamed",
]

# Which two rows of each person are compared: none; two of those with a value; two of all.
WhichPairs = Literal["none", "present", "all"]
# For this many persons two values are kept, to test whether the rows of a person are independent.
MOST_PAIRS = 20_000
# The key of a row that does not exist.
_NO_KEY = np.iinfo(np.int64).max
_SEED = 0x9E3779B97F4A7C15


class Seen(NamedTuple):
    """One entry for each person, or each row. The last four are empty without two values each.

    Attributes:
        rows: The number of rows.
        low_secret: The lowest number of a secret; −1 where one is missing.
        high_secret: The highest number of a secret.
        low: The lowest value; inf where there is none.
        high: The highest value; −inf where there is none.
        present: Rows with a value.
        key: The lowest of the random keys that rows have, ...
        value: ... and the value of that row; inf where it is missing.
        other_key: The second lowest key, ...
        other: ... and the value of that row.
    """

    rows: IntArray
    low_secret: IntArray
    high_secret: IntArray
    low: FloatArray
    high: FloatArray
    present: IntArray
    key: IntArray
    value: FloatArray
    other_key: IntArray
    other: FloatArray


class Pairs(NamedTuple):
    """Two rows of each of some persons.

    Attributes:
        secrets: The number of the person's secret.
        first: The value of one row; inf where it is missing.
        second: The value of another.
        keys: Random keys, which do not depend on the values.
    """

    secrets: IntArray
    first: FloatArray
    second: FloatArray
    keys: IntArray

    def fewer(self) -> Pairs:
        """At most `MOST_PAIRS` of the pairs, by their keys."""
        if self.keys.size <= MOST_PAIRS:
            return self
        chosen = np.argsort(self.keys, kind="stable")[:MOST_PAIRS]
        columns: list[npt.NDArray[Any]] = [column[chosen] for column in self]
        return Pairs(*columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonsFound:
    """What was found about all persons of a table.

    Attributes:
        most: Rows of the person with the most rows; 0 where there is nobody.
        two_secrets: Whether some person has several secrets.
        unequal: Whether some person has several values.
        partly_missing: Whether some person has a value in one row and none in another.
        pairs: Two values of each of at most `MOST_PAIRS` persons, if requested.
    """

    most: int
    two_secrets: bool
    unequal: bool
    partly_missing: bool
    pairs: Pairs

    @classmethod
    def of(cls, seen: Seen) -> Self:
        """The summary of the entries of each person."""
        several = np.flatnonzero(seen.other_key < _NO_KEY)
        pairs = Pairs(
            seen.low_secret[several], seen.value[several], seen.other[several], seen.key[several]
        )
        return cls(
            most=int(seen.rows.max(initial=0)),
            two_secrets=bool((seen.low_secret != seen.high_secret).any()),
            unequal=bool((seen.low < seen.high).any()),
            partly_missing=bool(((seen.present > 0) & (seen.present < seen.rows)).any()),
            pairs=pairs.fewer(),
        )

    def and_(self, other: PersonsFound) -> PersonsFound:
        """The summary together with that of another part of the table, with other persons."""
        columns: list[npt.NDArray[Any]] = [
            np.concatenate(both) for both in zip(self.pairs, other.pairs, strict=True)
        ]
        return PersonsFound(
            most=max(self.most, other.most),
            two_secrets=self.two_secrets or other.two_secrets,
            unequal=self.unequal or other.unequal,
            partly_missing=self.partly_missing or other.partly_missing,
            pairs=Pairs(*columns).fewer(),
        )


def nobody() -> Seen:
    """No persons."""
    whole, real = np.empty(0, dtype=np.int64), np.empty(0)
    return Seen(whole, whole, whole, real, real, whole, whole, real, whole, real)


NOBODY = PersonsFound.of(nobody())


def rows_of_persons(values: FloatArray, secrets: IntArray, before: int, pairs: WhichPairs) -> Seen:
    """One entry for each row.

    Args:
        values: The value of each row, nan where it is missing.
        secrets: The number of each row's secret.
        before: How many rows come before them, for the random keys.
        pairs: Which two rows of each person are compared.
    """
    size = values.size
    hole = np.isnan(values)
    wanted = 0 if pairs == "none" else size
    none, nothing = np.full(wanted, _NO_KEY), np.full(wanted, np.nan)
    return Seen(
        rows=np.ones(size, dtype=np.int64),
        low_secret=secrets,
        high_secret=secrets,
        low=np.where(hole, np.inf, values),
        high=np.where(hole, -np.inf, values),
        present=(~hole).astype(np.int64),
        key=np.where(hole & (pairs == "present"), _NO_KEY, _keys(before, size))[:wanted],
        # A published hole counts as a value: it is the same in two rows, or not.
        value=np.where(hole, np.inf, values)[:wanted],
        other_key=none,
        other=nothing,
    )


def group(persons: IntArray, seen: Seen) -> Seen:
    """One entry for each person.

    Args:
        persons: The number of each entry's person; every number from 0 to the largest occurs.
        seen: The entries.
    """
    if not persons.size:
        return nobody()
    if persons[-1] == persons.size - 1 and np.array_equal(persons, np.arange(persons.size)):
        return seen  # nobody has two entries
    order = np.argsort(persons, kind="stable")
    starts = _starts(persons[order])

    def over(function: np.ufunc, column: IntArray | FloatArray) -> npt.NDArray[Any]:
        return np.asarray(function.reduceat(column[order], starts))

    return Seen(
        over(np.add, seen.rows),
        over(np.minimum, seen.low_secret),
        over(np.maximum, seen.high_secret),
        over(np.minimum, seen.low),
        over(np.maximum, seen.high),
        over(np.add, seen.present),
        *_two_lowest(persons, seen, starts.size),
    )


def _two_lowest(
    persons: IntArray, seen: Seen, count: int
) -> tuple[IntArray, FloatArray, IntArray, FloatArray]:
    """The two rows of each person with the lowest keys, which are two random rows."""
    if not seen.key.size:
        return seen[6:]
    keys = np.concatenate([seen.key, seen.other_key])
    there = np.flatnonzero(keys < _NO_KEY)
    owners = np.concatenate([persons, persons])[there]
    values = np.concatenate([seen.value, seen.other])[there]
    keys = keys[there]
    order = np.lexsort((keys, owners))
    owners, values, keys = owners[order], values[order], keys[order]
    starts = _starts(owners)
    place = np.arange(owners.size) - np.repeat(starts, np.diff(np.append(starts, owners.size)))
    found: list[npt.NDArray[Any]] = []
    for number in (0, 1):
        chosen = place == number
        for column, nothing in ((keys, _NO_KEY), (values, np.nan)):
            filled = np.full(count, nothing, dtype=column.dtype)
            filled[owners[chosen]] = column[chosen]
            found.append(filled)
    return found[0], found[1], found[2], found[3]


def _starts(numbers: IntArray) -> IntArray:
    """Where each number of a sorted list begins."""
    return np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: numbers.size])


def _keys(before: int, size: int) -> IntArray:
    """Pseudo-random numbers that depend only on the places of rows (finaliser of splitmix64)."""
    mixed = np.arange(before + 1, before + size + 1, dtype=np.uint64) * np.uint64(_SEED)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    # Not the largest, which is the key of a row that does not exist.
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(2)).astype(np.int64)


def two_secrets(person: str, secret: str) -> DataError:
    """The error for a person with several secrets, to whom no promise can be made."""
    return DataError(
        f"column {person!r}: some person has several values of {secret!r}. The promise is about "
        "one secret of one person: decide which one each person has, or leave such persons out."
    )


def unnamed(name: str) -> DataError:
    """The error for rows without a person."""
    return DataError(f"column {name!r}: some rows do not say which person they belong to.")
