"""Arrow columns as batches: what every engine and every file format is turned into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pufferfish.checks import FloatArray, require
from pufferfish.errors import DataError
from pufferfish.extras import pyarrow
from pufferfish.scenario import Secret
from pufferfish.tables.arrays import whole_counts
from pufferfish.tables.names import not_numeric, not_secrets
from pufferfish.tables.summary import IntArray
from pufferfish.tables.tally import Batch

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BATCH", "arrow_batch", "arrow_batches", "arrow_numbers", "arrow_values"]

# Rows worked on at a time: enough to hide the cost of a call, few enough that a dozen of them, in
# all stages of the work, take little memory.
BATCH = 1 << 18


def arrow_batches(table: pa.Table, column: str, secret: str, count: str | None) -> Iterator[Batch]:
    """The rows of a table, some at a time."""
    for part in table.to_batches(max_chunksize=BATCH):
        yield arrow_batch(part, column, secret, count)


def arrow_batch(part: pa.RecordBatch, column: str, secret: str, count: str | None = None) -> Batch:
    """The values and secrets of some rows."""
    codes, labels = _coded(secret, part.column(secret))
    counts = None
    if count is not None:
        counts = whole_counts(count, arrow_numbers(count, part.column(count)))
    return Batch(arrow_numbers(column, part.column(column)), codes, labels, counts)


def arrow_numbers(name: str, array: pa.Array) -> FloatArray:
    """A column as floats, nan where it is null."""
    pa = pyarrow()

    kind = array.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    # A column of nulls only has no type of its own.
    if not numeric and not pa.types.is_null(kind):
        raise DataError(not_numeric(name, str(kind)))
    plain: Any = array.cast(pa.float64(), safe=False)
    return np.array(plain.to_numpy(zero_copy_only=False), dtype=np.float64)


def arrow_values(values: npt.NDArray[Any], holes: npt.NDArray[np.bool_]) -> pa.Array:
    """New values, null where there is none."""
    return pyarrow().array(values, mask=holes if holes.any() else None)


def _coded(name: str, array: pa.Array) -> tuple[IntArray, tuple[Secret, ...]]:
    """A column of secrets as indices into its labels, −1 where it is null."""
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
    )
    if not usable:
        raise DataError(not_secrets(name, str(kind)))
    if not coded:
        plain = pa.types.is_string_view(kind)
        array = (array.cast(pa.large_string()) if plain else array).dictionary_encode()
    labels = tuple(array.dictionary.to_pylist())
    require(None not in labels, f"column {name!r} has a category without a name.")
    codes = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return np.asarray(codes, dtype=np.int64), labels
