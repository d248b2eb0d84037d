"""Whatever stands in a record, the verifier answers or refuses; it never fails."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.core.errors import PufferfishError
from pufferfish.kinds.kind import plan_of
from pufferfish.kinds.verifier import Check, Verification, verify_document
from pufferfish.sums.record import SumRecord

HOSTILE: tuple[Any, ...] = (
    *(2**63 - 1, 2**63, 2**64, -(2**64), 10**400, -1, 0, 1e100, 1e300, 1e-300, -0.5),
    *("nan", "inf", "", "\ud800", [], {}, [[]], {"": None}, None, True),
)
RECORDS: dict[str, Any] = {"column": pf.Record, "sum": SumRecord}


@cache
def record(kind: str) -> dict[str, Any]:
    """An internal edition."""
    if kind == "sum":
        users = pf.sums.binary([0.5, 0.2, 0.3])
        calibrated = pf.calibrate_sum(users, pf.Guarantee(1.0))
        by_plan = pf.SumPlan(calibration=calibrated, statistic="mean")
        return pf.release_sum([1, 0, 1], by_plan).record.to_dict("internal")
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.25, 1.5)}
    belief = pf.Belief(laws, missing={"a": 0.1, "b": 0.11})
    calibration = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0))
    plan = pf.Plan(calibration=calibration, column="x", secret="s", missing="keep")
    return pf.release({"x": [1.0, 2.0], "s": ["a", "b"]}, plan).record.to_dict("internal")


def places(data: Any, *way: Any) -> Iterator[tuple[Any, ...]]:
    """The ways to all entries, at every depth."""
    if way:
        yield way
    listed = data if isinstance(data, list) else ()
    for key, each in data.items() if isinstance(data, dict) else enumerate(listed):
        yield from places(each, *way, key)


def changed(kind: str, way: tuple[Any, ...], entry: Any) -> dict[str, Any]:
    data = copy.deepcopy(record(kind))
    part: Any = data
    for key in way[:-1]:
        part = part[key]
    part[way[-1]] = entry
    return data


@pytest.mark.parametrize("kind", ["column", "sum"])
def test_one_hostile_entry_never_makes_it_fail(kind: str) -> None:
    draws = random.Random(20)
    assert verify_document(record(kind)).verdict is True
    for way in places(record(kind)):
        for entry in draws.sample(HOSTILE, 2):
            data = changed(kind, way, entry)
            with suppress(PufferfishError):
                assert isinstance(verify_document(data), Verification)
            with suppress(PufferfishError):
                RECORDS[kind].from_dict(data)


BELIEF = ("plan", "scenario", "beliefs", 0)


@pytest.mark.parametrize(
    ("kind", "way", "entry"),
    [
        ("sum", ("plan", "users", "positions", 0), 2**64),
        ("sum", ("plan", "users", "counts", 0), 2**63 - 1),
        ("sum", ("published", "value"), 1.7e308),
        ("column", (*BELIEF, "radius"), 2**63),
        ("column", (*BELIEF, "radius"), 1e100),
        ("column", ("table", "rows"), 2**63),
        ("column", ("table", "column_std"), -5),
        ("column", ("plan", "notice"), "Certified by everybody."),
        ("sum", ("plan", "notice"), "May be published."),
    ],
)
def test_what_cannot_be_is_found_and_not_loaded(
    kind: str, way: tuple[Any, ...], entry: Any
) -> None:
    data = changed(kind, way, entry)
    assert verify_document(data).verdict is False
    with pytest.raises(PufferfishError):
        RECORDS[kind].from_dict(data)


def test_a_mean_of_nobody_knows_how_many_is_a_no() -> None:
    data = changed("sum", ("users",), None) | {"edition": "public", "notice": "May be published."}
    for name in ("plan", "certificate", "table"):
        del data[name]
    assert verify_document(data).verdict is False


@pytest.mark.parametrize("failure", [OverflowError, KeyError, TypeError, ValueError])
def test_a_plan_that_fails_to_be_read_is_a_no(
    failure: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure("canary")

    monkeypatch.setattr("pufferfish.columns.plan.recertify", fail)
    data = record("column")
    (found,) = (each for each in verify_document(data).checks if "plan can be" in each.claim)
    assert found == Check(
        claim="the plan can be read",
        verdict=False,
        detail="computing with this plan failed: check its numbers.",
    )
    with pytest.raises(pf.InvalidInputError, match="computing with this record failed"):
        pf.Record.from_dict(data)


@pytest.mark.parametrize("said", [[], {}, None, 5, ""])
def test_what_is_no_document_is_refused(said: object) -> None:
    with pytest.raises(pf.InvalidInputError, match=r"not a record document of pufferfish\."):
        verify_document({"pufferfish": said})


def test_the_refusal_says_what_was_wanted() -> None:
    beliefs = {"pufferfish": "beliefs", "version": 1}
    with pytest.raises(pf.InvalidInputError, match=r"not a plan document .* kind 'beliefs'"):
        plan_of(beliefs)
    with pytest.raises(pf.InvalidInputError, match=r"not a record document .* kind 'beliefs'"):
        verify_document(beliefs)
    with pytest.raises(pf.InvalidInputError, match=r"its name ends in \.record\.json"):
        verify_document({"pufferfish": "plan", "version": 1})
