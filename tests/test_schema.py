"""The schemas are understood as others understand them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pufferfish as pf
from pufferfish.codec import read_document
from pufferfish.schema import problem, refuse_misshapen
from tests import seams

FOLDER = Path(__file__).parent / "data" / "v1"
DOCUMENTS = [
    ("plan.json", "plan"),
    ("public.csv.record.json", "record"),
    ("beliefs.json", "beliefs"),
]
STRANGE: list[Any] = [None, True, 1, -1, 0.5, "", "x", [], {}, [1], {"x": 1}]


def reference(kind: str) -> Any:
    text = files("pufferfish").joinpath("schemas", f"{kind}.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def document(name: str, kind: str) -> dict[str, Any]:
    data = read_document(FOLDER / name, kind, 2)
    return {entry: data[entry] for entry in data if entry != "from_version"}


def changed(data: Any) -> Iterator[Any]:
    """The document with one value replaced, left out or added, in many ways."""
    places: list[tuple[Any, ...]] = []

    def walk(part: Any, path: tuple[Any, ...]) -> None:
        for name, each in part.items() if isinstance(part, dict) else enumerate(part):
            places.append((*path, name))
            if isinstance(each, dict | list):
                walk(each, (*path, name))

    walk(data, ())
    for number, path in enumerate(places):
        twin = copy.deepcopy(data)
        holder = twin
        for step in path[:-1]:
            holder = holder[step]
        if number % 3 == 0:
            del holder[path[-1]]
        else:
            holder[path[-1]] = STRANGE[number % len(STRANGE)]
        yield twin


@pytest.mark.parametrize(("name", "kind"), DOCUMENTS)
def test_the_same_documents_are_accepted_as_by_another_validator(name: str, kind: str) -> None:
    data, other = document(name, kind), reference(kind)
    assert problem(data, kind) is None
    assert other.is_valid(data)
    for each in changed(data):
        assert (problem(each, kind) is None) == other.is_valid(each)


def test_every_word_of_every_schema_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"type": "object", "$defs": {}, "contains": 1}
    seams.put(monkeypatch, seams.SCHEMA, lambda kind: known)
    with pytest.raises(NotImplementedError, match="contains"):
        problem({}, "plan")


def test_a_message_names_the_place_and_not_what_stands_there() -> None:
    data = document("plan.json", "plan")
    data["scenario"]["beliefs"][1]["secrets"][0]["prior"]["probabilities"] = "canary"
    with pytest.raises(pf.InvalidInputError) as caught:
        refuse_misshapen(data, "plan")
    assert "scenario.beliefs[1].secrets[0].prior.probabilities" in str(caught.value)
    assert "canary" not in str(caught.value)
    found = problem(document("plan.json", "plan") | {"colum": 1}, "plan")
    assert found is not None
    assert found.unknown
    assert "'colum'" in str(found)
