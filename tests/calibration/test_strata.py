"""Calibrations by known values are found by these values."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.calibration.strata import Strata, group_beliefs, shares_of
from tests.calibration.labelled import CELLS, Table, belief, scenario

STRATA = Strata(
    ("sex", "old"),
    (("Male", True), ("Male", 1), ("Female", None), (None, 0.5)),
    ("first", "second", "third", "fourth"),
)


def test_known_values_find_their_part() -> None:
    assert STRATA["Male", True] == "first"
    assert STRATA["Male", 1] == STRATA["Male", 1.0] == "second"
    assert STRATA["Female", float("nan")] == "third"
    assert STRATA[{"old": 0.5, "sex": None}] == "fourth"
    assert list(STRATA) == list(STRATA.given)
    assert list(STRATA.values()) == ["first", "second", "third", "fourth"]
    assert list(STRATA.items())[1] == (("Male", 1), "second")
    assert ("Male", "1") not in STRATA
    assert "Male" not in repr(STRATA)


@pytest.mark.parametrize(
    "wrong",
    [
        "Male",
        ("Male",),
        ("Male", "True"),
        ("Male", False),
        ("Male", True, 1),
        # A column that is left out, or another one, is not a missing value.
        {"sex": "Female"},
        {"sx": "Female", "old": None},
        {"sex": "Male", "old": True, "more": 1},
    ],
)
def test_other_values_find_nothing(wrong: object) -> None:
    with pytest.raises(KeyError) as caught:
        STRATA[wrong]
    assert "Male" not in str(caught.value)


def test_one_column_needs_no_tuple() -> None:
    one = Strata(("sex",), (("Male",), (None,)), (1, 2))
    assert one["Male"] == one["Male",] == one[{"sex": "Male"}] == 1
    assert one[None] == 2


def test_one_law_for_all_has_the_results_of_each() -> None:
    table: Table = {"True": {"s": [9, 1], "t": [1, 9]}, "1": {"s": [5, 5], "t": [5, 5]}}
    found = pf.calibrate(scenario(table), pf.Guarantee(1.0), mechanism="recode", nominal=True)
    assert set(map(repr, found.strata)) == {"(True,)", "(1,)"}
    worst, alike = found.strata[True], found.strata[1]
    assert alike.certificate.epsilon_upper == 0.0
    assert worst.certificate.epsilon_upper == found.certificate.epsilon_upper
    assert worst.mechanism == alike.mechanism == found.mechanism
    assert worst.recode is None
    assert {each.belief for each in worst.certificate.results} == {"empirical {'z': True}"}


def test_without_known_columns_there_are_no_strata() -> None:
    law = {"s": [9, 1], "t": [1, 9]}
    found = pf.calibrate(
        pf.Scenario(belief(law, CELLS)), pf.Guarantee(1.0), mechanism="recode", nominal=True
    )
    assert len(found.strata) == 0
    with pytest.raises(KeyError):
        found.strata["Male"]


def test_adversaries_are_grouped_by_what_all_of_them_know() -> None:
    law = {"s": [1, 1], "t": [1, 1]}
    beliefs = [
        belief(law, CELLS, z=True),
        belief(law, CELLS, y="b", z=True),
        belief(law, CELLS, z=1),
    ]
    groups = group_beliefs(beliefs, ["z"])
    assert [(values, len(group)) for values, group in groups] == [((True,), 2), ((1,), 1)]


def test_shares_are_of_rows_where_they_were_counted() -> None:
    table: Table = {"True": {"s": [9, 1], "t": [1, 9]}, "1": {"s": [30, 30], "t": [10, 10]}}
    found = pf.calibrate(
        scenario(table), pf.Guarantee(1.0), mechanism="recode", nominal=True, keep=["z"]
    )
    assert [share for share, _ in shares_of(found.parts)] == [0.2, 0.8]


def test_the_words_say_what_is_promised_to_whom() -> None:
    table: Table = {"True": {"s": [9, 1], "t": [1, 9]}, "1": {"s": [5, 5], "t": [5, 5]}}
    found = pf.calibrate(
        scenario(table), pf.Guarantee(1.0), mechanism="recode", nominal=True, keep=["z"]
    )
    text = str(found.explain())
    assert "Everybody sees 'z'" in text
    assert "z = True" in text
    assert "empirical {'z': True}" in text
