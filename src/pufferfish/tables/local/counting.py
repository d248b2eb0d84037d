"""Read arrays, frames and files some rows at a time, and count them: one fold for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np

from pufferfish.tables.arrays import array_batch
from pufferfish.tables.arrow import BATCH, arrow_batch
from pufferfish.tables.batch import Batch
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.counts import Counts
from pufferfish.tables.engine import Checking, Progress
from pufferfish.tables.formats import FileFormat, format_of
from pufferfish.tables.local.dtypes import frame_kind
from pufferfish.tables.local.frames import collect_frame, native, to_arrow
from pufferfish.tables.local.one_row import reduce_arrays, reduce_frame, reduce_table
from pufferfish.tables.local.pieces import Piece, naming_table, open_table
from pufferfish.tables.local.pool import in_order
from pufferfish.tables.names import check_columns
from pufferfish.tables.tally import Counting, Tally

__all__ = ["each_part", "every_row", "fold", "read", "row_count"]

_Result = TypeVar("_Result")


def fold(
    data: Any,
    what: Counting,
    check: Checking | None = None,
    progress: Progress | None = None,
    format_: FileFormat | None = None,
) -> Counts:
    """The counts of a table; the arguments are those of `Engine.fold`, and `each_part`."""
    tally = Tally(what)

    def work(rows: Any, before: int | None) -> SomeCells:
        batch = read(rows, what)
        if check is not None:
            check(batch, before)
        return tally.counted(batch, before)

    for some in each_part(data, what, work, progress, format_):
        tally.merge(some)
    orders = _orders(data, what)
    if not isinstance(data, str | PathLike):
        return tally.result(orders)
    with naming_table(fspath(data)):
        return tally.result(orders)


def each_part(
    data: Any,
    what: Counting,
    work: Callable[[Any, int | None], _Result],
    progress: Progress | None = None,
    format_: FileFormat | None = None,
) -> Iterator[_Result]:
    """The results of `work` on rows, some at a time, in the table's order.

    Args:
        data: A frame, a dict of arrays, or the path of files.
        what: Which columns are read; with `one_row` each person is one row.
        work: Called in several threads with rows for `read`, and how many come before them in their
            file (None: unknown).
        progress: Called with the share that was read.
        format_: The format of files; None: by their name.
    """
    one_row, names = what.one_row, [*what.names, *([] if what.count is None else [what.count])]
    if isinstance(data, str | PathLike):
        path = fspath(data)
        wanted = names if one_row is None else one_row.read
        labels = what.labels if what.secret is None else (*what.labels, what.secret)
        with open_table(path, format_ or format_of(path), wanted, what.numbers, labels) as table:
            pieces = table.pieces if one_row is None else reduce_table(table, one_row, None).pieces
            yield from _worked(pieces, work, progress)
    elif isinstance(data, Mapping):
        check_columns(list(data), *names)
        yield work(data if one_row is None else reduce_arrays(data, one_row), _first(what))
    else:
        given = native(data if one_row is None else reduce_frame(data, one_row))
        check_columns(given.collect_schema().names(), *names)
        table = to_arrow(collect_frame(given.select(*dict.fromkeys(names))), *what.numbers)
        parts = table.to_batches(max_chunksize=BATCH)
        starts = np.cumsum([0, *(part.num_rows for part in parts)]).tolist()
        numbered = [
            (part, start if one_row is None else None)
            for part, start in zip(parts, starts, strict=False)
        ]
        with closing(in_order(numbered, lambda each: work(*each))) as results:
            yield from results


def _first(what: Counting) -> int | None:
    return 0 if what.one_row is None else None


def _worked(
    pieces: Iterator[Piece],
    work: Callable[[Any, int | None], _Result],
    progress: Progress | None,
) -> Iterator[_Result]:
    def named(piece: Piece) -> tuple[_Result, float | None]:
        with piece.naming():
            return work(piece.rows, piece.before), piece.progress

    with closing(in_order(pieces, named)) as results:
        for result, share in results:
            yield result
            if progress is not None and share is not None:
                progress(share)


def read(rows: Any, what: Counting) -> Batch:
    """Some rows of `each_part`, read as they are counted."""
    reader = array_batch if isinstance(rows, Mapping) else arrow_batch
    return reader(rows, what.numbers, what.secret, what.labels, what.count)


def _orders(data: Any, what: Counting) -> dict[str, Any]:
    """The order of the labels of a frame's columns that hold declared categories."""
    if isinstance(data, str | PathLike | Mapping) or not what.labels or what.one_row is not None:
        return {}
    table = collect_frame(native(data).select(*what.labels))
    kinds = {name: frame_kind(table.get_column(name)) for name in what.labels}
    return {name: kind.order for name, kind in kinds.items() if kind.order}


def every_row(data: Any, what: Counting, na: Sequence[str] = ()) -> Iterator[Batch]:
    """All rows, some at a time, read as they would be counted.

    Args:
        data: A frame, a file's path, or a dict of arrays.
        what: Which columns are read.
        na: Texts of a file that mean a missing value.
    """
    format_ = format_of(fspath(data), na=na) if isinstance(data, str | PathLike) else None
    yield from each_part(data, what, lambda rows, _: read(rows, what), format_=format_)


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
