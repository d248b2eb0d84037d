"""One verb for every kind of table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from pufferfish.checks import require
from pufferfish.tables.arrays import array_batch
from pufferfish.tables.files import Progress, each_batch
from pufferfish.tables.formats import FileFormat, format_of
from pufferfish.tables.frames import frame_batches
from pufferfish.tables.names import check_columns
from pufferfish.tables.one_row import OneRow, Way, reduced_arrays, reduced_frame
from pufferfish.tables.spark import is_spark, reduced_spark, spark_summary
from pufferfish.tables.summary import Summary
from pufferfish.tables.tally import MOST_VALUES, Batch, Tally

__all__ = ["batches", "summarise", "summarise_files"]


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
) -> Summary:
    """How often each value of a column occurs for each secret.

    Exact up to `most_values` distinct values. Beyond, values are rounded to the centres of bins
    [n·2^k, (n+1)·2^k), as fine as the limit allows, and half a bin is carried on as a radius.

    Args:
        data: A frame (pandas, Polars eager or lazy, PyArrow), the path of a file (CSV, Parquet,
            Arrow), of a folder of such files or a pattern for their names, all with the extra
            `frames`; a Spark frame, with the extra `spark`; or a dict of arrays.
        column: The numeric column.
        secret: The column of the secret: text, whole numbers or truth values.
        count: A column that says how many records each row stands for; None: one.
        most_values: Distinct values up to which the counts are exact.
        person: With `one_row`: the column that says which rows are one person's.
        one_row: Count each person once: by its "first" row, or by the "mean" of its values.
        na: Texts of a file that stand for a missing value or secret, such as "NA"; besides these
            only null, nan and empty text are missing. In a frame, make such entries null.

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
        "count= does not go with one_row=: a row that stands for several records is no person's.",
    )
    if isinstance(data, str | PathLike):
        path = fspath(data)
        return summarise_files(
            path, format_of(path, na=na), column, secret, count, most_values, one_row=reduce
        )
    require(not na, "na= is for files; in a frame, make the entries that it names null.")
    if is_spark(data):
        table = data if reduce is None else reduced_spark(data, reduce)
        return spark_summary(table, column, secret, count, most_values)
    if reduce is not None:
        arrays = isinstance(data, Mapping)
        data = reduced_arrays(data, reduce) if arrays else reduced_frame(data, reduce)
    tally = Tally(column, secret, most_values, numbered=reduce is None)
    for batch in batches(data, column, secret, count):
        tally.add(batch)
    return tally.summary()


def summarise_files(
    path: str,
    format_: FileFormat,
    column: str,
    secret: str,
    count: str | None = None,
    most_values: int = MOST_VALUES,
    progress: Progress | None = None,
    one_row: OneRow | None = None,
) -> Summary:
    """`summarise` for files of a given format; `progress` is told the share that was read."""
    tally = Tally(column, secret, most_values)
    for part in each_batch(path, format_, column, secret, count, tally.counted, progress, one_row):
        tally.merge(part)
    return tally.summary()


def _one_row(column: str, secret: str, person: str | None, way: Way | None) -> OneRow | None:
    require(
        (person is None) == (way is None),
        "person= and one_row= belong together: whose rows become one, and how.",
    )
    if person is None or way is None:
        return None
    return OneRow(person=person, column=column, secret=secret, way=way)


def batches(
    data: Any,
    column: str,
    secret: str,
    count: str | None = None,
    na: Sequence[str] = (),
    one_row: OneRow | None = None,
) -> Iterable[Batch]:
    """The rows of any kind of table, some at a time; with `one_row` one for each person.

    `na` is as for `summarise`.
    """
    if isinstance(data, str | PathLike):
        path = fspath(data)
        format_ = format_of(path, na=na)
        return each_batch(path, format_, column, secret, count, _itself, one_row=one_row)
    if not isinstance(data, Mapping):
        frame = data if one_row is None else reduced_frame(data, one_row)
        return frame_batches(frame, column, secret, count)
    check_columns(list(data), column, secret, count)
    return [
        array_batch(
            data if one_row is None else reduced_arrays(data, one_row), column, secret, count
        )
    ]


def _itself(batch: Batch, before: int | None) -> Batch:
    return batch
