"""Sentences that were false in some release, each against the rows or the map that decides it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pufferfish as pf
from pufferfish.audits import audit
from pufferfish.joint.plan import TablePlan
from tests.support import ROOT

ROWS = 900
GOAL = pf.Guarantee(0.3)
MAP: dict[str, Any] = {"mechanism": "recode", "floor": None, "nominal": True}


def table(holes: bool = False) -> dict[str, Any]:
    """Jobs and scores tell something about s; z and w tell nothing. Frequencies are exact."""
    number = np.arange(ROWS)
    first = number % 2 == 0
    place = number // 2 % 10
    job = np.array(list("ppppppqqrr"))[place]
    job[~first] = np.array(list("ppppqqqqrr"))[place[~first]]
    score = np.where(first, place // 3, place // 2).astype(float)
    rows = {"job": job.astype(object), "score": score, "s": np.where(first, "one", "two")}
    if holes:
        for name, hole in (("job", None), ("score", math.nan)):
            rows[name][place == 9] = hole
    return rows | {
        "z": np.array(list("uv"))[number % 3 % 2],
        "w": np.array(list("kl"))[number // 7 % 2],
    }


def planned(rows: Any, column: str, goal: pf.Guarantee = GOAL, **asked: Any) -> Any:
    known = asked.get("keep", [])
    beliefs = pf.fit_beliefs(
        rows,
        columns=[column],
        secret="s",
        families=("empirical",),
        min_group=1,
        **({"known": known} if known else {}),
    )
    calibration = pf.calibrate(pf.Scenario(beliefs), goal, **{**MAP, **asked})
    more = {"missing": "keep"} if column == "score" else {}
    return pf.Plan(calibration=calibration, columns=[column], secret="s", keep=known, **more)


# A missing value.


@pytest.mark.parametrize("keep", [[], ["z"]])
@pytest.mark.parametrize("column", ["job", "score"])
@pytest.mark.parametrize("holes", [False, True])
def test_a_missing_value_is_recoded_where_the_map_has_one(
    column: str, holes: bool, keep: list[str]
) -> None:
    rows = table(holes)
    plan = planned(rows, column, **({"keep": keep} if keep else {}))
    record = pf.release(rows, plan).record
    said = "A missing value" in record.words["promise"]
    assert said == holes == any(pd.isna(each) for each in rows[column])
    assert record.to_dict("public")["recode"].get("missing", False) == holes
    # The floor of another map protects values, and holes only where there are some.
    floored = planned(rows, column, floor=0.5, **({"keep": keep} if keep else {}))
    text = " ".join(pf.release(rows, floored).record.words["not_promised"])
    assert ("Whether a value is missing is protected only" in text) == holes


# A floor.


@pytest.mark.parametrize("floor", [None, 0.9])
@pytest.mark.parametrize("keep", [[], ["z"]])
def test_a_floor_of_categories_is_stated(floor: float | None, keep: list[str]) -> None:
    rows = table()
    plan = planned(rows, "job", floor=floor, **({"keep": keep} if keep else {}))
    laws = [part.mechanism for part in plan.calibration.parts or (plan.calibration,)]
    # By the numbers of the map: no two rows differ by more than e^κ, or some do without bound.
    matrices = [law.matrix for law in laws]
    with np.errstate(divide="ignore"):
        most = max(float((m.max(axis=0) / m.min(axis=0)).max()) for m in matrices)
    assert (most <= math.exp(0.9) * (1 + 1e-9)) == (floor is not None)
    record = pf.release(rows, plan).record
    for edition in ("internal", "public"):
        document = record.to_dict(edition)
        text = " ".join([*document["headline"], document["promise"]])
        assert ("without a floor" in text) == (floor is None)
        assert ("floor of 0.9" in text) == (floor is not None)
    parts = plan.calibration.parts or (plan.calibration,)
    for part in parts:
        assert ("there is no floor" in str(part.explain())) == (floor is None)


# Labels that no row has.


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_categories_of_known_columns_are_those_of_published_rows(kind: str) -> None:
    rows = table()
    frame = pd.DataFrame(rows)
    order = ["hidden name", "v", "u"]
    frame["z"] = pd.Categorical(frame["z"], categories=order, ordered=True)
    given: Any = frame
    if kind != "pandas":
        given = pl.from_pandas(frame.assign(z=frame["z"].astype(str)))
        given = given.with_columns(pl.col("z").cast(pl.Enum(order)))
    if kind == "arrow":
        given = given.to_arrow()
    done = pf.release(given, planned(given, "job", keep=["z"])).frame
    plain = pl.from_arrow(done).to_pandas() if kind == "arrow" else done
    column = plain["z"] if kind != "polars" else plain["z"].to_pandas()
    assert sorted(column.astype(str).unique()) == ["u", "v"]
    if kind == "pandas":
        assert list(column.cat.categories) == ["v", "u"]
        assert column.cat.ordered
    if kind == "polars":
        assert done["z"].dtype.categories.to_list() == ["v", "u"]
    if kind == "arrow":
        found = done["z"].combine_chunks()
        assert "hidden name" not in str(getattr(found, "dictionary", found))


# An audit.


def test_an_audit_takes_a_plan_that_leaves_a_stratum_as_it_is() -> None:
    """Where z = v the job tells nothing, so nothing has to change there."""
    rows = table()
    there = rows["z"] == "v"
    rows["job"][there] = np.resize(list("pq"), there.sum())
    for secret in ("one", "two"):
        mine = there & (rows["s"] == secret)
        rows["job"][mine] = np.resize(list("pq"), mine.sum())
    plan = planned(rows, "job", keep=["z"])
    strata = plan.calibration.strata
    assert strata["v"].mechanism.identity
    assert not strata["u"].mechanism.identity
    found = audit(plan.mechanism, plan.scenario, plan.promise, draws=20_000, seed=3)
    assert found.verdict == "consistent"


# Another table.

NAMES: list[dict[str, Any]] = [
    {"column": "score", "secret": "s"},
    {"columns": ["score"], "secret": "s"},
    {"columns": ["score"], "secret": ["s"]},
]


@pytest.mark.parametrize("cap", [None, (1.0, 3.0)])
@pytest.mark.parametrize("by_plan", NAMES)
@pytest.mark.parametrize("by_fit", NAMES)
def test_a_table_is_known_again_however_its_columns_are_named(
    by_fit: dict[str, Any], by_plan: dict[str, Any], cap: Any
) -> None:
    rows = table()
    beliefs = pf.fit_beliefs(rows, families=("empirical",), cap=cap, **by_fit)
    plan = pf.Plan(calibration=pf.calibrate(pf.Scenario(beliefs), GOAL), cap=cap, **by_plan)
    assert isinstance(plan, TablePlan) == ("columns" in by_plan)
    assert pf.release(rows, plan).record.beliefs_from == "this table"
    again = type(plan).from_dict(plan.to_dict())
    # One row less, and one value that changed.
    other = rows | {"score": np.where(np.arange(ROWS) == 4, 2.0, rows["score"])}
    assert (other["score"] != rows["score"]).sum() == 1
    for changed in (other, {name: each[1:] for name, each in rows.items()}):
        with pytest.raises(pf.DataError, match="another table"):
            pf.release(changed, again)


@pytest.mark.parametrize("column", ["job", "score"])
def test_known_columns_may_come_in_any_order(column: str) -> None:
    rows = table()
    plans = {}
    for fitted, kept in ((["z", "w"], ["w", "z"]), (["w", "z"], ["w", "z"])):
        beliefs = pf.fit_beliefs(
            rows, columns=[column], secret="s", known=fitted, families=("empirical",), min_group=1
        )
        calibration = pf.calibrate(pf.Scenario(beliefs), GOAL, keep=kept, **MAP)
        plan = pf.Plan(calibration=calibration, columns=[column], secret="s", keep=kept)
        record = pf.release(rows, plan).record
        assert record.beliefs_from == "this table"
        plans[tuple(fitted)] = {each.fitted_on for each in beliefs}
    assert plans["z", "w"] == plans["w", "z"]
    # Columns that are exchanged with all their entries are another table.
    swapped = rows | {"z": rows["w"], "w": rows["z"]}
    with pytest.raises(pf.DataError):
        pf.release(swapped, plan)


# Chance.


def test_what_known_columns_say_is_about_secrets_that_are_equally_likely() -> None:
    """With 9 of 10 rows of one secret, a guess is right in 90% of rows, not in 50%."""
    rows = table()
    rare = np.arange(ROWS) % 20 < 2
    some = {name: each[(rows["s"] == "one") | rare] for name, each in rows.items()}
    share = float((some["s"] == "one").mean())
    assert share > 0.8
    record = pf.release(some, planned(some, "job", keep=["z"])).record
    found = record.known_says
    laws = [
        np.array([np.mean(some["z"][some["s"] == secret] == z) for z in "uv"])
        for secret in ("one", "two")
    ]
    exact = 50 * float(np.maximum(*laws).sum())
    assert found.found_percent == max(math.ceil(exact - 1e-9), 50)
    (said,) = [each for each in record.words["headline"] if "by guessing" in each]
    assert f"{found.found_percent}% of rows, if half are of each (50% by guessing)" in said


@pytest.mark.parametrize("column", ["job", "score"])
def test_what_a_learner_finds_is_about_secrets_that_are_equally_likely(column: str) -> None:
    rows = table()
    secret = {"columns": [column]} if column == "job" else {"column": column}
    beliefs = pf.fit_beliefs(rows, secret="s", families=("empirical",), **secret)
    calibration = pf.calibrate(pf.Scenario(beliefs), GOAL, **MAP)
    plan = pf.Plan(calibration=calibration, secret="s", keep_unprotected=["w"], **secret)
    record = pf.release(rows, plan).record
    (said,) = [each for each in record.words["headline"] if "by guessing" in each]
    assert "% of rows it has not seen, if half are of each (50% by guessing)" in said


# Repeats.


def test_why_repeats_are_refused() -> None:
    """The distance of values is bounded here; what has no price is the hole of one secret."""
    laws = {
        "one": pf.Discrete([0, 1], counts=[40, 60]),
        "two": pf.Discrete([0, 1], counts=[50, 50]),
    }
    with_hole = pf.Belief(laws, missing={"one": 0.1})
    found = pf.calibrate(pf.Scenario(with_hole), pf.Guarantee(1.0, 0.2), size=2.0)
    assert found.composable is None
    text = " ".join(str(found.explain()).split())
    assert "no bound is known for the distance" not in text
    assert "what a missing value says by itself has no bound that adds up" in text
    # Without the hole there is a price.
    assert pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0, 0.2), size=2.0).composable


def test_a_cap_bounds_the_distance() -> None:
    laws = {"one": pf.Gaussian(1.0, 1.0), "two": pf.Gaussian(1.5, 2.0)}
    free, capped = (
        pf.calibrate(pf.Scenario(pf.Belief(laws, cap=cap)), pf.Guarantee(1.0))
        for cap in (None, (-3.0, 5.0))
    )
    for found, bounded in ((free, False), (capped, True)):
        assert found.composable is None
        text = " ".join(str(found.explain()).split())
        assert ("no bound is known for the distance" in text) != bounded
        assert ("A looser bound, which holds whatever anybody believes, adds up" in text) == bounded


# What a public record says of private data.


def test_the_threat_model_lists_the_share_that_the_table_chose() -> None:
    page = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
    section = page.split("## What the public record says")[1].split("\n## ")[0]
    (row,) = [line for line in section.splitlines() if "`recode.wrong`" in line]
    entry, depends, _ = row.strip("| ").split(" | ")
    assert "--held-out" in entry
    assert depends == "yes"
    rows = table()
    beliefs = pf.fit_beliefs(rows, columns=["job"], secret="s")
    found = pf.calibrate(pf.Scenario(beliefs), GOAL, mechanism="recode", floor=None, wrong=0.02)
    chosen = replace(found, recode=replace(found.recode, wrong_of_table=True))
    record = pf.release(rows, pf.Plan(calibration=chosen, columns=["job"], secret="s")).record
    public = record.to_dict("public")
    assert public["recode"]["wrong"] == 0.02
    assert any("by looking at the table" in each for each in public["headline"])
