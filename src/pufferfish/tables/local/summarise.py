"""Counts by secret of arrays, frames and files, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from pufferfish.tables.arrays import array_batch
from pufferfish.tables.batch import Batch
from pufferfish.tables.engine import Checking, Counting, Progress
from pufferfish.tables.formats import FileFormat, format_of
from pufferfish.tables.local.files import each_batch
from pufferfish.tables.local.frames import frame_batches
from pufferfish.tables.local.one_row import reduce_arrays, reduce_frame
from pufferfish.tables.local.pieces import naming_table
from pufferfish.tables.names import check_columns
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.summary import Summary
from pufferfish.tables.tally import Counted, Tally

__all__ = ["batches", "summarise_files", "summarise_held"]


def summarise_files(
    path: str,
    format_: FileFormat,
    what: Counting,
    progress: Progress | None = None,
    check: Checking | None = None,
) -> Summary:
    """`summarise` for files of a given format; `progress` gets the share that was read."""
    tally = Tally(what.column, what.secret, what.most_values)
    work, columns = _check_each(tally, check), (what.column, what.secret, what.count)
    for part in each_batch(path, format_, *columns, work, progress, what.one_row):
        tally.merge(part)
    with naming_table(path):
        return tally.summary()


def summarise_held(data: Any, what: Counting, check: Checking | None = None) -> Summary:
    """`summarise` for a frame or a dict of arrays."""
    tally = Tally(what.column, what.secret, what.most_values)
    work, before = _check_each(tally, check), 0
    for batch in batches(data, what.column, what.secret, what.count, one_row=what.one_row):
        tally.merge(work(batch, before if what.one_row is None else None))
        before += batch.rows
    return tally.summary()


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
        frame = data if one_row is None else reduce_frame(data, one_row)
        return frame_batches(frame, column, secret, count)
    check_columns(list(data), column, secret, count)
    table = data if one_row is None else reduce_arrays(data, one_row)
    return [array_batch(table, (column,), secret, count=count)]


def _itself(batch: Batch, before: int | None) -> Batch:
    return batch


def _check_each(tally: Tally, check: Checking | None) -> Callable[[Batch, int | None], Counted]:
    """A function that checks rows, then counts them for a tally."""
    if check is None:
        return tally.counted

    def work(batch: Batch, before: int | None) -> Counted:
        check(batch, before)
        return tally.counted(batch, before)

    return work
