"""Who adds to a sum: independent users, by mean and std or by a table of values. Data only.

Users that are alike are one *kind* with a count, so a billion identical users are one entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Discrete
from pufferfish.core.validation import FloatArray, finite, finite_array, nonnegative, require

__all__ = [
    "IntArray",
    "Laws",
    "Users",
    "binary",
    "finite_users",
    "identical",
    "moments",
    "together",
]

IntArray = npt.NDArray[np.int64]

_MOST_USERS = 10**18
_SMALLEST_PROBABILITY = 1e-250


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Laws:
    """Many small tables in three flat arrays: kind k has the entries starts[k] to starts[k+1]."""

    values: FloatArray
    probabilities: FloatArray
    starts: IntArray

    def law(self, kind: int) -> Discrete:
        """The table of one kind."""
        entries = slice(self.starts[kind], self.starts[kind + 1])
        return Discrete(self.values[entries], self.probabilities[entries])

    def expect(self, numbers: FloatArray) -> FloatArray:
        """Σ p·number over the entries of each kind."""
        return np.asarray(np.add.reduceat(self.probabilities * numbers, self.starts[:-1]))

    @property
    def lowest(self) -> FloatArray:
        """The least value of each kind."""
        return np.asarray(np.minimum.reduceat(self.values, self.starts[:-1]))

    @property
    def highest(self) -> FloatArray:
        """The largest value of each kind."""
        return np.asarray(np.maximum.reduceat(self.values, self.starts[:-1]))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Users:
    """K independent users, in kinds.

    Make one with `moments`, `identical`, `binary`, `finite_users` or `together`.

    Attributes:
        means: The mean of what one user of each kind adds.
        stds: The std of what one user of each kind adds.
        counts: The number of users of each kind.
        positions: The number of the first user of each kind, in the order given, from 1 on; None
            where each kind is one user, in order.
        laws: The table of each kind; None where only mean and std are known.
        provenance: "public" if anyone may know all of this.
    """

    means: FloatArray
    stds: FloatArray
    counts: IntArray
    positions: IntArray | None = None
    laws: Laws | None = None
    provenance: str = "private"

    def __post_init__(self) -> None:
        """Check the provenance, and make the arrays read-only."""
        for array in (self.means, self.stds, self.counts):
            array.setflags(write=False)
        require(bool(self.provenance), "provenance must be a non-empty text.")

    @property
    def kinds(self) -> int:
        """The number of kinds of users."""
        return int(self.means.size)

    @cached_property
    def size(self) -> int:
        """K, the number of users."""
        return int(self.counts.sum())

    @cached_property
    def variances(self) -> FloatArray:
        """σ² of each kind."""
        return np.asarray(self.stds**2)

    @cached_property
    def rest_variances(self) -> FloatArray:
        """V − σ_k², the variance of the sum without one user of each kind.

        At most one user has more than half of V. Only for that user would digits cancel in the
        difference, so for that one the others are summed.
        """
        shares = self.variances * self.counts
        rest = float(shares.sum()) - self.variances
        largest = int(np.argmax(self.variances))
        others = shares.copy()
        others[largest] = self.variances[largest] * (int(self.counts[largest]) - 1)
        # All users who have as much, so that equal users have equal laws to the last digit.
        rest[self.variances == self.variances[largest]] = others.sum()
        return np.asarray(np.maximum(rest, 0.0))

    @property
    def variance(self) -> float:
        """V, the variance of the whole sum."""
        return float((self.variances * self.counts).sum())

    @property
    def mean(self) -> float:
        """M, the mean of the whole sum."""
        return float((self.means * self.counts).sum())

    @property
    def public(self) -> bool:
        """Whether this may be shown to anyone."""
        return self.provenance == "public"

    def position(self, kind: int) -> int:
        """The number of the first user of a kind, from 1 on."""
        return kind + 1 if self.positions is None else int(self.positions[kind])

    def name(self, kind: int) -> str:
        """The name of a user of this kind in messages."""
        return f"user {self.position(kind)}"

    def __repr__(self) -> str:
        """A description without any values."""
        shape = "mean and std known" if self.laws is None else "tables known"
        return f"Users({self.size:,} users of {self.kinds:,} kinds, {shape})"


def moments(
    means: Sequence[float] | FloatArray,
    stds: Sequence[float] | FloatArray,
    counts: Sequence[int] | IntArray | None = None,
    *,
    provenance: str = "private",
) -> Users:
    """Users with known mean and std; one entry per user, or per group with `counts`."""
    centres, spreads = finite_array("means", means), finite_array("stds", stds)
    _same_length(centres, means=centres, stds=spreads)
    require(bool((spreads >= 0.0).all()), "stds must not be negative.")
    numbers, positions = _count(centres.size, counts)
    return Users(
        means=centres, stds=spreads, counts=numbers, positions=positions, provenance=provenance
    )


def identical(users: int, mean: float, std: float, *, provenance: str = "private") -> Users:
    """K users of the same mean and std."""
    return moments(
        [finite("mean", mean)], [nonnegative("std", std)], [users], provenance=provenance
    )


def binary(
    probabilities: Sequence[float] | FloatArray,
    values: float | Sequence[float] | FloatArray = 1.0,
    counts: Sequence[int] | IntArray | None = None,
    *,
    provenance: str = "private",
) -> Users:
    """Users who add a value with a probability, else 0."""
    chances = finite_array("probabilities", probabilities)
    given = finite_array("values", np.atleast_1d(np.asarray(values)))
    require(
        given.size in (1, chances.size),
        f"values must be one number, or one for each of {chances.size} users, got {given.size}.",
    )
    amounts = np.broadcast_to(given, chances.shape) + 0.0
    inside = (chances >= 0.0) & (chances <= 1.0)
    require(bool(inside.all()), "probabilities must be between 0 and 1.")
    faint = (chances > 0.0) & (chances < _SMALLEST_PROBABILITY)
    require(not faint.any(), f"probabilities must be 0 or at least {_SMALLEST_PROBABILITY:g}.")
    numbers, positions = _count(chances.size, counts)
    keys, first, kind = np.unique(
        np.stack([chances, amounts]), axis=1, return_index=True, return_inverse=True
    )
    chances, amounts = keys
    both = np.stack([np.zeros_like(amounts), amounts], axis=1)
    shares = np.stack([1.0 - chances, chances], axis=1)
    kept = shares > 0.0
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
    laws = Laws(both[kept], shares[kept], starts)
    at = np.arange(1, kind.size + 1) if positions is None else positions
    return Users(
        means=chances * amounts,
        stds=np.sqrt(chances * (1.0 - chances)) * np.abs(amounts),
        counts=_merge(kind.reshape(-1), numbers),
        positions=at[first],
        laws=laws,
        provenance=provenance,
    )


def finite_users(
    laws: Iterable[Discrete],
    counts: Sequence[int] | IntArray | None = None,
    *,
    provenance: str = "private",
) -> Users:
    """Users who add one of finitely many values, each by their own table."""
    tables = tuple(laws)
    require(bool(tables), "there must be at least one user.")
    for table in tables:
        require(
            isinstance(table, Discrete),
            f"laws must be pf.Discrete tables, got {type(table).__name__}.",
        )
    numbers, positions = _count(len(tables), counts)
    kinds: dict[Discrete, int] = {}
    kind = np.array([kinds.setdefault(table, len(kinds)) for table in tables])
    first = np.unique(kind, return_index=True)[1]
    at = np.arange(1, kind.size + 1) if positions is None else positions
    sizes = [table.values.size for table in kinds]
    flat = Laws(
        np.concatenate([table.values for table in kinds]),
        np.concatenate([table.probabilities for table in kinds]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
    )
    return Users(
        means=np.array([table.mean for table in kinds]),
        stds=np.sqrt([table.variance for table in kinds]),
        counts=_merge(kind, numbers),
        positions=at[first],
        laws=flat,
        provenance=provenance,
    )


def together(*groups: Users) -> Users:
    """All users of some groups, in order; tables are known if they are known for all groups."""
    require(bool(groups), "there must be at least one group of users.")
    laws = [group.laws for group in groups]
    known = [each for each in laws if each is not None]
    flat = None
    if len(known) == len(groups):
        offsets = np.cumsum([0, *(each.values.size for each in known)])
        starts = [each.starts[:-1] + offset for each, offset in zip(known, offsets, strict=False)]
        flat = Laws(
            np.concatenate([each.values for each in known]),
            np.concatenate([each.probabilities for each in known]),
            np.concatenate([*starts, offsets[-1:]]).astype(np.int64),
        )
    before = np.cumsum([0, *(group.size for group in groups)])
    public = all(group.public for group in groups)
    return Users(
        means=np.concatenate([group.means for group in groups]),
        stds=np.concatenate([group.stds for group in groups]),
        counts=np.concatenate([group.counts for group in groups]),
        positions=np.concatenate(
            [
                offset + np.array([group.position(kind) for kind in range(group.kinds)])
                for group, offset in zip(groups, before, strict=False)
            ]
        ),
        laws=flat,
        provenance="public" if public else "private",
    )


def _same_length(one: FloatArray, **arrays: FloatArray) -> None:
    sizes = {array.size for array in arrays.values()}
    require(
        sizes == {one.size},
        f"{' and '.join(arrays)} must have one entry per user, got "
        f"{' and '.join(str(array.size) for array in arrays.values())}.",
    )


def _count(entries: int, counts: object) -> tuple[IntArray, IntArray | None]:
    """Counts of each entry, and the number of its first user where they are not 1, 2, 3, ..."""
    if counts is None:
        return np.ones(entries, dtype=np.int64), None
    numbers = finite_array("counts", counts)
    require(numbers.size == entries, f"counts must have {entries} entries, got {numbers.size}.")
    whole = (numbers >= 1.0) & (numbers == np.floor(numbers))
    require(bool(whole.all()), "counts must be whole numbers of at least 1.")
    require(math.fsum(numbers) <= _MOST_USERS, f"there must be at most {_MOST_USERS:g} users.")
    exact = numbers.astype(np.int64)
    return exact, np.cumsum(exact) - exact + 1


def _merge(kind: npt.NDArray[np.intp], counts: IntArray) -> IntArray:
    """How many users there are of each kind."""
    total = np.zeros(int(kind.max()) + 1, dtype=np.int64)
    np.add.at(total, kind, counts)
    return total
