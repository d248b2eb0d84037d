"""Documents: what is read again is what was written, and what is no document is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.documents.text import document_text, parse_document, read_document
from pufferfish.ledger.file import read_ledger
from tests.attacks.forging import released


def test_text_is_for_people_to_read() -> None:
    text = document_text({"pufferfish": "test", "name": "Zoë"})
    assert "Zoë" in text
    assert text.endswith("}\n")


def test_a_number_that_is_none_is_not_written() -> None:
    with pytest.raises(ValueError, match="nan"):
        document_text({"number": float("nan")})


# What is no document.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{canary", "not valid JSON"),
        ("", "not valid JSON"),
        ("[1, 2]", "not a plan document"),
        ('"canary"', "not a plan document"),
        ('{"canary": 1}', "not a plan document"),
        ('{"pufferfish": "record", "version": 1}', "kind 'record'"),
        ('{"pufferfish": 5, "version": 1}', "not a plan document"),
        ('{"pufferfish": "plan"}', "version None"),
        ('{"pufferfish": "plan", "version": "1"}', "version '1'"),
        ('{"pufferfish": "plan", "version": 0}', "version 0"),
        ('{"pufferfish": "plan", "version": 2}', "version 2, and .* reads version 1"),
        ('{"pufferfish": "plan", "version": 99}', "newer pufferfish"),
    ],
)
def test_what_is_no_document_is_refused(text: str, message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message) as caught:
        parse_document(text, "plan")
    assert "canary" not in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xff\xfe\x00\x93NUMPY")
    with pytest.raises(pf.InvalidInputError):
        read_document(tmp_path / "a.json", "plan")


@pytest.mark.parametrize("text", ["a,b\ncanary,1\n", '{"pufferfish": "record", "can', "[1]", ""])
def test_what_is_no_document_is_named_with_what_to_give(text: str, tmp_path: Path) -> None:
    path = tmp_path / "inc.csv"
    path.write_text(text, encoding="utf-8")
    beginning = f"{path} is not a record, or is cut off ("
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.Record.load(path)
    assert str(caught.value).startswith(beginning)
    give = "give the file that ends in .public.json or .record.json."
    assert str(caught.value).endswith(give)
    for wanted, read in (
        ("a plan", pf.Plan.load),
        ("a file of beliefs", lambda path: read_document(path, "beliefs")),
        ("a ledger", read_ledger),
    ):
        if text == "[1]":
            continue
        with pytest.raises(pf.InvalidInputError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path} is not {wanted}, or is cut off (not JSON): ")
        assert "canary" not in str(caught.value)


@pytest.mark.parametrize("change", [{"version": 99}, {"pufferfish": "shell"}])
def test_whatever_is_wrong_with_a_document_its_file_is_named_once(
    change: dict[str, Any], tmp_path: Path
) -> None:
    data = json.loads(json.dumps(released(tmp_path).record.to_dict()))
    path = tmp_path / "other.json"
    path.write_text(json.dumps(data | change), encoding="utf-8")
    for read in (pf.Record.load, pf.verify_record, pf.Plan.load, read_ledger):
        with pytest.raises(pf.InvalidInputError) as caught:
            read(path)
        assert str(caught.value).count(str(path)) == 1
    changed = data | {"published": 1}
    path.write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(pf.PufferfishError, match=r"other\.json"):
        pf.Record.load(path)
