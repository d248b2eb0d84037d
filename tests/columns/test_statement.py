"""Facts of a release, and the words that follow from them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.beliefs.scenario import RELEASED, SecretPair
from pufferfish.columns.statement import Facts, headline, not_promised, promise, words
from pufferfish.learning.reveals import Reveals
from pufferfish.words.numbers import percent_of


@cache
def calibration(cap: tuple[float, float] | None) -> pf.Calibration:
    laws = {"a": pf.Gaussian(40.0, 3.0), "b": pf.Gaussian(41.0, 3.0)}
    return pf.calibrate(pf.Scenario(pf.Belief(laws, cap=cap)), pf.Guarantee(0.5))


def facts(**fields: Any) -> Facts:
    found = calibration(fields.get("cap"))
    if fields.get("rounding") == "given":
        found = pf.calibrate(found.scenario, found.goal, size=90.0)
    return Facts.of(pf.Plan(calibration=found, column="x", secret="s", **fields))


MANY = [
    facts(),
    facts(keep_unprotected=("k", "l"), keep_order=True, missing="drop", cap=(0.0, 90.0)),
    facts(postprocess=(pf.RoundTo(0.5), pf.Clip(0.0, 90.0))),
    replace(
        facts(keep_unprotected=("k",)), reveals=Reveals(found_percent=85, pair=SecretPair("a", "b"))
    ),
    replace(facts(), beliefs_from="another table", beliefs_fitted="2026-01-02"),
    replace(facts(), unprotected_percent=3),
    facts(rounding="given"),
    replace(facts(), rounding=None),
    facts(unit="person", person="p", one_row="mean"),
    facts(unit="person", person="p", rows_per_person=4, dependence="independent"),
    replace(
        facts(unit="person", person="p", rows_per_person=4, dependence="independent"),
        rows_tested=True,
    ),
]


@pytest.mark.parametrize("each", MANY)
def test_facts_come_back_from_a_document(each: Facts) -> None:
    data = json.loads(json.dumps(each.to_dict()))
    assert Facts.from_dict(data) == each
    assert words(Facts.from_dict(data)) == words(each)


@pytest.mark.parametrize(
    "change",
    [
        {"unit": "household"},
        {"order": "sorted"},
        {"beliefs_from": "a friend"},
        {"dependence": "none"},
        {"one_row": "last"},
        {"rows_tested": 1},
        {"goal": {"epsilon": 1.0, "delta": 0.0, "more": 1}},
        {"reveals": {"found_percent": 101, "pair": ["a", "b"]}},
        {"reveals": {"found_percent": 50, "pair": ["a", "b"], "rows": 4}},
        {"pairs": [["a"]]},
        {"pairs": 5},
        {"noise": {"kind": "cauchy"}},
        {"rounding": "none"},
    ],
)
def test_what_no_release_says_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(pf.PufferfishError):
        Facts.from_dict(facts().to_dict() | change)


def test_nothing_to_beware_of_needs_no_headline() -> None:
    assert headline(facts()) == []
    assert headline(replace(facts(), unprotected_percent=0)) == []


def test_what_is_outside_the_promise_comes_first() -> None:
    kept, with_share, elsewhere, unprotected = (headline(MANY[i]) for i in (1, 3, 4, 5))
    assert "'x', 'k' and 'l'" in kept[0]
    assert "not measured" in kept[0]
    assert "85%" in with_share[0]
    for said in (kept, with_share):
        assert "does not hold for the whole file" in said[0]
    assert "another table on 2026-01-02" in elsewhere[0]
    assert "3% of the published rows" in unprotected[0]


@pytest.mark.parametrize(
    ("rounding", "first", "last"),
    [
        ("ladder", "depends on the table", "to within about a quarter"),
        ("given", "Whether noise of this size keeps this ε depends", "chosen without the data"),
        (None, None, None),
    ],
)
def test_what_the_size_of_the_noise_says_is_said(
    rounding: Any, first: str | None, last: str | None
) -> None:
    each = replace(facts(), beliefs_from="this table", rounding=rounding)
    said = headline(each)
    assert [first in text for text in said] == ([] if first is None else [True])
    about = [
        text for text in not_promised(each) if "of the noise says" in text or "of this" in text
    ]
    assert [last in text for text in about] == ([] if last is None else [True])
    # From elsewhere, it says nothing about a row of this table.
    elsewhere = replace(each, beliefs_from="elsewhere")
    assert headline(elsewhere) == []
    assert len(not_promised(elsewhere)) == len(not_promised(each))


def test_a_promise_about_a_column_with_others_says_that_it_is_about_the_column_alone() -> None:
    assert "without the other published columns" in promise(MANY[1])
    assert "without the other published columns" not in promise(MANY[0])


def test_the_order_of_rows_is_not_covered_where_it_was_kept() -> None:
    def said(each: Facts) -> bool:
        return any("order of the rows" in text for text in not_promised(each))

    assert said(replace(facts(), order="table"))
    assert not said(replace(facts(), order="random"))


def test_shares_are_rounded_up() -> None:
    assert [
        percent_of(*each) for each in ((0, 7), (1, 1000), (1, 100), (2, 3), (7, 7), (0, 0))
    ] == [*(0, 1, 1, 67, 100, 0)]


def test_a_cap_is_said_with_what_its_bounds_must_be() -> None:
    said = promise(MANY[1])
    assert "Values below 0 and above 90 were moved to these bounds before the noise" in said
    assert "the bounds must be public" in said
    assert "moved to these bounds" not in promise(MANY[0])


def test_a_table_that_nobody_compared_is_not_said_to_be_another_one() -> None:
    unknown = replace(facts(), beliefs_from="another table", beliefs_fitted=None)
    assert "not known which table" in headline(unknown)[0]
    assert "fitted on an unknown table" in promise(unknown)


@pytest.mark.parametrize("said", ["this table", "another table"])
def test_a_plan_without_beliefs_of_a_table_does_not_say_so(said: Any) -> None:
    plan = pf.Plan(calibration=calibration(None), column="x", secret="s")
    assert replace(facts(), beliefs_from=said).planned_by(plan).beliefs_from == "elsewhere"


@pytest.mark.parametrize(
    ("said", "planned"),
    [
        ("this table", "this table"),
        ("another table", "another table"),
        ("elsewhere", "this table"),
    ],
)
def test_which_table_beliefs_are_of_is_not_for_the_plan_to_say(said: Any, planned: str) -> None:
    belief = pf.Belief({"a": pf.Gaussian(40.0, 3.0), "b": pf.Gaussian(41.0, 3.0)}, "b", RELEASED)
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5))
    plan = pf.Plan(calibration=found, column="x", secret="s")
    assert replace(facts(), beliefs_from=said).planned_by(plan).beliefs_from == planned


@pytest.mark.parametrize(
    ("fields", "unit"),
    [
        ({"unit": "row"}, "one row"),
        ({"rows_per_person": 1}, "one person (one row)"),
        ({"one_row": "first"}, "one person (its first row)"),
        ({"one_row": "mean"}, "one person (one row, with the mean of its values)"),
        (
            {"rows_per_person": 5, "dependence": "any"},
            "one person (at most 5 rows, however they depend on each other)",
        ),
        (
            {"rows_per_person": 5, "dependence": "equal"},
            "one person (at most 5 rows, which repeat one value; its law is taken not to depend on "
            "how many there are)",
        ),
        (
            {"rows_per_person": 5, "dependence": "independent"},
            "one person (at most 5 rows, taken to be independent given the secret, however many "
            "there are)",
        ),
    ],
)
def test_what_the_promise_is_about(fields: dict[str, Any], unit: str) -> None:
    found = replace(facts(), **{"unit": "person", "dependence": "any"} | fields)
    assert f"of {unit} says about" in promise(found)
    stated = fields.get("dependence") == "independent"
    assert bool(headline(found)) == stated
    if stated:
        assert "that was not tested" in headline(found)[0]
        assert "found nothing against it" in headline(replace(found, rows_tested=True))[0]
        assert any("a test cannot see every dependence" in each for each in not_promised(found))
    together = [each for each in not_promised(found) if "far more than one" in each]
    assert bool(together) == (fields.get("unit") == "row")
