"""Words on a terminal: folded, numbered, labelled, in columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Literal

from pufferfish.words.steps import Step

__all__ = ["COLUMNS", "align", "fold", "label_lines", "number_steps"]

# As wide as a terminal usually is.
COLUMNS = 98
# Room for the longest label of a story.
_LABEL = 12


def fold(text: str, *, first: str = "", others: str = "", hyphens: bool = False) -> str:
    """A paragraph in lines that fit.

    Args:
        text: The paragraph.
        first: The text before the first line.
        others: The text before all other lines.
        hyphens: Whether a line may end at a hyphen within a word.
    """
    return textwrap.fill(
        text, COLUMNS, initial_indent=first, subsequent_indent=others, break_on_hyphens=hyphens
    )


def number_steps(steps: Iterable[Step]) -> str:
    """Steps with their numbers; their lists are not folded."""
    lines = []
    for number, step in enumerate(steps, start=1):
        text = f"{number}. {' '.join(step.paragraphs)}"
        lines.append(fold(text, others="   ", hyphens=True))
        for entry in step.entries:
            lines.append(f"   - {entry.text}")
            lines += [f"     {each}" for each in entry.details]
    return "\n".join(lines)


def label_lines(steps: Iterable[Step]) -> str:
    """Steps with their titles in the margin."""
    lines = []
    for step in steps:
        label = step.title
        said = [(text, _LABEL) for text in step.paragraphs]
        said += [(f"- {entry.text}", _LABEL + 2) for entry in step.entries]
        for text, indent in said:
            lines.append(fold(text, first=label.ljust(_LABEL), others=" " * indent))
            label = ""
    return "\n".join(lines)


def align(
    rows: Sequence[Sequence[str]], side: Literal["left", "right"], *, ruled: bool = False
) -> str:
    """A table, its columns as wide as they need to be; `ruled`: with a line below the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sign = {"left": "<", "right": ">"}[side]
    lines = [
        "  ".join(f"{cell:{sign}{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    if ruled:
        lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
