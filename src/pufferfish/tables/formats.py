"""The format of a file, and its delimiter and marks for missing entries."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.tables.marks import check_marks
from pufferfish.tables.sources import STANDARD_STREAM, find_source, is_many

__all__ = ["STANDARD_STREAM", "FileFormat", "delimiter_of", "format_of", "names_file", "rename_for"]

_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """The format of a table file.

    Attributes:
        kind: "csv", "parquet" or "arrow" (IPC file).
        delimiter: Between the fields of a CSV; None: found from its first line, "," when writing.
        compressed: Whether a CSV is gzipped.
        na: Texts that mean a missing entry in the protected column and in that of the secret, in
            addition to null, nan and empty text; not used when writing.
    """

    kind: Literal["csv", "parquet", "arrow"]
    delimiter: str | None = None
    compressed: bool = False
    na: tuple[str, ...] = ()

    @property
    def suffix(self) -> str:
        """The extension of such a file."""
        if self.kind != "csv":
            return f".{self.kind}"
        return (".tsv" if self.delimiter == "\t" else ".csv") + (".gz" if self.compressed else "")


def format_of(
    path: str | Path,
    kind: str | None = None,
    delimiter: str | None = None,
    *,
    na: Sequence[str] = (),
    option: str = "--format",
) -> FileFormat:
    """The format, by extension or as given; standard input and output are CSV.

    Args:
        path: The file; or a folder or pattern, whose files must all be of one format.
        kind: "csv", "parquet" or "arrow"; None: by its extension.
        delimiter: Between the fields of a CSV.
        na: Texts that mean a missing entry.
        option: The name of the option for the kind, for messages.
    """
    require(
        kind in (None, "csv", "parquet", "arrow"),
        f"the format {kind!r} is not known; known: csv, parquet, arrow.",
    )
    require(
        delimiter is None or len(delimiter) == 1,
        f"a delimiter must be one character, got {delimiter!r}.",
    )
    if is_many(path):
        return _format_of_all(path, kind, delimiter, na, option)
    marks = check_marks(na)
    suffix, compressed = _suffix(path)
    if kind is None:
        kind = "csv" if str(path) == STANDARD_STREAM else _BY_SUFFIX.get(suffix)
    if kind == "csv":
        tab = delimiter is None and suffix == ".tsv"
        sign = "\t" if tab else delimiter
        return FileFormat(kind="csv", delimiter=sign, compressed=compressed, na=marks)
    if kind not in ("parquet", "arrow"):
        raise InvalidInputError(
            f"the name {str(path)!r} does not show the format of the file; say {option} csv, "
            "parquet or arrow."
        )
    require(str(path) != STANDARD_STREAM, "standard input and output can only be CSV.")
    require(delimiter is None, f"a delimiter is for CSV, not for {kind}.")
    return FileFormat(kind="parquet" if kind == "parquet" else "arrow", na=marks)


def _format_of_all(
    path: str | Path, kind: str | None, delimiter: str | None, na: Sequence[str], option: str
) -> FileFormat:
    files = find_source(path).files
    first = format_of(files[0].path, kind, delimiter, na=na, option=option)
    for each in files[1:]:
        if format_of(each.path, kind, delimiter, na=na, option=option) != first:
            raise DataError(
                f"the files of a table must all have one format; {each.name} has another than "
                f"{files[0].name}. Choose some with a pattern such as '{path}/*.csv'."
            )
    return first


def names_file(path: str | Path) -> bool:
    """Whether a name is that of a file, by its extension, or of standard output."""
    return str(path) == STANDARD_STREAM or _suffix(path)[0] in _BY_SUFFIX


def rename_for(name: str, source: FileFormat, target: FileFormat) -> str:
    """The name of a file that is written in another format; in the same format, its own name."""
    if source == target:
        return name
    for ending in (".gz", _suffix(name)[0]):
        if name.lower().endswith(ending):
            name = name[: len(name) - len(ending)]
    return name + target.suffix


def _suffix(path: str | Path) -> tuple[str, bool]:
    """The extension of a name, in lower case, and whether ".gz" follows it."""
    suffixes = [each.lower() for each in Path(path).suffixes]
    compressed = bool(suffixes) and suffixes[-1] == ".gz"
    found = suffixes[-2] if compressed and len(suffixes) > 1 else (suffixes or [""])[-1]
    return found, compressed


def delimiter_of(line: str, format_: FileFormat) -> str:
    """The delimiter of a CSV: as given, or the one that splits its first line into most fields."""
    if format_.delimiter is not None:
        return format_.delimiter
    return max(_DELIMITERS, key=lambda each: len(next(csv.reader([line], delimiter=each), [])))
