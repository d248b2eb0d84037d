"""One row for each person: the same from every kind of table, in memory or not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local import heaps
from pufferfish.tables.local.one_row import reduce_arrays, reduce_frame, reduce_table
from pufferfish.tables.local.pieces import open_table
from pufferfish.tables.one_row import OneRow, means
from tests import seams

KINDS = ["dict", "pandas", "polars", "lazy", "arrow", "csv", "parquet", "folder"]
HOW = {"person": "who", "column": "x", "secret": "s"}


def table(rows: int = 4000) -> dict[str, Any]:
    """Persons with one to many rows; of some no value is known."""
    draw = np.random.default_rng(8)
    numbers = draw.integers(0, 1500, rows)
    values = np.round(draw.normal(100.0, 20.0, rows), 1)
    values[(draw.random(rows) < 0.1) | (numbers % 97 == 0)] = np.nan
    names = np.array([f"person {number}" for number in range(1500)])
    kept = np.array([f"row {number}" for number in range(rows)])
    return {"who": names[numbers], "s": np.array(["a", "b"])[numbers % 2], "x": values, "k": kept}


def given(kind: str, columns: dict[str, Any], folder: Path) -> Any:
    frame = pd.DataFrame(columns)
    if kind == "dict":
        return columns
    if kind == "pandas":
        return frame.set_index(np.arange(len(frame))[::-1])
    if kind in ("polars", "lazy"):
        made = pl.from_pandas(frame)
        return made.lazy() if kind == "lazy" else made
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    if kind == "arrow":
        return arrow
    if kind == "folder":
        (folder / "in").mkdir()
        for number in range(4):
            size = -(-arrow.num_rows // 4)
            part = arrow.slice(number * size, size)
            pq.write_table(part, folder / "in" / f"{number}.parquet", row_group_size=130)
        return folder / "in"
    path = folder / f"in.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        pq.write_table(arrow, path, row_group_size=130)
    return path


def expected(columns: dict[str, Any], way: str) -> dict[str, tuple[str, float]]:
    """By hand, for each person."""
    found: dict[str, tuple[str, list[float]]] = {}
    for who, secret, value in zip(columns["who"], columns["s"], columns["x"], strict=True):
        found.setdefault(who, (secret, []))[1].append(float(value))
    made = {}
    for who, (secret, values) in found.items():
        there = [each for each in values if not math.isnan(each)]
        mean = math.fsum(there) / len(there) if there else math.nan
        made[who] = (secret, values[0] if way == "first" else mean)
    return made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["first", "mean"])
@pytest.mark.parametrize("most_held", [1 << 26, 20_000])
def test_counts_are_those_of_persons(
    kind: str, way: Any, most_held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where persons wait in a temporary file, in pieces, and some of them once more."""
    seams.put(monkeypatch, seams.PERSONS_HELD, most_held)
    seams.put(monkeypatch, seams.BLOCK_BYTES, 4096)
    columns = table()
    by_hand = expected(columns, way)
    data = given(kind, columns, tmp_path)
    found = pf.summarise(data, column="x", secret="s", person="who", one_row=way)
    for label, group in found.groups.items():
        wanted = np.array([value for secret, value in by_hand.values() if secret == label])
        assert group.missing == np.isnan(wanted).sum()
        values = np.repeat(group.values, group.counts)
        assert np.allclose(values, np.sort(wanted[~np.isnan(wanted)]), rtol=1e-14)
    # To the last bit the same as from arrays: fit and release must not differ.
    plain = pf.summarise(columns, column="x", secret="s", person="who", one_row=way)
    for label, group in plain.groups.items():
        assert np.array_equal(group.values, found.groups[label].values)


def plan(columns: dict[str, Any], way: Any, **fields: Any) -> pf.Plan:
    counted = pf.summarise(columns, column="x", secret="s", person="who", one_row=way)
    beliefs = pf.fit_beliefs(counted, families=["empirical"])
    return pf.Plan(
        calibration=pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0, 0.05)),
        column="x",
        secret="s",
        unit="person",
        person="who",
        one_row=way,
        missing="keep",
        **fields,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["first", "mean"])
