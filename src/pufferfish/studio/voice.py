"""The progress of a page's work, which its threads report to the page."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

__all__ = ["PageVoice"]

# Seconds between two reports on the same work.
_PAUSE = 0.2


class PageVoice:
    """Reports what is being done now, the share of it that is done, and a note."""

    def __init__(self, tell: Callable[[str, float, str], None]) -> None:
        """Nothing yet.

        Args:
            tell: Called with what is done, its share and the note; it must accept calls from any
                thread.
        """
        self._tell = tell
        self._note = ""
        self._doing: list[str] = []

    def warn(self, text: str) -> None:
        """A note that is shown with the next work."""
        self._note = text

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        """Some work begins; when it ends, other work that is under way is reported again."""
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
