"""Move whole rows of a table, with columns of any type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowPacking", "Columns", "join_rows", "movable", "plain_columns", "take_rows", "wide"]

# Columns by name: numbers, truth values, texts, or anything; None where an entry is missing.
Columns = dict[str, list[Any]]


def plain_columns(rows: Any) -> Columns:
    """A batch or a table as Python's own values, moments as numbers."""
    return {name: _plain(rows.column(name)) for name in rows.schema.names}


def _plain(column: Any) -> list[Any]:
    pa = pyarrow()
    kind = column.type
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        column = column.cast(pa.int32())
    elif pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        column = column.cast(pa.int64())
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        # Moments inside lists, finer than Python's or beyond its range.
        return [str(each) for each in column]


def movable(kind: pa.DataType) -> pa.DataType:
    """The type of a column whose rows change places: Arrow cannot move views of text."""
    pa = pyarrow()
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    return kind


def wide(kind: pa.DataType) -> pa.DataType:
    """The type of a column whose rows are gathered: its texts may be more than 2 GiB together."""
    pa, kind = pyarrow(), movable(kind)
    if pa.types.is_string(kind):
        return pa.large_string()
    if pa.types.is_binary(kind):
        return pa.large_binary()
    return kind


def join_rows(parts: Sequence[pa.RecordBatch], schema: pa.Schema | None = None) -> pa.RecordBatch:
    """Rows one after the other, as one batch.

    Raises:
        DataError: Arrow cannot hold them in one batch; no row is left out silently.
    """
    if schema is None:
        schema = parts[0].schema
    batches = pyarrow().Table.from_batches(parts, schema).combine_chunks().to_batches()
    if not batches:
        return pyarrow().RecordBatch.from_pylist([], schema=schema)
    if len(batches) > 1:
        raise DataError(
            "some rows are too large to be held together: one of their columns has over 2 GiB. "
            "Leave out long texts and lists, or convert them to large types."
        )
    return batches[0]


def take_rows(rows: Any, order: npt.NDArray[np.int64]) -> Any:
    """Some rows of a batch or a table, in an order of their own."""
    pa = pyarrow()
    fields = [field.with_type(movable(field.type)) for field in rows.schema]
    if fields != list(rows.schema):
        columns = [rows.column(each.name).cast(each.type) for each in fields]
        rows = type(rows).from_arrays(columns, schema=pa.schema(fields))
    try:
        return rows.take(pa.array(order))
    except pa.ArrowNotImplementedError:
        kinds = sorted({str(field.type) for field in rows.schema})
        raise DataError(
            f"a kept column has a type whose rows cannot be shuffled ({', '.join(kinds)}). Convert "
            "it first, leave it out, or keep the order of the rows (keep_order, --keep-order), "
            "which may reveal the secret."
        ) from None


class ArrowPacking:
    """Arrow's batches, for a shuffle."""

    def take(self, rows: pa.RecordBatch, order: npt.NDArray[np.int64]) -> pa.RecordBatch:
        """The same rows in another order."""
        return take_rows(rows, order)

    def join(self, parts: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
        """Rows one after the other."""
        if len(parts) == 1:
            return parts[0]
        return join_rows(parts)

    def pack(self, rows: pa.RecordBatch) -> bytes:
        """The rows as a stream of Arrow."""
        pa = pyarrow()
        sink = pa.BufferOutputStream()
        with pyarrow("ipc").new_stream(sink, rows.schema) as writer:
            writer.write_batch(rows)
        return bytes(sink.getvalue())

    def unpack(self, data: bytes) -> pa.RecordBatch:
        """The rows in such a stream."""
        with pyarrow("ipc").open_stream(data) as reader:
            return reader.read_next_batch()
