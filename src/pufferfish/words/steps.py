"""Texts as data: steps with their paragraphs and lists."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Entry", "Step"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list.

    Attributes:
        text: The entry.
        details: Further lines that belong to it.
    """

    text: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an explanation, or one part of a story.

    Attributes:
        title: What it is about, in one or two words; unique within a text.
        paragraphs: The text, in whole sentences.
        entries: A list below them.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
