"""Which kind of release has which report: only this module asks for the kind of a record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pufferfish.columns.record import Record
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require
from pufferfish.joint.record import TableRecord
from pufferfish.report.column_kind import page_of_column
from pufferfish.report.sections import Page
from pufferfish.report.sources import Beside, Verified
from pufferfish.report.stressed import stress_section
from pufferfish.report.sum_page import page_of_sum
from pufferfish.report.table_page import page_of_table
from pufferfish.sums.record import SumRecord

__all__ = ["PageOf", "page_of", "register"]

# From a verified record, and what was given with it, to a page.
PageOf = Callable[[Verified, Beside], Page]

_PAGES: dict[str, PageOf] = {
    Record.KIND: page_of_column,
    SumRecord.KIND: page_of_sum,
    TableRecord.KIND: page_of_table,
}


def register(kind: str, page: PageOf) -> None:
    """Register the report of a kind, by the name that its records have in documents."""
    known = _PAGES.setdefault(kind, page)
    require(known is page, f"releases of kind {kind!r} already have a report.")


def page_of(verified: Verified, beside: Beside) -> Page:
    """The page of a record of any kind.

    Raises:
        UnsupportedError: Its kind has no report.
    """
    if verified.kind not in _PAGES:
        raise UnsupportedError(f"releases of kind {verified.kind!r} have no report.")
    page = _PAGES[verified.kind](verified, beside)
    section = stress_section(verified, beside)
    if section is None:
        return page
    # The section on how to check it all stays last.
    return replace(page, sections=(*page.sections[:-1], section, page.sections[-1]))
