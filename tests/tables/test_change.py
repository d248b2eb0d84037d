"""What a change may look at, and the types in which its columns come back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pufferfish.core.errors import DataError
from pufferfish.tables import Batch, Changed
from pufferfish.tables.batch import Coded, Numbers
from pufferfish.tables.verbs import to_publish
from tests.tables.test_batch import how, published, unchanged

GIVEN: dict[str, list[Any]] = {
    "y": [10.0, 20.0, 30.0, 40.0],
    "sex": ["f", "m", None, "m"],
    "age": [31, 17, 64, None],
    "s": ["u", None, "v", "u"],
}
# What is published of each row: all that the change could look at.
SEEN = ["10 31 f u", "20 17 m None", "30 64 None v", "40 nan m u"]


def entry(column: Coded, row: int) -> Any:
    code = column.codes[row]
    return None if code < 0 else column.labels[code]


def look(batch: Batch, before: int | None) -> Changed:
    """Says what it sees; a module's function, so that a cluster can have it."""
    seen = tuple(
        f"{batch.numbers['y'][row]:g} {batch.numbers['age'][row]:g} "
        f"{entry(batch.labels['sex'], row)} {entry(batch.secret, row)}"
        for row in range(batch.rows)
    )
    return Changed({"y": Coded(np.arange(batch.rows), seen)}, None, None)


READS: dict[str, Any] = {
    # Numbers become text.
    "columns": {"y": "text"},
    "reads": {"sex": "same", "age": "number", "y": "number"},
}
TABLE = pa.table(GIVEN)
FRAMES: dict[str, Callable[[], Any]] = {
    "arrow": lambda: TABLE,
    "polars": lambda: pl.DataFrame(GIVEN),
    "pandas": lambda: pd.DataFrame(GIVEN),
    "lists": lambda: GIVEN,
}


def plain(frame: Any) -> dict[str, list[Any]]:
    """Python's own values."""
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pl.DataFrame):
        frame = frame.to_arrow()
    if isinstance(frame, pa.Table):
        return dict(frame.to_pydict())
    return {name: each.tolist() for name, each in frame.items()}


@pytest.mark.parametrize("keep", [(), ("age",), ("sex", "age")])
@pytest.mark.parametrize("kind", FRAMES)
def test_columns_that_are_looked_at(kind: str, keep: tuple[str, ...]) -> None:
    found = plain(published(FRAMES[kind](), how(look, keep=keep, **READS))[0])
    assert found.pop("y") == SEEN
    assert set(found) == set(keep)
    assert all(found[name] == GIVEN[name] for name in keep)


@pytest.mark.parametrize("keep", [(), ("sex", "age", "note")])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files(tmp_path: Path, kind: str, keep: tuple[str, ...]) -> None:
    """A kept column is published letter by letter, whatever the change takes it for."""
    letters = {"age": ["031", "17.0", "6.4e1", "?"], "sex": ["f", "m", "?", "m"]}
    notes = {"note": ["?", "b", "c", ""]}
    if kind == "csv":
        table = {**GIVEN, **letters, **notes, "s": ["u", "?", "v", "u"]}
        lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
        text = "\n".join([",".join(table), *lines])
        (tmp_path / "t.csv").write_text(text + "\n", encoding="utf-8")
    else:
        letters = {"age": GIVEN["age"], "sex": GIVEN["sex"]}
        pq.write_table(pa.table(GIVEN | notes), tmp_path / "t.parquet")
    done = how(look, keep=keep, **READS)
    engine = to_publish(tmp_path / f"t.{kind}", tmp_path / "out.parquet", na=["?"], force=False)
    with engine.transform(done, None) as changed, engine.publish(changed, done):
        pass
    found = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert found.pop("y") == SEEN
    assert found == {name: each for name, each in (letters | notes).items() if name in keep}


def added(batch: Batch, before: int | None) -> Changed:
    """The labels as they are, and one that was not there."""
    codes, labels = batch.labels["c"]
    return Changed(
        {"c": Coded(np.where(codes < 0, len(labels), codes), (*labels, "new"))}, None, None
    )


