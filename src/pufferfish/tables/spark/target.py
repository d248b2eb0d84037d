"""Where a release on a cluster goes: a folder that is complete or absent."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Sequence

from pufferfish.core.errors import InvalidInputError, OutputExistsError
from pufferfish.tables.manifest import MANIFEST
from pufferfish.tables.spark.storage import Storage

__all__ = ["Target"]

_PATTERNS = frozenset("*?[]{}\\")


class Target:
    """A folder to publish, which is free, or holds a release that may be replaced."""

    def __init__(self, storage: Storage, given: str, inputs: Sequence[str], *, force: bool) -> None:
        """Refuse a place that must not be written to, before any work.

        Args:
            storage: The file system.
            given: The path or address of the folder.
            inputs: The files of the table itself, as far as they are known.
            force: Whether an earlier release may be replaced.
        """
        if set(given) & _PATTERNS:
            raise InvalidInputError(
                f"Spark would take {given!r} for a pattern when it reads it; choose a name without "
                f"any of {' '.join(sorted(_PATTERNS))}."
            )
        self._storage, self._force = storage, force
        self.place = storage.qualify(given).rstrip("/")
        parent, _, name = self.place.rpartition("/")
        self._hidden = f"{parent}/.{name}.{uuid.uuid4().hex}"
        self.in_one_step = storage.renames(self.place)
        if any(f"{storage.qualify(each)}/".startswith(f"{self.place}/") for each in inputs):
            raise InvalidInputError(f"{given} holds the table itself; choose another place.")
        if storage.exists(self.place):
            self._refuse_existing()

    def _refuse_existing(self) -> None:
        if not self._force:
            raise OutputExistsError(
                f"{self.place} exists already; choose another name, or replace it with --force "
                "(force=True)."
            )
        if not self.in_one_step:
            raise OutputExistsError(
                f"{self.place} exists already, and on this storage nothing can be replaced in one "
                "step; choose another name, or remove it yourself."
            )
        if self._storage.has_files(self.place) and not self._storage.exists(
            f"{self.place}/{MANIFEST}"
        ):
            raise OutputExistsError(
                f"{self.place} was not written by a release; choose another name, or remove it "
                "yourself."
            )

    @contextlib.contextmanager
    def staging(self) -> Iterator[str]:
        """A temporary folder for work in progress, for its owner alone.

        Where a folder cannot be renamed in one step, files are written to their place; if that
        fails, they are deleted, unless another program has finished a release there meanwhile.
        """
        folder = f"{self._hidden}.unfinished"
        try:
            self._storage.make_private(folder)
            yield folder
        except BaseException:
            if not self.in_one_step:
                self._discard_unfinished()
            raise
        finally:
            self._discard(folder)

    def _discard_unfinished(self) -> None:
        with contextlib.suppress(Exception):
            if not self._storage.exists(f"{self.place}/{MANIFEST}"):
                self._storage.delete(self.place)

    def _discard(self, folder: str) -> None:
        # A cluster that is gone cannot clean up; the first error matters more.
        with contextlib.suppress(Exception):
            self._storage.delete(folder)

    def publish(self, table: str) -> None:
        """Give a finished folder its name, in one step; the folder that it replaces goes last."""
        self._storage.make_usual(table)
        if not (self._force and self._storage.exists(self.place)):
            self._storage.rename(table, self.place)
            return
        # Hidden, but not marked unfinished: if the program stops here, this is the old release.
        aside = f"{self._hidden}.replaced"
        self._storage.rename(self.place, aside)
        try:
            self._storage.rename(table, self.place)
        except BaseException:
            self._storage.rename(aside, self.place)
            raise
        self._discard(aside)
