"""Users from a table (a file, a frame or a dict of arrays); column names say what describes them.

mean, std                    one user per row
p                            binary: 1 with this probability, else 0; `value` instead of the 1
user, value, probability     one row for each value that a user may add
count                        with any of these: how many users are like this one
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.core.errors import DataError
from pufferfish.core.validation import FloatArray
from pufferfish.sums.users import IntArray, Users, binary, finite_users, moments
from pufferfish.tables import FileFormat, format_of
from pufferfish.tables.arrays import column_numbers
from pufferfish.tables.arrow import arrow_numbers
from pufferfish.tables.local.files import column_values
from pufferfish.tables.local.frames import collect_frame, native, to_arrow
from pufferfish.tables.local.reading import open_file
from pufferfish.tables.names import check_columns

__all__ = ["users_from_table"]

_Column = Callable[[str], FloatArray]


def users_from_table(
    data: Any, *, format_: FileFormat | None = None, provenance: str = "private"
) -> Users:
    """The users that a table describes.

    Args:
        data: The path of a file (CSV, Parquet, Arrow); a frame (pandas, Polars, PyArrow), with the
            extra `frames`; or a dict of arrays.
        format_: The format of a file; None: the one of its name.
        provenance: "public" if anyone may know the table.

    Raises:
        DataError: Columns that describe no users, or rows without a number.
    """
    names, column = _columns(data, format_)
    known = set(names)
    counts = _whole(column("count")) if "count" in known else None
    if {"value", "probability"} <= known:
        return _finite(column, "user" in known, counts, provenance)
    if {"mean", "std"} <= known:
        return moments(_full(column, "mean"), _full(column, "std"), counts, provenance=provenance)
    if "p" in known:
        amounts = _full(column, "value") if "value" in known else 1.0
        return binary(_full(column, "p"), amounts, counts, provenance=provenance)
    raise DataError(
        "the table describes no users: it needs the columns mean and std; or p (and value); or "
        f"user, value and probability. It has {', '.join(repr(name) for name in names[:20])}."
    )


def _columns(data: Any, format_: FileFormat | None) -> tuple[list[str], _Column]:
    """The names of a table's columns, and how to get one of them as numbers."""
    if isinstance(data, str | PathLike):
        path = fspath(data)
        how = format_ or format_of(path)
        with open_file(path, how, [], ()) as table:
            names = list(table.names)
        check_columns(names, *names)
        return names, lambda name: column_values(path, how, name)
    if isinstance(data, Mapping):
        return list(data), lambda name: column_numbers(name, data[name])
    frame = native(data)

    def column(name: str) -> FloatArray:
        table = to_arrow(collect_frame(frame.select(name)), name).combine_chunks()
        return arrow_numbers(name, table.column(name).combine_chunks())

    return list(frame.collect_schema().names()), column


def _full(column: _Column, name: str) -> FloatArray:
    """A column in which no number is missing."""
    numbers = column(name)
    bad = ~np.isfinite(numbers)
    if bad.any():
        row = int(np.flatnonzero(bad)[0]) + 1
        raise DataError(f"column {name!r}, row {row}: a number is missing. Give one.")
    if not numbers.size:
        raise DataError("the table of users has no rows.")
    return numbers


def _whole(numbers: FloatArray) -> IntArray:
    bad = ~((numbers >= 1.0) & (numbers == np.floor(numbers)))
    if bad.any():
        row = int(np.flatnonzero(bad)[0]) + 1
        raise DataError(f"column 'count', row {row}: it must be a whole number of at least 1.")
    return numbers.astype(np.int64)


def _finite(column: _Column, named: bool, counts: IntArray | None, provenance: str) -> Users:
    """Rows of the same user together; without a column of users, all rows are one user's."""
    values, shares = _full(column, "value"), _full(column, "probability")
    users = _full(column, "user") if named else np.zeros(values.size)
    _, first, kind = np.unique(users, return_index=True, return_inverse=True)
    order = np.argsort(kind.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(kind.reshape(-1)))[:-1]
    tables = []
    for rows in np.split(order, ends):
        total = float(shares[rows].sum())
        if abs(total - 1.0) > 1e-9 or bool((shares[rows] < 0.0).any()):
            raise DataError(
                f"the probabilities of the user of row {int(rows[0]) + 1} are negative or do not "
                "sum to 1."
            )
        if counts is not None and np.unique(counts[rows]).size > 1:
            raise DataError(f"the user of row {int(rows[0]) + 1} has several counts.")
        tables.append(Discrete(values[rows], shares[rows]))
    how_many = None if counts is None else counts[first]
    return finite_users(tables, how_many, provenance=provenance)
