"""The frontier as a picture of its own: errors, and guesses, against ε."""

from __future__ import annotations

import math
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.insight.frontier import Frontier
from pufferfish.insight.guesses import accuracy_allowed
from pufferfish.report.drawing import panels_file
from pufferfish.report.style import dashes_for, ink
from pufferfish.words.numbers import at_most

__all__ = ["frontier_picture"]

_INKS = ("second", "fourth", "first", "third", "level3", "ink")
_MARKS = ("o", "v", "s", "D", "^", "x")
_SIZE = (6.2, 4.6)
# An error of more than this many times that of the constant is beyond the picture.
_ROOM = 1.3


def frontier_picture(found: Frontier, kind: str) -> bytes:
    """Two panels: the error of each way, up to that of a constant, and how often guesses hit.

    From each error a thin line leads to the ε on held-out rows; an arrow at the right edge means
    that nothing bounds it.

    Args:
        found: The frontier.
        kind: "svg" or "png".
    """
    return panels_file(
        [lambda axes: _errors(axes, found), lambda axes: _guesses(axes, found)], kind, 2, _SIZE
    )


def _errors(axes: Any, found: Frontier) -> None:
    top = _ROOM * found.constant_rmse
    right = 2.0 * max(found.epsilons)
    for place, way in enumerate(found.ways):
        entries = [each for each in found.entries if each.way == way]
        _line(axes, place, way, [(each.goal.epsilon, each.rmse) for each in entries])
        for each in entries:
            if each.held_out is None or each.rmse > top:
                continue
            other = each.held_out.epsilon
            end = min(other, right) if math.isfinite(other) else right
            beyond = end == right
            axes.plot(
                [each.goal.epsilon, end],
                [each.rmse, each.rmse],
                color=ink(_INKS[place % len(_INKS)]),
                linewidth=0.7,
                marker=">" if beyond else "|",
                markevery=[1],
                markersize=5,
                clip_on=False,
            )
    axes.axhline(found.constant_rmse, color=ink("faint"), linewidth=1.2)
    axes.annotate(
        "one constant for everybody",
        (1.0, found.constant_rmse),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 3),
        textcoords="offset points",
        ha="right",
        color=ink("faint"),
    )
    _epsilon_axis(axes, found, right)
    if any(each.held_out is not None for each in found.entries):
        axes.set_xlabel("ε, logarithmic; a thin line leads to the ε on held-out rows")
    axes.set_ylim(0.0, top)
    axes.set_ylabel("error of a published value")
    axes.legend(frameon=False, labelcolor=ink("ink"), fontsize="small", loc="lower left")


def _guesses(axes: Any, found: Frontier) -> None:
    for place, way in enumerate(found.ways):
        points = [
            (each.goal.epsilon, 100 * each.guess) for each in found.entries if each.way == way
        ]
        _line(axes, place, "_" + way, points)
    allowed = [100 * accuracy_allowed(Guarantee(each, found.delta)) for each in found.epsilons]
    value = 100 * found.guess_of_values
    axes.plot(
        found.epsilons, allowed, color=ink("faint"), linewidth=1.2, label="the promise allows"
    )
    axes.axhline(
        value,
        color=ink("faint"),
        linewidth=1.0,
        linestyle=dashes_for("third"),
        label="with the true value" + (" (an upper bound)" if found.by_heart else ""),
    )
    _epsilon_axis(axes, found, 1.25 * max(found.epsilons))
    # At large ε the allowed range would squeeze all else into one line.
    axes.set_ylim(50.0, min(max(50.0 + 1.6 * (value - 50.0), 55.0), 100.0))
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:g}%")
    axes.set_ylabel("best guess of two secrets is right")
    axes.legend(frameon=False, labelcolor=ink("ink"), fontsize="small", loc="upper left")


def _line(axes: Any, place: int, name: str, points: list[tuple[float, float]]) -> None:
    chosen = _INKS[place % len(_INKS)]
    axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=ink(chosen),
        linestyle=dashes_for(chosen),
        linewidth=1.6,
        marker=_MARKS[place % len(_MARKS)],
        markersize=5,
        label=name,  # a label that begins with an underscore is not listed
    )


def _epsilon_axis(axes: Any, found: Frontier, right: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(0.8 * min(found.epsilons), right)
    axes.set_xticks(found.epsilons, [at_most(each) for each in found.epsilons])
    axes.minorticks_off()
    axes.set_xlabel("ε, logarithmic")
