"""Templates and plotting, imported only where they are needed, and how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pufferfish.errors import MissingExtraError

__all__ = ["check_extras", "jinja2", "matplotlib"]


def _module(name: str, what: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(
            f"{what} needs {name.partition('.')[0]}; install the extra: pip install "
            "'pufferfish-privacy[report]'."
        ) from None


def matplotlib(part: str | None = None) -> Any:
    """The library that draws picture files and the pages of the paper, or a part of it."""
    return _module("matplotlib" if part is None else f"matplotlib.{part}", "this picture")


def jinja2() -> Any:
    """The library that fills in templates."""
    return _module("jinja2", "a report")


def check_extras() -> None:
    """Refuse to begin a report that could not be finished; its own pictures need no library."""
    jinja2()
