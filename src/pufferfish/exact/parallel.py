"""Many pairs, spread over processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Self, TypeVar

from pufferfish.checks import require
from pufferfish.errors import UnsupportedError
from pufferfish.scenario import PairOfLaws

__all__ = ["PairWorkers", "Progress"]

Progress = Callable[[int, int], None]
Result = TypeVar("Result")

# Pairs a process takes at a time: enough to hide the cost of handing them over.
_CHUNK = 16


class PairWorkers:
    """Maps a task over pairs: here, or in processes that start when there is enough to do."""

    def __init__(self, workers: int) -> None:
        """No process is started yet."""
        sane = isinstance(workers, int) and not isinstance(workers, bool) and workers >= 1
        require(sane, f"workers must be a whole number of at least 1, got {workers!r}.")
        self.count = workers
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
        """End the processes, without waiting for work that nobody wants any more."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(
        self,
        task: Callable[[PairOfLaws], Result],
        pairs: Sequence[PairOfLaws],
        progress: Progress | None = None,
    ) -> list[Result]:
        """`task` of every pair, in order; it must be picklable when there are several workers."""
        found: Iterator[Result] = map(task, pairs)
        if self.count > 1 and len(pairs) > _CHUNK:
            if self._pool is None:
                # Spawned, not forked: a fork copies whatever locks other threads hold.
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self.count, mp_context=context)
            found = self._pool.map(task, pairs, chunksize=_CHUNK)
        results: list[Result] = []
        try:
            for result in found:
                results.append(result)
                if progress is not None:
                    progress(len(results), len(pairs))
        except BrokenProcessPool:
            raise UnsupportedError(
                "the worker processes could not start or died. With workers > 1 a script must "
                'call the library under `if __name__ == "__main__":`; or use workers=1.'
            ) from None
        return results
