"""Laws as plain data, in certificates, plans and records: each writes and reads itself.

A document says `kind`, the tag under which a law was registered, and what that law writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from pufferfish.checks import require
from pufferfish.errors import UnsupportedError
from pufferfish.noise.base import Law
from pufferfish.noise.laws import GaussianNoise, LaplaceNoise, Noise, NoNoise, as_noise

__all__ = ["law_from_dict", "law_to_dict", "noise_from_dict"]
__all__ += ["register_document"]

# What a law writes, without its tag; and what it reads, likewise.
Write = Callable[[Any], dict[str, Any]]
Read = Callable[..., Law]


@dataclass(frozen=True, slots=True)
class _Document:
    law: type[Law]
    write: Write
    read: Read


def _fields_of(law: Any) -> dict[str, Any]:
    return {each.name: getattr(law, each.name) for each in fields(law)}


_BY_TAG: dict[str, _Document] = {
    each.kind: _Document(each, _fields_of, each) for each in (LaplaceNoise, GaussianNoise, NoNoise)
}


def register_document(
    tag: str, law: type[Law], write: Write | None = None, read: Read | None = None
) -> None:
    """Let documents hold a law of another type.

    Args:
        tag: How documents call it; no other law may have it.
        law: Its type.
        write: Its entries as plain data; those of a dataclass are its fields.
        read: The law, from these entries as keywords; otherwise the type itself.
    """
    require(
        tag not in _BY_TAG or _BY_TAG[tag].law is law, f"another law is called {tag!r} already."
    )
    _BY_TAG[tag] = _Document(law, write or _fields_of, read or law)


def law_to_dict(law: Law) -> dict[str, Any]:
    """A law as plain data."""
    for tag, document in _BY_TAG.items():
        if type(law) is document.law:
            return {"kind": tag, **document.write(law)}
    raise UnsupportedError(
        f"{type(law).__name__} cannot be written to a document: no tag is registered for it."
    )


def law_from_dict(data: dict[str, Any]) -> Law:
    """The law that `law_to_dict` described."""
    require(isinstance(data, dict), f"a noise law must be an object, got {data!r}.")
    entries = dict(data)
    kind = entries.pop("kind")
    require(kind in _BY_TAG, f"noise kind {kind!r} is not known; known: {list(_BY_TAG)}.")
    return _BY_TAG[kind].read(**entries)


def noise_from_dict(data: dict[str, Any]) -> Noise:
    """The noise law that `law_to_dict` described; other laws are refused."""
    return as_noise(law_from_dict(data))
