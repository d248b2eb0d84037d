"""Tables: strata with laws of their own, categories, several secrets, undescribed rows."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from html import unescape
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.noise import Stratified
from pufferfish.report import report
from tests.joint_judge import log_of

GOAL = pf.Guarantee(0.5)
QUICK: dict[str, Any] = {"resamples": 0, "splits": 0, "learner": False, "answers": False}
NAMES = np.array(["a", "b", "c"])


def table(rows: int = 6_000, seed: int = 3) -> dict[str, Any]:
    """Two categories that depend on the secret, and more so given a third column."""
    draws = np.random.default_rng(seed)
    secret = draws.integers(0, 2, rows)
    known = draws.integers(0, 2, rows)
    third = draws.integers(0, 2, rows)
    lean = 0.1 + 0.2 * secret * (1 + 2 * third)
    first = (draws.random(rows) < lean).astype(int) + (draws.random(rows) < 0.3)
    second = (draws.random(rows) < 0.4 + 0.1 * secret * known).astype(int)
    return {
        "first": NAMES[first],
        "second": NAMES[second],
        "s": np.array(["n", "y"])[secret],
        "t": np.array(["l", "r"])[draws.integers(0, 2, rows)],
        "known": NAMES[known],
        "third": NAMES[third],
    }


def plan_of(data: dict[str, Any], **how: Any) -> pf.Plan:
    known, keep = how.pop("known", []), how.pop("keep", [])
    secret = how.pop("secret", "s")
    beliefs = pf.fit_beliefs(
        data, columns=["first", "second"], secret=secret, known=[*known, *keep]
    )
    found = pf.calibrate(pf.Scenario(beliefs), GOAL, mechanism="recode", keep=keep, **how)
    names = {"columns": ["first", "second"], "secret": secret, "keep": keep, "known": known}
    return pf.Plan(calibration=found, **names)


def independent(data: dict[str, Any], plan: pf.Plan, known: list[str], keep: list[str]) -> float:
    """ε for somebody who knows these columns, in fractions, from the rows themselves."""
    law = plan.calibration.mechanism
    worst = 0.0
    keys = sorted({*zip(*(data[name] for name in known), strict=True)})
    for values in keys:
        given = dict(zip(known, values, strict=True))
        one: Any = law
        if isinstance(law, Stratified):
            place = law.place_of({name: given[name] for name in keep})
            assert place is not None
            one = law.strata[place].law
        rows = [
            (first, second)
            for first, second, *own in zip(
                data["first"], data["second"], *(data[name] for name in known), strict=True
            )
            if tuple(own) == values
        ]
        secrets = [
            secret
            for secret, *own in zip(data["s"], *(data[name] for name in known), strict=True)
            if tuple(own) == values
        ]
        total = Counter(secrets)
        place_of = {value: number for number, value in enumerate(one.values)}
        laws = {}
        for wanted in ("n", "y"):
            published = [0] * len(one.outputs)
            for row, secret in zip(rows, secrets, strict=True):
                if secret == wanted:
                    for y, weight in enumerate(one.table[place_of[row]].tolist()):
                        published[y] += weight
            laws[wanted] = published
        for a, b in (("n", "y"), ("y", "n")):
            for top, bottom in zip(laws[a], laws[b], strict=True):
                if top:
                    assert bottom
                    ratio = Fraction(top * total[b], bottom * total[a])
                    worst = max(worst, log_of(ratio))
    return worst


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return table()


@pytest.mark.parametrize("keep", [[], ["known"]])
def test_another_column_by_rows_and_fractions(data: dict[str, Any], keep: list[str]) -> None:
    plan = plan_of(data, wrong=0.005, keep=keep)
    found = pf.stress(plan, data, columns=["third"], **QUICK)
    expected = independent(data, plan, [*keep, "third"], keep)
    case = found.knowing("third")
    assert case.strata == 2 * (2 if keep else 1)
    assert case.epsilon == pytest.approx(expected, rel=1e-9)
    assert case.holds is (expected <= 0.5)


def test_the_worst_of_those_who_know_some(data: dict[str, Any]) -> None:
    """A known column that is not published: with it, and without it."""
    plan = plan_of(data, wrong=0.005, known=["known"])
    case = pf.stress(plan, data, columns=["third"], **QUICK).knowing("third")
    both = independent(data, plan, ["known", "third"], [])
    alone = independent(data, plan, ["third"], [])
    assert case.epsilon == pytest.approx(max(both, alone), rel=1e-9)


def test_those_who_know_less_may_learn_more() -> None:
    """Given both columns nothing is left to tell; given the third alone, the secret shows."""
    draws = np.random.default_rng(4)
    secret, third, second = draws.integers(0, 2, (3, 6_000))
    known = secret ^ third ^ (draws.random(6_000) < 0.1)
    data = {
        "first": NAMES[known],
        "second": NAMES[second],
        "s": np.array(["n", "y"])[secret],
        "known": NAMES[known],
        "third": NAMES[third],
    }
    plan = plan_of(data, wrong=0.005, known=["known"])
    case = pf.stress(plan, data, columns=["third"], **QUICK).knowing("third")
    both = independent(data, plan, ["known", "third"], [])
    alone = independent(data, plan, ["third"], [])
    assert alone > both + 0.5
    assert case.epsilon == pytest.approx(alone, rel=1e-9)
    assert case.strata == 6


def test_several_secrets_each_by_itself(data: dict[str, Any]) -> None:
    plan = plan_of(data, wrong=0.01, secret=["s", "t"])
    case = pf.stress(plan, data, columns=["third"], **QUICK).knowing("third")
    assert case.epsilon is not None
    assert case.pair is not None
    # Only `s` depends on the third column: its pair is what decides.
    assert all(str(each).startswith("s = ") for each in case.pair)
    alone = independent(data, plan, ["third"], [])
    assert case.epsilon == pytest.approx(alone, rel=1e-9)


def test_rows_of_an_earlier_table_that_nobody_described(data: dict[str, Any]) -> None:
    odd = {name: np.array(list(column)) for name, column in data.items()}
    odd["first"] = np.where(np.arange(6_000) < 60, "z", odd["first"])
    with_row = plan_of(data, wrong=0.02)
    case = pf.stress(with_row, data, columns=[], earlier=odd, **QUICK).of("earlier")[0]
    assert case.refused_share == 0.0
    without = plan_of(data, nominal=True)
    case = pf.stress(without, data, columns=[], earlier=odd, **QUICK).of("earlier")[0]
    assert case.refused_share == pytest.approx(0.01)


def test_all_but_one_entry(data: dict[str, Any]) -> None:
    plan = plan_of(data, wrong=0.01)
    law: Any = plan.calibration.mechanism
    worst = 0.0
    for a, left in enumerate(law.values):
        for b, right in enumerate(law.values):
            if sum(x != y for x, y in zip(left, right, strict=True)) == 1:
                for top, bottom in zip(law.table[a].tolist(), law.table[b].tolist(), strict=True):
                    if top:
                        worst = max(worst, math.log(top / bottom) if bottom else math.inf)
    case = pf.stress(plan, data, columns=[], **QUICK).of("value")[0]
    assert case.epsilon == pytest.approx(worst, rel=1e-9)


def test_learner_population_and_splits(data: dict[str, Any]) -> None:
    plan = plan_of(data, wrong=0.01, keep=["known"])
    how = {"resamples": 5, "splits": 1, "answers": True, "seconds": 120.0}
    found = pf.stress(plan, data, columns=["third"], **how)
    (learned,) = found.of("learner")
    assert learned.guess is not None
    assert learned.without is not None
    assert learned.guess <= (learned.before or 0.0) + 0.05
    assert found.of("population")[0].spread is not None
    assert found.of("splits")[0].spread is not None
    case = found.knowing("third")
    assert case.holds is False
    assert case.answer is not None
    assert case.answer.option == "--known third"
    assert case.answer.rmse is not None
    assert case.answer.rmse > found.rmse


@pytest.fixture(scope="module")
def rare() -> dict[str, Any]:
    """Two rows of a secret among those of which b is known: resamples and halves may have none."""
    rows = [("a", "b")[number % 2] for number in range(200)]
    first = [("x", "y", "z")[number // 2 % 3] for number in range(200)]
    secret = ["n" if known == "b" else "ny"[number // 2 % 2] for number, known in enumerate(rows)]
    secret[1] = secret[3] = "y"
    return {"first": np.array(first), "s": np.array(secret), "known": np.array(rows)}


def rare_plan(data: dict[str, Any], **how: Any) -> pf.Plan:
    beliefs = pf.fit_beliefs(data, columns=["first"], secret="s", known=["known"], min_group=1)
    found = pf.calibrate(pf.Scenario(beliefs), GOAL, mechanism="recode", wrong=0.01, **how)
    keep = how.get("keep", [])
    return pf.Plan(calibration=found, columns=["first"], secret="s", known=["known"], keep=keep)


@pytest.mark.parametrize("keep", [[], ["known"]])
def test_strata_that_lose_a_secret_in_a_resample_are_counted(
    rare: dict[str, Any], keep: list[str]
) -> None:
    how = {**QUICK, "resamples": 40}
    plan = rare_plan(rare, keep=keep)
    found = pf.stress(plan, rare, columns=[], **how)
    (case,) = found.of("population")
    # The same seed draws the same resamples; how many lose the secret is counted by hand.
    cells = sorted(Counter(zip(rare["first"], rare["s"], rare["known"], strict=True)).items())
    chances = np.array([count for _, count in cells]) / 200
    draws = np.random.default_rng(0).multinomial(200, chances, 40)
    mine = [place for place, (cell, _) in enumerate(cells) if cell[1:] == ("y", "b")]
    others = [place for place, (cell, _) in enumerate(cells) if cell[1:] == ("n", "b")]
    lost = draws[:, mine].sum(axis=1) == 0
    assert 0 < lost.sum() < 40
    assert case.small == lost.sum()
    # Those who know the column, and, where it is not kept, those who do not.
    assert case.strata == 40 * (2 if keep else 3)
    assert case.small_share == pytest.approx(
        draws[lost][:, others].sum() / (40 * 200 * (1 if keep else 2))
    )
    said = f"in {case.small} of {case.strata} strata of the resamples a secret has no row"
    assert said in str(found)
    assert found.to_dict()["cases"][found.cases.index(case)]["strata_small"] == case.small
    assert said in unescape(report(pf.release(rare, plan).record, stress=found))


def test_splits_without_a_secret_are_counted(rare: dict[str, Any]) -> None:
    """The two rows are in one half with a probability of a half."""
    found = pf.stress(rare_plan(rare), rare, columns=[], **{**QUICK, "splits": 8})
    (case,) = found.of("splits")
    assert case.spread is not None
    assert 0 < case.small < 8
    assert case.spread.samples == 8 - case.small
    said = f"{case.small} of 8 splits could not judge, because a half had no row of some secret"
    assert said in str(found)
    assert case.small_share == case.small / 8


def test_noise_by_known_values() -> None:
    draws = np.random.default_rng(8)
    rows = 4_000
    secret, known, third = draws.integers(0, 2, (3, rows))
    data = {
        "x": (draws.integers(0, 6, rows) + secret * (1 + third)).astype(float),
        "s": np.array(["n", "y"])[secret],
        "known": NAMES[known],
        "third": NAMES[third],
    }
    beliefs = pf.fit_beliefs(data, "x", "s", ["empirical"], known=["known"])
    found = pf.calibrate(pf.Scenario(beliefs), GOAL, keep=["known"])
    plan = pf.Plan(calibration=found, column="x", secret="s", keep=["known"])
    made = pf.stress(
        plan,
        data,
        columns=["third"],
        **{**QUICK, "learner": True, "answers": True, "seconds": 3600.0},
    )
    assert made.of("table")[0].holds is True
    case = made.knowing("third")
    assert case.strata == 4
    assert case.holds is False
    assert case.answer is not None
    assert (case.answer.rmse or 0.0) > made.rmse
    assert made.of("learner")[0].guess is not None


def test_missing_values_and_caps() -> None:
    draws = np.random.default_rng(9)
    rows = 3_000
    secret, third = draws.integers(0, 2, (2, rows))
    values = (draws.integers(0, 30, rows) + secret * third).astype(float)
    values[draws.random(rows) < 0.05] = np.nan
    data = {"x": values, "s": np.array(["n", "y"])[secret], "third": NAMES[third]}
    counts = pf.summarise(data, column="x", secret="s")
    kept = pf.Scenario(pf.fit_belief(counts.capped(5.0, 25.0), family="empirical"))
    goal = pf.Guarantee(0.2)
    plan = pf.Plan(
        calibration=pf.calibrate(kept, goal), column="x", secret="s", missing="keep", cap=(5, 25)
    )
    found = pf.stress(plan, data, **{**QUICK, "learner": True})
    assert found.of("table")[0].holds is True
    dropped = pf.Scenario(pf.fit_belief(counts.without_missing(), family="empirical"))
    plan = pf.Plan(calibration=pf.calibrate(dropped, goal), column="x", secret="s", missing="drop")
    found = pf.stress(plan, data, **{**QUICK, "learner": True, "resamples": 3, "splits": 1})
    assert found.of("table")[0].holds is True
    plan = pf.Plan(calibration=pf.calibrate(dropped, goal), column="x", secret="s")
    with pytest.raises(pf.DataError, match="missing values, and the plan refuses them"):
        pf.stress(plan, data, **QUICK)
