"""Said before a release, and in no record: weak promises, stopped searches, large errors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.cli.warned import warnings_of
from tests.cli.conftest import Typed

RELEASE = ("release", "t.csv", "-c", "x", "-s", "s", "-o", "out.csv", "--no-stress", "--json")


def said_of(plan: pf.Plan) -> str:
    return " ".join(warnings_of(plan, None))


@pytest.fixture(scope="module")
def recoded() -> pf.Plan:
    table = pf.datasets.adult_education()
    counts = pf.summarise(table, column="education-num", secret="race")
    belief = pf.fit_belief(counts, family="empirical")
    scenario = pf.Scenario(belief, pairs=[("Black", "White")])
    return pf.Plan(
        calibration=pf.calibrate(scenario, pf.Guarantee(1.0), mechanism="recode", wrong=0.01),
        column="education-num",
        secret="race",
    )


def test_a_good_plan_has_no_warning(recoded: pf.Plan) -> None:
    recode = recoded.calibration.recode
    assert recode is not None
    assert recode.rmse < recode.constant_rmse
    assert warnings_of(recoded, None) == ()


def test_a_search_that_was_stopped_is_told(recoded: pf.Plan) -> None:
    recode = recoded.calibration.recode
    assert recode is not None
    for share, told in ((0.0, True), (0.9, True), (0.99, False)):
        stopped = replace(recode, least_loss=share * recode.mean_loss)
        plan = replace(recoded, calibration=replace(recoded.calibration, recode=stopped))
        assert ("stopped before its end" in said_of(plan)) == told


def test_an_error_above_that_of_a_constant_is_told() -> None:
    table = pf.datasets.adult_education()
    counts = pf.summarise(table, column="education-num", secret="race")
    scenario = pf.Scenario(pf.fit_belief(counts, family="empirical"), pairs=[("Black", "White")])
    goal = pf.Guarantee(0.01)
    for calibration, words in (
        (pf.calibrate(scenario, goal), "no smaller than the spread of the column"),
        (
            pf.calibrate(scenario, goal, mechanism="recode", floor=None, wrong=0.05),
            "useful for its distribution, and not row by row",
        ),
    ):
        plan = pf.Plan(calibration=calibration, column="education-num", secret="race")
        assert words in said_of(plan)


def test_with_known_columns_the_error_of_noise_is_compared_with_the_whole_column() -> None:
    table = pf.datasets.adult()
    columns = {"columns": ["education-num"], "secret": "race", "known": ["sex"]}
    beliefs = pf.fit_beliefs(table, **columns, families=["empirical"])
    scenario = pf.Scenario(beliefs, pairs=[("Black", "White")])
    for epsilon, told in ((0.1, True), (0.9, False)):
        plan = pf.Plan(calibration=pf.calibrate(scenario, pf.Guarantee(epsilon)), **columns)
        assert ("(std 2.573)" in said_of(plan)) == told


@pytest.mark.parametrize(("epsilon", "told"), [("5", False), ("7", True)])
def test_a_weak_promise_is_told_and_stands_in_no_record(
    typed: Typed, folder: Path, epsilon: str, told: bool
) -> None:
    done = typed(*RELEASE, "-e", epsilon)
    assert done.code == 0
    assert any("protects little" in text for text in done.json["headline"]) == told
    for edition in ("record", "public"):
        record = json.loads((folder / f"out.csv.{edition}.json").read_text(encoding="utf-8"))
        assert "protects little" not in json.dumps(record, ensure_ascii=False)
