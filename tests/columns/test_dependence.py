"""The test of stated independence: it keeps its level, and sees what persons have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.columns.dependence import p_values, refuse_dependent
from pufferfish.tables.seen import Pairs

Law = Callable[[np.random.Generator, Any], Any]


def pairs(secrets: Any, first: Any, second: Any) -> Pairs:
    return Pairs(secrets, first * 1.0, second * 1.0, np.arange(secrets.size))


def rejected(found: Pairs) -> bool:
    try:
        refuse_dependent("who", found)
    except pf.DataError:
        return True
    return False


LAWS: dict[str, Law] = {
    "normal, by secret": lambda draw, s: draw.normal(3.0 * s, 1.0 + s),
    "few values": lambda draw, s: draw.integers(0, 3 + s),
    "mostly zero": lambda draw, s: np.where(
        draw.random(s.size) < 0.9, 0.0, draw.exponential(1.0, s.size)
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("order", ["as drawn", "sorted"])
def test_independent_rows_are_rejected_as_seldom_as_stated(law: str, order: str) -> None:
    """Also where the secrets differ, and where the first row of each person is the smaller one."""
    draw = np.random.default_rng(11)
    count = 0
    for _ in range(60):
        secrets = draw.integers(0, 3, 90)
        both = np.stack([LAWS[law](draw, secrets) * 1.0 for _ in range(2)])
        if order == "sorted":
            both.sort(axis=0)
        count += rejected(pairs(secrets, *both))
    # 0.6 of 60 are expected; more than 4 have a probability below 1e-3.
    assert count <= 4


def test_what_the_secrets_have_in_common_is_no_dependence() -> None:
    """Values that differ by secret alone are correlated over all, and not given the secret."""
    draw = np.random.default_rng(4)
    secrets = np.repeat([0, 1], 2000)
    first, second = (draw.normal(50.0 * secrets, 1.0) for _ in range(2))
    assert np.corrcoef(first, second)[0, 1] > 0.99
    assert not rejected(pairs(secrets, first, second))


def _mirrored(draw: np.random.Generator, s: Any) -> tuple[Any, Any]:
    value = draw.normal(size=s.size)
    return value, value * draw.choice([-1.0, 1.0], s.size)


def _shared(draw: np.random.Generator, s: Any) -> tuple[Any, Any]:
    common = draw.normal(size=s.size)
    return common + draw.normal(size=s.size), common + draw.normal(size=s.size)


def _opposed(draw: np.random.Generator, s: Any) -> tuple[Any, Any]:
    value = draw.integers(0, 2, s.size)
    return value, np.where(s == 0, value, 1 - value)


def _some_equal(draw: np.random.Generator, s: Any) -> tuple[Any, Any]:
    first, second = draw.normal(size=(2, s.size))
    return first, np.where(draw.random(s.size) < 0.03, first, second)


def _turned(draw: np.random.Generator, s: Any) -> tuple[Any, Any]:
    value = draw.integers(0, 10, s.size)
    return value, (value + 5) % 10


DEPENDENT = {each.__name__: each for each in (_mirrored, _shared, _opposed, _some_equal, _turned)}


@pytest.mark.parametrize("name", DEPENDENT)
def test_what_rows_have_in_common_is_seen(name: str) -> None:
    draw = np.random.default_rng(5)
    secrets = draw.integers(0, 2, 600)
    assert rejected(pairs(secrets, *DEPENDENT[name](draw, secrets)))


def test_holes_of_one_person_are_rows_like_others() -> None:
    """Values are independent, and missing together: published holes tell, dropped ones do not."""
    draw = np.random.default_rng(9)
    persons = 400
    values = np.round(draw.normal(50.0, 9.0, (2, persons)))
    values[:, draw.random(persons) < 0.3] = np.nan
    secret = np.where(np.arange(persons) % 2 == 0, "a", "b")
    table = {
        "x": values.ravel(),
        "s": np.tile(secret, 2),
        "who": np.tile(np.arange(persons), 2),
    }
    for missing in ("keep", "drop"):
        counted = pf.summarise(table, column="x", secret="s")
        counted = counted if missing == "keep" else counted.without_missing()
        beliefs = pf.fit_beliefs(counted, families=["gaussian"])
        chosen = pf.Plan(
            calibration=pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.5, 0.1)),
            column="x",
            secret="s",
            missing=missing,  # type: ignore[arg-type]
            unit="person",
            person="who",
            rows_per_person=2,
            dependence="independent",
            allow_no_noise=True,
        )
        if missing == "drop":
            assert pf.release(table, chosen).record.rows_tested
            continue
        with pytest.raises(pf.DataError, match="not independent given the secret"):
            pf.release(table, chosen)


def test_the_same_table_is_judged_the_same_again() -> None:
    draw = np.random.default_rng(6)
    found = pairs(draw.integers(0, 2, 300), *draw.normal(size=(2, 300)))
    assert p_values(found) == p_values(found)


def test_without_two_values_of_anybody_there_is_nothing_to_test() -> None:
    nothing = np.empty(0)
    nobody = pairs(np.empty(0, dtype=np.int64), nothing, nothing)
    assert p_values(nobody) == ()
    assert not refuse_dependent("who", nobody)


@pytest.mark.parametrize(
    "found",
    [
        pairs(np.zeros(1, dtype=np.int64), np.ones(1), np.ones(1)),
        pairs(np.zeros(29, dtype=np.int64), *np.random.default_rng(3).normal(size=(2, 29))),
        pairs(np.zeros(50, dtype=np.int64), np.ones(50), np.ones(50)),
        pairs(
            np.repeat([0, 1], [500, 40]),
            *np.where(np.arange(540) < 500, np.random.default_rng(2).normal(size=(2, 540)), 210.0),
        ),
        pairs(np.arange(50), *np.random.default_rng(3).normal(size=(2, 50))),
    ],
    ids=[
        "one person",
        "few persons",
        "all values are equal",
        "all of one secret are equal",
        "one person for each secret",
    ],
)
def test_a_test_that_can_reject_nothing_is_no_test(found: Pairs) -> None:
    with pytest.raises(pf.DataError, match="too few persons have several rows"):
        refuse_dependent("who", found)


@pytest.mark.parametrize("several", [0, 1, 4, 8, 40])
def test_some_persons_with_equal_rows_among_many_with_one(several: int) -> None:
    """It used to be released, and the record said that a test found nothing against it."""
    draw = np.random.default_rng(7)
    who = np.concatenate([np.arange(2000), np.repeat(np.arange(2000, 2000 + several), 5)])
    values = np.concatenate([np.round(draw.normal(170.0, 9.0, 2000)), np.full(5 * several, 210.0)])
    table = {"x": values, "s": np.where(who % 2 == 0, "a", "b"), "who": who}
    counted = pf.summarise(table, column="x", secret="s")
    beliefs = pf.fit_beliefs(counted, families=["empirical"])
    plan = pf.Plan(
        calibration=pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.2)),
        column="x",
        secret="s",
        unit="person",
        person="who",
        rows_per_person=5,
        dependence="independent",
    )
    if several == 0:
        # Every person has one row, and the promise for one row.
        record = pf.release(table, plan).record
        assert not record.rows_tested
        return
    with pytest.raises(pf.DataError, match="too few persons have several rows"):
        pf.release(table, plan)
