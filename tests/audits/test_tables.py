"""Learners that see a whole published table: what the promise leaves them, and what is broken."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pufferfish as pf
from pufferfish.audits import TableAudit, audit_data
from pufferfish.calibration.mechanism import Mechanism
from pufferfish.core.errors import DataError, InvalidInputError, UnsupportedError

pytestmark = pytest.mark.usefixtures("_one_thread")
ROWS = 4000
PAIR = ("healthy", "ill")


def xor() -> dict[str, Any]:
    """Score, sex, diagnosis: no two say anything about each other, and two give away the third."""
    source = np.random.default_rng(4)
    ill, male = source.integers(0, 2, ROWS), source.integers(0, 2, ROWS)
    return {
        "score": 5 + 2 * (ill ^ male) + source.integers(0, 2, ROWS),
        "sex": np.array(["f", "m"])[male],
        "diagnosis": np.array(PAIR)[ill],
    }


def clinic() -> dict[str, Any]:
    """Ward and age tell the diagnosis apart, more so for one sex; some entries are missing.

    The note is the diagnosis in other words. Some have another diagnosis, and some none.
    """
    source = np.random.default_rng(9)
    ill, male = source.integers(0, 2, ROWS), source.random(ROWS) < 0.5
    ward = np.array(["a", "b", "c"])[np.clip(ill + source.integers(0, 2, ROWS), 0, 2)]
    table = {
        "ward": np.where(source.random(ROWS) < 0.1, "", ward),
        "age": source.integers(20, 40, ROWS) + np.where(male, 12, 5) * ill,
        "sex": np.where(male, "m", "f"),
        "city": np.array(["x", "y", "z"])[
            np.where(source.random(ROWS) < 0.4, 2 * ill, source.integers(0, 3, ROWS))
        ],
        "note": np.array(["no", "yes"])[ill],
        "diagnosis": np.array(PAIR)[ill].astype(object),
    }
    table["diagnosis"][:200] = "other"
    table["diagnosis"][200:300] = None
    return table


def planned(
    table: Any,
    columns: tuple[str, ...],
    *,
    secret: Any = "diagnosis",
    epsilon: float = 1.0,
    known: tuple[str, ...] = (),
    fit: dict[str, Any] | None = None,
    calibrate: dict[str, Any] | None = None,
    pairs: Any = (PAIR,),
    **plan: Any,
) -> pf.Plan:
    more = {"known": list(known)} if known else {}
    beliefs = pf.fit_beliefs(
        table,
        columns=list(columns),
        secret=secret,
        families=("empirical",),
        min_group=1,
        **more,
        **(fit or {}),
    )
    keep = plan.get("keep", ())
    found = pf.calibrate(
        pf.Scenario(beliefs, pairs),
        pf.Guarantee(epsilon),
        mechanism="recode",
        floor=None,
        **({"keep": keep} if keep else {}),
        **(calibrate or {"nominal": True}),
    )
    return pf.Plan(calibration=found, columns=columns, secret=secret, known=known, **plan)


def in_clinic(table: Any = None, **asked: Any) -> pf.Plan:
    fields = {"fit": {"edges": {"age": [25, 35]}}, "others": ("other",)} | asked
    return planned(clinic() if table is None else table, ("ward", "age"), **fields)


def audited(*given: Any, **how: Any) -> TableAudit:
    found = audit_data(*given, **how)
    assert isinstance(found, TableAudit)
    return found


@cache
def _xor(*, kept: bool) -> tuple[dict[str, Any], TableAudit]:
    table = xor()
    known = ("sex",) if kept else ()
    columns = ("score",) if kept else ("score", "sex")
    plan = planned(table, columns, known=known, keep=known)
    return table, audited(table, plan)


@pytest.mark.parametrize("kept", [True, False])
def test_what_two_columns_say_together_is_seen_and_bounded(kept: bool) -> None:
    table, found = _xor(kept=kept)
    assert found.pair == PAIR
    assert found.rows == ROWS
    assert found.fitted is True
    (tried,) = found.tried
    logistic, boosting = tried.learned
    assert boosting.before.accuracy > 0.98
    assert logistic.before.accuracy < 0.55
    # It reaches nearly all that is allowed, so a little more would have been noticed.
    limit = tried.allowed.accuracy_upper
    assert limit == pytest.approx(np.e / (1.0 + np.e), abs=0.001)
    assert limit - 0.04 < boosting.after.accuracy < limit + 5.0 * boosting.after.accuracy_error
    assert not found.beyond
    assert "BEYOND" not in str(found)
    male = [(table["sex"] == "m")[table["diagnosis"] == each].mean() for each in PAIR]
    alone = 0.5 + 0.5 * abs(male[0] - male[1]) if kept else 0.5
    assert tried.alone.accuracy_upper == pytest.approx(alone)


def test_words_say_who_decides_and_what_is_known() -> None:
    _, found = _xor(kept=True)
    text = str(found)
    assert "for somebody who knows sex = " in text
    assert "from 'score' and 'sex' together, 4,000 rows, a fresh draw by the same recoding" in text
    assert "- 'sex' by itself: 5" in text
    assert "- the promise allows somebody who knows 'sex' 73." in text
    assert "known" not in str(_xor(kept=False)[1])
    assert "- the promise allows 73.2% right, AUC 0.732" in str(_xor(kept=False)[1])


def test_data_are_json() -> None:
    data = json.loads(json.dumps(_xor(kept=True)[1].to_dict(), allow_nan=False))
    assert data["pair"] == list(PAIR)
    assert data["kept"] == ["sex"]
    assert data["beyond"] is False
    assert set(data["given"]) == {"sex"}
    assert set(data["tried"][0]["allowed"]) == {"accuracy_upper", "auc_upper"}
    assert [each["learner"] for each in data["tried"][0]["learned"]] == [
        "logistic regression",
        "gradient boosting",
    ]


class TestBroken:
    """What a learner must catch."""

    def test_a_mechanism_that_leaves_everything_as_it_is(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = xor()
        plan = planned(table, ("score", "sex"))
        monkeypatch.setattr(Mechanism, "apply", lambda self, values: np.maximum(values, 0))
        found = audited(table, plan)
        assert found.beyond
        assert "BEYOND THE LIMIT" in str(found)
        assert found.tried[0].learned[1].after.accuracy > 0.98

    def test_one_stratum_that_is_left_as_it_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Half of the rows are protected, and half are not."""
        table = xor()
        plan = planned(table, ("score",), known=("sex",), keep=("sex",))
        drawn, male = Mechanism.apply, plan.mechanisms[1].noise
        monkeypatch.setattr(
            Mechanism,
            "apply",
            lambda self, values: values if self.noise == male else drawn(self, values),
        )
        assert audited(table, plan).beyond

    @pytest.mark.usefixtures("_quick")
    def test_a_map_that_was_made_for_another_table(self) -> None:
        """It keeps its promise for a table in which wards say nothing; here they say much."""
        table = clinic()
        other = {**table, "ward": np.random.default_rng(3).permutation(table["ward"])}
        fields = {"fit": {}, "others": ("other",), "known": ("sex",), "keep": ("sex",)}
        plan = planned(other, ("ward",), epsilon=0.1, **fields)
        found = audited(table, plan)
        assert found.fitted is False
        assert found.beyond
        assert "The beliefs of the plan were not fitted to these rows" in str(found)
        assert not audited(other, plan).beyond

    @pytest.mark.usefixtures("_quick")
    def test_released_rows_that_were_never_drawn(self) -> None:
        table = clinic()
        plan = in_clinic(keep=("sex",), known=("sex",), keep_order=True, epsilon=0.1)
        done = pf.release(table, plan).frame
        assert not audited(table, plan, done).beyond
        middles = {0: 22.5, 1: 30.0, 2: 37.5}
        true = {"ward": table["ward"], "sex": table["sex"]}
        true["age"] = np.array([middles[each] for each in np.digitize(table["age"], [25, 35])])
        found = audited(table, plan, true)
        assert found.aligned
        assert found.beyond
        (learned,) = found.tried[0].learned
        assert learned.after.accuracy == pytest.approx(learned.before.accuracy, abs=0.01)


