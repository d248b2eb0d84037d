"""What is said, as data: steps with their paragraphs and lists."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Entry", "Step"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list.

    Attributes:
        text: The entry.
        details: What belongs to it, each for a line of its own.
    """

    text: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an explanation, or one part of a story.

    Attributes:
        title: What it is about, in one or two words; no two steps of a text have the same.
        paragraphs: What is said, in whole sentences.
        entries: A list below them.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
