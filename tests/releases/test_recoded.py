"""A recoding through the door: plan, release, record, verify, ledger, in every kind of table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pufferfish as pf

PAIR = ("Black", "Asian-Pac-Islander")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.DataFrame(pf.datasets.adult_education())


def plan_for(table: Any, **options: Any) -> pf.Plan:
    keep: dict[str, Any] = {
        name: options.pop(name) for name in ("missing", "others", "keep_order") if name in options
    }
    belief = pf.fit_belief(table, column="education-num", secret="race", family="empirical")
    calibration = pf.calibrate(
        pf.Scenario(belief, [PAIR]), pf.Guarantee(1.0), mechanism="recode", **options
    )
    return pf.Plan(calibration=calibration, column="education-num", secret="race", **keep)


def test_the_same_plan_serves_every_kind_of_table(table: pd.DataFrame, tmp_path: Path) -> None:
    plan = plan_for(table, keep_order=True)
    law = plan.calibration.mechanism
    assert isinstance(law, pf.Recoding)
    table.to_csv(tmp_path / "in.csv", index=False)
    table.to_parquet(tmp_path / "in.parquet", index=False)
    frames: list[Any] = [
        pf.release(table, plan).frame["education-num"],
        pf.release(pl.from_pandas(table), plan).frame["education-num"],
        pf.release({name: table[name].to_numpy() for name in table}, plan).frame["education-num"],
    ]
    pf.release_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    pf.release_file(tmp_path / "in.parquet", plan, tmp_path / "out.parquet")
    frames.append(pd.read_csv(tmp_path / "out.csv")["education-num"])
    frames.append(pd.read_parquet(tmp_path / "out.parquet")["education-num"])
    true = table["education-num"].to_numpy()
    stay = law.unchanged(dict(pd.Series(true).value_counts()))
    for each in frames:
        published = np.asarray(each)
        assert published.dtype == np.int64
        assert set(published) <= set(law.outputs)
        # Within 6 standard errors.
        assert abs((published == true).mean() - stay) < 3.0 / np.sqrt(true.size)


def test_a_record_of_a_private_table_tells_the_floor_and_no_figure(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    plan = plan_for(table, floor=1.0, wrong=0.03)
    table.to_csv(tmp_path / "in.csv", index=False)
    record = pf.release_file(tmp_path / "in.csv", plan, tmp_path / "out.csv").record
    for edition in ("internal", "public"):
        place = tmp_path / f"{edition}.json"
        record.save(place, edition=edition)
        assert pf.verify_record(place, tmp_path / "out.csv").verdict is not False
    internal, public = (
        json.loads((tmp_path / f"{edition}.json").read_text()) for edition in ("internal", "public")
    )
    assert public["noise"] == {"kind": "recoding-outline", "floor": 1.0, "own": False}
    assert public["recode"] == {
        "wrong": 0.03,
        "loss": "squared",
        "keep_histogram": True,
        "rmse": None,
        "unchanged": None,
        "wrong_of_table": False,
    }
    assert "rows" in internal["plan"]["noise"]
    text = (tmp_path / "public.json").read_text()
    figures = plan.calibration.recode
    assert figures is not None
    assert f"{figures.rmse:.4g}" not in text
    assert "within 3% of a described one" in public["promise"]
    assert any("depends on private data" in each for each in public["headline"])
    assert "noise" not in " ".join(public["not_promised"])


def test_a_floor_that_follows_from_private_data_is_told_roughly(table: pd.DataFrame) -> None:
    plan = plan_for(table)
    record = pf.release(table, plan).record
    law = plan.calibration.mechanism
    told: Any = record.facts.noise
    assert isinstance(law, pf.Recoding)
    assert law.kappa is not None
    assert law.kappa <= told.floor <= 1.3 * law.kappa


def test_public_beliefs_show_the_table_and_rounded_figures(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    scenario = pf.Scenario(pf.datasets.adult_tables(), [PAIR])
    calibration = pf.calibrate(scenario, pf.Guarantee(1.0), mechanism="recode")
    plan = pf.Plan(calibration=calibration, column="education-num", secret="race")
    record = pf.release(table, plan).record
    record.save(tmp_path / "public.json", edition="public")
    public = json.loads((tmp_path / "public.json").read_text())
    assert len(public["noise"]["rows"]) == 16
    figures = calibration.recode
    assert figures is not None
    assert public["recode"]["rmse"] == pytest.approx(figures.rmse, rel=0.06)
    assert public["recode"]["rmse"] != figures.rmse
    assert pf.verify_record(tmp_path / "public.json").verdict is not False


def test_a_plan_on_file_is_the_same_and_a_changed_one_is_found_out(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    plan = plan_for(table, floor=None, wrong=0.02)
    plan.save(tmp_path / "plan.json")
    again = pf.Plan.load(tmp_path / "plan.json")
    assert again == plan
    document = json.loads((tmp_path / "plan.json").read_text())
    rows = document["noise"]["rows"]
    rows[0], rows[-1] = rows[-1], rows[0]
    with pytest.raises(pf.CertificationError):
        pf.Plan.from_dict(document)
    document["noise"]["rows"] = [rows[3]] * len(rows)  # says nothing, and keeps any promise
    with pytest.raises(pf.InvalidInputError, match="do not follow"):
        pf.Plan.from_dict(document)
    document = json.loads((tmp_path / "plan.json").read_text())
    document["recode"]["rmse"] *= 0.5
    with pytest.raises(pf.InvalidInputError, match="rmse"):
        pf.Plan.from_dict(document)
    document = json.loads((tmp_path / "plan.json").read_text())
    document["recode"]["wrong"] = 0.2
    with pytest.raises(pf.CertificationError):
        pf.Plan.from_dict(document)


def test_a_record_with_a_changed_table_is_not_verified(table: pd.DataFrame, tmp_path: Path) -> None:
    record = pf.release(table, plan_for(table, wrong=0.02, floor=None)).record
    record.save(tmp_path / "record.json", edition="internal")
    document = json.loads((tmp_path / "record.json").read_text())
    rows = document["plan"]["noise"]["rows"]
    rows[0], rows[-1] = rows[-1], rows[0]
    (tmp_path / "record.json").write_text(json.dumps(document))
    assert pf.verify_record(tmp_path / "record.json").verdict is False


def test_values_that_are_not_listed_are_refused_by_row_and_not_by_value(
    table: pd.DataFrame,
) -> None:
    plan = plan_for(table)
    other = table.copy()
    other.loc[7, "education-num"] = 77
    with pytest.raises(pf.DataError, match="not in the list") as error:
        pf.release(other, plan)
    assert "77" not in str(error.value)


def test_a_missing_value_goes_through_the_map(table: pd.DataFrame) -> None:
    rng = np.random.default_rng(5)
    holes = table.copy()
    lost = rng.random(len(table)) < np.where(table["race"] == "Black", 0.2, 0.05)
    holes["education-num"] = holes["education-num"].astype(float).where(~lost)
    plan = plan_for(holes, missing="keep")
    published = pf.release(holes, plan).frame["education-num"]
    # The histogram is kept, holes included: within 6 standard errors.
    assert abs(published.isna().mean() - lost.mean()) < 3.0 / np.sqrt(lost.size)
    with pytest.raises(pf.PufferfishError):
        pf.release(holes, plan_for(table))


def test_repeats_are_charged_by_the_floor_and_refused_without_one(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    trial = plan_for(table, floor=0.03).calibration.composable
    assert trial is not None
    strong = plan_for(table, floor=0.45 / trial.distance_upper)
    ledger = tmp_path / "ledger.json"
    assert pf.release(table, strong, ledger=ledger).record
    # D·κ = 0.45 each: two fit into ε = 1, and three do not.
    assert pf.release(table, strong, ledger=ledger).record
    with pytest.raises(pf.BudgetExceededError):
        pf.release(table, strong, ledger=ledger)
    bare = plan_for(table, floor=None, wrong=0.02)
    other = tmp_path / "other.json"
    assert pf.release(table, bare, ledger=other).record
    with pytest.raises(pf.UnsupportedError, match="second release"):
        pf.release(table, bare, ledger=other)


def test_thousands_of_distinct_values_are_published_as_middles_of_bins(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    sex = rng.choice(["f", "m"], 20_000)
    wage = rng.integers(10_000, 15_000, 20_000) + np.where(sex == "m", 4_000, 0)
    table = pd.DataFrame({"wage": wage, "sex": sex})
    belief = pf.fit_belief(table, column="wage", secret="sex", family="empirical")
    calibration = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0), mechanism="recode")
    plan = pf.Plan(calibration=calibration, column="wage", secret="sex")
    law = calibration.mechanism
    assert isinstance(law, pf.Recoding)
    assert law.edges is not None
    published = pf.release(table, plan).frame["wage"]
    assert set(published) <= set(law.outputs)
    assert published.mean() == pytest.approx(wage.mean(), abs=6 * 2 * wage.std() / 141)
    assert calibration.recode is not None
    assert calibration.recode.laplace_rmse is not None
    assert calibration.recode.rmse < calibration.recode.laplace_rmse


def test_figures_that_do_not_follow_are_refused(table: pd.DataFrame) -> None:
    document = plan_for(table, keep_histogram=False).to_dict()
    for name, figure in (("keep_histogram", True), ("least_loss", 1e9)):
        with pytest.raises(pf.InvalidInputError, match=name):
            pf.Plan.from_dict(document | {"recode": document["recode"] | {name: figure}})


def test_several_rows_of_a_person_are_not_promised_to_wrong_laws() -> None:
    """Coupled as described, two equal rows cost 0.48; laws within 5% can be 100 apart."""
    counts = {"a": {0: 5, 1: 5}, "b": {0: 4, 1: 6}, "c": {0: 3, 100: 7}}
    laws = {name: pf.Discrete.from_counts(each) for name, each in counts.items()}
    scenario = pf.Scenario(pf.Belief(laws), [("a", "b")])
    persons: dict[str, Any] = {
        "column": "x",
        "secret": "s",
        "unit": "person",
        "person": "id",
        "rows_per_person": 2,
        "dependence": "equal",
    }
    for wrong, covered in ((0.05, False), (0.0, True)):
        found = pf.calibrate(
            scenario,
            pf.Guarantee(0.5),
            mechanism="recode",
            floor=0.24,
            wrong=wrong,
            nominal=not wrong,
        )
        if covered:
            assert pf.Plan(calibration=found, **persons).promise == pf.Guarantee(0.5)
        else:
            with pytest.raises(pf.UnsupportedError, match="may be wrong"):
                pf.Plan(calibration=found, **persons)


def test_a_floor_in_other_units_is_not_told_as_one_of_the_column(table: pd.DataFrame) -> None:
    gaps = 0.01 * np.abs(np.subtract.outer(np.arange(16.0), np.arange(16.0)))
    plan = plan_for(table, floor=100.0, metric=gaps, wrong=0.01)
    facts = pf.release(table, plan).record.facts
    assert facts.noise.at_floor is None
    assert "as much as Laplace noise" not in plan.calibration.explain()


def test_weights_are_not_public_because_beliefs_are(table: pd.DataFrame) -> None:
    scenario = pf.Scenario(pf.datasets.adult_tables(), [PAIR])
    for options, public in (({}, True), ({"weights": {1: 3.0, 99: 1.0}}, False)):
        found = pf.calibrate(scenario, pf.Guarantee(1.0), mechanism="recode", **options)
        plan = pf.Plan(calibration=found, column="education-num", secret="race")
        assert plan.public is public
        told = pf.release(table, plan).record.facts.to_dict()["noise"]
        assert ("rows" in told) is public
