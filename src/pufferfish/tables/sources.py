"""The files of a table: one file, all files below a folder, or those that a pattern matches."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require

__all__ = ["STANDARD_STREAM", "Source", "SourceFile", "data_files", "find_source", "is_many"]

# Read from standard input, or write to standard output.
STANDARD_STREAM = "-"
# How Hive, Spark and Arrow name the folder of rows without a key.
_NO_KEY = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a table.

    Attributes:
        path: Where it is; "-" for standard input.
        name: Its path within the table's folder, with "/".
        keys: The values that the names of its folders ("key=value") give all its rows; None:
            missing.
    """

    path: str
    name: str
    keys: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A table.

    Attributes:
        files: Its files, in the order of its rows.
        folder: Its folder, if it is a folder or a pattern; None for one file.
        given: The path that was given.
    """

    files: tuple[SourceFile, ...]
    folder: Path | None
    given: str

    @property
    def many(self) -> bool:
        """Whether it may have several files; one in a folder counts as several."""
        return self.folder is not None

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that are names of folders."""
        return tuple(name for name, _ in self.files[0].keys)

    def refuse_target(self, target: Path) -> None:
        """Refuse an output that would become a part of the table, or replace it."""
        place = target.resolve()
        inside = any(Path(each.path).resolve().is_relative_to(place) for each in self.files)
        whole = self.folder is not None and Path(self.given).is_dir()
        if inside or (whole and place.is_relative_to(Path(self.given).resolve())):
            raise InvalidInputError(
                f"one of {target} and the table {self.given} contains the other; choose another "
                "place for the output."
            )


def is_many(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder or a pattern, such as "year=*/*.parquet"."""
    text = os.fspath(path)
    return os.path.isdir(text) or (glob.has_magic(text) and not os.path.lexists(text))


def find_source(path: str | os.PathLike[str]) -> Source:
    """The files of a table, sorted by path.

    Files and folders whose names start with "." or "_" are skipped, as in Spark and Arrow, except
    for those with a key ("_key=value").

    Raises:
        FileNotFoundError: There are no files.
        InvalidInputError: Their folders have different keys.
    """
    text = os.fspath(path)
    if not is_many(text):
        name = text if text == STANDARD_STREAM else Path(text).name
        return Source(files=(SourceFile(path=text, name=name),), folder=None, given=text)
    folder = Path(text if os.path.isdir(text) else _fixed_part(text))
    found = {
        file
        for match in ([text] if os.path.isdir(text) else glob.iglob(text, recursive=True))
        for file in (data_files(Path(match)) if os.path.isdir(match) else [Path(match)])
        if not _hidden(file.relative_to(folder))
    }
    names = sorted(file.relative_to(folder).as_posix() for file in found)
    if not names:
        raise FileNotFoundError(errno.ENOENT, "there are no files of a table", text)
    _refuse_twice(folder, names)
    files = tuple(
        SourceFile(path=str(folder / name), name=name, keys=tuple(_keys(name))) for name in names
    )
    for each in files:
        require(
            [key for key, _ in each.keys] == [key for key, _ in files[0].keys],
            f"the folders of {each.name} have other keys than those of {files[0].name}.",
        )
    return Source(files=files, folder=folder, given=text)


def _refuse_twice(folder: Path, names: list[str]) -> None:
    """Refuse a file with two names, through links: its rows would be published with two draws."""
    seen: dict[tuple[int, int], str] = {}
    for name in names:
        for parent in (folder / name).relative_to(folder).parents:
            require(
                parent == Path() or not (folder / parent).is_symlink(),
                f"{folder / parent} is a link to another folder; give the folder that holds the "
                "files.",
            )
        status = (folder / name).stat()
        first = seen.setdefault((status.st_dev, status.st_ino), name)
        require(
            first == name,
            f"{first} and {name} are the same file, whose rows would be published twice, each time "
            "with fresh noise; remove the link.",
        )


def data_files(folder: Path) -> Iterator[Path]:
    """All files below a folder that are not skipped."""

    def failed(error: OSError) -> None:
        raise error

    for place, folders, names in os.walk(folder, onerror=failed):
        folders[:] = [each for each in folders if not _hidden(Path(each))]
        for each in folders:
            linked = Path(place, each)
            require(
                not linked.is_symlink(),
                f"{linked} is a link to another folder; give the folder that holds the files.",
            )
        yield from (Path(place, each) for each in names if not _hidden(Path(each)))


def _fixed_part(pattern: str) -> str:
    """The folder before the first part of a pattern that matches several names."""
    parts = Path(pattern).parts
    fixed = next(index for index, part in enumerate(parts) if glob.has_magic(part))
    return str(Path(*parts[:fixed]))


def _hidden(relative: Path) -> bool:
    return any(
        part.startswith(".") or (part.startswith("_") and "=" not in part)
        for part in relative.parts
    )


def _keys(name: str) -> Iterator[tuple[str, str | None]]:
    for folder in name.split("/")[:-1]:
        key, equals, value = folder.partition("=")
        if equals:
            yield unquote(key), None if value == _NO_KEY else unquote(value)
