"""All engines, and which one a table belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from pufferfish.checks import require
from pufferfish.tables.engine import Engine
from pufferfish.tables.local.engine import ArraysEngine, FilesEngine, FrameEngine
from pufferfish.tables.spark.engine import SparkEngine

__all__ = ["ENGINES", "to_publish", "to_read"]

# The first that takes a table is its engine; the last takes all, and refuses what is no table.
ENGINES: tuple[type[Engine], ...] = (FilesEngine, SparkEngine, ArraysEngine, FrameEngine)


def to_read(data: Any, na: Sequence[str] = ()) -> Engine:
    """The engine of a table that is only read."""
    return _kind(data, na).to_read(data, na=na)


def to_publish(
    data: Any, output: str | PathLike[str] | None, *, na: Sequence[str] = (), force: bool = False
) -> Engine:
    """The engine of a table that is released."""
    return _kind(data, na).to_publish(data, output, na=na, force=force)


def _kind(data: Any, na: Sequence[str]) -> type[Engine]:
    require(
        not na or isinstance(data, str | PathLike),
        "na= is for files; in a frame, make the entries that it names null.",
    )
    return next(each for each in ENGINES if each.takes(data))
