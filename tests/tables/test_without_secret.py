"""Rows without a secret are counted apart: laws do not know them, the whole table does."""

import numpy as np
import pytest

import pufferfish as pf

TABLE = {
    "x": np.array([1.0, 2.0, 2.0, 3.0, 9.0, np.nan, 9.0, 1.0] * 10),
    "s": np.array(["a", "b", "a", "b", None, None, "c", None] * 10, dtype=object),
}
THERE = np.array([each is not None for each in TABLE["s"]])
OTHERS = {name: column[THERE] for name, column in TABLE.items()}


def test_they_are_counted_apart() -> None:
    found = pf.summarise(TABLE, column="x", secret="s")
    assert set(found.groups) == {"a", "b", "c"}
    assert found.without_secret is not None
    assert found.without_secret.values.tolist() == [1.0, 9.0]
    assert found.without_secret.counts.tolist() == [10, 10]
    assert found.without_secret.missing == 10
    assert found.pooled.records == 70
    assert found.without_missing().pooled.missing == 0
    assert found.capped(0.0, 4.0).pooled.values.max() == 4.0
    same = {"x": TABLE["x"][::-1], "s": TABLE["s"][::-1]}
    assert pf.summarise(same, column="x", secret="s").fingerprint == found.fingerprint


def test_a_table_in_which_every_row_has_one_is_told_apart() -> None:
    some, all_of_them = (pf.summarise(each, column="x", secret="s") for each in (OTHERS, TABLE))
    assert some.without_secret is None
    assert some.fingerprint != all_of_them.fingerprint


@pytest.mark.parametrize("only", [("a", "b"), ("a", "b", "c")])
def test_laws_skip_them_and_frequencies_of_the_table_have_them(only: tuple[str, ...]) -> None:
    chosen = pf.summarise(TABLE, column="x", secret="s").only(only)
    belief = pf.fit_belief(chosen, family="empirical", min_group=1)
    assert set(belief.priors) == set(only)
    assert belief.frequencies.counts.sum() == 70
    assert belief.frequencies_missing == 10
    told = pf.fit_belief(chosen, family="empirical", min_group=1, provenance="public")
    assert told.frequencies is None


def test_from_fit_to_record() -> None:
    counts = pf.summarise(TABLE, column="x", secret="s").without_missing()
    belief = pf.fit_belief(counts, family="empirical", min_group=1)
    found = pf.calibrate(pf.Scenario(belief, [("a", "b")]), pf.Guarantee(1.0))
    plan = pf.Plan(calibration=found, column="x", secret="s", missing="drop")
    done = pf.release(TABLE, plan)
    # 10 rows of "c", and 20 that have a value and no secret.
    assert done.record.rows_unprotected == 30
    assert done.record.rows_published == 70
    assert done.record.beliefs_from == "this table"
    with pytest.raises(pf.DataError, match="another table"):
        pf.release(OTHERS, plan)


def test_halves_and_held_out_rows_have_them() -> None:
    halves = pf.split_half(TABLE, column="x", secret="s")
    sides = [each.without_secret for each in (halves.fitted, halves.rest)]
    assert sum(each.records + each.missing for each in sides if each is not None) == 30
    rest = halves.rest.pooled
    assert halves.rows_fitted + rest.records + rest.missing == 80
    belief = pf.fit_belief(TABLE, "x", "s", family="empirical", min_group=1)
    scenario = pf.Scenario(belief, [("a", "b")])
    counts = pf.summarise(TABLE, column="x", secret="s")
    found = pf.held_out(scenario, pf.Guarantee(1.0), counts=counts, splits=2)
    assert len(found.splits) == 2


def test_a_person_with_a_secret_in_some_rows_only_is_refused() -> None:
    belief = pf.fit_belief(OTHERS, "x", "s", family="empirical", min_group=1)
    found = pf.calibrate(pf.Scenario(belief, [("a", "b")]), pf.Guarantee(1.0))
    plan = pf.Plan(
        calibration=found,
        column="x",
        secret="s",
        missing="drop",
        unit="person",
        person="p",
        one_row="first",
    )
    with pytest.raises(pf.DataError, match="secret"):
        pf.release({**TABLE, "p": np.arange(80) // 2}, plan, beliefs_from_plan=True)
