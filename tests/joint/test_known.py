"""What somebody learns who knows other columns: recomputed in fractions, for every stratum.

The traps are natural errors. A promise for those who know a column is none for those who do not;
nor, with two known columns, for those who know one of them. Strata that are merged while the column
itself is published protect nobody. Strata with one secret only cannot be protected at all.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from tests.joint.tables import Described, Table, adult, as_plain, fitted, rows_of
from tests.joint_judge import EVERYBODY, WHOLE, Judged, Recode, judge, least_loss

PAIR = ("Black", "White")
# Columns that are published, who is asked about, and what is known.
CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "one": (("education-num", "income"), (), ("sex",)),
    "two": (("occupation",), PAIR, ("sex", "income")),
    "three": (("occupation",), PAIR, ("sex", "income", "married")),
}
ASKED: dict[str, dict[str, Any]] = {
    "nominal": {"nominal": True},
    "wrong by 2%": {"wrong": 0.02},
}


def calibrated(
    table: Table, columns: Any, known: Any, *, keep: tuple[str, ...] = (), **asked: Any
) -> Any:
    kept = {"keep": keep} if keep else {}
    return pf.calibrate(
        pf.Scenario(fitted(table, columns, "race", known)),
        pf.Guarantee(1.0),
        mechanism="recode",
        floor=None,
        **kept,
        **asked,
    )


def strata_of(found: Any) -> dict[Any, Recode]:
    return {known: as_plain(each.mechanism) for known, each in found.strata.items()}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", CASES)
def test_known_and_published(name: str, asked: str) -> None:
    """One mechanism for each combination; the promise is about what stands beside it."""
    columns, races, known = CASES[name]
    table = adult(*races)
    found = calibrated(table, columns, known, keep=known, **ASKED[asked])
    seen = rows_of(table, known)
    assert set(found.strata) == set(seen)
    judged = judge(
        rows_of(table, columns),
        table["race"].tolist(),
        strata_of(found),
        1.0,
        known=seen,
        wrong=Fraction(ASKED[asked].get("wrong", 0.0)),
    )
    everybody = judged.pop(EVERYBODY)
    for who, each in judged.items():
        assert not each.absent, who
        assert each.keeps(1.0), who
        certified(found.strata[who], each)
    certified(found, max(judged.values(), key=lambda each: each.ratio))
    # What the whole row says is more: it says what the known columns say.
    assert everybody.ratio > max(each.ratio for each in judged.values())


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", CASES)
def test_known_and_not_published(name: str, asked: str) -> None:
    """One mechanism for all: those who know all of it, a part of it, and nothing."""
    columns, races, known = CASES[name]
    table = adult(*races)
    found = calibrated(table, columns, known, **ASKED[asked])
    plain, worst = as_plain(found.mechanism), []
    for size in range(len(known) + 1):
        for part in combinations(known, size):
            judged = judge(
                rows_of(table, columns),
                table["race"].tolist(),
                plain,
                1.0,
                known=rows_of(table, part) if part else None,
                wrong=Fraction(ASKED[asked].get("wrong", 0.0)),
            )
            for who, each in judged.items():
                assert each.keeps(1.0), (part, who)
                worst.append(each)
    certified(found, max(worst, key=lambda each: each.ratio))


def test_some_are_published_and_some_are_not() -> None:
    """Sex stands in the row, income is known to some: both must hold, for each sex."""
    table = adult(*PAIR)
    found = calibrated(table, ["occupation"], ["sex", "income"], keep=("sex",), nominal=True)
    assert set(found.strata) == {("Female",), ("Male",)}
    for (sex,), plain in strata_of(found).items():
        mine = {name: column[table["sex"] == sex] for name, column in table.items()}
        judged = judge(
            rows_of(mine, ["occupation"]),
            mine["race"].tolist(),
            plain,
            1.0,
            known=rows_of(mine, ["income"]),
        )
        assert len(judged) == 3
        assert all(each.keeps(1.0) for each in judged.values())


def test_one_known_column_needs_no_tuple() -> None:
    table = adult(*PAIR)
    found = calibrated(table, ["occupation"], ["sex"], keep=("sex",), nominal=True)
    assert found.strata["Male"] is found.strata[("Male",)]


def certified(found: Any, judged: Judged) -> None:
    """The certificate says what the judge says, to the last digit: compared without rounding."""
    assert found.certified
    assert judged.between(found.certificate.epsilon_lower, found.certificate.epsilon_upper)
    assert found.certificate.epsilon_upper - found.certificate.epsilon_lower < 1e-12


def told_apart(first: Any, second: Any, best: Any) -> float:
    """ε of a map in doubles, over outputs that occur: what is left by rounding is not counted."""
    a, b = first @ best, second @ best
    occur = np.maximum(a, b) > 1e-9
    return float(np.abs(np.log(a[occur] / b[occur])).max())


class TestTraps:
    """§6 of the theory: first that each error is one, then that the library does not make it."""

    EDUCATION = ("Black", "Asian-Pac-Islander")

    def test_own_mechanisms_for_a_column_that_is_not_published(self) -> None:
        """Each income has its own best map. Somebody who does not see income sees the mixture."""
        table = adult(*self.EDUCATION)
        values, rows = [], []
        cells = Described(table, ["education-num"], "race").cells
        for income in ("<=50K", ">50K"):
            mine = {name: column[table["income"] == income] for name, column in table.items()}
            told = Described(mine, ["education-num"], "race")
            _, best = least_loss(told.cost(), told.frequencies, told.groups(self.EDUCATION), 1.0)
            places = [cells.index(each) for each in told.cells]
            for cell, row in zip(told.cells, best, strict=True):
                whole = [0] * len(cells)
                for place, share in zip(places, row, strict=True):
                    whole[place] = max(0, int(share * WHOLE))
                whole[int(np.argmax(whole))] += WHOLE - sum(whole)
                values.append((income, *cell))
                rows.append(whole)
        judged = judge(
            rows_of(table, ["income", "education-num"]),
            table["race"].tolist(),
            Recode(values, cells, rows),
            1.0,
        )
        assert judged[EVERYBODY].epsilon > 1.5

    def test_a_conditional_promise_is_none_for_everybody(self) -> None:
        table = adult(*self.EDUCATION)
        told = Described(table, ["education-num"], "race")
        known = told.groups(self.EDUCATION, ["income"], everybody=False)
        _, best = least_loss(told.cost(), told.frequencies, known, 1.0)
        assert told_apart(*told.groups(self.EDUCATION)[0], best) > 1.05
        # So those who ask for one without the other are told, or get both.
        beliefs = [
            each for each in fitted(table, ["education-num"], "race", ["income"]) if each.given
        ]
        assert len(beliefs) == 2
        with pytest.raises(pf.InvalidInputError):
            pf.calibrate(
                pf.Scenario(beliefs),
                pf.Guarantee(1.0),
                mechanism="recode",
                floor=None,
                nominal=True,
            )

    def test_nor_is_it_one_for_those_who_know_a_part(self) -> None:
        """Sex and income known, or nothing: who knows sex alone finds ε = 1.13 in the best map."""
        table = adult(*self.EDUCATION)
        told = Described(table, ["education-num"], "race")
        groups = told.groups(self.EDUCATION, ["sex", "income"])
        _, best = least_loss(told.cost(), told.frequencies, groups, 1.0)
        sexes = told.groups(self.EDUCATION, ["sex"], everybody=False)
        found = [told_apart(*laws, best) for laws in sexes]
        assert max(found) > 1.1
        fine = calibrated(table, ["education-num", "married"], ["sex", "income"], nominal=True)
        judged = judge(
            rows_of(table, ["education-num", "married"]),
            table["race"].tolist(),
            as_plain(fine.mechanism),
            1.0,
            known=rows_of(table, ["sex"]),
        )
        assert all(each.keeps(1.0) for each in judged.values())

    def test_merged_strata_protect_nobody_who_sees_the_column_itself(self) -> None:
        """Calibrated for "married", published beside "marital-status"."""
        table = adult(*PAIR)
        found = calibrated(table, ["occupation"], ["married"], keep=("married",), nominal=True)
        merged = strata_of(found)
        finer = rows_of(table, ["marital-status"])
        married = dict(zip(finer, rows_of(table, ["married"]), strict=True))
        judged = judge(
            rows_of(table, ["occupation"]),
            table["race"].tolist(),
            {label: merged[married[label]] for label in married},
            1.0,
            known=finer,
        )
        judged.pop(EVERYBODY)
        # Infinite, but for the last digits of a table that were mixed to keep the promise exactly.
        assert max(each.epsilon for each in judged.values()) > 10.0
        # What is published is the label that was merged, and nothing finer beside it.
        plan = pf.Plan(
            calibration=found,
            columns=["occupation"],
            secret="race",
            known=("married",),
            keep=("married",),
        )
        done = pf.release(table, plan)
        assert set(done.frame) == {"occupation", "married"}
        unmerged = {**table, "married": table["marital-status"]}
        with pytest.raises(pf.PufferfishError):
            pf.release(unmerged, plan)

    def test_strata_with_one_secret_are_refused_and_never_dropped(self) -> None:
        """Four known columns: some strata have rows of one group only."""
        table = adult(*PAIR)
        table["age"] = np.array(["<30", "30-59", "60+"])[np.digitize(table["age"], [30, 60])]
        with pytest.raises(pf.PufferfishError) as refused:
            calibrated(
                table,
                ["occupation"],
                ["sex", "income", "marital-status", "age"],
                keep=("sex", "income", "marital-status", "age"),
                nominal=True,
            )
        # What would help.
        said = str(refused.value)
        assert "merge" in said or "jointly" in said or "leave out" in said
