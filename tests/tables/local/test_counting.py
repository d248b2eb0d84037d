"""Every kind of table on this machine gives the same counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from pufferfish.beliefs.rules import band_names
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.tables.coding import Coding
from pufferfish.tables.verbs import category_orders, column_kinds, count
from tests import seams

ROWS = 400
CITIES = ["Oslo", "Bergen", "Ö, the small one", None]
_source = np.random.default_rng(7)


def _chosen(entries: list[Any]) -> list[Any]:
    return [entries[place] for place in _source.integers(0, len(entries), ROWS)]


DAYS = [date(2023, 12, 31), date(2024, 1, 1), date(2024, 7, 14), None]
GIVEN: dict[str, list[Any]] = {
    "age": [None if each < 20 else int(each) for each in _source.integers(15, 90, ROWS)],
    "score": _chosen([0.5, 1.0, None, -3.25]),
    "city": _chosen(CITIES),
    "member": _chosen([True, False, None]),
    "day": _chosen(DAYS),
    "class": _chosen([3, 1, 2, 2]),
}
EDGES = (25.0, 45.0, 65.0)
CODINGS = (
    Coding(column="age", read="number", edges=EDGES, names=band_names(EDGES)),
    Coding(column="score", read="number"),
    Coding(column="city", read="label", merged={None: "elsewhere"}),
    Coding(column="member", read="label"),
    Coding(column="day", read="label", unit="quarter"),
    Coding(column="class", read="label"),
)
TABLE = pa.table(GIVEN)
EXPECTED = count(TABLE, CODINGS)


def floats(name: str) -> list[float]:
    return [math.nan if each is None else each for each in GIVEN[name]]


def moments() -> list[datetime | None]:
    return [
        None if day is None else datetime(day.year, day.month, day.day, 23) for day in GIVEN["day"]
    ]


def pandas_frame(**other: Any) -> pd.DataFrame:
    return pd.DataFrame({**GIVEN, "score": floats("score"), **other})


def parts(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7)])


def dictionary(name: str) -> pa.Table:
    place = TABLE.schema.get_field_index(name)
    return TABLE.set_column(place, name, TABLE.column(name).dictionary_encode())


FRAMES: dict[str, Callable[[], Any]] = {
    "lists": lambda: GIVEN,
    "objects": lambda: {name: np.array(each, dtype=object) for name, each in GIVEN.items()},
    "arrays": lambda: {
        **GIVEN,
        "age": np.array(floats("age")),
        "score": np.ma.masked_invalid(floats("score")),
        "city": np.array([each or "" for each in GIVEN["city"]]),
        "day": np.array(moments(), dtype="datetime64[ns]"),
        "class": np.array(GIVEN["class"], dtype=np.int8),
    },
    "days": lambda: GIVEN | {"day": np.array(GIVEN["day"], dtype="datetime64[D]")},
    "pandas": pandas_frame,
    "pandas, moments": lambda: pandas_frame(day=pd.to_datetime(pd.Series(moments()))),
    "pandas, zone": lambda: pandas_frame(
        day=pd.to_datetime(pd.Series(moments())).dt.tz_localize("Asia/Tokyo")
    ),
    "pandas, nullable": lambda: pandas_frame(
        age=pd.array(GIVEN["age"], dtype="Int64"),
        member=pd.array(GIVEN["member"], dtype="boolean"),
        city=pd.array(GIVEN["city"], dtype="string"),
    ),
    "pandas, categories": lambda: pandas_frame(
        city=pd.Categorical(GIVEN["city"]), **{"class": pd.Categorical(GIVEN["class"])}
    ),
    "pandas, decimals": lambda: pandas_frame(
        age=[None if each is None else Decimal(each) for each in GIVEN["age"]]
    ),
    "pandas, Arrow": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "Polars": lambda: pl.DataFrame(GIVEN),
    "Polars, lazy": lambda: pl.LazyFrame(GIVEN),
    "Polars, moments": lambda: pl.DataFrame(GIVEN | {"day": moments()}),
    "Polars, categories": lambda: pl.DataFrame(
        GIVEN | {"city": pl.Series(GIVEN["city"], dtype=pl.Categorical)}
    ),
    "Polars, enum": lambda: pl.DataFrame(
        GIVEN | {"city": pl.Series(GIVEN["city"], dtype=pl.Enum([*filter(None, CITIES)]))}
    ),
    "PyArrow": lambda: TABLE,
    "PyArrow, parts": lambda: parts(TABLE),
    "PyArrow, dictionary": lambda: parts(dictionary("city")),
    "PyArrow, dictionary of dates": lambda: dictionary("day"),
    "PyArrow, dictionary of numbers": lambda: dictionary("age"),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind: str) -> None:
    found = count(FRAMES[kind](), CODINGS)
    assert found.fingerprint == EXPECTED.fingerprint
    assert found.rows == ROWS
    assert found.shown[0] == ("<25", "[25,45)", "[45,65)", ">=65", None)
    assert found.shown[4] == ("2023-Q4", "2024-Q1", "2024-Q3", None)


NATURAL = {
    "age": "number",
    "score": "number",
    "city": "label",
    "member": "label",
    "day": "date",
    "class": "number",
}


@pytest.mark.parametrize("kind", FRAMES)
def test_how_columns_of_frames_are_read(kind: str) -> None:
    found: dict[str, str] = dict(column_kinds(FRAMES[kind](), list(GIVEN)))
    expected = NATURAL | ({"class": "label"} if kind == "pandas, categories" else {})
    assert found == expected


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "parquet", "arrow", "folder"])
def test_files(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seams.put(monkeypatch, seams.BLOCK_BYTES, 1 << 10)
    place = write(tmp_path, kind)
    text = kind not in ("parquet", "arrow")
    # In a CSV labels are text.
    as_text = Coding(column="class", read="label", merged={str(each): each for each in (1, 2, 3)})
    truth = Coding(column="member", read="label", merged={"true": True, "false": False})
    codings = (*CODINGS[:3], truth, CODINGS[4], as_text) if text else CODINGS
    found = count(place, codings)
    assert found.shown == EXPECTED.shown
    assert found.fingerprint == EXPECTED.fingerprint
    # The key of a folder is text.
    expected = NATURAL | ({"class": "label"} if kind == "folder" else {})
    assert column_kinds(place, list(GIVEN)) == expected


def write(folder: Path, kind: str) -> Path:
    place = folder / f"t.{kind}"
    if kind == "parquet":
        pq.write_table(TABLE, place, row_group_size=70)
    elif kind == "arrow":
        with pa.ipc.new_file(place, TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=70)
    elif kind == "folder":
        for value in (1, 2, 3):
            part = place / f"class={value}"
            part.mkdir(parents=True)
            rows = pa.array([each == value for each in GIVEN["class"]])
            pc.write_csv(TABLE.filter(rows).drop_columns(["class"]), part / "t.csv")
    elif kind == "csv.gz":
        with pa.CompressedOutputStream(str(place), "gzip") as sink:
            pc.write_csv(TABLE, sink)
    else:
        options = pc.WriteOptions(delimiter="\t" if kind == "tsv" else ",")
        pc.write_csv(TABLE, place, options)
    return place


def test_marks_of_a_csv(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,x\n?,?\n1,x\n", encoding="utf-8")
    codings = [Coding(column="a", read="number"), Coding(column="b", read="label")]
    found = count(tmp_path / "t.csv", codings, na=["?"])
    assert found.cells == ((1, "x"), (None, None))
    assert found.counts.tolist() == [2, 1]
    assert column_kinds(tmp_path / "t.csv", ["a", "b"], na=["?"]) == {"a": "number", "b": "label"}
    assert column_kinds(tmp_path / "t.csv", ["a"]) == {"a": "label"}


def test_a_csv_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seams.put(monkeypatch, seams.BLOCK_BYTES, 1 << 10)
    rows = ["1,2024-01-01,", *["2,2024-01-02 10:00,"] * 500, "x,then,"]
    (tmp_path / "t.csv").write_text("\n".join(["n,d,e", *rows[:-1]]), encoding="utf-8")
    found: dict[str, str] = dict(column_kinds(tmp_path / "t.csv", ["n", "d", "e"]))
    assert found == {"n": "number", "d": "date", "e": "label"}
    (tmp_path / "t.csv").write_text("\n".join(["n,d,e", *rows]), encoding="utf-8")
    assert set(column_kinds(tmp_path / "t.csv", ["n", "d", "e"]).values()) == {"label"}
    with pytest.raises(DataError, match=r"column 'd', row 502: the entry is not a date"):
        count(tmp_path / "t.csv", [Coding(column="d", read="label", unit="year")])


def test_classes_of_pandas() -> None:
    """Intervals are what is written for them, in their order."""
    ages = pd.Series(floats("age"))
    classes = pd.cut(ages, [0.0, 30.0, 60.0, 100.0])
    expected = ("(0.0, 30.0]", "(30.0, 60.0]", "(60.0, 100.0]")
    frame = pd.DataFrame({"age": classes})
    codings = [Coding(column="age", read="label")]
    found = count(frame, codings)
    assert found.shown == ((*expected, None),)
    assert column_kinds(frame, ["age"]) == {"age": "label"}
    assert category_orders(frame, ["age"]) == {"age": expected}
    for other in ({"age": classes}, pd.DataFrame({"age": classes.astype("interval")})):
        assert count(other, codings).fingerprint == found.fingerprint


ORDER = ("Oslo", "never", "Ö, the small one", "Bergen")
ORDERED: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame({"city": pd.Categorical(GIVEN["city"], ORDER)}),
    "pandas, ordered": lambda: pd.DataFrame(
        {"city": pd.Categorical(GIVEN["city"], ORDER, ordered=True)}
    ),
    "Polars": lambda: pl.DataFrame({"city": pl.Series(GIVEN["city"], dtype=pl.Enum(ORDER))}),
    "PyArrow": lambda: pa.Table.from_pandas(ORDERED["pandas, ordered"]()),
    "pandas, Arrow": lambda: ORDERED["PyArrow"]().to_pandas(types_mapper=pd.ArrowDtype),
}


@pytest.mark.parametrize("kind", ORDERED)
def test_categories_have_an_order(kind: str) -> None:
    frame = ORDERED[kind]()
    city = Coding(column="city", read="label")
    found = count(frame, [city])
    assert found.shown == (("Oslo", "Ö, the small one", "Bergen", None),)
    assert found.fingerprint == count(TABLE, [city]).fingerprint
    assert category_orders(frame, ["city"]) == {"city": ORDER}
    chosen = Coding(column="city", read="label", order=("Bergen",))
    assert count(frame, [chosen]).shown == (("Bergen", "Oslo", "Ö, the small one", None),)


def test_an_order_in_a_file(tmp_path: Path) -> None:
    pq.write_table(ORDERED["PyArrow"](), tmp_path / "t.parquet")
    assert category_orders(tmp_path / "t.parquet", ["city"]) == {"city": ORDER}
    assert category_orders(TABLE, list(GIVEN)) == {}


def test_categories_that_are_numbers() -> None:
    frame = pd.DataFrame({"x": pd.Categorical([0.5, 2.5, None, 0.5])})
    assert column_kinds(frame, ["x"]) == {"x": "number"}
    found = count(frame, [Coding(column="x", read="number")])
    assert found.cells == ((0.5,), (2.5,), (None,))


def test_refusals() -> None:
    number, label = (Coding(column="x", read=read) for read in ("number", "label"))
    for given in ({"x": [0.5, math.inf]}, pl.DataFrame({"x": [0.5, math.inf]})):
        with pytest.raises(DataError, match="column 'x', row 2: the entry is infinite"):
            count(given, [number])
        with pytest.raises(DataError, match="column 'x' must hold text, whole numbers"):
            count(given, [label])
    with pytest.raises(InvalidInputError, match="no column 'x'"):
        count(TABLE, [number])
    for empty in (TABLE.slice(0, 0), {name: [] for name in GIVEN}):
        with pytest.raises(DataError, match="no rows to count"):
            count(empty, CODINGS)
    with pytest.raises(DataError, match="'a', 'b' must be equally long"):
        count(
            {"a": [1, 2], "b": ["x"]},
            [Coding(column="a", read="number"), Coding(column="b", read="label")],
        )
