"""How far the work of a page is, told by its threads to the page."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

__all__ = ["PageVoice"]

# Seconds between two words about the same work.
_PAUSE = 0.2


class PageVoice:
    """Tells what is being done now, the share of it that is done, and what to know beforehand."""

    def __init__(self, tell: Callable[[str, float, str], None]) -> None:
        """Nothing yet.

        Args:
            tell: Given what is done, its share and the note; must take calls from any thread.
        """
        self._tell = tell
        self._note = ""
        self._doing: list[str] = []

    def warn(self, text: str) -> None:
        """A note that stands beside what is done next."""
        self._note = text

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        """Something begins; when it ends, what else is under way is told again."""
        last = time.monotonic()
        self._doing.append(what)
        self._tell(what, 0.0, self._note)

        def tell(share: float) -> None:
            nonlocal last
            if time.monotonic() - last > _PAUSE:
                last = time.monotonic()
                self._tell(what, share, self._note)

        try:
            yield tell
        finally:
            self._note = ""
            self._doing.remove(what)
            self._tell(self._doing[-1] if self._doing else "", 0.0, "")
