"""How well learners predict the secret: against what theory allows."""

from __future__ import annotations

import csv
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import mannwhitneyu, norm

import pufferfish as pf
from pufferfish.audits import DataAudit, audit_data
from pufferfish.core.errors import DataError, InvalidInputError, MissingExtraError
from tests import seams

pytestmark = pytest.mark.usefixtures("_one_thread")
ROWS = 4000


def _table(rows: int = ROWS, apart: float = 2.0) -> dict[str, Any]:
    """Two Gaussians, and a third secret that is in no pair."""
    source = np.random.default_rng(0)
    secret = np.array(["a", "b", "b", "c"] * (rows // 4))
    return {"x": source.normal(apart * (secret == "b"), 1.0), "s": secret}


@cache
def _plan(apart: float = 2.0, **fields: Any) -> pf.Plan:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(apart, 1.0), "c": pf.Gaussian(0.0, 1.0)}
    scenario = pf.Scenario([pf.Belief(laws, provenance="public")], pairs=[("a", "b")])
    calibration = pf.calibrate(scenario, pf.Guarantee(1.0))
    return pf.Plan(calibration=calibration, column="x", secret="s", **fields)


@cache
def _found() -> DataAudit:
    return audit_data(_table(), _plan())


def test_learners_reach_the_limit_and_do_not_pass_it() -> None:
    found = _found()
    assert found.pair == ("a", "b")
    assert found.rows == 3 * ROWS // 4  # "c" is in no pair
    # Two Gaussians 2 apart are told apart with Φ(1), and one of each with Φ(2/√2).
    assert found.limit_before.accuracy_upper == pytest.approx(norm.cdf(1.0), abs=1e-6)
    assert norm.cdf(np.sqrt(2.0)) <= found.limit_before.auc_upper <= norm.cdf(np.sqrt(2.0)) + 0.01
    assert found.limit_after.accuracy_upper < found.limit_before.accuracy_upper
    assert found.limit_after.accuracy_upper <= found.allowed.accuracy_upper
    assert found.allowed.accuracy_upper == pytest.approx(np.e / (1.0 + np.e))
    for each in found.learned:
        for score, limit in ((each.before, found.limit_before), (each.after, found.limit_after)):
            # Boosting on one noisy column loses some; nothing gains.
            assert limit.accuracy_upper - 0.06 < score.accuracy
            assert score.accuracy < limit.accuracy_upper + 5.0 * score.accuracy_error
            assert score.auc < limit.auc_upper + 5.0 * score.auc_error
    assert not found.beyond


def test_scores_agree_with_other_ways_to_compute_them() -> None:
    table = _table()
    values, target = (table["x"][table["s"] != "c"], (table["s"] == "b")[table["s"] != "c"])
    # One column, and a model that grows with it: the AUC is that of the column itself, up to the
    # folds; and the best guess cuts at 1.
    logistic = _found().learned[0].before
    ranks = mannwhitneyu(values[target], values[~target]).statistic
    assert logistic.auc == pytest.approx(ranks / (target.sum() * (~target).sum()), abs=0.003)
    right = [(values[target] > 1.0).mean(), (values[~target] <= 1.0).mean()]
    assert logistic.accuracy == pytest.approx(np.mean(right), abs=0.01)
    spread = np.sqrt(sum(p * (1 - p) / n for p, n in zip(right, (2000, 1000), strict=True))) / 2
    assert logistic.accuracy_error == pytest.approx(spread, rel=0.05)


def test_the_standard_error_of_an_auc_is_seen_in_repeats() -> None:
    source = np.random.default_rng(1)
    found = [
        mannwhitneyu(source.normal(1.0, 1.0, 60), source.normal(size=90)).statistic / 5400
        for _ in range(2000)
    ]
    # Known to 2% from so many; the formula assumes another law, and is off by some more.
    assert seams.found(seams.AUC_ERROR)(float(np.mean(found)), 90, 60) == pytest.approx(
        np.std(found), rel=0.1
    )


@pytest.mark.usefixtures("_quick")
def test_a_coin_where_there_is_nothing_to_learn() -> None:
    same = {**_table(), "x": np.random.default_rng(2).normal(size=ROWS)}
    for each in audit_data(same, _plan()).learned:
        for score in (each.before, each.after):
            assert abs(score.accuracy - 0.5) < 5.0 * score.accuracy_error
            assert abs(score.auc - 0.5) < 5.0 * score.auc_error


@pytest.mark.usefixtures("_quick")
def test_beliefs_that_know_too_little_are_noticed() -> None:
    # Believed are laws 0.2 apart; the data are 5 apart.
    found = audit_data(_table(apart=5.0), _plan(0.2))
    assert found.beyond
    assert "BEYOND THE LIMIT" in str(found)
    assert "BEYOND" not in str(audit_data(_table(), _plan()))


@pytest.mark.usefixtures("_quick")
def test_the_same_seed_gives_the_same_folds() -> None:
    one, other = (audit_data(_table(), _plan()).learned[0] for _ in range(2))
    assert one.before == other.before
    # The noise is drawn afresh from the operating system.
    assert one.after != other.after


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("as_file", [False, True])
def test_released_rows_in_order_are_matched(as_file: bool, tmp_path: Path) -> None:
    table, plan = _table(), _plan(keep_order=True)
    published: Any = np.asarray(pf.release(table, plan).frame["x"])
    if as_file:
        path = tmp_path / "out.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["x"], *([repr(value)] for value in published.tolist())])
        published = str(path)
    found = audit_data(table, plan, published)
    assert found.aligned
    assert "the released rows" in str(found)
    again = audit_data(table, plan, published)
    assert again == found  # nothing is drawn


@pytest.mark.usefixtures("_quick")
def test_a_release_without_noise_is_seen_in_its_rows() -> None:
    table, plan = _table(), _plan(keep_order=True)
    found = audit_data(table, plan, table["x"])
    assert found.beyond
    for each in found.learned:
        assert each.after == each.before


@pytest.mark.usefixtures("_quick")
def test_shuffled_rows_cannot_be_matched() -> None:
    with pytest.raises(InvalidInputError, match="random order"):
        audit_data(_table(), _plan(), np.zeros(3))
    found = audit_data(_table(), _plan())
    assert not found.aligned
    assert "a fresh draw of the same noise" in str(found)


@pytest.mark.usefixtures("_quick")
def test_missing_values_are_left_out() -> None:
    table = _table()
    table["x"] = np.where(np.arange(ROWS) % 8 == 0, np.nan, table["x"])
    plan = _plan(keep_order=True, missing="drop")
    published = np.asarray(pf.release(table, plan).frame["x"])
    found = audit_data(table, plan, published)
    # Every eighth row is an "a".
    assert found.rows == 3 * ROWS // 4 - ROWS // 8
    assert not found.beyond


def test_another_table_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="does not have the rows of the table"):
        audit_data(_table(), _plan(keep_order=True), np.zeros(ROWS - 1))


