"""The names of the columns of a table of files, and the numbers of one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.tables.arrow import arrow_numbers
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local.pieces import open_table
from pufferfish.tables.local.reading import open_file
from pufferfish.tables.sources import find_source

__all__ = ["column_names", "column_parts", "column_values"]


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
