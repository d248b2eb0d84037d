"""Frames released: every kind alike, every row noised by the certified law, nothing else shown."""

from __future__ import annotations

import hashlib
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.calibration import mechanism
from pufferfish.calibration.least_noise import recertify
from pufferfish.columns import session as column_release
from pufferfish.tables.local import transform
from tests.sampling.fit import rejects_counts

KINDS = ["dict", "pandas", "polars", "lazy", "arrow"]


@cache
def points(distance: float = 1.0, **missing: float) -> pf.Calibration:
    """For two values this far apart: Laplace noise of about this scale, on a fine grid."""
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([distance], [1.0])}
    return pf.calibrate(pf.Scenario(pf.Belief(laws, missing=missing)), pf.Guarantee(1.0))


def plan(calibration: pf.Calibration | None = None, **fields: Any) -> pf.Plan:
    return pf.Plan(calibration=calibration or points(), column="x", secret="s", **fields)


# Noise too small to be seen beside values that are whole numbers.
FAINT = 1e-3


def faint(**fields: Any) -> pf.Plan:
    return plan(points(FAINT), **fields)


def frame_of(kind: str, columns: dict[str, Any]) -> Any:
    if kind == "dict":
        return {name: np.asarray(column) for name, column in columns.items()}
    rows = len(next(iter(columns.values())))
    if kind == "pandas":
        index = pd.Index([f"row {7 * row % rows}" for row in range(rows)], name="who")
        return pd.DataFrame(columns, index=index)
    if kind == "arrow":
        table, third = pa.table(columns), max(rows // 3, 1)
        return pa.concat_tables([table[:third], table[third : third + 1], table[third + 1 :]])
    polars = pl.DataFrame(columns)
    return polars.lazy() if kind == "lazy" else polars


def columns_of(frame: Any) -> dict[str, npt.NDArray[Any]]:
    if isinstance(frame, dict):
        return frame
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pa.Table):
        return {name: frame[name].to_numpy() for name in frame.column_names}
    return {name: frame[name].to_numpy() for name in frame.columns}


def kind_of(frame: Any) -> str:
    names = {dict: "dict", pd.DataFrame: "pandas", pl.DataFrame: "polars", pa.Table: "arrow"}
    return names.get(type(frame), "lazy" if isinstance(frame, pl.LazyFrame) else "other")


def types_of(frame: Any) -> dict[str, str]:
    if isinstance(frame, dict):
        return {name: str(column.dtype) for name, column in frame.items()}
    if isinstance(frame, pa.Table):
        return {field.name: str(field.type) for field in frame.schema}
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    return {name: str(frame[name].dtype) for name in frame.columns}


def table(rows: int = 60) -> dict[str, list[Any]]:
    return {
        "n": [row % 5 for row in range(rows)],
        "s": ["ab"[row % 2] for row in range(rows)],
        "t": [f"text {row}" for row in range(rows)],
        "x": [100.0 * row for row in range(rows)],
        "f": [row / 7 for row in range(rows)],
    }


# Every kind of frame.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whole", [False, True])
def test_a_frame_comes_back_as_it_was_but_for_noise(kind: str, whole: bool) -> None:
    columns = table()
    given_frame = frame_of(kind, columns)
    before = {name: column.copy() for name, column in columns_of(given_frame).items()}
    steps = (pf.RoundTo(1.0),) if whole else ()
    done = pf.release(
        given_frame, faint(keep_unprotected=("t", "n"), keep_order=True, postprocess=steps)
    )
    assert kind_of(done.frame) == kind
    found = columns_of(done.frame)
    # The order is that of the table; the secret, and what was not kept, are gone.
    assert list(found) == ["n", "t", "x"]
    types = types_of(done.frame)
    for name in ("n", "t"):
        assert found[name].tolist() == columns[name]
        assert types[name] == types_of(given_frame)[name]
    assert found["x"].dtype == (np.int64 if whole else np.float64)
    # Row by row the same value, but for the noise.
    assert np.allclose(found["x"], columns["x"], atol=50 * FAINT, rtol=0.0)
    if not whole:
        assert not np.any(found["x"] == np.array(columns["x"]))
    # What was given is not touched.
    for name, column in columns_of(given_frame).items():
        assert np.array_equal(column, before[name])
    assert done.record.rows_read == done.record.rows_published == 60


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whole", [False, True])
def test_where_nothing_is_kept_rows_are_shuffled(kind: str, whole: bool) -> None:
    columns = table()
    steps = (pf.RoundTo(1.0),) if whole else ()
    done = pf.release(frame_of(kind, columns), faint(postprocess=steps))
    assert kind_of(done.frame) == kind
    found = columns_of(done.frame)
    assert list(found) == ["x"]
    rounded = np.rint(found["x"])
    assert not np.array_equal(rounded, columns["x"])
    assert np.array_equal(np.sort(rounded), columns["x"])
    again = columns_of(pf.release(frame_of(kind, columns), faint()).frame)["x"]
    assert not np.array_equal(np.rint(again), rounded)


