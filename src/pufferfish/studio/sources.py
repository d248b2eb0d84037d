"""Where a table comes from: the file of the command line, an upload, or an example."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pufferfish import datasets
from pufferfish.core.errors import InvalidInputError
from pufferfish.tables import FileFormat, format_of
from pufferfish.tables.sources import find_source

if TYPE_CHECKING:
    # The command line imports this module without the libraries of a server.
    from pufferfish.studio.uploads import Upload

__all__ = ["EXAMPLES", "Example", "Source", "source_from_path", "source_from_upload"]

# The format of a file by the ending of its name.
_ENDING = re.compile(r"\.[a-zA-Z]+(\.gz)?$", re.ASCII)
_MOST_BYTES = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A table that can be read.

    Attributes:
        key: Identifies the table, and differs for the same file after a change.
        name: What its user calls it.
        path: Where it is read from.
        format: The format of the file.
    """

    key: str
    name: str
    path: str
    format: FileFormat

    @property
    def released_name(self) -> str:
        """The name of the released file: not a pattern, and short enough for any file system."""
        stem = _ENDING.sub("", Path(self.name).name)
        plain = re.sub(r"[^\w.-]+", "_", stem).strip("_.-").encode()[:_MOST_BYTES]
        suffix = FileFormat(kind=self.format.kind).suffix
        return f"{plain.decode(errors='ignore') or 'table'}-released{suffix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A built-in table, and the choices for a first look at it.

    Attributes:
        title: Its subject.
        name: The name of its file.
        table: Its columns.
        column: The column to publish.
        secret: The secret that must not be revealed.
        pairs: The pairs that must look alike.
        missing: What happens to rows without a value.
        together: Further columns to protect with it.
        keep: Columns that are published as they are, and so known to everybody.
    """

    title: str
    name: str
    table: Callable[[], Mapping[str, Any]]
    column: str
    secret: str
    pairs: tuple[str, ...]
    missing: str = "refuse"
    together: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def csv(self) -> bytes:
        """The table as the bytes of a CSV."""
        return datasets.csv_text(self.table()).encode()


EXAMPLES = {
    "adult": Example(
        title="Education and race: UCI Adult, 32,561 people",
        name="adult.csv",
        table=datasets.adult_education,
        column="education-num",
        secret="race",  # noqa: S106
        pairs=("Black:Asian-Pac-Islander",),
    ),
    "hungarian": Example(
        title="Cholesterol and sex: UCI Heart Disease, Hungarian file, 294 people",
        name="hungarian.csv",
        table=datasets.hungarian_cholesterol,
        column="chol",
        secret="sex",  # noqa: S106
        pairs=(),
        missing="drop",
    ),
}


def _adult_rows() -> Mapping[str, Any]:
    """Five of the ten columns: enough for a first look at a table."""
    table = datasets.adult()
    names = ("education-num", "occupation", "income", "sex", "race")
    return {name: table[name] for name in names}


EXAMPLES["rows"] = Example(
    title="Education, occupation, income, sex and race: UCI Adult, rows of several columns",
    name="adult-rows.csv",
    table=_adult_rows,
    column="education-num",
    secret="race",  # noqa: S106
    pairs=("Black:White",),
    together=("income",),
    keep=("sex",),
)


def source_from_path(file: str, na: Sequence[str] = ()) -> Source:
    """The source for the file, folder or pattern with which the studio was started."""
    stats = [Path(each.path).stat() for each in find_source(file).files]
    state = hash(tuple((each.st_size, each.st_mtime_ns, each.st_ino) for each in stats))
    return Source(key=f"{file} {state}", name=file, path=file, format=format_of(file, na=na))


def source_from_upload(upload: Upload, na: Sequence[str] = ()) -> Source:
    """The source for a table that a page has sent.

    Args:
        upload: The table.
        na: Texts in it that stand for a missing entry.

    Raises:
        InvalidInputError: The name does not tell the format.
    """
    # Not the whole name: a path or a pattern would be searched for on the disk.
    ending = _ENDING.search(upload.name)
    try:
        format_ = format_of("table" + (ending[0] if ending else ""), na=na)
    except InvalidInputError:
        raise InvalidInputError(
            f"the name {upload.name!r} does not tell the format: it must end in .csv (also "
            ".csv.gz), .parquet or .arrow."
        ) from None
    return Source(key=upload.key, name=upload.name, path=upload.path, format=format_)
