"""Every kind of frame gives the same counts; what cannot be used is refused without quoting it."""

from __future__ import annotations

import datetime
import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pufferfish as pf

HOLE = None
# Whole numbers, so that every type of column can hold them; some rows have no value.
VALUES = [12, 7, HOLE, 7, -3, 12, 0, HOLE, 7, 40, HOLE, 12, 0, -3]
SECRETS = ["b", "a", "a", "a", "ö", "b", "a", "b", "b", "ö", "b", "a", "a", "ö"]

Columns = tuple[list[Any], list[Any]]


def floats(values: list[Any]) -> np.ndarray[Any, Any]:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def pandas_frame(values: Any, secrets: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"other": range(len(SECRETS)), "x": values, "s": secrets})
    # Neither the order of the index nor that of the columns may matter.
    return frame.set_index(pd.Index(range(len(SECRETS)))[::-1])[["s", "other", "x"]]


def chunked(column: pa.Array, *cuts: int) -> pa.ChunkedArray:
    edges = [0, *cuts, len(column)]
    return pa.chunked_array(
        [column.slice(start, end - start) for start, end in itertools.pairwise(edges)]
    )


def arrow_table(values: Any, secrets: Any) -> pa.Table:
    return pa.table({"other": pa.array(range(len(SECRETS))), "s": secrets, "x": values})


def arrow_dictionaries() -> pa.Table:
    """Each chunk with a dictionary of its own, in its own order."""
    parts = [
        pa.array(SECRETS[start:end]).dictionary_encode() for start, end in ((0, 5), (5, 9), (9, 14))
    ]
    values = chunked(pa.array(VALUES, type=pa.int16()), 3, 11)
    return pa.table({"x": values, "s": pa.chunked_array(parts)})


def null_and_nan() -> list[float | None]:
    """Of the holes one is null and the others are nan."""
    first = VALUES.index(HOLE)
    return [
        float(value) if value is not None else (None if row == first else math.nan)
        for row, value in enumerate(VALUES)
    ]


decimals = [None if value is None else Decimal(value).scaleb(0) for value in VALUES]
masked = np.ma.array([value or 0 for value in VALUES], mask=[value is None for value in VALUES])

FRAMES: dict[str, Callable[[], Any]] = {
    "dict of arrays": lambda: {"x": floats(VALUES), "s": np.array(SECRETS)},
    "dict of lists": lambda: {"x": floats(VALUES).tolist(), "s": list(SECRETS)},
    "dict of objects": lambda: {
        "x": np.array(VALUES, dtype=object),
        "s": np.array(SECRETS, dtype=object),
    },
    "dict with a mask": lambda: {"x": masked, "s": np.array(SECRETS)},
    "dict of masked objects": lambda: {"x": masked.astype(object), "s": np.array(SECRETS)},
    "dict of decimals": lambda: {"x": np.array(decimals, dtype=object), "s": SECRETS},
    "dict of pandas columns": lambda: {
        "x": pd.Series(VALUES, dtype="Int64"),
        "s": pd.Series(SECRETS, dtype="string"),
    },
    "pandas, object": lambda: pandas_frame(floats(VALUES), pd.Series(SECRETS, dtype=object)),
    "pandas, string": lambda: pandas_frame(floats(VALUES), pd.Series(SECRETS, dtype="string")),
    "pandas, categorical": lambda: pandas_frame(
        floats(VALUES).astype(np.float32), pd.Categorical(SECRETS, ["none of it", "ö", "b", "a"])
    ),
    "pandas, Int64": lambda: pandas_frame(pd.array(VALUES, dtype="Int64"), SECRETS),
    "pandas, Arrow": lambda: pandas_frame(
        pd.array(VALUES, dtype="int64[pyarrow]"), pd.array(SECRETS, dtype="string[pyarrow]")
    ),
    "pandas, object numbers": lambda: pandas_frame(pd.Series(VALUES, dtype=object), SECRETS),
    "pandas, decimals": lambda: pandas_frame(pd.Series(decimals, dtype=object), SECRETS),
    "Polars": lambda: pl.DataFrame({"x": VALUES, "s": SECRETS}),
    "Polars, null and nan": lambda: pl.DataFrame({"x": null_and_nan(), "s": SECRETS}),
    "Polars, categorical": lambda: pl.DataFrame(
        {"x": pl.Series(VALUES, dtype=pl.Int8), "s": pl.Series(SECRETS, dtype=pl.Categorical)}
    ),
    "Polars, enum": lambda: pl.DataFrame(
        {"x": VALUES, "s": pl.Series(SECRETS, dtype=pl.Enum(["z", "ö", "b", "a"]))}
    ),
    "Polars, decimals": lambda: pl.DataFrame(
        {"x": pl.Series(VALUES).cast(pl.Decimal(12, 2)), "s": SECRETS}
    ),
    "Polars, in parts": lambda: pl.concat(
        [pl.DataFrame({"x": VALUES, "s": SECRETS})[a:b] for a, b in ((0, 2), (2, 9), (9, 14))],
        rechunk=False,
    ),
    "Polars, lazy": lambda: pl.LazyFrame({"x": VALUES, "s": SECRETS, "other": SECRETS}),
    "Polars, lazy, filtered": lambda: pl.LazyFrame(
        {"x": [*VALUES, 5, 6], "s": [*SECRETS, "drop", "drop"]}
    ).filter(pl.col("s") != "drop"),
    "PyArrow": lambda: arrow_table(pa.array(VALUES), pa.array(SECRETS)),
    "PyArrow, null and nan": lambda: arrow_table(
        pa.array(null_and_nan(), from_pandas=False), pa.array(SECRETS)
    ),
    "PyArrow, chunks": lambda: arrow_table(
        chunked(pa.array(VALUES, type=pa.float32()), 1, 1, 8),
        chunked(pa.array(SECRETS, type=pa.large_string()), 4, 13),
    ),
    "PyArrow, dictionaries": arrow_dictionaries,
    "PyArrow, decimals": lambda: arrow_table(
        pa.array(decimals, type=pa.decimal128(20, 3)), pa.array(SECRETS)
    ),
    "PyArrow, views": lambda: arrow_table(
        pa.array(VALUES, type=pa.int8()), pa.array(SECRETS, type=pa.string_view())
    ),
    "narwhals": lambda: nw.from_native(pl.DataFrame({"x": VALUES, "s": SECRETS})),
}


