"""Work in many parts, spread over processes or over anything else that can map a function."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, Self, TypeVar

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.limits import still_patient
from pufferfish.core.validation import require

__all__ = ["PairWorkers", "Progress", "Workers", "start_workers"]

Progress = Callable[[int, int], None]
Item = TypeVar("Item")
Result = TypeVar("Result")

# The items that a process takes in one turn: enough to hide the cost of passing a pair.
_CHUNK = 16


class Workers(Protocol):
    """The workers: processes on this machine (`PairWorkers`), or a cluster."""

    @property
    def count(self) -> int:
        """The number of parts that are worked on in parallel."""

    def map(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        progress: Progress | None = None,
    ) -> list[Result]:
        """`task` of every item, in order; both can be pickled, and no item is large."""


@contextmanager
def start_workers(workers: int | Workers, *, large: bool = False) -> Iterator[Workers]:
    """The given workers, or the given number of processes, which end with the context.

    Args:
        workers: A number of processes, or an object with `count` and `map`.
        large: Whether even a few items are worth starting processes for.
    """
    if isinstance(workers, int):
        with PairWorkers(workers, large=large) as processes:
            yield processes
        return
    require(
        callable(getattr(workers, "map", None)) and hasattr(workers, "count"),
        "workers must be a whole number of processes, or an object with `count` and "
        f"`map(task, items, progress)`, got {type(workers).__name__}.",
    )
    yield workers


class PairWorkers:
    """Maps a task over items: here, or in processes that start when there is enough to do."""

    def __init__(self, workers: int, *, large: bool = False) -> None:
        """No process is started yet."""
        sane = isinstance(workers, int) and not isinstance(workers, bool) and workers >= 1
        require(sane, f"workers must be a whole number of at least 1, got {workers!r}.")
        self.count = workers
        self._fewest = 1 if large else _CHUNK
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        """Use as a context, so that processes end with it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the processes, without waiting for work that is no longer needed."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        progress: Progress | None = None,
    ) -> list[Result]:
        """`task` of every item, in order; it must be picklable when there are several workers."""
        found: Iterator[Result] = map(task, items)
        if self.count > 1 and len(items) > self._fewest:
            if self._pool is None:
                # Spawned, not forked: a fork copies locks that other threads hold.
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self.count, mp_context=context)
            # Each process gets several turns, so that all end at about the same time.
            chunk = max(min(_CHUNK, len(items) // (4 * self.count)), 1)
            found = self._pool.map(task, items, chunksize=chunk)
        results: list[Result] = []
        try:
            for result in found:
                results.append(result)
                still_patient()
                if progress is not None:
                    progress(len(results), len(items))
        except BrokenProcessPool:
            raise UnsupportedError(
                "the worker processes could not start or died. Use one process (--workers 1, "
                "workers=1). With more than one, a Python script must call the library under "
                '`if __name__ == "__main__":`.'
            ) from None
        return results
