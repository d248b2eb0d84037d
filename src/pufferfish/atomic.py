"""Files that are whole or not there: written beside their place, then renamed into it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pufferfish.errors import OutputExistsError

__all__ = ["refuse_unusable", "replacing", "write_text"]

_SUFFIX = ".unfinished"
_ATTEMPTS = 1000


@contextlib.contextmanager
def replacing(path: Path, *, force: bool = False, private: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place under `path` only when all went well.

    Args:
        path: Where the file shall be. Its folder must exist.
        force: Replace a file that is there already.
        private: Nobody but the owner may read it.

    Raises:
        OutputExistsError: There is a file already, and `force` is not given.
    """
    refuse_unusable(path, force=force)
    temporary, handle, usual = _created(path)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not private:
            temporary.chmod(usual)
        _into_place(temporary, path, force)
    except BaseException:  # also Ctrl-C: nothing unfinished stays
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def write_text(path: Path, text: str, *, force: bool = False, private: bool = False) -> None:
    """A text file, whole or not at all."""
    with replacing(path, force=force, private=private) as file:
        file.write(text.encode("utf-8"))


def _created(path: Path) -> tuple[Path, int, int]:
    """A new file beside `path`, for its owner alone, and the mode it would usually have."""
    for attempt in range(_ATTEMPTS):
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{attempt}{_SUFFIX}")
        with contextlib.suppress(FileExistsError):
            handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            usual = stat.S_IMODE(os.fstat(handle).st_mode)
            os.chmod(handle, 0o600)
            return temporary, handle, usual
    raise OutputExistsError(f"{path.parent} is full of unfinished files; remove *{_SUFFIX}.")


def refuse_unusable(path: Path, *, force: bool) -> None:
    """Refuse a place where no file can be put, before any work is done for it."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    if path.exists() and not path.is_file():
        raise OutputExistsError(f"{path} is no file that could be replaced; choose another name.")
    if not force:
        _refuse_existing(path)


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise OutputExistsError(
            f"{path} exists already; choose another name, or replace it with --force (force=True)."
        )


def _into_place(temporary: Path, path: Path, force: bool) -> None:
    if force:
        temporary.replace(path)
        return
    try:
        # Unlike a rename, a link fails where somebody else was faster.
        os.link(temporary, path)
    except FileExistsError:
        _refuse_existing(path)
        raise
    except OSError:  # a file system without links
        _refuse_existing(path)
        temporary.replace(path)
    else:
        temporary.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where the system offers it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
