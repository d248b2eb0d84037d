"""JSON and YAML as plain data, read strictly and in bounded memory.

Two readers of one text must not see two documents, so everything ambiguous is refused: an entry
that occurs twice, NaN and infinities, anchors and tags of YAML, names that are not text. Anything
that could make a small text grow large is refused too (`limits`).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import pyyaml
from pufferfish.core.limits import (
    DOCUMENT_BYTES,
    MOST_CONTAINERS,
    MOST_DEPTH,
    MOST_VALUES,
    YAML_BYTES,
    YAML_VALUES,
)

__all__ = [
    "NotADocumentError",
    "plain_from_json",
    "plain_from_yaml",
    "read_bounded_text",
    "refuse_unreadable",
]

# A number in YAML that is longer than this is refused: no genuine number is.
_LONGEST_NUMBER = 400
_YAML_TAG = "tag:yaml.org,2002:"
_AS_JSON = " (write it as JSON)"


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
    _refuse_large(kind, len(text), containers + text.count(","), DOCUMENT_BYTES, MOST_VALUES)
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


def plain_from_yaml(text: str, kind: str) -> Any:
    """`plain_from_json` for YAML, from its events, so that no alias is expanded."""
    yaml = pyyaml()
    _refuse_large(kind, len(text), 0, YAML_BYTES, YAML_VALUES, _AS_JSON)
    try:
        return _Events(yaml, text).document()
    except InvalidInputError as error:
        raise _unreadable(kind, error) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise NotADocumentError(str(_unreadable(kind, "it is not valid YAML."))) from None


def refuse_unreadable(text: str, kind: str, *, yaml: bool) -> None:
    """Refuse to write what could not be read again; each value is on a line of its own."""
    if yaml:
        _refuse_large(kind, len(text), text.count("\n"), YAML_BYTES, YAML_VALUES, _AS_JSON)
    else:
        _refuse_large(kind, len(text.encode()), text.count(","), DOCUMENT_BYTES, MOST_VALUES)


def _unreadable(kind: str, why: object) -> InvalidInputError:
    return InvalidInputError(f"this {kind} document cannot be read: {why}")


def _too(kind: str, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"this {kind} document {what}, more than is read (docs/reference/limitations.md)."
    )


def _refuse_large(
    kind: str, size: int, values: int, most_bytes: int, most_values: int, hint: str = ""
) -> None:
    if size > most_bytes:
        raise _too(kind, f"is larger than {most_bytes // 2**20} MiB{hint}")
    if values > most_values:
        raise _too(kind, f"has more than {most_values:,} values{hint}")


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


class _Events:
    """Plain data from the events of a YAML parser, which keeps no tree of its own."""

    def __init__(self, yaml: Any, text: str) -> None:
        """Begin at the start of the text."""
        self._yaml = yaml
        self._loader = yaml.SafeLoader(text)
        self._count = 0

    def document(self) -> Any:
        """The one document of the text."""
        yaml = self._yaml
        try:
            self._next(yaml.StreamStartEvent)
            self._next(yaml.DocumentStartEvent)
            data = self._value(self._loader.get_event(), 0)
            self._next(yaml.DocumentEndEvent)
            self._next(yaml.StreamEndEvent)
        finally:
            self._loader.dispose()
        return data

    def _next(self, wanted: type) -> None:
        if not isinstance(self._loader.get_event(), wanted):
            raise InvalidInputError("it does not hold exactly one YAML document.")

    def _value(self, event: Any, depth: int) -> Any:
        yaml = self._yaml
        self._count += 1
        if self._count > YAML_VALUES:
            raise InvalidInputError(f"it has more than {YAML_VALUES:,} values; write it as JSON.")
        if depth > MOST_DEPTH:
            raise InvalidInputError("it is nested too deeply.")
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise InvalidInputError("it has anchors or aliases of YAML; write each value out.")
        if event.tag is not None:
            raise InvalidInputError("it has tags of YAML (!...), which a document must not have.")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(depth)
        return self._dict(depth)

    def _list(self, depth: int) -> list[Any]:
        found = []
        while not isinstance(event := self._loader.get_event(), self._yaml.SequenceEndEvent):
            found.append(self._value(event, depth + 1))
        return found

    def _dict(self, depth: int) -> dict[str, Any]:
        entries = []
        while not isinstance(event := self._loader.get_event(), self._yaml.MappingEndEvent):
            name = self._value(event, depth + 1)
            if not isinstance(name, str):
                raise InvalidInputError("the name of an entry is not text.")
            entries.append((name, self._value(self._loader.get_event(), depth + 1)))
        return _once(entries)

    def _scalar(self, event: Any) -> Any:
        node = self._yaml.ScalarNode
        tag = self._loader.resolve(node, event.value, event.implicit).removeprefix(_YAML_TAG)
        if tag not in ("int", "float", "bool", "null"):
            # Dates and the like are texts here, as they are in JSON.
            return event.value
        if len(event.value) > _LONGEST_NUMBER:
            raise InvalidInputError("it holds a number that is too long.")
        value = self._loader.construct_object(node(f"{_YAML_TAG}{tag}", event.value))
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidInputError("it holds NaN or an infinite number.")
        return value
