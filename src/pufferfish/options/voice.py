"""How a long calculation tells its user what it does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

__all__ = ["Voice"]


class Voice(Protocol):
    """A terminal, or a page."""

    def warn(self, text: str) -> None:
        """Tell the user something before the work takes long."""

    def progress(self, what: str) -> AbstractContextManager[Callable[[float], None]]:
        """Tell the user that work begins; the function is told the share that is done."""
