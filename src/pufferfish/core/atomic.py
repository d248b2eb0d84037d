"""Files that are complete or not there: written next to their place, then renamed into it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, TypeVar

from pufferfish.core.errors import OutputExistsError

__all__ = ["Scratch", "refuse_unusable", "refuse_unusable_folder", "replacing"]
__all__ += ["replacing_folder", "write_text"]

_SUFFIX = ".unfinished"
_OLD_SUFFIX = ".replaced"
_ATTEMPTS = 1000


@contextlib.contextmanager
def replacing(path: Path, *, force: bool = False, private: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place under `path` only if all went well.

    Args:
        path: Where to put the file. Its folder must exist.
        force: Replace a file that is there already.
        private: Only the owner may read it.

    Raises:
        OutputExistsError: There is a file already, and `force` is false.
    """
    refuse_unusable(path, force=force)
    temporary, handle, usual = _create(path)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not private:
            temporary.chmod(usual)
        _into_place(temporary, path, force)
    except BaseException:  # also Ctrl-C: leave nothing unfinished
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def write_text(path: Path, text: str, *, force: bool = False, private: bool = False) -> None:
    """Write a text file, completely or not at all."""
    with replacing(path, force=force, private=private) as file:
        file.write(text.encode("utf-8"))


@contextlib.contextmanager
def replacing_folder(path: Path, mark: str, *, force: bool = False) -> Iterator[Path]:
    """A folder to write to, which takes its place under `path` only if all went well.

    Until then it is hidden, and only its owner may read it. The caller flushes its files to disk.

    Args:
        path: Where to put the folder. Its parent must exist.
        mark: A file that marks a folder as written here: only such a folder is replaced.
        force: Replace a folder that is there already.
    """
    refuse_unusable_folder(path, mark, force=force)
    temporary, usual = _create_folder(path)
    try:
        yield temporary
        for folder, _, _ in os.walk(temporary):
            _sync_folder(Path(folder))
        temporary.chmod(usual)
        _folder_into_place(temporary, path, force)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync_folder(path.parent)


class Scratch:
    """A file for what does not fit into memory: it has no name, and disappears with the process.

    Only its owner could read it (mode 0600), and only while it is open. It lies next to the output
    where there is one: that place was chosen for such data and has enough room, while the system's
    folder for temporary files is often in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        """Open the file in a folder; None: the system's folder for temporary files."""
        self._folder = folder
        self._file = tempfile.TemporaryFile(dir=folder, buffering=1 << 20)  # noqa: SIM115
        self.size = 0
        weakref.finalize(self, _let_go, self._file)

    def append(self, data: bytes) -> None:
        """Write at the end."""
        try:
            self.size += self._file.write(data)
        except OSError as error:
            raise self._failed(error) from None

    def read(self, start: int, size: int) -> bytes:
        """A part of the file; several threads may call it at the same time."""
        try:
            self._file.flush()
            data = os.pread(self._file.fileno(), size, start)
        except OSError as error:
            raise self._failed(error) from None
        if len(data) < size:
            raise self._failed(OSError(errno.EIO, "less was read than was written"))
        return data

    def _failed(self, error: OSError) -> OSError:
        reason = f"{error.strerror}, for rows that are kept in a temporary file"
        return OSError(error.errno, reason, str(self._folder or tempfile.gettempdir()))


def _let_go(file: IO[bytes]) -> None:
    """Close a file whose content is no longer needed."""
    with contextlib.suppress(OSError):
        file.close()


def _create(path: Path) -> tuple[Path, int, int]:
    """A new file next to `path`, for its owner alone, and the mode it would usually have."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    temporary, handle = _new_beside(path, _SUFFIX, lambda place: os.open(place, flags, 0o666))
    usual = stat.S_IMODE(os.fstat(handle).st_mode)
    os.chmod(handle, 0o600)
    return temporary, handle, usual


def _create_folder(path: Path) -> tuple[Path, int]:
    """A new folder next to `path`, for its owner alone, and the mode it would usually have."""
    temporary, _ = _new_beside(path, _SUFFIX, os.mkdir)
    usual = stat.S_IMODE(temporary.stat().st_mode)
    temporary.chmod(0o700)
    return temporary, usual


_Made = TypeVar("_Made")


def _new_beside(path: Path, suffix: str, make: Callable[[Path], _Made]) -> tuple[Path, _Made]:
    """A new file or folder under a hidden name next to `path`."""
    for attempt in range(_ATTEMPTS):
        place = path.with_name(f".{path.name}.{os.getpid()}-{attempt}{suffix}")
        with contextlib.suppress(FileExistsError):
            return place, make(place)
    raise OutputExistsError(f"{path.parent} is full of unfinished files; remove *{suffix}.")


def refuse_unusable(path: Path, *, force: bool) -> None:
    """Refuse a place where no file can be put, before any work is done for it."""
    _refuse_nowhere(path)
    if path.exists() and not path.is_file():
        raise OutputExistsError(f"{path} is not a file and is not replaced; choose another name.")
    if not force:
        _refuse_existing(path)


def refuse_unusable_folder(path: Path, mark: str, *, force: bool) -> None:
    """Refuse a place where no folder can be put, before any work is done for it."""
    _refuse_nowhere(path)
    if path.exists() and not path.is_dir():
        raise OutputExistsError(f"{path} is a file; a table of several files needs a folder.")
    if not force:
        _refuse_existing(path)
    elif path.exists() and any(path.iterdir()) and not (path / mark).is_file():
        raise OutputExistsError(
            f"{path} was not written by a release (it has no {mark}), so it is not replaced; "
            "choose another name."
        )


def _refuse_nowhere(path: Path) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))


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
        # Unlike a rename, a link fails where another program was faster.
        os.link(temporary, path)
    except FileExistsError:
        _refuse_existing(path)
        raise
    except OSError:  # a file system without links
        _refuse_existing(path)
        temporary.replace(path)
    else:
        temporary.unlink()


def _folder_into_place(temporary: Path, path: Path, force: bool) -> None:
    if not (force and path.exists()):
        # A rename would replace an empty folder.
        _refuse_existing(path)
        temporary.rename(path)
        return
    old, _ = _new_beside(path, _OLD_SUFFIX, path.rename)
    try:
        temporary.rename(path)
    except BaseException:
        old.rename(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
