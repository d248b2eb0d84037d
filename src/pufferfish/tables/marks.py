"""Marks that mean a missing entry: "NA", "?", "-999", where the user names them.

Otherwise only null, nan and empty text are missing. A mark that was not named could be a value:
"NA" is Namibia, "none" an answer, "-" a blood group's sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pufferfish.core.extras import pyarrow
from pufferfish.core.validation import require

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check_marks", "numbers_of", "without_marks"]


def check_marks(na: Sequence[str]) -> tuple[str, ...]:
    """The marks, without the spaces around them."""
    require(
        not isinstance(na, str) and all(isinstance(each, str) for each in na),
        'na must be a list of texts, such as ["NA", "?"].',
    )
    return tuple(dict.fromkeys(each.strip() for each in na))


def without_marks(array: pa.Array, na: Sequence[str]) -> pa.Array:
    """The same entries, null where there is a mark; spaces around it do not matter.

    In a column of numbers a mark means its number: -999 also means -999.0.
    """
    pa, pc = pyarrow(), pyarrow("compute")
    kind: Any = array.type
    if not na:
        return array
    if pa.types.is_dictionary(kind):
        plain = without_marks(array.dictionary_decode(), na)
        return plain.dictionary_encode().cast(kind)
    if pa.types.is_string_view(kind):
        return without_marks(array.cast(pa.large_string()), na).cast(kind)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        marked = pc.is_in(pc.utf8_trim_whitespace(array), value_set=pa.array(na, kind))
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        marks = pa.array(numbers_of(na), pa.float64())
        marked = pc.is_in(array.cast(pa.float64(), safe=False), value_set=marks)
    else:
        return array
    return pc.if_else(marked, pa.scalar(None, kind), array)


def numbers_of(na: Sequence[str]) -> list[float]:
    """The marks that are numbers."""
    found = []
    for each in na:
        try:
            number = float(each)
        except ValueError:
            continue
        if math.isfinite(number):
            found.append(number)
    return found
