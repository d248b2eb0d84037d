"""From a page as data to one HTML file: no script, no network, nothing outside the file."""

from __future__ import annotations

from functools import cache
from typing import Any

from pufferfish.report.pictures import Picture
from pufferfish.report.sections import Page
from pufferfish.report.templates import templates

__all__ = ["fragment", "render"]


def render(page: Page) -> str:
    """The whole file."""
    text: str = _template("page.html.j2").render(page=page)
    return text


def fragment(title: str, rows: list[tuple[str, str]], picture: Picture | None, note: str) -> str:
    """A compact table and a small picture, for a notebook."""
    text: str = _template("fragment.html.j2").render(
        title=title, rows=rows, picture=picture, note=note
    )
    return text


@cache
def _environment() -> Any:
    return templates("pufferfish.report")


def _template(name: str) -> Any:
    return _environment().get_template(name)
