"""What plans have in common: they can be written to a file, or to text, and read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

from pufferfish.atomic import write_text
from pufferfish.codec import document_text, parse_document, read_document
from pufferfish.schema import refuse_misshapen

__all__ = ["PrivateDocument"]


class PrivateDocument(ABC):
    """A versioned document that may hold private statistics."""

    __slots__ = ()
    KIND: ClassVar[str]
    VERSION: ClassVar[int]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for the document."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` described, checked again."""

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the document, for its owner alone; YAML where the name says so."""
        place = Path(path)
        write_text(place, document_text(self.to_dict(), place), force=force, private=True)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """What a file holds."""
        return cls._from_document(read_document(Path(path), cls.KIND, cls.VERSION))

    def to_json(self) -> str:
        """The document as JSON."""
        return document_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        return cls._from_document(parse_document(text, cls.KIND, cls.VERSION))

    @classmethod
    def _from_document(cls, data: dict[str, Any]) -> Self:
        refuse_misshapen(data, cls.KIND)
        return cls.from_dict(data)