def counted(values: list[Any], secrets: list[Any]) -> dict[Any, tuple[dict[float, int], int]]:
    """For each secret how often each value occurs, and how many rows have none: by hand."""
    return {
        secret: (
            Counter(
                float(v)
                for v, s in zip(values, secrets, strict=True)
                if s == secret and v is not None
            ),
            sum(v is None for v, s in zip(values, secrets, strict=True) if s == secret),
        )
        for secret in set(secrets)
    }


def seen(summary: pf.Counts) -> dict[Any, tuple[dict[float, int], int]]:
    for group in summary.groups.values():
        assert np.all(np.diff(group.values) > 0)
        assert np.all(group.counts > 0)
        assert group.values.dtype == np.float64
        assert group.counts.dtype == np.int64
    return {
        secret: (
            dict(zip(group.values.tolist(), group.counts.tolist(), strict=True)),
            group.missing,
        )
        for secret, group in summary.groups.items()
    }


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_same_summary(kind: str) -> None:
    summary = pf.summarise(FRAMES[kind](), column="x", secret="s")
    assert seen(summary) == counted(VALUES, SECRETS)
    assert list(summary.groups) == ["a", "b", "ö"]
    assert all(type(secret) is str for secret in summary.groups)
    assert (summary.column, summary.secret, summary.bin_width, summary.radius) == ("x", "s", 0, 0)
    assert summary.resolution == 3.0
    assert [group.records for group in summary.groups.values()] == [5, 3, 3]
    assert summary.groups["b"].missing_share == pytest.approx(2 / 5, rel=1e-15)


@pytest.mark.parametrize("kind", ["dict", "pandas", "Polars", "lazy", "PyArrow"])
def test_rows_that_stand_for_many(kind: str) -> None:
    """With a column of counts; a count of zero is no record."""
    cells = Counter(zip(SECRETS, VALUES, strict=True))
    table: dict[str, list[Any]] = {
        "s": [*(secret for secret, _ in cells), "a"],
        "x": [*(value for _, value in cells), 99],
        "n": [*cells.values(), 0],
    }
    frame = {
        "dict": lambda: table | {"x": floats(table["x"])},
        "pandas": lambda: pd.DataFrame(table),
        "Polars": lambda: pl.DataFrame(table),
        "lazy": lambda: pl.LazyFrame(table),
        "PyArrow": lambda: pa.table(table),
    }[kind]()
    summary = pf.summarise(frame, column="x", secret="s", count="n")
    assert seen(summary) == counted(VALUES, SECRETS)


@pytest.mark.parametrize(
    ("secrets", "kind"),
    [([3, 10, 3], int), ([True, False, True], bool), ([-1, 0, -1], int), (["no", "x", "no"], str)],
)
@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_secrets_keep_their_type(secrets: list[Any], kind: type, frame: Any) -> None:
    summary = pf.summarise(frame({"x": [1.0, 2.0, 3.0], "s": secrets}), column="x", secret="s")
    assert seen(summary) == counted([1.0, 2.0, 3.0], secrets)
    assert all(type(secret) is kind for secret in summary.groups)


