"""A recoded column: true releases pass, raw and otherwise recoded ones are found."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import multinomial

import pufferfish as pf
from pufferfish.columns.recoded import FALSE_ALARM, PlannedMap, planned_map, recoded_appearance
from pufferfish.columns.statement import Facts
from pufferfish.documents.text import plain_document
from pufferfish.mechanisms import drawing_of
from tests import seams

ROWS = 3_000
RNG = np.random.default_rng(1)
TABLE = {
    "x": np.concatenate(
        [RNG.binomial(6, 0.5, ROWS).astype(float), RNG.binomial(6, 0.4, ROWS).astype(float)]
    ),
    "s": np.repeat(["a", "b"], ROWS),
}
HOLED = TABLE | {"x": np.where(RNG.random(2 * ROWS) < 0.1, np.nan, TABLE["x"])}
EDGES = (1.5, 2.5, 3.5)
# Listed values; bins after noise; noise that goes first because of δ; a hole that is a value.
CASES: dict[str, tuple[Any, dict[str, Any], pf.Guarantee]] = {
    "listed": (TABLE, {}, pf.Guarantee(0.5)),
    "any histogram": (TABLE, {"keep_histogram": False, "wrong": 0.02}, pf.Guarantee(0.5)),
    "bins": (TABLE, {"edges": EDGES}, pf.Guarantee(0.5)),
    "noise first": (TABLE, {}, pf.Guarantee(0.5, 0.01)),
    "holes": (HOLED, {}, pf.Guarantee(0.5)),
}


def plan_of(table: Any, asked: dict[str, Any], goal: pf.Guarantee) -> pf.Plan:
    belief = pf.fit_belief(table, column="x", secret="s", family="empirical")
    found = pf.calibrate(pf.Scenario(belief), goal, mechanism="recode", **asked)
    return pf.Plan(
        calibration=found,
        column="x",
        secret="s",
        missing="keep" if np.isnan(table["x"]).any() else "refuse",
    )


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Any, PlannedMap, pf.Record]:
    table, asked, goal = CASES[request.param]
    record = pf.release(table, plan_of(table, asked, goal)).record
    document = record.to_dict("internal")
    known = planned_map(document, Facts.from_dict(document))
    assert known is not None
    return table["x"], known, record


def drawn(law: pf.Recoding, column: Any, seed: int) -> Any:
    return drawing_of(law).draw(law, column, pf.NotPrivateEntropy(seed))


def verdict(column: Any, known: PlannedMap) -> bool | None:
    seen = recoded_appearance(np.array_split(column, 3), known)
    assert seen.rows == column.size
    return seen.verdict


def test_true_releases_pass(case: Any) -> None:
    column, known, _ = case
    for seed in range(20):
        assert verdict(drawn(known.law, column, seed), known) is True


def test_raw_values_are_found(case: Any) -> None:
    column, known, _ = case
    assert verdict(column, known) is False


def test_a_column_that_was_recoded_by_another_map_is_found(case: Any) -> None:
    column, known, _ = case
    table = known.law.table[:, ::-1]
    other = pf.Recoding(
        values=known.law.values,
        outputs=known.law.outputs,
        table=table,
        edges=known.law.edges,
        noise=known.law.noise,
    )
    assert verdict(drawn(other, column, 0), known) is False


def test_what_the_map_cannot_publish_is_found(case: Any) -> None:
    column, known, _ = case
    true = drawn(known.law, column, 0)
    true[7] = 2.25
    assert verdict(true, known) is False


def test_a_hole_is_found_where_none_can_be(case: Any) -> None:
    column, known, _ = case
    true = drawn(known.law, column, 0)
    true[7] = np.nan
    assert verdict(true, known) is (None in known.law.outputs)


def test_the_public_edition_has_no_map_to_compare_with(case: Any) -> None:
    column, _, record = case
    document = record.to_dict("public")
    assert planned_map(document, Facts.from_dict(document)) is None
    seen = recoded_appearance([column], None)
    assert seen.verdict is None
    assert seen.detail == "its table is private"


def test_small_tables_and_sure_maps_are_not_accused() -> None:
    """Where nothing is drawn, or next to nothing, counts are at their means."""
    sure = pf.Recoding.from_matrix([0.0, 1.0], np.eye(2))
    known = PlannedMap(sure, {0.0: 5, 1.0: 7})
    assert verdict(np.repeat([0.0, 1.0], [5, 7]), known) is True
    # One row too many of what is certain is no chance.
    assert verdict(np.repeat([0.0, 1.0], [6, 6]), known) is False
    fair = PlannedMap(pf.Recoding.from_matrix([0.0, 1.0], np.full((2, 2), 0.5)), {0.0: 1, 1.0: 1})
    for column in ([0.0, 0.0], [0.0, 1.0], [1.0, 1.0]):
        assert verdict(np.array(column), fair) is True


def test_how_often_true_releases_are_accused() -> None:
    """All columns of 24 draws of a coin: those that are accused are rarer than is said."""
    coin = pf.Recoding.from_matrix([0.0, 1.0], np.full((2, 2), 0.5))
    known = PlannedMap(coin, {0.0: 12, 1.0: 12})
    accused = sum(
        math.comb(24, ones)
        for ones in range(25)
        if verdict(np.repeat([0.0, 1.0], [24 - ones, ones]), known) is False
    )
    assert 0 < accused / 2.0**24 <= FALSE_ALARM


def test_the_likeliest_counts_of_a_multinomial_law() -> None:
    """Against all vectors of counts."""
    log_mode = seams.found(seams.LIKELIEST_COUNTS)
    for chances in ([0.2, 0.5, 0.3], [0.01, 0.01, 0.98], [1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]):
        for rows in (0, 1, 2, 7, 12):
            law = multinomial(rows, chances)
            largest = max(
                law.logpmf([a, b, rows - a - b])
                for a in range(rows + 1)
                for b in range(rows + 1 - a)
            )
            assert log_mode(rows, np.array(chances)) == pytest.approx(largest, abs=1e-9)


@pytest.mark.parametrize(
    "known",
    [
        PlannedMap(pf.Recoding.from_matrix([0.0, 1.0], np.eye(2)), {0.0: 1, 5.0: 1}),
        PlannedMap(pf.Recoding.from_matrix([0.0, 1.0], np.eye(2)), {0.0: 1}, missing=1),
        PlannedMap(pf.Recoding.from_matrix([0.0, 1.0], np.eye(2)), {0.0: 1, 1.0: 1}, radius=0.1),
        PlannedMap(pf.Recoding.from_matrix([0.0, 1.0], np.eye(2)), {0.0: 1}),
    ],
    ids=["values it does not take", "holes it does not take", "values in bins", "fewer rows"],
)
def test_counts_that_the_map_was_not_applied_to_say_nothing(known: PlannedMap) -> None:
    assert verdict(np.array([1.0, 1.0]), known) is None


@pytest.mark.parametrize("change", ["rows", "std"])
def test_counts_of_another_table_are_not_compared(change: str) -> None:
    record = pf.release(TABLE, plan_of(TABLE, {}, pf.Guarantee(0.5))).record
    document = record.to_dict("internal")
    if change == "rows":
        document["published"]["rows"] += 1
    else:
        document["table"]["column_std"] *= 1.01
    known = planned_map(document, Facts.from_dict(document))
    assert known is not None
    assert known.counts is None
    assert verdict(TABLE["x"], known) is None


def test_verify_finds_the_raw_file(tmp_path: Path) -> None:
    """The forger writes the raw column, with its checksum, beside a true record."""
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    rows = [f"{x:g},{s}" for x, s in zip(TABLE["x"], TABLE["s"], strict=True)]
    source.write_text("\n".join(["x,s", *rows]) + "\n", "utf-8")
    record = pf.release(str(source), plan_of(TABLE, {}, pf.Guarantee(0.5)), str(target)).record
    place = tmp_path / "out.csv.record.json"
    record.save(place, "internal")
    true = pf.verify_record(place)
    assert true.verdict is True
    target.write_text("\n".join(["x", *(f"{x:g}" for x in TABLE["x"])]) + "\n", "utf-8")
    forged = plain_document(place)
    forged["published"]["sha256"] = hashlib.sha256(target.read_bytes()).hexdigest()
    place.write_text(json.dumps(forged), "utf-8")
    found = pf.verify_record(place)
    assert found.verdict is False
    assert [each.claim for each in found.checks if each.verdict is False] == [
        "the values of out.csv look as this map leaves them"
    ]
