"""This machine as an engine: dicts of arrays, frames through narwhals, and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, ClassVar, Self, TypeVar

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.tables.change import Change
from pufferfish.tables.counts import Counts
from pufferfish.tables.engine import Checking, ColumnKind, Progress, Staged, Survey
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat, format_of
from pufferfish.tables.local.counting import each_part, fold
from pufferfish.tables.local.files import column_names
from pufferfish.tables.local.frames import native
from pufferfish.tables.local.kinds import array_kinds, file_kinds, frame_kinds
from pufferfish.tables.local.publish import publish_arrays, publish_files, publish_frame
from pufferfish.tables.local.transform import (
    ChangedArrays,
    ChangedFiles,
    ChangedFrame,
    becomes_folder,
    change_arrays,
    change_files,
    change_frame,
)
from pufferfish.tables.tally import Counting

__all__ = ["ArraysEngine", "FilesEngine", "FrameEngine"]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _HeldEngine:
    """What frames and arrays have in common: they are in memory, and are returned."""

    data: Any
    library: ClassVar[str | None] = None
    once: ClassVar[bool] = False

    @classmethod
    def to_read(cls, data: Any, *, na: Sequence[str]) -> Self:
        return cls(data)

    @classmethod
    def to_publish(
        cls, data: Any, output: str | PathLike[str] | None, *, na: Sequence[str], force: bool
    ) -> Self:
        require(output is None, "output= is for files; a released frame is returned.")
        return cls(data)

    def fold(
        self, what: Counting, check: Checking | None = None, progress: Progress | None = None
    ) -> Counts:
        """Counts of all rows."""
        return fold(self.data, what, check)

    def each_part(
        self,
        what: Counting,
        work: Callable[[Any, int | None], Result],
        progress: Progress | None = None,
    ) -> Iterator[Result]:
        """As the function of this name."""
        return each_part(self.data, what, work)

    def survey(self, how: Change) -> Survey | None:
        return None


class ArraysEngine(_HeldEngine):
    """A dict of arrays."""

    @classmethod
    def takes(cls, data: object) -> bool:
        """Whether this is a mapping."""
        return isinstance(data, Mapping)

    def names(self) -> tuple[str, ...]:
        """The keys."""
        return tuple(self.data)

    def kinds(self, names: Sequence[str]) -> dict[str, ColumnKind]:
        """By the arrays' types, and by the entries of those that hold objects."""
        return array_kinds(self.data, names)

    def transform(
        self, how: Change, survey: Survey | None, progress: Progress | None = None
    ) -> AbstractContextManager[ChangedArrays]:
        """All rows, changed in one step."""
        return nullcontext(change_arrays(self.data, how))

    def publish(self, changed: ChangedArrays, how: Change) -> AbstractContextManager[Staged]:
        """The arrays to return."""
        return nullcontext(publish_arrays(changed, how))


class FrameEngine(_HeldEngine):
    """A frame of any kind that narwhals knows."""

    @classmethod
    def takes(cls, data: object) -> bool:
        """Always: narwhals knows more kinds of frames than we do, and refuses everything else."""
        return True

    def names(self) -> tuple[str, ...]:
        """The names in its schema."""
        return tuple(native(self.data).collect_schema().names())

    def kinds(self, names: Sequence[str]) -> dict[str, ColumnKind]:
        """By the columns' types, and by the entries of those that hold objects."""
        return frame_kinds(self.data, names)

    def transform(
        self, how: Change, survey: Survey | None, progress: Progress | None = None
    ) -> AbstractContextManager[ChangedFrame]:
        """All rows, changed in one step."""
        return nullcontext(change_frame(self.data, how))

    def publish(self, changed: ChangedFrame, how: Change) -> AbstractContextManager[Staged]:
        """The frame to return."""
        return nullcontext(publish_frame(changed, how))


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesEngine:
    """One or several files, read and written some rows at a time.

    Attributes:
        source: A file, a folder or a pattern; "-" is standard input.
        source_format: The format of its files.
        target: Where to write; "-" is standard output.
        target_format: The format to write; None: by its name, in a folder that of the table.
        force: Replace what is there already.
    """

    source: str
    source_format: FileFormat
    target: str = STANDARD_STREAM
    target_format: FileFormat | None = None
    force: bool = False
    library: ClassVar[str | None] = None

    @classmethod
    def takes(cls, data: object) -> bool:
        """Whether this is a path."""
        return isinstance(data, str | PathLike)

    @classmethod
    def to_read(cls, data: Any, *, na: Sequence[str]) -> Self:
        """Files in the format that their names show."""
        path = fspath(data)
        return cls(source=path, source_format=format_of(path, na=na))

    @classmethod
    def to_publish(
        cls, data: Any, output: str | PathLike[str] | None, *, na: Sequence[str], force: bool
    ) -> Self:
        """Files in the format that their names show, and where the result goes."""
        if output is None:
            raise InvalidInputError("releasing a file needs output=, the file to write.")
        path = fspath(data)
        format_ = format_of(path, na=na)
        return cls(source=path, source_format=format_, target=fspath(output), force=force)

    @property
    def once(self) -> bool:
        """Whether this is standard input, which can be read only once."""
        return self.source == STANDARD_STREAM

    def fold(
        self, what: Counting, check: Checking | None = None, progress: Progress | None = None
    ) -> Counts:
        """Counts of all rows, in bounded memory."""
        return fold(self.source, what, check, progress, self.source_format)

    def each_part(
        self,
        what: Counting,
        work: Callable[[Any, int | None], Result],
        progress: Progress | None = None,
    ) -> Iterator[Result]:
        """As the function of this name."""
        return each_part(self.source, what, work, progress, self.source_format)

    def names(self) -> tuple[str, ...]:
        """The columns of the files, and those that folders name."""
        return column_names(self.source, self.source_format)

    def kinds(self, names: Sequence[str]) -> dict[str, ColumnKind]:
        """By the columns' types; for a CSV by its entries."""
        return file_kinds(self.source, self.source_format, names)

    def survey(self, how: Change) -> Survey | None:
        """None: rows are counted and checked as they are changed."""
        return None

    def transform(
        self, how: Change, survey: Survey | None, progress: Progress | None = None
    ) -> AbstractContextManager[ChangedFiles]:
        """All rows, changed as they are requested."""
        return change_files(
            self.source, self.source_format, self.target, self._target_format, how, progress
        )

    def publish(self, changed: ChangedFiles, how: Change) -> AbstractContextManager[Staged]:
        """A file or a folder, which takes its place in one step."""
        return publish_files(
            changed,
            how,
            self.target,
            self._target_format,
            folder=self._becomes_folder,
            force=self.force,
        )

    @property
    def _becomes_folder(self) -> bool:
        return becomes_folder(self.source, self.target)

    @property
    def _target_format(self) -> FileFormat:
        if self.target_format is not None:
            return self.target_format
        return self.source_format if self._becomes_folder else format_of(self.target)
