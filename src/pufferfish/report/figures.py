"""One function for each picture: numbers in, SVG out. Knows no name, label or file of the user's.

The user's words are in the legend and the caption, which are text of the page: they wrap, can be
read out, and cannot break a drawing. Only cells that can be chosen have a name, which is not
visible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.validation import FloatArray
from pufferfish.exact import PairResult, PrivacyProfile
from pufferfish.report.afterwards import Bound, Curve
from pufferfish.report.canvas import FONT, Canvas, Numbers, box_at, paint, text_at, text_width
from pufferfish.report.columns import Bars
from pufferfish.report.style import LEVELS
from pufferfish.report.ticks import Axis, Tick, linear_axis, log_axis, number, number_axis

__all__ = [
    "Mark",
    "Scale",
    "belief_figure",
    "heat_map",
    "histogram",
    "log_ratio",
    "losses",
    "noise_marks",
    "posteriors",
    "privacy",
    "published_figure",
    "scales",
]

# Heat maps of up to this many secrets have a number in each cell.
_MOST_NUMBERED = 8
# Marks whose sizes differ by a larger factor are drawn on a logarithmic axis.
_MOST_TIMES = 12.0
# Heights, in pictures with a row for each thing.
_ROW, _ROWS = 23.0, 46.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """One bar of a comparison: its size, and whether its promise holds."""

    std: float
    holds: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing on the axis of noise: its number in the text, its size, and what it is.

    Kinds: the noise that was `chosen`; the spread of the `column` itself; a `bound` or another way,
    which is proven; and a way that is `unproven` in general.
    """

    label_number: int
    std: float
    kind: Literal["chosen", "column", "bound", "unproven"]


def belief_figure(name: str, curves: tuple[Curve, Curve]) -> str:
    """The believed law of the value, for each secret."""
    table = curves[0].is_table or curves[1].is_table
    return _pair(name, curves, "value", "probability" if table else "density")


def published_figure(name: str, curves: tuple[Curve, Curve]) -> str:
    """The law of what is published, for each secret."""
    table = curves[0].is_table
    return _pair(name, curves, "published value", "probability" if table else "density")


def log_ratio(
    name: str,
    ratio: Curve,
    results: tuple[PairResult, PairResult],
    goal: Guarantee,
    bounds: Sequence[Bound] = (),
) -> str:
    """log p/q against ±ε, with the certified enclosure of its two extremes.

    At the `bounds` of a clipped column p and q are the probabilities there.
    """
    low, high = _ends(ratio.y)
    height = 1.3 * max(goal.epsilon, min(max(-low, high), 4.0 * goal.epsilon))
    left, right = _ends(ratio.x)
    # Marks of a table stand apart from the axis.
    margin = 0.03 * (right - left) if ratio.is_table else 0.0
    x = linear_axis(left - margin, right + margin, "published value")
    canvas = Canvas(name, x, linear_axis(-height, height, "log of the odds' change"))
    across = (x.low, x.high)
    canvas.box(across, (-goal.epsilon, goal.epsilon), paint(fill="level1"))
    for side, result in ((1.0, results[0]), (-1.0, results[1])):
        if math.isfinite(result.epsilon_upper):
            canvas.level(side * result.epsilon_upper, "third")
            ends = side * result.epsilon_lower, side * result.epsilon_upper
            canvas.box(across, ends, paint(fill="third", opacity=0.3))
    if ratio.is_table:
        for value, change in zip(ratio.x.tolist(), ratio.y.tolist(), strict=True):
            canvas.diamond(value, change, "first")
    else:
        canvas.line(ratio.x, ratio.y, "first")
    for bound in bounds:
        if min(bound.masses) > 0.0 and x.low <= bound.value <= x.high:
            first, second = bound.masses
            canvas.diamond(bound.value, math.log(first / second), "first")
    canvas.level(0.0, "faint", 0.6)
    return canvas.svg()


def privacy(
    name: str, profile: PrivacyProfile, bare: PrivacyProfile | None, goal: Guarantee
) -> str:
    """δ(ε) from both sides, with the goal; on a logarithmic scale where δ > 0 is promised."""
    floor = 0.0 if goal.pure else goal.delta * 1e-3
    shown = (profile,) if bare is None else (profile, bare)
    right = max(goal.epsilon, *(_ends(each.epsilons)[1] for each in shown))
    top = max(goal.delta, *(_ends(each.delta_upper)[1] for each in shown))
    canvas = Canvas(
        name,
        linear_axis(0.0, right, "ε"),
        linear_axis(0.0, 1.05 * top, "δ") if goal.pure else log_axis(floor, 1.5 * top, "δ"),
    )
    lower, upper = (np.maximum(each, floor) for each in (profile.delta_lower, profile.delta_upper))
    canvas.band(profile.epsilons, lower, upper, "first", 0.3)
    canvas.line(profile.epsilons, upper, "first")
    if bare is not None:
        canvas.line(bare.epsilons, np.maximum(bare.delta_upper, floor), "second")
    canvas.diamond(goal.epsilon, goal.delta, "third")
    return canvas.svg()


