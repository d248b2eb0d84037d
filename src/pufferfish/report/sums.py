"""A picture of the noise scale against the number of users: the paper's Fig. 2, and more."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pufferfish.core.errors import InvalidInputError
from pufferfish.report.drawing import picture_file
from pufferfish.report.style import ink
from pufferfish.sums import ScaleCurve

__all__ = ["draw_scale_curves", "picture_kind"]

_KINDS = ("png", "svg")
_SHADES = ("first", "second", "third", "level5", "faint")
# From this many users on, their number is drawn on a logarithmic axis.
_MANY = 60


def picture_kind(path: Path) -> str:
    """The format of a picture, by the ending of its name: png or svg."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in _KINDS:
        raise InvalidInputError(
            f"the name of a picture must end in .png or .svg, got {path.name!r}."
        )
    return kind


def draw_scale_curves(curves: tuple[ScaleCurve, ...], kind: str) -> bytes:
    """The paper's scale dashed, the exact one solid, one colour for each std."""

    def draw(axes: Any) -> None:
        for curve, shade in zip(curves, _SHADES, strict=False):
            label = f"std {math.sqrt(curve.variance):.4g}"
            axes.plot(curve.users, curve.exact, color=ink(shade), label=f"{label}, exact")
            if curve.paper is not None:
                axes.plot(
                    curve.users,
                    curve.paper,
                    color=ink(shade),
                    linestyle="dashed",
                    label=f"{label}, the paper's bound",
                )
        if max(curve.users[-1] for curve in curves) > _MANY:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel("number of users, all alike")
        axes.set_ylabel("scale of the noise")
        axes.legend(frameon=False, labelcolor=ink("ink"))

    return picture_file(draw, kind)
