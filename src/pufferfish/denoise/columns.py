"""A published column as an array, checked without a copy and read in pieces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import FloatArray, finite_array, require

__all__ = ["Column", "bin_values", "column", "pieces", "rows_present"]

Column = Sequence[float] | npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]]

# Rows that are processed at a time, so that memory does not grow with the column.
_PIECE = 1 << 20
# As in `checks`: beyond this a square overflows.
_LARGEST = 1e100


def column(name: str, values: object, least: int) -> FloatArray:
    """`values` as finite floats, at least `least` of them; not copied if they are floats."""
    if _is_plain(values):
        array = np.asarray(values, dtype=np.float64)
        # A nan makes both ends nan, so two passes without a copy see every entry.
        low, high = float(array.min()), float(array.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            row = next(
                start + int(np.flatnonzero(~np.isfinite(piece))[0])
                for start, piece in pieces(array)
                if not np.isfinite(piece).all()
            )
            raise InvalidInputError(
                f"{name} must be finite, but row {row} is not; leave missing rows out."
            )
        require(max(-low, high) <= _LARGEST, f"{name} must be at most {_LARGEST:g} in size.")
    else:
        array = finite_array(name, values)
    require(
        array.size >= least,
        f"{name} must have at least {least} rows for this estimate, got {array.size}.",
    )
    return array


def rows_present(**columns: object) -> tuple[list[Any], str]:
    """The rows in which no column is missing (nan, None), and a note where some are left out.

    Noise leaves a hole where a value is missing, so estimates are about the rows that have one.

    Args:
        columns: By the name that messages have for them.

    Raises:
        InvalidInputError: An entry is text, or next to missing values there is one that is
            infinite.
    """
    given = [_as_array(each) for each in columns.values()]
    for name, each in zip(columns, given, strict=True):
        _refuse_texts(name, each)
    masks = [mask for each in given if (mask := _holes(each)) is not None]
    if not masks or len({len(mask) for mask in masks}) > 1:
        return given, ""
    holes = np.logical_or.reduce(masks)
    listed: list[Any] = [
        each if _is_plain(each) else np.array(each, dtype=object) for each in given
    ]
    if any(len(each) != holes.size for each in listed):
        return given, ""
    for name, each in zip(columns, listed, strict=True):
        # Named here by its row, which is another one where rows are left out.
        ends = np.isinf(each) if _is_plain(each) else np.array([_is_infinite(one) for one in each])
        if ends.any():
            row = int(np.flatnonzero(ends)[0])
            raise InvalidInputError(f"{name} must be finite, and row {row} is not.")
    missing = int(np.count_nonzero(holes))
    kept = [each[~holes] if _is_plain(each) else each[~holes].tolist() for each in listed]
    note = f"of the {holes.size - missing:,} rows that have a value ({missing:,} have none)"
    return kept, note


def _refuse_texts(name: str, values: object) -> None:
    """Refuse texts by their place: readers of CSV give them where an entry is empty."""
    if _is_plain(values) or not isinstance(values, Sequence | np.ndarray) or np.ndim(values) > 1:
        return
    row = next((row for row, each in enumerate(values) if isinstance(each, str | bytes)), None)
    if row is not None and not isinstance(values, str | bytes):
        raise InvalidInputError(
            f"{name} must be numbers, but row {row} is text (the first row is row 0). Convert "
            "texts with float(), and give None or nan where a value is missing."
        )


def _as_array(values: object) -> object:
    """A series of numbers as its array, which needs no look at single entries."""
    if isinstance(values, np.ndarray) or not hasattr(values, "__array__"):
        return values
    array = np.asarray(values)
    return array if _is_plain(array) else values


def _holes(values: object) -> npt.NDArray[np.bool_] | None:
    """Which rows are missing; None where none is."""
    if _is_plain(values):
        array = np.asarray(values)
        # A nan makes the least value nan.
        return np.isnan(array) if array.dtype.kind == "f" and np.isnan(array.min()) else None
    if isinstance(values, str | bytes | np.ma.MaskedArray) or not isinstance(values, Iterable):
        return None
    if isinstance(values, Iterator):
        return None
    found = np.array([_is_missing(each) for each in values], dtype=bool)
    return found if found.any() else None


def _is_missing(entry: object) -> bool:
    if isinstance(entry, float | np.floating):
        return math.isnan(entry)
    # pandas.NA is not imported for this, and compares with nothing.
    return entry is None or type(entry).__name__ == "NAType"


def _is_infinite(entry: object) -> bool:
    return isinstance(entry, float | np.floating) and math.isinf(entry)


def _is_plain(values: object) -> bool:
    """Whether `values` is an array that only needs conversion to float."""
    return (
        isinstance(values, np.ndarray)
        and not isinstance(values, np.ma.MaskedArray)
        and values.ndim == 1
        and values.size > 0
        and values.dtype.kind in "iuf"
    )


def pieces(values: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """The column piece by piece, each with the row at which it starts."""
    for start in range(0, values.size, _PIECE):
        yield start, values[start : start + _PIECE]


def bin_values(
    values: FloatArray, first: float, step: float, count: int, *, wrap: bool = False
) -> npt.NDArray[np.int64]:
    """How many values are nearest to each of first, first + step, ..., `count` points.

    With `wrap` the points are those of a circle. Without it, values beyond an end are counted at
    that end.
    """
    total = np.zeros(count, dtype=np.int64)
    for _, piece in pieces(values):
        place = (piece - first) / step
        np.rint(place, out=place)
        # As floats, because integers would overflow.
        place = np.mod(place, count) if wrap else np.clip(place, 0, count - 1)
        total += np.bincount(place.astype(np.int64), minlength=count)[:count]
    return total
