"""Tables on rows that were not used: categories, several columns, known ones."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish import datasets
from pufferfish.beliefs.labels import key_of

GOAL = pf.Guarantee(1.0)
BARE: dict[str, Any] = {"mechanism": "recode", "floor": None, "keep_histogram": False}
COLUMNS = ["education-num", "income"]


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return datasets.adult()


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    """Rows with many rare combinations, so that each half lacks some."""
    generator = np.random.default_rng(3)
    rows = 400
    secret = generator.choice(["a", "b"], rows)
    x = generator.geometric(0.2, rows) + (secret == "a")
    return {
        "x": np.array([f"x{each}" for each in x]),
        "y": generator.choice(["low", "high"], rows),
        "z": generator.choice(["u", "v"], rows),
        "s": secret,
    }


class Spy:
    """Calibrates, and keeps what it was given and what it found."""

    def __init__(self) -> None:
        self.found: list[pf.Calibration] = []

    def __call__(self, scenario: pf.Scenario, goal: pf.Guarantee, **asked: Any) -> pf.Calibration:
        self.found.append(pf.calibrate(scenario, goal, **asked))
        return self.found[-1]


def counted(belief: pf.Belief, secret: Any) -> Counter[Any]:
    law = belief.priors[secret]
    return Counter(dict(zip(map(key_of, law.values), np.asarray(law.counts).tolist(), strict=True)))


def epsilon_of(law: Any, laws: list[Counter[Any]]) -> float:
    """By plain sums, without anything of the library's."""
    places = {key_of(each): place for place, each in enumerate(law.values)}
    matrix = np.array(law.table, dtype=np.float64) / 2.0**62
    unseen = None if law.unseen is None else np.array(law.unseen, dtype=np.float64) / 2.0**62
    found = []
    for law_of in laws:
        total, output = 0, np.zeros(matrix.shape[1])
        for labels, count in law_of.items():
            row = matrix[places[labels]] if labels in places else unseen
            if row is not None:
                output += count * row
                total += count
        found.append(output / total)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [found[0] / found[1], found[1] / found[0]]
    return math.log(max(float(np.nanmax(each)) for each in ratios))


@pytest.mark.parametrize("asked", [{"wrong": 0.05}, {"nominal": True}], ids=str)
@pytest.mark.parametrize("keep", [(), ("z",)])
def test_the_other_half_is_judged_by_plain_sums(small, monkeypatch, asked, keep):
    beliefs = pf.fit_beliefs(
        small, columns=["x", "y"], secret="s", known=["z"], min_group=1, families=("empirical",)
    )
    spy = Spy()
    monkeypatch.setattr("pufferfish.insight.held_out.calibrate", spy)
    scenario = pf.Scenario(beliefs)
    found = pf.held_out(scenario, GOAL, splits=3, keep=list(keep), **asked, **BARE)
    whole = {key_of(tuple(each.given.values())): each for each in beliefs}
    unseen = 0
    for calibration, split in zip(spy.found, found.splits, strict=True):
        worst = 0.0
        for half in calibration.scenario.beliefs:
            law = calibration.mechanism
            if keep:
                law = calibration.strata[half.given].mechanism
            every = whole[key_of(tuple(half.given.values()))]
            other = [counted(every, each) - counted(half, each) for each in ("a", "b")]
            unseen += sum(bool({*each} - {*map(key_of, law.values)}) for each in other)
            worst = max(worst, epsilon_of(law, other))
        if math.isinf(worst):
            assert math.isinf(split.epsilon)
        else:
            assert split.epsilon == pytest.approx(worst, rel=1e-9)
        assert split.holds == (worst <= 1.0)
        assert 0.0 < split.unchanged <= 1.0
    assert unseen


def test_the_table_and_the_beliefs_count_the_same_rows(table):
    """Beliefs that were counted know all that is needed, other secrets and known columns too."""
    beliefs = pf.fit_beliefs(
        table, columns=COLUMNS, secret="race", known=["sex"], only=["Black", "White"]
    )
    scenario = pf.Scenario(beliefs)
    asked: dict[str, Any] = {"splits": 1, "wrong": 0.05, "keep": ["sex"], **BARE}
    one = pf.held_out(scenario, GOAL, **asked)
    other = pf.held_out(scenario, GOAL, counts=table, **asked)
    assert one.epsilon == pytest.approx(other.epsilon, abs=0.2)
    assert one.unchanged == pytest.approx(other.unchanged, abs=0.03)
    assert one.unchanged < 1.0


