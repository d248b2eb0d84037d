"""Plotting and templates, imported only when a report is made, and how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pufferfish.errors import MissingExtraError

__all__ = ["check_extras", "jinja2", "matplotlib"]


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(
            f"a report needs {name.partition('.')[0]}; install the extra: pip install "
            "'pufferfish-privacy[report]'."
        ) from None


def matplotlib(part: str | None = None) -> Any:
    """The library that draws, or a part of it."""
    return _module("matplotlib" if part is None else f"matplotlib.{part}")


def jinja2() -> Any:
    """The library that fills in templates."""
    return _module("jinja2")


def check_extras() -> None:
    """Refuse to begin what could not be finished."""
    matplotlib()
    jinja2()
