"""The libraries behind the page, imported only when it is opened, and how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pufferfish.errors import MissingExtraError

__all__ = ["module"]


def module(name: str) -> Any:
    """A library of the studio, or a part of one."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(
            f"the studio needs {name.partition('.')[0]}; install the extra: pip install "
            "'pufferfish-privacy[studio]'."
        ) from None
