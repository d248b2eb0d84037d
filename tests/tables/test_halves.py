"""A table in two halves: disjoint, complete, and in step between counting and release."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pufferfish as pf
from pufferfish import datasets

GOAL = pf.Guarantee(1.0)
ROWS = 3_000


def columns() -> dict[str, np.ndarray]:
    """Whole numbers with rare ones, by two secrets; "id" tells rows apart."""
    generator = np.random.default_rng(7)
    secret = np.where(generator.random(ROWS) < 0.5, "a", "b")
    value = generator.poisson(6.0, ROWS) + (secret == "a")
    value[:3] = [70, 71, 72]  # each in one row: one half has never seen it
    return {"value": value, "secret": secret, "id": np.arange(ROWS)}


def planned(halves: pf.Halves, **more) -> pf.Plan:
    beliefs = pf.fit_beliefs(halves.fitted, families=["empirical"])
    found = pf.calibrate(pf.Scenario(beliefs), GOAL, mechanism="recode", floor=None, wrong=0.05)
    return pf.Plan(
        calibration=found, column="value", secret="secret", keep_unprotected=("id",), **more
    )


def as_made(kind: str, folder):
    """The table, and where its release goes."""
    table = columns()
    if kind == "arrays":
        return table, None
    if kind == "pandas":
        return pd.DataFrame(table), None
    if kind == "polars":
        return pl.DataFrame(table), None
    if kind == "lazy":
        return pl.DataFrame(table).lazy(), None
    place = folder / f"table.{kind}"
    frame = pd.DataFrame(table)
    frame.to_csv(place, index=False) if kind == "csv" else frame.to_parquet(place)
    return place, folder / f"out.{kind}"


def ids(released: pf.Release) -> list[int]:
    frame = released.frame
    if isinstance(frame, dict):
        return frame["id"].tolist()
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()["id"].to_list()
    if hasattr(frame, "columns"):
        return list(frame["id"])
    read = pd.read_csv if str(frame).endswith("csv") else pd.read_parquet
    return list(read(frame)["id"])


@pytest.mark.parametrize("kind", ["arrays", "pandas", "polars", "lazy", "csv", "parquet"])
def test_the_half_that_was_fitted_is_not_released_and_all_others_are(kind, tmp_path):
    data, output = as_made(kind, tmp_path)
    halves = pf.split_half(data, column="value", secret="secret")
    released = pf.release(data, planned(halves), output, halves=halves)
    out = ids(released)
    heads = halves.coins.heads(0, ROWS)
    assert sorted(out) == np.flatnonzero(~heads).tolist()
    assert halves.rows_fitted == np.count_nonzero(heads)
    # What was fitted is, value by value, what is not published.
    table = columns()
    kept = Counter(zip(table["secret"][heads], table["value"][heads].tolist(), strict=True))
    fitted = {
        (secret, value): count
        for secret, group in halves.fitted.groups.items()
        for value, count in zip(group.values.tolist(), group.counts.tolist(), strict=True)
    }
    assert fitted == dict(kept)


def test_the_record_says_so_and_can_be_verified(tmp_path):
    table = columns()
    halves = pf.split_half(table, column="value", secret="secret")
    record = pf.release(table, planned(halves), halves=halves).record
    # A map that is private cannot be certified again from the public edition.
    for edition, verdict in (("internal", True), ("public", None)):
        place = tmp_path / f"{edition}.json"
        record.save(place, edition)
        assert pf.verify_record(place).verdict is verdict
        text = place.read_text()
        assert f"{halves.rows_fitted:,} other rows of the table" in text
    assert record.beliefs_from == "other rows"
    assert record.rows_read == ROWS - halves.rows_fitted


def test_missing_values_and_dropped_rows_stay_in_step():
    table = columns() | {"value": columns()["value"].astype(float)}
    table["value"][::7] = np.nan
    halves = pf.split_half(table, column="value", secret="secret")
    belief = pf.fit_belief(halves.fitted.without_missing(), family="empirical")
    found = pf.calibrate(pf.Scenario(belief), GOAL)
    plan = pf.Plan(
        calibration=found, column="value", secret="secret", keep_unprotected=("id",), missing="drop"
    )
    out = ids(pf.release(table, plan, halves=halves))
    stays = ~halves.coins.heads(0, ROWS) & ~np.isnan(table["value"])
    assert sorted(out) == np.flatnonzero(stays).tolist()


def test_a_plan_of_one_half_is_not_for_the_whole_table(tmp_path):
    table = columns()
    halves = pf.split_half(table, column="value", secret="secret")
    plan = planned(halves)
    with pytest.raises(pf.DataError, match="must not be published"):
        pf.release(table, plan)
    plan.save(tmp_path / "plan.json")
    with pytest.raises(pf.DataError, match="must not be published"):
        pf.release(table, pf.Plan.load(tmp_path / "plan.json"))


def test_another_split_or_another_table_is_refused():
    table = columns()
    halves, others = (pf.split_half(table, column="value", secret="secret") for _ in range(2))
    with pytest.raises(pf.DataError, match="not fitted on the other half"):
        pf.release(table, planned(halves), halves=others)
    belief = pf.fit_belief(table, "value", "secret", "empirical")
    whole = pf.Plan(
        calibration=pf.calibrate(pf.Scenario(belief), GOAL), column="value", secret="secret"
    )
    with pytest.raises(pf.DataError, match="not fitted on the other half"):
        pf.release(table, whole, halves=halves)
    shuffled = {name: each[::-1] for name, each in table.items()}
    with pytest.raises(pf.DataError, match="not the one that was split"):
        pf.release(shuffled, planned(halves), halves=halves)


def test_persons_and_folders_are_refused(tmp_path):
    table = columns()
    halves = pf.split_half(table, column="value", secret="secret")
    plan = pf.Plan(
        calibration=planned(halves).calibration,
        column="value",
        secret="secret",
        unit="person",
        person="id",
    )
    with pytest.raises(pf.UnsupportedError, match="person"):
        pf.release(table, plan, halves=halves)
    pd.DataFrame(table).to_csv(tmp_path / "one.csv")
    with pytest.raises(pf.UnsupportedError, match="join the files"):
        pf.split_half(tmp_path, column="value", secret="secret")


def test_rows_that_are_refused_are_named_by_their_number():
    table = {"value": [1.0, 2.0, math.inf], "secret": ["a", "b", "b"]}
    with pytest.raises(pf.DataError, match="row 3"):
        pf.split_half(table, column="value", secret="secret")


def test_a_release_of_one_half_also_adds_noise():
    table = datasets.adult_education()
    halves = pf.split_half(table, column="education-num", secret="race")
    belief = pf.fit_belief(halves.fitted.only(["Black", "Asian-Pac-Islander"]), family="gaussian")
    others = [each for each in halves.rest.groups if each not in belief.priors]
    found = pf.calibrate(pf.Scenario(belief), GOAL)
    plan = pf.Plan(calibration=found, column="education-num", secret="race", others=tuple(others))
    released = pf.release(table, plan, halves=halves)
    assert released.frame["education-num"].size == table["race"].size - halves.rows_fitted
