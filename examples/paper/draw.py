"""From a figure to pictures: files that stand alone, and drawings for the page."""

from __future__ import annotations

import io
import re
from typing import Any, Literal

from examples.paper.figure import Figure, Panel, Series
from pufferfish.report.drawing import SIZE, Draw, matplotlib_figure, panels_file
from pufferfish.report.pictures import Picture
from pufferfish.report.style import INKS, Key, dashes_for, ink

__all__ = ["figure_file", "page_pictures"]

# The size of one panel in a file, in inches; the legend is below it.
_PANEL = (5.0, 4.2)
_KEYS: dict[str, Literal["line", "diamond", "area"]] = {
    "line": "line",
    "outline": "line",
    "points": "diamond",
    "bars": "area",
    "band": "area",
}


# What the page's style sheet sets already, or a page does not need.
_SUPERFLUOUS = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>"
    r"| xmlns(:\w+)?=\"[^\"]*\"",
    re.DOTALL,
)
_SIZE = re.compile(r'(<svg[^>]*?) width="[^"]*"| height="[\d.]+pt"')


def figure_file(figure: Figure, kind: str) -> bytes:
    """All panels with titles and legends, as the bytes of a PNG or an SVG."""
    draws = [_draw(panel, alone=True) for panel in figure.panels]
    return panels_file(draws, kind, min(figure.columns, len(draws)), _PANEL)


def page_pictures(figure: Figure) -> tuple[Picture, ...]:
    """Each panel by itself; title, caption and legend are text of the page."""
    return tuple(
        Picture(
            name=f"{figure.name}-{panel.letter}",
            svg=_svg(f"{figure.name}-{panel.letter}", _draw(panel, alone=False)),
            title=_title(panel),
            description=panel.caption,
            keys=tuple(
                Key(each.ink, each.label, _KEYS[each.shape]) for each in panel.series if each.listed
            ),
        )
        for panel in figure.panels
    )


def _svg(name: str, draw: Draw) -> str:
    """The SVG for a page that may hold others: it has no colour, font, size or id of its own."""
    text = io.StringIO()
    with matplotlib_figure([draw], SIZE) as figure:
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = _SIZE.sub(r"\1", _SUPERFLUOUS.sub("", text.getvalue())).strip()
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "var(--font)", svg)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\1{name}-", svg)
    for each, (light, _) in INKS.items():
        svg = svg.replace(light, f"var(--{each})")
    return svg


def _title(panel: Panel) -> str:
    return f"({panel.letter}) {panel.title}"


def _draw(panel: Panel, *, alone: bool) -> Draw:
    def draw(axes: Any) -> None:
        for order, each in enumerate(panel.series):
            _draw_series(axes, each, order)
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        if panel.x_range is not None:
            axes.set_xlim(*panel.x_range)
        if panel.y_range is not None:
            axes.set_ylim(*panel.y_range)
        if panel.x_ticks:
            axes.set_xticks(*zip(*panel.x_ticks, strict=True))
        if panel.y_ticks:
            axes.set_yticks(*zip(*panel.y_ticks, strict=True))
        if alone:
            axes.set_title(_title(panel), loc="left", fontsize="medium", color=ink("ink"))
            _legend(axes, panel)

    return draw


def _legend(axes: Any, panel: Panel) -> None:
    """Put the legend below the axes, where it hides nothing."""
    if any(each.listed for each in panel.series):
        axes.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, -0.2),
            frameon=False,
            labelcolor=ink("ink"),
            fontsize="small",
            handlelength=2.6,
        )


def _draw_series(axes: Any, each: Series, order: int) -> None:
    shade = ink(each.ink)
    common = {"label": each.label if each.listed else "_", "zorder": 2.0 + 0.1 * order}
    if each.shape == "band":
        axes.fill_between(
            each.x, each.y[0], each.y[1], color=shade, linewidth=0, **(common | {"zorder": 0.5})
        )
    elif each.shape == "bars":
        axes.stairs(each.y, each.x, fill=True, color=shade, **common)
    elif each.shape == "outline":
        axes.stairs(
            each.y,
            each.x,
            color=shade,
            linestyle=dashes_for(each.ink),
            linewidth=each.width,
            baseline=None,
            **common,
        )
    elif each.shape == "points":
        axes.plot(
            each.x,
            each.y,
            linestyle="none",
            marker="D",
            markersize=4.5,
            color=shade,
            clip_on=False,
            **common,
        )
    else:
        axes.plot(
            each.x,
            each.y,
            color=shade,
            linestyle=dashes_for(each.ink),
            linewidth=each.width,
            **common,
        )
    if each.note:
        axes.annotate(
            each.note,
            (each.x[0], each.y[0]),
            xytext=(-8, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=shade,
            annotation_clip=False,
        )
