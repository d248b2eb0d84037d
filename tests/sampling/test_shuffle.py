"""Rows in random order: every row once, every order as likely, also where rows go through heaps."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chi2

from pufferfish.sampling import Entropy, SystemEntropy, permutation, shuffle
from tests.sampling.fit import FALSE_ALARM

MANY = 2**17
LARGE = 300_000


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, MANY - 1, MANY, MANY + 1, LARGE])
def test_every_row_occurs_once(count: int) -> None:
    assert np.array_equal(np.sort(permutation(count, SystemEntropy())), np.arange(count))


def rejects_uniform(draws: int) -> bool:
    """Chi-square over all 24 orders of 4 rows."""
    seen = Counter(tuple(permutation(4, SystemEntropy()).tolist()) for _ in range(draws))
    assert set(seen) <= set(permutations(range(4)))
    expected = draws / 24
    statistic = sum((seen[each] - expected) ** 2 / expected for each in permutations(range(4)))
    return bool(statistic > chi2.isf(FALSE_ALARM, 23))


def test_every_order_of_few_rows_is_equally_likely() -> None:
    assert not rejects_uniform(24_000)


@pytest.mark.parametrize("heaps", [1, 2, 4])
def test_every_order_is_equally_likely_through_heaps(
    heaps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few heaps rows often share one, so that the order within a heap is seen."""
    monkeypatch.setattr(shuffle, "_MANY", 0)
    monkeypatch.setattr(shuffle, "_HEAPS", heaps)
    assert not rejects_uniform(12_000)


def correlated(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> bool:
    return bool(abs(np.corrcoef(one, other)[0, 1]) > 5.0 / math.sqrt(one.size))


@pytest.mark.parametrize("count", [MANY, LARGE])
def test_many_rows_have_no_visible_order(count: int) -> None:
    order = permutation(count, SystemEntropy())
    rows = np.arange(count)
    assert not correlated(order, rows)
    assert not correlated(order[:-1], order[1:])
    assert not correlated(order[: count // 2], order[count // 2 :])
    # Rows that stay in place: about one. Steps up: half, with variance (n + 1)/12.
    assert np.count_nonzero(order == rows) < 15
    ascents = np.count_nonzero(np.diff(order) > 0)
    assert abs(ascents - count / 2) < 5.0 * math.sqrt(count / 12)
    # Where the rows of any tenth go: each tenth of the places alike.
    table = np.histogram2d(order, rows, bins=10)[0]
    expected = count / 100
    assert np.sum((table - expected) ** 2 / expected) < chi2.isf(FALSE_ALARM, 81)


class Counted(Entropy):
    """Counts the bytes that are asked for."""

    def __init__(self) -> None:
        self.bytes = 0

    def read(self, count: int) -> bytes:
        self.bytes += count
        return SystemEntropy().read(count)


@pytest.mark.parametrize(("count", "width"), [(1000, 8), (MANY, 8), (MANY + 1, 10)])
def test_keys_are_wide_enough_to_differ(count: int, width: int) -> None:
    """64 bits a row, and 16 more to deal it into a heap."""
    source = Counted()
    permutation(count, source)
    assert source.bytes == width * count


def test_two_orders_have_nothing_in_common() -> None:
    one, other = (permutation(LARGE, SystemEntropy()) for _ in range(2))
    assert not correlated(one, other)
    assert np.count_nonzero(one == other) < 15


class Dealt(Entropy):
    """Deals rows into the heaps that it is told; remembers the keys that it gave."""

    def __init__(self, heaps: list[int]) -> None:
        self._heaps: list[int] | None = heaps
        self.keys: list[int] = []

    def read(self, count: int) -> bytes:
        if self._heaps is not None:
            assert count == 2 * len(self._heaps)
            dealt, self._heaps = np.array(self._heaps, dtype="<u2"), None
            return dealt.tobytes()
        keys = np.frombuffer(SystemEntropy().read(count), dtype="<u8")
        self.keys += keys.tolist()
        return keys.tobytes()


LAST = 1023


@pytest.mark.parametrize(
    "heaps",
    [
        [0] * 50,
        [LAST] * 50,
        [500] * 50,
        [0, LAST] * 25,
        [LAST, 0] * 25,
        [*range(LAST + 1)],
        [*range(LAST, -1, -1)],
        [0, 0, 1, LAST - 1, LAST, LAST],
        # What is beyond the last heap wraps around to the first ones.
        [LAST + 1, 65_535, 0, LAST],
        [7],
    ],
    ids=lambda heaps: f"{len(heaps)}-from-{heaps[0]}",
)
def test_no_row_is_lost_at_the_edge_of_a_heap(
    heaps: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle, "_MANY", 0)
    source = Dealt(heaps)
    order = permutation(len(heaps), source)
    assert sorted(order.tolist()) == list(range(len(heaps)))
    dealt = [heaps[row] % (LAST + 1) for row in order]
    assert dealt == sorted(dealt)
    # One key for each row, and none used twice.
    assert len(source.keys) == len(heaps) == len(set(source.keys))