WHOLE = [2**53 + 1, -(2**53) - 3, 2**62 + 1, 5, 2**53 + 1, -(2**63)]


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_large_whole_numbers_become_the_nearest_float(frame: Any) -> None:
    table = {"x": np.array(WHOLE, dtype=np.int64), "s": np.array(list("aabbab"))}
    assert seen(pf.summarise(frame(table), column="x", secret="s")) == counted(
        [float(value) for value in WHOLE], list("aabbab")
    )


def test_a_column_without_any_value() -> None:
    for frame in (
        {"x": [math.nan, math.nan], "s": ["a", "b"]},
        pa.table({"x": pa.nulls(2), "s": ["a", "b"]}),
        pl.DataFrame({"x": [None, None], "s": ["a", "b"]}),
    ):
        assert seen(pf.summarise(frame, column="x", secret="s")) == {"a": ({}, 1), "b": ({}, 1)}


# -------------------------------------------------------------------------------------------------
# What cannot be used: a text that says what to do, and holds nothing of the data
# -------------------------------------------------------------------------------------------------

ENGINES = {
    "dict": lambda table: {name: np.array(column, dtype=object) for name, column in table.items()},
    "pandas": pd.DataFrame,
    "Polars": lambda table: pl.DataFrame(table, strict=False),
    "lazy": lambda table: pl.LazyFrame(table, strict=False),
    "PyArrow": pa.table,
}
engines = pytest.mark.parametrize("engine", ENGINES)


def refusal(data: Any, column: str = "x", secret: str = "s", **choices: Any) -> str:
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.summarise(data, column=column, secret=secret, **choices)
    return str(caught.value)


WRONG_COLUMNS = {
    "text": ["31337", "27182"],
    "truth values": [True, False],
    "dates": [datetime.date(1931, 3, 17), datetime.date(1927, 8, 2)],
    "times": [datetime.datetime(1931, 3, 17, 5), datetime.datetime(1927, 8, 2, 6)],
}


@engines
@pytest.mark.parametrize("kind", WRONG_COLUMNS)
def test_a_column_must_hold_numbers(engine: str, kind: str) -> None:
    message = refusal(ENGINES[engine]({"x": WRONG_COLUMNS[kind], "s": ["a", "b"]}))
    assert "'x' must hold numbers" in message
    assert "convert" in message
    for cell in ("31337", "27182", "True", "1931", "1927"):
        assert cell not in message


@engines
@pytest.mark.parametrize("kind", ["floats", "dates"])
def test_a_secret_must_be_a_label(engine: str, kind: str) -> None:
    secrets = [3.1337, 2.7182] if kind == "floats" else WRONG_COLUMNS["dates"]
    message = refusal(ENGINES[engine]({"x": [1.0, 2.0], "s": secrets}))
    assert "'s' must hold text, whole numbers or truth values" in message
    assert "Convert" in message
    for cell in ("3.1337", "2.7182", "1931", "1927"):
        assert cell not in message


@pytest.mark.parametrize("cell", [math.inf, -math.inf, 2.5e100])
@engines
def test_what_is_not_a_finite_number_is_named_by_its_row(engine: str, cell: float) -> None:
    values = [float(value) for value in range(200, 240)]
    values[16] = cell
    values[29] = cell
    message = refusal(ENGINES[engine]({"x": values, "s": ["a", "b"] * 20}))
    assert "column 'x', row 17" in message
    assert "Correct or remove" in message
    assert "2.5e" not in message
    assert "216" not in message


@engines
def test_a_row_without_a_secret_is_counted_apart(engine: str) -> None:
    secrets = ["label one", "label two"] * 20
    secrets[22] = None
    table = ENGINES[engine]({"x": [200.0 + k for k in range(40)], "s": secrets})
    found = pf.summarise(table, column="x", secret="s")
    assert set(found.groups) == {"label one", "label two"}
    assert found.without_secret.values.tolist() == [222.0]


@pytest.mark.parametrize("kind", ["pandas string", "masked text", "masked objects", "masked ints"])
def test_a_hole_in_the_secret_of_a_dict(kind: str) -> None:
    hidden = [False, False, True, False]
    secrets: Any = {
        "pandas string": pd.Series(["a", "b", None, "b"], dtype="string"),
        "masked text": np.ma.array(["a", "b", "a", "b"], mask=hidden),
        "masked objects": np.ma.array(["a", "b", "a", "b"], mask=hidden, dtype=object),
        "masked ints": np.ma.array([1, 2, 1, 2], mask=hidden),
    }[kind]
    found = pf.summarise({"x": [1.0, 2.0, 3.0, 4.0], "s": secrets}, column="x", secret="s")
    assert found.without_secret.values.tolist() == [3.0]


def test_rows_are_counted_across_chunks() -> None:
    values = chunked(pa.array([1.0, 2.0, 3.0, 4.0, math.inf, 6.0]), 2, 4)
    message = refusal(pa.table({"x": values, "s": chunked(pa.array(list("ababab")), 1, 3)}))
    assert "row 5" in message


