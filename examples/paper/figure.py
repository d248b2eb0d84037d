"""A figure as data: panels of series. The picture and the CSV file hold the same numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Figure", "FloatArray", "Panel", "Series", "Shape", "csv_text", "plot"]

FloatArray = NDArray[np.float64]
Shape = Literal["line", "points", "bars", "outline", "band"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Series:
    """One curve, histogram or band.

    Attributes:
        label: Its name in the legend and the CSV.
        x: The places; for "bars" and "outline" the edges of the bins, one more than there are
            heights; for a "band" its two ends.
        y: The heights; for a "band" its lower and its upper edge.
        ink: The colour; see `report.style`.
        shape: How it is drawn.
        width: The width of the line, in points.
        note: Words to the left of its first point.
        listed: Whether the legend lists it.
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
        """Refuse a series that cannot be drawn."""
        more = 1 if self.shape in ("bars", "outline") else 0
        if self.x.size != self.y.size + more:
            raise ValueError(
                f"series {self.label!r}: {self.x.size} x do not go with {self.y.size} y."
            )


Ticks = tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Panel:
    """One coordinate system.

    Attributes:
        letter: The letter in the paper; further panels have the letters after its last.
        title: What it shows, in few words.
        caption: What the reader should see.
        x_label: The label of the x axis.
        y_label: The label of the y axis.
        series: The series, the last on top.
        x_range: The range of the x axis; chosen from the series if not given.
        y_range: The range of the y axis; chosen from the series if not given.
        x_ticks: Places and words on the x axis, instead of numbers.
        y_ticks: Places and words on the y axis, instead of numbers.
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
        name: The name of its files, without the ending.
        number: Its name in the paper.
        title: What it is about.
        words: (label, text): what the paper shows, what is shown here, what to see, where they
            differ.
        panels: The panels, in the order of their letters.
        columns: The number of panels in one row of a picture file.
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
