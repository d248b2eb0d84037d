"""The types of a frame's columns: what they hold, in which order, and new values in the same type.

Categories that were declared (those of pandas, an Enum of Polars, an ordered dictionary of Arrow)
are part of a column's type, like the width of its numbers. Those of a Categorical of Polars and of
other dictionaries are only a way to store rows: they are rebuilt from what is published.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.core.extras import narwhals, pyarrow
from pufferfish.tables.batch import Coded, Numbers
from pufferfish.tables.engine import ColumnKind

__all__ = ["arrow_kind", "as_given", "declared_categories", "frame_kind", "without_intervals"]


def frame_kind(column: Any) -> ColumnKind:
    """How a column of an eager frame, behind narwhals' interface, is read."""
    nw = narwhals()
    kind = column.dtype
    categories = declared_categories(column)
    if categories is not None:
        return _of_categories(categories)
    if kind.is_numeric():
        return ColumnKind("number")
    if kind in (nw.Object, nw.Categorical, nw.Enum):
        # What Arrow makes of Python's own values, and of dictionaries. Values that it cannot hold
        # are refused when they are read.
        try:
            return arrow_kind(without_intervals(column.to_frame()).to_arrow().column(0))
        except pyarrow().ArrowException:
            return ColumnKind("label")
    return ColumnKind("date" if kind in (nw.Date, nw.Datetime) else "label")


def arrow_kind(column: Any) -> ColumnKind:
    """How a column of Arrow is read."""
    pa, kind = pyarrow(), column.type
    types = pa.types
    if types.is_dictionary(kind):
        chunked = isinstance(column, pa.ChunkedArray)
        categories = _declared_by_arrow(column if chunked else pa.chunked_array([column]))
        if categories is not None:
            return _of_categories(categories)
        kind = kind.value_type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return ColumnKind("number")
    return ColumnKind("date" if types.is_date(kind) or types.is_timestamp(kind) else "label")


def declared_categories(column: Any) -> list[Any] | None:
    """The categories that are part of a column's type, in their order; None: there are none.

    `column` is a column of an eager frame, behind narwhals' interface.
    """
    given, implementation = column.to_native(), column.implementation
    if implementation.is_polars():
        polars = implementation.to_native_namespace()
        return given.dtype.categories.to_list() if isinstance(given.dtype, polars.Enum) else None
    if implementation.is_pyarrow():
        return _declared_by_arrow(given)
    if given.dtype == "category":
        return list(given.dtype.categories)
    if hasattr(given.dtype, "pyarrow_dtype"):
        return _declared_by_arrow(pyarrow().chunked_array(given.array.__arrow_array__()))
    return None


def as_given(new: Numbers | Coded, made: Any, given: Any) -> Any:
    """New values in the type of the column that they replace.

    Args:
        new: The values.
        made: The values as a column of a frame, in a plain type.
        given: The column as it was; both are behind narwhals' interface.
    """
    nw, implementation = narwhals(), given.implementation
    column, old = made.to_native(), given.to_native()
    if implementation.is_polars():
        found = _polars(column, old, implementation.to_native_namespace())
    elif implementation.is_pyarrow():
        found = _arrow(new, column, old.type, declared_categories(given))
    elif old.dtype == "category" and isinstance(new, Coded):
        found = _pandas_categories(new, column, old.dtype)
    else:
        found = _pandas(column, old.dtype)
    return nw.from_native(found, series_only=True).alias(made.name)


def without_intervals(frame: Any) -> Any:
    """An eager frame with texts for the intervals of pandas, such as those of `pd.cut`."""
    if not frame.implementation.is_pandas():
        return frame
    nw = narwhals()
    for name in frame.columns:
        column = frame.get_column(name).to_native()
        kind = column.dtype
        if kind == "category" and _intervals(kind.categories.dtype):
            column = column.cat.rename_categories(str)
        elif _intervals(kind):
            column = column.map(str, na_action="ignore").astype(object)
        else:
            continue
        frame = frame.with_columns(nw.from_native(column, series_only=True).alias(name))
    return frame


def _declared_by_arrow(column: Any) -> list[Any] | None:
    types, kind = pyarrow().types, column.type
    if not types.is_dictionary(kind) or not kind.ordered or not column.num_chunks:
        return None
    return list(column.unify_dictionaries().chunk(0).dictionary.to_pylist())


def _intervals(kind: Any) -> bool:
    return type(kind).__name__ == "IntervalDtype"


def _of_categories(categories: list[Any]) -> ColumnKind:
    """The kind of a column of categories; floats and dates are not labels."""
    if any(isinstance(each, float | np.floating) for each in categories):
        return ColumnKind("number")
    if any(isinstance(each, date) for each in categories):
        return ColumnKind("date")
    return ColumnKind("label", tuple(_label(each) for each in categories))


def _label(category: Any) -> Any:
    plain = category.item() if isinstance(category, np.generic) else category
    return str(plain) if type(plain).__name__ == "Interval" else plain


def _places(new: Coded, categories: list[Any]) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """The places of new labels among categories, and the labels to be added to these."""
    index = {(isinstance(each, bool), each): place for place, each in enumerate(categories)}
    table = np.full(len(new.labels) + 1, -1, dtype=np.int64)
    added: list[Any] = []
    for code in np.unique(new.codes[~new.missing]).tolist():
        label = new.labels[code]
        place = index.setdefault((isinstance(label, bool), label), len(index))
        if place == len(categories) + len(added):
            added.append(label)
        table[code] = place
    return table[new.codes], added


def _pandas_categories(new: Coded, column: Any, kind: Any) -> Any:
    codes, added = _places(new, [_label(each) for each in kind.categories])
    if added:
        kind = type(kind)([*kind.categories, *added], ordered=kind.ordered)
    array = kind.construct_array_type().from_codes(codes, dtype=kind)
    return type(column)(array, index=column.index, name=column.name)


def _pandas(column: Any, kind: Any) -> Any:
    if column.dtype == kind:
        return column
    try:
        found = column.astype(kind)
    except (TypeError, ValueError, pyarrow().ArrowException):
        # The type cannot hold missing values.
        return column
    if kind == "object":
        return found.where(column.notna(), None)
    # NumPy's truth values would turn a hole into a value.
    return found if found.isna().equals(column.isna()) else column


def _polars(column: Any, old: Any, polars: Any) -> Any:
    kind = old.dtype
    if isinstance(kind, polars.Enum):
        known = kind.categories.to_list()
        used = column.drop_nulls().unique().to_list()
        kind = polars.Enum([*known, *sorted(set(used) - set(known))])
    return column.cast(kind)


def _arrow(new: Numbers | Coded, column: Any, kind: Any, declared: list[Any] | None) -> Any:
    pa = pyarrow()
    if not pa.types.is_dictionary(kind) or not isinstance(new, Coded):
        return column
    if declared is None:
        # The order of shuffled rows is not yet known: see `without_unused_categories`.
        array = column.combine_chunks().dictionary_encode()
        codes, entries = array.indices, array.dictionary
    else:
        places, added = _places(new, declared)
        codes = pa.array(places, mask=new.missing)
        entries = pa.array([*declared, *added], kind.value_type)
    wide = pa.int32() if len(entries) > np.iinfo(np.int8).max else kind.index_type
    array = pa.DictionaryArray.from_arrays(codes.cast(wide), entries, ordered=kind.ordered)
    return pa.chunked_array([array])
