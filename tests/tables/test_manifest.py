"""What a published folder holds, as a document."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.tables.manifest import Entry, Manifest

SHA = "0123456789abcdef" * 4


def entry(**fields: Any) -> Entry:
    return Entry(**{"path": "a/b.csv", "rows": 3, "bytes": 50, "sha256": SHA} | fields)


def test_equal_folders_have_equal_manifests() -> None:
    first, second = entry(path="é/b.csv"), entry(path="a.csv", rows=4)
    one, other = Manifest(files=(first, second)), Manifest(files=(second, first))
    assert one == other
    assert one.to_json() == other.to_json()
    assert [each.path for each in one.files] == ["a.csv", "é/b.csv"]
    assert one.rows == 7
    assert one.sha256 == hashlib.sha256(one.to_json().encode("utf-8")).hexdigest()
    assert Manifest.from_json(one.to_json()) == one
    assert Manifest(files=(entry(rows=4),)).sha256 != Manifest(files=(entry(),)).sha256


@pytest.mark.parametrize(
    "fields",
    [
        {"path": path}
        for path in ("", ".", "..", "/a", "a/../b", "../a", "a//b", "a/", "./a", "a\0b", 7)
    ]
    + [{name: value} for name in ("rows", "bytes") for value in (-1, 1.0, True, "1", None)]
    + [{"sha256": value} for value in ("", SHA[:-1], SHA.upper(), SHA + "0", 7)],
    ids=str,
)
def test_what_is_no_file_of_a_folder_is_refused(fields: Any) -> None:
    with pytest.raises(pf.InvalidInputError):
        entry(**fields)


def test_a_file_is_named_once() -> None:
    with pytest.raises(pf.InvalidInputError, match="once"):
        Manifest(files=(entry(), entry(rows=4)))


def document(**changes: Any) -> str:
    return json.dumps(json.loads(Manifest(files=(entry(),)).to_json()) | changes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        document(pufferfish="plan"),
        document(version=2),
        document(more=1),
        document(files=None),
        document(files=[{}]),
        document(files=[7]),
        document(files=[{"path": "a", "rows": 1, "bytes": 1, "sha256": SHA, "mode": 7}]),
        document(files=[{"path": "../a", "rows": 1, "bytes": 1, "sha256": SHA}]),
    ],
    ids=str,
)
def test_other_documents_are_refused(text: str) -> None:
    with pytest.raises(pf.InvalidInputError):
        Manifest.from_json(text)