@pytest.mark.usefixtures("_quick")
class TestKnowledge:
    def test_known_and_not_published_is_tried_with_and_without(self) -> None:
        found = audited(clinic(), in_clinic(known=("sex", "city"), keep=("sex",)))
        one, both = found.tried
        assert (one.known, both.known) == (("sex",), ("sex", "city"))
        assert both.alone.accuracy_upper > one.alone.accuracy_upper + 0.1
        assert both.learned[0].after.accuracy > one.learned[0].after.accuracy
        assert not found.beyond
        assert "Also with 'city', known but not published:" in str(found)
        assert "'sex' and 'city' by themselves: " in str(found)

    def test_known_labels_are_those_that_are_published(self) -> None:
        """Merged values and bands, not what is behind them."""
        rule = {"merged": {"city": {"x": "w", "y": "w"}}, "edges": {"age": [30]}}
        plan = planned(
            clinic(),
            ("ward",),
            known=("city", "age"),
            keep=("city", "age"),
            fit=rule,
            others=("other",),
        )
        (tried,) = audited(clinic(), plan).tried
        table = clinic()
        chosen = np.isin(table["diagnosis"].astype(str), PAIR)
        seen = np.stack([table["city"] == "z", table["age"] >= 30], axis=1)[chosen]
        ill = (table["diagnosis"] == "ill")[chosen]
        best = sum(
            max((seen[ill] == z).all(axis=1).mean(), (seen[~ill] == z).all(axis=1).mean())
            for z in ((0, 0), (0, 1), (1, 0), (1, 1))
        )
        assert tried.alone.accuracy_upper == pytest.approx(best / 2)

    def test_unprotected_columns_are_seen_and_there_is_no_limit(self) -> None:
        found = audited(clinic(), in_clinic(keep_unprotected=("note",)))
        assert found.tried[0].learned[0].after.accuracy == 1.0
        assert not found.beyond
        assert "The learners see 'note' as well" in str(found)
        assert "no limit for them" in str(found)
        assert "allowed" not in found.to_dict()["tried"][0]

    def test_only_rows_of_the_pair_are_used(self) -> None:
        """Neither those of other secrets nor those without any."""
        assert audited(clinic(), in_clinic()).rows == ROWS - 300

    def test_missing_secrets_that_are_a_group(self) -> None:
        table = clinic()
        table["diagnosis"][:1000] = None
        pair = ("(missing)", "ill")
        plan = in_clinic(
            table,
            fit={"edges": {"age": [25, 35]}, "missing_secret": True},
            pairs=[pair],
            others=("healthy",),
            missing_secret=True,
        )
        found = audited(table, plan)
        assert found.pair == pair
        assert found.rows == 1000 + int((table["diagnosis"] == "ill").sum())

    @pytest.mark.parametrize("jointly", [False, True])
    def test_several_secrets(self, jointly: bool) -> None:
        plan = planned(
            clinic(),
            ("ward",),
            secret=["sex", "note"],
            fit={"jointly": jointly},
            jointly=jointly,
            pairs=None,
        )
        found = audited(clinic(), plan)
        first = found.pair[0]
        assert " = " in str(first)
        assert (", " in str(first)) == jointly
        assert found.rows == ROWS if not jointly else found.rows < ROWS
        assert not found.beyond

    def test_laws_that_may_be_wrong_and_rows_never_seen(self) -> None:
        table = clinic()
        plan = in_clinic(table, calibrate={"wrong": 0.02})
        table["ward"][:40] = "new"
        found = audited(table, plan)
        assert found.fitted is False
        assert not found.beyond
        table["ward"][:400] = "new"
        with pytest.raises(DataError, match="rows have values that no belief considers"):
            audited(table, plan)
        with pytest.raises(DataError, match="no belief describes this"):
            audited(table, in_clinic())


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("kind", ["dict", "frame", "csv", "parquet"])
def test_any_kind_of_table(kind: str, tmp_path: Path) -> None:
    table = clinic()
    table["ward"] = np.where(table["ward"] == "", "?", table["ward"])
    frame = pl.DataFrame(table)
    given: Any = {"dict": table, "frame": frame}.get(kind, str(tmp_path / f"t.{kind}"))
    if kind in ("csv", "parquet"):
        frame.write_csv(given) if kind == "csv" else frame.write_parquet(given)
    fields = {"keep": ("sex",), "known": ("sex",), "keep_order": True}
    plan = in_clinic(table, keep_unprotected=("note",), **fields)
    output = tmp_path / f"out.{kind}" if kind in ("csv", "parquet") else None
    done = pf.release(given, plan, output)
    released = done.frame if output is None else str(output)
    fresh, aligned = audited(given, plan), audited(given, plan, released)
    for found in (fresh, aligned):
        assert found.rows == ROWS - 300
        assert found.fitted is True
        assert found.tried[0].learned[0].before == fresh.tried[0].learned[0].before
        assert found.tried[0].learned[0].after.accuracy == 1.0
    assert aligned.aligned


