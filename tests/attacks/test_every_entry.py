"""Refutes that an entry of a record can be another one, and nobody notices.

In a record of each kind and edition every entry is changed, left out or invented, one at a time. An
attacker then writes the words again, and computes the certificate of a changed plan again. `verify`
must refuse the record, or name the entry among those that cannot be checked from this edition.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.core.validation import refuse_incomputable
from pufferfish.documents.shape import json_schema, problem
from pufferfish.kinds.kind import kind_of
from pufferfish.kinds.verifier import verify_document
from tests.attacks.changing import Path, changed, changes
from tests.attacks.every_kind import RECORDS, document

EDITIONS = ("internal", "public")
# Entries that follow from others: an attacker does not leave them as they were.
WORDS = ("headline", "promise", "not_promised")


def plain(data: Any) -> Any:
    return json.loads(json.dumps(data))


def forged(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """The record with words, and for a changed plan with a certificate, that follow from it."""
    kind = kind_of(data["pufferfish"], "record")
    if path[0] == "plan" and "plan" in data:
        data |= {"certificate": plain(kind.plan.from_record(data).certificate.to_dict())}
    if path[0] not in WORDS:
        data |= plain(kind.words(kind.facts(data)))
    return data


def is_named(path: Path, names: tuple[str, ...]) -> bool:
    """Whether an entry, or one that it is part of, is among these."""
    placed = re.sub(r"\.(\d+)", r"[\1]", ".".join(map(str, path)))
    either = placed, re.sub(r"\[\d+\]", "", placed)
    return any(
        each == name or each.startswith((f"{name}.", f"{name}["))
        for each in either
        for name in names
    )


def passes(data: dict[str, Any], path: Path) -> bool:
    """Whether nobody would notice."""
    try:
        with refuse_incomputable("record"):
            data = forged(data, path)
    except pf.PufferfishError:
        pass  # nothing follows from it
    try:
        found = verify_document(data)
    except pf.PufferfishError:
        return False
    named = "cannot be checked" in found.conclusion and is_named(path, found.unchecked)
    return found.verdict is not False and not named


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", RECORDS)
def test_every_entry_is_checked_or_named(name: str, edition: str) -> None:
    true = document(name, edition)
    shape = kind_of(true["pufferfish"], "record").record.SHAPE
    assert verify_document(true).verdict is not False
    tried, unnoticed = 0, []
    for path, value in changes(true, json_schema(shape)):
        data = changed(true, path, value)
        if problem(data, shape) is None:
            tried += 1
            if data != true and passes(data, path):
                unnoticed.append((path, value))
    assert tried > 30
    assert not unnoticed