@pytest.mark.parametrize("missing", ["refuse", "drop"])
@pytest.mark.parametrize("kind", KINDS)
def test_whole_rows_are_shuffled(kind: str, missing: Any) -> None:
    columns = table()
    if missing == "drop":
        columns["x"] = [None if row % 6 == 0 else value for row, value in enumerate(columns["x"])]
    rows = [row for row in range(60) if columns["x"][row] is not None]
    given_frame = frame_of(kind, columns)
    done = pf.release(given_frame, faint(keep_unprotected=("t", "n"), missing=missing))
    assert kind_of(done.frame) == kind
    assert done.record.order == "random"
    found = columns_of(done.frame)
    assert list(found) == ["n", "t", "x"]
    order = np.rint(found["x"] / 100.0).astype(int).tolist()
    assert order != rows
    assert sorted(order) == rows
    # What was kept went with its row.
    assert found["t"].tolist() == [f"text {row}" for row in order]
    assert found["n"].tolist() == [row % 5 for row in order]
    again = columns_of(
        pf.release(given_frame, faint(keep_unprotected=("t", "n"), missing=missing)).frame
    )
    assert np.rint(again["x"] / 100.0).tolist() != order


def test_categories_do_not_tell_the_old_order() -> None:
    """A dictionary lists its entries as they were first seen: after the shuffle, not before."""
    rows = 200
    names = [f"name {row:03}" for row in range(rows)]
    columns = {"s": ["a", "b"] * (rows // 2), "x": [100.0 * row for row in range(rows)]}
    given_frame = pa.table({**columns, "t": pa.array(names).dictionary_encode()})
    kept = pf.release(given_frame, faint(keep_unprotected=("t",))).frame["t"].combine_chunks()
    assert sorted(kept.dictionary.to_pylist()) == names
    assert kept.dictionary.to_pylist() != names
    assert kept.indices.to_pylist() == list(range(rows))


def test_views_of_text_are_shuffled_with_their_rows() -> None:
    """Arrow cannot move them as they are."""
    columns = table()
    given_frame = pa.table({**columns, "t": pa.array(columns["t"], pa.string_view())})
    found = pf.release(given_frame, faint(keep_unprotected=("t",))).frame
    order = np.rint(found["x"].to_numpy() / 100.0).astype(int).tolist()
    assert found["t"].to_pylist() == [f"text {row}" for row in order]


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_can_be_kept_alone(kind: str) -> None:
    found = columns_of(pf.release(frame_of(kind, table()), faint(keep_order=True)).frame)
    assert list(found) == ["x"]
    assert np.array_equal(np.rint(found["x"]), table()["x"])


@pytest.mark.parametrize(
    "fields",
    [
        {"keep_unprotected": ("t",), "keep_order": True},
        {"keep_unprotected": ("t",)},
        {},
        {"keep_order": True},
    ],
    ids=str,
)
def test_a_pandas_index_is_dropped(fields: dict[str, Any]) -> None:
    done = pf.release(frame_of("pandas", table()), faint(**fields))
    assert done.frame.index.equals(pd.RangeIndex(60))
    assert done.frame.index.name is None


def test_pandas_types_of_kept_columns_survive() -> None:
    columns = table(30)
    given_frame = pd.DataFrame(columns, index=range(100, 130))
    given_frame["whole"] = pd.array([None if row % 4 == 0 else row for row in range(30)], "Int64")
    given_frame["truth"] = pd.array(
        [None if row % 5 == 0 else True for row in range(30)], "boolean"
    )
    given_frame["kind"] = pd.Categorical(
        [["u", "v", None][row % 3] for row in range(30)], categories=["v", "u", "w"], ordered=True
    )
    given_frame["text"] = pd.array(
        [None if row % 6 == 0 else f"é{row}" for row in range(30)], "string"
    )
    given_frame["when"] = pd.date_range("2020-01-01", periods=30, tz="Europe/Berlin")
    given_frame["small"] = np.arange(30, dtype=np.int8)
    kept = ("whole", "truth", "kind", "text", "when", "small", "n")
    for missing in ("refuse", "drop"):
        done = pf.release(
            given_frame, faint(keep_unprotected=kept, keep_order=True, missing=missing)
        )
        expected = given_frame.reset_index(drop=True)[["n", *kept[:-1]]]
        # Only the categories of rows that are published, in their order.
        expected["kind"] = expected["kind"].cat.remove_unused_categories()
        pd.testing.assert_frame_equal(done.frame.drop(columns="x"), expected)
        assert str(done.frame["x"].dtype) == "float64"
    # The same, with holes to drop.
    holes = given_frame.assign(x=[math.nan if row % 3 == 1 else 100.0 * row for row in range(30)])
    done = pf.release(holes, faint(keep_unprotected=kept, keep_order=True, missing="drop"))
    expected = holes[holes["x"].notna()].reset_index(drop=True)
    expected["kind"] = expected["kind"].cat.remove_unused_categories()
    pd.testing.assert_frame_equal(done.frame.drop(columns="x"), expected[["n", *kept[:-1]]])
    assert np.array_equal(np.rint(done.frame["x"]), expected["x"])


def test_polars_and_arrow_types_of_kept_columns_survive() -> None:
    polars = pl.DataFrame(table(30)).with_columns(
        pl.col("t").cast(pl.Categorical).alias("kind"),
        pl.col("n").cast(pl.UInt8).alias("small"),
        pl.concat_list("n", "n").alias("list"),
        pl.when(pl.col("n") > 2).then(pl.col("t")).alias("gaps"),
    )
    kept = ("kind", "small", "list", "gaps")
    done = pf.release(polars, faint(keep_unprotected=kept, keep_order=True))
    assert done.frame.drop("x").equals(polars.select(kept))
    assert done.frame.schema["small"] == pl.UInt8
    arrow = polars.select("x", "s", *kept).to_arrow()
    released = pf.release(arrow, faint(keep_unprotected=kept, keep_order=True)).frame
    assert released.drop_columns("x").equals(arrow.select(kept))


@pytest.mark.parametrize("column", ["decimal", "uint8", "int64", "float32"])
def test_every_kind_of_number_can_be_protected(column: str) -> None:
    values = pl.Series("x", range(0, 200, 10))
    kinds: dict[str, Any] = {
        "decimal": pl.Decimal(10, 2),
        "uint8": pl.UInt8,
        "int64": pl.Int64,
        "float32": pl.Float32,
    }
    frame = pl.DataFrame({"x": values.cast(kinds[column]), "s": ["a", "b"] * 10})
    found = pf.release(frame, faint(keep_order=True)).frame["x"]
    assert found.dtype == pl.Float64
    assert found.round(0).to_list() == values.to_list()


def test_a_lazy_frame_is_noised_once() -> None:
    """Otherwise each look at it would draw anew, and the average would betray the value."""
    drawn = 0

    def looked(frame: pl.DataFrame) -> pl.DataFrame:
        nonlocal drawn
        drawn += 1
        return frame

    lazy = pl.DataFrame(table()).lazy().map_batches(looked)
    for fields in ({}, {"keep_unprotected": ("t",), "keep_order": True}):
        drawn = 0
        done = pf.release(lazy, plan(**fields))
        assert drawn == 1
        one, other = done.frame.collect(), done.frame.collect()
        assert one.equals(other)
        assert drawn == 1


def test_two_releases_draw_their_own_noise() -> None:
    one, other = (
        columns_of(pf.release(table(), plan(keep_order=True)).frame)["x"] for _ in range(2)
    )
    assert not np.any(one == other)


@pytest.mark.parametrize("kind", KINDS)
def test_the_record_knows_the_published_column(kind: str) -> None:
    done = pf.release(frame_of(kind, table()), plan(keep_unprotected=("t",), keep_order=True))
    published = columns_of(done.frame)["x"].astype("<f8").tobytes()
    assert done.record.sha256 == hashlib.sha256(published).hexdigest()
    assert (done.record.checksum_of, done.record.output) == ("column", None)
    assert done.record.column_std == pytest.approx(np.std(table()["x"]))


# The law of the noise.

STEPS = 8
# Noise 8 steps wide on a coarse grid: its law can be seen cell by cell.
LAW = pf.LaplaceNoise(4.0, 0.5)


def mass(n: int) -> float:
    """P(G = n) of the certified law."""
    rate = math.exp(-1.0 / STEPS)
    return (1.0 - rate) / (1.0 + rate) * rate ** abs(n)


@cache
def coarse() -> pf.Calibration:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([0.5], [1.0])}
    return recertify(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0), LAW)


