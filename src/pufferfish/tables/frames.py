"""Data frames of any kind, through narwhals: pandas, Polars eager and lazy, PyArrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pufferfish.errors import DataError, InvalidInputError
from pufferfish.tables.arrays import column_numbers
from pufferfish.tables.arrow import arrow_batches
from pufferfish.tables.extras import narwhals, pyarrow
from pufferfish.tables.names import check_columns
from pufferfish.tables.rows import Columns, plain_columns, taken
from pufferfish.tables.summary import IntArray
from pufferfish.tables.tally import Batch

__all__ = [
    "collected",
    "frame_batches",
    "frame_columns",
    "native",
    "reordered",
    "to_arrow",
    "without_metadata",
    "without_unused_categories",
]


def frame_batches(frame: Any, column: str, secret: str, count: str | None) -> Iterator[Batch]:
    """The rows of a frame, as far as two or three of its columns go."""
    given = native(frame)
    check_columns(given.collect_schema().names(), column, secret, count)
    # A set would lose the order, and one column may be asked for twice.
    names = dict.fromkeys([column, secret, *([] if count is None else [count])])
    chosen = collected(given.select(*names))
    return arrow_batches(to_arrow(chosen, column), column, secret, count)


def collected(frame: Any) -> Any:
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
            f"data must be a frame (pandas, Polars, PyArrow), a dict of arrays, a Summary or the "
            f"path of a file, got {type(frame).__name__}."
        ) from None
    return given


def reordered(frame: Any, order: IntArray) -> Any:
    """An eager frame with its rows in another order, and no trace of the old one."""
    nw = narwhals()
    if frame.implementation.is_pyarrow():
        return nw.from_native(taken(frame.to_native(), order), eager_only=True)
    return nw.maybe_reset_index(frame[order])


def frame_columns(frame: Any, before: int, chosen: IntArray) -> Columns:
    """Some rows of an eager frame, counted from the one that has so many before it."""
    rows = reordered(frame, before + chosen)
    try:
        return plain_columns(rows.to_arrow())
    except pyarrow().ArrowException:
        # Objects of mixed kinds, which no type of Arrow holds.
        return {name: rows.get_column(name).to_list() for name in rows.columns}


def without_metadata(frame: Any) -> Any:
    """A frame without what it carries beside its columns: notes, and the names of dropped ones."""
    if hasattr(frame, "replace_schema_metadata"):
        fields = [field.remove_metadata() for field in frame.schema]
        return frame.cast(pyarrow().schema(fields))
    if hasattr(frame, "attrs"):
        frame.attrs = {}
    return frame


def without_unused_categories(frame: Any) -> Any:
    """A frame whose categories are those of its rows; declared ones (Enum) stay."""
    nw = narwhals()
    names = [name for name, kind in frame.schema.items() if kind == nw.Categorical]
    for name in names:
        column = frame.get_column(name).to_native()
        if frame.implementation.is_pyarrow():
            column = _recoded(column)
        elif frame.implementation.is_polars():
            text = frame.implementation.to_native_namespace().String
            column = column.cast(text).cast(column.dtype)
        else:
            column = column.cat.remove_unused_categories()
        frame = frame.with_columns(nw.from_native(column, series_only=True).alias(name))
    return frame


def _recoded(column: Any) -> Any:
    """A column of categories with a dictionary of its own entries, of the same type."""
    pa, kind = pyarrow(), column.type
    coded = column.combine_chunks().cast(kind.value_type).dictionary_encode()
    array = pa.DictionaryArray.from_arrays(
        coded.indices.cast(kind.index_type), coded.dictionary, ordered=kind.ordered
    )
    return pa.chunked_array([array])


def to_arrow(frame: Any, numbers: str) -> Any:
    """An eager frame as an Arrow table, with a column that must hold numbers."""
    pa = pyarrow()
    try:
        # Arrow would take truth values beside numbers for numbers.
        if frame.schema[numbers] == narwhals().Object:
            found = column_numbers(numbers, frame.get_column(numbers).to_numpy())
            others = frame.drop(numbers).to_arrow()
            return others.append_column(numbers, pa.array(found))
        return frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # Arrow's own message would quote a cell.
        raise DataError(
            f"the columns {', '.join(map(repr, frame.columns))} hold values of mixed kinds; "
            "convert each to one kind (numbers; text for secrets) first."
        ) from None
