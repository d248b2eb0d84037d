"""What the counts in a plan say of its table, against records that say something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.documents.shape import plain
from pufferfish.kinds.kind import kind_of
from pufferfish.kinds.recount import recount_of, told
from pufferfish.kinds.verifier import verify_document
from tests.attacks.every_kind import document, table


def refused(data: dict[str, Any]) -> list[str]:
    """The details of the claims that are wrong, after an attacker wrote the words again."""
    kind = kind_of(data["pufferfish"], "record")
    data |= plain(kind.words(kind.facts(data)))
    return [each.detail for each in verify_document(data).checks if each.verdict is False]


@pytest.mark.parametrize(
    ("name", "decided"),
    [
        (
            "noise",
            {
                **{"published.rows": 400, "table.rows": 400, "table.missing": 0},
                **{"table.unprotected": 0, "table.outside": 0, "table.capped": 0},
                "table.column_std": pytest.approx(table()["x"].std()),
            },
        ),
        ("kept and capped", {"table.rows": 400, "table.missing": 6, "table.unprotected": 4}),
        ("strata", {"table.unseen": 0, "known_says": {"found_percent": 50, "pair": ["a", "b"]}}),
        ("secrets", {"table.unprotected": 0, "table.rows": 400}),
    ],
)
def test_what_the_counts_decide(name: str, decided: dict[str, Any]) -> None:
    """The expected numbers are those of the table, which the record does not hold."""
    data = document(name, "internal")
    plan = kind_of(data["pufferfish"], "record").plan.from_record(data)
    recount = recount_of(plan)
    assert not [*recount.wrong()]
    found = told(plan, recount, data["beliefs_from"])
    assert {each: found[each] for each in decided} == decided


def test_known_columns_that_tell_less_than_they_do() -> None:
    """The known column finds the secret in nearly all rows, and the record says 50%."""
    rows = table()
    rows["g"] = rows["s"].copy()
    rows["g"][:40] = ["b", "a"] * 20
    beliefs = pf.fit_beliefs(rows, columns=["c"], secret="s", known=["g"], min_group=1)
    found = pf.calibrate(
        pf.Scenario(beliefs),
        pf.Guarantee(1.0),
        mechanism="recode",
        floor=None,
        wrong=0.05,
        keep=["g"],
    )
    plan = pf.Plan(calibration=found, columns=["c"], secret="s", keep=["g"])
    data = plain(pf.release(rows, plan).record.to_dict("internal"))
    assert data["known_says"]["found_percent"] > 80
    assert not refused(data)
    data["known_says"]["found_percent"] = 50
    assert refused(data) == ["known_says is not what the plan and its counts say"]
    data["known_says"] = None
    assert refused(data) == ["known_says is not what the plan and its counts say"]


def test_beliefs_of_two_tables_are_not_of_one() -> None:
    """Twice as many rows, first in the list, must not stand for the rows that were released."""
    rows = table()
    twice = {name: np.concatenate([each, each]) for name, each in rows.items()}
    beliefs = [
        *pf.fit_beliefs(twice, "c", "s", ["empirical"], min_group=1),
        *pf.fit_beliefs(rows, "c", "s", ["independent"], min_group=1),
    ]
    found = pf.calibrate(
        pf.Scenario(beliefs), pf.Guarantee(1.0), mechanism="recode", floor=None, wrong=0.05
    )
    plan = pf.Plan(calibration=found, column="c", secret="s")
    data = plain(pf.release(rows, plan, beliefs_from_plan=True).record.to_dict("internal"))
    assert data["beliefs_from"] == "another table"
    assert not refused(data)
    data |= {"beliefs_from": "this table", "beliefs_fitted": None}
    data["published"]["rows"] *= 2
    data["table"] |= {name: 2 * data["table"][name] for name in ("rows", "missing", "unprotected")}
    assert "the counts of several" in " ".join(refused(data))


@pytest.mark.parametrize("name", ["sampled strata", "joint", "noise"])
def test_counts_that_are_a_hundred_times_as_large(name: str) -> None:
    """Refutes a promise for the population from rows that were never counted."""
    data = document(name, "internal")
    kind = kind_of(data["pufferfish"], "record")
    for belief in data["plan"]["scenario"]["beliefs"]:
        laws = [each["prior"] for each in belief["secrets"] if "counts" in each["prior"]]
        for law in [*laws, belief["frequencies"]]:
            law["counts"] = [100 * each for each in law["counts"]]
        if "region" in belief:
            belief["region"]["confidence"] = 0.9999
    data["certificate"] = plain(kind.plan.from_record(data).certificate.to_dict())
    if "confidence" in data:
        data["confidence"] = 0.9999
    (detail,) = [each for each in refused(data) if "counts are not those of the table" in each]
    assert "published.rows is not what the plan and its counts say" in detail


COUNTED = {"unprotected": 0, "unseen": 10**6, "missing": 10**6, "outside": 10**6}


@pytest.mark.parametrize("name", ["noise", "kept and capped", "joint", "strata", "half", "known"])
def test_counts_that_no_such_table_has(name: str) -> None:
    counted = document(name, "internal")["table"].items() & COUNTED.items()
    wrong = {each: COUNTED[each] for each in COUNTED.keys() & document(name, "internal")["table"]}
    for entry, count in wrong.items() - counted:
        data = document(name, "internal")
        data["table"][entry] = count
        data |= {"unprotected_percent": 0} if entry == "unprotected" else {}
        assert refused(data), entry


@pytest.mark.parametrize("name", ["noise", "recoded numbers"])
def test_a_spread_that_no_such_column_has(name: str) -> None:
    data = document(name, "internal")
    data["table"]["column_std"] = 1e6
    assert refused(data) == ["table.column_std is not what the plan and its counts say"]


def test_one_stratum_does_not_speak_for_all() -> None:
    """All strata keep the histogram, or the record cannot say that values occur as often."""
    data = document("strata", "internal")
    kind = kind_of(data["pufferfish"], "record")
    data["plan"]["recodes"][1]["keep_histogram"] = False
    stated = kind.plan.from_record(data).calibration.recode
    assert stated is not None
    assert not stated.keep_histogram
    assert "it differs in recode" in refused(data)


@pytest.mark.parametrize(
    "name", ["noise", "recoded numbers", "joint", "strata", "known", "sum", "mean"]
)
def test_a_size_that_was_rounded_is_said_to_be(name: str) -> None:
    data = document(name, "public")
    data["rounding"] = None
    assert any("private" in each for each in refused(data))


@pytest.mark.parametrize("name", ["recoded numbers", "joint", "strata"])
@pytest.mark.parametrize("figure", ["rmse", "unchanged"])
def test_figures_that_a_private_map_does_not_tell(name: str, figure: str) -> None:
    data = document(name, "public")
    data["recode"][figure] = 0.01
    assert any("figures of the map" in each for each in refused(data))