@engines
def test_a_wrong_name_is_answered_with_the_right_one(engine: str) -> None:
    frame = ENGINES[engine]({"income": [31.5, 32.5], "gender": ["f", "m"], "age": [71, 72]})
    message = refusal(frame, column="incme", secret="gender")
    assert "no column 'incme'" in message
    assert "Did you mean 'income'?" in message
    for name in ("'income'", "'gender'", "'age'"):
        assert name in message
    assert "Did you mean 'gender'?" in refusal(frame, column="income", secret="gendre")
    assert "Did you mean 'age'?" in refusal(frame, column="income", secret="gender", count="agee")
    assert "Did you mean" not in refusal(frame, column="income", secret="qqqqqqqq")
    for cell in ("31.5", "72", "'f'"):
        assert cell not in message


def test_many_columns_are_not_all_listed() -> None:
    table = {f"c{index:03d}": np.zeros(1) for index in range(150)}
    message = refusal(table, column="zzz", secret="c001")
    assert "130 more" in message
    assert "c149" not in message


@engines
def test_an_empty_table(engine: str) -> None:
    frame = {
        "dict": {"x": np.zeros(0), "s": np.zeros(0, dtype=str)},
        "pandas": pd.DataFrame({"x": pd.Series([], dtype=float), "s": pd.Series([], dtype=str)}),
        "Polars": pl.DataFrame(schema={"x": pl.Float64, "s": pl.String}),
        "lazy": pl.LazyFrame(schema={"x": pl.Float64, "s": pl.String}),
        "PyArrow": pa.schema([("x", pa.float64()), ("s", pa.string())]).empty_table(),
    }[engine]
    assert "no rows" in refusal(frame)


MIXED: dict[str, Any] = {
    "column": {"x": [1.5, "31337"], "s": ["a", "b"]},
    "column, the other way": {"x": ["31337", 1.5], "s": ["a", "b"]},
    "truth in the column": {"x": [1.5, True], "s": ["a", "b"]},
    "date in the column": {"x": [1.5, datetime.date(1931, 3, 17)], "s": ["a", "b"]},
    "secret": {"x": [1.5, 2.5], "s": ["label31337", 3.1337]},
    "bytes in the secret": {"x": [1.5, 2.5], "s": ["label31337", b"31337"]},
    "lists in the secret": {"x": [1.5, 2.5], "s": [[31337], [3, 1337]]},
}


@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("engine", ["dict", "pandas"])
def test_mixed_columns_are_not_quoted(engine: str, kind: str) -> None:
    if engine == "pandas":
        frame: Any = pd.DataFrame({n: pd.Series(c, dtype=object) for n, c in MIXED[kind].items()})
    else:
        frame = {name: np.empty(2, dtype=object) for name in MIXED[kind]}
        for name, cells in MIXED[kind].items():
            frame[name][:] = cells
    message = refusal(frame)
    assert "onvert" in message
    assert "31337" not in message
    assert "1931" not in message


@pytest.mark.parametrize("engine", ["dict", "pandas"])
def test_a_whole_number_beyond_floats_is_refused(engine: str) -> None:
    values = np.array([1, 31337 * 10**400], dtype=object)
    table = {"x": values, "s": np.array(["a", "b"], dtype=object)}
    assert "31337" not in refusal(table if engine == "dict" else pd.DataFrame(table))


def test_counts_must_be_whole() -> None:
    for bad in ([1.5, 2.0], [-1, 2], [math.nan, 2.0], [math.inf, 2.0]):
        message = refusal({"x": [1.0, 2.0], "s": ["a", "b"], "n": bad}, count="n")
        assert "'n' must hold whole numbers of at least 0" in message
        assert "1.5" not in message


def test_one_column_cannot_be_both() -> None:
    assert "must differ" in refusal({"x": [1.0], "s": ["a"]}, column="s", secret="s")
    assert "name" in refusal({"x": [1.0], "s": ["a"]}, column=3)


@pytest.mark.parametrize("data", [[1.0, 2.0], pd.Series([31.5, 32.5]), 3, None])
def test_what_is_no_table(data: object) -> None:
    message = refusal(data)
    assert "a dict of arrays" in message
    assert type(data).__name__ in message
    assert "31.5" not in message


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"x": [31.5, 32.5], "s": ["a", "b"]})
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(pf.MissingExtraError) as caught:
        pf.summarise(frame, column="x", secret="s")
    message = str(caught.value)
    assert "pip install '.[frames]'" in message
    assert "dict of arrays" in message
    assert "31.5" not in message
    assert isinstance(caught.value, ImportError)
    # Arrays need no extra.
    assert pf.summarise({"x": [1.0, 2.0], "s": ["a", "b"]}, column="x", secret="s").groups
