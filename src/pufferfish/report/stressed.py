"""What the promise becomes for adversaries who know more: a section of the internal edition."""

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
from pufferfish.what_if.in_words import (
    bands_in_words,
    cells_of,
    heads_of,
    late_in_words,
    reach_of,
    remarks_of,
)
from pufferfish.what_if.quick import quick_stress
from pufferfish.what_if.result import Stress
from pufferfish.words.numbers import readable

__all__ = ["STRESS_HEADING", "stress_blocks", "stress_section"]

STRESS_HEADING = "What if they know more?"


def stress_section(verified: Verified, beside: Beside) -> Section | None:
    """The cases of a stress test, the worst first; None without a test or for the public."""
    record, found = verified.source, beside.stress
    # A public edition is made from a document, and has no such section.
    if not isinstance(record, Record | TableRecord) or found is False:
        return None
    if isinstance(found, Stress | str):
        return Section(STRESS_HEADING, stress_blocks(found))
    if file_of(beside.original) is None:
        return None
    tested = quick_stress(record, engine_of(beside.original, beside.na))
    return Section(STRESS_HEADING, stress_blocks(tested))


def stress_blocks(found: Stress | str) -> tuple[Block, ...]:
    """The cases of a test, the worst first; or why there are none."""
    if isinstance(found, str):
        return (Paragraph(f"Not tested: {found}."),)
    return tuple(_blocks(found))


def _blocks(found: Stress) -> Iterator[Block]:
    answered = any(case.answer is not None for case in found.cases)
    yield Paragraph(
        f"{found.goal} is promised against the adversaries described. Others may know more, or "
        f"believe something else. {len(found.cases)} cases were tested: {reach_of(found)}. The "
        "worst come first."
    )
    if late := late_in_words(found):
        yield Paragraph(late)
    size, *shares = heads_of(found)[1:4]
    counts = ("strata judged", "strata too small", "rows not judged")
    # What matters most comes first: on a phone the reader has to scroll to the rest.
    columns = (
        Column("somebody who", "heading"),
        Column(size, "number"),
        Column("kept", "whole"),
        *((Column(heads_of(found)[-1]),) if answered else ()),
        *(Column(name, "number") for name in (*shares, *counts)),
    )
    yield Grid(columns=columns, rows=tuple(_rows(found, answered=answered)))
    if answered:
        yield Paragraph(_answers_in_words(found))
    bands = f" Known in bands: {bands_in_words(found)}" if found.bands else ""
    yield Paragraph(
        (
            "Best guess: how often the best guess between two secrets is right if both are "
            "equally likely given what is known (50% by chance); for somebody who wants to know "
            "the value, between two values. True value: the same, had the columns been published "
            "as they are. Rows with the same known values are a stratum, and the worst stratum "
            f"counts; a pair is judged where both of its secrets have at least {found.min_rows} "
            f"rows.{bands} ",
            as_code("pufferfish stress"),
            " tests more." if answered else " tests more, and says what would help.",
        ),
        "small",
    )
    remarks = (*found.notes, *remarks_of(found))
    if remarks:
        yield Bullets(remarks, "small")


def _answers_in_words(found: Stress) -> str:
    constant = found.constant_rmse
    beside = (
        "" if constant is None else f", and that of one constant for everybody {readable(constant)}"
    )
    return (
        "The option that would answer a case is named as on the command line; in brackets is the "
        "error of a published value with that option, from a calibration for this case. The "
        f"error of this release is {readable(found.rmse)}{beside}."
    )


def _rows(found: Stress, *, answered: bool) -> Iterator[tuple[Text, ...]]:
    for case in found.cases:
        knows, size, *shares, small_share, kept, answer = cells_of(found, case)
        counted = case.kind == "columns" or case.small
        small = f"{case.small:,}" if counted else ""
        answers = (answer,) if answered else ()
        yield knows, size, kept, *answers, *shares, small, small_share
