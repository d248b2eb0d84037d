"""Work in several threads: results, and the first failure, as if there were one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from pufferfish.tables.local.pool import in_order
from tests import seams
from tests.support import PATIENCE, until


def slower_at_first(item: int) -> int:
    """Later items are done earlier."""
    time.sleep(0.02 if item % 4 == 0 else 0.0)
    return item


@pytest.mark.parametrize("count", [0, 1, 2, 3, 50])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    assert list(in_order(range(count), slower_at_first)) == list(range(count))


def test_several_items_are_under_way_at_a_time() -> None:
    together = threading.Barrier(2, timeout=PATIENCE)
    assert len(list(in_order(range(6), lambda _: together.wait()))) == 6


def test_no_more_items_are_taken_than_needed() -> None:
    taken = []

    def items() -> Iterator[int]:
        for item in range(1000):
            taken.append(item)
            yield item

    results = in_order(items(), slower_at_first)
    for expected in range(100):
        assert next(results) == expected
        assert len(taken) <= expected + 1 + 2 * seams.found(seams.THREADS)
    results.close()
    assert len(taken) < 150


def test_the_first_failure_is_the_one_that_is_raised() -> None:
    def work(item: int) -> int:
        time.sleep(0.05 if item == 3 else 0.0)
        if item >= 3:
            raise ValueError(item)
        return item

    results = in_order(range(20), work)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match=r"^3$"):
        next(results)


def test_an_item_that_fails_comes_before_a_later_one_that_cannot_be_had() -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise OSError("the end")

    def work(item: int) -> int:
        time.sleep(0.05)
        if item == 2:
            raise ValueError(item)
        return item

    with pytest.raises(ValueError, match=r"^2$"):
        list(in_order(items(), work))
    with pytest.raises(OSError, match="the end"):
        list(in_order(items(), lambda item: item))


def test_threads_end_with_the_work() -> None:
    before = set(threading.enumerate())
    results = in_order(range(100), slower_at_first)
    next(results)
    results.close()
    until(lambda: before.issuperset(threading.enumerate()), "threads are left")
