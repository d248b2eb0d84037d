"""Entries for types of laws that the package of laws does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require
from pufferfish.noise import Law

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(Generic[T]):
    """One entry for each type of laws."""

    def __init__(self, what: str, entries: Mapping[type[Law], T]) -> None:
        """Begin with the entries of the built-in laws; `what` names an entry in messages."""
        self._what = what
        self._entries = dict(entries)

    def register(self, law: type[Law], entry: T) -> None:
        """Add a type of laws; an entry cannot be replaced."""
        known = self._entries.setdefault(law, entry)
        require(known is entry, f"{law.__name__} already has {self._what}.")

    def of(self, law: Law) -> T:
        """The entry of this law's type.

        Raises:
            UnsupportedError: The type has no entry.
        """
        if type(law) not in self._entries:
            raise UnsupportedError(f"no {self._what} for {law!r}: register it.")
        return self._entries[type(law)]
