"""Test the statement that the rows of a person are independent, given the secret.

The test takes two rows, at random, from each of at most 20,000 persons. If rows are independent
given the secret, exchanging the second values among persons of one secret does not change their
joint law. So four measures are compared with what they are after such exchanges:

- the rank correlation of the two values, squared, for each secret;
- how often the two values are equal, compared with how often they would be by chance;
- the rank correlation of their distances from the middle: X and ±X are not correlated;
- χ² of a table of five by five cells, by rank: any other dependence that is coarse enough to show.

The test rejects if one of four p-values is at most a quarter of its level (Bonferroni). It is a
permutation test, so it rejects true independence with at most that probability, whatever the laws
are. That it does not reject proves nothing: it is made for persons whose rows have something in
common, and cannot see every dependence.

A test that could not have rejected anything says nothing. So the statement is refused with fewer
than 30 persons, where even rows that agree as much as they can would not be rejected, and where all
values of some secret are equal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pufferfish.calibration.rows import TEST_LEVEL
from pufferfish.core.errors import DataError
from pufferfish.core.validation import FloatArray
from pufferfish.tables.batch import IntArray
from pufferfish.tables.seen import Pairs

__all__ = ["LEAST_PAIRS", "p_values", "refuse_dependent"]

# A test needs at least this many persons with two rows.
LEAST_PAIRS = 30
_EXCHANGES = 999
_CELLS = 5
# The seed of the exchanges, which protect nothing: the same table is always judged the same.
_SEED = 19


def refuse_dependent(person: str, pairs: Pairs) -> bool:
    """Refuse a table whose rows are not independent, as was stated, or cannot be tested.

    Returns:
        Whether there was anything to test; False where nobody has two rows.

    Raises:
        DataError: The test rejects independence, or could not have rejected anything.
    """
    if not pairs.secrets.size:
        return False
    found, reachable = _test(pairs)
    level = TEST_LEVEL / len(found)
    if min(found) <= level:
        raise DataError(
            f"column {person!r}: the rows of one person are not independent given the secret, "
            f"although that was stated: a test at level {TEST_LEVEL:.0%} rejects it, and "
            "(k·ε, k·δ) would be false. Publish one row for each person (--one-row first, or "
            "mean), or allow for any dependence by leaving out --rows-are independent."
        )
    few = pairs.secrets.size < LEAST_PAIRS or min(reachable) > level
    if few or _constant_somewhere(pairs):
        raise DataError(
            f"column {person!r}: too few persons have several rows with different values to test "
            "whether these are independent given the secret, as was stated. Publish one row for "
            "each person (--one-row first, or mean), or allow for any dependence by leaving out "
            "--rows-are independent."
        )
    return True


def _constant_somewhere(pairs: Pairs) -> bool:
    """Whether all values of some secret are equal: no exchange there changes anything."""
    groups = np.unique(pairs.secrets, return_inverse=True)[1]
    low, high = np.full(groups.max() + 1, np.inf), np.full(groups.max() + 1, -np.inf)
    for values in (pairs.first, pairs.second):
        np.minimum.at(low, groups, values)
        np.maximum.at(high, groups, values)
    return bool((low == high).any())


def p_values(pairs: Pairs) -> tuple[float, ...]:
    """The p-value of each of the four measures, under independent rows.

    Empty where no person has two values.
    """
    return _test(pairs)[0] if pairs.secrets.size else ()


def _test(pairs: Pairs) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The p-values, and those of the same values if rows agreed as much as they can."""
    order = np.argsort(pairs.secrets, kind="stable")
    secrets, first, second = pairs.secrets[order], pairs.first[order], pairs.second[order]
    generator = np.random.default_rng(_SEED)
    # In a sorted table, which of two rows comes first may say which is larger.
    turned = generator.random(secrets.size) < 0.5
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    groups = np.unique(secrets, return_inverse=True)[1].astype(np.int64)
    measures = _Measures(groups, first, second)
    agreeing = np.empty(groups.size, dtype=np.intp)
    agreeing[np.lexsort((first, groups))] = np.lexsort((second, groups))
    seen = np.stack([measures.of(np.arange(groups.size)), measures.of(agreeing)])
    exceeded = np.zeros(seen.shape, dtype=np.int64)
    for _ in range(_EXCHANGES):
        # Sorting by secret, then at random, is an exchange within each secret.
        exchange = np.argsort(groups + generator.random(groups.size))
        exceeded += measures.of(exchange) >= seen * (1.0 - 1e-12)
    found, reachable = ((1 + exceeded) / (1 + _EXCHANGES)).tolist()
    return tuple(found), tuple(reachable)


