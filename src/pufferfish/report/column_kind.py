"""The report of a released column: its record, the published column, and the original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pufferfish.columns.record import Record
from pufferfish.report.column_page import column_page
from pufferfish.report.columns import CountedColumn, count_column
from pufferfish.report.facts import gather
from pufferfish.report.sections import Page
from pufferfish.report.sources import Beside, Verified, refuse_other_rows, released_table

__all__ = ["page_of_column"]


def page_of_column(verified: Verified, beside: Beside) -> Page:
    """The page of a record, with the published column where it is at hand.

    Raises:
        CertificationError: The column is not what was released.
    """
    source = cast("Record | Mapping[str, Any]", verified.source)
    document = verified.document
    # The public edition does not even open the original.
    original = beside.original if isinstance(source, Record) else None
    return column_page(
        gather(
            source,
            released=_released_column(document, verified, beside),
            original=count_column(original, document["column"], na=beside.na),
            found=verified.found,
        )
    )


def _released_column(
    document: Mapping[str, Any], verified: Verified, beside: Beside
) -> CountedColumn | None:
    """The published column: as it was given, or the file that the record names."""
    counted = count_column(released_table(verified, beside), document["column"])
    if counted is not None:
        refuse_other_rows(counted.rows, document["published"])
    return counted
