"""What a map does to rows, against values that were worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.insight.associations import Joint
from pufferfish.insight.before_after import (
    by_secret,
    expected,
    kept_of,
    rows_of,
    rows_of_table,
    secret_rows,
    true_rows,
)
from tests.report.tables import OTHERS, ROWS, planned, table

LAW = pf.Recoding.from_matrix(
    [("a", 1), ("a", 3), ("b", 1)], [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]
)
CELLS = (("a", 1), ("a", 3), ("b", 1))
WEIGHTS = np.array([0.5, 0.25, 0.25])


def test_what_stays_of_each_column() -> None:
    kept = kept_of(LAW, CELLS, WEIGHTS, (0.0, 2.0), 8)
    first, second = kept.columns
    assert kept.unchanged == pytest.approx(0.25 + 0.25 + 0.125)
    assert (first.unchanged, first.mode_share) == pytest.approx((0.75, 0.75))
    assert (second.unchanged, second.mode_share) == pytest.approx((0.875, 0.75))
    # 3 is published for 1 in an eighth of the rows.
    assert second.rmse == pytest.approx(math.sqrt(4.0 / 8.0))
    assert second.std == pytest.approx(math.sqrt(0.75 * 0.25 * 4.0))
    assert (first.rmse, first.std, kept.rows) == (None, None, 8)
    assert kept.rmse == pytest.approx(math.sqrt(0.25 + 0.5 / 4.0))


def test_a_hole_costs_as_much_as_another_row() -> None:
    law = pf.Recoding.from_matrix([(1, "u"), (None, "u")], [[0.5, 0.5], [0.0, 1.0]])
    kept = kept_of(law, ((1, "u"), (None, "u")), np.array([0.5, 0.5]), (1.0, 0.0))
    assert kept.columns[0].rmse == 0.0
    assert kept.rmse == pytest.approx(math.sqrt(2.0 * 0.25))


def test_a_table_goes_through_the_law_of_its_known_values() -> None:
    swap = pf.Recoding.from_matrix(["a", "b"], [[0.0, 1.0], [1.0, 0.0]])
    stay = pf.Recoding.from_matrix(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    law = planned().calibration.mechanism
    law = type(law)(
        columns=("z",),
        strata=(type(law.strata[0])((1,), swap), type(law.strata[0])((2,), stay)),
    )
    cells = [("a", 1), ("b", 1), ("a", 2), ("a", 3)]
    counted = Joint.of(("x", "z"), cells, np.array([3.0, 1.0, 4.0, 2.0]))
    rows = rows_of_table(("x",), counted, ("z",), law)
    assert [dict(each.given) for each in rows] == [{"z": 1}, {"z": 2}]
    after = expected(("x",), ("z",), rows)
    assert after is not None
    found = dict(zip(after.cells, after.weights.tolist(), strict=True))
    assert found == pytest.approx({("a", 1): 0.125, ("b", 1): 0.375, ("a", 2): 0.5, ("b", 2): 0.0})
    before = dict(true_rows(("x",), ("z",), rows).marginal("x"))
    assert before == pytest.approx({"a": 0.875, "b": 0.125})


def test_beliefs_and_the_table_say_the_same() -> None:
    plan, rows = planned(), table()
    cells = list(
        zip(rows["job"].tolist(), rows["score"].tolist(), rows["sex"].tolist(), strict=True)
    )
    counted = Joint.of(("job", "score", "sex"), cells, np.ones(ROWS))
    mine = true_rows(plan.columns, plan.keep, rows_of(plan.calibration, plan.keep))
    law = plan.calibration.mechanism
    theirs = true_rows(
        plan.columns, plan.keep, rows_of_table(plan.columns, counted, plan.keep, law)
    )
    for name in mine.columns:
        assert dict(mine.marginal(name)) == pytest.approx(dict(theirs.marginal(name)))


def test_one_law_is_followed_for_each_kept_value() -> None:
    plan = planned(one_law=True)
    rows = rows_of(plan.calibration, ("sex",))
    assert [dict(each.given) for each in rows] == [{"sex": "f"}, {"sex": "m"}]
    women = float(np.mean(table()["sex"] == "f"))
    assert [each.share for each in rows] == pytest.approx([women, 1.0 - women])
    assert rows_of(plan.calibration, ())[0].share == 1.0


def test_noise_makes_a_density() -> None:
    plan = planned(("score",), mechanism=None)
    assert expected(plan.columns, plan.keep, rows_of(plan.calibration, plan.keep)) is None
    assert by_secret(plan.calibration, (1.0,)) == {}


def test_groups_of_the_secret_add_up_to_the_table() -> None:
    plan = planned()
    recode, units = plan.calibration.recode, (0.0, 1.0)
    assert recode is not None
    found = by_secret(plan.calibration, units)
    secret = table()["s"]
    assert {each: kept.rows for each, kept in found.items()} == {
        each: int((secret == each).sum()) for each in ("x", "y")
    }
    # All rows but the few of a secret that no belief names.
    rows = sum(kept.rows or 0 for kept in found.values())
    mean = sum((kept.rows or 0) * kept.unchanged for kept in found.values()) / rows
    assert mean == pytest.approx(recode.unchanged, abs=10.0 / ROWS)


def test_without_counts_strata_count_by_their_share() -> None:
    calibration = planned().calibration
    beliefs = [
        pf.Belief(
            {
                secret: pf.Categorical(prior.values, prior.probabilities)
                for secret, prior in each.priors.items()
            },
            name=each.name,
            columns=each.columns,
            given=dict(each.given),
        )
        for each in calibration.scenario.beliefs
    ]
    found = pf.calibrate(
        pf.Scenario(beliefs), pf.Guarantee(0.5), mechanism="recode", wrong=0.02, keep=["sex"]
    )
    assert all(kept.rows is None for kept in by_secret(found, (0.0, 1.0)).values())
    assert secret_rows(found, "s", ("x", "y")) == ()


def test_rows_of_the_secret_have_their_law() -> None:
    plan = planned()
    rows = secret_rows(plan.calibration, "s", ("x",))
    assert [dict(each.given) for each in rows] == [{"s": "x"}] * 2
    assert sum(each.share for each in rows) == int((table()["s"] == "x").sum())
    assert OTHERS[0] not in plan.protected
