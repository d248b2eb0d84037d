"""Laws in documents (certificates, plans and records): how each is written and read.

A document holds `kind`, the tag under which a law was registered, and the entries of that law: its
fields, unless it was registered with other entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Union

from msgspec.structs import asdict

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require
from pufferfish.documents.shape import Open, entries_of, plain, read
from pufferfish.noise.base import Law
from pufferfish.noise.laws import GaussianNoise, LaplaceNoise, NoNoise

__all__ = ["LawEntries", "forms_without", "law_from_dict", "law_to_dict", "register_document"]

# How the entries of a law are written and read, without its tag.
Write = Callable[[Any], dict[str, Any]]
Read = Callable[..., Law]


@dataclass(frozen=True, slots=True)
class _Document:
    law: type[Law]
    write: Write
    read: Read
    entries: Any


_BY_TAG: dict[str, _Document] = {}


def register_document(
    tag: str,
    law: type[Law],
    write: Write | None = None,
    read: Read | None = None,
    entries: type | None = None,
) -> None:
    """Let documents hold a law of another type.

    Args:
        tag: Its name in documents; no other law may have it.
        law: Its type.
        write: Gives its entries as plain data; by default the fields of the dataclass.
        read: Makes the law from these entries as keywords; by default the type itself.
        entries: A dataclass whose fields are these entries, if that is not the law itself.
    """
    require(
        tag not in _BY_TAG or _BY_TAG[tag].law is law,
        f"another law already has the tag {tag!r}: choose another tag.",
    )
    shape = entries_of(entries or law, tag=tag)
    _BY_TAG[tag] = _Document(law, write or plain, read or law, shape)


for _law in (LaplaceNoise, GaussianNoise, NoNoise):
    register_document(_law.kind, _law)


def forms_without(tag: str) -> tuple[Any, ...]:
    """The entries of all laws except one, for documents of a law that is made of others."""
    return tuple(each.entries for name, each in _BY_TAG.items() if name != tag)


class LawEntries(Open):
    """The entries of any registered law, or of those that `tags` names."""

    tags: ClassVar[tuple[str, ...] | None] = None

    @classmethod
    def forms(cls) -> Any:
        """The entries as registered."""
        # The forms are known only when this is called, so `|` cannot be written here.
        return Union[tuple(_BY_TAG[tag].entries for tag in cls.tags or _BY_TAG)]  # noqa: UP007

    def made(self) -> Law:
        """The law."""
        document = _BY_TAG[type(self.entries).__struct_config__.tag]
        return document.read(**asdict(self.entries))


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
    return read(data, LawEntries, "law").made()
