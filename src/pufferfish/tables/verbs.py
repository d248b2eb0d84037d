"""Verbs for every kind of table: all engines, and the choice of the one for a table."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal

from pufferfish.beliefs.labels import Label
from pufferfish.core.validation import require
from pufferfish.tables.coding import Coding
from pufferfish.tables.counts import Counts
from pufferfish.tables.engine import Engine
from pufferfish.tables.local.engine import ArraysEngine, FilesEngine, FrameEngine
from pufferfish.tables.one_row import OneRow, Way
from pufferfish.tables.spark.engine import SparkEngine
from pufferfish.tables.tally import MOST_VALUES, Counting

__all__ = ["ENGINES", "category_orders", "column_kinds", "count", "summarise"]
__all__ += ["to_publish", "to_read"]

# The first that takes a table is its engine; the last takes everything, and refuses non-tables.
ENGINES: tuple[type[Engine], ...] = (FilesEngine, SparkEngine, ArraysEngine, FrameEngine)


def summarise(
    data: Any,
    *,
    column: str,
    secret: str,
    count: str | None = None,
    most_values: int = MOST_VALUES,
    person: str | None = None,
    one_row: Way | None = None,
    na: Sequence[str] = (),
) -> Counts:
    """How often each value of a column occurs for each secret.

    The counts are exact up to `most_values` distinct values. Beyond, values are rounded to the
    centres of bins [n·2^k, (n+1)·2^k), as fine as the limit permits, and half a bin becomes the
    radius of the beliefs.

    Args:
        data: A frame (pandas, Polars eager or lazy, PyArrow), with the extra `frames`; the path of
            a file (CSV, Parquet, Arrow), of a folder of such files or a pattern for their names; a
            Spark frame, with the extra `spark`; or a dict of arrays.
        column: The numeric column.
        secret: The column of the secret: text, whole numbers or truth values.
        count: A column that says how many records each row represents; None: one.
        most_values: Up to this many distinct values the counts are exact.
        person: With `one_row`: the column that says which rows belong to one person.
        one_row: Count each person once: by its "first" row, or by the "mean" of its values.
        na: Texts of a file that mean a missing value or secret, such as "NA"; otherwise only null,
            nan and empty text are missing. In a frame, make such entries null.

    Raises:
        InvalidInputError: A column that is not there or not of the right kind, a row without a
            secret, an infinite value.
    """
    for name, given in (("column", column), ("secret", secret)):
        require(isinstance(given, str), f"{name} must be a column's name, got {given!r}.")
    require(column != secret, f"column and secret are both {column!r}; they must differ.")
    reduce = _one_row(column, secret, person, one_row)
    require(
        reduce is None or count is None,
        "count= cannot be used with one_row=: a row of several records is not one person's row.",
    )
    more: dict[str, Any] = {"count": count, "most_values": most_values, "one_row": reduce}
    return to_read(data, na).fold(Counting.of_column(column, secret, **more))


def count(data: Any, codings: Sequence[Coding], na: Sequence[str] = ()) -> Counts:
    """How often each combination of labels occurs.

    Args:
        data: As for `summarise`.
        codings: The columns, and the public rules by which their entries become labels.
        na: As for `summarise`.

    Raises:
        InvalidInputError: A column that is not there or not of the right kind, an infinite number,
            or more combinations than are counted.
    """
    return to_read(data, na).fold(Counting(codings=tuple(codings)))


def column_kinds(
    data: Any, names: Sequence[str], na: Sequence[str] = ()
) -> dict[str, Literal["number", "label", "date"]]:
    """How columns of any table would naturally be read; a CSV is read to find out."""
    return {name: kind.read for name, kind in to_read(data, na).kinds(names).items()}


def category_orders(data: Any, names: Sequence[str]) -> dict[str, tuple[Label, ...]]:
    """The order of the labels of the columns that hold declared categories."""
    kinds = to_read(data).kinds(names)
    return {name: kind.order for name, kind in kinds.items() if kind.order}


def _one_row(column: str, secret: str, person: str | None, way: Way | None) -> OneRow | None:
    require(
        (person is None) == (way is None),
        "person= and one_row= belong together: name the person, and say which row stands for them.",
    )
    if person is None or way is None:
        return None
    return OneRow(person=person, column=column, secret=secret, way=way)


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
