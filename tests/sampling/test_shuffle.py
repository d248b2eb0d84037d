"""Rows in random order: every row once, every order as likely, also where rows go through heaps."""

from __future__ import annotations

import contextlib
import math
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from scipy.stats import chi2

from pufferfish.sampling import Entropy, Shuffler, SystemEntropy, permutation
from pufferfish.tables.rows import ArrowPacking
from tests.sampling.fit import FALSE_ALARM

MANY = 2**17
LARGE = 300_000


Ordered = Callable[[int, Entropy], npt.NDArray[np.int64]]


def rows_of(numbers: npt.NDArray[np.int64]) -> pa.RecordBatch:
    """Rows of 9 bytes, of which one column follows from the other."""
    return pa.record_batch({"n": numbers, "c": (numbers % 7).astype(np.int8)})


def order_of(
    count: int, entropy: Entropy, pieces: int = 3, most_held: int | None = None
) -> npt.NDArray[np.int64]:
    """The new order of rows that are dealt in several pieces and given back in several parts."""
    held = {} if most_held is None else {"most_held": 9 * most_held}
    shuffler = Shuffler(entropy, ArrowPacking(), **held)
    for rows in np.array_split(np.arange(count), pieces):
        shuffler.take(shuffler.deal(rows_of(rows)))
    parts = [part() for part in shuffler.parts(max(count // 4, 1))]
    whole = pa.Table.from_batches(parts, rows_of(np.arange(0)).schema)
    order = np.asarray(whole.column("n").to_numpy())
    # Rows stay whole.
    assert np.array_equal(whole.column("c").to_numpy(), order % 7)
    if most_held is None:
        assert all(part.num_rows >= count // 4 for part in parts[:-1])
    return order


def in_memory(count: int, entropy: Entropy) -> npt.NDArray[np.int64]:
    return permutation(count, entropy)


ORDERS = pytest.mark.parametrize("ordered", [order_of, in_memory])


@ORDERS
@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, MANY - 1, MANY, MANY + 1, LARGE])
def test_every_row_occurs_once(ordered: Ordered, count: int) -> None:
    assert np.array_equal(np.sort(ordered(count, SystemEntropy())), np.arange(count))


# Rows held in memory, for MANY of them: the rest waits in a file. With 300, heaps (of 512 rows) are
# dealt once more; with 1, until each row is alone.
@pytest.mark.parametrize(
    ("count", "most_held"),
    [(1, 1), (2, 1), (3, 1), (100, 1), (100, 99), *((MANY, held) for held in (300, 2000, MANY))],
)
def test_every_row_occurs_once_where_most_rows_wait_in_a_file(count: int, most_held: int) -> None:
    order = order_of(count, SystemEntropy(), pieces=7, most_held=most_held)
    assert np.array_equal(np.sort(order), np.arange(count))


def rejects_uniform(
    draws: int, entropy: Entropy, most_held: int | None = None, ordered: Ordered | None = None
) -> bool:
    """Chi-square over all 24 orders of 4 rows."""
    ordered = ordered or partial(order_of, most_held=most_held)
    seen = Counter(tuple(ordered(4, entropy).tolist()) for _ in range(draws))
    assert set(seen) <= set(permutations(range(4)))
    expected = draws / 24
    statistic = sum((seen[each] - expected) ** 2 / expected for each in permutations(range(4)))
    return bool(statistic > chi2.isf(FALSE_ALARM, 23))


def test_every_order_of_few_rows_is_equally_likely() -> None:
    assert not rejects_uniform(4_000, SystemEntropy())


class FewHeaps(Entropy):
    """Deals into few heaps, so that rows often share one and the order within is seen."""

    def __init__(self, heaps: int) -> None:
        self._heaps = heaps

    def words(self, count: int, dtype: npt.DTypeLike) -> npt.NDArray[np.generic]:
        found = super().words(count, dtype)
        return found % np.uint8(self._heaps) if np.dtype(dtype) == np.uint8 else found

    def read(self, count: int) -> bytes:
        return SystemEntropy().read(count)


@ORDERS
@pytest.mark.parametrize("heaps", [1, 2, 4])
def test_every_order_is_equally_likely_through_heaps(ordered: Ordered, heaps: int) -> None:
    assert not rejects_uniform(4_000, FewHeaps(heaps), ordered=ordered)


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
    assert rejects_uniform(1_000, Stubborn(4), ordered=in_memory)


def correlated(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> bool:
    return bool(abs(np.corrcoef(one, other)[0, 1]) > 5.0 / math.sqrt(one.size))


@pytest.mark.parametrize(("count", "most_held"), [(MANY, None), (LARGE, None), (MANY, 300)])
def test_many_rows_have_no_visible_order(count: int, most_held: int | None) -> None:
    order = order_of(count, SystemEntropy(), most_held=most_held)
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
    order_of(count, source)
    assert source.bytes == 9 * count


def test_two_orders_have_nothing_in_common() -> None:
    one, other = (order_of(LARGE, SystemEntropy()) for _ in range(2))
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
    order = order_of(len(heaps), Dealt(heaps), pieces=1)
    assert sorted(order.tolist()) == list(range(len(heaps)))
    dealt = [heaps[row] for row in order]
    assert dealt == sorted(dealt)


def test_rows_in_memory_stay_there_and_rows_in_a_file_have_no_name(tmp_path: Path) -> None:
    for most_held, files in ((1000, 0), (999, 1)):
        before = open_files(tmp_path)
        shuffler = Shuffler(SystemEntropy(), ArrowPacking(), tmp_path, 9 * most_held)
        for _ in range(10):
            shuffler.take(shuffler.deal(rows_of(np.arange(100))))
        assert len(open_files(tmp_path)) - len(before) == files
        assert not list(tmp_path.iterdir())
        assert sum(part().num_rows for part in shuffler.parts(10)) == 1000
        del shuffler
        assert open_files(tmp_path) == before


def open_files(folder: Path) -> list[str]:
    """The files in a folder that this process has open, with or without a name."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(os.readlink(each))
    return sorted(each for each in found if each.startswith(str(folder)))


def test_rows_of_any_type_stay_whole_through_memory_and_file(tmp_path: Path) -> None:
    """Also a row that is larger than all that may be held."""
    count = 5_000
    numbers = np.arange(count)
    table = pa.table(
        {
            "n": numbers,
            "text": [None if each % 11 == 0 else "é" * (each % 5) for each in numbers.tolist()],
            "list": [[each] * (each % 3) for each in numbers.tolist()],
            "struct": [{"a": each, "b": str(each)} for each in numbers.tolist()],
            "moment": pa.array(numbers, pa.timestamp("ns")),
            "flag": numbers % 2 == 0,
            "big": ["x" * 100_000 if each == 77 else "" for each in numbers.tolist()],
        }
    )
    for most_held in (1 << 26, 50_000):
        shuffler = Shuffler(SystemEntropy(), ArrowPacking(), tmp_path, most_held)
        for part in table.to_batches(max_chunksize=700):
            shuffler.take(shuffler.deal(part))
        found = pa.Table.from_batches([part() for part in shuffler.parts(300)], table.schema)
        assert found.column("n").to_pylist() != numbers.tolist()
        assert found.sort_by("n").equals(table)
