"""All rows of arrays, frames and files as batches, in their order, and their number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from pufferfish.tables.arrays import array_batch
from pufferfish.tables.arrow import BATCH, arrow_batch
from pufferfish.tables.batch import Batch
from pufferfish.tables.formats import format_of
from pufferfish.tables.local.frames import collect_frame, native, to_arrow
from pufferfish.tables.local.pieces import open_table
from pufferfish.tables.names import check_columns

__all__ = ["every_row", "row_count"]


def every_row(
    data: Any, numbers: tuple[str, ...], labels: tuple[str, ...], na: Sequence[str] = ()
) -> Iterator[Batch]:
    """All rows, some at a time, without secrets: to read these, name their columns.

    Args:
        data: A frame, a file's path, or a dict of arrays.
        numbers: Columns that are read as numbers.
        labels: Columns that are read as labels.
        na: Texts of a file that mean a missing value.
    """
    names = [*numbers, *labels]
    if isinstance(data, str | PathLike):
        path = fspath(data)
        with open_table(path, format_of(path, na=na), names, numbers, labels) as table:
            for piece in table.pieces:
                with piece.naming():
                    yield arrow_batch(piece.rows, numbers, None, labels)
    elif isinstance(data, Mapping):
        check_columns(list(data), *names)
        yield array_batch(data, numbers, None, labels)
    else:
        given = native(data)
        check_columns(given.collect_schema().names(), *names)
        table = to_arrow(collect_frame(given.select(*names)), *numbers)
        for part in table.to_batches(max_chunksize=BATCH):
            yield arrow_batch(part, numbers, None, labels)


def row_count(data: Any, column: str) -> int:
    """The number of rows of a table, which has this column."""
    if isinstance(data, str | PathLike):
        path = fspath(data)
        with open_table(path, format_of(path), [column], ()) as table:
            return sum(piece.rows.num_rows for piece in table.pieces)
    if isinstance(data, Mapping):
        check_columns(list(data), column)
        return len(data[column])
    given = native(data)
    check_columns(given.collect_schema().names(), column)
    return len(collect_frame(given.select(column)))
