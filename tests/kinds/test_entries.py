"""A kind from outside describes its documents itself: no schema of ours knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import jsonschema
import pytest

import pufferfish as pf
from pufferfish.beliefs.guarantee import GoalEntries
from pufferfish.documents.shape import (
    Entries,
    entries_of,
    json_schema,
    problem,
    read,
    read_part,
    written,
)
from pufferfish.documents.types import Count, Name, Whole
from pufferfish.kinds.entries import record_shape
from pufferfish.noise import Law, LawEntries, law_to_dict


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """What a made-up kind decides, and states."""

    goal: pf.Guarantee
    noise: Law
    column: Name
    top: Count = 3


class Head(Entries):
    pufferfish: Literal["sorted-plan"]
    version: Literal[1]


class Published(Entries):
    values: tuple[float, ...]


class Counted(Entries):
    rows: Whole


OTHER: dict[str, Any] = {"goal": GoalEntries, "noise": LawEntries}
PLAN = entries_of(Sorted, Head, **OTHER)
STATED = entries_of(Sorted, **OTHER)
RECORD = record_shape(
    STATED,
    plan=PLAN,
    published=Published,
    table=Counted,
    pufferfish=Literal["sorted-record"],
    version=Literal[1],
)
DECIDED = Sorted(goal=pf.Guarantee(1.0), noise=pf.LaplaceNoise(2.0, 0.5), column="x", top=2)


def plan() -> dict[str, Any]:
    head: dict[str, Any] = {"pufferfish": "sorted-plan", "version": 1}
    return written(PLAN, DECIDED, noise=law_to_dict(DECIDED.noise), **head)


def record(edition: str) -> dict[str, Any]:
    certificate = pf.verify(
        pf.Scenario([pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.0, 1.0)})]),
        pf.LaplaceNoise(2.0, 0.5),
        pf.Guarantee(1.0),
    )
    public = {
        **written(STATED, DECIDED, noise=law_to_dict(DECIDED.noise)),
        **{"pufferfish": "sorted-record", "version": 1, "edition": edition, "notice": "none"},
        **{"promise": "much", "not_promised": ["more"], "published": {"values": [1.0, 2.5]}},
        **{"versions": {"numpy": "2.0"}, "created": "2026-01-02T03:04:05+00:00"},
    }
    if edition == "public":
        return public
    private = {"plan": plan(), "certificate": certificate.to_dict(), "table": {"rows": 5}}
    return public | private


def test_a_plan_comes_back() -> None:
    assert list(plan()) == ["pufferfish", "version", "goal", "noise", "column", "top"]
    assert read(plan(), PLAN, "plan").made() == DECIDED
    left_out = {name: entry for name, entry in plan().items() if name != "top"}
    assert read(left_out, PLAN, "plan").made().top == 3


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_either_edition_is_checked(edition: str) -> None:
    data, schema = record(edition), jsonschema.Draft202012Validator(json_schema(RECORD))
    assert problem(data, RECORD) is None
    assert schema.is_valid(data)
    assert read_part(data, STATED, "record").made() == DECIDED
    for change in (
        {"surprise": 1},
        {"edition": "other"},
        {"versions": {"numpy": "certified"}},
        {"created": "2026-01-02T03:04:05+00:00\n"},
        {"noise": {"kind": "laplace", "scale": 0.0}},
        {"plan": plan() | {"surprise": 1}},
    ):
        assert problem(data | change, RECORD) is not None
        assert not schema.is_valid(data | change)


def test_only_the_internal_edition_says_what_was_counted() -> None:
    counted = record("public") | {"table": {"rows": 5}}
    found = problem(counted, RECORD)
    assert found is not None
    assert found.unknown
    assert str(found) == "has an entry 'table', which is not known"
    for name in ("plan", "certificate", "table"):
        data = record("internal")
        del data[name]
        assert str(problem(data, RECORD)) == f"has no entry {name!r}"
    public = record("internal") | {"edition": "public"}
    del public["table"]
    assert problem(public, RECORD) is None


def test_a_sum_has_laplace_noise_or_none() -> None:
    users = pf.sums.binary([0.5, 0.2])
    data = pf.SumPlan(calibration=pf.calibrate_sum(users, pf.Guarantee(1.0))).to_dict()
    found = problem(data | {"noise": {"kind": "gaussian", "std": 1.0}}, pf.SumPlan.SHAPE)
    assert str(found) == "noise.kind must be one of 'laplace', 'none'"