@pytest.mark.usefixtures("_quick")
def test_too_few_rows_are_refused() -> None:
    with pytest.raises(DataError, match="at least 50 rows of each secret"):
        audit_data(_table(rows=196), _plan())
    assert audit_data(_table(rows=200), _plan()).rows == 150


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        audit_data({"x": np.array([]), "s": np.array([], dtype=str)}, _plan())


@pytest.mark.usefixtures("_quick")
def test_very_many_rows_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    seams.put(monkeypatch, seams.ROWS_LEARNED_FROM, 1000)
    one, other = (audit_data(_table(), _plan(), seed=seed) for seed in (0, 1))
    assert one.rows == other.rows == 1000
    assert one.learned[0].before != other.learned[0].before


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[learn\]'"):
        audit_data(_table(), _plan())


def test_data_are_json() -> None:
    data = json.loads(json.dumps(_found().to_dict(), allow_nan=False))
    assert data["pair"] == ["a", "b"]
    assert data["beyond"] is False
    assert [each["learner"] for each in data["learned"]] == [
        "logistic regression",
        "gradient boosting",
    ]
    assert set(data["limit_after"]) == {"accuracy_upper", "auc_upper"}


@cache
def _holes(first: float, second: float, **fields: Any) -> tuple[dict[str, Any], pf.Plan]:
    """Two Gaussians whose values are missing, more or less often; holes are published."""
    source = np.random.default_rng(1)
    secret = np.repeat(["a", "b"], ROWS)
    values = source.normal(2.0 * (secret == "b"), 1.0)
    hole = source.random(2 * ROWS) < np.where(secret == "a", first, second)
    belief = pf.Belief(
        {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(2.0, 1.0)},
        provenance="public",
        missing={"a": first, "b": second},
    )
    calibration = pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0))
    plan = pf.Plan(calibration=calibration, column="x", secret="s", missing="keep", **fields)
    return {"x": np.where(hole, np.nan, values), "s": secret}, plan


