"""Counts and moments of the rows of a column, which add up however the rows are divided."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pufferfish.releases.counts import RowCounts

__all__ = ["ColumnRowCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRowCounts(RowCounts):
    """Counts and moments of some rows of a column.

    Attributes:
        unprotected: Published rows whose secret is in no pair, or that have none.
        outside: Rows with a value beyond all that the beliefs consider.
        capped: Rows with a value that was moved to a bound of the cap.
        mean: The mean of the values, before any cap.
        squares: The sum of their squared distances from the mean.
    """

    unprotected: int = 0
    outside: int = 0
    capped: int = 0
    mean: float = 0.0
    squares: float = 0.0

    @property
    def present(self) -> int:
        """The number of rows with a value."""
        return self.rows - self.missing

    @property
    def variance(self) -> float:
        """The variance of the values; 0 where there are none."""
        return self.squares / self.present if self.present else 0.0

    def __add__(self, other: Self) -> Self:
        """The counts of both together (the moments by Chan, Golub and LeVeque's update)."""
        total, apart = self.present + other.present, other.mean - self.mean
        share = other.present / total if total else 0.0
        squares = self.squares + other.squares + apart**2 * self.present * share
        both = super(ColumnRowCounts, self).__add__(other)
        return replace(both, mean=self.mean + apart * share, squares=squares)
