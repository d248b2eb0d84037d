"""Some cells of a table, by column and number of row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from pufferfish.tables.formats import format_of
from pufferfish.tables.frames import collected, frame_columns, native
from pufferfish.tables.names import check_columns
from pufferfish.tables.pieces import opened_table
from pufferfish.tables.rows import Columns, plain_columns, taken
from pufferfish.tables.summary import IntArray

__all__ = ["cells_at"]


def cells_at(data: Any, names: Sequence[str], numbers: str, rows: IntArray) -> Columns:
    """The cells of some columns in some rows.

    Args:
        data: A frame, a file's path, or a dict of arrays.
        names: The columns.
        numbers: The column of the table that must hold numbers.
        rows: Numbers of rows, counted from 0, in increasing order.
    """
    if isinstance(data, str | PathLike):
        return _file_cells(fspath(data), names, numbers, rows)
    if isinstance(data, Mapping):
        check_columns(list(data), *names)
        return {name: np.asanyarray(data[name])[rows].tolist() for name in names}
    given = native(data)
    check_columns(given.collect_schema().names(), *names)
    return frame_columns(collected(given.select(*names)), 0, rows)


def _file_cells(path: str, names: Sequence[str], numbers: str, rows: IntArray) -> Columns:
    found: Columns = {name: [] for name in names}
    before = 0
    wanted = list(dict.fromkeys([numbers, *names]))
    with opened_table(path, format_of(path), wanted, numbers) as table:
        for piece in table.pieces:
            batch = piece.rows.select(list(names))
            start, end = np.searchsorted(rows, [before, before + batch.num_rows])
            if end > start:
                part = plain_columns(taken(batch, rows[start:end] - before))
                for name, cells in part.items():
                    found[name].extend(cells)
            before += batch.num_rows
    return found
