"""The rows of a file, as far as a summary needs them, and a single column."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pufferfish.checks import FloatArray
from pufferfish.tables.arrow import arrow_batch, arrow_numbers
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.reading import opened
from pufferfish.tables.tally import Batch

__all__ = ["Progress", "column_parts", "column_values", "file_batches"]

# Told the share of the work that is done.
Progress = Callable[[float], None]


def file_batches(
    path: str,
    format_: FileFormat,
    column: str,
    secret: str,
    count: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Batch]:
    """Values and secrets, some rows at a time."""
    wanted = [column, secret, *([] if count is None else [count])]
    with opened(path, format_, wanted, column) as table:
        for part in table.parts:
            yield arrow_batch(part, column, secret, count)
            if progress is not None and table.progress is not None:
                progress(table.progress)


def column_values(path: str, format_: FileFormat, column: str) -> FloatArray:
    """The numbers of one column; nan where one is missing."""
    return np.concatenate([*column_parts(path, format_, column), np.empty(0)])


def column_parts(path: str, format_: FileFormat, column: str) -> Iterator[FloatArray]:
    """The numbers of one column, some rows at a time; nan where one is missing."""
    with opened(path, format_, [column], column) as table:
        for part in table.parts:
            yield arrow_numbers(column, part.column(column))
