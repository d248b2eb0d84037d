"""Which rows belong to one person: counted, never looked at otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pufferfish.errors import DataError
from pufferfish.tables.extras import pyarrow
from pufferfish.tables.summary import is_missing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["array_persons", "arrow_persons", "most_rows"]


def array_persons(name: str, column: object) -> npt.NDArray[np.int64]:
    """A number for each person, from an array of any kind."""
    masked = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else None
    entries = np.asarray(column)
    if entries.dtype.kind in "iuUSb":
        numbers = np.unique(entries, return_inverse=True)[1].astype(np.int64)
        missing = entries == "" if entries.dtype.kind == "U" else np.zeros(entries.size, dtype=bool)
    else:
        index: dict[str, int] = {}
        missing = np.array([is_missing(each) or each == "" for each in entries], dtype=bool)
        # 1, 1.0 and "1" are one person.
        keys = [
            str(int(each)) if isinstance(each, float) and each.is_integer() else str(each)
            for each in entries.tolist()
        ]
        numbers = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)
    if missing.any() or (masked is not None and masked.any()):
        raise _unnamed(name)
    return numbers


def arrow_persons(name: str, column: pa.Array) -> pa.Array:
    """A column of Arrow as it is, if every row names a person."""
    pa, pc = pyarrow(), pyarrow("compute")
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    missing = column.null_count > 0
    if pa.types.is_floating(kind):
        missing |= bool(pc.any(pc.is_nan(column)).as_py())
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        missing |= bool(pc.any(pc.equal(column, "")).as_py())
    if missing:
        raise _unnamed(name)
    return column


def most_rows(parts: list[Any]) -> int:
    """How many rows the person with most of them has; the column comes in parts."""
    if isinstance(parts[0], np.ndarray):
        return int(np.bincount(np.concatenate(parts)).max())
    counts = pyarrow().chunked_array(parts).value_counts().field("counts")
    return int(pyarrow("compute").max(counts).as_py())


def _unnamed(name: str) -> DataError:
    return DataError(f"column {name!r}: some rows do not say which person they belong to.")
