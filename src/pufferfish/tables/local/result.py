"""The columns of the result, and their types, once rows of files are changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow
from pufferfish.tables.arrow import arrow_column, arrow_type
from pufferfish.tables.change import Change, Changed
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local.pieces import OpenTable
from pufferfish.tables.nested import decode, plain_kind
from pufferfish.tables.rows import movable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["result_schema", "with_columns"]


def result_schema(table: OpenTable, target: FileFormat, how: Change, *, apart: bool) -> pa.Schema:
    """The columns of the result; where files stay apart, keys stay in their folders' names."""
    pa, source = pyarrow(), table.source
    names = how.stays(table.schema.names)
    return pa.schema(
        [
            pa.field(name, arrow_type(name, how.columns[name], table.schema.field(name).type))
            if name in how.columns
            else _field_of_kept(table.schema.field(name), target)
            for name in names
            if not (apart and name in source.keys)
        ]
    )


def with_columns(
    part: pa.RecordBatch, changed: Changed, how: Change, schema: pa.Schema
) -> pa.RecordBatch:
    """The rows that stay, with their new values, as they are written."""
    pa = pyarrow()
    if changed.rows is not None:
        part = part.filter(pa.array(changed.rows))
    columns = [
        arrow_column(changed.columns[field.name], field.type)
        if field.name in how.columns
        else decode(part.column(field.name), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _field_of_kept(field: pa.Field, target: FileFormat) -> pa.Field:
    """The type of a kept column in the result."""
    # A dictionary may also hold entries that no row, or no published row, has.
    types, kind = pyarrow().types, movable(plain_kind(field.name, field.type))
    text = target.kind == "csv"
    if text and (types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind)):
        raise DataError(
            f"column {field.name!r} is of type {kind}, which a CSV cannot hold; write Parquet or "
            "Arrow, or leave it out."
        )
    return pyarrow().field(field.name, kind)
