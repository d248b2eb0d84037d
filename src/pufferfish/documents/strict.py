"""JSON as plain data, read strictly and in bounded memory.

Two readers of one text must not see two documents, so everything ambiguous is refused: an entry
that occurs twice, NaN and infinities. Anything that could make a small text grow large is refused
too (`limits`).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.limits import DOCUMENT_BYTES, MOST_CONTAINERS, MOST_DEPTH, MOST_VALUES

__all__ = [
    "NotADocumentError",
    "plain_from_json",
    "read_bounded_text",
    "refuse_unreadable",
]


class NotADocumentError(InvalidInputError):
    """A text that is no document at all, or only a part of one."""


def read_bounded_text(path: Path, kind: str) -> str:
    """The text of a file, if it is not longer than a document may be."""
    with path.open("rb") as file:
        data = file.read(DOCUMENT_BYTES + 1)
    if len(data) > DOCUMENT_BYTES:
        raise _too(kind, f"is larger than {DOCUMENT_BYTES // 2**20} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotADocumentError(f"{path} is not a {kind} document: it is not text.") from None


def plain_from_json(text: str, kind: str) -> Any:
    """Numbers, texts, truth values, None, and lists and dicts of them.

    Raises:
        InvalidInputError: Not JSON, ambiguous, or too large. The message does not quote the text.
    """
    containers = text.count("[") + text.count("{")
    _refuse_large(kind, len(text), containers + text.count(","))
    if containers > MOST_CONTAINERS:
        raise _too(kind, f"has more than {MOST_CONTAINERS:,} lists and objects")
    try:
        data = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_number
        )
    except RecursionError:
        raise _unreadable(kind, "it is nested too deeply.") from None
    except InvalidInputError as error:
        raise _unreadable(kind, error) from None
    except ValueError:  # its message would quote the text
        raise NotADocumentError(str(_unreadable(kind, "it is not valid JSON."))) from None
    _refuse_deep(data, kind)
    return data


def refuse_unreadable(text: str, kind: str) -> None:
    """Refuse to write what could not be read again; each value is on a line of its own."""
    _refuse_large(kind, len(text.encode()), text.count(","))


def _unreadable(kind: str, why: object) -> InvalidInputError:
    return InvalidInputError(f"this {kind} document cannot be read: {why}")


def _too(kind: str, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"this {kind} document {what}, more than is read (docs/reference/limitations.md)."
    )


def _refuse_large(kind: str, size: int, values: int) -> None:
    if size > DOCUMENT_BYTES:
        raise _too(kind, f"is larger than {DOCUMENT_BYTES // 2**20} MiB")
    if values > MOST_VALUES:
        raise _too(kind, f"has more than {MOST_VALUES:,} values")


def _once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(entries)
    if len(found) < len(entries):
        twice, _ = Counter(name for name, _ in entries).most_common(1)[0]
        raise InvalidInputError(f"the entry {twice[:40]!r} occurs twice.")
    return found


def _no_number(constant: str) -> Any:
    raise InvalidInputError(f"a document cannot hold the number {constant}.")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InvalidInputError("it holds a number beyond the range of doubles.")
    return number


def _refuse_deep(data: Any, kind: str) -> None:
    level: list[Any] = [data]
    for _ in range(MOST_DEPTH + 1):
        inner: list[Any] = []
        for each in level:
            values: Iterable[Any] = each.values() if isinstance(each, dict) else each
            if isinstance(each, dict | list):
                inner += [value for value in values if isinstance(value, dict | list)]
        if not inner:
            return
        level = inner
    raise _unreadable(kind, "it is nested too deeply.")
