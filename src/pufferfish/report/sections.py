"""A page as data: what it says, block by block, and not how it looks.

A kind of release describes its report with these; `page.render` writes any of them as HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pufferfish.report.pictures import Picture

__all__ = [
    "Block",
    "Bullets",
    "Code",
    "Column",
    "Figures",
    "Grid",
    "Heading",
    "Mark",
    "Notice",
    "Page",
    "Paragraph",
    "Section",
    "StepOf",
    "Steps",
    "Text",
    "Tile",
    "as_code",
    "as_quote",
    "as_table",
    "strong",
]


@dataclass(frozen=True, slots=True)
class Mark:
    """Words that stand out in a text: quoted, as code, or strong."""

    text: str
    tag: Literal["q", "code", "strong"]


Text = str | tuple[str | Mark, ...]


def as_quote(text: object) -> Mark:
    """In quotation marks."""
    return Mark(str(text), "q")


def as_code(text: str) -> Mark:
    """As code."""
    return Mark(text, "code")


def strong(text: str) -> Mark:
    """Strong."""
    return Mark(text, "strong")


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a part; level 2 is that of a section."""

    text: Text
    level: Literal[2, 3] = 3
    block: ClassVar[str] = "heading"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: Text
    look: Literal["", "lead", "small"] = ""
    block: ClassVar[str] = "paragraph"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list without order."""

    items: tuple[Text, ...]
    look: Literal["", "small"] = ""
    block: ClassVar[str] = "bullets"


@dataclass(frozen=True, slots=True)
class StepOf:
    """One step: its text, and the lines below it."""

    text: Text
    lines: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """Numbered steps."""

    items: tuple[StepOf, ...]
    block: ClassVar[str] = "steps"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of a program."""

    text: str
    block: ClassVar[str] = "code"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        name: Its heading; a table without any such name has no head.
        holds: "heading": what its row is about. "number". "whole": words that do not wrap.
    """

    name: Text = ""
    holds: Literal["text", "heading", "number", "whole"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: str = ""
    look: Literal["", "labelled", "small"] = ""
    block: ClassVar[str] = "grid"

    @property
    def headed(self) -> bool:
        """Whether the columns have names."""
        return any(column.name for column in self.columns)


def as_table(
    rows: tuple[tuple[Text, Text], ...], look: Literal["labelled", "small"], caption: str = ""
) -> Grid:
    """A table of two columns: names, and what is stated about each."""
    return Grid(columns=(Column(holds="heading"), Column()), rows=rows, caption=caption, look=look)


@dataclass(frozen=True, slots=True)
class Figures:
    """Pictures, and tables among them, side by side where there is room."""

    items: tuple[Picture | Grid, ...]
    block: ClassVar[str] = "figures"


Block = Heading | Paragraph | Bullets | Steps | Code | Grid | Figures


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to read first; `open`: it is about what is public, and no warning."""

    label: str
    text: str
    open: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """A number or a few words that stand out, and what they mean."""

    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading; further headings of its level may be among its blocks."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole page.

    Attributes:
        title: The title of the window.
        heading: The title on the page.
        notices: What must be read first.
        tiles: The main facts.
        sections: All else.
    """

    title: str
    heading: str
    notices: tuple[Notice, ...]
    tiles: tuple[Tile, ...]
    sections: tuple[Section, ...]
