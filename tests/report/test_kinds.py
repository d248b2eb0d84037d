"""Any kind of release can have a report: it describes a page, and one template writes it."""

from __future__ import annotations

from typing import Any

import pytest

import pufferfish as pf
from pufferfish.report.kinds import page_of, register
from pufferfish.report.page import render
from pufferfish.report.pictures import posterior_picture
from pufferfish.report.sections import (
    Bullets,
    Code,
    Column,
    Figures,
    Grid,
    Heading,
    Notice,
    Paragraph,
    Section,
    StepOf,
    Steps,
    Tile,
    as_code,
    as_quote,
    as_table,
    strong,
)
from pufferfish.report.sections import Page as Described
from pufferfish.report.sources import Beside, Verified
from tests.report.releases import Page

HOSTILE = "<script>alert(1)</script>\"'& {{7*7}} {% raw %}"
TABLE = Grid(
    columns=(Column("what", "heading"), Column("size", "number"), Column("words", "whole")),
    rows=(("a row", "12.5", "kept whole"),),
    caption="A caption",
)


def described(text: str = "words") -> Described:
    """A page with every block."""
    return Described(
        title=text,
        heading=text,
        notices=(Notice("Beware.", text), Notice("Public.", text, open=True)),
        tiles=(Tile(text, text),),
        sections=(
            Section(
                text,
                (
                    Paragraph(text, "lead"),
                    Paragraph((text, as_quote(text), as_code(text), strong(text))),
                    Heading(text, 2),
                    Heading((as_quote(text), text)),
                    Bullets((text, (text, as_code(text))), "small"),
                    Steps((StepOf(text, (text, text)), StepOf(text))),
                    Code(text),
                    TABLE,
                    as_table(((text, text),), "labelled", text),
                    Figures((TABLE, posterior_picture(1.0))),
                ),
            ),
        ),
    )


def test_every_block_is_written() -> None:
    found = Page(render(described()))
    count = {tag: len(found.named(tag)) for tag in ("h1", "h2", "h3", "q", "code", "strong", "ol")}
    # Strong: the label of two notices, the mark, and the title of a figure.
    assert count == {"h1": 1, "h2": 2, "h3": 1, "q": 2, "code": 3, "strong": 4, "ol": 1}
    assert "A caption what size words a row 12.5 kept whole" in found.text
    assert {"class": "notice open"} in found.named("p")
    assert {"class": "small"} in found.named("ul")
    assert {"class": "labelled"} in found.named("table")


def test_a_table_says_what_its_cells_are() -> None:
    found = Page(render(described()))
    assert {"scope": "col", "class": "number"} in found.named("th")
    assert {"scope": "row"} in found.named("th")
    assert {"class": "number"} in found.named("td")
    assert {"class": "whole"} in found.named("td")
    # One has a head, twice; the labelled one has none.
    assert len(found.named("table")) == 3
    assert len(found.named("thead")) == 2
    # Whoever uses a keyboard can scroll what is wide.
    assert found.named("div").count({"class": "wide", "tabindex": "0"}) == 3


def test_whatever_a_kind_writes_is_text() -> None:
    plain, hostile = (Page(render(described(text))) for text in ("words", HOSTILE))
    assert plain.tags == hostile.tags
    assert HOSTILE in hostile.text


def test_a_kind_that_is_registered_has_a_report() -> None:
    verified = Verified(source={"pufferfish": "made-up"}, found=None, folder=None)
    with pytest.raises(pf.UnsupportedError, match="'made-up' have no report"):
        page_of(verified, Beside())

    def maker(source: Verified, beside: Beside) -> Any:
        return described(f"{source.kind} {beside.released}")

    register("made-up", maker)
    assert page_of(verified, Beside(released="x")).title == "made-up x"
