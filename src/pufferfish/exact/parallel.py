"""Many pairs, spread over processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from pufferfish.checks import require
from pufferfish.scenario import PairOfLaws

__all__ = ["Progress", "over_pairs"]

Progress = Callable[[int, int], None]
Result = TypeVar("Result")

# Pairs a worker takes at a time: enough to hide the cost of handing them over.
_CHUNK = 16


def over_pairs(
    task: Callable[[PairOfLaws], Result],
    pairs: Sequence[PairOfLaws],
    workers: int,
    progress: Progress | None = None,
) -> list[Result]:
    """`task` of every pair, in order; `task` must be picklable when there are several workers."""
    require(
        isinstance(workers, int) and workers >= 1, f"workers must be at least 1, got {workers!r}."
    )
    results: list[Result] = []
    if workers == 1 or len(pairs) <= _CHUNK:
        for pair in pairs:
            results.append(task(pair))
            if progress is not None:
                progress(len(results), len(pairs))
        return results
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(pairs) // _CHUNK + 1), mp_context=context) as pool:
        for result in pool.map(task, pairs, chunksize=_CHUNK):
            results.append(result)
            if progress is not None:
                progress(len(results), len(pairs))
    return results
