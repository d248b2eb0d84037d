"""From a figure to pictures: files that stand alone, and drawings for the page."""

from __future__ import annotations

from typing import Any, Literal

from pufferfish.paper.figure import Figure, Panel, Series
from pufferfish.report.drawing import Draw, draw_svg, panels_file
from pufferfish.report.pictures import Picture
from pufferfish.report.style import Key, dashes_for, ink

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


def figure_file(figure: Figure, kind: str) -> bytes:
    """All panels with titles and legends, as the bytes of a PNG or an SVG."""
    draws = [_draw(panel, alone=True) for panel in figure.panels]
    return panels_file(draws, kind, min(figure.columns, len(draws)), _PANEL)


def page_pictures(figure: Figure) -> tuple[Picture, ...]:
    """Each panel by itself; title, caption and legend are text of the page."""
    return tuple(
        Picture(
            name=f"{figure.name}-{panel.letter}",
            svg=draw_svg(f"{figure.name}-{panel.letter}", _draw(panel, alone=False)),
            title=_title(panel),
            description=panel.caption,
            keys=tuple(
                Key(each.ink, each.label, _KEYS[each.shape]) for each in panel.series if each.listed
            ),
        )
        for panel in figure.panels
    )


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
