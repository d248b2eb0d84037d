"""Is a record true? What it promises is computed again, as far as that needs no data.

Figures on what a release costs those who use it are private, and are not all computed again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.errors import (
    CertificationError,
    InvalidInputError,
    PufferfishError,
    UnsupportedError,
)
from pufferfish.core.limits import PATIENCE_SECONDS, OutOfPatienceError, patience
from pufferfish.core.validation import refuse_incomputable
from pufferfish.documents.shape import Problem, problem
from pufferfish.documents.signing import PublicKey, signer_of, unsigned
from pufferfish.documents.text import (
    PRIVATE_NOTICE,
    PUBLIC_NOTICE,
    as_document,
    naming_file,
    plain_document,
)
from pufferfish.exact import Certificate
from pufferfish.exact.recheck import certificate_gap
from pufferfish.kinds.entries import entry_at, stated_entries
from pufferfish.kinds.kind import Kind, kind_of
from pufferfish.kinds.record import TOLERANCE
from pufferfish.kinds.verdict import CHECKSUM, KEEPS, SIGNED, Check, Verification
from pufferfish.mechanisms import drawing_of, words_of
from pufferfish.noise import Law, law_from_dict
from pufferfish.words.numbers import at_most

__all__ = ["SHAPE", "Check", "Verification", "verify_document", "verify_record"]

SHAPE = "the record has the right shape"
_NOTHING_ADDED = "the record has no entry that such records do not have"


def verify_record(
    path: str | Path,
    released: str | Path | None = None,
    *,
    signer: PublicKey | None = None,
    ignore_signature: bool = False,
) -> Verification:
    """Check a record, and the published file if it is in its folder or named by `released`.

    The record is taken to come from somebody else: whatever it says, this ends within the limits of
    `pufferfish.core.limits`, and opens no file but the published one.

    Args:
        path: The record.
        released: The published file or folder, where it is elsewhere.
        signer: The key that must have signed the record.
        ignore_signature: Do not check a signature, for a record that is about to be signed.
    """
    place = Path(path)
    plain = plain_document(place, "record")
    with naming_file(place):
        return verify_document(
            plain,
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
    """`verify_record` for a document that was already read, unchanged.

    Args:
        plain: The document.
        folder: Where the published file may be; None: do not look for it.
        released: As for `verify_record`.
        signer: As for `verify_record`.
        ignore_signature: As for `verify_record`.
    """
    checks, signed_by = ([], None) if ignore_signature else _signature(plain, signer)
    kind = kind_of(plain.get("pufferfish"), "record")
    data = unsigned(as_document(plain, kind.record.KIND))
    wrong = _misshapen(data, kind.record.SHAPE)
    if wrong is not None:
        edition = "public" if data.get("edition") == "public" else "internal"
        return Verification(edition=edition, checks=(*checks, wrong), signed_by=signed_by)
    facts = kind.facts(data)
    applied = _called(facts)
    plan = None
    try:
        with patience(PATIENCE_SECONDS):
            plan, claims = _claims(kind, data, facts)
            checks += claims
    except OutOfPatienceError as error:
        claim = f"this {applied} keeps the promise"
        checks.append(Check(claim=claim, verdict=None, detail=str(error)))
    found, notes = kind.appearance(data, facts, folder, released)
    return Verification(
        edition=data["edition"],
        checks=(*checks, *found),
        headline=tuple(kind.words(facts).get("headline", ())),
        notes=tuple(notes),
        unchecked=_unchecked(kind, data, facts, plan, found),
        signed_by=signed_by,
        vouched=signer is not None and signed_by == signer.fingerprint,
        drawn=applied,
    )


def _signature(plain: dict[str, Any], signer: PublicKey | None) -> tuple[list[Check], str | None]:
    """Checks of the signature, and the fingerprint of the key that signed."""
    wanted = SIGNED
    try:
        key = signer_of(plain)
    except InvalidInputError as error:
        return [Check(claim="the signature is right", verdict=False, detail=str(error))], None
    if key is None:
        missing = Check(claim=wanted, verdict=False, detail="it is not signed")
        return ([] if signer is None else [missing]), None
    if signer is not None and key != signer:
        detail = f"it is signed by {key.fingerprint}, but you named {signer.fingerprint}"
        return [Check(claim=wanted, verdict=False, detail=detail)], key.fingerprint
    claim = "the signature is that of the key that it names" if signer is None else wanted
    return [Check(claim=claim, verdict=True, detail=key.fingerprint)], key.fingerprint


def _misshapen(data: dict[str, Any], shape: Any) -> Check | None:
    """The failed check, if a record has an entry, at any depth, that no check covers.

    Such an entry could look like a claim.

    Raises:
        InvalidInputError: It is not a record at all.
    """
    found = problem(data, shape)
    if found is None:
        notice = PUBLIC_NOTICE if data["edition"] == "public" else PRIVATE_NOTICE
        if data["notice"] == notice:
            return None
        found = Problem("", "does not have the notice of its edition", unknown=True)
    if found.unknown:
        return Check(claim=_NOTHING_ADDED, verdict=False, detail=f"the record {found}")
    if found.where:
        part = found.where.split(".")[0]
        claim = f"the {part} can be read" if part in ("plan", "certificate") else SHAPE
        return Check(claim=claim, verdict=False, detail=str(found))
    raise InvalidInputError(f"this record is not of the right shape: {found}.")


def _unchecked(
    kind: Kind[Any, Any], data: dict[str, Any], facts: Any, plan: Any, seen: Iterable[Check]
) -> tuple[str, ...]:
    """The entries that nothing in this edition decides."""
    decided, parts = ((), ()) if plan is None else kind.decided(facts, plan)
    private = ("plan", "certificate")
    parts = [*parts, "plan.rounding"] if plan is not None and plan.public else [*parts]
    if plan is None:
        parts = [*stated_entries(kind.record.SHAPE), *(each for each in private if each in data)]
    decided = {*decided, "unprotected_percent"} if "table" in data else decided
    if any(each.verdict is True and CHECKSUM in each.claim for each in seen):
        decided = {*decided, "published.sha256", "published.rows"}
    named = [
        name
        for name, needed in kind.record.UNDECIDED.items()
        if name not in decided and entry_at(data, needed or name.split(".")[0])
    ]
    return tuple(sorted({*named, *parts}))


def _claims(kind: Kind[Any, Any], data: dict[str, Any], facts: Any) -> tuple[Any, list[Check]]:
    """The plan, where it is known, and checks of the claims, except for what was published."""
    plan, checks = None, [_drawable(_applied(data, facts))]
    promised = f"this {_called(facts)}{KEEPS}{kind.promise_in_words(facts)}"
    if "plan" in data:
        if data["edition"] == "public":
            checks.append(kind.all_public(data["plan"]))
        promised = f"{promised}, for every {kind.everybody}"
        plan, found = _against_plan(kind, data, facts, promised)
        checks += found
    else:
        checks.append(_agreement(kind, data, facts, None))
        private = f"{kind.private}; the internal edition can be checked"
        checks.append(Check(claim=promised, verdict=None, detail=private))
    checks.append(_words(kind, data, facts))
    other = _other_entries(kind, data, facts, plan)
    detail = f"written otherwise: {', '.join(other)}" if other else "all entries are known"
    return plan, [*checks, Check(claim=_NOTHING_ADDED, verdict=not other, detail=detail)]


def _other_entries(kind: Kind[Any, Any], data: dict[str, Any], facts: Any, plan: Any) -> list[str]:
    """Entries that are not as they would be written: one that says nothing could look like a claim.

    What was read is written again, entry by entry.
    """
    stated = {name: data[name] for name in stated_entries(kind.record.SHAPE) if name in data}
    parts = [("", stated, facts.to_dict())]
    if plan is not None:
        public = data["edition"] == "public"
        again = plan.to_public_dict() if public else plan.to_dict()
        parts.append(("plan.", data["plan"], again))
    if "certificate" in data and plan is not None:
        try:
            again = Certificate.from_dict(data["certificate"]).to_dict()
        except InvalidInputError:
            again = data["certificate"]  # another check finds that it is wrong
        parts.append(("certificate.", data["certificate"], again))
    elif "certificate" in data and "plan" not in data:
        parts.append(("", {"certificate": ...}, {}))
    return [
        f"{where}{name}"
        for where, given, made in parts
        for name in {**given, **made}
        if given.get(name, ...) != made.get(name, ...)
    ]


def _called(facts: Any) -> str:
    """What was applied, in a word: "noise", "recoding"."""
    return words_of(facts.noise).called(facts.noise)


def _applied(data: dict[str, Any], facts: Any) -> Law:
    """The law that was applied: that of the plan, where the facts state less of it."""
    law: Law = facts.noise
    if drawing_of(law).tells(law) or "plan" not in data:
        return law
    try:
        return law_from_dict(data["plan"]["noise"])
    except InvalidInputError:
        return law  # another check finds that the plan is wrong


def _drawable(law: Law) -> Check:
    drawing = drawing_of(law)
    try:
        drawing.check(law)
    except PufferfishError as error:
        return Check(claim=drawing.claim, verdict=False, detail=str(error))
    verdict = True if drawing.tells(law) else None
    return Check(claim=drawing.claim, verdict=verdict, detail=drawing.explain_exactness(law))


def _against_plan(
    kind: Kind[Any, Any], data: dict[str, Any], facts: Any, promised: str
) -> tuple[Any, list[Check]]:
    try:
        with refuse_incomputable("plan"):
            plan = kind.plan.from_record(data)
    except CertificationError as error:
        return None, [Check(claim=promised, verdict=False, detail=str(error))]
    except InvalidInputError as error:
        return None, [Check(claim="the plan can be read", verdict=False, detail=str(error))]
    except UnsupportedError as error:
        return None, [Check(claim=promised, verdict=None, detail=str(error))]
    planned = kind.facts_by_plan(facts, plan)
    said = planned.to_dict() | {"notice": data["plan"].get("notice", data["notice"])}
    # An entry that only one of them has differs as well.
    other = [name for name in {**said, **facts.to_dict()} if data.get(name) != said.get(name)]
    same = planned.noise == facts.noise and planned.goal == facts.goal
    return plan, [
        Check(
            claim=promised,
            verdict=same and plan.holds,
            detail=f"computed again: {kind.recompute(plan)}"
            if same
            else f"the record's {_called(facts)} or promise is not that of its plan",
        ),
        _compare_recorded(data.get("certificate", {}), plan.certificate, plan.scenario),
        Check(
            claim="the record says what its plan says",
            verdict=not other,
            detail=f"it differs in {', '.join(other)}" if other else "written again from the plan",
        ),
        _agreement(kind, data, facts, plan),
    ]


def _agreement(kind: Kind[Any, Any], data: dict[str, Any], facts: Any, plan: Any) -> Check:
    """The check that what was done and counted is possible together."""
    found = kind.agreement(data, facts, plan)
    return Check(
        claim="its statements about what was done and counted agree",
        verdict=not found,
        detail="; ".join(found) or "no contradiction was found",
    )


def _compare_recorded(data: dict[str, Any], computed: Certificate, scenario: Scenario) -> Check:
    """The check that the recorded enclosure meets the computed one: both hold the same numbers."""
    text = "the recorded certificate agrees with the one computed again"
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
        detail=f"bounds differ by at most {at_most(gap, 2)}",
    )


def _words(kind: Kind[Any, Any], data: dict[str, Any], facts: Any) -> Check:
    """The check that the words, in either edition, are those that follow from the facts."""
    other = [name for name, said in kind.words(facts).items() if data[name] != said]
    return Check(
        claim="its sentences match its numbers",
        verdict=not other,
        detail=f"differs: {', '.join(other)}" if other else "written again from the numbers",
    )
