"""Files that are whole or not there: written beside their place, then renamed into it."""

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
    """A file to write to, which takes its place under `path` only when all went well.

    Args:
        path: Where the file shall be. Its folder must exist.
        force: Replace a file that is there already.
        private: Nobody but the owner may read it.

    Raises:
        OutputExistsError: There is a file already, and `force` is not given.
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
    except BaseException:  # also Ctrl-C: nothing unfinished stays
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def write_text(path: Path, text: str, *, force: bool = False, private: bool = False) -> None:
    """A text file, whole or not at all."""
    with replacing(path, force=force, private=private) as file:
        file.write(text.encode("utf-8"))


@contextlib.contextmanager
def replacing_folder(path: Path, mark: str, *, force: bool = False) -> Iterator[Path]:
    """A folder to write to, which takes its place under `path` only when all went well.

    Until then it is hidden, and its owner's alone. The caller flushes the files in it to disk.

    Args:
        path: Where the folder shall be. The one that it is in must exist.
        mark: A file that says that a folder was written here: only such a folder is replaced.
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
    """A file for what does not fit into memory: it has no name, and is gone with the process.

    Only its owner could read it (mode 0600), and only while it is open. It lies beside the output
    where there is one: that place was chosen for such data and has room for as much, while the
    system's folder for temporary files is often memory itself.
    """

    def __init__(self, folder: Path | None) -> None:
        """Open it in a folder; None: the system's folder for temporary files."""
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
        """A part of it; may be called by several threads at a time."""
        try:
            self._file.flush()
            data = os.pread(self._file.fileno(), size, start)
        except OSError as error:
            raise self._failed(error) from None
        if len(data) < size:
            raise self._failed(OSError(errno.EIO, "less was read than was written"))
        return data

    def _failed(self, error: OSError) -> OSError:
        reason = f"{error.strerror}, for rows that wait in a temporary file"
        return OSError(error.errno, reason, str(self._folder or tempfile.gettempdir()))


def _let_go(file: IO[bytes]) -> None:
    """Close a file whose content nobody wants any more."""
    with contextlib.suppress(OSError):
        file.close()


def _create(path: Path) -> tuple[Path, int, int]:
    """A new file beside `path`, for its owner alone, and the mode it would usually have."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    temporary, handle = _new_beside(path, _SUFFIX, lambda place: os.open(place, flags, 0o666))
    usual = stat.S_IMODE(os.fstat(handle).st_mode)
    os.chmod(handle, 0o600)
    return temporary, handle, usual


def _create_folder(path: Path) -> tuple[Path, int]:
    """The same for a folder."""
    temporary, _ = _new_beside(path, _SUFFIX, os.mkdir)
    usual = stat.S_IMODE(temporary.stat().st_mode)
    temporary.chmod(0o700)
    return temporary, usual


_Made = TypeVar("_Made")


def _new_beside(path: Path, suffix: str, make: Callable[[Path], _Made]) -> tuple[Path, _Made]:
    """Something new under a hidden name beside `path`."""
    for attempt in range(_ATTEMPTS):
        place = path.with_name(f".{path.name}.{os.getpid()}-{attempt}{suffix}")
        with contextlib.suppress(FileExistsError):
            return place, make(place)
    raise OutputExistsError(f"{path.parent} is full of unfinished files; remove *{suffix}.")


def refuse_unusable(path: Path, *, force: bool) -> None:
    """Refuse a place where no file can be put, before any work is done for it."""
    _refuse_nowhere(path)
    if path.exists() and not path.is_file():
        raise OutputExistsError(f"{path} is no file that could be replaced; choose another name.")
    if not force:
        _refuse_existing(path)


def refuse_unusable_folder(path: Path, mark: str, *, force: bool) -> None:
    """The same for a folder."""
    _refuse_nowhere(path)
    if path.exists() and not path.is_dir():
        raise OutputExistsError(f"{path} is a file; a table of many files needs a folder.")
    if not force:
        _refuse_existing(path)
    elif path.exists() and any(path.iterdir()) and not (path / mark).is_file():
        raise OutputExistsError(
            f"{path} was not written by a release (it holds no {mark}), so it is not replaced; "
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
    """Make the new name survive a power cut, where the system offers it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
