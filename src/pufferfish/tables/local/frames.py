"""Data frames of any kind, through narwhals: pandas, Polars eager and lazy, PyArrow."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.extras import narwhals, pyarrow
from pufferfish.tables.arrays import column_numbers
from pufferfish.tables.batch import IntArray
from pufferfish.tables.local.dtypes import declared_categories, without_intervals
from pufferfish.tables.nested import decode, holds_dictionary, plain_kind
from pufferfish.tables.rows import Columns, plain_columns, take_rows

__all__ = [
    "collect_frame",
    "frame_columns",
    "native",
    "reorder",
    "to_arrow",
    "without_metadata",
    "without_unused_categories",
]


def collect_frame(frame: Any) -> Any:
    """A lazy frame computed; an eager one as it is."""
    return frame.collect() if hasattr(frame, "collect") else frame


def native(frame: Any) -> Any:
    """A frame behind narwhals' interface, eager or lazy."""
    nw = narwhals()
    try:
        given = nw.from_native(frame)
        given.collect_schema()
    except nw.exceptions.DuplicateError:
        raise InvalidInputError("several columns have the same name; rename one of them.") from None
    except TypeError:
        raise InvalidInputError(
            f"data must be a frame (pandas, Polars, PyArrow), a dict of arrays, Counts or the "
            f"path of a file, got {type(frame).__name__}."
        ) from None
    return given


def reorder(frame: Any, order: IntArray) -> Any:
    """An eager frame with its rows in another order, and no trace of the old one."""
    nw = narwhals()
    if frame.implementation.is_pyarrow():
        return nw.from_native(take_rows(frame.to_native(), order), eager_only=True)
    return nw.maybe_reset_index(frame[order])


def frame_columns(frame: Any, before: int, chosen: IntArray) -> Columns:
    """Some rows of an eager frame, from the one that has `before` rows before it."""
    rows = without_intervals(reorder(frame, before + chosen))
    try:
        return plain_columns(rows.to_arrow())
    except pyarrow().ArrowException:
        # Objects of mixed kinds, which no type of Arrow can hold.
        return {name: rows.get_column(name).to_list() for name in rows.columns}


def without_metadata(frame: Any) -> Any:
    """A frame with its columns only: without notes, and without the names of dropped columns."""
    if hasattr(frame, "replace_schema_metadata"):
        pa = pyarrow()
        fields = [pa.field(each.name, _without_notes(each), each.nullable) for each in frame.schema]
        return frame.cast(pa.schema(fields))
    if hasattr(frame, "attrs"):
        frame.attrs = {}
    return frame


def without_unused_categories(frame: Any, same: Collection[str] = ()) -> Any:
    """A frame whose categories are those of its rows.

    Categories within lists and structs become plain text. The columns `same` keep categories that
    are part of their type.
    """
    nw, kind = narwhals(), frame.implementation
    compact = (
        _compact_arrow
        if kind.is_pyarrow()
        else _compact_polars
        if kind.is_polars()
        else _compact_pandas
    )
    for name in frame.columns:
        if name in same and declared_categories(frame.get_column(name)) is not None:
            continue
        given = frame.get_column(name).to_native()
        column = compact(name, given)
        if column is not given:
            frame = frame.with_columns(nw.from_native(column, series_only=True).alias(name))
    return frame


def _compact_arrow(name: str, column: Any) -> Any:
    if pyarrow().types.is_dictionary(column.type):
        return _recode(name, column)
    if holds_dictionary(column.type):
        return decode(column, plain_kind(name, column.type))
    return column


def _compact_polars(_: str, column: Any) -> Any:
    """The column cast to text and back, which rebuilds the categories."""
    polars = narwhals().Implementation.POLARS.to_native_namespace()
    kind = column.dtype
    text = _polars_text(polars, kind)
    if text == kind:
        return column
    if isinstance(kind, polars.Enum):
        used = set(column.cast(text).unique().to_list())
        kind = polars.Enum([each for each in kind.categories.to_list() if each in used])
    elif kind.is_nested():
        kind = text
    return column.cast(text).cast(kind)


def _polars_text(polars: Any, kind: Any) -> Any:
    """The type with text in place of categories, at any depth."""
    if isinstance(kind, polars.Categorical | polars.Enum):
        return polars.String()
    if isinstance(kind, polars.List):
        return polars.List(_polars_text(polars, kind.inner))
    if isinstance(kind, polars.Array):
        return polars.Array(_polars_text(polars, kind.inner), kind.size)
    if isinstance(kind, polars.Struct):
        fields = [polars.Field(each.name, _polars_text(polars, each.dtype)) for each in kind.fields]
        return polars.Struct(fields)
    return kind


def _compact_pandas(name: str, column: Any) -> Any:
    if column.dtype == "category":
        return column.cat.remove_unused_categories()
    if hasattr(column.dtype, "pyarrow_dtype"):
        array = pyarrow().chunked_array(column.array.__arrow_array__())
        compact = _compact_arrow(name, array)
        if compact is array:
            return column
        return type(column)(type(column.array)(compact), index=column.index, name=column.name)
    if column.dtype == object and column.map(lambda cell: hasattr(cell, "categories")).any():
        # A single cell that holds categories.
        return column.map(
            lambda cell: cell.remove_unused_categories() if hasattr(cell, "categories") else cell
        )
    return column


def _without_notes(field: Any) -> Any:
    """The type of a field, without notes at any depth."""
    kind = field.type
    return kind if holds_dictionary(kind) else plain_kind(field.name, kind)


def _recode(name: str, column: Any) -> Any:
    """A column of categories with a dictionary of its own entries, of the same type."""
    pa, kind = pyarrow(), column.type
    if holds_dictionary(kind.value_type):
        return decode(column, plain_kind(name, kind))
    coded = column.combine_chunks().cast(kind.value_type).dictionary_encode()
    array = pa.DictionaryArray.from_arrays(
        coded.indices.cast(kind.index_type), coded.dictionary, ordered=kind.ordered
    )
    return pa.chunked_array([array])


def to_arrow(frame: Any, *numbers: str) -> Any:
    """An eager frame as an Arrow table; the columns `numbers` must hold numbers."""
    pa = pyarrow()
    frame = without_intervals(frame)
    try:
        # Arrow would take truth values among numbers for numbers.
        objects = [name for name in numbers if frame.schema[name] == narwhals().Object]
        table = frame.drop(*objects).to_arrow() if objects else frame.to_arrow()
        for name in objects:
            found = column_numbers(name, frame.get_column(name).to_numpy())
            table = table.append_column(name, pa.array(found))
        return table
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # Arrow's own message would quote a cell.
        raise DataError(
            f"the columns {', '.join(map(repr, frame.columns))} hold values of mixed kinds; "
            "convert each to one kind (numbers; text for secrets) first."
        ) from None
