"""A figure as data: panels of series. What is drawn and what is written as CSV are the same."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pufferfish.core.validation import FloatArray, require

__all__ = ["Figure", "Panel", "Series", "Shape", "csv_text", "plot"]

Shape = Literal["line", "points", "bars", "outline", "band"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Series:
    """One curve, histogram or band.

    Attributes:
        label: What it is, for the legend and the CSV.
        x: Where; for "bars" and "outline" the edges of the bins, one more than there are heights;
            for a "band" its two ends.
        y: How high; for a "band" its lower and its upper edge.
        ink: With what; see `report.style`.
        shape: How it is drawn.
        width: Of the line, in points.
        note: Words on the left of its first point.
        listed: Whether the legend has it.
    """

    label: str
    x: FloatArray
    y: FloatArray
    ink: str = "first"
    shape: Shape = "line"
    width: float = 1.8
    note: str = ""
    listed: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        more = 1 if self.shape in ("bars", "outline") else 0
        require(
            self.x.size == self.y.size + more,
            f"series {self.label!r}: {self.x.size} x do not go with {self.y.size} y.",
        )


Ticks = tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Panel:
    """One coordinate system.

    Attributes:
        letter: As in the paper; further ones after its last.
        title: What it shows, in few words.
        caption: What is to be seen.
        x_label: Below the axis.
        y_label: Beside it.
        series: What is drawn, the last on top.
        x_range: From where to where; by itself where not given.
        y_range: The same.
        x_ticks: Places and words, instead of numbers.
        y_ticks: The same.
    """

    letter: str
    title: str
    caption: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float | None] | None = None
    x_ticks: Ticks = ()
    y_ticks: Ticks = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Figure:
    """A figure of the paper, and what is added to it.

    Attributes:
        name: Of its files, without the ending.
        number: As the paper calls it.
        title: What it is about.
        words: (label, text): what the paper shows, what is shown here, what to see, where they
            part.
        panels: In the order of their letters.
        columns: Panels beside each other in a picture file.
    """

    name: str
    number: str
    title: str
    words: tuple[tuple[str, str], ...]
    panels: tuple[Panel, ...]
    columns: int = 3


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lines of a CSV file; numbers with all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def plot(figure: Figure) -> str:
    """The plotted numbers as CSV: a line for each point, or for each bin from `x` to `x_end`."""
    return csv_text(("panel", "series", "shape", "x", "x_end", "y"), _points(figure))


def _points(figure: Figure) -> Iterator[tuple[object, ...]]:
    for panel in figure.panels:
        for each in panel.series:
            x, y = each.x.tolist(), each.y.tolist()
            binned = len(x) > len(y)
            ends = x[1:] if binned else [""] * len(y)
            for place, end, height in zip(x[: len(y)], ends, y, strict=True):
                yield panel.letter, each.label, each.shape, place, end, height
