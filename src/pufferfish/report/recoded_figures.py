"""The drawings of a recoding: its table, and its error for other promises. Numbers in, SVG out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.report.canvas import Canvas, paint
from pufferfish.report.style import LEVELS
from pufferfish.report.ticks import Axis, Tick, linear_axis, log_axis, number

__all__ = ["MAP_STEPS", "error_figure", "map_figure"]

# The largest probability of each level. A linear scale would hide all small ones.
MAP_STEPS = (0.001, 0.01, 0.05, 0.2, 0.5, 1.0)
# Smaller probabilities are not drawn.
_LEAST = 1e-6
# Values with a tick of their own.
_MOST_TICKS = 20
# Errors of more than this many times the largest error of interest are beyond the picture.
_ROOM = 1.25


def map_figure(
    name: str,
    chances: FloatArray,
    values: Sequence[float | None],
    outputs: Sequence[float | None],
) -> str:
    """How likely each value (vertical) is published as each output (horizontal), in steps."""
    canvas = Canvas(
        name,
        _listed(outputs, "published value"),
        _listed(values, "true value"),
        height=330,
        square=True,
    )
    rights = canvas.rights([each + 0.5 for each in range(len(outputs) + 1)]).round(2).tolist()
    downs = canvas.downs([each + 0.5 for each in range(len(values) + 1)]).round(2).tolist()
    # 0 where nothing is drawn; level k otherwise, counted from 1.
    steps = np.where(chances > _LEAST, np.searchsorted(MAP_STEPS, chances) + 1, 0)
    paths: list[list[str]] = [[] for _ in range(len(LEVELS) + 1)]
    for row, found in enumerate(steps.tolist()):
        start = 0
        for level, run in groupby(found):
            stop = start + len(list(run))
            paths[level].append(
                f"M{rights[start]:g} {downs[row]:g}H{rights[stop]:g}V{downs[row + 1]:g}"
                f"H{rights[start]:g}Z"
            )
            start = stop
    for level, parts in zip(LEVELS, paths[1:], strict=True):
        if parts:
            canvas.above(f'<path d="{"".join(parts)}" {paint(fill=level)}/>')
    return canvas.svg()


def error_figure(
    name: str,
    epsilons: Sequence[float],
    errors: Sequence[float],
    noise: Sequence[float | None],
    constant: float,
    chosen: int,
    held_out: Sequence[float | None],
) -> str:
    """Errors against ε, one of them chosen; at the height of each, the ε on held-out rows."""
    found = [each for each in held_out if each is not None and np.isfinite(each)]
    x = log_axis(min([*epsilons, *found]), max([*epsilons, *found]), "ε, logarithmic")
    top = _ROOM * max([constant, *errors])
    canvas = Canvas(name, x, linear_axis(0.0, top, "error of a value"))
    canvas.level(constant, "faint", 1.0)
    canvas.line(epsilons, [np.nan if each is None else each for each in noise], "second")
    canvas.line(epsilons, errors, "first")
    for promised, error, other in zip(epsilons, errors, held_out, strict=True):
        if other is not None and np.isfinite(other):
            canvas.line([promised, other], [error, error], "faint", 0.8)
            # A vertical stroke: its shape tells it from the promise for readers who see no colour.
            ends = [error - 0.03 * top, error + 0.03 * top]
            canvas.line([other, other], ends, "fourth", 2.2, dashes=())
    canvas.diamond(epsilons[chosen], errors[chosen], "third")
    return canvas.svg()


def _listed(values: Sequence[float | None], label: str) -> Axis:
    """An axis of values by rank, with a tick for some; a missing value has a tick, a dash."""
    step = -(-len(values) // _MOST_TICKS)
    ticks = tuple(
        Tick(float(place), "–" if value is None else number(value, 4))
        for place, value in enumerate(values, start=1)
        if value is None or (place - 1) % step == 0
    )
    return Axis(low=0.5, high=len(values) + 0.5, ticks=ticks, label=label)
