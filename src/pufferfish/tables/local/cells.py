"""Some cells of a table, by column and number of row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from pufferfish.tables.batch import IntArray
from pufferfish.tables.formats import format_of
from pufferfish.tables.local.frames import collect_frame, frame_columns, native
from pufferfish.tables.local.one_row import reduce_arrays, reduce_frame, reduce_table
from pufferfish.tables.local.pieces import open_table
from pufferfish.tables.names import check_columns
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.rows import Columns, plain_columns, take_rows

__all__ = ["cells_at"]


def cells_at(
    data: Any,
    names: Sequence[str],
    numbers: tuple[str, ...],
    rows: IntArray,
    na: Sequence[str] = (),
    one_row: OneRow | None = None,
) -> Columns:
    """The cells of some columns in some rows.

    Args:
        data: A frame, a file's path, or a dict of arrays.
        names: The columns.
        numbers: The columns of the table that must hold numbers.
        rows: Numbers of rows, counted from 0, in increasing order.
        na: Texts of a file that mean a missing value.
        one_row: Count and read the rows of the table with one row for each person, which keeps the
            columns.
    """
    if isinstance(data, str | PathLike):
        return _file_cells(fspath(data), names, numbers, rows, na, one_row)
    if isinstance(data, Mapping):
        check_columns(list(data), *names)
        table = data if one_row is None else reduce_arrays(data, one_row)
        return {name: np.asanyarray(table[name])[rows].tolist() for name in names}
    given = native(data if one_row is None else reduce_frame(data, one_row))
    check_columns(given.collect_schema().names(), *names)
    return frame_columns(collect_frame(given.select(*names)), 0, rows)


def _file_cells(
    path: str,
    names: Sequence[str],
    numbers: tuple[str, ...],
    rows: IntArray,
    na: Sequence[str],
    one_row: OneRow | None,
) -> Columns:
    found: Columns = {name: [] for name in names}
    before = 0
    wanted = [*numbers, *names] if one_row is None else one_row.read
    # Read exactly as the values were: persons that do not fit into memory come in an order that
    # depends on what is read.
    labels = () if one_row is None else (one_row.secret,)
    wanted = list(dict.fromkeys(wanted))
    with open_table(path, format_of(path, na=na), wanted, numbers, labels) as table:
        pieces = table.pieces if one_row is None else reduce_table(table, one_row, None).pieces
        for piece in pieces:
            batch = piece.rows.select(list(names))
            start, end = np.searchsorted(rows, [before, before + batch.num_rows])
            if end > start:
                part = plain_columns(take_rows(batch, rows[start:end] - before))
                for name, cells in part.items():
                    found[name].extend(cells)
            before += batch.num_rows
    return found
