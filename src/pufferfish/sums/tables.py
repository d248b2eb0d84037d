"""The law of a sum of independent, finitely valued users: a table on a lattice.

Convolution of positive numbers by direct sums has *relative* accuracy: an entry that is a sum of n
products has an error of at most (n + 1)·u in addition to the errors of its factors, at any size and
so in the far tails too. (A Fourier transform has absolute errors, and ruins the tails.) Products
are taken in a balanced tree, equal users by repeated squaring; the bound on the relative error is
carried along.

Ends of a table that no certificate needs are cut off, and the mass cut off is carried along as
well. It is not put elsewhere: the table P' that is left has P' ≤ P in every entry, so with η the
mass that P' lacks, κ the errors of both tables and any Q' ≤ Q

    HS_ε(P‖Q) ≤ e^κ·HS_{ε−κ}(P'‖Q') + η.

Proofs: docs/theory/sums.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.limits import still_patient
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.sums.users import IntArray, Laws, Users

__all__ = ["LatticeTable", "UserTables", "as_decimal", "as_prior", "laws_of_users"]

# The most entries of a table that is worth the time to convolve.
_MOST_ENTRIES = 300_000
# Tables up to this length are multiplied many at a time.
_SHORT = 64
# The least number that `Discrete` takes for a probability.
_FAINTEST = 1e-250
# A smaller product of two floats has lost some digits or all.
_UNDERFLOW = 2.0**-1020


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatticeTable:
    """P(X = (start + i)·step) = masses[i], up to errors.

    Attributes:
        start: The place of the first entry on the lattice.
        masses: Probabilities.
        lost: An upper bound on the mass that was cut off.
        error: An upper bound on the relative error of each entry, apart from what was cut off.
    """

    start: int
    masses: FloatArray
    lost: float = 0.0
    error: float = 0.0

    def times(self, other: LatticeTable, cut: float = 0.0) -> LatticeTable:
        """The law of the sum of the two, with at most this mass cut off each end."""
        short, long = sorted((self, other), key=lambda table: table.masses.size)
        masses = np.convolve(long.masses, short.masses)
        return _cut(
            start=self.start + other.start,
            masses=masses,
            lost=(self.lost + other.lost) * (1.0 + 1e-15) + masses.size * _UNDERFLOW,
            error=self.error + other.error + (short.masses.size + 2) * UNIT,
            cut=cut,
        )

    def power(self, count: int, cut: float = 0.0) -> LatticeTable:
        """The law of the sum of `count` independent ones, by repeated squaring."""
        result, square = _NOTHING, self
        while True:
            if count & 1:
                result = result.times(square, cut)
            count >>= 1
            if not count:
                return result
            square = square.times(square, cut)


_NOTHING = LatticeTable(start=0, masses=np.ones(1))


def _cut(*, start: int, masses: FloatArray, lost: float, error: float, cut: float) -> LatticeTable:
    """The table without its ends, each of mass at most `cut`."""
    if cut > 0.0:
        left, right = np.cumsum(masses), np.cumsum(masses[::-1])
        before = int(np.searchsorted(left, cut, side="right"))
        after = int(np.searchsorted(right, cut, side="right"))
        dropped = (left[before - 1] if before else 0.0) + (right[after - 1] if after else 0.0)
        start, masses = start + before, masses[before : masses.size - after]
        # The dropped mass is known up to its own error.
        lost += float(dropped) * (1.0 + 2.0 * error + left.size * UNIT)
    return LatticeTable(start=start, masses=masses, lost=lost, error=error)


def laws_of_users(users: Users) -> Laws:
    """The tables of all users; refuses users without tables."""
    if users.laws is None:
        raise UnsupportedError(
            "the law of the sum is known only if every user's table is known, but some users here "
            "have only a mean and a std. Give tables, or use the Gaussian belief."
        )
    return users.laws


class UserTables:
    """The tables of some users on their common lattice, and the laws of their sums."""

    def __init__(self, users: Users, cut: float = 0.0, also: tuple[float, ...] = ()) -> None:
        """Find the lattice.

        Args:
            users: Users whose tables are known.
            cut: The mass by which each end of a product may be cut.
            also: Further numbers that must be on the lattice.

        Raises:
            UnsupportedError: Tables are not known, or too long.
        """
        self._users = users
        self.laws = laws_of_users(users)
        self._cut = cut
        values, inverse = np.unique(self.laws.values, return_inverse=True)
        exact = [as_decimal(value) for value in values]
        self.step = _common_step([*exact, *map(as_decimal, also)])
        self._places = np.array([int(each / self.step) for each in exact])[inverse]
        self._refuse_long()

    def one(self, kind: int) -> LatticeTable:
        """The table of one user of a kind."""
        laws = self.laws
        entries = slice(int(laws.starts[kind]), int(laws.starts[kind + 1]))
        places = self._places[entries]
        masses = np.zeros(int(places.max() - places.min()) + 1)
        masses[places - places.min()] = laws.probabilities[entries]
        return LatticeTable(start=int(places.min()), masses=masses, error=UNIT)

    def total(self) -> LatticeTable:
        """The law of the whole sum."""
        return self._product(self._users.counts)

    def steps(self, one: float, other: float) -> int:
        """The number of lattice steps between two of its numbers."""
        return int(abs(as_decimal(one) - as_decimal(other)) / self.step)

    def differences(self, kinds: IntArray) -> IntArray:
        """The numbers of steps between any two values of one user, over all of some kinds."""
        starts = self.laws.starts
        apart = np.zeros(0, dtype=np.int64)
        for kind in kinds:
            places = self._places[starts[kind] : starts[kind + 1]]
            found = np.subtract.outer(places, places).reshape(-1)
            # One kind at a time: all together would need the square of the longest for each.
            apart = np.union1d(apart, found[found > 0])
        return np.asarray(apart[::-1])

    def leave_one_out(
        self, kinds: IntArray, settles: Callable[[IntArray, LatticeTable], bool]
    ) -> Iterator[tuple[int, LatticeTable]]:
        """For each of some kinds, the law of the sum without one user of it.

        No user is divided out again, which would be unstable. Instead the kinds are halved again
        and again, and each half is multiplied by the product of the other.

        Args:
            kinds: Which kinds.
            settles: Told several kinds and the law of the sum without one user of each of them;
                says whether they need not be checked one by one.
        """
        counts = self._users.counts.copy()
        counts[kinds] -= 1
        stack = [(np.asarray(kinds), self._product(counts))]
        while stack:
            still_patient()
            some, outside = stack.pop()
            if some.size == 1:
                yield int(some[0]), outside
                continue
            if settles(some, outside):
                continue
            halves = np.array_split(some, 2)
            inside = [self._product_once(half) for half in halves]
            stack += [
                (half, outside.times(other, self._cut))
                for half, other in zip(halves, inside[::-1], strict=True)
            ]

    def _product(self, counts: IntArray) -> LatticeTable:
        """The law of the sum of `counts` users of each kind."""
        # Π T_k^{c_k} by the binary digits of the counts: (Π of those with the digit)^(2^place).
        powers = [
            self._product_once(np.flatnonzero(counts >> place & 1)).power(1 << place, self._cut)
            for place in range(int(counts.max()).bit_length())
        ]
        return _tree(powers, self._cut)

    def _product_once(self, kinds: IntArray) -> LatticeTable:
        """One user of each kind: short tables of equal length, many at a time, then the rest."""
        tables = []
        spans = self._spans[kinds]
        for span in np.unique(spans):
            same = kinds[spans == span]
            if span >= _SHORT or same.size == 1:
                tables += [self.one(int(kind)) for kind in same]
            else:
                tables += self._blocks(same, int(span) + 1)
        return _tree(tables, self._cut)

    @property
    def _spans(self) -> IntArray:
        starts = self.laws.starts[:-1]
        highest = np.maximum.reduceat(self._places, starts)
        return np.asarray(highest - np.minimum.reduceat(self._places, starts))

    def _blocks(self, kinds: IntArray, length: int) -> list[LatticeTable]:
        """Products of equally long tables, each of as many as keep it short."""
        laws = self.laws
        sizes = laws.starts[kinds + 1] - laws.starts[kinds]
        row = np.repeat(np.arange(kinds.size), sizes)
        within = np.arange(row.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entries = np.repeat(laws.starts[kinds], sizes) + within
        first = np.minimum.reduceat(self._places[entries], np.cumsum(sizes) - sizes)
        block = np.zeros((kinds.size, length))
        block[row, self._places[entries] - first[row]] = laws.probabilities[entries]
        start, error, left = first, UNIT, []
        while block.shape[0] > 1 and block.shape[1] <= _SHORT:
            if block.shape[0] % 2:
                left.append(LatticeTable(start=int(start[-1]), masses=block[-1], error=error))
            half = block.shape[0] // 2
            one, other = block[:half], block[half : 2 * half]
            start = start[:half] + start[half : 2 * half]
            error = 2.0 * error + (block.shape[1] + 2) * UNIT
            block = np.zeros((half, 2 * one.shape[1] - 1))
            for place in range(one.shape[1]):
                block[:, place : place + one.shape[1]] += one[:, place : place + 1] * other
        # Products this short have at most 64 factors: `times` also counts what underflows in them.
        return left + [
            LatticeTable(start=int(at), masses=masses, error=error)
            for at, masses in zip(start, block, strict=True)
        ]

    def _refuse_long(self) -> None:
        laws, users = self.laws, self._users
        spread = float(((laws.highest - laws.lowest) * users.counts).sum())
        if self._cut > 0.0:
            # By Bernstein's inequality no more entries than this are left between the ends.
            reach = float((laws.highest - laws.lowest).max())
            log_cut = -math.log(self._cut)
            spread = min(
                spread, 2.0 * (math.sqrt(2.0 * log_cut * users.variance) + 2.0 * log_cut * reach)
            )
        entries = spread / float(self.step)
        if entries > _MOST_ENTRIES:
            raise UnsupportedError(
                f"the table of this sum would have about {entries:.3g} entries, more than "
                f"{_MOST_ENTRIES:,}: all values are multiples of {float(self.step):g} and of "
                "nothing coarser. Round the values first, and those of the data in the same way."
            )


def as_prior(table: LatticeTable, step: Fraction) -> Discrete:
    """A table as a prior, made to sum to one."""
    kept = np.flatnonzero(table.masses >= _FAINTEST)
    masses = table.masses[kept]
    values = (kept + float(table.start)) * step.numerator / step.denominator
    return Discrete(values, masses / math.fsum(masses))


def _tree(tables: list[LatticeTable], cut: float) -> LatticeTable:
    """The product in a balanced tree, short tables first."""
    tables = sorted(tables, key=lambda table: table.masses.size)
    while len(tables) > 1:
        pairs = zip(tables[::2], tables[1::2], strict=False)
        rest = tables[-1:] if len(tables) % 2 else []
        tables = rest + [one.times(other, cut) for one, other in pairs]
    return tables[0] if tables else _NOTHING


def as_decimal(value: float) -> Fraction:
    """A float as its decimals: 0.1 is 1/10."""
    return Fraction(repr(float(value)))


def _common_step(values: list[Fraction]) -> Fraction:
    """The largest number of which all are multiples; 1 if all are 0."""
    denominator = math.lcm(*(value.denominator for value in values))
    numerator = math.gcd(*(int(value * denominator) for value in values))
    return Fraction(numerator, denominator) if numerator else Fraction(1)
