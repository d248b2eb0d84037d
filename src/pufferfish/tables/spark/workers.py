"""Tasks on a cluster: `workers=SparkWorkers(session)` for `calibrate` and `verify`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pufferfish.tables.spark.jobs import understood

__all__ = ["SparkWorkers"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# Tasks for each core: enough that a slow one does not leave the others idle.
_TASKS_PER_CORE = 4


class SparkWorkers:
    """Runs tasks in the executors of a session."""

    def __init__(self, session: Any) -> None:
        """Take a classic session, and find how many cores it has."""
        self._context = session.sparkContext
        self.count = int(self._context.defaultParallelism)

    def map(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Result]:
        """The result of `task` for every item, in order; progress is reported when all are done."""
        if not items:
            return []
        slices = min(len(items), _TASKS_PER_CORE * self.count)
        with understood():
            results: list[Result] = self._context.parallelize(items, slices).map(task).collect()
        if progress is not None:
            progress(len(items), len(items))
        return results
