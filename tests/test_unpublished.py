"""What must never be in what is published, though it once was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.columns.story import story
from pufferfish.words.terminal import label_lines

LAWS = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.5, 1.0)}
CITIES = ["Bonn", "Kiel", "Hidden", "Bonn"]


def plan(**fields: Any) -> pf.Plan:
    belief = pf.Belief(LAWS, provenance="public")
    calibration = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0))
    return pf.Plan(calibration=calibration, column="x", secret="s", **fields)


def columns() -> dict[str, Any]:
    return {"x": [0.1, 0.2, np.nan, 0.4], "s": ["a", "b", "a", "b"], "city": CITIES}


def test_a_public_record_does_not_name_other_secrets() -> None:
    table = {"x": [0.1, 0.2, 0.3], "s": ["a", "b", "Jane Doe"]}
    record = pf.release(table, plan(others=("Jane Doe",))).record
    assert "Jane" in json.dumps(record.to_dict("internal"))
    assert "Jane" not in json.dumps(record.to_dict("public"))


@pytest.mark.parametrize("provenance", ["public", "fitted on the released column"])
@pytest.mark.parametrize("family", ["gaussian", "empirical"])
def test_a_public_record_does_not_count_rows_of_other_secrets(family: str, provenance: str) -> None:
    values = [*range(40), *range(10, 50), 987.25]
    table = {"x": np.array(values, dtype=float), "s": ["a"] * 40 + ["b"] * 40 + ["Jane Doe"]}
    some = pf.summarise(table, column="x", secret="s").only(["a", "b"])
    belief = pf.fit_belief(some, family=family, provenance=provenance)
    calibration = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0, 0.01))
    chosen = pf.Plan(calibration=calibration, column="x", secret="s", others=("Jane Doe",))
    record = pf.release(table, chosen).record
    public = json.dumps(record.to_dict("public"))
    assert "987.25" not in public
    assert '"frequencies"' not in public
    assert ('"frequencies"' in json.dumps(record.to_dict("internal"))) == (provenance != "public")


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv"])
def test_entries_of_dropped_rows_are_not_in_a_file(tmp_path: Path, kind: str) -> None:
    table = pa.table(columns())
    table = table.set_column(2, "city", table.column("city").dictionary_encode())
    pq.write_table(table, tmp_path / "in.parquet")
    target = tmp_path / f"out.{kind}"
    pf.release(
        tmp_path / "in.parquet",
        plan(missing="drop", keep_unprotected=("city",), keep_order=True),
        target,
    )
    assert b"Bonn" in target.read_bytes()
    assert b"Hidden" not in target.read_bytes()


def test_entries_of_dropped_rows_are_not_in_a_frame() -> None:
    chosen = plan(missing="drop", keep_unprotected=("city",), keep_order=True)
    frame = pd.DataFrame(columns()).astype({"city": "category"})
    released = pf.release(frame, chosen).frame
    assert sorted(released["city"].cat.categories) == ["Bonn", "Kiel"]
    assert released["city"].tolist() == ["Bonn", "Kiel", "Bonn"]
    polars = pl.DataFrame(columns()).with_columns(pl.col("city").cast(pl.Categorical))
    assert pf.release(polars, chosen).frame["city"].cast(pl.String).to_list() == [
        "Bonn",
        "Kiel",
        "Bonn",
    ]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([b"Foo, Bar", b"b", b"c", b"d"]),
        pa.array([["Foo, Bar"], ["b"], ["c"], ["d"]]),
        pa.array([{"k": "Foo, Bar"}] * 4),
    ],
    ids=lambda column: str(column.type),
)
def test_what_a_csv_cannot_hold_is_refused_without_being_quoted(
    tmp_path: Path, column: pa.Array
) -> None:
    table = pa.table({"x": [0.1, 0.2, 0.3, 0.4], "s": ["a", "b", "a", "b"], "k": column})
    pq.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(pf.DataError) as caught:
        pf.release(
            tmp_path / "in.parquet",
            plan(keep_unprotected=("k",), keep_order=True),
            tmp_path / "out.csv",
        )
    assert "'k'" in str(caught.value)
    assert "Foo" not in str(caught.value)
    assert [each.name for each in tmp_path.iterdir()] == ["in.parquet"]


def test_categories_with_a_delimiter_are_quoted(tmp_path: Path) -> None:
    kept = pa.array(["Foo, Bar", "b", "c", "d"]).dictionary_encode()
    table = pa.table({"x": [0.1, 0.2, 0.3, 0.4], "s": ["a", "b", "a", "b"], "k": kept})
    pq.write_table(table, tmp_path / "in.parquet")
    pf.release(
        tmp_path / "in.parquet",
        plan(keep_unprotected=("k",), keep_order=True),
        tmp_path / "out.csv",
    )
    assert pd.read_csv(tmp_path / "out.csv")["k"].tolist() == ["Foo, Bar", "b", "c", "d"]


def test_values_that_no_belief_considers_are_counted() -> None:
    record = pf.release({"x": [0.1, 1e6, -1e6], "s": ["a", "b", "a"]}, plan()).record
    assert record.rows_outside == 2
    assert "2 values are outside" in label_lines(story(record))
    assert any("far from all" in text for text in record.to_dict("public")["not_promised"])


def test_all_pairs_are_those_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of beliefs that lacks a secret does not make its rows unprotected in silence."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    secrets = np.repeat(["a", "b", "c"], 50)
    pd.DataFrame({"x": generator.normal(size=150), "s": secrets}).to_csv("t.csv", index=False)
    pd.DataFrame({"x": generator.normal(size=100), "s": secrets[:100]}).to_csv(
        "two.csv", index=False
    )
    options = ["-c", "x", "-s", "s"]
    assert run(["fit", "two.csv", *options, "-o", "b.json", "-q"]) == 0
    assert run(["release", "t.csv", *options, "-e", "1", "--belief", "b.json", "-o", "o.csv"]) == 2
    said = capsys.readouterr().err
    assert "lacks some of the secrets" in said
    assert "'c'" not in said
    given = ["--belief", "b.json", "--pair", "a:b", "-o", "o.csv", "-q", "--beliefs-from-plan"]
    assert run(["release", "t.csv", *options, "-e", "1", *given]) == 0


@pytest.mark.parametrize("ledger", ["o.csv", "o.csv.record.json", "o.csv.public.json"])
def test_a_ledger_has_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ledger: str
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"x": np.arange(80) % 7, "s": ["a", "b"] * 40}).to_csv("t.csv", index=False)
    options = ["-c", "x", "-s", "s", "-e", "1", "-o", "o.csv", "-q"]
    assert run(["release", "t.csv", *options, "--ledger", ledger]) == 2
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]


def test_a_column_may_be_named_by_a_number(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("2020,s,x\n1,a,0.5\n2,b,0.25\n", encoding="utf-8")
    released = pf.release(
        tmp_path / "t.csv", plan(keep_unprotected=("2020",), keep_order=True), tmp_path / "o.csv"
    )
    assert released.record.rows_published == 2


def test_equal_numbers_are_one_person() -> None:
    table = {"x": [0.1, 0.2], "s": ["a", "a"], "id": np.array([1, 1.0], dtype=object)}
    with pytest.raises(pf.DataError, match="more than 1 row"):
        pf.release(table, plan(unit="person", person="id"))