ORDER = ["c", "never", "b", "a"]
ENTRIES = ["a", None, "b", "a"]
CATEGORIES: dict[str, Any] = {
    "pandas": lambda: pd.Series(pd.Categorical(ENTRIES, ORDER)),
    "pandas, ordered": lambda: pd.Series(pd.Categorical(ENTRIES, ORDER, ordered=True)),
    "polars": lambda: pl.Series(ENTRIES, dtype=pl.Enum(ORDER)),
    "arrow": lambda: pa.DictionaryArray.from_arrays(
        pa.array([3, None, 2, 3], pa.int8()), pa.array(ORDER), ordered=True
    ),
}


def with_secret(column: Any) -> Any:
    secret = ["u", "v", "u", "v"]
    if isinstance(column, pd.Series):
        return pd.DataFrame({"c": column, "s": secret})
    return (
        pl.DataFrame({"c": column, "s": secret})
        if isinstance(column, pl.Series)
        else pa.table({"c": column, "s": secret})
    )


def kind_of(frame: Any) -> Any:
    """The type of the column, with its categories."""
    if isinstance(frame, pa.Table):
        column = frame.column("c").combine_chunks()
        return column.type, column.dictionary.to_pylist()
    return frame["c"].dtype


@pytest.mark.parametrize("kind", CATEGORIES)
@pytest.mark.parametrize("turned", [False, True])
def test_categories_stay_with_their_order(kind: str, turned: bool) -> None:
    given = with_secret(CATEGORIES[kind]())
    order = (lambda rows: np.arange(rows)[::-1]) if turned else None
    found = published(given, how(unchanged, columns={"c": "same"}, keep=(), order=order))[0]
    assert kind_of(found) == kind_of(given)
    expected = ENTRIES[::-1] if turned else ENTRIES
    if isinstance(found, pd.DataFrame):
        assert found["c"].dtype.ordered == given["c"].dtype.ordered
    assert plain(found)["c"] == expected
    more = published(given, how(added, columns={"c": "same"}, keep=(), order=order))[0]
    assert plain(more)["c"] == [each or "new" for each in expected]


@pytest.mark.parametrize(
    "column",
    [pl.Series(ENTRIES, dtype=pl.Categorical), pa.array(ENTRIES).dictionary_encode()],
    ids=["polars", "arrow"],
)
def test_a_dictionary_lists_what_is_published(column: Any) -> None:
    """It is how rows are stored, and would tell of those that are not published."""

    def first(batch: Batch, before: int | None) -> Changed:
        stays = np.arange(batch.rows) == 0
        return Changed({"c": batch.labels["c"].taken(np.array([0]))}, stays, None)

    given = with_secret(column)
    found = published(given, how(first, columns={"c": "same"}, keep=()))[0]
    assert plain(found)["c"] == ["a"]
    if isinstance(found, pa.Table):
        assert kind_of(found) == (given.column("c").type, ["a"])
    else:
        assert found["c"].dtype == pl.Categorical
        assert found.to_arrow().column("c").combine_chunks().dictionary.to_pylist() == ["a"]


SAME: dict[str, Any] = {
    "int8": pd.Series([3, 1, 2, 3], dtype="int8"),
    "Int64": pd.Series([3, None, 2, 3], dtype="Int64"),
    "bool": pd.Series([True, False, True, True]),
    "boolean": pd.Series([True, None, False, True], dtype="boolean"),
    "string": pd.Series(["a", None, "b", "a"], dtype="string"),
    "object": pd.Series(["a", None, "b", "a"], dtype=object),
    "datetime": pd.to_datetime(pd.Series(["2024-01-01", None, "2024-07-01", "2024-01-01"])),
    "nanoseconds": pd.Series(np.array(["2024-01-01", "NaT", "2024-07-01", "2024"], "M8[ns]")),
    "zone": pd.to_datetime(pd.Series(["2024-01-01"] * 4)).dt.tz_localize("Asia/Tokyo"),
    "dates": pd.Series([date(2024, 1, 1), None, date(2024, 7, 1), date(1999, 1, 1)], dtype=object),
    "Arrow": pd.Series([3, None, 2, 3], dtype="int16[pyarrow]"),
    "classes": pd.cut(pd.Series([1.0, np.nan, 5.0, 1.0]), [0, 2, 4, 6]),
    "numbers": pd.Series(pd.Categorical([3, 1, None, 3], [9, 3, 1])),
}


