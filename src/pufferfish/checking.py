"""Is a record true? Every claim is computed again, without the data, as far as it can be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pufferfish.checks import require
from pufferfish.codec import PRIVATE_NOTICE, as_document, plain_document, reading
from pufferfish.errors import (
    CertificationError,
    InvalidInputError,
    PufferfishError,
    UnsupportedError,
)
from pufferfish.exact import Certificate
from pufferfish.exact.recheck import certificate_gap
from pufferfish.explain import pairs_in_words
from pufferfish.guarantee import Guarantee
from pufferfish.limits import PATIENCE_SECONDS, OutOfPatienceError, patience
from pufferfish.looking import beside, look_at, shown
from pufferfish.mechanisms import drawing_of
from pufferfish.noise import Law, law_from_dict
from pufferfish.numerics import rounded_up
from pufferfish.persons import cost_of_rows
from pufferfish.plan import Plan
from pufferfish.record import TOLERANCE, VERSION
from pufferfish.scenario import PUBLIC, Scenario
from pufferfish.schema import Problem, problem, refuse_misshapen
from pufferfish.signing import PublicKey, signer_of, unsigned
from pufferfish.statement import WORDS, Facts, contradictions, headline, words
from pufferfish.sums.checking import sum_claims
from pufferfish.sums.record import VERSION as SUM_VERSION
from pufferfish.upgrades import FROM_VERSION
from pufferfish.verdict import SIGNED, Check, Verification

__all__ = ["SHAPE", "Check", "Verification", "verify_document", "verify_record"]

SHAPE = "the record has the shape of one"
_NOTHING_ADDED = "nothing was added that no check is about"
# What only a record of version 1 leaves unsaid.
_SAID = ("rows_per_person", "secret", "adversaries")
_OLD_WORDS = (
    "This record is of version 1. Its words were not compared with its numbers: trust the numbers."
)


def verify_record(
    path: str | Path,
    released: str | Path | None = None,
    *,
    signer: PublicKey | None = None,
    ignore_signature: bool = False,
) -> Verification:
    """Check a record, and the published file if it is in its folder or named by `released`.

    The record is taken to come from somebody else: whatever it says, this ends within the limits of
    `pufferfish.limits`, and opens no file but the published one.

    Args:
        path: The record.
        released: The published file or folder, where it is elsewhere.
        signer: Who must have signed the record.
        ignore_signature: Do not look at a signature, for a record that is about to be signed.
    """
    place = Path(path)
    return verify_document(
        plain_document(place),
        folder=place.parent,
        released=released,
        signer=signer,
        ignore_signature=ignore_signature,
    )


def verify_document(
    plain: dict[str, Any],
    *,
    folder: Path | None = None,
    released: str | Path | None = None,
    signer: PublicKey | None = None,
    ignore_signature: bool = False,
) -> Verification:
    """`verify_record` for a document that was read already, just as it stands in its file.

    Args:
        plain: The document.
        folder: Where the published file may be; None: it is not looked for.
        released: As for `verify_record`.
        signer: As for `verify_record`.
        ignore_signature: As for `verify_record`.
    """
    checks, signed_by = ([], None) if ignore_signature else _signature(plain, signer)
    kind = "sum-record" if plain["pufferfish"] == "sum-record" else "record"
    version = SUM_VERSION if kind == "sum-record" else VERSION
    data = unsigned(as_document(plain, kind, version))
    wrong = _misshapen(data, kind)
    if wrong is not None:
        edition = "public" if data.get("edition") == "public" else "internal"
        return Verification(edition=edition, checks=(*checks, wrong), signed_by=signed_by)
    notes: list[str] = []
    try:
        with patience(PATIENCE_SECONDS):
            found = (_of_sum if kind == "sum-record" else _of_column)(data)
    except OutOfPatienceError as error:
        found = [Check(claim="the noise keeps the promise", verdict=None, detail=str(error))]
    checks += found
    if kind == "sum-record":
        require(released is None, "the record of a sum holds what was published; there is no file.")
    else:
        file_checks, file_notes = _of_file(data, folder, released)
        checks += file_checks
        notes += file_notes
    if FROM_VERSION in data:
        notes.append(_OLD_WORDS)
    return Verification(
        edition=data["edition"],
        checks=tuple(checks),
        headline=() if kind == "sum-record" else tuple(headline(Facts.from_dict(data))),
        words_compared=FROM_VERSION not in data,
        notes=tuple(notes),
        signed_by=signed_by,
        vouched=signer is not None and signed_by == signer.fingerprint,
    )


def _signature(plain: dict[str, Any], signer: PublicKey | None) -> tuple[list[Check], str | None]:
    """What is to be said of the signature, and the fingerprint of whose it is."""
    wanted = SIGNED
    try:
        key = signer_of(plain)
    except InvalidInputError as error:
        return [Check(claim="the signature is right", verdict=False, detail=str(error))], None
    if key is None:
        missing = Check(claim=wanted, verdict=False, detail="it is not signed")
        return ([] if signer is None else [missing]), None
    if signer is not None and key != signer:
        detail = f"it is signed by {key.fingerprint}, and you named {signer.fingerprint}"
        return [Check(claim=wanted, verdict=False, detail=detail)], key.fingerprint
    claim = "the signature is that of the key that it names" if signer is None else wanted
    return [Check(claim=claim, verdict=True, detail=key.fingerprint)], key.fingerprint


def _misshapen(data: dict[str, Any], kind: str) -> Check | None:
    """Nothing may stand in a record that looks like a claim and is none, at any depth.

    Raises:
        InvalidInputError: It is no record at all.
    """
    plain = {name: entry for name, entry in data.items() if name != FROM_VERSION}
    found = problem(plain, kind)
    if found is None:
        notice = "May be published." if data["edition"] == "public" else PRIVATE_NOTICE
        unsaid = (
            [] if FROM_VERSION in data else [each for each in _SAID if plain.get(each, 0) is None]
        )
        if data["notice"] != notice:
            found = Problem("", "has another notice than its edition has", unknown=True)
        elif unsaid:
            found = Problem(unsaid[0], "must be said; only version 1 left it out")
        else:
            return None
    if found.unknown:
        return Check(claim=_NOTHING_ADDED, verdict=False, detail=f"the record {found}")
    if found.where:
        part = found.where.split(".")[0]
        claim = f"the {part} can be read" if part in ("plan", "certificate") else SHAPE
        return Check(claim=claim, verdict=False, detail=str(found))
    refuse_misshapen(plain, kind)
    return None


def _of_column(data: dict[str, Any]) -> list[Check]:
    """The claims of a record, but for the file."""
    with reading("record"):
        facts = Facts.from_dict(data)
        checks = [_drawable(facts.noise)]
        if data["edition"] == "public" and "plan" in data:
            checks.append(_all_public(data["plan"]["scenario"]["beliefs"]))
        if "plan" in data:
            checks += _against_plan(data, facts)
        else:
            checks.append(_agreement(data, facts, None))
            checks.append(
                Check(
                    claim=f"this noise keeps {facts.goal}{_together(facts)}",
                    verdict=None,
                    detail="the beliefs are private and not in this edition; the internal edition "
                    "can be checked",
                )
            )
        if FROM_VERSION not in data:
            checks.append(_words(data, facts))
    return [*checks, Check(claim=_NOTHING_ADDED, verdict=True, detail="all entries are known")]


def _all_public(beliefs: list[dict[str, Any]]) -> Check:
    public = all(belief.get("provenance") == PUBLIC for belief in beliefs)
    return Check(
        claim="this public edition holds no private belief",
        verdict=public,
        detail="every belief in it is called public" if public else "one is not called public",
    )


def _of_file(
    data: dict[str, Any], folder: Path | None, released: str | Path | None
) -> tuple[list[Check], list[str]]:
    """The published file, as far as it is there."""
    facts, name = Facts.from_dict(data), data["published"]["file"]
    if released is not None:
        return look_at(data, facts, Path(released))
    if folder is None:
        return [], []
    if name is None:
        if data["published"]["checksum_of"] == "column":
            return [], ["A frame was released, and no file: there is nothing here to look at."]
        away = "the record does not say where it is; name it with --released"
        return [
            Check(
                claim="the file has the checksum that the record names", verdict=None, detail=away
            )
        ], []
    claim = f"{shown(name)} has the checksum that the record names"
    try:
        place = beside(folder, name)
    except InvalidInputError as error:
        return [Check(claim=claim, verdict=False, detail=str(error))], []
    if place.exists():
        return look_at(data, facts, place)
    away = "it is not beside the record; name it with --released"
    return [Check(claim=claim, verdict=None, detail=away)], []


def _of_sum(data: dict[str, Any]) -> list[Check]:
    """A record of one published number, which it holds itself."""
    with reading("record of a sum"):
        checks = [_drawable(law_from_dict(data["noise"]))]
        for found, certificate in sum_claims(data):
            checks.append(Check(**found._asdict()))
            if certificate is not None:
                checks.append(_recorded(data.get("certificate", {}), certificate))
    return [*checks, Check(claim=_NOTHING_ADDED, verdict=True, detail="all entries are known")]


def _drawable(law: Law) -> Check:
    drawing = drawing_of(law)
    try:
        drawing.check(law)
    except PufferfishError as error:
        return Check(claim=drawing.claim, verdict=False, detail=str(error))
    return Check(claim=drawing.claim, verdict=True, detail=drawing.told(law))


def _against_plan(data: dict[str, Any], facts: Facts) -> list[Check]:
    text = f"this noise keeps {facts.goal}{_together(facts)}, for every pair and adversary"
    try:
        plan = Plan.from_dict(data["plan"])
    except CertificationError as error:
        return [Check(claim=text, verdict=False, detail=str(error))]
    except InvalidInputError as error:
        return [Check(claim="the plan can be read", verdict=False, detail=str(error))]
    except UnsupportedError as error:
        return [Check(claim=text, verdict=None, detail=str(error))]
    certificate = plan.calibration.certificate
    found = (
        f"least ε without exception at most {certificate.epsilon_upper:.9g}"
        if certificate.goal.pure
        else f"δ at ε = {certificate.goal.epsilon:g} at most {certificate.delta_upper:.9g}"
    )
    same = plan.calibration.mechanism == facts.noise and plan.promise == facts.goal
    planned = facts.planned_by(plan).to_dict()
    other = [name for name, entry in planned.items() if data[name] != entry]
    return [
        Check(
            claim=text,
            verdict=same and certificate.holds is True,
            detail=f"computed again: {found}{_for_one_row(plan)}, {pairs_in_words(certificate)}"
            if same
            else "the record's noise or promise is not that of its plan",
        ),
        _recorded(data.get("certificate", {}), certificate, plan.calibration.scenario),
        Check(
            claim="the record says what its plan says",
            verdict=not other,
            detail=f"it differs in {', '.join(other)}" if other else "written again from the plan",
        ),
        _agreement(data, facts, plan),
    ]


def _together(facts: Facts) -> str:
    """Whose rows the promise is about, where a person has several."""
    rows = facts.rows_per_person
    if rows is None or rows == 1:
        return ""
    independent = "independent " if facts.dependence == "independent" else ""
    return f" for {rows:,} {independent}rows of a person"


def _for_one_row(plan: Plan) -> str:
    """What the numbers of a certificate are about, where a person has several rows."""
    rows, calibration = plan.several_rows, plan.calibration
    if rows.count == 1:
        return ""
    if rows.apart:
        return f" for one row, which has {calibration.goal}"
    cost = cost_of_rows(calibration, rows)
    together = Guarantee(rounded_up(cost.epsilon, 4), cost.delta)
    return f" for one row, and {rows.count:,} rows cost {together}"


def _agreement(data: dict[str, Any], facts: Facts, plan: Plan | None) -> Check:
    """What was done and counted must be possible together."""
    found = contradictions(data, facts, plan, old=FROM_VERSION in data)
    return Check(
        claim="what it says was done and counted can be true together",
        verdict=not found,
        detail="; ".join(found) or "counts, order and measurements go together",
    )


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