class _Measures:
    """The four measures, of pairs that are sorted by secret."""

    def __init__(self, groups: IntArray, first: FloatArray, second: FloatArray) -> None:
        self._groups = groups
        self._starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
        self._sizes = np.bincount(groups).astype(np.float64)
        self._ranks = tuple(self._standard(self._ranked(each)) for each in (first, second))
        self._far = tuple(self._standard(self._ranked(np.abs(each))) for each in self._ranks)
        self._cells = tuple(self._binned(each) for each in (first, second))
        self._expected = self._by_margins()
        values = np.unique(np.concatenate([first, second]), return_inverse=True)[1]
        self._codes = values[: first.size], values[first.size :]
        self._by_chance = self._equal_by_chance()

    def of(self, exchange: npt.NDArray[np.intp]) -> FloatArray:
        """The measures after the second values were exchanged."""
        equal = self._sums((self._codes[0] == self._codes[1][exchange]).astype(np.float64))
        surplus = (equal - self._by_chance) ** 2 / np.maximum(self._by_chance, 1.0)
        return np.array(
            [
                self._correlated(self._ranks, exchange),
                float(surplus.sum()),
                self._correlated(self._far, exchange),
                self._chi_squared(exchange),
            ]
        )

    def _chi_squared(self, exchange: npt.NDArray[np.intp]) -> float:
        """Σ (n − n̂)²/n̂ over the cells of all secrets."""
        first, second = self._cells
        places = (self._groups * _CELLS + first) * _CELLS + second[exchange]
        found = np.bincount(places, minlength=self._expected.size)
        surplus = (found - self._expected) ** 2
        return float((surplus / np.where(self._expected > 0.0, self._expected, 1.0)).sum())

    def _binned(self, values: FloatArray) -> IntArray:
        """The fifth of its secret's ranks that each value is in."""
        ranks = self._ranked(values) - self._starts[self._groups]
        shares = np.floor(_CELLS * (ranks + 0.5) / self._sizes[self._groups])
        return np.minimum(shares.astype(np.int64), _CELLS - 1)

    def _by_margins(self) -> FloatArray:
        """How many pairs each cell of each secret would have by chance."""
        rows, columns = (
            np.bincount(self._groups * _CELLS + each, minlength=self._sizes.size * _CELLS).reshape(
                -1, _CELLS
            )
            for each in self._cells
        )
        together = rows[:, :, None] * columns[:, None, :] / self._sizes[:, None, None]
        return np.asarray(together, dtype=np.float64).ravel()

    def _correlated(self, scores: tuple[FloatArray, ...], exchange: npt.NDArray[np.intp]) -> float:
        """Σ n·ρ² over secrets: the correlation may be positive for one and negative for another."""
        first, second = scores
        return float((self._sums(first * second[exchange]) ** 2 / self._sizes).sum())

    def _sums(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(values, self._starts))

    def _ranked(self, values: FloatArray) -> FloatArray:
        """The rank of each value within its secret; equal values share theirs."""
        order = np.lexsort((values, self._groups))
        new = np.append(
            True,
            (values[order][1:] != values[order][:-1])
            | (self._groups[order][1:] != self._groups[order][:-1]),
        )
        starts = np.flatnonzero(new)
        ends = np.append(starts[1:], values.size)
        ranks = np.empty(values.size)
        ranks[order] = np.repeat(0.5 * (starts + ends - 1), ends - starts)
        return ranks

    def _standard(self, ranks: FloatArray) -> FloatArray:
        """Ranks scaled to mean 0 and variance 1 within each secret; 0 where all are the same."""
        centred = ranks - (self._sums(ranks) / self._sizes)[self._groups]
        variance = self._sums(centred**2) / self._sizes
        return np.asarray(centred / np.sqrt(np.where(variance > 0.0, variance, 1.0))[self._groups])

    def _equal_by_chance(self) -> FloatArray:
        """How many pairs of each secret would be equal by chance: Σ_v n_1(v)·n_2(v)/n."""
        width = int(max(codes.max() for codes in self._codes)) + 1
        cells = [self._groups * width + codes for codes in self._codes]
        found, counts = np.unique(cells[0], return_counts=True)
        other, other_counts = np.unique(cells[1], return_counts=True)
        _, mine, theirs = np.intersect1d(found, other, return_indices=True)
        products = (counts[mine] * other_counts[theirs]).astype(np.float64)
        sums = np.bincount(found[mine] // width, weights=products, minlength=self._sizes.size)
        return np.asarray(sums / self._sizes)