@pytest.mark.parametrize("kind", SAME)
def test_types_of_pandas(kind: str) -> None:
    given = with_secret(SAME[kind])
    found = published(given, how(unchanged, columns={"c": "same"}, keep=()))[0]
    pd.testing.assert_frame_equal(found, given[["c"]])


class Watching:
    """Notes all that is published."""

    secrets = ("u", "v")
    most_each = 1000

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def look(self, codes: Any, labels: Any, columns: Any) -> None:
        self.seen += columns(np.arange(codes.size))["c"]


@pytest.mark.parametrize("keep", [(), ("c",)])
def test_somebody_who_looks_sees_classes_as_text(keep: tuple[str, ...]) -> None:
    watching = Watching()
    given = with_secret(SAME["classes"]).assign(x=1.0)
    columns: Any = {"x": "number"} if keep else {"c": "same"}
    published(given, how(unchanged, columns=columns, keep=keep, look=watching))
    assert watching.seen == ["(0, 2]", None, "(4, 6]", "(0, 2]"]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([3, None, 2, 3], pa.int16()),
        pa.array([True, None, False, True]),
        pa.array([date(2024, 1, 1), None, date(2024, 7, 1), date(1999, 1, 1)]),
        pa.array([0, None, 10**15, 7], pa.timestamp("us")),
        pa.array(["a", None, "b", "a"], pa.large_string()),
    ],
    ids=str,
)
def test_types_of_arrow_and_polars(column: Any) -> None:
    table = pa.table({"c": column, "s": ["u"] * 4})
    done = how(unchanged, columns={"c": "same"}, keep=())
    assert published(table, done)[0].equals(table.select(["c"]))
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    assert published(frame, done)[0].equals(frame.select("c"))
    assert published(frame, done)[0].schema == frame.select("c").schema
    lazy = published(frame.lazy(), done)[0]
    assert lazy.collect().equals(frame.select("c"))


@pytest.mark.parametrize(
    "array",
    [
        np.array([3, 1, 2], dtype=np.int8),
        np.array([True, False, True]),
        np.array(["2024-01-01", "NaT", "1999-01-01"], "datetime64[D]"),
        np.array(["2024-01-01", "NaT", "1999-01-01"], "datetime64[ns]"),
    ],
    ids=str,
)
def test_types_of_arrays(array: Any) -> None:
    done = how(unchanged, columns={"c": "same"}, keep=())
    found = published({"c": array, "s": ["a", "b", "a"]}, done)[0]["c"]
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_numbers_in_the_type_that_they_had() -> None:
    """Read as numbers, and published as what they were."""

    def change(batch: Batch, before: int | None) -> Changed:
        values = batch.numbers["c"]
        return Changed({"c": Numbers(np.nan_to_num(values), np.isnan(values))}, None, None)

    table = pa.table({"c": pa.array([3, None, 2], pa.int16()), "s": ["u"] * 3})
    done = how(change, columns={"c": "same"}, reads={"c": "number"}, keep=())
    assert published(table, done)[0].equals(table.select(["c"]))
    frame = pd.DataFrame({"c": np.array([1.5, 2.5], dtype=np.float32), "s": ["u", "v"]})
    pd.testing.assert_frame_equal(published(frame, done)[0], frame[["c"]])
    arrays = {"c": np.array([1, 2], dtype=np.uint8), "s": ["u", "v"]}
    assert published(arrays, done)[0]["c"].dtype == np.uint8


def test_numbers_that_do_not_fit() -> None:
    def change(batch: Batch, before: int | None) -> Changed:
        return Changed({"c": Numbers(np.array([300.0]), np.array([False]))}, None, None)

    table = pa.table({"c": pa.array([3], pa.int8()), "s": ["u"]})
    done = how(change, columns={"c": "same"}, reads={"c": "number"}, keep=())
    with pytest.raises(DataError, match="do not fit into a column of type int8") as error:
        published(table, done)
    assert "300" not in str(error.value)
