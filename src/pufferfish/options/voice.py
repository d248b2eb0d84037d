"""What asks for work tells its user meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

__all__ = ["Voice"]


class Voice(Protocol):
    """A terminal, or a page."""

    def warn(self, text: str) -> None:
        """What a person should know before it takes long."""

    def progress(self, what: str) -> AbstractContextManager[Callable[[float], None]]:
        """Something begins; the function is told the share of it that is done."""
