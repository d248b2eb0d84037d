"""Versioned documents as JSON or YAML text, and back; older ones are upgraded.

Numbers keep every digit: a document that is read again means the same, to the last bit.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pufferfish.core.errors import CertificationError, InvalidInputError
from pufferfish.core.extras import pyyaml
from pufferfish.documents.strict import (
    NotADocumentError,
    plain_from_json,
    plain_from_yaml,
    read_bounded_text,
    refuse_unreadable,
)
from pufferfish.documents.upgrades import FROM_VERSION, UPGRADES

__all__ = [
    "PRIVATE_NOTICE",
    "PUBLIC_NOTICE",
    "Notice",
    "as_document",
    "document_text",
    "naming_file",
    "of_another_kind",
    "parse_document",
    "plain_document",
    "read_document",
]

Notice = Literal[
    "Holds statistics of private data. Keep it as you keep the data.", "May be published."
]
PRIVATE_NOTICE: Notice
PUBLIC_NOTICE: Notice
PRIVATE_NOTICE, PUBLIC_NOTICE = get_args(Notice)
_YAML = (".yaml", ".yml")
_OF_RELEASE = "give the file that ends in .public.json or .record.json"
# By what the reader meant to give: what it is called, and what to give.
_GIVE = {
    "document": ("a document of pufferfish", "give a plan or a record, as it was written"),
    "record": ("a record", _OF_RELEASE),
    "plan": ("a plan", "give the file that `pufferfish calibrate --output` wrote"),
    "beliefs": ("a file of beliefs", "give the file that `pufferfish fit --output` wrote"),
    "ledger": ("a ledger", "give the file that `pufferfish release --ledger` wrote"),
}
_LINE_ENDS = "\x85\u2028\u2029"


def document_text(data: Mapping[str, Any], path: Path | None = None) -> str:
    """A document as text: YAML if its file has such a name, else JSON."""
    yaml = path is not None and path.suffix.lower() in _YAML
    if yaml:
        # YAML takes these characters for line ends, unless they are escaped.
        plain = not any(mark in json.dumps(data, ensure_ascii=False) for mark in _LINE_ENDS)
        text = pyyaml().safe_dump(dict(data), sort_keys=False, allow_unicode=plain)
    else:
        text = json.dumps(data, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
    refuse_unreadable(text, str(data.get("pufferfish", "pufferfish")), yaml=yaml)
    return str(text)


def parse_document(text: str, kind: str, version: int, *, yaml: bool = False) -> dict[str, Any]:
    """A document of a kind, in the version that this release of the library writes.

    Args:
        text: What was read.
        kind: "plan", "record", ...
        version: The version that is wanted; older documents are upgraded.
        yaml: Whether the text is YAML.
    """
    data = plain_from_yaml(text, kind) if yaml else plain_from_json(text, kind)
    return as_document(data, kind, version)


def as_document(data: Any, kind: str, version: int) -> dict[str, Any]:
    """`parse_document` for plain data that was already read."""
    if not isinstance(data, dict) or data.get("pufferfish") != kind:
        raise of_another_kind(data.get("pufferfish") if isinstance(data, dict) else None, kind)
    if FROM_VERSION in data:
        raise InvalidInputError(f"a {kind} has no entry {FROM_VERSION!r}.")
    return _upgrade(data, kind, version)


def of_another_kind(found: object, wanted: str) -> InvalidInputError:
    """The error for a document that says it is of kind `found`."""
    also = f"; it is of kind {found!r}" if isinstance(found, str) and found else ""
    hint = (
        " Give the record of a release, which repeats its plan: its name ends in .record.json or "
        ".public.json."
        if wanted == "record" and "plan" in str(found)
        else ""
    )
    return InvalidInputError(f"this is not a {wanted} document of pufferfish{also}.{hint}")


def read_document(path: Path, kind: str, version: int) -> dict[str, Any]:
    """`parse_document` for a file."""
    with naming_file(path):
        return as_document(_plain(path, kind), kind, version)


def plain_document(path: Path, wanted: str = "document") -> dict[str, Any]:
    """The document in a file, of any kind and version, unchanged.

    Args:
        path: The file.
        wanted: What the reader meant to give, for the message if it is no document.
    """
    with naming_file(path):
        data = _plain(path, wanted)
        if not isinstance(data, dict) or not isinstance(data.get("pufferfish"), str):
            raise _no_document(path, wanted, "it was not written by pufferfish")
    return data


@contextlib.contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """A context in which what is wrong with a document is said with the name of its file."""
    try:
        yield
    except (CertificationError, InvalidInputError) as error:
        if str(path) in str(error):
            raise
        raise type(error)(f"{path}: {error}") from None


def _plain(path: Path, wanted: str) -> Any:
    """What is in a file of a document."""
    yaml = path.suffix.lower() in _YAML
    try:
        text = read_bounded_text(path, wanted)
        return plain_from_yaml(text, wanted) if yaml else plain_from_json(text, wanted)
    except NotADocumentError:
        raise _no_document(path, wanted, f"not {'YAML' if yaml else 'JSON'}") from None


def _no_document(path: Path, wanted: str, why: str) -> InvalidInputError:
    what, give = _GIVE.get(wanted, (f"a {wanted}", "give one as it was written"))
    return InvalidInputError(f"{path} is not {what}, or is cut off ({why}): {give}.")


def _upgrade(data: dict[str, Any], kind: str, version: int) -> dict[str, Any]:
    found = data.get("version")
    while isinstance(found, int) and found < version and (kind, found) in UPGRADES:
        data = UPGRADES[kind, found](data)
        found = data.get("version")
    if found != version:
        raise InvalidInputError(
            f"this {kind} document has version {found!r}, and this release of pufferfish reads up "
            f"to {version}. A newer document needs a newer pufferfish."
        )
    return data
