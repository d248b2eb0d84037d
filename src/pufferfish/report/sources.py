"""What a report is made from: a record of any kind that verifies, and the files next to it."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from pufferfish.core.errors import CertificationError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.documents.signing import PublicKey
from pufferfish.documents.text import as_document, naming_file, plain_document
from pufferfish.kinds.kind import kind_of
from pufferfish.kinds.record import Edition, ReleaseRecord
from pufferfish.kinds.verdict import Verification
from pufferfish.kinds.verifier import SHAPE, verify_document
from pufferfish.releases.published_file import beside as place_beside
from pufferfish.tables import format_of
from pufferfish.tables.manifest import MANIFEST
from pufferfish.what_if.result import Stress

__all__ = ["Beside", "Verified", "edition_for", "file_of", "refuse_other_rows"]
__all__ += ["released_table", "verify_source"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Verified:
    """What a report may be made from.

    Attributes:
        source: A record for the internal edition, a public document for the public one.
        found: The result of verifying the document; None for a record that was never saved as one.
        folder: Where the document is; None where it is not a file.
    """

    source: ReleaseRecord[Any, Any] | Mapping[str, Any]
    found: Verification | None
    folder: Path | None

    @property
    def kind(self) -> str:
        """The name that records of this kind have."""
        source = self.source
        return source.KIND if isinstance(source, ReleaseRecord) else str(source["pufferfish"])

    @property
    def document(self) -> Mapping[str, Any]:
        """The record's document, in the edition of the report."""
        source = self.source
        return source.to_dict("internal") if isinstance(source, ReleaseRecord) else source


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Beside:
    """What was given with a record; the kind of release decides what it means.

    Attributes:
        released: What was published: a file's path, or data.
        original: The data before the release, given in the same way; private.
        na: Texts in the original that stand for a missing value.
        stress: What a stress test found, or why nothing was tested; True: make a quick one if the
            original is a file.
    """

    released: Any = None
    original: Any = None
    na: Sequence[str] = ()
    stress: Stress | str | bool = False


def edition_for(given: Any) -> Edition:
    """The edition of a report where nobody says: of a public record, the only one possible."""
    if isinstance(given, ReleaseRecord):
        return "internal"
    return "public" if _plain(given, file_of(given)).get("edition") == "public" else "internal"


def verify_source(
    given: Any, edition: Edition | None, beside: Beside, signer: PublicKey | None = None
) -> Verified:
    """The source from which the edition may be made; a document is verified first.

    Raises:
        CertificationError: The record does not verify.
    """
    if isinstance(given, ReleaseRecord):
        return Verified(source=_of_edition(given, edition or "internal"), found=None, folder=None)
    path = file_of(given)
    folder = None if path is None else path.parent
    plain = _plain(given, path)
    released = file_of(beside.released)
    with contextlib.nullcontext() if path is None else naming_file(path):
        found = verify_document(plain, folder=folder, released=released, signer=signer)
        _refuse_unverified(found)
        wanted = edition or edition_for(plain)
        return Verified(source=_read(plain, wanted), found=found, folder=folder)


def file_of(given: Any) -> Path | None:
    """The path that was given, if a path was given."""
    return Path(fspath(given)) if isinstance(given, str | PathLike) else None


def released_table(verified: Verified, beside: Beside) -> Any:
    """The published table: as it was given, or the file that the record names; None: not at hand.

    Raises:
        CertificationError: The file is not the one that the record is about.
    """
    published, released = verified.document["published"], beside.released
    if released is None and verified.folder is not None and published["file"] is not None:
        return _readable(place_beside(verified.folder, published["file"]))
    file = file_of(released)
    if file is not None and verified.found is None:
        _refuse_other_file(file, published)
    return released


def refuse_other_rows(rows: int, published: Mapping[str, Any]) -> None:
    """Refuse a table whose number of rows differs from that in the record."""
    if rows != published["rows"]:
        raise CertificationError(
            f"the record is about {published['rows']:,} published rows, but the released table "
            f"that was given has {rows:,}."
        )


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


def _plain(given: Any, path: Path | None) -> dict[str, Any]:
    if path is not None:
        return plain_document(path, "record")
    require(
        isinstance(given, Mapping),
        f"record must be a Record, a file's path or a document, got {type(given).__name__}.",
    )
    return dict(given)


def _read(plain: dict[str, Any], edition: Edition) -> ReleaseRecord[Any, Any] | Mapping[str, Any]:
    record = kind_of(plain.get("pufferfish"), "record").record
    data = as_document(plain, record.KIND)
    if data.get("edition") != "public":
        return _of_edition(record.from_dict(data), edition)
    require(
        edition == "public",
        "this is the public edition of a record, and only the public report can be made from it: "
        "give the internal record for the internal report.",
    )
    return data


def _of_edition(
    record: ReleaseRecord[Any, Any], edition: Edition
) -> ReleaseRecord[Any, Any] | Mapping[str, Any]:
    """A record for the internal edition, a public document for the public one."""
    return record.to_dict("public") if edition == "public" else record


def _refuse_unverified(found: Verification) -> None:
    """Refuse a record that makes a wrong claim: its report would reassure without reason."""
    wrong = [each for each in found.checks if each.verdict is False]
    if wrong and wrong[0].claim == SHAPE:
        raise InvalidInputError(f"no report: this is not a usable record: {wrong[0].detail}.")
    if wrong and wrong[0].other_file:
        raise CertificationError(f"no report: {wrong[0].detail}")
    if wrong:
        raise CertificationError(
            f"no report: the record does not verify. Not true: {wrong[0].in_words}."
        )
