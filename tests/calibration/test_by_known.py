"""One law for each value of the known columns that are published."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.calibration.by_known import publish_any, recertify_any, seen_by_all
from pufferfish.calibration.recode import check_figures
from pufferfish.noise import Stratified
from tests.calibration.labelled import CELLS, Table, belief, judged, label_of, scenario, tables

GOAL = pf.Guarantee(1.0)


def kept(given: pf.Scenario, goal: pf.Guarantee = GOAL, **asked: Any) -> pf.Calibration:
    asked = {"nominal": not asked.get("wrong"), "keep": ["z"], **asked}
    return pf.calibrate(given, goal, mechanism="recode", **asked)


@settings(max_examples=30)
@given(
    table=tables(strata=3),
    epsilon=st.floats(0.1, 2.0),
    delta=st.sampled_from([0.0, 0.05]),
    wrong=st.sampled_from([0.0, 0.1]),
)
def test_every_stratum_keeps_the_promise_as_if_it_were_alone(
    table: Table, epsilon: float, delta: float, wrong: float
) -> None:
    given = scenario(table)
    found = kept(given, pf.Guarantee(epsilon, delta), wrong=wrong, loss="changed")
    assert isinstance(found.mechanism, Stratified)
    assert found.certified
    assert all(each.keeps(epsilon, delta) for each in judged(found, table, wrong=wrong))
    assert len(found.strata) == len(table)
    for z, laws in table.items():
        part = found.strata[label_of(z)]
        assert [each.given["z"] for each in part.scenario.beliefs] == [label_of(z)]
        single = pf.Scenario(belief(laws, CELLS, z=label_of(z)))
        alone = kept(single, found.goal, wrong=wrong, loss="changed")
        theirs, mine = alone.parts[0].recode, part.recode
        assert theirs is not None
        assert mine is not None
        assert mine.mean_loss == pytest.approx(theirs.mean_loss, rel=1e-5, abs=1e-6)
        assert part.certificate.epsilon_upper <= found.certificate.epsilon_upper
    assert found.certificate.epsilon_upper == max(
        part.certificate.epsilon_upper for part in found.parts
    )
    check_figures(found)
    assert found.explain()


def test_figures_are_those_of_all_rows() -> None:
    table: Table = {
        "True": {"s": [9, 1, 0], "t": [1, 9, 0]},
        "1": {"s": [50, 50, 50], "t": [50, 50, 50]},
    }
    found = kept(scenario(table), keep_histogram=False)
    one, other = (part.recode for part in found.parts)
    assert one is not None
    assert other is not None
    assert other.unchanged == 1.0
    assert found.recode is not None
    assert found.recode.unchanged == pytest.approx((20 * one.unchanged + 300) / 320)


def numbers(table: dict[str, list[list[int]]], values: list[Any]) -> pf.Scenario:
    beliefs = []
    for z, laws in table.items():
        whole = [sum(each) for each in zip(*laws, strict=True)]
        beliefs.append(
            pf.Belief(
                {s: pf.Categorical(values, counts=law) for s, law in zip("st", laws, strict=True)},
                name=z,
                columns=["n", "c"],
                given={"z": z},
                frequencies=pf.Categorical(values, counts=whole),
            )
        )
    return pf.Scenario(beliefs)


def test_stds_are_those_of_all_rows_in_every_stratum() -> None:
    """A stratum in which a number hardly varies must not blow up its errors."""
    values = [(0, "x"), (1, "x"), (100, "y")]
    given = numbers({"a": [[5, 4, 0], [4, 5, 0]], "b": [[0, 2, 8], [0, 4, 6]]}, values)
    found = kept(given, pf.Guarantee(0.1), keep_histogram=False)
    parts = [part.recode.parts[0] for part in found.parts if part.recode is not None]
    # 9 rows of 0, 9 + 6 rows of 1, 14 rows of 100.
    mean = (15 + 1400) / 38
    std = ((9 * mean**2 + 15 * (mean - 1) ** 2 + 14 * (mean - 100) ** 2) / 38) ** 0.5
    assert [each.std for each in parts] == pytest.approx([std, std])
    check_figures(found)


def test_true_one_and_text_are_three_strata() -> None:
    table: Table = {z: {"s": [5, 4], "t": [4, 5]} for z in ("True", "1", "'1'")}
    found = kept(scenario(table))
    assert len(found.strata) == 3
    assert found.strata[True] is found.parts[0]
    assert found.strata[1] is found.parts[1]
    assert found.strata["1"] is found.parts[2]
    again = pickle.loads(pickle.dumps(found))
    assert again.mechanism == found.mechanism
    assert again.strata[1].certificate == found.parts[1].certificate


def test_a_promise_only_to_those_who_know_more_is_none() -> None:
    """Those who know z and y are promised something; readers of the file know z alone."""
    one, other = ({"s": [9, 1], "t": [1, 9]}, {"s": [1, 9], "t": [9, 1]})
    more = [belief(one, CELLS, z="a", y="b"), belief(other, CELLS, z="a", y="c")]
    with pytest.raises(pf.InvalidInputError, match="knows further columns"):
        kept(pf.Scenario(more))
    alone = belief({"s": [10, 10], "t": [10, 10]}, CELLS, z="a")
    assert kept(pf.Scenario([*more, alone])).certified
    # Published both, each has a law of its own.
    assert len(kept(pf.Scenario(more), keep=["z", "y"]).strata) == 2


def test_who_does_not_know_what_is_published_does_not_exist() -> None:
    given = scenario({"True": {"s": [5, 4], "t": [4, 5]}})
    found = kept(given)
    assert [each.given for each in found.scenario.beliefs] == [{"z": True}]
    with pytest.raises(pf.InvalidInputError, match="no described adversary does"):
        kept(given, keep=["other"])
    with pytest.raises(pf.InvalidInputError, match="no described adversary does"):
        seen_by_all(given, ["z", "other"])


def test_noise_by_known_values() -> None:
    def of(mean: float, **given: str) -> pf.Belief:
        return pf.Belief(
            {"s": pf.Gaussian(0, 1), "t": pf.Gaussian(mean, 1)}, name=str(given), given=given
        )

    given = pf.Scenario([of(1.5), of(1.0, z="near"), of(2.0, z="far")])
    goal = pf.Guarantee(1.0, 0.01)
    found = pf.calibrate(given, goal, keep=["z"])
    for z, mean in (("near", 1.0), ("far", 2.0)):
        alone = pf.calibrate(pf.Scenario(of(mean)), goal)
        assert found.strata[z].noise == alone.noise
    shown = publish_any(found, "ladder")
    assert [part.noise for part in shown.parts] == [
        pf.calibrate(pf.Scenario(of(mean)), goal, rounding="ladder").noise for mean in (1.0, 2.0)
    ]
    assert shown.certified


def test_what_was_written_is_certified_again() -> None:
    table: Table = {"True": {"s": [5, 4, 1], "t": [4, 5, 2]}, "1": {"s": [2, 4], "t": [4, 2]}}
    table["1"] = {s: [*law, 1] for s, law in table["1"].items()}
    found = kept(scenario(table), wrong=0.05)
    said = [part.recode for part in found.parts if part.recode is not None]

    def again(law: Any, recodes: list[Any]) -> pf.Calibration:
        return recertify_any(
            found.scenario, GOAL, law, method="recode", tau=None, radius=0.0, recodes=recodes
        )

    same = again(found.mechanism, said)
    assert same.certificate == found.certificate
    assert same.recode == found.recode
    with pytest.raises(pf.InvalidInputError, match="for every stratum"):
        again(found.mechanism, said[:1])
