"""The report of a released column: its record, the published column, and the original."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pufferfish.columns.record import Record
from pufferfish.core.errors import CertificationError, InvalidInputError
from pufferfish.releases.published_file import beside as place_beside
from pufferfish.report.column_page import column_page
from pufferfish.report.columns import CountedColumn, count_column
from pufferfish.report.facts import gather
from pufferfish.report.sections import Page
from pufferfish.report.sources import Beside, Verified, file_of
from pufferfish.tables import format_of
from pufferfish.tables.manifest import MANIFEST

__all__ = ["page_of_column"]


def page_of_column(verified: Verified, beside: Beside) -> Page:
    """The page of a record, with the published column where it is at hand.

    Raises:
        CertificationError: The column is not what was released.
    """
    source = cast("Record | Mapping[str, Any]", verified.source)
    document = verified.document
    # The public edition does not even open the original.
    original = beside.original if isinstance(source, Record) else None
    return column_page(
        gather(
            source,
            released=_released_column(document, verified, beside),
            original=count_column(original, document["column"], na=beside.na),
            found=verified.found,
        )
    )


def _released_column(
    document: Mapping[str, Any], verified: Verified, beside: Beside
) -> CountedColumn | None:
    """The published column: as it was given, or the file that the record names."""
    published, released = document["published"], beside.released
    if released is None and verified.folder is not None and published["file"] is not None:
        released = _readable(place_beside(verified.folder, published["file"]))
    file = file_of(beside.released)
    if file is not None and verified.found is None:
        _refuse_other_file(file, published)
    counted = count_column(released, document["column"])
    if counted is not None and counted.rows != published["rows"]:
        raise CertificationError(
            f"the record is about {published['rows']:,} published rows, and the column given as "
            f"released has {counted.rows:,}."
        )
    return counted


def _readable(place: Path) -> Path | None:
    """The file or folder, if it is there and its name says how to read it."""
    if (place / MANIFEST).is_file():
        return place
    try:
        format_of(place)
    except InvalidInputError:
        return None
    return place if place.is_file() else None


def _refuse_other_file(released: Path, published: Mapping[str, Any]) -> None:
    if published["checksum_of"] != "file":
        return
    with released.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != published["sha256"]:
        raise CertificationError(f"{released.name} is not the file that this record is about.")
