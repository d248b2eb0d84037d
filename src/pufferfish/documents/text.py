"""Versioned documents as JSON text, and back.

Numbers keep every digit: a document that is read again means the same, to the last bit.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pufferfish.core.errors import CertificationError, InvalidInputError
from pufferfish.documents.strict import (
    NotADocumentError,
    plain_from_json,
    read_bounded_text,
    refuse_unreadable,
)

__all__ = [
    "PRIVATE_NOTICE",
    "PUBLIC_NOTICE",
    "VERSION",
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
# The version of all documents, of every kind.
VERSION = 1
_OF_RELEASE = "give the file that ends in .public.json or .record.json"
# By what the reader meant to give: what it is called, and what to give.
_GIVE = {
    "document": ("a document of pufferfish", "give a plan or a record, as it was written"),
    "record": ("a record", _OF_RELEASE),
    "plan": ("a plan", "give the file that `pufferfish calibrate --output` wrote"),
    "beliefs": ("a file of beliefs", "give the file that `pufferfish fit --output` wrote"),
    "ledger": ("a ledger", "give the file that `pufferfish release --ledger` wrote"),
}


def document_text(data: Mapping[str, Any]) -> str:
    """A document as JSON."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
    refuse_unreadable(text, str(data.get("pufferfish", "pufferfish")))
    return text


def parse_document(text: str, kind: str) -> dict[str, Any]:
    """A document of a kind ("plan", "record", ...), from its text."""
    return as_document(plain_from_json(text, kind), kind)


def as_document(data: Any, kind: str) -> dict[str, Any]:
    """`parse_document` for plain data that was already read."""
    if not isinstance(data, dict) or data.get("pufferfish") != kind:
        raise of_another_kind(data.get("pufferfish") if isinstance(data, dict) else None, kind)
    found = data.get("version")
    if found != VERSION:
        raise InvalidInputError(
            f"this {kind} document has version {found!r}, and this release of pufferfish reads "
            f"version {VERSION}. A newer document needs a newer pufferfish."
        )
    return data


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


def read_document(path: Path, kind: str) -> dict[str, Any]:
    """`parse_document` for a file."""
    with naming_file(path):
        return as_document(_plain(path, kind), kind)


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
    try:
        return plain_from_json(read_bounded_text(path, wanted), wanted)
    except NotADocumentError:
        raise _no_document(path, wanted, "not JSON") from None


def _no_document(path: Path, wanted: str, why: str) -> InvalidInputError:
    what, give = _GIVE.get(wanted, (f"a {wanted}", "give one as it was written"))
    return InvalidInputError(f"{path} is not {what}, or is cut off ({why}): {give}.")
