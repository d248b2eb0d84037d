"""Columns found: what is offered is what `summarise` accepts."""

from __future__ import annotations

import gzip
import os
import tempfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.tables import Counting, FileFormat, format_of
from pufferfish.tables.local.counting import fold
from pufferfish.tables.local.detect import (
    MOST_LABELS,
    FoundColumn,
    detect,
    protectable,
    secretive,
)


def as_csv(table: pa.Table, delimiter: str = ",") -> bytes:
    lines = [delimiter.join(table.column_names)]
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        lines.append(delimiter.join("" if cell is None else str(cell) for cell in row))
    return ("\n".join(lines) + "\n").encode()


def written(table: pa.Table, path: Path) -> str:
    """A table, written as the name of its file says."""
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=2)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=2)
    else:
        text = as_csv(table)
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


def found(path: str | Path, most_rows: int = 100_000) -> tuple[FoundColumn, ...]:
    return detect(str(path), format_of(path), most_rows)


def found_in(tmp_path: Path, text: str | bytes, name: str = "a.csv") -> dict[str, FoundColumn]:
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return {each.name: each for each in found(tmp_path / name)}


PEOPLE = pa.table(
    {
        "id": [7, 8, 9, 10, 11],
        "city": ["Ulm", "Bonn", "Ulm", "Kiel", "Ulm"],
        "age": [30, 41, 30, 27, 30],
        "wage": [1.5, None, 2.25, 2.25, 9.0],
    }
)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.arrow"])
def test_every_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "a.tsv":
        path.write_bytes(as_csv(PEOPLE, "\t"))
    else:
        written(PEOPLE, path)
    assert found(path) == (
        FoundColumn(
            name="id", numeric=True, whole=True, labels=5, complete=True, distinct=5, unique=True
        ),
        FoundColumn(name="city", labels=3, complete=True),
        FoundColumn(name="age", numeric=True, whole=True, labels=3, complete=True, distinct=3),
        FoundColumn(name="wage", numeric=True, distinct=3),
    )


def test_a_delimiter_is_found_or_told(tmp_path: Path) -> None:
    columns = found_in(tmp_path, "x;s\n1,5;a\n2,5;b\n")
    assert list(columns) == ["x", "s"]
    # As summarise: a comma is no decimal point.
    assert not columns["x"].numeric
    (tmp_path / "b.csv").write_text("x;s,t\n1;a,b\n")
    told = detect(str(tmp_path / "b.csv"), FileFormat(kind="csv", delimiter=","))
    assert [each.name for each in told] == ["x;s", "t"]


@pytest.mark.parametrize("marker", ["", "nan"])
def test_missing_markers_are_missing_numbers_and_labels_of_text(
    tmp_path: Path, marker: str
) -> None:
    text = f"x,s,t\n1,a,a\n {marker.upper()} ,b,{marker}\n3,a,a\n"
    columns = found_in(tmp_path, text)
    assert columns["x"].numeric
    assert columns["x"].whole
    assert not columns["x"].complete
    assert columns["x"].distinct == 2
    assert columns["s"] == FoundColumn(name="s", labels=2, complete=True)
    assert columns["t"] == FoundColumn(
        name="t", labels=2 if marker else None, complete=bool(marker)
    )


def test_a_missing_secret_is_refused_in_every_batch(tmp_path: Path) -> None:
    """Also where the entries before and after it are fine."""
    labels = ["a", "b", "a", None, "b", "a"]
    for name in ("a.parquet", "a.arrow", "a.csv"):
        (column,) = found(written(pa.table({"s": labels}), tmp_path / name))
        assert (column.labels, column.complete) == (None, False)


def test_floats_are_secrets_in_a_csv_alone(tmp_path: Path) -> None:
    table = pa.table({"x": [1.0, 2.0, 1.0], "y": [1.5, 2.5, 1.5]})
    x, y = found(written(table, tmp_path / "a.csv"))
    assert (x.labels, x.whole, y.labels, y.whole) == (2, True, 2, False)
    x, y = found(written(table, tmp_path / "a.parquet"))
    assert (x.labels, x.whole, y.labels, y.whole) == (None, True, None, False)
    assert found_in(tmp_path, "x,s\n1,a\n1.0,a\n")["x"].labels == 2
    assert found_in(tmp_path, "x,s\n1,a\n1.0,a\n")["x"].distinct == 1


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow"])
def test_truth_values_are_secrets_and_no_numbers(tmp_path: Path, name: str) -> None:
    (column,) = found(written(pa.table({"b": [True, False, True]}), tmp_path / name))
    assert column == FoundColumn(name="b", labels=2, complete=True)