DRAWS = 200_000


def values_between(low: float, high: float) -> npt.NDArray[np.float64]:
    """On the grid and off it, but never in the middle between two of its points."""
    generator = np.random.default_rng(3)
    steps = generator.integers(int(2 * low), int(2 * high), DRAWS)
    return 0.5 * (steps + generator.choice([0.0, 0.0, 0.2, -0.3, 0.49], DRAWS))


@pytest.mark.parametrize("kind", KINDS)
def test_released_values_follow_the_certified_law(kind: str) -> None:
    values = values_between(-1000.0, 1000.0)
    secrets = np.where(values > 0.0, "a", "b")
    frame = frame_of(kind, {"x": values, "s": secrets})
    released = columns_of(pf.release(frame, plan(coarse(), keep_order=True)).frame)["x"]
    steps = 2.0 * released
    assert np.array_equal(steps, np.rint(steps))
    noise = (steps - np.floor(2.0 * values + 0.5)).astype(np.int64)
    assert not rejects_counts(noise, mass)
    # Neither the secret, nor the place, nor being on the grid makes a difference.
    on_grid = 2.0 * values == np.rint(2.0 * values)
    for part in (secrets == "a", secrets == "b", on_grid, ~on_grid):
        assert not rejects_counts(noise[part], mass)
    for part in (slice(0, DRAWS // 4), slice(-DRAWS // 4, None)):
        assert not rejects_counts(noise[part], mass)


@pytest.mark.parametrize("factor", [0.9, 0.95, 1.05])
def test_the_test_would_see_noise_of_another_size(factor: float) -> None:
    generator = np.random.default_rng(4)
    rate = 1.0 - math.exp(-1.0 / (factor * STEPS))
    draws = generator.geometric(rate, DRAWS) - generator.geometric(rate, DRAWS)
    assert rejects_counts(draws, mass)
    # Also where only some of the rows have it.
    if factor == 0.9:
        true = 1.0 - math.exp(-1.0 / STEPS)
        good = generator.geometric(true, DRAWS) - generator.geometric(true, DRAWS)
        assert not rejects_counts(good, mass)
        assert rejects_counts(np.where(np.arange(DRAWS) % 2, good, draws), mass)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [1, 2, 6, 7, 8, 13, 14, 15, 22])
def test_every_row_is_noised_at_every_edge(
    kind: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transform, "BATCH", 7)
    monkeypatch.setattr(mechanism, "CHUNK", 3)
    # On the grid, so that a value without noise would be published as it is.
    values = np.arange(rows, dtype=np.float64)
    columns = {"x": values, "s": np.array(["a", "b"] * 20)[:rows], "k": values}
    for fields in ({"keep_unprotected": ("k",), "keep_order": True}, {"keep_order": True}, {}):
        found = columns_of(pf.release(frame_of(kind, columns), plan(**fields)).frame)
        assert found["x"].size == rows
        # 3e-8 a row by chance.
        assert not np.isin(found["x"], values).any()
        if "k" in found:
            assert np.array_equal(found["k"], values)


def test_every_row_of_a_large_frame_is_noised() -> None:
    rows = 2**20 + 3
    values = np.arange(rows, dtype=np.float64)
    frame = pa.table({"x": values, "s": pa.array(["a", "b"]).take(pa.array(np.arange(rows) % 2))})
    done = pf.release(frame, plan(keep_order=True))
    noise = done.frame["x"].to_numpy() - values
    assert np.count_nonzero(noise == 0.0) <= 5
    for edge in (0, 2**16 - 1, 2**16, 2**20 - 1, 2**20, rows - 1):
        assert noise[edge] != 0.0
    assert abs(noise.std() - math.sqrt(2.0) * 1.25) < 0.02
    assert done.record.rows_read == done.record.rows_published == rows
    assert done.record.column_std == pytest.approx(values.std())


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    fields=st.sampled_from(
        [{}, {"keep_unprotected": ("k",), "keep_order": True}, {"keep_order": True}]
    ),
)
def test_any_values_are_near_what_is_published(values: list[float], fields: Any) -> None:
    columns = {"x": np.array(values), "s": ["a"] * len(values), "k": np.arange(len(values))}
    found = pf.release(columns, plan(**fields)).frame["x"]
    expected = np.array(values)
    if not fields:
        found, expected = np.sort(found), np.sort(expected)
    assert found.shape == expected.shape
    # Beyond 40 scales there is no probability to speak of.
    assert np.all(np.abs(found - expected) < 45.0)


