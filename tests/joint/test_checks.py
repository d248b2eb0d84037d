"""Plans of tables that promise what nobody described are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pufferfish as pf

ROWS = 4_000


def table(seed: int = 3) -> dict[str, Any]:
    """A colour that goes with the secret, and two columns that others may know."""
    source = np.random.default_rng(seed)
    secret = source.choice(["s", "t"], ROWS)
    a, b = source.choice(["x", "y"], ROWS), source.choice(["u", "v"], ROWS)
    red = source.random(ROWS) < np.where(secret == "s", 0.6, 0.4)
    return {"colour": np.where(red, "red", "blue"), "secret": secret, "a": a, "b": b}


def beliefs(**kind: Any) -> tuple[pf.Belief, ...]:
    return pf.fit_beliefs(table(), column="colour", secret="secret", **kind)


def calibrated(given: tuple[pf.Belief, ...], **kind: Any) -> pf.Calibration:
    goal = pf.Guarantee(epsilon=0.3)
    return pf.calibrate(pf.Scenario(given), goal, mechanism="recode", wrong=0.01, **kind)


def plan(calibration: pf.Calibration, **kind: Any) -> pf.Plan:
    return pf.Plan(calibration=calibration, column="colour", secret="secret", **kind)


def test_every_set_of_known_columns_is_described() -> None:
    every = beliefs(known=["a", "b"])
    assert plan(calibrated(every), known=["a", "b"]).known == ("a", "b")
    # Somebody may know one of two columns, and a promise to those who know both implies nothing.
    some = tuple(each for each in every if len(each.given) != 1)
    with pytest.raises(pf.InvalidInputError, match="no adversary is described who knows only"):
        plan(calibrated(some), known=["a", "b"])


def test_those_who_see_a_kept_column_know_it() -> None:
    every = beliefs(known=["a", "b"])
    by_a = calibrated(every, keep=["a"])
    assert plan(by_a, known=["a", "b"], keep=["a"]).keep == ("a",)
    with pytest.raises(pf.InvalidInputError, match="must be published"):
        plan(by_a, known=["a", "b"])
    with pytest.raises(pf.InvalidInputError, match="keep_unprotected"):
        plan(calibrated(beliefs()), keep=["a"])
    assert plan(calibrated(beliefs()), keep_unprotected=["a"]).known == ()


def test_a_column_has_one_role() -> None:
    known = calibrated(beliefs(known=["a"]))
    for roles in ({"known": ["a"], "keep_unprotected": ["a"]}, {"known": ["secret"]}):
        with pytest.raises(pf.InvalidInputError, match="two roles"):
            plan(known, **roles)


def test_a_label_that_stands_for_missing_secrets_needs_them_as_a_group() -> None:
    # A label called so would let the words say that rows without a secret are covered.
    given = table()
    named = {**given, "secret": np.where(given["secret"] == "s", "(missing)", "t")}
    fitted = pf.fit_beliefs(named, column="colour", secret="secret")
    with pytest.raises(pf.InvalidInputError, match="stands for rows without a secret"):
        plan(calibrated(fitted))
    holed = {**given, "secret": [None if each == "s" else "t" for each in given["secret"]]}
    group = pf.fit_beliefs(holed, column="colour", secret="secret", missing_secret=True)
    assert plan(calibrated(group), missing_secret=True).missing_secret


def test_known_values_that_nobody_described_are_refused() -> None:
    given = table()
    few = {name: column[given["a"] == "x"] for name, column in given.items()}
    fitted = pf.fit_beliefs(few, column="colour", secret="secret", known=["a"])
    one_law = plan(calibrated(fitted), known=["a"])
    with pytest.raises(pf.DataError, match="no described adversary knows them"):
        pf.release(given, one_law, beliefs_from_plan=True)
    of_its_own = plan(calibrated(fitted, keep=["a"]), keep=["a"])
    with pytest.raises(pf.DataError, match="no described adversary knows them"):
        pf.release(given, of_its_own, beliefs_from_plan=True)


def test_what_is_not_protected_is_measured_and_what_is_kept_is_told() -> None:
    released = pf.release(table(), plan(calibrated(beliefs()), keep_unprotected=["a"])).record
    assert released.reveals is not None
    assert "without protection" in released.words["headline"][0]
    known = pf.release(table(), plan(calibrated(beliefs(known=["a"]), keep=["a"]), keep=["a"]))
    assert known.record.reveals is None
    assert known.record.known_says.found_percent <= 53
    assert "somebody who already knows 'a'" in known.record.words["headline"][0]