def test_without_slack_nothing_is_left_and_with_it_the_promise_holds(table):
    scenario = pf.Scenario(pf.fit_belief(table, column="occupation", secret="sex"))
    bare = pf.held_out(scenario, GOAL, splits=4, nominal=True, **BARE)
    slack = pf.wrong_that_holds(scenario, GOAL, share=0.5, **BARE)
    assert bare.held == 0
    assert 0.94 < bare.unchanged < 0.96
    assert 0.0 < slack.wrong < 0.05
    assert slack.share > 0.5
    assert slack.unchanged < bare.unchanged


def test_a_model_is_judged_by_what_occurs(small):
    """As if columns were independent: the other half says whether they are."""
    same = (small["s"] == "a") == (small["z"] == "u")
    data = {**small, "y": np.where(same, "low", "high")}
    beliefs = pf.fit_beliefs(data, columns=["y", "z"], secret="s", families=("independent",))
    scenario = pf.Scenario(beliefs)
    assert pf.calibrate(scenario, GOAL, wrong=0.01, **BARE).certificate.holds
    found = pf.held_out(scenario, GOAL, splits=2, counts=data, wrong=0.01, **BARE)
    assert found.held == 0
    assert found.epsilon > 2.0
    with pytest.raises(pf.InvalidInputError, match="give the table"):
        pf.held_out(scenario, GOAL, splits=2, wrong=0.01, **BARE)


def test_several_secrets_need_the_table(small):
    beliefs = pf.fit_beliefs(small, columns=["y"], secret=["s", "z"])
    scenario = pf.Scenario(beliefs)
    with pytest.raises(pf.InvalidInputError, match="give the table"):
        pf.held_out(scenario, GOAL, splits=1, wrong=0.05, **BARE)
    found = pf.held_out(scenario, GOAL, splits=2, counts=small, wrong=0.05, **BARE)
    assert found.held == 2
    joint = pf.fit_beliefs(small, columns=["y"], secret=["s", "z"], jointly=True)
    both = pf.held_out(pf.Scenario(joint), GOAL, splits=2, counts=small, wrong=0.05, **BARE)
    assert len(both.splits) == 2


def test_beliefs_of_ones_own():
    """Counts without names of columns."""
    laws = {
        "a": pf.Categorical([True, 1, None], counts=[500, 300, 20]),
        "b": pf.Categorical([True, 1, None], counts=[300, 400, 90]),
    }
    found = pf.held_out(pf.Scenario(pf.Belief(laws)), GOAL, splits=3, wrong=0.05, **BARE)
    assert found.held == 3
    free = {
        "a": pf.Categorical(["x", "y"], [0.5, 0.5]),
        "b": pf.Categorical(["x", "y"], [0.4, 0.6]),
    }
    with pytest.raises(pf.InvalidInputError, match="how many rows"):
        pf.held_out(pf.Scenario(pf.Belief(free)), GOAL, wrong=0.05, **BARE)
    counts = pf.Counts.from_counts(["a", "b"], [1, 2], [3, 4])
    with pytest.raises(pf.InvalidInputError, match="these counts are about one column"):
        pf.held_out(pf.Scenario(pf.Belief(laws)), GOAL, counts=counts, wrong=0.05, **BARE)


def test_numbers_given_what_is_known(table):
    beliefs = pf.fit_beliefs(
        table,
        column="education-num",
        secret="race",
        known=["sex"],
        only=["Black", "White"],
        families=("empirical",),
    )
    found = pf.held_out(pf.Scenario(beliefs), GOAL, splits=2, keep=["sex"])
    assert found.unchanged is None
    assert 0.3 < found.epsilon < 3.0
    assert 1.0 < found.rmse < 20.0
    recoded = pf.held_out(pf.Scenario(beliefs), GOAL, splits=1, keep=["sex"], wrong=0.05, **BARE)
    assert recoded.rmse < found.rmse