# Missing values.


def with_holes(kind: str) -> Any:
    columns = table(12)
    holes: list[Any] = [None if row in (3, 7) else value for row, value in enumerate(columns["x"])]
    if kind == "dict":
        holes = [math.nan if each is None else each for each in holes]
    return frame_of(kind, {**columns, "x": holes})


@pytest.mark.parametrize("kind", KINDS)
def test_holes_are_refused_by_row(kind: str) -> None:
    with pytest.raises(pf.DataError, match="column 'x', row 4: the value is missing"):
        pf.release(with_holes(kind), faint())


@pytest.mark.parametrize("kind", KINDS)
def test_holes_can_be_dropped(kind: str) -> None:
    done = pf.release(
        with_holes(kind), faint(missing="drop", keep_unprotected=("t", "n"), keep_order=True)
    )
    found = columns_of(done.frame)
    rows = [row for row in range(12) if row not in (3, 7)]
    assert np.rint(found["x"]).tolist() == [100.0 * row for row in rows]
    assert found["t"].tolist() == [f"text {row}" for row in rows]
    assert found["n"].tolist() == [row % 5 for row in rows]
    record = done.record
    assert (record.rows_read, record.rows_published, record.rows_missing) == (12, 10, 2)
    shuffled = columns_of(pf.release(with_holes(kind), faint(missing="drop")).frame)["x"]
    assert sorted(np.rint(shuffled)) == [100.0 * row for row in rows]