@pytest.mark.parametrize(("first", "second"), [(0.5, 0.5), (0.2, 0.4)])
def test_holes_are_seen_and_counted(first: float, second: float) -> None:
    """Refutes "BEYOND THE LIMIT: a learner does better than every described adversary could".

    The limit counts the rows with a hole; learners were given only those with a value.
    """
    table, plan = _holes(first, second)
    found = audit_data(table, plan)
    assert found.rows == 2 * ROWS
    assert not found.beyond
    for each in found.learned:
        assert each.before.accuracy <= found.limit_before.accuracy_upper + 0.02
        assert each.before.accuracy >= found.limit_before.accuracy_upper - 0.03


@pytest.mark.usefixtures("_quick")
def test_holes_that_say_something_are_found() -> None:
    """The values are the same for both secrets: only the holes tell them apart."""
    source = np.random.default_rng(2)
    secret = np.repeat(["a", "b"], ROWS)
    hole = source.random(2 * ROWS) < np.where(secret == "a", 0.1, 0.2)
    table = {"x": np.where(hole, np.nan, source.normal(0.0, 1.0, 2 * ROWS)), "s": secret}
    same = pf.Gaussian(0.0, 1.0)
    belief = pf.Belief({"a": same, "b": same}, provenance="public", missing={"a": 0.1, "b": 0.2})
    calibration = pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0))
    plan = pf.Plan(
        calibration=calibration, column="x", secret="s", missing="keep", allow_no_noise=True
    )
    after = audit_data(table, plan).learned[0].after
    assert after.accuracy == pytest.approx(0.55, abs=0.015)


@pytest.mark.usefixtures("_quick")
def test_released_holes_stay_with_their_rows() -> None:
    table, plan = _holes(0.2, 0.4, keep_order=True)
    done = pf.release(table, plan)
    found = audit_data(table, plan, done.frame["x"])
    assert found.aligned
    assert found.rows == 2 * ROWS
    moved = np.roll(done.frame["x"], 1)
    with pytest.raises(InvalidInputError, match="does not have the rows"):
        audit_data(table, plan, moved)


@pytest.mark.usefixtures("_quick")
def test_rows_that_were_left_out_are_left_out() -> None:
    table = _table()
    table["x"] = np.where(np.arange(ROWS) % 5 == 0, np.nan, table["x"])
    plan = _plan(missing="drop", keep_order=True)
    done = pf.release(table, plan)
    kept = int(((table["s"] != "c") & ~np.isnan(table["x"])).sum())
    assert audit_data(table, plan, done.frame["x"]).rows == kept
    assert audit_data(table, plan).rows == kept


def _kept_table() -> dict[str, Any]:
    """The sign of x says whether the secret is that of k, and neither says anything alone."""
    source, rows = np.random.default_rng(6), 1000
    secret, other = (source.integers(0, 2, rows) for _ in range(2))
    apart = np.where(secret ^ other, 9.0, -9.0)
    return {
        "x": source.normal(apart, 1.0),
        "s": np.array(["a", "b"])[secret],
        "k": np.array(["u", "v"])[other],
        "n": source.normal(size=rows),
    }


def _given(kind: str, tmp_path: Path, table: dict[str, Any] | None = None) -> Any:
    table = _kept_table() if table is None else table
    if kind == "dict":
        return table
    frame = pl.DataFrame(table)
    if kind == "frame":
        return frame
    path = tmp_path / f"t.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    return str(path)