def test_many_labels_are_no_labels(tmp_path: Path) -> None:
    """Whether they come at once or some in each batch."""
    few = [f"p{n}" for n in range(MOST_LABELS)]
    for labels, expected in ((few, MOST_LABELS), ([*few, "more"], None)):
        for name in ("a.csv", "a.arrow"):
            (column,) = found(written(pa.table({"s": labels}), tmp_path / name))
            assert column == FoundColumn(name="s", labels=expected, complete=True)


def test_a_shared_name_stands_for_no_column(tmp_path: Path) -> None:
    columns = [FoundColumn(name="x"), FoundColumn(name="s", labels=1, complete=True)]
    (tmp_path / "a.csv").write_text("x,s,x\n1,a,2\n")
    assert found(tmp_path / "a.csv") == (*columns, columns[0])
    table = pa.table([[1], ["a"], [2]], names=["x", "s", "x"])
    assert found(written(table, tmp_path / "a.arrow")) == (*columns, columns[0])
    assert found(written(table, tmp_path / "a.parquet")) == (*columns, columns[0])
    for name in ("b.csv", "b.arrow"):
        path = written(pa.table([[1], [2]], names=["x", "x"]), tmp_path / name)
        with pytest.raises(InvalidInputError, match="several columns 'x'"):
            found(path)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.arrow"])
def test_names_may_be_of_any_script_or_empty(tmp_path: Path, name: str) -> None:
    names = ["größe", "年齢", "", "a b", "😀"]
    path = written(pa.table({each: [1, 2] for each in names}), tmp_path / name)
    assert [each.name for each in found(path)] == names
    assert all(each.numeric for each in found(path))


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    assert list(found_in(tmp_path, b"\xef\xbb\xbfx,s\n1,a\n")) == ["x", "s"]


def test_keys_of_folders_are_columns_of_text_known_of_all_files(tmp_path: Path) -> None:
    for when, where in (("2020", "a"), ("2021", "a"), ("2022", "__HIVE_DEFAULT_PARTITION__")):
        folder = tmp_path / f"year={when}" / f"site={where}"
        folder.mkdir(parents=True)
        (folder / "x.csv").write_text(f"x\n{when}\n")
    x, year, site = found(tmp_path)
    assert (x.name, x.numeric, x.distinct) == ("x", True, 1)
    assert year == FoundColumn(name="year", labels=3, complete=True)
    assert site == FoundColumn(name="site")
    assert found(tmp_path / "year=202[01]" / "*")[2].labels == 1


def test_a_key_that_is_also_in_the_file_stands_for_no_column(tmp_path: Path) -> None:
    (tmp_path / "x=1").mkdir()
    (tmp_path / "x=1" / "a.csv").write_text("x,y\n1,2\n")
    x, y, key = found(tmp_path)
    assert x == key == FoundColumn(name="x")
    assert y.numeric


def test_the_first_file_with_rows_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n")
    (tmp_path / "b.csv").write_text("x\n1\n1\n")
    (tmp_path / "c.csv").write_text("x\ntext\n")
    (column,) = found(tmp_path)
    assert column.numeric


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.arrow"])
def test_no_more_rows_are_looked_at_than_asked_for(tmp_path: Path, name: str) -> None:
    path = written(pa.table({"x": ["1", "2", "2", "text", ""]}), tmp_path / name)
    numeric = "csv" in name
    for rows, labels in ((1, 1), (2, 2), (3, 2), (4, 3), (5, None)):
        (column,) = found(path, rows)
        assert column.labels == labels
        assert column.numeric == (numeric and rows <= 3)
    with pytest.raises(InvalidInputError, match="most_rows"):
        found(path, 0)


def test_only_the_beginning_of_a_large_csv_is_read(tmp_path: Path) -> None:
    """What follows may not even be text."""
    good = b"1,a\n" * 3_000_000
    for name, pack in (("a.csv", bytes), ("a.csv.gz", lambda b: gzip.compress(b, 1))):
        columns = found_in(tmp_path, pack(b"x,s\n" + good + b"\xff,too,many\n"), name)
        assert columns["x"].distinct == columns["s"].labels == 1


