"""What a report is made from: a record that verifies, and the published column it is about."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from pufferfish.checking import SHAPE, verify_document
from pufferfish.checks import require
from pufferfish.codec import as_document, plain_document
from pufferfish.errors import CertificationError, InvalidInputError
from pufferfish.kind import Edition
from pufferfish.looking import beside
from pufferfish.record import Record
from pufferfish.report.columns import CountedColumn, count_column
from pufferfish.signing import PublicKey
from pufferfish.tables import format_of
from pufferfish.tables.manifest import MANIFEST
from pufferfish.verdict import Verification

__all__ = ["Checked", "checked_source"]

Source = Record | Mapping[str, Any]


class Checked(NamedTuple):
    """What a report may be made from.

    Attributes:
        source: A record for the internal edition, a public document for the public one.
        column: The name of the published column.
        counted: That column, counted; None where it is not at hand.
        found: What became of the claims of the document; None for a record that never was one.
    """

    source: Source
    column: str
    counted: CountedColumn | None
    found: Verification | None


def checked_source(
    given: Any, edition: Edition, released: Any, signer: PublicKey | None = None
) -> Checked:
    """What the edition may be made from; a document is verified first.

    Raises:
        CertificationError: The record does not verify, or the column is not what was released.
    """
    path = Path(fspath(given)) if isinstance(given, str | PathLike) else None
    file = Path(fspath(released)) if isinstance(released, str | PathLike) else None
    found = None
    if not isinstance(given, Record):
        plain = _plain(given, path)
        folder = None if path is None else path.parent
        found = verify_document(plain, folder=folder, released=file, signer=signer)
        _refuse_unverified(found)
        given = as_document(plain, "record", Record.VERSION)
    source = _source(given, edition)
    document = source.to_dict("public") if isinstance(source, Record) else source
    column, published = document["column"], document["published"]
    if released is None and path is not None and published["file"] is not None:
        released = _readable(beside(path.parent, published["file"]))
    if file is not None and found is None:
        _refuse_other_file(file, published)
    counted = count_column(released, column)
    if counted is not None and counted.rows != published["rows"]:
        raise CertificationError(
            f"the record is about {published['rows']:,} published rows, and the column given as "
            f"released has {counted.rows:,}."
        )
    return Checked(source, column, counted, found)


def _plain(given: Any, path: Path | None) -> dict[str, Any]:
    if path is not None:
        return plain_document(path)
    require(
        isinstance(given, Mapping),
        f"record must be a Record, a file's path or a document, got {type(given).__name__}.",
    )
    require(isinstance(given.get("pufferfish"), str), "this is no record document of pufferfish.")
    return dict(given)


def _readable(beside: Path) -> Path | None:
    """The file or folder, if it is there and its name says how to read it."""
    if (beside / MANIFEST).is_file():
        return beside
    try:
        format_of(beside)
    except InvalidInputError:
        return None
    return beside if beside.is_file() else None


def _source(given: Any, edition: Edition) -> Source:
    """A record for the internal edition, a public document for the public one."""
    if isinstance(given, Record):
        return given.to_dict("public") if edition == "public" else given
    data = dict(given)
    if data.get("edition") == "public":
        require(
            edition == "public",
            "this is the public edition of a record, which gives the public report only: say "
            'edition="public" (--public), or give the internal record.',
        )
        return data
    record = Record.from_dict(data)
    return record.to_dict("public") if edition == "public" else record


def _refuse_unverified(found: Verification) -> None:
    """A record that makes a wrong claim must not become a report that reassures."""
    wrong = [each for each in found.checks if each.verdict is False]
    if wrong and wrong[0].claim == SHAPE:
        raise InvalidInputError(f"no report: this is no usable record: {wrong[0].detail}.")
    if wrong:
        raise CertificationError(
            f"no report: the record does not verify. Not true: {wrong[0].claim} "
            f"({wrong[0].detail})."
        )


def _refuse_other_file(released: Path, published: Mapping[str, Any]) -> None:
    if published["checksum_of"] != "file":
        return
    with released.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != published["sha256"]:
        raise CertificationError(f"{released.name} is not the file that this record is about.")
