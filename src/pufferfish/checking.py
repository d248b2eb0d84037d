"""Is a record true? Every claim is computed again, without the data, as far as it can be."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pufferfish.codec import PRIVATE_NOTICE, is_document, read_document, reading
from pufferfish.errors import CertificationError, InvalidInputError, PufferfishError
from pufferfish.exact import Certificate
from pufferfish.exact.certificate import noise_from_dict
from pufferfish.exact.recheck import certificate_gap
from pufferfish.explain import pairs_in_words
from pufferfish.mechanism import check_grid
from pufferfish.noise import NoNoise
from pufferfish.plan import Plan
from pufferfish.record import TOLERANCE, VERSION
from pufferfish.scenario import Scenario
from pufferfish.statement import WORDS, Facts, words
from pufferfish.sums.checking import sum_claims
from pufferfish.sums.record import VERSION as SUM_VERSION
from pufferfish.tables import format_of
from pufferfish.tables.files import column_parts
from pufferfish.tables.manifest import MANIFEST, Manifest, file_sha256
from pufferfish.tables.sources import data_files
from pufferfish.upgrades import FROM_VERSION

__all__ = ["Check", "Verification", "verify_record"]

_OLD_WORDS = (
    "This record is of version 1. Its words were not compared with its numbers: trust the numbers."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One claim: True, False, or None where this record does not allow to tell."""

    claim: str
    verdict: bool | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What became of the claims of a record.

    Attributes:
        edition: "internal" or "public".
        checks: Each claim.
        notes: What was not looked at, and why.
    """

    edition: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> bool | None:
        """False if a claim is wrong, None if one could not be checked, else True."""
        verdicts = [check.verdict for check in self.checks]
        if False in verdicts:
            return False
        return None if None in verdicts else True


def verify_record(path: str | Path, released: str | Path | None = None) -> Verification:
    """Check a record, and the published file if it is beside it or named by `released`."""
    if is_document(Path(path), "sum-record"):
        return _verify_sum(read_document(Path(path), "sum-record", SUM_VERSION), released)
    data = read_document(Path(path), "record", VERSION)
    with reading("record"):
        edition, facts = data["edition"], Facts.from_dict(data)
        checks = [_drawable(facts.noise)]
        if "plan" in data:
            checks += _against_plan(data, facts)
        else:
            checks.append(
                Check(
                    claim=f"this noise keeps {facts.goal}",
                    verdict=None,
                    detail="the beliefs are private and not in this edition; the internal edition "
                    "can be checked",
                )
            )
        if FROM_VERSION not in data:
            checks.append(_words(data, facts))
        checks.append(_entries(data))
        name = data["published"]["file"]
        if released is not None:
            checks.append(_checksum(data, Path(released)))
        elif name is not None:
            beside = Path(path).parent / name
            checks.append(_checksum(data, beside) if beside.exists() else _away(name))
    notes = (_OLD_WORDS,) if FROM_VERSION in data else ()
    return Verification(edition=edition, checks=tuple(checks), notes=notes)


def _verify_sum(data: dict[str, Any], released: str | Path | None) -> Verification:
    """A record of one published number, which it holds itself."""
    if released is not None:
        raise InvalidInputError("the record of a sum holds what was published; there is no file.")
    with reading("record of a sum"):
        checks = [_drawable(noise_from_dict(data["noise"]))]
        for found, certificate in sum_claims(data):
            checks.append(Check(**found._asdict()))
            if certificate is not None:
                checks.append(_recorded(data["certificate"], certificate))
        checks.append(_entries(data, "sum-record"))
    notes = (_OLD_WORDS,) if FROM_VERSION in data else ()
    return Verification(edition=data["edition"], checks=tuple(checks), notes=notes)


def _drawable(noise: Any) -> Check:
    text = "the noise can be drawn exactly, on its grid"
    if isinstance(noise, NoNoise):
        return Check(claim="no noise was added", verdict=True, detail="as the record says")
    try:
        check_grid(noise)
    except PufferfishError as error:
        return Check(claim=text, verdict=False, detail=str(error))
    return Check(claim=text, verdict=True, detail=f"in steps of {noise.grid:.6g}")


def _against_plan(data: dict[str, Any], facts: Facts) -> list[Check]:
    text = f"this noise keeps {facts.goal} for every pair and adversary"
    try:
        plan = Plan.from_dict(data["plan"])
    except CertificationError as error:
        return [Check(claim=text, verdict=False, detail=str(error))]
    except InvalidInputError as error:
        return [Check(claim="the plan can be read", verdict=False, detail=str(error))]
    certificate = plan.calibration.certificate
    found = (
        f"least ε without exception at most {certificate.epsilon_upper:.9g}"
        if certificate.goal.pure
        else f"δ at ε = {certificate.goal.epsilon:g} at most {certificate.delta_upper:.9g}"
    )
    same = plan.calibration.noise == facts.noise and plan.promise == facts.goal
    planned = facts.planned_by(plan).to_dict()
    other = [name for name, entry in planned.items() if data[name] != entry]
    return [
        Check(
            claim=text,
            verdict=same and certificate.holds is True,
            detail=f"computed again: {found}, {pairs_in_words(certificate)}"
            if same
            else "the record's noise or promise is not that of its plan",
        ),
        _recorded(data["certificate"], certificate, plan.calibration.scenario),
        Check(
            claim="the record says what its plan says",
            verdict=not other,
            detail=f"it differs in {', '.join(other)}" if other else "written again from the plan",
        ),
    ]


def _recorded(
    data: dict[str, Any], computed: Certificate, scenario: Scenario | None = None
) -> Check:
    """Two enclosures of the same numbers must meet."""
    text = "the recorded certificate is what comes out"
    try:
        recorded = Certificate.from_dict(data)
    except InvalidInputError as error:
        return Check(claim=text, verdict=False, detail=str(error))
    gap = certificate_gap(recorded, computed, scenario)
    if math.isinf(gap):
        return Check(claim=text, verdict=False, detail="it is about something else")
    return Check(
        claim=text,
        verdict=gap <= TOLERANCE,
        detail=f"upper bounds differ by at most {gap:.2g}",
    )


def _words(data: dict[str, Any], facts: Facts) -> Check:
    """In either edition the words must be those that follow from the facts."""
    expected = words(facts)
    other = [name for name in WORDS if data[name] != expected[name]]
    return Check(
        claim="the words are those that follow from the numbers",
        verdict=not other,
        detail=f"differs: {', '.join(other)}" if other else "written again from the numbers",
    )


def _entries(data: dict[str, Any], kind: str = "record") -> Check:
    """Nothing may be added to a record that would look like a claim."""
    schema = json.loads(
        files("pufferfish").joinpath("schemas", f"{kind}.schema.json").read_text(encoding="utf-8")
    )
    unknown = sorted(set(data) - set(schema["properties"]) - {FROM_VERSION})
    notice = "May be published." if data["edition"] == "public" else PRIVATE_NOTICE
    return Check(
        claim="nothing was added that no check is about",
        verdict=not unknown and data["notice"] == notice,
        detail=f"unknown: {', '.join(unknown)}" if unknown else "all entries are known",
    )


def _away(name: str) -> Check:
    return Check(
        claim=f"{name} is what was released",
        verdict=None,
        detail="it is not beside the record; name it with --released",
    )


def _checksum(data: dict[str, Any], released: Path) -> Check:
    text = f"{released.name} is what was released"
    published = data["published"]
    if published["checksum_of"] == "column":
        return Check(claim=text, verdict=None, detail="a frame was released, not a file")
    if published["checksum_of"] == "folder":
        wrong = _wrong_in_folder(data, released)
        held = f"every file is as its manifest says, {published['rows']:,} rows"
        return Check(claim=text, verdict=wrong is None, detail=wrong or held)
    digest = file_sha256(released)
    same = digest == published["sha256"]
    detail = f"sha256 {digest}"
    if same:
        rows = _rows(released, data["column"])
        same = rows in (None, published["rows"])
        detail += "" if rows is None else f", {rows:,} rows"
    return Check(claim=text, verdict=same, detail=detail)


def _wrong_in_folder(data: dict[str, Any], folder: Path) -> str | None:
    """What of a folder is not as it was released; None where all is."""
    published = data["published"]
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        manifest = Manifest.from_json(text)
    except (OSError, UnicodeDecodeError, InvalidInputError) as error:
        return f"its manifest cannot be read: {error}"
    if (manifest.to_json(), manifest.sha256) != (text, published["sha256"]):
        return "its manifest is not the one that was written"
    found = {each.relative_to(folder).as_posix() for each in data_files(folder)}
    listed = {each.path for each in manifest.files}
    for path in sorted(found ^ listed):
        return f"{path} is {'missing' if path in listed else 'not in the manifest'}"
    for each in manifest.files:
        if file_sha256(folder / each.path) != each.sha256:
            return f"{each.path} is not what was written"
    rows = _rows(folder, data["column"])
    if rows not in (None, manifest.rows) or manifest.rows != published["rows"]:
        return "it does not have as many rows as the record says"
    return None


def _rows(released: Path, column: str) -> int | None:
    """How many rows a file or a folder has; None where it cannot be read here."""
    try:
        parts = column_parts(str(released), format_of(released), column)
        return sum(part.size for part in parts)
    except PufferfishError:
        return None
