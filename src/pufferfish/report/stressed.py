"""What the promise becomes for those who know more: a section of the internal edition."""

from __future__ import annotations

from collections.abc import Iterator

from pufferfish.columns.record import Record
from pufferfish.joint.record import TableRecord
from pufferfish.report.sections import (
    Block,
    Bullets,
    Column,
    Grid,
    Paragraph,
    Section,
    Text,
    as_code,
)
from pufferfish.report.sources import Beside, Verified, file_of
from pufferfish.report.table_columns import engine_of
from pufferfish.what_if.quick import quick_stress
from pufferfish.what_if.result import Stress, cells_of, heads_of, reach_of, remarks_of

__all__ = ["stress_section"]


def stress_section(verified: Verified, beside: Beside) -> Section | None:
    """The cases of a stress test, the worst first; None where there is none, or for the public."""
    record, found = verified.source, beside.stress
    # A public edition is made from a document, and gets nothing of this.
    if not isinstance(record, Record | TableRecord) or found is False:
        return None
    if isinstance(found, Stress):
        return Section(_HEADING, tuple(_blocks(found)))
    if file_of(beside.original) is None:
        return None
    tested = quick_stress(record, engine_of(beside.original, beside.na))
    if isinstance(tested, str):
        return Section(_HEADING, (Paragraph(f"Not tested: {tested}."),))
    return Section(_HEADING, tuple(_blocks(tested)))


_HEADING = "What if they know more?"


def _blocks(found: Stress) -> Iterator[Block]:
    yield Paragraph(
        f"{found.goal} is promised to those who are described. Others may know more, or believe "
        f"something else. {len(found.cases)} were tested: {reach_of(found)}. The worst come first."
    )
    size, *shares = heads_of(found)[1:4]
    names = (size, *shares, "strata judged", "strata too small", "rows not judged")
    columns = (
        Column("somebody who", "heading"),
        *(Column(name, "number") for name in names),
        Column("kept", "whole"),
    )
    yield Grid(columns=columns, rows=tuple(_rows(found)))
    told = "; ".join(f"{name!r} {how}" for name, how in found.bands.items())
    bands = f" Known in bands: {told}." if told else ""
    yield Paragraph(
        (
            "Best guess: how often the better guess is right between two secrets that are equally "
            "likely given what is known (50% by chance); for somebody who asks for the value, "
            "between two values. True value: the same had the columns been published as they are. "
            "Rows with the same known values are a stratum, and the worst counts; a pair is judged "
            f"where both its secrets have at least {found.min_rows} rows.{bands} ",
            as_code("pufferfish stress"),
            " tests more, and says what would help.",
        ),
        "small",
    )
    remarks = (*found.notes, *remarks_of(found))
    if remarks:
        yield Bullets(remarks, "small")


def _rows(found: Stress) -> Iterator[tuple[Text, ...]]:
    for case in found.cases:
        *told, small_share, kept, _ = cells_of(found, case)
        counted = case.kind == "columns" or case.small
        yield *told, f"{case.small:,}" if counted else "", small_share, kept