def test_learners_see_no_other_column() -> None:
    alone = audit_data(_kept_table(), _plan()).learned[1].after
    assert abs(alone.accuracy - 0.5) < 5.0 * alone.accuracy_error


@pytest.mark.parametrize("kind", ["dict", "frame", "csv", "parquet"])
def test_learners_see_every_published_column(kind: str, tmp_path: Path) -> None:
    found = audit_data(_given(kind, tmp_path), _plan(keep_unprotected=("k", "n")))
    assert found.kept == ("k", "n")
    for score in (found.learned[1].before, found.learned[1].after):
        assert score.accuracy > 0.95
    # The limit is about x alone; to be beyond it says nothing about the beliefs.
    assert not found.beyond
    text = str(found)
    assert "who sees 'x' alone" in text
    assert "The learners see 'k', 'n' as well" in text
    assert "allows" not in text
    assert "BEYOND" not in text
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["kept"] == ["k", "n"]
    assert "allowed" not in data


@pytest.mark.usefixtures("_quick")
def test_kept_columns_are_those_of_the_rows_that_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows without a value, of other secrets, and beyond the sample are left out of all columns."""
    seams.put(monkeypatch, seams.ROWS_LEARNED_FROM, 500)
    table = _table()
    table["k"] = (table["s"] == "b").astype(int)
    table["x"] = np.where(np.arange(ROWS) % 5 == 0, np.nan, table["x"])
    found = audit_data(table, _plan(missing="drop", keep_unprotected=("k",)))
    assert found.rows == 500
    assert found.learned[0].after.accuracy == 1.0


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("held", [1 << 26, 1 << 10])
@pytest.mark.parametrize("kind", ["dict", "frame", "csv", "parquet"])
def test_kept_columns_are_those_of_the_first_row_of_each_person(
    kind: str, held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Persons that fit into memory, and persons that do not; "NA" is marked as missing."""
    seams.put(monkeypatch, seams.PERSONS_HELD, held)
    once = _table()
    first = {"k": (once["s"] == "b").astype(int), "p": np.arange(ROWS)}
    # The second rows would tell nothing, and the wrong first ones neither.
    second = {"k": np.zeros(ROWS, dtype=int), "p": np.arange(ROWS)}
    table = {
        name: np.concatenate([(once | first)[name], (once | second)[name]])
        for name in ("x", "s", "k", "p")
    }
    unit = {"unit": "person", "person": "p", "one_row": "first"}
    plan = _plan(**unit, keep_unprotected=("k",), missing="drop")
    na: list[str] = []
    if kind == "csv":
        table["x"] = np.where(np.arange(2 * ROWS) % 9 == 0, "NA", table["x"].astype(str))
        na = ["NA"]
    found = audit_data(_given(kind, tmp_path, table), plan, na=na)
    assert found.rows == (3 * ROWS // 4 if kind != "csv" else found.rows)
    assert found.learned[0].after.accuracy == 1.0


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("holes", [False, True])
def test_a_recoding_is_drawn_afresh(holes: bool) -> None:
    """The best adversary's limit is that of the map, and a hole goes through it as any value."""
    source = np.random.default_rng(0)
    secret = np.repeat(["a", "b"], ROWS)
    values = source.binomial(6, np.where(secret == "a", 0.4, 0.6)).astype(float)
    if holes:
        values[source.random(values.size) < np.where(secret == "a", 0.2, 0.1)] = np.nan
    table = {"x": values, "s": secret}
    belief = pf.fit_belief(table, column="x", secret="s", family="empirical")
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5), mechanism="recode")
    plan = pf.Plan(calibration=found, column="x", secret="s", missing="keep" if holes else "refuse")
    learned = audit_data(table, plan)
    assert not learned.beyond
    assert "a fresh draw by the same recoding" in str(learned)
    assert learned.limit_after.auc_upper < learned.limit_before.auc_upper
    assert "drawn" not in learned.to_dict()
    in_order = pf.Plan(
        calibration=found,
        column="x",
        secret="s",
        missing="keep" if holes else "refuse",
        keep_order=True,
    )
    released = np.asarray(pf.release(table, in_order).frame["x"], dtype=float)
    assert audit_data(table, in_order, released).aligned
