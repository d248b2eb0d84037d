"""Small tables, as a curator would have them on disk."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HEADER = ("id", "s", "x", "o")
# What no message may ever quote: it is in a cell.
CELL = "4711-cell"


def rows(secrets: Sequence[Any] = ("a", "b", "c"), each: int = 40) -> list[list[Any]]:
    """The same for every run: the secrets' values overlap, and differ in their mean."""
    return [
        [number * len(secrets) + place, secret, (7 * number) % 10 + place, "uvw"[number % 3]]
        for number in range(each)
        for place, secret in enumerate(secrets)
    ]


def write(
    path: Path,
    content: Iterable[Sequence[Any]],
    header: Sequence[str] = HEADER,
    delimiter: str = ",",
) -> Path:
    """A CSV, gzipped if its name says so."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(content)
    return path


def column(path: Path, name: str) -> list[str]:
    """A column of a CSV, as text."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row[name] for row in csv.DictReader(file)]


def changed(place: int, value: Any, row: int) -> list[list[Any]]:
    """The usual rows, with one cell changed."""
    content = rows()
    content[row - 1][place] = value
    return content
