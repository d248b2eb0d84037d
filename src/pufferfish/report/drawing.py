"""From a function that draws to a picture file: one style for all."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pufferfish.core.extras import matplotlib
from pufferfish.report.style import ink

__all__ = ["SIZE", "Draw", "matplotlib_figure", "panels_file", "picture_file"]

Draw = Callable[[Any], None]

# Width and height of a picture in inches.
SIZE = 4.6, 2.9
# How much larger a picture of its own is, and its letters; they are read at half the size.
_ALONE = 1.4
_FONT_ALONE = 12.0
_FONT = 10.0
_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pufferfish",
    "font.size": _FONT,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": "medium",
    "ytick.labelsize": "medium",
    "text.parse_math": False,
}


def picture_file(draw: Draw, kind: str) -> bytes:
    """A picture of its own, as the bytes of a PNG or an SVG."""
    return _file([draw], kind, (_ALONE * SIZE[0], _ALONE * SIZE[1]))


def panels_file(draws: Sequence[Draw], kind: str, columns: int, size: tuple[float, float]) -> bytes:
    """Panels of this `size` in `columns` columns, as the bytes of a PNG or an SVG."""
    return _file(draws, kind, size, columns, _FONT_ALONE)


def _file(
    draws: Sequence[Draw],
    kind: str,
    size: tuple[float, float],
    columns: int = 1,
    font: float = _FONT,
) -> bytes:
    data = io.BytesIO()
    with matplotlib_figure(draws, size, columns, font) as figure:
        dated = {"metadata": {"Date": None}} if kind == "svg" else {}
        figure.savefig(data, format=kind, dpi=200, facecolor=ink("paper"), **dated)
    return data.getvalue()


@contextlib.contextmanager
def matplotlib_figure(
    draws: Sequence[Draw], size: tuple[float, float], columns: int = 1, font: float = _FONT
) -> Iterator[Any]:
    """Panels in rows of `columns` columns, each of this size in inches."""
    rows = -(-len(draws) // columns)
    with matplotlib().rc_context():
        # Independent of the style that somebody has chosen for their own pictures.
        matplotlib().rcdefaults()
        matplotlib().rcParams.update(_SETTINGS | {"font.size": font})
        figure = matplotlib("figure").Figure(
            figsize=(columns * size[0], rows * size[1]), layout="constrained"
        )
        for place, draw in enumerate(draws, start=1):
            axes = figure.add_subplot(rows, columns, place)
            axes.locator_params(axis="x", nbins=6)
            draw(axes)
            axes.tick_params(which="both", color=ink("faint"), labelcolor=ink("ink"))
            for spine in axes.spines.values():
                spine.set_color(ink("faint"))
            axes.xaxis.label.set_color(ink("ink"))
            axes.yaxis.label.set_color(ink("ink"))
        yield figure