def losses(name: str, bounds: Sequence[tuple[float, float]], limit: float, what: str) -> str:
    """Enclosures by number, against what the promise allows."""
    right = 1.15 * max([limit, *(upper for _, upper in bounds if math.isfinite(upper))])
    x = linear_axis(0.0, right, what)
    rows = _rows([str(place) for place in range(1, len(bounds) + 1)])
    canvas = Canvas(name, x, rows, height=_ROWS + _ROW * len(bounds))
    for place, (lower, upper) in enumerate(bounds, start=1):
        shade, ends = "first" if upper <= limit else "second", (place - 0.3, place + 0.3)
        # Where there is no bound, the line reaches to the end.
        reach = upper if math.isfinite(upper) else x.high
        canvas.box((0.0, reach), ends, paint(fill=shade, opacity=0.35))
        canvas.line([lower, lower], ends, shade, dashes=(1.0, 1.65))
        canvas.line([upper, upper], ends, shade, dashes=())
    canvas.line([limit, limit], [rows.low, rows.high], "third")
    return canvas.svg()


def posteriors(name: str, priors: FloatArray, lower: FloatArray, upper: FloatArray) -> str:
    """The bounds between which a probability stays, whatever is published."""
    canvas = Canvas(
        name,
        linear_axis(0.0, 1.0, "probability before", percent=True),
        linear_axis(0.0, 1.0, "after the release", percent=True),
    )
    canvas.band(priors, lower, upper, "level1")
    canvas.line(priors, upper, "first")
    canvas.line(priors, lower, "second")
    canvas.line([0.0, 1.0], [0.0, 1.0], "faint", 0.8)
    return canvas.svg()


def histogram(name: str, bars: Bars) -> str:
    """The published column, and the original where it may be shown."""
    shares = [bars.released] if bars.original is None else [bars.released, bars.original]
    top = max(_ends(each)[1] for each in shares)
    canvas = Canvas(
        name,
        linear_axis(*_ends(bars.edges), "value"),
        linear_axis(0.0, 1.05 * top, "share of rows", percent=True),
    )
    edges = np.repeat(bars.edges, 2)
    stairs = [np.concatenate([[0.0], np.repeat(each, 2), [0.0]]) for each in shares]
    canvas.band(edges, np.zeros(edges.size), stairs[0], "first", 0.25)
    for ink, steps in zip(("first", "second"), stairs, strict=False):
        canvas.line(edges, steps, ink, 1.4)
    return canvas.svg()