@pytest.mark.parametrize("most_held", [1 << 26, 20_000])
def test_released_is_one_row_of_each_person(
    kind: str, way: Any, most_held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put(monkeypatch, seams.PERSONS_HELD, most_held)
    columns = table()
    by_hand = [value for _, value in expected(columns, way).values()]
    chosen = plan(columns, way)
    data = given(kind, columns, tmp_path)
    if isinstance(data, Path):
        done = pf.release(data, chosen, tmp_path / "out.parquet")
        published = pq.read_table(done.frame).column("x").to_numpy()
        assert sorted(each.name for each in tmp_path.iterdir()) == sorted(
            [data.name, "out.parquet"]
        )
    else:
        done = pf.release(data, chosen)
        frame = done.frame.collect() if kind == "lazy" else done.frame
        published = np.asarray(frame["x"], dtype=np.float64)
    assert published.size == len(by_hand)
    assert np.isnan(published).sum() == np.isnan(by_hand).sum()
    assert done.record.rows_read == len(by_hand)
    assert done.record.rows_missing == np.isnan(by_hand).sum()
    # The noise has this std, so the means are within 5 of their stds of each other.
    std = chosen.calibration.noise.std
    distance = abs(np.nanmean(published) - np.nanmean(by_hand))
    assert distance < 5.0 * std / math.sqrt(len(by_hand))


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_kept_columns_are_those_of_the_first_row(kind: str, tmp_path: Path) -> None:
    columns = table()
    firsts: dict[str, str] = {}
    for who, kept in zip(columns["who"], columns["k"], strict=True):
        firsts.setdefault(who, kept)
    data = given(kind, columns, tmp_path)
    chosen = plan(columns, "first", keep_unprotected=("k",))
    if isinstance(data, Path):
        pf.release(data, chosen, tmp_path / "out.parquet")
        kept = pq.read_table(tmp_path / "out.parquet").column("k").to_pylist()
    else:
        frame = pf.release(data, chosen).frame
        frame = frame.collect() if kind == "lazy" else frame
        column = frame["k"]
        kept = column.to_pylist() if kind == "arrow" else list(column)
    assert sorted(kept) == sorted(firsts.values())


def test_rows_wait_in_a_file_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[Any] = []
    real = heaps.Scratch
    monkeypatch.setattr(heaps, "Scratch", lambda place: places.append(place) or real(place))
    seams.put(monkeypatch, seams.PERSONS_HELD, 20_000)
    columns = table()
    pf.release(given("csv", columns, tmp_path), plan(columns, "mean"), tmp_path / "out.csv")
    # Counting has no output to wait beside: the system's folder, without a name there, too.
    assert set(places) == {tmp_path, None}
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_long_texts_wait_in_a_file_however_few_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is held is counted in bytes: a row may be of any size."""
    dealt: list[int] = []
    real = heaps.Heaps.deal

    def deal(self: Any, rows: Any) -> None:
        dealt.append(sum(each.nbytes for each in rows))
        real(self, rows)

    monkeypatch.setattr(heaps.Heaps, "deal", deal)
    seams.put(monkeypatch, seams.PERSONS_HELD, 1 << 17)
    columns = table(1000)
    columns["k"] = np.array([each.ljust(3000) for each in columns["k"]])
    done = pf.release(
        given("parquet", columns, tmp_path),
        plan(columns, "first", keep_unprotected=("k",)),
        tmp_path / "out.parquet",
    )
    assert dealt
    assert done.record.rows_published == len(expected(columns, "first"))


def test_texts_that_are_gathered_have_long_offsets(tmp_path: Path) -> None:
    """Arrow's usual texts end at 2 GiB; a table of more was cut off there without a word."""
    columns = table(200)
    path = given("parquet", columns, tmp_path)
    how = OneRow(**HOW, way="first", keep=("k",))
    with open_table(path, FileFormat(kind="parquet"), how.read, "x", "s") as opened:
        found = reduce_table(opened, how, None)
        rows = sum(piece.rows.num_rows for piece in found.pieces)
    kinds = {field.name: field.type for field in found.schema}
    assert {kinds[name] for name in ("k", "s", "who")} == {pa.large_string()}
    assert rows == len(expected(columns, "first"))


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_categories_inside_other_values_are_kept_as_values(kind: str, tmp_path: Path) -> None:
    """From files as from frames."""
    columns = table(400)
    entries = pa.array([f"town {number % 7}" for number in range(400)]).dictionary_encode()
    kept = pa.StructArray.from_arrays([entries], ["town"])
    frame = pa.Table.from_pandas(pd.DataFrame(columns), preserve_index=False)
    frame = frame.set_column(frame.schema.get_field_index("k"), "k", kept)
    chosen, out = plan(columns, "first", keep_unprotected=("k",)), tmp_path / "out.parquet"
    if kind == "parquet":
        pq.write_table(frame, tmp_path / "in.parquet")
        pf.release(tmp_path / "in.parquet", chosen, out)
        found = pq.read_table(out)
    else:
        found = pf.release(frame, chosen).frame
    firsts: dict[str, Any] = {}
    for who, each in zip(columns["who"], kept.to_pylist(), strict=True):
        firsts.setdefault(who, each["town"])
    assert sorted(each["town"] for each in found.column("k").to_pylist()) == sorted(firsts.values())


def test_a_mean_stays_between_its_values() -> None:
    """Five equal values have that value for their mean, to the last bit."""
    values = np.array([0.1, 0.7, 1e-3, 170.1, 1e100])
    persons = np.repeat(np.arange(5), 7)
    assert np.array_equal(means(persons, np.repeat(values, 7)), values)
    with_holes = means(np.array([0, 0, 1, 2]), np.array([1.0, np.nan, np.nan, np.inf]))
    assert with_holes[0] == 1.0
    assert np.isnan(with_holes[1])
    assert with_holes[2] == np.inf
    both = means(np.array([0, 0]), np.array([np.inf, -np.inf]))
    assert np.isinf(both[0])


def test_the_order_of_rows_does_not_change_a_mean() -> None:
    draw = np.random.default_rng(1)
    persons = np.repeat(np.arange(50), 40)
    values = draw.normal(size=2000) * 10.0 ** draw.integers(-8, 8, 2000)
    order = draw.permutation(2000)
    assert np.array_equal(means(persons, values), means(persons[order], values[order]))


def test_infinite_values_and_rows_of_nobody_are_refused() -> None:
    how = {"column": "x", "secret": "s", "person": "who", "one_row": "mean"}
    rows = {"x": [1.0, math.inf, 2.0], "s": ["a", "a", "b"], "who": ["u", "u", "v"]}
    with pytest.raises(pf.DataError, match="infinite"):
        pf.summarise(rows, **how)  # type: ignore[arg-type]
    for frame in (pd.DataFrame, pl.DataFrame):
        with pytest.raises(pf.DataError, match="do not say which person"):
            pf.summarise(frame(rows | {"who": ["u", None, "v"]}), **how)  # type: ignore[arg-type]


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="first or mean"):
        OneRow(**HOW, way="last")  # type: ignore[arg-type]
    with pytest.raises(pf.InvalidInputError, match="kept columns"):
        OneRow(**HOW, way="mean", keep=("k",))
    rows = {"x": [1.0], "s": ["a"], "n": [2]}
    with pytest.raises(pf.InvalidInputError, match="belong together"):
        pf.summarise(rows, column="x", secret="s", one_row="mean")
    with pytest.raises(pf.InvalidInputError, match="count="):
        pf.summarise(rows, column="x", secret="s", count="n", person="s", one_row="mean")
    with pytest.raises(pf.InvalidInputError, match="who"):
        reduce_arrays(rows, OneRow(**HOW, way="mean"))
    with pytest.raises(pf.InvalidInputError, match="who"):
        reduce_frame(pd.DataFrame(rows), OneRow(**HOW, way="mean"))


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    """A plan was made before; the rows of a pipe become one for each person on their way."""
    import subprocess
    import sys

    columns = table(600)
    source = given("csv", columns, tmp_path)
    plan(columns, "first").save(tmp_path / "plan.json")
    command = [sys.executable, "-m", "pufferfish", "release", "-", "--format", "csv"]
    command += ["--plan", "plan.json", "-o", "out.csv"]
    with source.open("rb") as file:
        done = subprocess.run(command, stdin=file, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 1 + len(
        expected(columns, "first")
    )
