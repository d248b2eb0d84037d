"""The clock: median of repeats after a warm-up, in milliseconds."""

from collections.abc import Callable
from statistics import median
from time import perf_counter


def once(task: Callable[[], object]) -> float:
    """One run, for what takes seconds."""
    start = perf_counter()
    task()
    return 1e3 * (perf_counter() - start)


def typical(task: Callable[[], object], repeats: int = 15) -> float:
    """The median of `repeats` runs; one more before them is not counted."""
    once(task)
    return median(once(task) for _ in range(repeats))