def heat_map(
    name: str,
    cells: Sequence[tuple[int, int, float]],
    size: int,
    limit: float,
    *,
    chosen: tuple[int, int] | None = None,
    selectable: bool = False,
    labels: Sequence[str] = (),
) -> str:
    """The share of what is allowed that each pair uses; secrets by number.

    Args:
        name: Unique in the page.
        cells: Two secrets, counted from 0, and what the pair uses.
        size: How many secrets there are.
        limit: What is allowed.
        chosen: The pair whose cells have an outline.
        selectable: Whether cells are buttons: each has its pair as `data-cell`, and one of its two
            images can be reached with the keyboard.
        labels: What the buttons are called, in the order of the cells.
    """
    x = number_axis(size, max(1, size // 12), "secret (by number)")
    canvas = Canvas(name, x, replace(x, low=x.high, high=x.low, label=""), height=302, square=True)
    edges = [each + 0.5 for each in range(size + 1)]
    rights, downs = canvas.rights(edges).tolist(), canvas.downs(edges).tolist()
    called = labels or [f"secrets {row + 1} and {column + 1}" for row, column, _ in cells]
    paints = [paint(fill=level, stroke="paper", width=0.6) for level in LEVELS]
    outlines = []
    for (row, column, value), label in zip(cells, called, strict=True):
        # What is not a number counts as the whole promise; so does anything where nothing is
        # allowed.
        share = max(value, 0.0) / limit if value < limit and limit > 0.0 else 1.0
        level = min(int(share * len(LEVELS)), len(LEVELS) - 1)
        pressed = chosen is not None and {row, column} == set(chosen)
        for i, j in ((row, column), (column, row)):
            place = rights[i], rights[i + 1], downs[j], downs[j + 1]
            cell = box_at(*place, paints[level])
            if size <= _MOST_NUMBERED:
                cell += _number_in(place, value, "paper" if level >= len(LEVELS) - 2 else "ink")
            if selectable:
                button = (
                    f'tabindex="0" role="button" aria-pressed="{str(pressed).lower()}" '
                    f'aria-label="{escape(label)}"'
                    if (i, j) == (row, column)
                    else 'aria-hidden="true"'
                )
                cell = f'<g data-cell="{row},{column}" {button}>{cell}</g>'
            canvas.above(cell)
            if pressed:
                # A line of ink between two of paper, so that it can be seen on the darkest cells
                # too.
                for ink, width in (("paper", 5.0), ("ink", 2.4)):
                    outline = paint(stroke=ink, width=width)
                    outlines.append(box_at(*place, f'{outline} pointer-events="none"'))
    canvas.above(*outlines)
    return canvas.svg()


def _number_in(place: tuple[float, float, float, float], value: float, ink: str) -> str:
    """The number with as many digits as there is room for."""
    right, other, down, another = place
    size = FONT - 1.5
    for digits in (2, 1):
        text = number(value, digits)
        if text_width(text, size) <= other - right:
            middle = 0.5 * (down + another) + 0.35 * size
            return text_at(0.5 * (right + other), middle, text, ink=ink, size=size)
    return ""


def scales(name: str, bars: Sequence[Scale], what: str = "std of the noise") -> str:
    """Noise stds or errors, by number; a bar is hollow where the promise is not proven."""
    return noise_marks(
        name,
        [
            Mark(place, bar.std, ("chosen" if place == 1 else "bound") if bar.holds else "unproven")
            for place, bar in enumerate(bars, start=1)
        ],
        what,
    )


# How each kind is drawn, and the share of its row that it takes.
_PAINTS = {
    "chosen": (paint(fill="first", stroke="first", width=1.0), 0.6),
    "column": (paint(fill="faint", opacity=0.35, stroke="faint", width=1.0), 0.6),
    "bound": (paint(fill="third", stroke="third", width=1.0), 0.2),
    "unproven": (paint(stroke="second", width=1.2, dashes=(3.0, 2.0)), 0.6),
}


def noise_marks(name: str, marks: Sequence[Mark], what: str = "std of the noise") -> str:
    """Stds on one axis, by number: bars from 0.

    Where one is more than 12 times another, the axis is logarithmic and says so. The length of a
    bar would then mean nothing, so only its end is drawn.
    """
    stds = [mark.std for mark in marks if math.isfinite(mark.std) and mark.std > 0.0]
    least, most = min(stds, default=0.0), max(stds, default=0.0)
    logarithmic = most > _MOST_TIMES * least
    x = (
        log_axis(least / 1.5, most, f"{what}, logarithmic")
        if logarithmic
        else linear_axis(0.0, most, what)
    )
    texts = [number(mark.std) for mark in marks]
    canvas = Canvas(
        name,
        x,
        _rows([str(mark.label_number) for mark in marks]),
        height=_ROWS + _ROW * len(marks),
        beside=max(map(text_width, texts), default=0.0) + 8.0,
    )
    # What is beyond the axis is drawn at its ends: 0 on a logarithmic one, and infinity.
    inside = np.clip(np.nan_to_num([mark.std for mark in marks], nan=x.low), x.low, x.high)
    ends = canvas.rights(inside).tolist()
    downs = canvas.downs(range(1, len(marks) + 1)).tolist()
    for mark, text, end, down in zip(marks, texts, ends, downs, strict=True):
        painted, part = _PAINTS[mark.kind]
        half = 0.5 * part * _ROW
        start = max(end - 6.0, canvas.left) if logarithmic else canvas.left
        canvas.above(box_at(start, end, down - half, down + half, painted))
        canvas.above(text_at(end + 5.0, down + 0.35 * FONT, text, anchor="start"))
    return canvas.svg()


def _rows(labels: Sequence[str]) -> Axis:
    """The rows from the top down, one for each label."""
    ticks = tuple(Tick(float(place), label) for place, label in enumerate(labels, start=1))
    return Axis(low=len(labels) + 0.6, high=0.4, ticks=ticks)


def _pair(name: str, curves: tuple[Curve, Curve], x_label: str, y_label: str) -> str:
    values = np.unique(np.concatenate([each.x for each in curves]))
    low, high = _ends(values)
    # Pins at the ends stand apart from the axis.
    margin = 0.03 * (high - low)
    x = linear_axis(low - margin, high + margin, x_label)
    top = 1.05 * max(_ends(each.y)[1] for each in curves)
    canvas = Canvas(name, x, linear_axis(0.0, top, y_label))
    # Bars of two tables are side by side.
    nearest = float(np.diff(values).min(initial=math.inf))
    apart = min(0.18 * nearest, 0.008 * (x.high - x.low))
    for ink, curve, side in zip(("first", "second"), curves, (-1.0, 1.0), strict=True):
        if curve.is_table:
            canvas.pins(curve.x + side * apart, curve.y, ink, heads=ink == "second")
        else:
            canvas.line(curve.x, curve.y, ink)
    return canvas.svg()


def _ends(numbers: Numbers) -> tuple[float, float]:
    """The range of the finite numbers; zeros where there are none."""
    values = np.asarray(numbers)
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
