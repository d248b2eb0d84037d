"""Slow work in a thread, always for the latest wish; and values that signal only real changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from shiny import reactive
from shiny.types import SilentException

__all__ = ["Latest", "present", "renew"]

Wanted = TypeVar("Wanted")
Result = TypeVar("Result")


class Latest(Generic[Wanted, Result]):
    """Work that runs again whenever something else is wanted.

    Requests wait while it runs, and only the last of them is begun: a slider that moves fast leaves
    no queue behind. A result stays until the next one is there; an error does not remove it, and
    disappears as soon as something else is wanted.
    """

    def __init__(self, wanted: Callable[[], Wanted], work: Callable[[Wanted], Result]) -> None:
        """Wire the work to what is wanted.

        Args:
            wanted: What to work on; reactive, and silent while there is nothing.
            work: Computes the result, in a thread.
        """
        self._result: reactive.Value[Result | None] = reactive.value(None)
        self._failed: reactive.Value[tuple[Wanted, BaseException] | None] = reactive.value(None)
        self._wanted = wanted
        self.running: reactive.Value[bool] = reactive.value(False)
        begun: list[Wanted] = []

        async def run(given: Wanted) -> None:
            failed: tuple[Wanted, BaseException] | None = None
            try:
                result = await asyncio.to_thread(work, given)
            except Exception as error:  # noqa: BLE001 - shown to the user
                failed = given, error
            async with reactive.lock():
                if failed is None:
                    self._result.set(result)
                self._failed.set(failed)
                self.running.set(False)
                await reactive.flush()

        @reactive.effect
        def _begin() -> None:
            now = wanted()
            if not self.running() and begun != [now]:
                begun[:] = [now]
                self.running.set(True)
                self._task = asyncio.create_task(run(now))

    def value(self) -> Result:
        """The last result; silent where there is none."""
        return present(self._result())

    def error(self) -> BaseException | None:
        """The error for what is wanted now, if it failed."""
        failed = self._failed()
        if failed is None:
            return None
        given, error = failed
        try:
            return error if given == self._wanted() else None
        except SilentException:
            return None


def present(value: Result | None) -> Result:
    """The value; silent where there is none."""
    if value is None:
        raise SilentException
    return value


def renew(place: reactive.Value[Result], value: Result) -> None:
    """Set a value if it differs; for an equal one Shiny would update all that depends on it."""
    with reactive.isolate():
        same = place() == value
    if not same:
        place.set(value)
