"""What belongs to a type of laws, and is known only above the laws."""

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
        """The entries of the laws that are built in; `what` an entry is, for a refusal."""
        self._what = what
        self._entries = dict(entries)

    def register(self, law: type[Law], entry: T) -> None:
        """Take another type of laws; what one is drawn by, or called, is settled once."""
        known = self._entries.setdefault(law, entry)
        require(known is entry, f"{law.__name__} has {self._what} already.")

    def of(self, law: Law) -> T:
        """The entry of this law's type.

        Raises:
            UnsupportedError: It has none.
        """
        if type(law) not in self._entries:
            raise UnsupportedError(f"no {self._what} for {law!r}: register it.")
        return self._entries[type(law)]
