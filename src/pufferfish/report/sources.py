"""What a report is made from: a record that verifies, and the published column it is about."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from types import UnionType
from typing import Any

from pufferfish.checking import verify_record
from pufferfish.checks import require
from pufferfish.codec import read_document
from pufferfish.errors import CertificationError, InvalidInputError
from pufferfish.plan import Plan
from pufferfish.record import VERSION, Edition, Record
from pufferfish.report.columns import CountedColumn, count_column
from pufferfish.statement import Facts
from pufferfish.tables import format_of
from pufferfish.tables.manifest import MANIFEST

__all__ = ["checked_source"]

Source = Record | Mapping[str, Any]
_ENTRIES: dict[str, type | UnionType] = {
    **dict.fromkeys(("column", "promise", "unit", "notice", "created"), str),
    **dict.fromkeys(("not_promised", "kept", "postprocess"), list),
    **dict.fromkeys(("goal", "noise", "published", "versions"), dict),
}
_PUBLISHED: dict[str, type | UnionType] = {
    "rows": int,
    "sha256": str,
    "checksum_of": str,
    "file": str | None,
}


def checked_source(
    given: Any, edition: Edition, released: Any
) -> tuple[Source, str, CountedColumn | None]:
    """What the edition may be made from, the column's name, and the published column counted.

    Raises:
        CertificationError: The record does not verify, or the column is not what was released.
    """
    path = Path(fspath(given)) if isinstance(given, str | PathLike) else None
    if path is not None:
        _refuse_unverified(path, released)
        given = read_document(path, "record", VERSION)
    source = _source(given, edition)
    document = source.to_dict("public") if isinstance(source, Record) else source
    _refuse_misshapen(document)
    column, published = document["column"], document["published"]
    if released is None and path is not None and published["file"] is not None:
        released = _readable(path.parent / published["file"])
    if isinstance(released, str | PathLike) and path is None:
        _refuse_other_file(Path(fspath(released)), published)
    counted = count_column(released, column)
    if counted is not None and counted.rows != published["rows"]:
        raise CertificationError(
            f"the record is about {published['rows']:,} published rows, and the column given as "
            f"released has {counted.rows:,}."
        )
    return source, column, counted


def _refuse_misshapen(document: Mapping[str, Any]) -> None:
    """Entries that a page shows must be there, and be what they are in a record."""
    published = document.get("published")
    entries = [(document, name, kind) for name, kind in _ENTRIES.items()]
    if isinstance(published, Mapping):
        entries += [(published, name, kind) for name, kind in _PUBLISHED.items()]
    for holder, name, kind in entries:
        require(isinstance(holder.get(name), kind), f"this record has no usable entry {name!r}.")


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
    require(
        isinstance(given, Mapping),
        f"record must be a Record, a file's path or a document, got {type(given).__name__}.",
    )
    data = dict(given)
    if data.get("edition") == "public":
        _refuse_contradicted(data)
        require(
            edition == "public",
            "this is the public edition of a record, which gives the public report only: say "
            'edition="public" (--public), or give the internal record.',
        )
        return data
    record = Record.from_dict(data)
    return record.to_dict("public") if edition == "public" else record


def _refuse_contradicted(data: Mapping[str, Any]) -> None:
    """A public document with a plan must say what the plan says, and show no private belief."""
    if "plan" not in data:
        return
    plan = Plan.from_dict(data["plan"])
    planned = Facts.from_dict(data).planned_by(plan).to_dict()
    other = [name for name, entry in planned.items() if data.get(name) != entry]
    if other or not plan.public:
        wrong = f"differs from its plan in {', '.join(other)}" if other else "holds private beliefs"
        raise CertificationError(f"no report: this public record {wrong}.")


def _refuse_unverified(path: Path, released: Any) -> None:
    """A record that makes a wrong claim must not become a report that reassures."""
    file = Path(fspath(released)) if isinstance(released, str | PathLike) else None
    wrong = [each for each in verify_record(path, file).checks if each.verdict is False]
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
