"""Recodings of categories and of tuples lose no more than the best of all maps, by 0.1% at most.

Some limits were computed elsewhere and are known (`recoding_tables.json`). The others are computed
here, by the judge's own linear program: nobody can have fitted anything to them.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from tests.joint.tables import Described, adult, as_plain, fitted
from tests.joint_judge import EVERYBODY, judge, least_loss

KNOWN = json.loads((Path(__file__).parents[1] / "data" / "recoding_tables.json").read_text())
ASKED = ("wrong", "keep_histogram", "weights")

HELD_BACK: list[dict[str, Any]] = [
    {"columns": ["occupation"], "secret": "race", "epsilon": 1.0},
    {"columns": ["native-country"], "secret": "sex", "epsilon": 0.25, "keep_histogram": True},
    {"columns": ["marital-status"], "secret": "sex", "epsilon": 1.0, "wrong": 0.02},
    {"columns": ["occupation", "income"], "secret": "sex", "epsilon": 1.0},
    {"columns": ["occupation", "income"], "secret": "sex", "epsilon": 0.5, "keep_histogram": True},
    {"columns": ["occupation", "income"], "secret": "sex", "epsilon": 0.5, "delta": 0.02},
    {"columns": ["marital-status", "income"], "secret": "race", "epsilon": 1.0, "wrong": 0.03},
    {
        "columns": ["education-num", "income"],
        "secret": "race",
        "pair": ["Black", "Asian-Pac-Islander"],
        "epsilon": 0.5,
        "keep_histogram": True,
    },
    {
        "columns": ["education-num", "income"],
        "secret": "sex",
        "epsilon": 0.5,
        "weights": {"income": 3.0, "education-num": 0.5},
    },
    {"columns": ["sex", "income", "married"], "secret": "race", "epsilon": 0.25},
]


def named(case: dict[str, Any]) -> str:
    said = ("secret", "epsilon", "delta", *ASKED)
    return " ".join([*case["columns"], *(f"{each}={case[each]}" for each in said if each in case)])


def recoded(case: dict[str, Any], table: Any) -> Any:
    pair = case.get("pair")
    beliefs = fitted(table, case["columns"], case["secret"])
    asked = {name: case[name] for name in ASKED if name in case}
    return pf.calibrate(
        pf.Scenario(beliefs, None if pair is None else [tuple(pair)]),
        pf.Guarantee(case["epsilon"], case.get("delta", 0.0)),
        mechanism="recode",
        floor=None,
        nominal=True,
        **{"keep_histogram": False, **asked},
    )


def check(case: dict[str, Any], limit: float | None) -> Any:
    table = adult()
    told = Described(table, case["columns"], case["secret"])
    least = limit
    if least is None:
        least, _ = least_loss(
            told.cost(case.get("weights")),
            told.frequencies,
            told.groups(case.get("pair")),
            case["epsilon"],
            delta=case.get("delta", 0.0),
            wrong=case.get("wrong", 0.0),
            keep_histogram=case.get("keep_histogram", False),
        )
    found = recoded(case, table)
    plain = as_plain(found.mechanism)
    # The library's figure, and what the judge finds its table to lose.
    place = {cell: k for k, cell in enumerate(told.cells)}
    cost = told.cost(case.get("weights"))
    loss = sum(
        told.frequencies[place[x]] * cost[place[x], place[y]] * row[k] / 2**62
        for x, row in zip(plain.values, plain.table, strict=False)
        if x in place
        for k, y in enumerate(plain.outputs)
    )
    assert loss <= 1.001 * least
    assert found.recode.mean_loss == pytest.approx(loss, rel=1e-9)
    assert (1 - 1e-5) * least <= found.recode.least_loss * (1 + 1e-9) <= loss * (1 + 2e-9)
    judged = judge(
        told.rows,
        told.secrets,
        plain,
        case["epsilon"],
        pairs=None if case.get("pair") is None else [tuple(case["pair"])],
        wrong=Fraction(case.get("wrong", 0.0)),
    )[EVERYBODY]
    assert judged.keeps(case["epsilon"], case.get("delta", 0.0))
    assert found.certified
    return found


@pytest.mark.parametrize("case", KNOWN, ids=named)
def test_the_known_limits_are_met(case: dict[str, Any]) -> None:
    found = check(case, case["least_mean_loss"])
    assert len(found.mechanism.values) == case["cells"]
    assert found.recode.unchanged == pytest.approx(case["unchanged"], abs=0.02)


@pytest.mark.parametrize("case", HELD_BACK, ids=named)
def test_limits_that_nobody_was_given_are_met(case: dict[str, Any]) -> None:
    check(case, None)


def test_education_and_occupation_against_sex() -> None:
    """217 tuples, of which about 94% of the rows stay as they are, nominally."""
    case = {"columns": ["education-num", "occupation"], "secret": "sex", "epsilon": 1.0}
    found = check(case, None)
    assert len(found.mechanism.values) == 217
    assert found.recode.unchanged == pytest.approx(0.94, abs=0.01)


def test_one_mechanism_for_those_who_know_and_those_who_do_not() -> None:
    """The least loss with conditional and unconditional constraints together."""
    table = adult("Black", "White")
    told = Described(table, ["occupation"], "race")
    least, _ = least_loss(
        told.cost(), told.frequencies, told.groups(("Black", "White"), ["sex"]), 0.5
    )
    found = pf.calibrate(
        pf.Scenario(fitted(table, ["occupation"], "race", ["sex"])),
        pf.Guarantee(0.5),
        mechanism="recode",
        floor=None,
        nominal=True,
        keep_histogram=False,
    )
    assert found.recode is not None
    assert found.recode.mean_loss <= 1.001 * least
