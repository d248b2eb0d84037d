"""The columns of a table of files that a summary needs, and a single column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeVar

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.tables.arrow import arrow_batch, arrow_numbers
from pufferfish.tables.batch import Batch
from pufferfish.tables.engine import Progress
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local.one_row import reduce_table
from pufferfish.tables.local.pieces import Piece, open_table
from pufferfish.tables.local.pool import in_order
from pufferfish.tables.local.reading import open_file
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.sources import find_source

__all__ = ["column_names", "column_parts", "column_values", "each_batch"]

_Result = TypeVar("_Result")


def each_batch(
    path: str,
    format_: FileFormat,
    column: str,
    secret: str,
    count: str | None,
    work: Callable[[Batch, int | None], _Result],
    progress: Progress | None = None,
    one_row: OneRow | None = None,
) -> Iterator[_Result]:
    """The results of `work` on values and secrets, some rows at a time, in the table's order.

    `work` is also given the number of rows before these in their file (None where it is unknown),
    and called in several threads at a time. With `one_row` each person is one row.
    """
    wanted = [column, secret, *([] if count is None else [count])]
    if one_row is not None:
        wanted = one_row.read

    def worked(piece: Piece) -> tuple[_Result, float | None]:
        with piece.naming():
            batch = arrow_batch(piece.rows, (column,), secret, count=count)
            return work(batch, piece.before), piece.progress

    with open_table(path, format_, wanted, (column,), (secret,)) as table:
        pieces = table.pieces if one_row is None else reduce_table(table, one_row, None).pieces
        with closing(in_order(pieces, worked)) as results:
            for result, share in results:
                yield result
                if progress is not None and share is not None:
                    progress(share)


def column_values(path: str, format_: FileFormat, column: str) -> FloatArray:
    """The numbers of one column; nan where one is missing."""
    return np.concatenate([*column_parts(path, format_, column), np.empty(0)])


def column_names(path: str, format_: FileFormat, column: str | None = None) -> tuple[str, ...]:
    """All columns of a table, with those that are names of its folders.

    Args:
        path: A file, a folder or a pattern.
        format_: The format of the files.
        column: One of them, which must hold numbers.
    """
    source = find_source(path)
    found: list[str] = []
    wanted = None if column is None else [column]
    for file in source.files:
        with open_file(file.path, format_, wanted, tuple(wanted or ())) as table:
            found += table.names
    return tuple(dict.fromkeys([*found, *source.keys]))


def column_parts(path: str, format_: FileFormat, column: str) -> Iterator[FloatArray]:
    """The numbers of one column, some rows at a time; nan where one is missing."""
    with open_table(path, format_, [column], (column,)) as table:
        for piece in table.pieces:
            with piece.naming():
                numbers = arrow_numbers(column, piece.rows.column(column))
            yield numbers
