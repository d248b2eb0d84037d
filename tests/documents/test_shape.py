"""Shapes: what they accept is what their schemas accept, and messages tell no value."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import pytest

import pufferfish as pf
from pufferfish.beliefs.scenario import PUBLIC
from pufferfish.columns.plan import PlanEntries
from pufferfish.documents.shape import Entries, json_schema, problem, read
from pufferfish.documents.text import PUBLIC_NOTICE, VERSION
from pufferfish.schemas import SHAPES

DOCUMENTS = [
    ("plan", "plan"),
    ("internal", "record"),
    ("public", "record"),
    ("beliefs", "beliefs"),
    ("sum", "sum-record"),
]
STRANGE: list[Any] = [None, True, 1, -1, 0.5, "", "x", [], {}, [1], {"x": 1}]


@cache
def texts() -> dict[str, str]:
    """A document of each kind."""
    table = pf.Discrete([168.0, 170.0, 175.0], [0.5, 0.25, 0.25])
    beliefs = [
        pf.Belief({"a": pf.Gaussian(170.0, 7.0), "b": pf.Gaussian(172.0, 8.0)}, provenance=PUBLIC),
        pf.Belief({"a": table, "b": table}, name="table", provenance=PUBLIC),
    ]
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    plan = pf.Plan(calibration=found, column="x", secret="s")
    record = pf.release({"x": [168.0, 175.0], "s": ["a", "b"]}, plan).record
    users = pf.sums.identical(2, 0.5, 0.5)
    sum_plan = pf.SumPlan(calibration=pf.calibrate_sum(users, pf.Guarantee(1.0)))
    listed = {"pufferfish": "beliefs", "version": VERSION, "notice": PUBLIC_NOTICE}
    planned = plan.to_dict()
    documents: dict[str, Any] = {
        "plan": planned,
        "internal": record.to_dict("internal"),
        "public": record.to_dict("public"),
        "beliefs": {**listed, "beliefs": planned["scenario"]["beliefs"]},
        "sum": pf.release_sum([0.0, 1.0], sum_plan).record.to_dict("internal"),
    }
    return {name: json.dumps(each) for name, each in documents.items()}


def document(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(texts()[name])
    return data


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
    data, shape = document(name), SHAPES[kind]
    other = jsonschema.Draft202012Validator(json_schema(shape))
    assert problem(data, shape) is None
    assert other.is_valid(data)
    for each in changed(data):
        assert (problem(each, shape) is None) == other.is_valid(each)


def plan(change: Any) -> dict[str, Any]:
    data = document("plan")
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        (
            lambda data: data["scenario"]["beliefs"][1]["secrets"][0]["prior"].update(
                probabilities="canary"
            ),
            "scenario.beliefs[1].secrets[0].prior.probabilities",
            "must be a list or null, got a text",
        ),
        (lambda data: data.update(colum=1), "", "has an entry 'colum', which is not known"),
        (lambda data: data.pop("goal"), "", "has no entry 'goal'"),
        (lambda data: data["goal"].update(epsilon=0), "goal.epsilon", "must be a number > 0.0"),
        (
            lambda data: data["goal"].update(epsilon=10**400),
            "goal.epsilon",
            "is a number out of range",
        ),
        (lambda data: data.update(unit="canary"), "unit", "must be one of 'person', 'row'"),
        (
            lambda data: data["scenario"]["beliefs"][0]["secrets"][0]["prior"].update(
                family="canary"
            ),
            "scenario.beliefs[0].secrets[0].prior.family",
            "must be one of 'gaussian', 'mixture', 'table'",
        ),
        (
            lambda data: data["noise"].update(kind="canary"),
            "noise.kind",
            "must be one of 'laplace', 'gaussian', 'none'",
        ),
        (
            lambda data: data["noise"].update(scale="canary"),
            "noise.scale",
            "must be a number, got a text",
        ),
        (
            lambda data: data["noise"].update(more=1),
            "noise",
            "has an entry 'more', which is not known",
        ),
        (lambda data: data.update(noise="canary"), "noise", "must be an object, got a text"),
        (
            lambda data: data.update(postprocess=[{"round_to": 1, "clip": [0, 1]}]),
            "postprocess[0]",
            'must be {"round_to": step} or {"clip": [low, high]}',
        ),
        (
            lambda data: data.update({"x - at `$.y`": 1}),
            "",
            "has an entry 'x - at `$.y`', which is not known",
        ),
    ],
)
def test_a_message_names_the_place_and_not_what_stands_there(
    change: Any, where: str, what: str
) -> None:
    data = plan(change)
    found = problem(data, PlanEntries)
    assert found is not None
    assert found.where == where
    # A law that another test registered may be named, too.
    assert found.what.startswith(what)
    assert found.unknown == ("not known" in what)
    with pytest.raises(pf.InvalidInputError, match="this plan is not of the right shape") as caught:
        read(data, PlanEntries, "plan")
    assert str(found) in str(caught.value)
    assert "canary" not in str(caught.value)


def test_a_name_that_is_not_one_is_an_entry_that_is_not_known() -> None:
    data = document("public")
    data["versions"]["Canary by"] = "1.0"
    found = problem(data, SHAPES["record"])
    assert found is not None
    assert (found.where, found.unknown) == ("versions", True)
    assert "anary" not in str(found)


class Odd:
    """No type of an entry."""


class Strange(Entries):
    """What nobody should write."""

    what: Odd


def test_other_types_are_no_shapes() -> None:
    with pytest.raises(NotImplementedError):
        problem({"what": "canary"}, Strange)
    with pytest.raises(TypeError, match="Odd"):
        json_schema(Strange)
