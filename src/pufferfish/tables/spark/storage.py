"""Folders on any file system that Spark writes to, through Hadoop's interface on the driver."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from errno import EIO
from typing import Any, NamedTuple

from pufferfish.core.errors import OutputExistsError, UnsupportedError
from pufferfish.tables.spark.jobs import spark_errors

__all__ = ["Storage", "StoredFile"]

# File systems on which a folder is renamed in one step. Elsewhere (object stores) a rename copies
# file by file, and a reader in between sees a part.
_RENAMING = frozenset({"file", "hdfs", "viewfs", "webhdfs", "swebhdfs", "ofs", "o3fs"})
_PRIVATE = "700"


class StoredFile(NamedTuple):
    """A file below a folder: its path relative to that, and its size."""

    path: str
    bytes: int


class Storage:
    """The file system of one session; paths are texts, with or without a scheme."""

    def __init__(self, session: Any) -> None:
        """Take a session with its own JVM: Spark Connect has none, and offers no file system."""
        self._jvm: Any = getattr(session, "_jvm", None)
        if self._jvm is None:
            raise UnsupportedError(
                "a release needs a classic Spark session: Spark Connect offers no way to publish a "
                "folder in one step. Start the session with a master (spark:, yarn, k8s:, local)."
            )
        self._gateway = session.sparkContext._gateway
        self._configuration = session._jsc.hadoopConfiguration()

    def qualify(self, path: str) -> str:
        """The whole path, with its scheme."""
        with _report_errors():
            place = self._place(path)
            return str(self._system(path).makeQualified(place).toString())

    def renames(self, path: str) -> bool:
        """Whether a folder can be renamed in one step there."""
        with _report_errors():
            return str(self._system(path).getScheme()) in _RENAMING

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        with _report_errors():
            return bool(self._system(path).exists(self._place(path)))

    def has_files(self, path: str) -> bool:
        """Whether a folder is not empty, or this is not a folder."""
        with _report_errors():
            system, place = self._system(path), self._place(path)
            folder = bool(system.getFileStatus(place).isDirectory())
            return not folder or len(system.listStatus(place)) > 0

    def make_private(self, path: str) -> None:
        """Make a new folder for its owner alone."""
        with _report_errors():
            permission = self._permission(_PRIVATE)
            self._system(path).mkdirs(self._place(path), permission)
            self._system(path).setPermission(self._place(path), permission)

    def make_usual(self, path: str) -> None:
        """Give a folder the usual permissions."""
        with _report_errors():
            permission = self._jvm.org.apache.hadoop.fs.permission.FsPermission
            usual = permission.getDirDefault().applyUMask(permission.getUMask(self._configuration))
            self._system(path).setPermission(self._place(path), usual)

    def delete(self, path: str) -> None:
        """Delete a folder and everything in it, if it exists."""
        with _report_errors():
            self._system(path).delete(self._place(path), True)

    def rename(self, path: str, name: str) -> None:
        """Give a folder its name, which must be free: in one step, or not at all."""
        with _report_errors():
            place = self._place(path)
            options = getattr(self._jvm.org.apache.hadoop.fs, "Options$Rename")
            context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(
                self._system(path).getUri(), self._configuration
            )
            try:
                context.rename(place, self._place(name), self._gateway.new_array(options, 0))
            except spark_errors() as error:
                if "FileAlreadyExists" not in str(error):
                    raise
                raise OutputExistsError(f"{name} appeared while the release ran.") from None

    def write_text(self, path: str, text: str) -> None:
        """Write a small file, which must not exist yet."""
        with _report_errors():
            stream = self._system(path).create(self._place(path), False)
            try:
                stream.write(bytearray(text.encode("utf-8")))
            finally:
                stream.close()

    def files(self, folder: str) -> list[StoredFile]:
        """The files of a table below a folder: without those whose names begin with "_" or "."."""
        start = len(self.qualify(folder).rstrip("/")) + 1
        found = []
        with _report_errors():
            listed = self._system(folder).listFiles(self._place(folder), True)
            while listed.hasNext():
                status = listed.next()
                path = str(status.getPath().toString())[start:]
                if not any(part.startswith(("_", ".")) for part in path.split("/")):
                    found.append(StoredFile(path, int(status.getLen())))
        return found

    def sha256(self, path: str) -> str:
        """The checksum of one file, read on the driver."""
        with _report_errors():
            stream = self._system(path).open(self._place(path))
            try:
                digest = self._jvm.org.apache.commons.codec.digest.DigestUtils
                return str(digest.sha256Hex(stream))
            finally:
                stream.close()

    def _place(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> Any:
        return self._place(path).getFileSystem(self._configuration)

    def _permission(self, mode: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.permission.FsPermission(mode)


@contextlib.contextmanager
def _report_errors() -> Iterator[None]:
    """Report the first line of an error of Java."""
    try:
        yield
    except spark_errors() as error:
        said = getattr(error, "java_exception", None)
        text = str(said.toString() if said is not None else error).splitlines()[0]
        raise OSError(EIO, f"the storage reports an error: {text}") from None