@pytest.mark.usefixtures("_quick")
class TestNumbers:
    """A column of numbers with noise, by strata."""

    def plan(self, **fields: Any) -> pf.Plan:
        beliefs = [
            pf.Belief(
                {"healthy": pf.Gaussian(30.0, 6.0), "ill": pf.Gaussian(mean, 6.0)},
                name=sex,
                given={"sex": sex},
                provenance="public",
            )
            for sex, mean in (("f", 35.0), ("m", 42.0))
        ]
        found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.5), keep=["sex"])
        return pf.Plan(
            calibration=found,
            columns=["age"],
            secret="diagnosis",
            keep=["sex"],
            others=("other",),
            **fields,
        )

    def table(self) -> dict[str, Any]:
        table = clinic()
        table["age"] = np.where(np.arange(ROWS) % 4 == 0, np.nan, table["age"])
        return table

    def test_rows_that_are_left_out(self) -> None:
        plan, table = self.plan(missing="drop", keep_order=True), self.table()
        done = pf.release(table, plan).frame
        for found in (audited(table, plan), audited(table, plan, done)):
            assert found.rows == (ROWS - 300) * 3 // 4
            assert found.fitted is None
            assert not found.beyond
        assert "a fresh draw of the same noise" in str(audited(table, plan))

    def test_noise_that_is_not_there(self) -> None:
        plan, table = self.plan(keep_order=True), clinic()
        found = audited(table, plan, {"age": table["age"], "sex": table["sex"]})
        assert found.beyond


