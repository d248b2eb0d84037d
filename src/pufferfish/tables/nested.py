"""Dictionaries and notes at any depth of a column's type.

A dictionary may hold entries that no row, or no published row, has: the secret's categories, the
cities of rows that were left out. Notes on a field hold anything that its author wrote. Both are
written to a file with the column, however deep in lists, structs and maps they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pufferfish.core.errors import DataError
from pufferfish.core.extras import pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["decode", "holds_dictionary", "plain_kind"]


def holds_dictionary(kind: pa.DataType) -> bool:
    """Whether a type is a dictionary, or holds one at any depth."""
    types = pyarrow().types
    if types.is_dictionary(kind):
        return True
    if isinstance(kind, pyarrow().BaseExtensionType):
        return holds_dictionary(kind.storage_type)
    if types.is_run_end_encoded(kind):
        return holds_dictionary(kind.value_type)
    return any(holds_dictionary(each.type) for each in _fields(kind))


def plain_kind(name: str, kind: pa.DataType) -> pa.DataType:
    """The type with values in place of dictionaries, and without notes, at any depth.

    Raises:
        DataError: A dictionary that cannot be removed.
    """
    pa = pyarrow()
    types = pa.types
    if types.is_dictionary(kind):
        return plain_kind(name, kind.value_type)
    inner = [
        pa.field(each.name, plain_kind(name, each.type), each.nullable) for each in _fields(kind)
    ]
    if types.is_struct(kind):
        return pa.struct(inner)
    if types.is_map(kind):
        return pa.map_(*inner, keys_sorted=kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(inner[0], kind.list_size)
    if types.is_list(kind):
        return pa.list_(inner[0])
    if types.is_large_list(kind):
        return pa.large_list(inner[0])
    if holds_dictionary(kind):
        raise DataError(
            f"column {name!r} is of type {kind}: its dictionary may hold entries that no row has. "
            "Convert it to plain values first, or leave it out."
        )
    return kind


def decode(array: Any, kind: pa.DataType) -> Any:
    """An array, or one in chunks, as the plain kind of its type."""
    pa = pyarrow()
    if array.type == kind:
        return array
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([decode(chunk, kind) for chunk in array.chunks], kind)
    if pa.types.is_dictionary(array.type):
        return decode(array.dictionary_decode(), kind)
    return array.cast(kind)


def _fields(kind: Any) -> list[Any]:
    """The fields directly within a type; keys and items of a map."""
    types = pyarrow().types
    if types.is_map(kind):
        return [kind.key_field, kind.item_field]
    if types.is_nested(kind) and not types.is_run_end_encoded(kind):
        return [kind.field(place) for place in range(kind.num_fields)]
    return []
