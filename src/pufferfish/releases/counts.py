"""Counts of the rows of a table, which add up however the rows are divided."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

__all__ = ["RowCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """Counts of some rows.

    Attributes:
        rows: How many rows there are.
        missing: Rows in which a changed column is missing.
        published: Rows that are published.
    """

    rows: int = 0
    missing: int = 0
    published: int = 0

    def __add__(self, other: Self) -> Self:
        """The counts of both together; further counts of a kind are added as well."""
        return replace(
            self,
            **{
                each.name: getattr(self, each.name) + getattr(other, each.name)
                for each in fields(self)
            },
        )
