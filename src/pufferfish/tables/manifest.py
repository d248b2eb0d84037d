"""The manifest of a published folder: every file with its size and checksum.

A folder has no checksum of its own; that of its manifest is used for it. The manifest is written
last, so a folder without one is unfinished.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal, Self

from pufferfish.core.validation import require
from pufferfish.documents.shape import Entries, made, plain, read
from pufferfish.documents.text import VERSION, document_text, parse_document

__all__ = ["MANIFEST", "ROWS_PER_FILE", "Entry", "Manifest", "file_sha256"]

# The leading "_" keeps it out of the table, for us as for Spark and Arrow.
MANIFEST = "_manifest.json"
# How many rows a numbered file has.
ROWS_PER_FILE = 4_000_000
_KIND = "manifest"
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file.

    Attributes:
        path: Its path within the folder, with "/".
        rows: The number of its rows.
        bytes: Its size.
        sha256: Its checksum.
    """

    path: str
    rows: int
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        """Refuse what cannot be a file within a folder."""
        require(isinstance(self.path, str), "the path of a file must be text.")
        place = PurePosixPath(self.path)
        plain = str(place) == self.path and not place.is_absolute()
        require(
            plain and self.path != "." and ".." not in place.parts and "\0" not in self.path,
            f"{self.path!r} is not a path within a folder.",
        )
        for name in ("rows", "bytes"):
            given = getattr(self, name)
            require(
                isinstance(given, int) and not isinstance(given, bool) and given >= 0,
                f"the {name} of a file must be a whole number of at least 0, got {given!r}.",
            )
        require(
            isinstance(self.sha256, str) and _SHA256.fullmatch(self.sha256) is not None,
            "a sha256 is 64 digits from 0 to f.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The files of a folder, sorted by path."""

    files: tuple[Entry, ...]

    def __post_init__(self) -> None:
        """Sort the files, so that equal folders have equal manifests."""
        object.__setattr__(self, "files", tuple(sorted(self.files, key=lambda each: each.path)))
        paths = {each.path for each in self.files}
        require(len(paths) == len(self.files), "a manifest must name every file once.")

    @property
    def rows(self) -> int:
        """The number of rows of all files together."""
        return sum(each.rows for each in self.files)

    @property
    def sha256(self) -> str:
        """The checksum of the text that `to_json` makes."""
        return hashlib.sha256(self.to_json().encode("utf-8")).hexdigest()

    def to_json(self) -> str:
        """The document; equal manifests have the same text."""
        files = plain(self.files)
        return document_text({"pufferfish": _KIND, "version": VERSION, "files": files})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The manifest that `to_json` described."""
        entries = read(parse_document(text, _KIND), _ManifestEntries, _KIND)
        return cls(files=made(entries.files))


class _FileEntries(Entries):
    MADE = Entry

    path: str
    rows: int
    bytes: int
    sha256: str


class _ManifestEntries(Entries):
    pufferfish: Literal["manifest"]
    version: Literal[1]
    files: tuple[_FileEntries, ...]


def file_sha256(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