def null_count(frame: Any, name: str) -> int:
    if isinstance(frame, dict):
        return int(np.isnan(frame[name]).sum())
    if isinstance(frame, pa.Table):
        return int(frame[name].null_count)
    if isinstance(frame, pd.DataFrame):
        return int(frame[name].isna().sum())
    return int(frame.lazy().collect()[name].null_count())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whole", [False, True])
def test_holes_stay_holes_where_the_beliefs_allow_for_them(kind: str, whole: bool) -> None:
    allowing = points(FAINT, a=0.1, b=0.1)
    steps = (pf.RoundTo(1.0),) if whole else ()
    chosen = plan(
        allowing, missing="keep", keep_unprotected=("t",), keep_order=True, postprocess=steps
    )
    done = pf.release(with_holes(kind), chosen)
    found = columns_of(done.frame)["x"].astype(np.float64)
    assert np.flatnonzero(np.isnan(found)).tolist() == [3, 7]
    assert null_count(done.frame, "x") == 2
    present = [row for row in range(12) if row not in (3, 7)]
    assert np.rint(found[present]).tolist() == [100.0 * row for row in present]
    record = done.record
    assert (record.rows_read, record.rows_published, record.rows_missing) == (12, 12, 2)
    # Shuffled, they move with the others.
    places = set()
    for _ in range(8):
        shuffled = columns_of(pf.release(with_holes(kind), plan(allowing, missing="keep")).frame)
        hidden = np.isnan(shuffled["x"].astype(np.float64))
        assert hidden.sum() == 2
        places.add(tuple(np.flatnonzero(hidden)))
    assert len(places) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_holes_that_a_belief_rules_out_are_refused(kind: str) -> None:
    # Rows 4 and 8 (of 1...) have the secret "b".
    with pytest.raises(pf.DataError, match="row 4: the value is missing, which the beliefs"):
        pf.release(with_holes(kind), plan(points(FAINT), missing="keep"))
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([FAINT], [1.0])}
    beliefs = [
        pf.Belief(laws, name="one", missing={"a": 0.1, "b": 0.1}),
        pf.Belief(laws, name="other"),
    ]
    split = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    with pytest.raises(pf.DataError, match="cannot happen"):
        pf.release(with_holes(kind), plan(split, missing="keep"))


