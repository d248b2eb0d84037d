"""Rows in random order: every row once, every order as likely, also where rows go through heaps."""

from __future__ import annotations

import contextlib
import math
import os
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chi2

from pufferfish.sampling import Entropy, Shuffler, SystemEntropy
from tests.sampling.fit import FALSE_ALARM

MANY = 2**17
LARGE = 300_000


def permutation(
    count: int, entropy: Entropy, pieces: int = 3, most_held: int | None = None
) -> npt.NDArray[np.int64]:
    """The new order of rows that are dealt in several pieces and given back in several parts."""
    shuffler = Shuffler(entropy, most_held=most_held)
    for rows in np.array_split(np.arange(count), pieces):
        shuffler.take(shuffler.deal(rows, rows % 7 == 0))
    parts = [part() for part in shuffler.parts(max(count // 4, 1))]
    nothing = np.zeros(0, dtype=np.int64)
    order = np.concatenate([nothing, *(values for values, _ in parts)])
    # Holes go with their rows.
    assert np.array_equal(np.concatenate([nothing, *(holes for _, holes in parts)]), order % 7 == 0)
    if most_held is None:
        assert all(values.size >= count // 4 for values, _ in parts[:-1])
    return order


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, MANY - 1, MANY, MANY + 1, LARGE])
def test_every_row_occurs_once(count: int) -> None:
    assert np.array_equal(np.sort(permutation(count, SystemEntropy())), np.arange(count))


# Rows held in memory, for MANY of them: the rest waits in a file. With 300, heaps (of 512 rows) are
# dealt once more; with 1, until each row is alone.
@pytest.mark.parametrize(
    ("count", "most_held"),
    [(1, 1), (2, 1), (3, 1), (100, 1), (100, 99), *((MANY, held) for held in (300, 2000, MANY))],
)
def test_every_row_occurs_once_where_most_rows_wait_in_a_file(count: int, most_held: int) -> None:
    order = permutation(count, SystemEntropy(), pieces=7, most_held=most_held)
    assert np.array_equal(np.sort(order), np.arange(count))


def rejects_uniform(draws: int, entropy: Entropy, most_held: int | None = None) -> bool:
    """Chi-square over all 24 orders of 4 rows."""
    seen = Counter(
        tuple(permutation(4, entropy, most_held=most_held).tolist()) for _ in range(draws)
    )
    assert set(seen) <= set(permutations(range(4)))
    expected = draws / 24
    statistic = sum((seen[each] - expected) ** 2 / expected for each in permutations(range(4)))
    return bool(statistic > chi2.isf(FALSE_ALARM, 23))


def test_every_order_of_few_rows_is_equally_likely() -> None:
    assert not rejects_uniform(12_000, SystemEntropy())


class FewHeaps(Entropy):
    """Deals into few heaps, so that rows often share one and the order within is seen."""

    def __init__(self, heaps: int) -> None:
        self._heaps = heaps

    def words(self, count: int, dtype: npt.DTypeLike) -> npt.NDArray[np.generic]:
        found = super().words(count, dtype)
        return found % np.uint8(self._heaps) if np.dtype(dtype) == np.uint8 else found

    def read(self, count: int) -> bytes:
        return SystemEntropy().read(count)


@pytest.mark.parametrize("heaps", [1, 2, 4])
def test_every_order_is_equally_likely_through_heaps(heaps: int) -> None:
    assert not rejects_uniform(12_000, FewHeaps(heaps))


@pytest.mark.parametrize("most_held", [1, 2, 3])
def test_every_order_is_equally_likely_through_files(most_held: int) -> None:
    """Two heaps, so that those of more than `most_held` rows are often dealt again."""
    assert not rejects_uniform(2_000, FewHeaps(2), most_held)


class Stubborn(FewHeaps):
    """Its keys do not differ, so rows of a heap stay in their order."""

    def words(self, count: int, dtype: npt.DTypeLike) -> npt.NDArray[np.generic]:
        found = super().words(count, dtype)
        return found if np.dtype(dtype) == np.uint8 else np.zeros_like(found)


def test_orders_that_are_not_equally_likely_are_noticed() -> None:
    assert rejects_uniform(1_000, Stubborn(4))
    assert rejects_uniform(1_000, Stubborn(4), 3)


def correlated(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> bool:
    return bool(abs(np.corrcoef(one, other)[0, 1]) > 5.0 / math.sqrt(one.size))


@pytest.mark.parametrize(("count", "most_held"), [(MANY, None), (LARGE, None), (MANY, 300)])
def test_many_rows_have_no_visible_order(count: int, most_held: int | None) -> None:
    order = permutation(count, SystemEntropy(), most_held=most_held)
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


@pytest.mark.parametrize("count", [1000, MANY])
def test_keys_are_wide_enough_to_differ(count: int) -> None:
    """64 bits a row, and 8 more to deal it into a heap."""
    source = Counted()
    permutation(count, source)
    assert source.bytes == 9 * count


def test_two_orders_have_nothing_in_common() -> None:
    one, other = (permutation(LARGE, SystemEntropy()) for _ in range(2))
    assert not correlated(one, other)
    assert np.count_nonzero(one == other) < 15


class Dealt(Entropy):
    """Deals rows into the heaps that it is told."""

    def __init__(self, heaps: list[int]) -> None:
        self._heaps: list[int] | None = heaps

    def read(self, count: int) -> bytes:
        if self._heaps is None:
            return SystemEntropy().read(count)
        dealt, self._heaps = bytes(self._heaps), None
        return dealt


@pytest.mark.parametrize(
    "heaps",
    [
        [0] * 50,
        [255] * 50,
        [127] * 50,
        [0, 255] * 25,
        [*range(256)],
        [*range(255, -1, -1)],
        [0, 0, 1, 254, 255, 255],
        [7],
    ],
    ids=lambda heaps: f"{len(heaps)}-from-{heaps[0]}",
)
def test_no_row_is_lost_at_the_edge_of_a_heap(heaps: list[int]) -> None:
    order = permutation(len(heaps), Dealt(heaps), pieces=1)
    assert sorted(order.tolist()) == list(range(len(heaps)))
    dealt = [heaps[row] for row in order]
    assert dealt == sorted(dealt)


def test_rows_in_memory_stay_there_and_rows_in_a_file_have_no_name(tmp_path: Path) -> None:
    for most_held, files in ((None, 0), (1000, 0), (999, 1)):
        before = open_files(tmp_path)
        shuffler = Shuffler(SystemEntropy(), tmp_path, most_held)
        for _ in range(10):
            shuffler.take(shuffler.deal(np.arange(100.0), np.zeros(100, dtype=bool)))
        assert len(open_files(tmp_path)) - len(before) == files
        assert not list(tmp_path.iterdir())
        assert sum(part()[0].size for part in shuffler.parts(10)) == 1000
        del shuffler
        assert open_files(tmp_path) == before


def open_files(folder: Path) -> list[str]:
    """The files in a folder that this process has open, with or without a name."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(os.readlink(each))
    return sorted(each for each in found if each.startswith(str(folder)))
