"""A small SVG writer: two axes, and lines, bands, boxes, marks and words between them.

It is fast enough to draw again whenever a slider moves, and does no more than the pages need. A
page can hold several drawings: none has a colour, font or size of its own, and the ids of each
begin with its name. All text is escaped. What is not finite is a gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from string import ascii_uppercase, printable

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.report.style import DASHES
from pufferfish.report.ticks import Axis, Tick

__all__ = ["FONT", "Canvas", "Numbers", "box_at", "paint", "text_at", "text_width"]

Numbers = FloatArray | Sequence[float]

# Lengths are in units of the view box, which are about a point on paper.
FONT = 10.0
_WIDTH, _HEIGHT = 331.0, 209.0
_LINE = 1.6
_AXIS = 0.6
_TICK = 3.5
_GAP = 3.0
# From the middle of a line of text down to its baseline.
_BASELINE = 0.35
# From the baseline up to the top of a line, and down to its foot, in the tallest of common fonts
# (Noto Sans, Segoe UI). The page's font is the reader's, and is not known here.
_RISE, _FALL = 1.1, 0.3
# The least gap between labels of an axis: side by side, and one above the other.
_BESIDE, _ABOVE = 5.0, 1.0
# Lines end this many widths or heights beyond the axes, however far their data reach.
_BEYOND = 5.0
# Widths of letters as fractions of the font size, in the widest of common fonts (DejaVu Sans,
# Verdana), by classes; letters of other scripts and rare signs are as wide as the widest class.
_WIDEST = 1.1
_WIDTHS = (
    dict.fromkeys(printable, 0.64)
    | dict.fromkeys(ascii_uppercase, 0.79)
    | dict.fromkeys(" .,:;'ijl", 0.37)
    | dict.fromkeys("#&+<=>^~w−∞", 0.84)
    | dict.fromkeys("%@mMW", _WIDEST)
)


def text_width(text: str, size: float = FONT) -> float:
    """How wide a text may be, in a wide font."""
    return size * sum(_WIDTHS.get(letter, _WIDEST) for letter in text)


def paint(
    *,
    fill: str = "",
    stroke: str = "",
    width: float = _LINE,
    dashes: Sequence[float] = (),
    opacity: float = 1.0,
) -> str:
    """The style attribute for these inks; dashes are in widths of the line."""
    said = [f"fill: var(--{fill})" if fill else "fill: none"]
    if fill and opacity < 1.0:
        said.append(f"fill-opacity: {opacity:g}")
    if stroke:
        said += [f"stroke: var(--{stroke})", f"stroke-width: {width:g}"]
    if dashes:
        said.append(f"stroke-dasharray: {' '.join(f'{width * each:g}' for each in dashes)}")
    return f'style="{"; ".join(said)}"'


class Canvas:
    """One picture. Its methods take numbers on the axes; right and down are places in the picture.

    Args:
        name: Unique in the page.
        x: The axis at the bottom.
        y: The axis at the left.
        height: The height of the whole picture.
        beside: Room to the right of the axes.
        square: Whether the area between the axes is a square.
    """

    def __init__(
        self,
        name: str,
        x: Axis,
        y: Axis,
        *,
        height: float = _HEIGHT,
        beside: float = 0.0,
        square: bool = False,
    ) -> None:
        # Labels of x may reach beyond both of its ends, by half of their width.
        halves = [0.5 * text_width(each.label) for each in x.ticks] or [0.0]
        labels = max((text_width(each.label) for each in y.ticks), default=0.0)
        line = (_RISE + _FALL) * FONT
        below = _TICK + line + (line if x.label else 0.0)
        self.left = max(labels + _TICK + _GAP + (line if y.label else 0.0), halves[0]) + 1.0
        self.right = _WIDTH - max(beside, halves[-1], _GAP) - 1.0
        # A label of y may be at the very top.
        self.top = (_RISE - _BASELINE) * FONT
        self.bottom = height - below
        if square:
            side = min(self.right - self.left, self.bottom - self.top)
            self.left += 0.5 * (self.right - self.left - side)
            self.right, self.bottom = self.left + side, self.top + side
        self._name, self._x, self._y = escape(name), x, y
        self._height = self.bottom + below
        self._inside: list[str] = []
        self._above: list[str] = []

    def rights(self, x: Numbers) -> FloatArray:
        """Where numbers on the x axis are in the picture; not finite where they have no place."""
        return _place(self._x, x, self.left, self.right)

    def downs(self, y: Numbers) -> FloatArray:
        """Where numbers on the y axis are in the picture; not finite where they have no place."""
        return _place(self._y, y, self.bottom, self.top)

    def line(
        self,
        x: Numbers,
        y: Numbers,
        ink: str,
        width: float = _LINE,
        dashes: Sequence[float] | None = None,
    ) -> None:
        """A line through points, with the dashes of its ink unless others are given."""
        right, down = self.rights(x), self.downs(y)
        path = "".join(
            # A point between two gaps is a dot.
            f"M{_pairs(right[run], down[run])}" + ("h1.6" if run.stop - run.start == 1 else "")
            for run in _runs(right, down)
        )
        dashed = DASHES.get(ink, ()) if dashes is None else dashes
        self._draw(path, paint(stroke=ink, width=width, dashes=dashed))

    def level(self, y: float, ink: str, width: float = _LINE) -> None:
        """A line across the whole picture."""
        self.line([self._x.low, self._x.high], [y, y], ink, width)

    def band(
        self, x: Numbers, lower: Numbers, upper: Numbers, ink: str, opacity: float = 1.0
    ) -> None:
        """The area between two lines."""
        right, low, high = self.rights(x), self.downs(lower), self.downs(upper)
        path = "".join(
            f"M{_pairs(right[run], high[run])} {_pairs(right[run][::-1], low[run][::-1])}Z"
            for run in _runs(right, low, high)
        )
        self._draw(path, paint(fill=ink, opacity=opacity))

    def pins(self, x: Numbers, y: Numbers, ink: str, *, heads: bool) -> None:
        """Vertical lines from 0, with heads that tell them apart by more than their ink."""
        right, down = self.rights(x), self.downs(y)
        (foot,) = self.downs([0.0]).tolist()
        seen = np.isfinite(right) & np.isfinite(down)
        ends = list(zip(right[seen].tolist(), down[seen].tolist(), strict=True))
        path = "".join(f"M{_short(each)} {_short(foot)}V{_short(end)}" for each, end in ends)
        self._draw(path, paint(stroke=ink, width=2.2))
        for each, end in ends if heads else ():
            self._above.append(
                f'<circle cx="{_short(each)}" cy="{_short(end)}" r="2.6" {paint(fill=ink)}/>'
            )

    def box(self, x: tuple[float, float], y: tuple[float, float], painted: str) -> None:
        """A rectangle from one number to another on both axes."""
        (left, right), (top, bottom) = self.rights(x).tolist(), self.downs(y).tolist()
        if all(map(math.isfinite, (left, right, top, bottom))):
            self._inside.append(box_at(left, right, top, bottom, painted))

    def diamond(self, x: float, y: float, ink: str) -> None:
        """A mark, which may sit on an axis."""
        (right,), (down,) = self.rights([x]).tolist(), self.downs([y]).tolist()
        if math.isfinite(right) and math.isfinite(down):
            path = f"M{_short(right)} {_short(down - 4.2)}l4.2 4.2 -4.2 4.2 -4.2 -4.2Z"
            self._above.append(f'<path d="{path}" {paint(fill=ink)}/>')

    def above(self, *elements: str) -> None:
        """SVG elements over all else, which are not cut off at the axes."""
        self._above += elements

    def svg(self) -> str:
        """The picture: `<svg ...>` has a view box and a font, and no size."""
        size = (self.right - self.left + _LINE, self.bottom - self.top + _LINE)
        # A line on an edge is seen in its whole width.
        edge = _attributes(
            x=self.left - 0.5 * _LINE, y=self.top - 0.5 * _LINE, width=size[0], height=size[1]
        )
        clip = f"{self._name}-plot"
        return "".join(
            [
                f'<svg viewBox="0 0 {_short(_WIDTH)} {_short(self._height)}" '
                f'style="font-family: var(--font); font-size: {FONT:g}px">',
                f'<clipPath id="{clip}"><rect {edge}/></clipPath>',
                f'<g clip-path="url(#{clip})">',
                *self._inside,
                "</g>",
                *self._axes(),
                *self._above,
                "</svg>",
            ]
        )

    def _draw(self, path: str, painted: str) -> None:
        if path:
            self._inside.append(f'<path d="{path}" {painted}/>')

    def _axes(self) -> Iterator[str]:
        rights = self.rights([each.value for each in self._x.ticks]).tolist()
        downs = self.downs([each.value for each in self._y.ticks]).tolist()
        left, bottom = _short(self.left), _short(self.bottom)
        path = [f"M{left} {_short(self.top)}V{bottom}H{_short(self.right)}"]
        path += [f"M{_short(each)} {bottom}v{_TICK:g}" for each in rights]
        path += [f"M{left} {_short(each)}h-{_TICK:g}" for each in downs]
        yield f'<path d="{"".join(path)}" {paint(stroke="faint", width=_AXIS)}/>'
        down = self.bottom + _TICK + FONT
        widths = [text_width(each.label) + _BESIDE for each in self._x.ticks]
        for tick, right in _label(self._x.ticks, rights, widths):
            yield text_at(right, down, tick.label)
        for tick, each in _label(self._y.ticks, downs, [FONT + _ABOVE] * len(downs)):
            yield text_at(
                self.left - _TICK - _GAP, each + _BASELINE * FONT, tick.label, anchor="end"
            )
        if self._x.label:
            middle = 0.5 * (self.left + self.right)
            yield text_at(middle, self._height - 0.4 * FONT, self._x.label)
        if self._y.label:
            middle = 0.5 * (self.top + self.bottom)
            yield text_at(_RISE * FONT, middle, self._y.label, upwards=True)


def box_at(right: float, other: float, down: float, another: float, painted: str) -> str:
    """A rectangle between two places in each direction."""
    place = _attributes(
        x=min(right, other),
        y=min(down, another),
        width=abs(other - right),
        height=abs(another - down),
    )
    return f"<rect {place} {painted}/>"


def text_at(
    right: float,
    down: float,
    text: str,
    *,
    anchor: str = "middle",
    ink: str = "ink",
    size: float = FONT,
    upwards: bool = False,
) -> str:
    """Words at a place."""
    place = _attributes(x=right, y=down)
    if upwards:
        place += f' transform="rotate(-90 {_short(right)} {_short(down)})"'
    font = "" if size == FONT else f"; font-size: {size:g}px"
    return (
        f'<text {place} style="fill: var(--{ink}); text-anchor: {anchor}{font}">'
        f"{escape(text)}</text>"
    )


def _attributes(**numbers: float) -> str:
    return " ".join(f'{name}="{_short(each)}"' for name, each in numbers.items())


def _short(length: float) -> str:
    return f"{round(length, 2) + 0.0:g}"


def _place(axis: Axis, values: Numbers, start: float, end: float) -> FloatArray:
    fractions = axis.fractions(np.asarray(values, dtype=np.float64))
    known = np.clip(fractions, -_BEYOND, 1.0 + _BEYOND)
    return np.where(np.isfinite(fractions), start + known * (end - start), np.nan)


def _runs(*places: FloatArray) -> Iterator[slice]:
    """Runs of points that are finite in every array."""
    known = np.logical_and.reduce([np.isfinite(each) for each in places])
    ends = np.flatnonzero(np.diff(known, prepend=False, append=False)).tolist()
    return (slice(*each) for each in zip(ends[::2], ends[1::2], strict=True))


def _pairs(right: FloatArray, down: FloatArray) -> str:
    """The coordinates of a path; one template for all of them is faster than one for each."""
    numbers = np.column_stack([right, down]).round(2).ravel() + 0.0
    return " ".join(["%g"] * numbers.size) % tuple(numbers.tolist())


def _label(
    ticks: Sequence[Tick], places: Sequence[float], lengths: Sequence[float]
) -> list[tuple[Tick, float]]:
    """The ticks with a label: all, or every second, third, ... so that no two labels meet."""
    for step in range(1, len(ticks) + 1):
        chosen = range(0, len(ticks), step)
        if all(
            abs(places[two] - places[one]) >= 0.5 * (lengths[one] + lengths[two])
            for one, two in pairwise(chosen)
        ):
            break
    return [(ticks[each], places[each]) for each in chosen] if ticks else []
