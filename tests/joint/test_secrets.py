"""Several secrets on Adult: each protected, and jointly; recomputed in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

import pufferfish as pf
from tests.joint.tables import Table, adult, as_plain, rows_of
from tests.joint_judge import Judged, Recode, judge

COLUMNS = ("education-num",)
GOAL = pf.Guarantee(1.0)
ASKED: dict[str, dict[str, Any]] = {
    "nominal": {"nominal": True},
    "wrong by 2%": {"wrong": 0.02},
}


@pytest.fixture(scope="module")
def table() -> Table:
    return adult("Black", "White")


def calibrated(table: Table, *, keep: tuple[str, ...] = (), **asked: Any) -> pf.Calibration:
    fitting = {name: asked.pop(name) for name in ("jointly", "known") if name in asked}
    beliefs = pf.fit_beliefs(
        table,
        columns=list(COLUMNS),
        secret=["race", "sex"],
        families=("empirical",),
        codes=list(COLUMNS),
        min_group=1,
        **fitting,
    )
    return pf.calibrate(
        pf.Scenario(beliefs), GOAL, mechanism="recode", floor=None, keep=keep, **asked
    )


def judged_by(
    table: Table, secret: str, recodes: Any, known: tuple[str, ...] = (), wrong: float = 0.0
) -> dict[Any, Judged]:
    both = zip(table["race"].tolist(), table["sex"].tolist(), strict=True)
    secrets = list(both) if secret == "both" else table[secret].tolist()
    return judge(
        rows_of(table, COLUMNS),
        secrets,
        recodes,
        1.0,
        known=rows_of(table, known) if known else None,
        wrong=Fraction(wrong),
    )


def epsilon_of(found: pf.Calibration, about: str) -> tuple[float, float]:
    """From below and above, of the adversaries about one secret."""
    results = [each for each in found.certificate.results if about in each.belief]
    assert results
    return max(each.epsilon_lower for each in results), max(each.epsilon_upper for each in results)


@pytest.mark.parametrize("asked", ASKED)
def test_each_secret_keeps_the_promise_and_together_they_need_not(table: Table, asked: str) -> None:
    found = calibrated(table, **ASKED[asked])
    wrong = ASKED[asked].get("wrong", 0.0)
    for secret in ("race", "sex"):
        for each in judged_by(table, secret, as_plain(found.mechanism), wrong=wrong).values():
            assert each.keeps(1.0)
            assert each.between(*epsilon_of(found, f"about {secret}"))
    if not wrong:
        (both,) = judged_by(table, "both", as_plain(found.mechanism)).values()
        assert not both.keeps(1.0)


@pytest.mark.parametrize("asked", ASKED)
def test_jointly_implies_each_and_costs_more(table: Table, asked: str) -> None:
    found, each = calibrated(table, jointly=True, **ASKED[asked]), calibrated(table, **ASKED[asked])
    law, wrong = as_plain(found.mechanism), ASKED[asked].get("wrong", 0.0)
    (both,) = judged_by(table, "both", law, wrong=wrong).values()
    assert both.keeps(1.0)
    for secret in ("race", "sex"):
        (judged,) = judged_by(table, secret, law).values()
        assert judged.keeps(1.0)
    assert found.recode is not None
    assert each.recode is not None
    assert each.recode.unchanged > found.recode.unchanged


def test_laws_of_one_secret_that_are_wrong_are_more_than_those_of_combinations(
    table: Table,
) -> None:
    """A trap: η of the rows of a race may all be of one sex, for whom that is more than η.

    So the promise for combinations whose laws are wrong by η implies that for each secret whose
    law is a mixture of such laws, and not for every law of the secret that is wrong by η.
    """
    law = as_plain(calibrated(table, jointly=True, wrong=0.02).mechanism)
    (race,) = judged_by(table, "race", law, wrong=0.02).values()
    assert not race.keeps(1.0)


def test_each_secret_to_those_who_know_something(table: Table) -> None:
    """One law for all, and one for each value of what is published: no belief is left out."""
    known = ("income",)
    one = calibrated(table, known=list(known), nominal=True)
    strata = calibrated(table, known=list(known), keep=known, nominal=True)
    laws: dict[Any, Recode] = {z: as_plain(each.mechanism) for z, each in strata.strata.items()}
    for secret in ("race", "sex"):
        for each in judged_by(table, secret, as_plain(one.mechanism), known).values():
            assert each.keeps(1.0)
        judged = judged_by(table, secret, laws, known)
        for z in laws:
            assert judged[z].keeps(1.0)
    assert len(one.certificate.results) == 2 * 2 * 3
    assert len(strata.certificate.results) == 2 * 2 * 2
    assert {frozenset(pair) for pair in one.scenario.pairs} == {
        frozenset(f"{name} = {label}" for label in labels)
        for name in ("race", "sex")
        for labels in combinations(sorted(set(table[name].tolist())), 2)
    }
