"""Plain arrays as a table: a mapping from column names to arrays, without any engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import check_secret
from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow
from pufferfish.core.validation import FloatArray
from pufferfish.tables.batch import Batch, Coded, IntArray, Numbers
from pufferfish.tables.names import not_labels, not_numeric, not_secrets

__all__ = ["array_batch", "column_numbers", "count_batch", "is_missing", "narrow", "new_array"]
__all__ += ["whole_counts"]


# Longer columns are worth the time to load Arrow.
_MANY = 10_000


def is_missing(entry: object) -> bool:
    """Whether an entry of a column is None, nan or a frame's NA, whatever its type."""
    try:
        return entry is None or bool(entry != entry)  # noqa: PLR0124
    except (TypeError, ValueError):  # NA is neither equal nor unequal to itself
        return type(entry).__name__ == "NAType"


def array_batch(
    table: Mapping[str, Any],
    numbers: tuple[str, ...],
    secret: str | None,
    labels: tuple[str, ...] = (),
    count: str | None = None,
) -> Batch:
    """All rows of a mapping of equally long arrays, as one batch."""
    batch = Batch(
        {name: column_numbers(name, table[name]) for name in numbers},
        Coded.nothing(0) if secret is None else _encode(secret, table[secret], not_secrets),
        {name: _encode(name, table[name], not_labels, published=True) for name in labels},
        None if count is None else whole_counts(count, column_numbers(count, table[count])),
    )
    sizes = [each.size for each in batch.numbers.values()]
    sizes += [each.codes.size for each in batch.labels.values()]
    sizes += [] if batch.counts is None else [batch.counts.size]
    if secret is None:
        batch = batch._replace(secret=Coded.nothing(sizes[0] if sizes else 0))
    if set(sizes) - {batch.rows}:
        names = [*numbers, secret, *labels, count]
        listed = ", ".join(repr(each) for each in names if each is not None)
        raise DataError(f"the columns {listed} must be equally long, one entry per row.")
    return batch


