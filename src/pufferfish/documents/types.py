"""Types of entries that many documents have."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

__all__ = ["Bounds", "Count", "Counts", "Name", "NotNegative", "Numbers", "Positive", "Share"]
__all__ += ["Time", "Whole", "whole_text"]


def whole_text(pattern: str) -> str:
    """A pattern for a whole text; Python's "$" by itself would accept a line end."""
    return rf"^{pattern}$(?!\n)"


Name = Annotated[str, Meta(min_length=1)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, lt=1)]
# Whole numbers that arrays can hold.
_MOST = 2**63 - 1
Whole = Annotated[int, Meta(ge=0, le=_MOST)]
Count = Annotated[int, Meta(ge=1, le=_MOST)]
Bounds = tuple[float, float]
Numbers = Annotated[tuple[float, ...], Meta(min_length=1)]
Counts = Annotated[tuple[Whole, ...], Meta(min_length=1)]
Time = Annotated[str, Meta(pattern=whole_text("[0-9TZ:.+ -]{4,40}"))]