@pytest.mark.usefixtures("_quick")
class TestRefusals:
    def test_shuffled_rows(self) -> None:
        with pytest.raises(InvalidInputError, match="random order"):
            audited(clinic(), in_clinic(), clinic())

    def test_released_rows_of_another_table(self) -> None:
        plan = in_clinic(keep=("sex",), known=("sex",), keep_order=True)
        done = dict(pf.release(clinic(), plan).frame)
        for bad in (
            {name: each[1:] for name, each in done.items()},
            {name: np.roll(each, 1) for name, each in done.items()},
        ):
            with pytest.raises(
                InvalidInputError, match="does not have the rows of the table, or has them"
            ):
                audited(clinic(), plan, bad)
        del done["sex"]
        with pytest.raises(InvalidInputError, match="no column 'sex'"):
            audited(clinic(), plan, done)

    def test_too_few_rows(self) -> None:
        table = {name: each[250:420] for name, each in clinic().items()}
        with pytest.raises(DataError, match="at least 50 rows of each secret"):
            audited({name: each[:80] for name, each in table.items()}, in_clinic(table))

    def test_no_rows(self) -> None:
        with pytest.raises(DataError, match="no rows"):
            audited({name: each[:0] for name, each in clinic().items()}, in_clinic())

    def test_a_spark_frame(self) -> None:
        class Frame:
            sparkSession = None

        with pytest.raises(UnsupportedError, match="on this machine"):
            audited(Frame(), in_clinic())
