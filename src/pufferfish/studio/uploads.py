"""Tables that the page was given: in memory, for as long as the page needs them.

On Linux a table is a file without a name (`memfd_create`), which can be opened repeatedly by its
path `/proc/self/fd/N` and is gone when it is closed or the process ends in any way. Like all memory
it may be swapped out. Elsewhere it is a file in a temporary folder of this user, which is removed
when it is closed and when the process ends by itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import math
import os
import resource
import tempfile
import threading
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.studio.guard import fresh_secret

__all__ = ["Upload", "Uploads"]

# Uploads that wait for a page to claim them.
_MOST_WAITING = 4
# The most that all tables together may take, in units of the largest.
_MOST_TABLES = 4
_MOST_LETTERS = 200
_INSTEAD = (
    "Start the studio with the file instead (pufferfish studio FILE), which reads it in place."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A table in memory.

    Attributes:
        key: The key with which a page claims it; nobody can guess it.
        name: What its file was called; a label, never a path.
        path: Where it can be read, until it is dropped.
        size: In bytes.
    """

    key: str = field(repr=False)
    name: str
    path: str
    size: int


class _RefusedError(InvalidInputError):
    """A table is refused, with the status of the answer."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def _numbers() -> Iterator[int]:
    """Numbers for open files, each reused as late as possible.

    The system gives a closed file's number to the next one: code that still had the path of a
    dropped table would read another one. Nobody else uses high numbers, and it takes hundreds of
    tables to reuse one.
    """
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    top = 1024 if limit == resource.RLIM_INFINITY else min(limit, 1024)
    return itertools.cycle(range(top // 2, top - top // 8))


_NUMBERS = _numbers()


class _Memory:
    """A file that is in no folder."""

    def __init__(self) -> None:
        first = os.memfd_create("pufferfish")
        try:
            number = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, next(_NUMBERS))
        finally:
            os.close(first)
        self.file: BinaryIO = os.fdopen(number, "wb")
        self.path = f"/proc/self/fd/{number}"

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.file.close()


class _Disk:
    """A file in a folder that only this user can enter."""

    def __init__(self, folder: str) -> None:
        self.path = str(Path(folder) / fresh_secret())
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self.file: BinaryIO = os.fdopen(os.open(self.path, flags, 0o600), "wb")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


_Place = _Memory | _Disk


@dataclass(slots=True)
class _Arriving:
    """The part of a table that has arrived so far."""

    place: _Place
    size: int = 0
    kept: bool = False


class Uploads:
    """A store that keeps tables until they are dropped, and an ASGI app that takes posted ones.

    Safe to use from several threads.
    """

    def __init__(self, most_bytes: int) -> None:
        """Nothing yet.

        Args:
            most_bytes: The size of the largest table; all together may take four times that.
        """
        require(most_bytes > 0, f"most_bytes must be greater than 0, got {most_bytes}.")
        self.most_bytes = most_bytes
        self._lock = threading.RLock()
        self._places: dict[str, _Place] = {}
        self._waiting: dict[str, Upload] = {}
        self._used = 0
        self._closed = False
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def refusal(self) -> str:
        """The message about a file that is too large."""
        return f"The page takes at most {_megabytes(self.most_bytes, math.floor)}. {_INSTEAD}"

    @property
    def folder(self) -> str:
        """A folder that only this user can enter, until the store is closed."""
        with self._lock:
            self._refuse_closed()
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(
                    prefix="pufferfish-", ignore_cleanup_errors=True
                )
            return self._folder.name

    def hold(self, name: str, data: bytes, *, limited: bool = True) -> Upload:
        """Keep a table that the program made; no page can claim it.

        Args:
            name: What it is called.
            data: Its bytes.
            limited: Whether the limits apply to it; they do not apply to tables that come with the
                program.
        """
        with self._arriving() as arriving:
            if limited:
                self._add(arriving, data)
            else:
                arriving.place.file.write(data)
            return self._keep(arriving, name)

    def claim(self, key: str) -> Upload:
        """Claim a posted table; from now on it stays until it is dropped."""
        with self._lock:
            upload = self._waiting.pop(key, None)
        if upload is None:
            raise InvalidInputError(
                "this file is no longer held: it was already taken, or newer files took its "
                "place. Choose it again."
            )
        return upload

    def drop(self, upload: Upload) -> None:
        """Forget a table; one that is being read can still be read to its end."""
        with self._lock:
            self._waiting.pop(upload.key, None)
            place = self._places.pop(upload.key, None)
            if place is not None:
                self._used -= upload.size
                place.close()

    def close(self) -> None:
        """Forget all tables, and take no more."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            for place in self._places.values():
                place.close()
            self._places.clear()
            if self._folder is not None:
                self._folder.cleanup()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """POST /upload?name=NAME with the file as the body; answered with key, name and size."""
        try:
            upload = await self._receive(Request(scope, receive))
            answer = JSONResponse({"key": upload.key, "name": upload.name, "size": upload.size})
        except ClientDisconnect:
            return
        except _RefusedError as refused:
            answer = JSONResponse({"error": str(refused)}, refused.status)
        except OSError:
            words = f"There is not enough memory for this file. {_INSTEAD}"
            answer = JSONResponse({"error": words}, 507)
        await answer(scope, receive, send)

    async def _receive(self, request: Request) -> Upload:
        """The bytes of the whole posted file."""
        length = request.headers.get("content-length")
        if length is not None:
            self._check(int(length), "")
        with self._arriving() as arriving:
            async for part in request.stream():
                self._add(arriving, part)
            names = request.query_params.getlist("name")
            return self._keep(arriving, names[0] if names else "", waits=True)

    @contextlib.contextmanager
    def _arriving(self) -> Iterator[_Arriving]:
        """Reserve room for a table, which is given back unless the table is kept."""
        arriving = _Arriving(self._place())
        try:
            yield arriving
        finally:
            if not arriving.kept:
                with self._lock:
                    self._used -= arriving.size
                arriving.place.close()

    def _place(self) -> _Place:
        if hasattr(os, "memfd_create"):
            return _Memory()
        return _Disk(self.folder)

    def _add(self, arriving: _Arriving, data: bytes) -> None:
        with self._lock:
            self._check(arriving.size + len(data), "more than ", held=arriving.size)
            arriving.size += len(data)
            self._used += len(data)
        arriving.place.file.write(data)

    def _check(self, size: int, than: str, held: int = 0) -> None:
        """Refuse a table that is too large; unclaimed ones are dropped to make room for it."""
        with self._lock:
            self._refuse_closed()
            if size > self.most_bytes:
                raise _RefusedError(
                    413,
                    f"The file has {than}{_megabytes(size, math.ceil)}. {self.refusal}",
                )
            most = _MOST_TABLES * self.most_bytes
            while self._used + size - held > most and self._waiting:
                self._drop_oldest()
            if self._used + size - held > most:
                raise _RefusedError(
                    507,
                    "The tables of all open pages together would take more than "
                    f"{_megabytes(most, math.floor)}. Close a page that you do not need. "
                    f"{_INSTEAD}",
                )

    def _refuse_closed(self) -> None:
        if self._closed:
            raise _RefusedError(503, "The studio is ending; run pufferfish studio again.")

    def _keep(self, arriving: _Arriving, name: str, *, waits: bool = False) -> Upload:
        arriving.place.file.flush()
        upload = Upload(
            key=fresh_secret(),
            name=_label(name),
            path=arriving.place.path,
            size=arriving.size,
        )
        with self._lock:
            self._refuse_closed()
            self._places[upload.key] = arriving.place
            arriving.kept = True
            if waits:
                self._waiting[upload.key] = upload
            if len(self._waiting) > _MOST_WAITING:
                self._drop_oldest()
        return upload

    def _drop_oldest(self) -> None:
        self.drop(next(iter(self._waiting.values())))


def _megabytes(size: int, rounded: Callable[[float], int]) -> str:
    return f"{rounded(size / 1e5) / 10:,} MB"


def _label(name: str) -> str:
    """The last part of a path, without invisible characters; only its end where it is long."""
    last = name.replace("\\", "/").rpartition("/")[2]
    seen = "".join(each for each in last if not unicodedata.category(each).startswith("C"))
    return seen.strip()[-_MOST_LETTERS:] or "table"
