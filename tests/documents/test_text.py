"""Documents: what is read again is what was written, and what is no document is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pufferfish as pf
from pufferfish.documents import text as texts
from pufferfish.documents.text import document_text, parse_document, read_document


def test_text_is_for_people_to_read() -> None:
    text = document_text({"pufferfish": "test", "name": "Zoë"})
    assert "Zoë" in text
    assert text.endswith("}\n")
    assert yaml.safe_load(document_text({"name": "Zoë"}, Path("a.yml"))) == {"name": "Zoë"}


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
        ('{"pufferfish": "plan", "version": 99}', "newer pufferfish"),
    ],
)
def test_what_is_no_document_is_refused(text: str, message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message) as caught:
        parse_document(text, "plan", 1)
    assert "canary" not in str(caught.value)


def test_broken_yaml_is_refused_without_quoting_it() -> None:
    with pytest.raises(pf.InvalidInputError, match="not valid YAML") as caught:
        parse_document("a: [canary", "plan", 1, yaml=True)
    assert "canary" not in str(caught.value)
    with pytest.raises(pf.InvalidInputError):
        parse_document("!!python/object/apply:os.system [canary]", "plan", 1, yaml=True)


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_a_file_that_is_no_text_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe\x00\x93NUMPY")
    with pytest.raises(pf.InvalidInputError):
        read_document(tmp_path / name, "plan", 1)


# Versions.


def test_older_documents_are_upgraded_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "version": 2, "steps": [1]}

    def second(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "version": 3, "steps": [*data["steps"], 2]}

    monkeypatch.setitem(texts.UPGRADES, ("plan", 1), first)
    monkeypatch.setitem(texts.UPGRADES, ("plan", 2), second)
    old = json.dumps({"pufferfish": "plan", "version": 1})
    assert parse_document(old, "plan", 3)["steps"] == [1, 2]
    # Not beyond what is wanted, and not for another kind.
    assert parse_document(old, "plan", 2)["steps"] == [1]
    assert "steps" not in parse_document(old, "plan", 1)
    with pytest.raises(pf.InvalidInputError, match="version 1"):
        parse_document(json.dumps({"pufferfish": "ledger", "version": 1}), "ledger", 3)