@pytest.mark.parametrize("missing", ["drop", "keep"])
def test_a_column_of_holes_only_is_refused_or_kept(missing: Any) -> None:
    frame = pl.DataFrame({"x": [None, None], "s": ["a", "b"]})
    if missing == "drop":
        with pytest.raises(pf.DataError, match="no values"):
            pf.release(frame, plan(missing="drop"))
    else:
        done = pf.release(frame, plan(points(1.0, a=0.5, b=0.5), missing="keep"))
        assert done.frame["x"].to_list() == [None, None]


# Secrets.


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_secret_is_refused_without_being_named(kind: str) -> None:
    columns = table(9)
    columns["s"][6] = "rarissima"
    with pytest.raises(
        pf.DataError, match="column 's', row 7: this secret is not in the plan"
    ) as caught:
        pf.release(frame_of(kind, columns), plan())
    assert "rarissima" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nothing", [None, ""])
def test_a_row_without_a_secret_is_published_without_a_promise(
    kind: str, nothing: str | None
) -> None:
    """Empty text is all that a CSV has for it, so it counts as missing everywhere."""
    columns = table(9)
    columns["s"][6] = nothing
    if kind == "dict":
        columns["s"] = np.array(columns["s"], dtype=object)  # type: ignore[assignment]
    for chosen in (plan(), plan(others=("",)), faint(keep_order=True)):
        done = pf.release(frame_of(kind, columns), chosen)
        assert done.record.rows_unprotected == 1
        assert done.record.rows_published == 9
    # It goes through the mechanism like all others.
    assert columns_of(done.frame)["x"][6] != columns["x"][6]
    assert columns_of(done.frame)["x"][6] == pytest.approx(columns["x"][6], abs=1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_other_secrets_are_noised_and_counted(kind: str) -> None:
    columns = table(12)
    columns["s"][2] = columns["s"][11] = "c"
    chosen = faint(others=("c", "d"), keep_order=True)
    done = pf.release(frame_of(kind, columns), chosen)
    assert done.record.rows_unprotected == 2
    found = columns_of(done.frame)["x"]
    assert not np.any(found == np.array(columns["x"]))
    assert np.array_equal(np.rint(found), columns["x"])
    assert any("none of the pairs" in text for text in done.record.to_dict()["not_promised"])


def test_unprotected_rows_are_counted_among_the_published_ones() -> None:
    columns = {"x": [1.0, math.nan, 3.0, math.nan], "s": ["a", "c", "c", "c"]}
    record = pf.release(columns, plan(missing="drop", others=("c",))).record
    assert record.rows_published == 2
    assert record.rows_unprotected == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("secrets", [(1, 2), (True, False), (0, -5)])
def test_whole_numbers_and_truths_are_secrets(kind: str, secrets: tuple[Any, Any]) -> None:
    laws = dict(zip(secrets, (pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0])), strict=True))
    calibration = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0))
    chosen = pf.Plan.from_json(plan(calibration).to_json())
    assert {type(each) for each in chosen.secrets} == {type(secrets[0])}
    columns = {"x": [1.0, 2.0, 3.0], "s": [secrets[0], secrets[1], secrets[0]]}
    assert pf.release(frame_of(kind, columns), chosen).record.rows_unprotected == 0
    with pytest.raises(pf.DataError, match="row 1"):
        pf.release(frame_of(kind, {"x": [1.0], "s": [str(secrets[0])]}), chosen)