def new_array(new: Numbers | Coded, like: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """New values as an array; missing ones are nan among numbers and None among others.

    Truth values, whole numbers and dates get the type `like` where they fit into it.
    """
    plain = _plain_array(new)
    kind = None if like is None else np.dtype(like)
    if kind is None or plain.dtype == kind or kind.kind not in "biufM":
        return plain
    try:
        converted = plain.astype(kind)
    except (TypeError, ValueError, OverflowError):
        return plain
    # NaT is the one hole of these types that is not equal to itself.
    same = converted == plain if kind.kind != "M" else np.isnat(converted) == (plain == None)  # noqa: E711
    return converted if np.all(same) else plain


def _plain_array(new: Numbers | Coded) -> npt.NDArray[Any]:
    if isinstance(new, Numbers):
        return np.where(new.holes, np.nan, new.values) if new.holes.any() else new.values
    # Only from labels that occur: a type or a width could reveal a row that was dropped.
    present, codes = np.unique(new.codes, return_inverse=True)
    labels = _objects([*new.labels, None])[present]
    if len(set(map(type, labels))) == 1:
        labels = np.asarray(labels.tolist())
    return labels[codes]


def narrow(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same values; texts as wide as the longest, so that no width reveals dropped rows."""
    if array.dtype.kind not in "US":
        return array
    longest = np.char.str_len(np.ma.filled(array, "")).max(initial=1)
    return array.astype(f"{array.dtype.kind}{longest}")


def count_batch(table: Mapping[str, Iterable[Any]], column: str, secret: str) -> Batch:
    """`array_batch` for columns that may be any iterables, with a column "counts"."""
    listed = {
        name: each if isinstance(each, np.ndarray) else _objects(list(each))
        for name, each in table.items()
    }
    return array_batch(listed, (column,), secret, count="counts")


def whole_counts(name: str, counts: FloatArray) -> IntArray:
    """A column of counts as whole numbers."""
    if not np.all((counts >= 0) & (counts == np.floor(counts)) & (counts < 2.0**53)):
        raise DataError(
            f"column {name!r} must hold whole numbers of at least 0: how often each row counts."
        )
    return counts.astype(np.int64)


def _objects(entries: list[Any]) -> npt.NDArray[Any]:
    """Entries as they are; NumPy would turn numbers among texts into texts."""
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


def _one_dimensional(name: str, given: object) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """A column, and where it is masked."""
    try:
        array = np.asarray(_objects(list(given)) if isinstance(given, list | tuple) else given)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise DataError(f"column {name!r} must be one-dimensional.")
    return array, np.ma.getmaskarray(given) if np.ma.isMaskedArray(given) else np.zeros(
        array.size, dtype=bool
    )


def column_numbers(name: str, given: object) -> FloatArray:
    """A column as floats; None, nan and masked entries are nan."""
    array, masked = _one_dimensional(name, given)
    if array.dtype.kind == "O":
        numbers = np.array(
            [
                np.nan if hidden else _number(name, entry)
                for entry, hidden in zip(array, masked, strict=True)
            ],
            dtype=np.float64,
        )
    elif array.dtype.kind in "iuf":
        numbers = array.astype(np.float64)
        numbers[masked] = np.nan
    else:
        raise DataError(not_numeric(name, str(array.dtype)))
    return numbers


def _number(name: str, entry: object) -> float:
    if is_missing(entry):
        return np.nan
    if isinstance(entry, bool | np.bool_) or not isinstance(entry, Real | Decimal):
        raise DataError(not_numeric(name, type(entry).__name__))
    try:
        return float(entry)
    except OverflowError:
        return math.inf  # refused, with its row, like any other value beyond all bounds


def _encode(
    name: str, given: object, refused: Callable[[str, str], str], *, published: bool = False
) -> Coded:
    """A column of labels; `refused` says why an entry cannot be one.

    In a published column dates are labels too, and 1 and True are different labels. Intervals
    become text.
    """
    array, masked = _one_dimensional(name, given)
    if array.dtype.kind in "iub":
        found, inverse = np.unique(array, return_inverse=True)
        codes = inverse.astype(np.int64)
        codes[masked] = -1
        return Coded.of(codes, tuple(found.tolist()))
    if published and array.dtype.kind == "M":
        return _encode_dates(name, array, masked, refused)
    if array.dtype.kind not in "OTU":
        raise DataError(refused(name, str(array.dtype)))
    if array.size > _MANY and (texts := _texts(array, masked)) is not None:
        return texts
    if masked.any():
        array = array.astype(object)
        array[masked] = None
    entries, places = _distinct(name, array.tolist(), refused)
    index: dict[tuple[type | None, Any], int] = {}
    codes = np.full(len(entries), -1, dtype=np.int64)
    for place, entry in enumerate(entries):
        if is_missing(entry):
            continue
        if published and isinstance(entry, date):
            label: Any = entry
        elif type(entry).__name__ == "Interval":
            label = str(entry)
        elif isinstance(entry, str | int | np.bool_ | np.integer):
            label = check_secret(entry)
        else:
            raise DataError(refused(name, type(entry).__name__))
        codes[place] = index.setdefault((type(label) if published else None, label), len(index))
    return Coded.of(codes[places], tuple(label for _, label in index))


def _texts(array: npt.NDArray[Any], masked: npt.NDArray[np.bool_]) -> Coded | None:
    """A column of texts, coded by Arrow; None where some entry is neither a text nor missing."""
    pa = pyarrow()
    try:
        column = pa.array(array, mask=masked if masked.any() else None, from_pandas=True)
    except (pa.ArrowException, ValueError, OverflowError):
        return None
    if not pa.types.is_string(column.type):
        return None
    coded = column.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Coded.of(np.asarray(codes, dtype=np.int64), tuple(coded.dictionary.to_pylist()))


def _distinct(
    name: str, entries: list[Any], refused: Callable[[str, str], str]
) -> tuple[list[Any], IntArray]:
    """Each distinct entry, in the order of first occurrence, and which of them each row has.

    Work on entries then needs few steps.
    """
    index: dict[tuple[type, Any], int] = {}
    try:
        places = [index.setdefault((type(each), each), len(index)) for each in entries]
    except TypeError:
        kinds = {type(each).__name__ for each in entries if getattr(each, "__hash__", None) is None}
        raise DataError(refused(name, ", ".join(sorted(kinds)) or "objects")) from None
    return [entry for _, entry in index], np.array(places, dtype=np.int64)


def _encode_dates(
    name: str,
    array: npt.NDArray[Any],
    masked: npt.NDArray[np.bool_],
    refused: Callable[[str, str], str],
) -> Coded:
    """A column of NumPy's dates or moments, the latter to the microsecond."""
    days = np.datetime_data(array.dtype)[0] in ("Y", "M", "W", "D")
    found, inverse = np.unique(array, return_inverse=True)
    labels = found.astype("datetime64[D]" if days else "datetime64[us]").tolist()
    if any(isinstance(each, int) for each in labels):
        raise DataError(refused(name, "dates beyond the year 9999"))
    codes = inverse.astype(np.int64)
    missing = np.array([each is None for each in labels], dtype=bool)
    return Coded(np.where(masked | missing[codes], -1, codes), tuple(labels))
