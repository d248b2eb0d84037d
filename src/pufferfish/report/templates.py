"""Templates of pages, with one style sheet for all of them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from pufferfish.core.extras import jinja2
from pufferfish.report.style import css_variables

__all__ = ["templates"]


def templates(*packages: str) -> Any:
    """The templates in the folders of some packages; the first folder that has a name counts."""

    def source(name: str) -> str | None:
        for package in packages:
            place = files(package).joinpath(name)
            if place.is_file():
                return place.read_text(encoding="utf-8")
        return None

    engine = jinja2()
    environment = engine.Environment(
        loader=engine.FunctionLoader(source),
        autoescape=True,
        undefined=engine.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"light": css_variables(dark=False), "dark": css_variables(dark=True)}
    return environment
