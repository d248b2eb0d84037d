"""The clock: median of repeats after a warm-up, in milliseconds."""

from collections.abc import Callable
from statistics import median
from time import perf_counter


def once(task: Callable[[], object]) -> float:
    """One run, for what takes seconds."""
    start = perf_counter()
    task()
    return 1e3 * (perf_counter() - start)


def interleaved(*tasks: Callable[[], object], repeats: int = 7) -> list[float]:
    """The median of each task, one run of each after the other, so that all meet the same load."""
    for task in tasks:
        once(task)
    runs = [[once(task) for task in tasks] for _ in range(repeats)]
    return [median(times) for times in zip(*runs, strict=True)]


def typical(task: Callable[[], object], repeats: int = 15) -> float:
    """The median of `repeats` runs; one more before them is not counted."""
    once(task)
    return median(once(task) for _ in range(repeats))
