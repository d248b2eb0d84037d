"""Audits of recodings: ours pass, and a table or a sampler that was tampered with does not."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.audits.recoded import check_table
from pufferfish.audits.subject import as_subject
from pufferfish.mechanisms import recoded as home
from pufferfish.recoding.law import Recoding
from tests import seams
from tests.audits.subjects import ADULT, failed
from tests.joint.test_rows import planned

TABLE_CHECK = "each value is replaced as the certified map says"
GOAL = pf.Guarantee(1.0)
DRAWS = 100_000
HOLED = pf.Scenario(
    pf.Belief(
        {
            "a": pf.Discrete.from_counts({1: 50, 2: 30, 3: 20}),
            "b": pf.Discrete.from_counts({1: 60, 3: 40}),
        },
        missing_counts={"a": 10, "b": 5},
    )
)
SMOOTH = pf.Scenario(
    pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.5, 1.2)}, provenance="public")
)
CASES: dict[str, tuple[pf.Scenario, pf.Guarantee, dict[str, Any]]] = {
    "listed": (ADULT, GOAL, {}),
    "wrong laws": (ADULT, GOAL, {"floor": None, "wrong": 0.05, "keep_histogram": False}),
    "noise first": (ADULT, pf.Guarantee(1.0, 0.01), {}),
    "holes": (HOLED, GOAL, {}),
    "bins": (SMOOTH, GOAL, {"edges": (-1.0, 0.0, 1.0, 2.0)}),
}


@cache
def calibrated(name: str) -> pf.Calibration:
    scenario, goal, asked = CASES[name]
    return pf.calibrate(scenario, goal, mechanism="recode", **asked)


def mechanism(name: str, seed: int = 1) -> pf.Mechanism:
    return pf.Mechanism.from_calibration(calibrated(name), entropy=pf.NotPrivateEntropy(seed))


def draw_from(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Give every recoding a sampler for another table than its own."""
    true = home.AliasTables.of
    changed = staticmethod(lambda table, bits: true(change(table.copy()), bits))
    monkeypatch.setattr(home.AliasTables, "of", changed)
    seams.found(seams.SAMPLERS_OF_MAPS).cache_clear()


@pytest.fixture(autouse=True)
def _fresh_samplers(monkeypatch: pytest.MonkeyPatch) -> Any:
    seams.put(monkeypatch, seams.ROWS_OF_A_RUN, 501)
    yield
    seams.found(seams.SAMPLERS_OF_MAPS).cache_clear()


@pytest.mark.parametrize("name", CASES)
def test_our_recodings_are_consistent(name: str) -> None:
    scenario, goal, _ = CASES[name]
    found = pf.audit(mechanism(name), scenario, goal, draws=DRAWS)
    assert found.verdict == "consistent", str(found)
    passed = {each.name: each.passed for each in found.checks}
    assert passed[TABLE_CHECK] is True
    assert passed["the last digits do not tell values apart"] is None
    assert found.power == ()
    assert 0.0 <= found.epsilon_lower <= goal.epsilon


def test_the_best_event_of_a_tight_map_is_found() -> None:
    """Without a floor some odds change by e^ε, and the attack comes close to it."""
    scenario, goal, _ = CASES["wrong laws"]
    asked: dict[str, Any] = {"floor": None, "nominal": True}
    found = pf.calibrate(scenario, goal, mechanism="recode", **asked)
    subject = pf.Mechanism.from_calibration(found, entropy=pf.NotPrivateEntropy(0))
    assert pf.audit(subject, scenario, goal, draws=400_000).epsilon_lower > 0.9


def swapped(table: Any) -> Any:
    """Two entries of one row, far apart."""
    table[8, [2, 8]] = table[8, [8, 2]]
    return table


def moved(table: Any) -> Any:
    """5% of a row goes to its neighbour."""
    part = table[8].max() // 20
    place = int(table[8].argmax())
    table[8, place] -= part
    table[8, place - 1] += part
    return table


