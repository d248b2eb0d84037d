"""The published file of a record: where it may be, whether it is the one, and how it looks.

A record comes from somebody else. So it may only name a file in its own folder, never a device or
the target of a link, and reading stops where a file unpacks to far more than its size.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pufferfish.core.errors import DataError, InvalidInputError, PufferfishError
from pufferfish.documents.strict import read_bounded_text
from pufferfish.kinds.verdict import CHECKSUM, Check
from pufferfish.tables.manifest import MANIFEST, Manifest, file_sha256
from pufferfish.tables.sources import data_files

__all__ = ["Appearance", "beside", "look_at", "show_name"]

# What some programs put before a text, and how much is read at a time.
_MARK, _BLOCK = b"\xef\xbb\xbf", 1 << 20
# Whether the values of a file with another checksum are the published ones.
_SAME_VALUES = (
    "Only its line endings differ, as mail or a spreadsheet changes them: the values are those "
    "that were published. "
)
_OTHER_VALUES = "Different line endings do not explain it: the contents differ. "
# The longest name of a file, in bytes, on every system in use.
_LONGEST_NAME = 255


class Appearance(NamedTuple):
    """How the values look.

    Attributes:
        rows: All rows, with a value or without.
        verdict: False: such noise does not leave such values. True: nothing contradicts it. None:
            nothing could, because of what was done after the noise, or because there is none.
        detail: Why.
        like: What the values were compared with.
        whether: What cannot be told where the verdict is None.
    """

    rows: int
    verdict: bool | None
    detail: str
    like: str = "like values with this noise"
    whether: str = "noise was added to"


def beside(folder: Path, name: object) -> Path:
    """The file of this name in the folder of its record.

    Raises:
        InvalidInputError: The name leads out of the folder, or to something that is not a file.
    """
    if not _is_plain(name):
        raise InvalidInputError(
            "the record names a file that is not in its own folder, so it was not opened"
        )
    place = folder / str(name)
    if place.is_symlink():
        raise InvalidInputError(
            f"{show_name(place.name)} is a link, so it was not opened; name it with --released"
        )
    return place


def _only_line_ends(published: Mapping[str, Any], released: Path) -> bool:
    """Whether only line ends differ, which mail and spreadsheets change."""
    digest, held = hashlib.sha256(), b""
    with released.open("rb") as file:
        if file.read(len(_MARK)) != _MARK:
            file.seek(0)
        while block := file.read(_BLOCK):
            block = held + block
            held = b"\r" if block.endswith(b"\r") else b""
            digest.update(block[: len(block) - len(held)].replace(b"\r\n", b"\n"))
    digest.update(held)
    return bool(digest.hexdigest() == published["sha256"])


def _is_plain(name: object) -> bool:
    """Whether this is the name of a file, without a path that leads elsewhere."""
    if not isinstance(name, str) or name in ("", ".", "..") or "\0" in name:
        return False
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:
        return False
    return size <= _LONGEST_NAME and os.path.basename(name) == name


def look_at(
    published: Mapping[str, Any], released: Path, look: Callable[[Path], Appearance | None]
) -> tuple[list[Check], list[str]]:
    """Checks of the published file or folder, and notes on what cannot be told from it.

    Args:
        published: What the record says about it.
        released: Where it is.
        look: Judges its values, if it is the published one.
    """
    named = show_name(released.name)
    same = f"{named} {CHECKSUM}"
    if published["checksum_of"] == "column":
        found = Check(claim=same, verdict=None, detail="a frame was released, not a file")
        return [found], []
    folder = published["checksum_of"] == "folder"
    wrong = _no_file(released, folder=folder)
    if wrong is not None:
        return [Check(claim=same, verdict=False, detail=wrong)], []
    wrong = (_wrong_in_folder if folder else _other_file)(published, released)
    if wrong is not None:
        kind = "folder" if folder else "file"
        only = not folder and _only_line_ends(published, released)
        why = "" if folder else _SAME_VALUES if only else _OTHER_VALUES
        what = (
            f"{named} is not the {kind} that was published: {wrong.removesuffix('.')}. "
            f"{why}Ask for the original {kind}."
        )
        found = Check(claim=same, verdict=False, detail=what, other_file=True, line_ends=only)
        return [found], []
    many = f"{named} has as many rows as the record says"
    if folder and (listed := _manifest(released)[1].rows) != published["rows"]:
        return [Check(claim=many, verdict=False, detail=_rows(listed, published, "manifest"))], []
    right = Check(claim=same, verdict=True, detail=f"sha256 {published['sha256']}")
    try:
        seen = look(released)
    except DataError as error:
        table = f"{named} is such a table as the record describes"
        return [right, Check(claim=table, verdict=False, detail=str(error))], []
    except PufferfishError as error:
        return [right], [f"The values of {named} were not checked: {error}"]
    if seen is None:
        return [right], []
    checks = [replace(right, detail=f"{right.detail}, {seen.rows:,} rows")]
    if seen.rows != published["rows"]:
        checks = [right, Check(claim=many, verdict=False, detail=_rows(seen.rows, published))]
    if seen.verdict is None:
        return checks, [
            f"Whether {seen.whether} {named} cannot be told from its values: {seen.detail}."
        ]
    like = f"the values of {named} look {seen.like}"
    return [*checks, Check(claim=like, verdict=seen.verdict, detail=seen.detail)], []


def show_name(name: str) -> str:
    """A name to print; one that could affect a terminal is written with escapes."""
    return name if name.isprintable() else repr(name)


def _no_file(place: Path, *, folder: bool) -> str | None:
    """Why a place is not read: it is not a regular file, or not a folder; None if it is."""
    # It is not opened yet: opening a pipe waits until somebody writes to it.
    mode = place.stat().st_mode
    if folder:
        return None if stat.S_ISDIR(mode) else "it is not a folder"
    return None if stat.S_ISREG(mode) else "it is not a regular file, so it was not opened"


def _other_file(published: Mapping[str, Any], released: Path) -> str | None:
    digest = file_sha256(released)
    named = published["sha256"]
    return None if digest == named else f"its SHA-256 is {digest}, the record names {named}"


def _rows(found: int, published: Mapping[str, Any], where: str = "file") -> str:
    """How many rows there are, and how many there should be."""
    return f"the {where} has {found:,}, the record says {published['rows']:,}"


def _manifest(folder: Path) -> tuple[str, Manifest]:
    """The manifest of a folder, as text too."""
    text = read_bounded_text(_regular(folder / MANIFEST), "manifest")
    return text, Manifest.from_json(text)


def _wrong_in_folder(published: Mapping[str, Any], folder: Path) -> str | None:
    """What in a folder is not as it was released; None if nothing."""
    try:
        text, manifest = _manifest(folder)
    except (OSError, InvalidInputError) as error:
        return f"its manifest cannot be read: {error}"
    if (manifest.to_json(), manifest.sha256) != (text, published["sha256"]):
        return "its manifest is not the one that was written"
    try:
        found = {each.relative_to(folder).as_posix() for each in data_files(folder)}
        listed = {each.path for each in manifest.files}
        for path in sorted(found ^ listed):
            return f"{show_name(path)} is {'missing' if path in listed else 'not in the manifest'}"
        for each in manifest.files:
            place = _regular(folder / each.path)
            if place.stat().st_size != each.bytes or file_sha256(place) != each.sha256:
                return f"{show_name(each.path)} is not what was written"
    except InvalidInputError as error:
        return str(error)
    return None


def _regular(place: Path) -> Path:
    if place.is_symlink() or not stat.S_ISREG(place.stat().st_mode):
        raise InvalidInputError(
            f"{show_name(place.name)} is not a regular file, so it was not opened."
        )
    return place
