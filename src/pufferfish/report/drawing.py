"""From a function that draws to an SVG of a page, or to a picture file: one style for all."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pufferfish.core.extras import matplotlib
from pufferfish.report.style import ink, light_inks, with_variables

__all__ = ["FONT", "Draw", "draw_svg", "panels_file", "picture_file"]

Draw = Callable[[Any], None]

_WIDTH, _HEIGHT = 4.6, 2.9
# How much larger a picture of its own is, and its letters; they are read at half the size.
_ALONE = 1.4
_FONT_ALONE = 12.0
FONT = 10.0
_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pufferfish",
    "font.size": FONT,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": "medium",
    "ytick.labelsize": "medium",
    "text.parse_math": False,
}
# What the page's style sheet sets already, or a page does not need.
_SUPERFLUOUS = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>"
    r"| xmlns(:\w+)?=\"[^\"]*\"",
    re.DOTALL,
)
_SIZE = re.compile(r'(<svg[^>]*?) width="[^"]*"| height="[\d.]+pt"')


def draw_svg(name: str, draw: Draw, height: float = _HEIGHT) -> str:
    """The SVG for a page that may hold others: it has no colour, font, size or id of its own."""
    text = io.StringIO()
    with _figure([draw], (_WIDTH, height)) as figure:
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = _SIZE.sub(r"\1", _SUPERFLUOUS.sub("", text.getvalue())).strip()
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "var(--font)", svg)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\1{name}-", svg)
    return with_variables(svg)


def picture_file(draw: Draw, kind: str) -> bytes:
    """A picture of its own, as the bytes of a PNG or an SVG."""
    return _file([draw], kind, (_ALONE * _WIDTH, _ALONE * _HEIGHT))


def panels_file(draws: Sequence[Draw], kind: str, columns: int, size: tuple[float, float]) -> bytes:
    """Panels of this `size` in `columns` columns, as the bytes of a PNG or an SVG."""
    return _file(draws, kind, size, columns, _FONT_ALONE)


def _file(
    draws: Sequence[Draw],
    kind: str,
    size: tuple[float, float],
    columns: int = 1,
    font: float = FONT,
) -> bytes:
    data = io.BytesIO()
    with light_inks(), _figure(draws, size, columns, font) as figure:
        dated = {"metadata": {"Date": None}} if kind == "svg" else {}
        figure.savefig(data, format=kind, dpi=200, facecolor=ink("paper"), **dated)
    return data.getvalue()


@contextlib.contextmanager
def _figure(
    draws: Sequence[Draw], size: tuple[float, float], columns: int = 1, font: float = FONT
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
