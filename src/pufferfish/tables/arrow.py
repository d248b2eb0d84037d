"""Arrow columns as batches: every engine and every file format is converted to these."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow
from pufferfish.core.validation import FloatArray, require
from pufferfish.tables.arrays import whole_counts
from pufferfish.tables.batch import Batch, Coded, ColumnType, Numbers
from pufferfish.tables.names import not_labels, not_numeric, not_secrets
from pufferfish.tables.nested import plain_kind
from pufferfish.tables.rows import movable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BATCH", "arrow_batch", "arrow_column", "arrow_numbers", "arrow_type"]

# Rows per batch: enough to hide the cost of a call, few enough that a dozen batches, in all stages
# of the work, take little memory.
BATCH = 1 << 18


def arrow_batch(
    part: pa.RecordBatch,
    numbers: tuple[str, ...],
    secret: str | None,
    labels: tuple[str, ...] = (),
    count: str | None = None,
) -> Batch:
    """Columns of some rows, read as numbers or as labels, and the secrets if asked for."""
    counts = None
    if count is not None:
        counts = whole_counts(count, arrow_numbers(count, part.column(count)))
    return Batch(
        {name: arrow_numbers(name, part.column(name)) for name in numbers},
        Coded.nothing(part.num_rows)
        if secret is None
        else _encode(secret, part.column(secret), not_secrets),
        {name: _encode(name, part.column(name), not_labels, dates=True) for name in labels},
        counts,
    )


def arrow_numbers(name: str, array: pa.Array) -> FloatArray:
    """A column as floats, nan where it is null."""
    pa = pyarrow()

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    # A column of nulls only has no type of its own.
    if not numeric and not pa.types.is_null(kind):
        raise DataError(not_numeric(name, str(kind)))
    plain: Any = array.cast(pa.float64(), safe=False)
    return np.array(plain.to_numpy(zero_copy_only=False), dtype=np.float64)


def arrow_column(new: Numbers | Coded, kind: pa.DataType) -> pa.Array:
    """New values as an Arrow column, null where one is missing.

    Raises:
        DataError: The values do not fit into the type.
    """
    pa = pyarrow()
    try:
        if isinstance(new, Coded):
            return pa.array(new.labels, kind).take(pa.array(new.codes, mask=new.missing))
        array = pa.array(new.values, mask=new.holes if new.holes.any() else None)
        return array if array.type == kind else array.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        # Arrow's own message would quote a cell.
        raise DataError(
            f"new values do not fit into a column of type {kind}; publish them as text or as "
            "numbers."
        ) from None


def arrow_type(name: str, published: ColumnType, given: pa.DataType) -> pa.DataType:
    """The type of a column with new values, given its old type."""
    pa = pyarrow()
    kinds = {"number": pa.float64(), "whole": pa.int64(), "text": pa.string()}
    return kinds[published] if published in kinds else movable(plain_kind(name, given))


def _encode(
    name: str, array: pa.Array, refused: Callable[[str, str], str], *, dates: bool = False
) -> Coded:
    """A column of labels; `refused` says why an entry cannot be one."""
    pa = pyarrow()

    coded = pa.types.is_dictionary(array.type)
    kind: Any = array.type.value_type if coded else array.type
    usable = (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_null(kind)
        or (dates and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)))
    )
    if not usable:
        raise DataError(refused(name, str(kind)))
    if not coded:
        plain = pa.types.is_string_view(kind)
        array = (array.cast(pa.large_string()) if plain else array).dictionary_encode()
    labels = _labels(name, array.dictionary, refused)
    require(None not in labels, f"column {name!r} has a category without a name.")
    codes = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return Coded.of(np.asarray(codes, dtype=np.int64), labels)


def _labels(name: str, entries: pa.Array, refused: Callable[[str, str], str]) -> tuple[Any, ...]:
    """Entries as Python's own values, moments to the microsecond."""
    pa = pyarrow()
    if pa.types.is_timestamp(entries.type) and entries.type.unit == "ns":
        entries = entries.cast(pa.timestamp("us", entries.type.tz), safe=False)
    try:
        return tuple(entries.to_pylist())
    except (ValueError, OverflowError):
        raise DataError(refused(name, "dates beyond the year 9999")) from None
