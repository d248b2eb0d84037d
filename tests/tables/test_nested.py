"""Entries of dictionaries that no published row has, and notes: not in what is published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.tables.nested import holds_dictionary, plain_kind

CANARY = b"HIDDEN-NAME"
ROWS = 12


def plan(**fields: Any) -> pf.Plan:
    laws = {"a": pf.Gaussian(5.0, 3.0), "b": pf.Gaussian(6.0, 3.0)}
    calibration = pf.calibrate(
        pf.Scenario([pf.Belief(laws, provenance="public")]), pf.Guarantee(1.0)
    )
    return pf.Plan(
        calibration=calibration, column="x", secret="s", keep_unprotected=("k",), **fields
    )


def coded(entries: int) -> Any:
    """A dictionary with an entry that no row has."""
    codes = pa.array([place % 2 for place in range(entries)], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(["shown", "other", CANARY.decode()]))


TWICE = [2 * row for row in range(ROWS + 1)]
NESTED: dict[str, Any] = {
    "plain": coded(ROWS),
    "list": pa.ListArray.from_arrays(TWICE, coded(2 * ROWS)),
    "large list": pa.LargeListArray.from_arrays(TWICE, coded(2 * ROWS)),
    "list of two": pa.FixedSizeListArray.from_arrays(coded(2 * ROWS), 2),
    "struct": pa.StructArray.from_arrays([coded(ROWS), pa.array(range(ROWS))], ["a", "b"]),
    "map": pa.MapArray.from_arrays(TWICE, pa.array(map(str, range(2 * ROWS))), coded(2 * ROWS)),
    "keys of a map": pa.MapArray.from_arrays(TWICE, coded(2 * ROWS), pa.array(range(2 * ROWS))),
    "struct in a list": pa.ListArray.from_arrays(
        TWICE, pa.StructArray.from_arrays([coded(2 * ROWS)], ["a"])
    ),
    "list in a struct": pa.StructArray.from_arrays(
        [pa.ListArray.from_arrays(TWICE, coded(2 * ROWS))], ["a"]
    ),
    "dictionary of lists": pa.DictionaryArray.from_arrays(
        pa.array([row % 3 for row in range(ROWS)]),
        pa.ListArray.from_arrays([0, 2, 4, 6], coded(6)),
    ),
}


def table(kept: Any) -> Any:
    return pa.table({"x": np.arange(float(ROWS)), "s": ["a", "b"] * (ROWS // 2), "k": kept})


def arrow_bytes(given: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, given.schema) as writer:
        writer.write_table(given)
    return bytes(sink.getvalue().to_pybytes())


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("target", ["out.arrow", "out.parquet"])
def test_files(tmp_path: Path, kind: str, target: str) -> None:
    given = table(NESTED[kind])
    (tmp_path / "in.arrow").write_bytes(arrow_bytes(given))
    assert CANARY in (tmp_path / "in.arrow").read_bytes()
    pf.release(tmp_path / "in.arrow", plan(), tmp_path / target)
    written = (tmp_path / target).read_bytes()
    assert b"shown" in written
    assert CANARY not in written
    read = (
        pq.read_table(tmp_path / target)
        if target.endswith("parquet")
        else pa.ipc.open_file(tmp_path / target).read_all()
    )
    assert sorted(map(str, read.column("k").to_pylist())) == sorted(
        map(str, given.column("k").to_pylist())
    )


def test_rows_that_are_left_out(tmp_path: Path) -> None:
    names = ["shown", "other", CANARY.decode()]
    text = pa.array([names[2 if row == 1 else row % 2] for row in range(ROWS)])
    lists = pa.ListArray.from_arrays(range(ROWS + 1), text.dictionary_encode())
    values = [None if row == 1 else float(row) for row in range(ROWS)]
    given = pa.table({"x": values, "s": ["a", "b"] * (ROWS // 2), "k": lists})
    pq.write_table(given, tmp_path / "in.parquet")
    for target in ("out.parquet", "out.arrow"):
        pf.release(tmp_path / "in.parquet", plan(missing="drop"), tmp_path / target)
        assert CANARY not in (tmp_path / target).read_bytes()


@pytest.mark.parametrize("kind", NESTED)
def test_arrow_tables(kind: str) -> None:
    given = table(NESTED[kind])
    released = pf.release(given, plan()).frame
    assert CANARY not in arrow_bytes(released)
    assert sorted(map(str, released.column("k").to_pylist())) == sorted(
        map(str, given.column("k").to_pylist())
    )
    # A dictionary that is a column stays one.
    assert pa.types.is_dictionary(released.schema.field("k").type) == (kind == "plain")


@pytest.mark.parametrize("kind", NESTED)
def test_pandas_columns_of_arrow(kind: str) -> None:
    given = table(NESTED[kind]).to_pandas(types_mapper=pd.ArrowDtype)
    released = pf.release(given, plan()).frame
    assert CANARY not in arrow_bytes(
        pa.table({"k": pa.chunked_array(released["k"].array.__arrow_array__())})
    )
    assert len(released) == ROWS


def test_pandas_cells_with_categories() -> None:
    cell = pd.Categorical(["shown"], categories=["shown", CANARY.decode()])
    given = pd.DataFrame({"x": np.arange(float(ROWS)), "s": ["a", "b"] * (ROWS // 2)})
    given["k"] = pd.Series([cell] * ROWS, dtype=object)
    released = pf.release(given, plan()).frame
    assert list(released["k"][0].categories) == ["shown"]


NAMES = ["shown", "other", CANARY.decode()]
POLARS: dict[str, Any] = {
    "Categorical": (pl.Categorical(), lambda name: name),
    "Enum": (pl.Enum(NAMES), lambda name: name),
    "list of Categorical": (pl.List(pl.Categorical()), lambda name: [name]),
    "list of Enum": (pl.List(pl.Enum(NAMES)), lambda name: [name, name]),
    "array of Enum": (pl.Array(pl.Enum(NAMES), 2), lambda name: [name, name]),
    "struct of Enum": (pl.Struct({"a": pl.Enum(NAMES)}), lambda name: {"a": name}),
    "list of structs": (
        pl.List(pl.Struct({"a": pl.Categorical(), "b": pl.Int8()})),
        lambda name: [{"a": name, "b": 1}],
    ),
}


@pytest.mark.parametrize("kind", POLARS)
@pytest.mark.parametrize("lazy", [False, True])
def test_polars(kind: str, lazy: bool, tmp_path: Path) -> None:
    dtype, cell = POLARS[kind]
    cells = [cell(NAMES[2 if row == 1 else row % 2]) for row in range(ROWS)]
    values = [None if row == 1 else float(row) for row in range(ROWS)]
    given = pl.DataFrame(
        {"x": values, "s": ["a", "b"] * (ROWS // 2), "k": pl.Series(cells, dtype=dtype)}
    )
    released = pf.release(given.lazy() if lazy else given, plan(missing="drop")).frame
    found = released.collect() if lazy else released
    expected = [each for row, each in enumerate(cells) if row != 1]
    assert sorted(map(str, found["k"].to_list())) == sorted(map(str, expected))
    assert CANARY not in str(found.schema).encode()
    found.write_ipc(tmp_path / "out.arrow")
    found.write_parquet(tmp_path / "out.parquet")
    for name in ("out.arrow", "out.parquet"):
        assert b"shown" in (tmp_path / name).read_bytes()
        assert CANARY not in (tmp_path / name).read_bytes()


def test_notes_within_types(tmp_path: Path) -> None:
    inner = pa.field("a", pa.string(), metadata={"note": CANARY})
    kept = pa.array([[{"a": "shown"}]] * ROWS, pa.list_(pa.struct([inner])))
    given = table(kept)
    (tmp_path / "in.arrow").write_bytes(arrow_bytes(given))
    assert CANARY in (tmp_path / "in.arrow").read_bytes()
    for target in ("out.arrow", "out.parquet"):
        pf.release(tmp_path / "in.arrow", plan(), tmp_path / target)
        assert CANARY not in (tmp_path / target).read_bytes()
    assert CANARY not in arrow_bytes(pf.release(given, plan()).frame)


@pytest.mark.parametrize(
    "kept",
    [
        pa.RunEndEncodedArray.from_arrays(pa.array([6, ROWS]), coded(2)),
        pa.ListViewArray.from_arrays(TWICE[:-1], [2] * ROWS, coded(2 * ROWS)),
    ],
    ids=lambda kept: type(kept).__name__,
)
def test_a_dictionary_that_cannot_be_taken_out_is_refused(kept: Any) -> None:
    assert holds_dictionary(kept.type)
    with pytest.raises(pf.DataError, match=r"column 'k' is of type .* plain values first"):
        plain_kind("k", kept.type)


def test_types_without_dictionaries() -> None:
    assert not holds_dictionary(pa.list_(pa.struct([("a", pa.int8())])))
