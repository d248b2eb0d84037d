"""Whole rows: taken in any order, packed and unpacked, and as plain cells."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.tables import rows
from pufferfish.tables.local.cells import cells_at
from pufferfish.tables.rows import ArrowPacking, join_rows, plain_columns, take_rows, wide

DAY = datetime.date(2020, 5, 17)
COLUMNS = {
    "text": pa.array(["a", None, "ccc"]),
    "view": pa.array(["a", None, "ccc"], pa.string_view()),
    "coded": pa.array(["u", "v", "u"]).dictionary_encode(),
    "list": pa.array([[1], [], None]),
    "struct": pa.array([{"a": 1}, {"a": None}, None]),
    "day": pa.array([DAY, None, DAY]),
    "moment": pa.array([1, None, 3], pa.timestamp("ns", "UTC")),
    "clock": pa.array([1, None, 3], pa.time32("s")),
    "span": pa.array([1, None, 3], pa.duration("us")),
    "price": pa.array([Decimal("1.50"), None, Decimal("2.25")]),
    "flag": pa.array([True, None, False]),
    "bytes": pa.array([b"\x00", None, b"\xff"]),
    "inner": pa.array([[1], None, [3]], pa.list_(pa.timestamp("ns"))),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_of_any_type_are_taken_and_packed(name: str) -> None:
    rows = pa.record_batch({"n": [0, 1, 2], "k": COLUMNS[name]})
    turned = take_rows(rows, np.array([2, 0, 1]))
    assert turned.column("n").to_pylist() == [2, 0, 1]
    again = take_rows(turned, np.array([1, 2, 0]))
    packing = ArrowPacking()
    for found in (again, packing.unpack(packing.pack(again)), packing.join([again])):
        assert plain_columns(found) == plain_columns(rows)
    both = packing.join([again.slice(0, 1), again.slice(1, 2)])
    assert plain_columns(both) == plain_columns(rows)


@pytest.mark.parametrize("name", COLUMNS)
def test_cells_are_pythons_own_and_moments_are_numbers(name: str) -> None:
    cells = plain_columns(pa.record_batch({"k": COLUMNS[name]}))["k"]
    assert len(cells) == 3
    if name in ("day", "moment", "clock", "span"):
        assert isinstance(cells[0], int)
        assert cells[1] is None
    if name == "text":
        assert cells == ["a", None, "ccc"]


def test_what_cannot_be_moved_is_refused_without_being_quoted() -> None:
    rows = pa.record_batch({"k": pa.array([["hidden"]], pa.list_(pa.string_view()))})
    with pytest.raises(DataError, match="cannot be shuffled") as raised:
        take_rows(rows, np.array([0]))
    assert "hidden" not in str(raised.value)


TABLE = {"x": [float(row) for row in range(50)], "k": [f"k{row}" for row in range(50)]}


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "lazy", "arrow", "csv", "parquet"])
def test_cells_by_row(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pufferfish.tables.local.reading.BATCH", 7)
    given: Any = {
        "dict": {name: np.array(cells) for name, cells in TABLE.items()},
        "pandas": pd.DataFrame(TABLE, index=range(50, 0, -1)),
        "polars": pl.DataFrame(TABLE),
        "lazy": pl.LazyFrame(TABLE),
        "arrow": pa.table(TABLE),
    }.get(kind, tmp_path / f"t.{kind}")
    if kind == "csv":
        pl.DataFrame(TABLE).write_csv(given)
    if kind == "parquet":
        pq.write_table(pa.table(TABLE), given)
    rows = np.array([0, 6, 7, 20, 49])
    assert cells_at(given, ["k"], ("x",), rows) == {"k": [f"k{row}" for row in rows]}
    assert cells_at(given, ["k"], ("x",), rows[:0]) == {"k": []}
    with pytest.raises(InvalidInputError, match="other"):
        cells_at(given, ["other"], ("x",), rows)


class _InSeveral:
    """Arrow's table, whose columns are too large for one batch: from 2 GiB of text on."""

    def __init__(self, table: Any) -> None:
        self._table = table

    @classmethod
    def from_batches(cls, *given: Any) -> _InSeveral:
        return cls(pa.Table.from_batches(*given))

    def combine_chunks(self) -> _InSeveral:
        return self

    def to_batches(self) -> Any:
        return self._table.combine_chunks().to_batches(max_chunksize=2)


@pytest.mark.parametrize("join", [join_rows, ArrowPacking().join])
def test_rows_that_do_not_go_into_one_batch_are_not_left_out(
    join: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batch used to be kept, and the others forgotten."""
    part = pa.RecordBatch.from_pydict({"text": ["a", "b", "c"]})
    assert join([part, part]).num_rows == 6

    class Arrow:
        Table = _InSeveral
        RecordBatch = pa.RecordBatch

    monkeypatch.setattr(rows, "pyarrow", lambda *_: Arrow)
    with pytest.raises(DataError, match="2 GiB"):
        join([part, part])


def test_gathered_texts_may_be_long() -> None:
    assert wide(pa.string()) == wide(pa.string_view()) == pa.large_string()
    assert wide(pa.binary()) == wide(pa.binary_view()) == pa.large_binary()
    assert wide(pa.int8()) == pa.int8()
