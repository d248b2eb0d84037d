"""What was seen of the rows of a table: counts that add up, in whatever parts."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

__all__ = ["RowCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """Of some rows.

    Attributes:
        rows: How many there are.
        missing: Those in which a changed column is missing.
        published: Those that are published.
    """

    rows: int = 0
    missing: int = 0
    published: int = 0

    def __add__(self, other: Self) -> Self:
        """Of both together; of a kind with further counts, these are added likewise."""
        return replace(
            self,
            **{
                each.name: getattr(self, each.name) + getattr(other, each.name)
                for each in fields(self)
            },
        )
