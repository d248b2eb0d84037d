"""Plain arrays as a table: a mapping from column names to arrays, without any engine."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from pufferfish.checks import FloatArray, require
from pufferfish.errors import DataError
from pufferfish.scenario import Secret, checked_secret
from pufferfish.tables.names import not_numeric, not_secrets
from pufferfish.tables.summary import IntArray, is_missing
from pufferfish.tables.tally import Batch

__all__ = ["array_batch"]


def array_batch(table: Mapping[str, Any], column: str, secret: str, count: str | None) -> Batch:
    """All rows of a mapping of equally long arrays, as one batch."""
    values = _numbers(column, table[column])
    codes, labels = _coded(secret, table[secret])
    counts = None if count is None else _numbers(count, table[count])
    for name, size in (
        (secret, codes.size),
        (count, values.size if counts is None else counts.size),
    ):
        require(
            size == values.size,
            f"columns {column!r} and {name!r} must be equally long, got {values.size} and {size}.",
        )
    return Batch(
        values, codes, labels, None if counts is None else whole_counts(str(count), counts)
    )


def whole_counts(name: str, counts: FloatArray) -> IntArray:
    """A column of counts as whole numbers."""
    good = bool(np.all((counts >= 0) & (counts == np.floor(counts)) & (counts < 2.0**53)))
    require(
        good, f"column {name!r} must hold whole numbers of at least 0: how often each row counts."
    )
    return counts.astype(np.int64)


def _one_dimensional(name: str, given: object) -> np.ndarray[Any, Any]:
    array = np.asarray(given)
    require(array.ndim == 1, f"column {name!r} must be one-dimensional, got shape {array.shape}.")
    return array


def _numbers(name: str, given: object) -> FloatArray:
    """A column as floats; None, nan and masked entries are nan."""
    array = _one_dimensional(name, given)
    if array.dtype.kind == "O":
        return np.array([_number(name, entry) for entry in array], dtype=np.float64)
    if array.dtype.kind not in "iuf":
        raise DataError(not_numeric(name, str(array.dtype)))
    numbers = array.astype(np.float64)
    if np.ma.isMaskedArray(given):
        numbers[np.ma.getmaskarray(given)] = np.nan
    return numbers


def _number(name: str, entry: object) -> float:
    if entry is None:
        return np.nan
    if isinstance(entry, bool | np.bool_) or not isinstance(entry, Real | Decimal):
        raise DataError(not_numeric(name, type(entry).__name__))
    return float(entry)


def _coded(name: str, given: object) -> tuple[IntArray, tuple[Secret, ...]]:
    """A column of secrets as indices into its labels; None, nan and masked entries are −1."""
    array = _one_dimensional(name, given)
    if array.dtype.kind in "Uiub" and not np.ma.is_masked(given):
        found, codes = np.unique(array, return_inverse=True)
        return codes.astype(np.int64), tuple(found.tolist())
    if array.dtype.kind not in "OT":
        raise DataError(not_secrets(name, str(array.dtype)))
    index: dict[Secret, int] = {}
    codes = np.empty(array.size, dtype=np.int64)
    for row, entry in enumerate(array):
        if is_missing(entry):
            codes[row] = -1
            continue
        if not isinstance(entry, str | int | np.bool_ | np.integer):
            raise DataError(not_secrets(name, type(entry).__name__))
        codes[row] = index.setdefault(checked_secret(entry), len(index))
    return codes, tuple(index)