def test_wide_rows_are_not_looked_at_without_end(tmp_path: Path) -> None:
    """About 64 MB, here 64 rows, are enough."""
    path = tmp_path / "a.csv"
    path.write_text("x,s\n" + f"1,{'a' * 1_000_000}\n" * 100 + "text,b\n")
    assert found(path)[0].numeric
    path.write_text("x,s\n" + f"1,{'a' * 1_000_000}\n" * 10 + "text,b\n")
    assert not found(path)[0].numeric


def test_a_file_in_memory(tmp_path: Path) -> None:
    for kind in ("csv", "parquet", "arrow"):
        content = Path(written(PEOPLE, tmp_path / f"a.{kind}")).read_bytes()
        number = os.memfd_create("table")
        try:
            os.write(number, content)
            path = f"/proc/self/fd/{number}"
            columns = detect(path, format_of(path, kind))
        finally:
            os.close(number)
        assert [each.name for each in columns] == PEOPLE.column_names
        assert [each.distinct for each in columns] == [5, 0, 3, 3]


GARBAGE = b"secretive 4711 nonsense" * 100
BROKEN = {
    "empty.csv": b"",
    "no_names.csv": b"39,State-gov,77516\n50,Private,83311\n",
    "rows.csv": b"x,s\n1,a\n4711,b,c\n",
    "cut.csv": b'x,s\n1,"a\n2,b\n',
    "latin.csv": "x,s\n1,größe\n".encode("latin-1"),
    "no_rows.csv": b"x,s\n",
    "damaged.csv.gz": gzip.compress(b"x,s\n" + os.urandom(500).hex().encode())[:-90],
    "plain.csv.gz": b"x,s\n1,a\n",
    "zipped.csv": gzip.compress(b"x,s\n1,a\n"),
    "garbage.parquet": GARBAGE,
    "garbage.arrow": GARBAGE,
    "empty.parquet": b"",
    "empty.arrow": b"",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("many", [False, True])
def test_what_cannot_be_read_is_refused_in_the_words_of_summarise(
    tmp_path: Path, name: str, many: bool
) -> None:
    (tmp_path / name).write_bytes(BROKEN[name])
    path = str(tmp_path) if many else str(tmp_path / name)
    format_ = format_of(path)
    with pytest.raises(DataError) as expected:
        fold(path, Counting.of_column("x", "s"), format_=format_)
    with pytest.raises(DataError) as refused:
        detect(path, format_)
    assert str(refused.value) == str(expected.value)
    assert "4711" not in str(refused.value)


def test_names_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not UTF-8"):
        found_in(tmp_path, "x,größe\n1,2\n".encode("latin-1"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "a.csv", tmp_path / "a.arrow"):
        with pytest.raises(FileNotFoundError):
            found(path)


def accepted(path: str, column: str, secret: str) -> bool:
    try:
        fold(path, Counting.of_column(column, secret), format_=format_of(path))
    except InvalidInputError:
        return False
    return True


def agrees(path: str) -> None:
    """Of columns beside "number" and "label", which can be used, `summarise` says the same."""
    for each in found(path):
        if each.name not in ("number", "label"):
            assert each.numeric == accepted(path, each.name, "label"), each
            # Rows without a secret are counted; as a secret only whole columns are offered.
            taken = accepted(path, "number", each.name)
            assert taken if each.labels is not None else not (taken and each.complete), each


NUMBERS = ("1", "-2", "1.0", "2.50", " 3 ", "1e3", "+4", "1e100", "2e100", "inf", "1e999")
TEXTS = ("a", "é", "true", "False", "2020-01-01", "0x1f", "1_000", "١", "-Infinity", " NA", " ")
CELLS = st.sampled_from(["", "nan", "NA", "-", "?", "null", *NUMBERS, *TEXTS])


@settings(deadline=None, max_examples=200)
@given(
    st.integers(1, 6).flatmap(
        lambda rows: st.lists(st.lists(CELLS, min_size=rows, max_size=rows), min_size=1, max_size=4)
    ),
    st.sampled_from(["a.csv", "a.csv.gz"]),
)
def test_a_csv_is_found_as_summarise_takes_it(columns: list[list[str]], name: str) -> None:
    rows = len(columns[0])
    table = {"number": ["1"] * rows, "label": ["a"] * rows}
    table |= {f"c{index}": column for index, column in enumerate(columns)}
    with tempfile.TemporaryDirectory() as folder:
        agrees(written(pa.table(table), Path(folder, name)))


def entries(kind: pa.DataType, *values: Any) -> st.SearchStrategy[tuple[pa.DataType, list[Any]]]:
    """Five entries of one type, of which some may be missing."""
    some = st.sampled_from([values, (*values, None)])
    cells = some.flatmap(lambda each: st.lists(st.sampled_from(each), min_size=5, max_size=5))
    return st.tuples(st.just(kind), cells)


KINDS = st.one_of(
    entries(pa.int64(), 0, 1, -(2**62)),
    entries(pa.uint8(), 0, 255),
    entries(pa.float64(), 0.0, 1.5, float("nan"), float("inf"), 1e100, 2e100),
    entries(pa.float32(), 1.0, 2.0),
    entries(pa.decimal128(8, 2), Decimal("1.25"), Decimal("-3.00")),
    entries(pa.bool_(), True, False),
    entries(pa.string(), "a", "", "NA", "1"),
    entries(pa.large_string(), "a", "b"),
    entries(pa.dictionary(pa.int8(), pa.string()), "a", "b", ""),
    entries(pa.date32(), date(2020, 1, 1)),
    entries(pa.timestamp("us"), datetime(2020, 1, 1)),
    entries(pa.binary(), b"a"),
    entries(pa.list_(pa.int64()), [1], []),
    entries(pa.struct([("y", pa.int64())]), {"y": 1}),
    entries(pa.null(), None),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(KINDS, min_size=1, max_size=4), st.sampled_from(["a.parquet", "a.arrow"]))
def test_typed_columns_are_found_as_summarise_takes_them(
    columns: list[tuple[pa.DataType, list[Any]]], name: str
) -> None:
    table = {"number": pa.array([1] * 5), "label": pa.array(["a"] * 5)}
    table |= {f"c{index}": pa.array(cells, kind) for index, (kind, cells) in enumerate(columns)}
    with tempfile.TemporaryDirectory() as folder:
        agrees(written(pa.table(table), Path(folder, name)))


def test_a_column_without_any_number_is_taken_as_summarise_takes_it(tmp_path: Path) -> None:
    columns = found_in(tmp_path, "x,s\n,a\nNaN,b\n")
    assert columns["x"] == FoundColumn(name="x", numeric=True, unique=True)
    assert accepted(str(tmp_path / "a.csv"), "x", "s")


def named(columns: tuple[FoundColumn, ...]) -> list[str]:
    return [each.name for each in columns]


def test_identifiers_and_classes_are_not_the_first_to_be_protected(tmp_path: Path) -> None:
    table = pa.table(
        {
            "row": list(range(12)),
            "group": [0, 1] * 6,
            "constant": [5] * 12,
            "empty": pa.nulls(12, pa.int64()),
            "wage": [index + 0.5 for index in range(12)],
            "sex": ["f", "m"] * 6,
            "age": [30, 40, 50] * 4,
            "town": ["a", "b", "c", "d"] * 3,
        }
    )
    columns = found(written(table, tmp_path / "a.parquet"))
    assert named(protectable(columns)) == ["wage", "age", "group", "constant", "empty", "row"]
    assert named(secretive(columns)) == ["sex", "town", "group", "age", "row"]


def test_a_column_is_not_compared_with_itself_as_a_secret() -> None:
    alone = FoundColumn(name="x", numeric=True, whole=True, labels=2, complete=True, distinct=2)
    row = FoundColumn(name="n", numeric=True, whole=True, distinct=9, unique=True)
    text = FoundColumn(name="t", labels=2)
    three = FoundColumn(name="y", numeric=True, distinct=3)
    assert named(protectable([row, alone])) == ["x", "n"]
    assert named(protectable([alone, three])) == ["x", "y"]
    assert named(protectable([alone, three, text])) == ["y", "x"]


def test_text_is_a_likelier_secret_than_numbers() -> None:
    columns = [
        FoundColumn(name="measured", numeric=True, labels=2, distinct=2),
        FoundColumn(name="one", labels=1),
        FoundColumn(name="none"),
        FoundColumn(name="code", numeric=True, whole=True, labels=2, distinct=2),
        FoundColumn(name="town", labels=150),
        FoundColumn(name="sex", labels=2),
        FoundColumn(name="also", labels=2),
    ]
    assert named(secretive(columns)) == ["sex", "also", "town", "code", "measured"]
    assert protectable([]) == secretive([]) == ()
