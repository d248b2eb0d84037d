"""How far the work of a page is, told by its threads and read by the page."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

__all__ = ["PageVoice"]


class PageVoice:
    """What is being done now, the share of it that is done, and what to know beforehand."""

    def __init__(self) -> None:
        self.what = ""
        self.share = 0.0
        self.note = ""

    def warn(self, text: str) -> None:
        """Keep a note for the page."""
        self.note = text

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        """Something begins; it is forgotten when it ends."""
        self.what, self.share = what, 0.0

        def tell(share: float) -> None:
            self.share = share

        try:
            yield tell
        finally:
            self.what, self.note = "", ""