def test_categories_that_do_not_occur_are_no_secrets() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "s": pd.Categorical(["a", "b"], ["z", "a", "b"])})
    assert pf.release(frame, plan()).record.rows_read == 2


# Persons.


def per_person(rows: int = 1) -> pf.Plan:
    return plan(unit="person", person="p", rows_per_person=rows, dependence="independent")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["u", "v", "w", "v"], [3, 1, 2, 1]])
def test_a_person_with_more_rows_than_promised_is_refused(
    kind: str, labels: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"x": [1.0, 2.0, 3.0, 4.0], "s": ["a", "b", "a", "b"], "p": labels}
    # Also where the rows of a person are in different batches.
    for batch in (2**20, 2, 1):
        monkeypatch.setattr(transform, "BATCH", batch)
        # Four rows are too few to test what they have in common; that has tests of its own.
        monkeypatch.setattr(column_release, "refuse_dependent", lambda *_: True)
        with pytest.raises(pf.DataError, match="column 'p': some person has more than 1 row"):
            pf.release(frame_of(kind, columns), per_person())
        done = pf.release(frame_of(kind, columns), per_person(2))
        assert list(columns_of(done.frame)) == ["x"]
        assert done.record.plan.promise == pf.Guarantee(2.0)
        assert "at most 2 rows" in done.record.to_dict()["promise"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_persons_may_be_categories(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transform, "BATCH", 2)
    monkeypatch.setattr(column_release, "refuse_dependent", lambda *_: True)
    frame = pl.DataFrame(
        {"x": [1.0, 2.0, 3.0], "s": ["a", "b", "a"], "p": ["u", "v", "u"]}
    ).with_columns(pl.col("p").cast(pl.Categorical))
    given_frame: Any = frame
    if kind == "pandas":
        given_frame = frame.to_pandas()
    elif kind == "arrow":
        given_frame = frame.to_arrow()
    with pytest.raises(pf.DataError, match="some person"):
        pf.release(given_frame, per_person())
    assert pf.release(given_frame, per_person(2)).record.rows_read == 3


NO_PERSON: list[tuple[str, Any]] = [
    *((kind, ["u", None, "w"]) for kind in ("pandas", "polars", "lazy", "arrow")),
    ("dict", np.array(["u", None, "w"], dtype=object)),
    ("dict", np.array(["u", math.nan, "w"], dtype=object)),
    ("dict", np.array([1.0, math.nan, 2.0])),
    ("dict", np.ma.masked_array([1, 2, 3], mask=[False, True, False])),
]


@pytest.mark.parametrize(("kind", "persons"), NO_PERSON)
def test_a_row_of_nobody_is_refused(kind: str, persons: Any) -> None:
    columns = {"x": [1.0, 2.0, 3.0], "s": ["a", "b", "a"], "p": persons}
    frame = columns if kind == "dict" else frame_of(kind, columns)
    with pytest.raises(pf.DataError, match="person"):
        pf.release(frame, per_person())


# Refusals.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e300])
def test_values_that_cannot_be_noised_are_refused_by_row(kind: str, value: float) -> None:
    columns = table(9)
    columns["x"][4] = value
    with pytest.raises(pf.DataError, match="column 'x', row 5"):
        pf.release(frame_of(kind, columns), plan())


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_counted_through_all_batches(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transform, "BATCH", 4)
    columns = table(30)
    columns["x"][22] = math.inf
    with pytest.raises(pf.DataError, match="row 23"):
        pf.release(frame_of(kind, columns), plan())


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_number_is_refused(kind: str) -> None:
    for column in (["1", "2"], [True, False]):
        with pytest.raises(pf.DataError, match="must hold numbers"):
            pf.release(frame_of(kind, {"x": column, "s": ["a", "b"]}), plan())


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_is_not_there_is_refused(kind: str) -> None:
    frame = frame_of(kind, table(5))
    for fields in (
        {"column": "xx"},
        {"secret": "ss"},
        {"keep_unprotected": ("tt",), "keep_order": True},
    ):
        chosen = pf.Plan(**{"calibration": points(), "column": "x", "secret": "s"} | fields)
        with pytest.raises(pf.InvalidInputError, match="no column"):
            pf.release(frame, chosen)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_rows_is_refused(kind: str) -> None:
    columns = {"x": np.zeros(0), "s": np.zeros(0, dtype="U1")}
    with pytest.raises(pf.DataError, match="no rows"):
        pf.release(frame_of(kind, columns), plan())


def test_columns_of_a_dict_must_be_equally_long() -> None:
    columns = {"x": [1.0, 2.0, 3.0], "s": ["a", "b", "a"]}
    for name, chosen in (
        ("k", plan(keep_unprotected=("k",), keep_order=True)),
        ("p", per_person()),
    ):
        with pytest.raises(pf.InvalidInputError, match="long"):
            pf.release({**columns, name: [1, 2]}, chosen)


def test_what_is_masked_in_a_kept_column_stays_so() -> None:
    hidden = np.ma.masked_array([1, 2, 77777], mask=[False, False, True])
    columns = {"x": [1.0, 2.0, 3.0], "s": ["a", "b", "a"], "k": hidden}
    kept = pf.release(columns, plan(keep_unprotected=("k",), keep_order=True)).frame["k"]
    assert 77777 not in np.ma.filled(kept, -1).tolist()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="Plan"):
        pf.release(table(), "plan.json")  # type: ignore[arg-type]
    with pytest.raises(pf.InvalidInputError, match="frame"):
        pf.release([1, 2, 3], plan())
    with pytest.raises(pf.InvalidInputError, match="output"):
        pf.release(table(), plan(), "out.csv")
    with pytest.raises(pf.InvalidInputError, match="output"):
        pf.release("in.csv", plan())