@pytest.mark.parametrize("change", [swapped, moved])
def test_a_table_that_is_not_drawn_from_is_found(
    monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    draw_from(monkeypatch, change)
    found = pf.audit(mechanism("listed"), ADULT, GOAL, draws=1_000_000)
    assert TABLE_CHECK in failed(found.checks)
    assert found.verdict == "violated"


def test_a_map_that_publishes_the_values_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its odds change by more than is promised, as the attack on the pair shows as well."""
    draw_from(monkeypatch, lambda table: np.eye(len(table), dtype=np.int64) << 62)
    found = pf.audit(mechanism("listed"), ADULT, GOAL, draws=DRAWS)
    assert found.epsilon_lower > GOAL.epsilon
    (broken, *_) = [each for each in found.findings if each.breaks(GOAL)]
    assert "the published value is" in str(found)
    assert broken.epsilon_event.draws == DRAWS // 2


def test_what_the_map_does_not_publish_is_found() -> None:
    law = calibrated("listed").mechanism
    assert isinstance(law, Recoding)
    subject = as_subject(lambda values: values + 0.25)
    found = check_table(subject, law, 20_000, 1e-6)
    assert found.passed is False
    assert "not outputs of the recoding" in found.detail


def test_how_often_true_maps_are_accused() -> None:
    """At a level of 20%, of 100 audits at most 39 (wrong with probability 1e-5)."""
    law = calibrated("holes").mechanism
    assert isinstance(law, Recoding)
    alarms = [
        check_table(as_subject(mechanism("holes", seed)), law, 5_000, 0.2).passed is False
        for seed in range(100)
    ]
    assert sum(alarms) <= 39


def test_a_table_that_was_changed_by_hand_does_not_verify(tmp_path: Path) -> None:
    """Two entries of the plan's map swapped, also in the certificate; row sums are kept."""
    rows = np.repeat(["Black", "Asian-Pac-Islander"], 3_000)
    source = np.random.default_rng(0)
    table = {
        "x": np.where(
            rows == "Black", source.binomial(8, 0.4, 6_000), source.binomial(8, 0.6, 6_000)
        ),
        "s": rows,
    }
    belief = pf.fit_belief(table, column="x", secret="s", family="empirical")
    found = pf.calibrate(pf.Scenario(belief), GOAL, mechanism="recode")
    record = pf.release(table, pf.Plan(calibration=found, column="x", secret="s")).record
    place = tmp_path / "record.json"
    record.save(place, "internal")
    assert pf.verify_record(place).verdict is not False
    document = json.loads(place.read_text("utf-8"))
    for law in (document["plan"]["noise"], document["certificate"]["noise"]):
        words = law["rows"][4].split(" ")
        words[0], words[4] = words[4], words[0]
        law["rows"][4] = " ".join(words)
    place.write_text(json.dumps(document), "utf-8")
    assert pf.verify_record(place).verdict is False


@cache
def of_a_table() -> Any:
    asked = {"wrong": 0.001, "nominal": False}
    return planned(["size", "code"], keep=["sex"], goal=0.2, calibrate=asked)


@pytest.fixture
def fresh_samplers() -> Any:
    yield
    seams.found(seams.SAMPLERS_OF_MAPS).cache_clear()


def test_a_table() -> None:
    found = pf.audit(
        of_a_table().mechanism, of_a_table().scenario, of_a_table().promise, draws=40_000
    )
    assert found.verdict == "consistent"
    assert len({each.belief for each in found.findings}) == 2
    tables = [each for each in found.checks if "as the certified map says" in each.name]
    assert [each.passed for each in tables] == [True, True]


def test_one_stratum() -> None:
    part = of_a_table().calibration.strata["f"]
    mechanism = pf.Mechanism.from_calibration(part)
    found = pf.audit(mechanism, part.scenario, of_a_table().promise, draws=40_000)
    assert found.verdict == "consistent"


def test_a_map_that_is_a_tenth_off(monkeypatch: pytest.MonkeyPatch, fresh_samplers: Any) -> None:
    """Of what leaves each value a tenth stays."""

    def less(table: Any) -> Any:
        every, most = range(len(table)), table.argmax(axis=1)
        moved = table // 10
        moved[every, most] = 0
        table -= moved
        table[every, most] += moved.sum(axis=1)
        return table

    draw_from(monkeypatch, less)
    found = pf.audit(
        of_a_table().mechanism, of_a_table().scenario, of_a_table().promise, draws=400_000
    )
    assert found.verdict == "violated"


def test_categories_have_no_average_and_are_named_as_such() -> None:
    """Their places are no numbers: an error of 68.8 places says nothing."""
    laws = {
        "a": pf.Categorical(["x", "y", "z"], counts=[5, 3, 2]),
        "b": pf.Categorical(["x", "y", "z"], counts=[2, 3, 5]),
    }
    scenario = pf.Scenario(pf.Belief(laws, columns=["c"], provenance="public"))
    found = pf.calibrate(scenario, pf.Guarantee(0.5), mechanism="recode")
    drawn = pf.Mechanism.from_calibration(found, entropy=pf.NotPrivateEntropy(1))
    checks = {each.name: each for each in pf.audit(drawn, scenario, GOAL, draws=DRAWS).checks}
    assert "the average of many runs" not in checks
    assert "every row of every run is drawn afresh" in checks
    assert "category no. " in checks[TABLE_CHECK].detail
