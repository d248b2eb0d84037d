"""Work on the parts of a table in several threads, with results in the table's order.

NumPy, Arrow and the stream cipher let other threads run while they work, so threads are enough to
keep the processors busy, and nothing has to be copied between processes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["in_order"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Each further part in progress costs memory, and more threads than this would wait for the disk.
_MOST_THREADS = 4


def in_order(
    items: Iterable[_Item], work: Callable[[_Item], _Result]
) -> Generator[_Result, None, None]:
    """The result of `work` for each item, in the order of the items, several at a time.

    At most two items per thread are taken in advance. If several fail, the error of the first in
    the order of the items is raised, as if there were one thread.
    """
    threads = min(_processors(), _MOST_THREADS)
    waiting: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(max_workers=threads) as pool:
        try:
            yield from _work(iter(items), work, pool, waiting, 2 * threads)
        finally:
            for each in waiting:
                each.cancel()


def _processors() -> int:
    """The number of processors that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _work(
    items: Iterator[_Item],
    work: Callable[[_Item], _Result],
    pool: ThreadPoolExecutor,
    waiting: deque[Future[_Result]],
    most: int,
) -> Iterator[_Result]:
    while True:
        try:
            item = next(items)
        except StopIteration:
            break
        except Exception:
            # An error of an earlier item comes first.
            for each in waiting:
                each.result()
            raise
        waiting.append(pool.submit(work, item))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
