"""Results that several pages may want: computed once, and kept while they are of use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

__all__ = ["Kept"]

Result = TypeVar("Result")


class Kept(Generic[Result]):
    """The latest results by key. Whoever asks for one that is being computed waits for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[tuple[str, ...], Future[Result]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...], make: Callable[[], Result]) -> Result:
        """The result for a key; an error is raised to all who wait, and not kept."""
        with self._lock:
            known = self._found.get(key)
            if known is None:
                future: Future[Result] = Future()
                self._found[key] = future
                while len(self._found) > self._most:
                    self._found.popitem(last=False)
            else:
                self._found.move_to_end(key)
        if known is not None:
            return known.result()
        try:
            result = make()
        except BaseException as error:
            with self._lock:
                self._found.pop(key, None)
            future.set_exception(error)
            raise
        future.set_result(result)
        return result

    def forget(self, table: str) -> None:
        """Drop all that was computed of a table, which every key begins with."""
        with self._lock:
            for key in [each for each in self._found if each[0] == table]:
                del self._found[key]

    def __len__(self) -> int:
        return len(self._found)
