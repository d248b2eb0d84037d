"""One function for each picture: numbers in, SVG out. Knows no name, label or file of the user's.

Words of the user stand in the legend and the caption, which are text of the page: they wrap, can be
read out, and cannot break a drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pufferfish.checks import FloatArray
from pufferfish.exact import PairResult, PrivacyProfile
from pufferfish.guarantee import Guarantee
from pufferfish.report.columns import Bars
from pufferfish.report.drawing import FONT, drawn
from pufferfish.report.extras import matplotlib
from pufferfish.report.style import LEVELS, dashes_for, ink
from pufferfish.report.views import Curve

__all__ = [
    "Scale",
    "believed",
    "heat_map",
    "histogram",
    "log_ratio",
    "losses",
    "posteriors",
    "privacy",
    "published",
    "scales",
]

# Heat maps of up to so many secrets have a number in each cell.
_MOST_NUMBERED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """One bar of a comparison: its size, and whether its promise holds."""

    std: float
    holds: bool


def believed(name: str, curves: tuple[Curve, Curve]) -> str:
    """What is believed of the value, for each secret."""
    table = curves[0].is_table or curves[1].is_table

    def draw(axes: Any) -> None:
        _pair(axes, curves)
        axes.set_xlabel("value")
        axes.set_ylabel("probability" if table else "density")
        axes.set_ylim(bottom=0.0)

    return drawn(name, draw)


def published(name: str, curves: tuple[Curve, Curve]) -> str:
    """The law of what is published, for each secret."""

    def draw(axes: Any) -> None:
        _pair(axes, curves)
        axes.set_xlabel("published value")
        axes.set_ylabel("density")
        axes.set_ylim(bottom=0.0)

    return drawn(name, draw)


def log_ratio(
    name: str, ratio: Curve, results: tuple[PairResult, PairResult], goal: Guarantee
) -> str:
    """log p/q against ±ε, with the certified enclosure of its two extremes."""

    def draw(axes: Any) -> None:
        axes.axhspan(-goal.epsilon, goal.epsilon, color=ink("level1"), linewidth=0)
        for side, result in ((1.0, results[0]), (-1.0, results[1])):
            if math.isfinite(result.epsilon_upper):
                axes.axhline(
                    side * result.epsilon_upper,
                    color=ink("third"),
                    linestyle=dashes_for("third"),
                    linewidth=1.6,
                )
            if math.isfinite(result.epsilon_lower) and math.isfinite(result.epsilon_upper):
                ends = sorted((side * result.epsilon_lower, side * result.epsilon_upper))
                axes.axhspan(*ends, color=ink("third"), alpha=0.3, linewidth=0)
        _line(axes, ratio.x, ratio.y, "first")
        axes.axhline(0.0, color=ink("faint"), linewidth=0.6)
        extreme = float(np.abs(ratio.y[np.isfinite(ratio.y)]).max(initial=0.0))
        height = 1.3 * max(goal.epsilon, min(extreme, 4.0 * goal.epsilon))
        axes.set_ylim(-height, height)
        axes.set_xlim(ratio.x[0], ratio.x[-1])
        axes.set_xlabel("published value")
        axes.set_ylabel("log of the odds' change")

    return drawn(name, draw)


def privacy(
    name: str, profile: PrivacyProfile, bare: PrivacyProfile | None, goal: Guarantee
) -> str:
    """δ(ε) from both sides, with the goal; on a logarithmic scale where δ > 0 is promised."""
    floor = 0.0 if goal.pure else goal.delta * 1e-3

    def draw(axes: Any) -> None:
        lower, upper = (
            np.maximum(each, floor) for each in (profile.delta_lower, profile.delta_upper)
        )
        axes.fill_between(
            profile.epsilons, lower, upper, color=ink("first"), alpha=0.3, linewidth=0
        )
        _line(axes, profile.epsilons, upper, "first")
        if bare is not None:
            _line(axes, bare.epsilons, np.maximum(bare.delta_upper, floor), "second")
        axes.plot(
            [goal.epsilon],
            [goal.delta],
            marker="D",
            markersize=6,
            color=ink("third"),
            linestyle="none",
            clip_on=False,
            zorder=5,
        )
        if not goal.pure:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_ylim(bottom=floor)
        axes.set_xlim(left=0.0)
        axes.set_xlabel("ε")
        axes.set_ylabel("δ")

    return drawn(name, draw)


def losses(name: str, bounds: Sequence[tuple[float, float]], limit: float, what: str) -> str:
    """Enclosures by number, against what the promise allows."""

    def draw(axes: Any) -> None:
        finite = [upper for _, upper in bounds if math.isfinite(upper)]
        right = 1.15 * max([limit, *finite])
        for place, (lower, upper) in enumerate(bounds, start=1):
            shade = "first" if upper <= limit else "second"
            axes.barh(place, min(upper, right), height=0.6, color=ink(shade), alpha=0.35)
            for end, dashes in ((lower, "dotted"), (upper, "solid")):
                if math.isfinite(end):
                    axes.vlines(end, place - 0.3, place + 0.3, colors=ink(shade), linestyles=dashes)
        axes.axvline(limit, color=ink("third"), linestyle=dashes_for("third"), linewidth=1.6)
        axes.set_yticks(range(1, len(bounds) + 1))
        axes.set_ylim(len(bounds) + 0.6, 0.4)
        axes.set_xlim(0.0, right if right > 0.0 else 1.0)
        axes.set_xlabel(what)

    return drawn(name, draw, height=0.9 + 0.32 * len(bounds))


def posteriors(name: str, priors: FloatArray, lower: FloatArray, upper: FloatArray) -> str:
    """Between which bounds a probability stays, whatever is published."""

    def draw(axes: Any) -> None:
        axes.fill_between(priors, lower, upper, color=ink("level1"), linewidth=0)
        _line(axes, priors, upper, "first")
        _line(axes, priors, lower, "second")
        axes.plot([0.0, 1.0], [0.0, 1.0], color=ink("faint"), linewidth=0.8)
        ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
        axes.set_xticks(ticks, [f"{100 * each:g}%" for each in ticks])
        axes.set_yticks(ticks, [f"{100 * each:g}%" for each in ticks])
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlabel("probability before")
        axes.set_ylabel("after what is published")

    return drawn(name, draw)


def histogram(name: str, bars: Bars) -> str:
    """The published column, and the original where it may be shown."""

    def draw(axes: Any) -> None:
        axes.stairs(bars.released, bars.edges, fill=True, color=ink("first"), alpha=0.25)
        axes.stairs(bars.released, bars.edges, color=ink("first"), linewidth=1.4)
        if bars.original is not None:
            axes.stairs(
                bars.original,
                bars.edges,
                color=ink("second"),
                linewidth=1.4,
                linestyle=dashes_for("second"),
            )
        top = axes.get_ylim()[1]
        axes.set_yticks(axes.get_yticks(), [f"{100 * each:.3g}%" for each in axes.get_yticks()])
        axes.set_ylim(0.0, top)
        axes.set_xlabel("value")
        axes.set_ylabel("share of rows")

    return drawn(name, draw)


def heat_map(name: str, cells: Sequence[tuple[int, int, float]], size: int, limit: float) -> str:
    """The share of what is allowed that each pair uses; secrets by number."""

    def draw(axes: Any) -> None:
        for row, column, value in cells:
            share = min(value / limit, 1.0) if limit > 0.0 else 1.0
            level = min(int(share * len(LEVELS)), len(LEVELS) - 1)
            for x, y in ((row, column), (column, row)):
                axes.add_patch(
                    matplotlib("patches").Rectangle(
                        (x + 0.5, y + 0.5),
                        1.0,
                        1.0,
                        facecolor=ink(LEVELS[level]),
                        edgecolor=ink("paper"),
                        linewidth=0.6,
                    )
                )
                if size <= _MOST_NUMBERED:
                    shade = "paper" if level >= len(LEVELS) - 2 else "ink"
                    axes.text(
                        x + 1,
                        y + 1,
                        f"{value:.2g}",
                        ha="center",
                        va="center",
                        color=ink(shade),
                        fontsize=FONT - 1.5,
                    )
        step = max(1, size // 12)
        ticks = list(range(1, size + 1, step))
        axes.set_xticks(ticks)
        axes.set_yticks(ticks)
        axes.set_xlim(0.5, size + 0.5)
        axes.set_ylim(size + 0.5, 0.5)
        axes.set_aspect("equal")
        axes.set_xlabel("secret (by number)")

    return drawn(name, draw, height=4.2)


def scales(name: str, bars: Sequence[Scale]) -> str:
    """Noise stds side by side, by number; what is not proven in general is hollow."""

    def draw(axes: Any) -> None:
        longest = max(bar.std for bar in bars)
        for place, bar in enumerate(bars, start=1):
            shade = "first" if place == 1 else "faint"
            axes.barh(
                place,
                bar.std,
                height=0.6,
                color=ink(shade) if bar.holds else "none",
                edgecolor=ink(shade),
                linestyle="solid" if bar.holds else (0, (3, 2)),
            )
            axes.text(
                bar.std + 0.01 * longest, place, f"{bar.std:.3g}", va="center", color=ink("ink")
            )
        axes.set_yticks(range(1, len(bars) + 1))
        axes.set_ylim(len(bars) + 0.6, 0.4)
        axes.set_xlim(0.0, 1.15 * longest)
        axes.set_xlabel("std of the noise")

    return drawn(name, draw, height=0.9 + 0.32 * len(bars))


def _pair(axes: Any, curves: tuple[Curve, Curve]) -> None:
    values = np.unique(np.concatenate([each.x for each in curves]))
    # Bars of two tables stand beside each other.
    apart = min(0.18 * float(np.diff(values).min()), 0.008 * float(np.ptp(values)))
    for name, curve, side in zip(("first", "second"), curves, (-1.0, 1.0), strict=True):
        if not curve.is_table:
            _line(axes, curve.x, curve.y, name)
            continue
        moved = curve.x + side * apart
        axes.vlines(moved, 0.0, curve.y, colors=ink(name), linewidth=2.2)
        if name == "second":  # told apart by more than its colour
            axes.plot(moved, curve.y, color=ink(name), marker="o", markersize=3, linestyle="none")


def _line(axes: Any, x: Any, y: Any, name: str) -> None:
    axes.plot(x, y, color=ink(name), linestyle=dashes_for(name), linewidth=1.6)
