"""Engines that are imported only when needed, and how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pufferfish.errors import MissingExtraError

__all__ = ["narwhals", "pyarrow", "pyspark"]


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(
            f"frames and files need {name}; install the extra: pip install "
            "'pufferfish-privacy[frames]'. Without it, give a dict of arrays: "
            "{'column': values, 'secret': secrets}."
        ) from None


def narwhals() -> Any:
    """The library that gives all kinds of frames one interface."""
    return _module("narwhals")


def pyarrow(part: str | None = None) -> Any:
    """The library that every frame and every file is read through, or a part of it."""
    return _module("pyarrow" if part is None else f"pyarrow.{part}")


def pyspark(part: str) -> Any:
    """A part of Spark's Python library."""
    try:
        return import_module(f"pyspark.{part}")
    except ImportError:
        raise MissingExtraError(
            "Spark needs pyspark; install the extra: pip install 'pufferfish-privacy[spark]'. It "
            "needs Java 17 or newer, too."
        ) from None
