"""Columns of every type through every engine of this machine: nothing is drawn, so all is known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from pufferfish.core.errors import DataError
from pufferfish.tables import Batch, Change, Changed
from pufferfish.tables.batch import Coded, ColumnType, Numbers, join_columns
from pufferfish.tables.seen import PersonsFound
from pufferfish.tables.verbs import to_publish

TYPES: dict[str, ColumnType] = {
    "text": "text",
    "day": "same",
    "truth": "same",
    "class": "same",
    "when": "text",
    "x": "number",
    "n": "whole",
}
GIVEN: dict[str, list[Any]] = {
    "n": [1, 2, None, 4, 5],
    "kept": ["p", None, "q", "r", "s"],
    "text": ["a", None, "", "b", "a"],
    "day": [date(2020, 1, 1), date(2021, 2, 3), None, date(2020, 1, 1), date(1999, 12, 31)],
    "s": ["u", "v", "u", "v", "u"],
    "truth": [True, False, None, True, True],
    "class": [3, 1, 2, None, 3],
    "when": [date(2020, 1, 1)] * 4 + [None],
    "x": [0.5, None, 2.5, 3.5, 4.5],
}
# An empty text is missing; what is published as text is text.
PUBLISHED = {
    **{name: each for name, each in GIVEN.items() if name != "s"},
    "text": ["a", None, None, "b", "a"],
    "when": ["2020-01-01"] * 4 + [None],
}


def unchanged(batch: Batch, before: int | None) -> Changed:
    """The same values, by way of a batch."""
    new: dict[str, Numbers | Coded] = {
        name: Numbers(np.nan_to_num(each).astype(np.int64) if name == "n" else each, np.isnan(each))
        for name, each in batch.numbers.items()
    }
    new |= batch.labels
    if "when" in new:
        codes, labels = batch.labels["when"]
        new["when"] = Coded(codes, tuple(str(each) for each in labels))
    return Changed(new, None, None)


def complete(batch: Batch, before: int | None) -> Changed:
    """Only the rows in which nothing is missing."""
    columns = unchanged(batch, before).columns
    holes = [each.missing if isinstance(each, Coded) else each.holes for each in columns.values()]
    stays = ~np.any(holes, axis=0)
    rows = np.flatnonzero(stays)
    return Changed({name: each.taken(rows) for name, each in columns.items()}, stays, None)


def how(change: Callable[[Batch, int | None], Changed], **choices: Any) -> Change:
    """What is done."""
    ended: list[PersonsFound] = []
    given: dict[str, Any] = {
        "columns": TYPES,
        "secret": "s",
        "person": None,
        "keep": ("kept",),
        "drops": change is complete,
        "change": change,
        "account": lambda changed: None,
        "order": None,
        "shuffle": None,
        "keys": None,
        "look": None,
        "finish": ended.append,
    }
    return Change(**(given | choices))


def published(data: Any, done: Change, output: Path | None = None) -> tuple[Any, str]:
    """What comes out, and its checksum."""
    engine = to_publish(data, output, na=(), force=False)
    with (
        engine.transform(done, engine.survey(done)) as changed,
        engine.publish(changed, done) as staged,
    ):
        pass
    return staged.table(), staged.sha256


TABLE = pa.table(GIVEN)
FRAMES: dict[str, tuple[Any, Callable[[Any], dict[str, list[Any]]]]] = {
    "arrow": (TABLE, pa.Table.to_pydict),
    "dictionary": (
        TABLE.set_column(2, "text", TABLE.column("text").dictionary_encode()),
        pa.Table.to_pydict,
    ),
    "polars": (pl.from_arrow(TABLE), lambda frame: frame.to_dict(as_series=False)),
    "pandas": (
        TABLE.to_pandas(types_mapper=pd.ArrowDtype),
        lambda frame: pa.Table.from_pandas(frame, preserve_index=False).to_pydict(),
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind: str) -> None:
    given, plain = FRAMES[kind]
    found = plain(published(given, how(unchanged))[0])
    assert list(found) == [name for name in GIVEN if name != "s"]
    if kind == "pandas":  # whole numbers with holes are floats there, as they always were
        found["n"] = [None if each is None else int(each) for each in found["n"]]
    assert found == PUBLISHED


def test_a_dict_of_arrays() -> None:
    arrays = {name: np.array(each, dtype=object) for name, each in GIVEN.items()}
    found = {name: each.tolist() for name, each in published(arrays, how(unchanged))[0].items()}
    for name in ("n", "x"):
        found[name] = [None if np.isnan(each) else each for each in found[name]]
    assert found == PUBLISHED
    plain = {"d": np.array(["2020-01-01", "NaT"], "datetime64[D]"), "s": ["a", "b"]}
    dates = published(plain, how(unchanged, columns={"d": "same"}, keep=()))[0]
    assert dates["d"].tolist() == [date(2020, 1, 1), None]
    texts = {"t": np.array(["a", "b"]), "s": np.array(["a", "b"])}
    same = published(texts, how(unchanged, columns={"t": "same"}, keep=()))[0]
    assert same["t"].dtype.kind == "U"


def test_a_checksum_is_that_of_the_rows_whoever_holds_them() -> None:
    arrays = {name: np.array(each, dtype=object) for name, each in GIVEN.items()}
    done = how(unchanged)
    seen = {published(given, done)[1] for given in (TABLE, FRAMES["polars"][0])}
    assert len(seen) == 1
    other = TABLE.set_column(2, "text", pa.array(["b", None, "", "b", "a"]))
    assert published(other, done)[1] not in seen
    turned = how(unchanged, order=lambda rows: np.arange(rows)[::-1])
    assert published(TABLE, turned)[1] not in seen
    assert published(arrays, turned)[1] == published(TABLE, turned)[1]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("drop", [False, True])
def test_files(tmp_path: Path, kind: str, drop: bool) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet")
    change = complete if drop else unchanged
    # Nothing is missing in the first row alone.
    expected = {name: each[:1] if drop else each for name, each in PUBLISHED.items()}
    published(tmp_path / "t.parquet", how(change), tmp_path / f"out.{kind}")
    if kind == "parquet":
        assert pq.read_table(tmp_path / "out.parquet").to_pydict() == expected
        return
    types = {"when": pa.string(), "n": pa.int64()}
    options = pc.ConvertOptions(strings_can_be_null=True, column_types=types)
    found = pc.read_csv(tmp_path / "out.csv", convert_options=options).to_pydict()
    assert found == expected


def test_a_csv_has_texts_and_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("s,t,x\na,2020-01-01,1\nb,,NA\na,NA,3\n", encoding="utf-8")
    done = how(unchanged, columns={"t": "same", "x": "number"}, keep=())
    engine = to_publish(tmp_path / "t.csv", tmp_path / "out.csv", na=["NA"], force=False)
    with engine.transform(done, None) as changed, engine.publish(changed, done):
        pass
    assert (tmp_path / "out.csv").read_text() == "t,x\n2020-01-01,1\n,\n,3\n"


def test_parts_have_labels_of_their_own() -> None:
    parts = [Coded(np.array([0, 1, -1]), ("a", "b")), Coded(np.array([1, 0]), ("b", "c"))]
    joined = join_columns(parts)
    assert isinstance(joined, Coded)
    assert joined.labels == ("a", "b", "c")
    assert joined.codes.tolist() == [0, 1, -1, 2, 1]


def test_equal_labels_of_two_types_are_two() -> None:
    given = {"t": np.array([1, True, 1, True], dtype=object), "s": ["a", "b", "a", "b"]}
    found = published(given, how(unchanged, columns={"t": "same"}, keep=()))[0]["t"].tolist()
    assert [type(each) for each in found] == [int, bool, int, bool]
    joined = join_columns([Coded(np.array([0]), (1,)), Coded(np.array([0]), (True,))])
    assert isinstance(joined, Coded)
    assert [type(each) for each in joined.labels] == [int, bool]


@pytest.mark.parametrize("long", ["a label that nobody may see", 123456])
def test_a_dropped_row_leaves_no_trace(long: Any) -> None:
    """Neither the type nor the width of an array tells of it."""
    given = {
        "t": np.array(["a", long, "b"], dtype=object),
        "x": [1.0, None, 3.0],
        "kept": np.array(["p", "a text that nobody may see", "qq"]),
        "raw": np.ma.array([b"p", b"bytes that nobody may see", b"qq"], mask=[True, False, False]),
        "s": ["a", "b", "a"],
    }
    kinds: dict[str, ColumnType] = {"t": "same", "x": "number"}
    done = how(complete, columns=kinds, keep=("kept", "raw"))
    found = published(given, done)[0]
    assert {name: each.tolist() for name, each in found.items()} == {
        "t": ["a", "b"],
        "x": [1.0, 3.0],
        "kept": ["p", "qq"],
        "raw": [None, b"qq"],
    }
    assert [found[name].dtype for name in ("t", "kept", "raw")] == ["<U1", "<U2", "S2"]


@pytest.mark.parametrize("value", [7, True, date(2020, 1, 1)])
@pytest.mark.parametrize("kind", [pa.table, dict])
def test_what_is_published_as_text_is_text(kind: Callable[[Any], Any], value: Any) -> None:
    given = kind({"d": [value, None], "s": ["a", "b"]})
    with pytest.raises(DataError, match=f"column 'd' .* as text, but holds {type(value).__name__}"):
        published(given, how(unchanged, columns={"d": "text"}, keep=()))


def test_what_is_no_label() -> None:
    for given in (pa.table({"d": [0.5], "s": ["a"]}), {"d": [0.5], "s": ["a"]}):
        with pytest.raises(DataError, match="column 'd' must hold text, whole numbers, truth val"):
            published(given, how(unchanged, columns={"d": "same"}, keep=()))
