"""Counts of the rows of a table, which add up however the rows are divided."""

from __future__ import annotations

from dataclasses import dataclass

from pufferfish.releases.counts import RowCounts

__all__ = ["TableRowCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRowCounts(RowCounts):
    """Counts of some rows of a table.

    Attributes:
        unprotected: Published rows whose secret is in no pair, or that have none.
        unseen: Rows with a combination that no belief considers.
        outside: In a column of numbers, values beyond all that the beliefs consider.
        capped: In a column of numbers, values that were moved to a bound of the cap.
    """

    unprotected: int = 0
    unseen: int = 0
    outside: int = 0
    capped: int = 0
