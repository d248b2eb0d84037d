"""Messages about missing columns and columns of the wrong kind, for every engine."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Literal

from pufferfish.core.errors import InvalidInputError

__all__ = [
    "MARKS_HINT",
    "check_columns",
    "commas_of",
    "not_labels",
    "not_numeric",
    "not_secrets",
]
__all__ += ["not_text", "refuse_sorting_keys", "with_commas"]

# What a text among numbers may mean.
MARKS_HINT = "If the text means a missing number, name it: --na TEXT (na=[...])."

Commas = Literal["decimal", "thousands"]
# A number with a decimal comma, one with commas between thousands, which may be the same, and a
# number without decimals, which may be next to either.
_DECIMAL = r"[+-]?(\d+|\d{1,3}([.' ]\d{3})+),\d+"
_THOUSANDS = r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?"
_WHOLE = r"[+-]?(\d+|\d{1,3}([.' ]\d{3})+)"
# A column in which this share of entries are one or the other, and this share the first.
_NEARLY_ALL, _SOME = 0.95, 0.1

_MOST_LISTED = 20


def check_columns(known: Sequence[str], *wanted: str | None) -> None:
    """Refuse a column that does not exist or is not unique, and suggest one that may be meant."""
    for name in wanted:
        if name is None:
            continue
        if name in known:
            if list(known).count(name) > 1:
                raise InvalidInputError(f"there are several columns {name!r}; rename one of them.")
            continue
        listed = ", ".join(repr(each) for each in known[:_MOST_LISTED])
        more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
        close = get_close_matches(str(name), [str(each) for each in known], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InvalidInputError(f"there is no column {name!r}.{hint} Columns: {listed}{more}.")


def commas_of(entries: Iterable[tuple[object, int]]) -> Commas | None:
    """What commas mean where nearly all entries would be numbers but for them; None: they are not.

    Where every comma has three digits after it, it may separate thousands.

    Args:
        entries: Entries that are not missing, and how often each occurs.
    """
    comma = thousands = whole = every = 0
    for entry, count in entries:
        text = entry.strip() if isinstance(entry, str) else ""
        grouped = re.fullmatch(_THOUSANDS, text) is not None
        every += count
        thousands += count if grouped else 0
        comma += count if grouped or re.fullmatch(_DECIMAL, text) else 0
        whole += count if re.fullmatch(_WHOLE, text) else 0
    if comma <= _SOME * every or comma + whole < _NEARLY_ALL * every:
        return None
    return "thousands" if thousands == comma else "decimal"


def with_commas(column: str, commas: Commas, where: str = "") -> str:
    """Why a column of numbers with commas is refused. The numbers are examples, no data."""
    if commas == "decimal":
        return (
            f"column {column!r} holds text{where}; its entries look like numbers with a decimal "
            "comma: write 45246.5 instead of 45246,5."
        )
    return (
        f"column {column!r} holds text{where}; its entries look like numbers with commas. If a "
        "comma separates thousands, leave it out: 45246 instead of 45,246. If it is the decimal "
        "mark, write a point: 45.246."
    )


def not_numeric(column: str, kind: str) -> str:
    """Why a column cannot be the one that gets noise."""
    return (
        f"column {column!r} must hold numbers, but holds {kind}. Whole numbers, floats and "
        "decimals can be protected; convert it first if it means numbers."
    )


def not_secrets(column: str, kind: str) -> str:
    """Why a column cannot be the secret."""
    return (
        f"column {column!r} must hold text, whole numbers or truth values to be a secret, but "
        f"holds {kind}. Convert it first (whole numbers with gaps often became floats; numbers "
        "that are measured need to be cut into classes)."
    )


def not_labels(column: str, kind: str) -> str:
    """Why a column cannot be read as labels."""
    return (
        f"column {column!r} must hold text, whole numbers, truth values or dates, but holds "
        f"{kind}. Convert it first, or put its numbers into public bands (edges=..., --bands)."
    )


def not_text(column: str, kind: str) -> str:
    """Why a column cannot be published as text."""
    return f"column {column!r} is published as text, but holds {kind}. Convert it to text first."


def refuse_sorting_keys(keys: Collection[str], secret: str, changed: Collection[str]) -> None:
    """Refuse to keep rows in folders that are named by the secret, or by a changed column."""
    if secret in keys:
        raise InvalidInputError(
            f"the folders are named by the secret {secret!r}: keeping rows in their places would "
            "publish it. Do not keep the order, so that rows are shuffled, or write the table "
            "with other folders first."
        )
    for key in changed:
        if key in keys:
            raise InvalidInputError(
                f"the folders are named by {key!r}, which is changed: keeping rows in their places "
                "would publish its true values. Do not keep the order, so that rows are shuffled, "
                "or write the table with other folders first."
            )
