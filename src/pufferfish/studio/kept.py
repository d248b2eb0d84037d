"""Results that several pages may need: computed once, and kept while they are useful."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

__all__ = ["Kept"]

Result = TypeVar("Result")


class Kept(Generic[Result]):
    """The latest results by key. A request for one that is being computed waits for it."""

    def __init__(self, most: int) -> None:
        """An empty store that keeps at most `most` results."""
        self._most = most
        self._found: OrderedDict[tuple[str, ...], Future[Result]] = OrderedDict()
        self._gone: set[str] = set()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...], make: Callable[[], Result]) -> Result:
        """The result for a key; an error is raised to all callers that wait, and not kept."""
        with self._lock:
            known = self._found.get(key)
            future: Future[Result] = Future() if known is None else known
            if not self._gone.intersection(key):
                self._found[key] = future
                self._found.move_to_end(key)
            while len(self._found) > self._most:
                self._found.popitem(last=False)
        if known is not None:
            return known.result()
        try:
            future.set_result(make())
        except BaseException as error:
            with self._lock:
                if self._found.get(key) is future:
                    del self._found[key]
            future.set_exception(error)
            raise
        return future.result()

    def forget(self, table: str) -> None:
        """Drop all results whose keys name this table, and keep no further ones."""
        with self._lock:
            self._gone.add(table)
            for key in [each for each in self._found if table in each]:
                del self._found[key]

    def __len__(self) -> int:
        """How many results are kept."""
        return len(self._found)
