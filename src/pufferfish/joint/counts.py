"""What was seen of the rows of a table: counts that add up, in whatever parts."""

from __future__ import annotations

from dataclasses import dataclass

from pufferfish.releases.counts import RowCounts

__all__ = ["TableRowCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRowCounts(RowCounts):
    """Of some rows of a table.

    Attributes:
        unprotected: Those published whose secret is in no pair, or who have none.
        unseen: Those with a combination that no belief considers.
        outside: Of a column of numbers, those beyond all that the beliefs consider.
        capped: Of a column of numbers, those that were moved to a bound of the cap.
    """

    unprotected: int = 0
    unseen: int = 0
    outside: int = 0
    capped: int = 0