def test_no_noise_publishes_the_values_in_random_order() -> None:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.1, 1.0)}
    bare = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0, 0.1))
    done = pf.release(table(), plan(bare, allow_no_noise=True))
    assert sorted(done.frame["x"].tolist()) == table()["x"]
    assert done.frame["x"].tolist() != table()["x"]


def test_categories_that_no_row_has_are_not_published(tmp_path: Path) -> None:
    """Neither in a frame, nor in the bytes of a file."""
    codes = pa.array([0] * 30)
    coded = pa.DictionaryArray.from_arrays(codes, pa.array(["shown", "HIDDEN-NAME"]))
    table = pa.table({"x": np.arange(30.0), "s": ["a", "b", "b"] * 10, "k": coded})
    laws = {"a": pf.Gaussian(10.0, 5.0), "b": pf.Gaussian(11.0, 5.0)}
    belief = pf.Belief(laws, provenance="public")
    calibration = pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0))
    plan = pf.Plan(
        calibration=calibration, column="x", secret="s", keep_unprotected=("k",), keep_order=True
    )
    for frame in (table, table.to_pandas(), pl.from_arrow(table)):
        released = pf.release(frame, plan).frame
        arrow = released.to_arrow() if hasattr(released, "to_arrow") else released
        if hasattr(arrow, "cat") or not isinstance(arrow, pa.Table):
            arrow = pa.Table.from_pandas(arrow)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, arrow.schema) as writer:
            writer.write_table(arrow)
        assert b"HIDDEN-NAME" not in sink.getvalue().to_pybytes()
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as writer:
        writer.write_table(table)
    for name in ("o.arrow", "o.parquet"):
        pf.release(tmp_path / "t.arrow", plan, tmp_path / name)
        assert b"HIDDEN-NAME" not in (tmp_path / name).read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_no_multiples_of_the_step_are_refused(kind: str) -> None:
    whole = table() | {"x": [float(number % 7) for number in range(60)]}
    assert pf.release(frame_of(kind, whole), plan(step=1.0)).record.facts.step == 1.0
    other = whole | {"x": [0.25 if number == 3 else 1.0 for number in range(60)]}
    with pytest.raises(pf.DataError, match=r"row 4: the value is not a multiple of 1\.0") as caught:
        pf.release(frame_of(kind, other), plan(step=1.0))
    assert "0.25" not in str(caught.value)
