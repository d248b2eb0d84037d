"""Files released: every format, verbatim but for the noise, whole or not at all, whatever fails."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.calibration.least_noise import recertify
from pufferfish.columns import session as column_release
from pufferfish.tables import FileFormat
from pufferfish.tables.local import reading, transform
from tests import seams
from tests.sampling.fit import rejects_counts
from tests.support import PATIENCE, until

FAINT = 1e-3


@cache
def points(distance: float = 1.0, **missing: float) -> pf.Calibration:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([distance], [1.0])}
    return pf.calibrate(pf.Scenario(pf.Belief(laws, missing=missing)), pf.Guarantee(1.0))


def plan(calibration: pf.Calibration | None = None, **fields: Any) -> pf.Plan:
    return pf.Plan(calibration=calibration or points(), column="x", secret="s", **fields)


def faint(**fields: Any) -> pf.Plan:
    """Noise that rounding to whole numbers takes away again."""
    return plan(points(FAINT), **fields)


# Cells that a careless reader or writer would change.
CELLS = [
    "plain",
    "with, comma",
    "semi; colon",
    "tab\there",
    "pipe|here",
    'a "quoted" word',
    "two\nlines",
    "carriage\r\nreturn",
    " spaces ",
    "",
    "NA",
    "null",
    "007",
    "1.50",
    "1e5",
    "true",
    "2020-01-01",
    "é 🐡",
    "'",
    '"',
]
ROWS = 2 * len(CELLS)
VALUES = [100.0 * row for row in range(ROWS)]
KEPT = [CELLS[row % len(CELLS)] for row in range(ROWS)]
SECRETS = ["ab"[row % 2] for row in range(ROWS)]


def csv_text(
    delimiter: str = ",", line_end: str = "\n", values: list[Any] | None = None, **options: Any
) -> str:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end, **options)
    writer.writerow(["s", "k", "x", "unused"])
    for row, value in enumerate(values or VALUES):
        writer.writerow([SECRETS[row], KEPT[row], value, "secretive"])
    return file.getvalue()


def rows_of(path: Path, delimiter: str = ",", *, compressed: bool = False) -> list[list[str]]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if compressed else data).decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def check_csv(path: Path, done: pf.Release, delimiter: str = ",", compressed: bool = False) -> None:
    """Kept cells verbatim, values near, checksum and counts right."""
    header, *rows = rows_of(path, delimiter, compressed=compressed)
    assert header == ["k", "x"]
    assert [row[0] for row in rows] == KEPT
    published = np.array([float(row[1]) for row in rows])
    assert np.rint(published).tolist() == VALUES
    assert not np.any(published == VALUES)
    record = done.record
    assert record.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (record.checksum_of, record.output) == ("file", path.name)
    assert record.rows_read == record.rows_published == ROWS
    assert record.column_std == pytest.approx(np.std(VALUES))
    assert done.frame == str(path)


# CSV.


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_kept_cells_are_passed_on_letter_by_letter(
    tmp_path: Path, delimiter: str, line_end: str, start: str, quoting: int
) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    text = start + csv_text(delimiter, line_end, quoting=quoting)
    source.write_bytes(text.encode("utf-8"))
    done = pf.release(source, faint(keep_unprotected=("k",), keep_order=True), target)
    check_csv(target, done)
    assert source.read_bytes() == text.encode("utf-8")


@pytest.mark.parametrize("block", [64, 200, 1000])
def test_rows_are_the_same_however_they_are_batched(
    tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put(monkeypatch, seams.BLOCK_BYTES, block)
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(csv_text(), newline="")
    check_csv(target, pf.release(source, faint(keep_unprotected=("k",), keep_order=True), target))


FORMATS: list[tuple[str, FileFormat | None, str, bool]] = [
    ("t.csv", None, ",", False),
    ("t.CSV", None, ",", False),
    ("t.txt", None, ",", False),
    ("t.tsv", None, "\t", False),
    ("t.csv.gz", None, ",", True),
    ("t.tsv.gz", None, "\t", True),
    ("t.dat", FileFormat(kind="csv", delimiter=";"), ";", False),
    ("t.dat", FileFormat(kind="csv", delimiter="^"), "^", False),
    ("t.csv", FileFormat(kind="csv", compressed=True), ",", True),
]


@pytest.mark.parametrize(("name", "format_", "delimiter", "compressed"), FORMATS)
def test_formats_of_text_by_name_and_by_word(
    tmp_path: Path, name: str, format_: FileFormat | None, delimiter: str, compressed: bool
) -> None:
    (tmp_path / "in").mkdir()
    source, target = tmp_path / "in" / name, tmp_path / name
    data = csv_text(delimiter).encode()
    source.write_bytes(gzip.compress(data) if compressed else data)
    done = pf.release_file(
        str(source),
        faint(keep_unprotected=("k",), keep_order=True),
        str(target),
        source_format=format_,
        target_format=format_,
    )
    check_csv(target, done, delimiter, compressed)


def test_missing_markers_are_holes(tmp_path: Path) -> None:
    marks = ["", "NA", "", "?", "NaN", "-999", " NA ", " ", "?", "", "-999", "nan"]
    named = ["NA", "?", "-999"]
    values = [
        marks[row // 3] if row % 3 == 0 and row // 3 < len(marks) else row for row in range(40)
    ]
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(csv_text(values=values), newline="")
    present = [row for row, value in enumerate(values) if isinstance(value, int)]
    with pytest.raises(pf.DataError, match="column 'x', row 1: the value is missing"):
        pf.release(source, faint(), target, na=named)
    assert not target.exists()
    with pytest.raises(pf.DataError, match=r"text in row 4.*--na"):
        pf.release(source, faint(missing="drop", keep_unprotected=("k",)), target)
    in_order = faint(missing="drop", keep_unprotected=("k",), keep_order=True)
    done = pf.release(source, in_order, target, na=named)
    rows = rows_of(target)[1:]
    assert [row[0] for row in rows] == [KEPT[row] for row in present]
    assert [round(float(row[1])) for row in rows] == present
    record = done.record
    assert (record.rows_read, record.rows_published, record.rows_missing) == (40, 28, 12)
    holes = plan(
        points(FAINT, a=0.3, b=0.3), missing="keep", keep_unprotected=("k",), keep_order=True
    )
    done = pf.release(source, holes, target, force=True, na=named)
    rows = rows_of(target)[1:]
    assert [row[0] for row in rows] == KEPT
    assert [row for row, cells in enumerate(rows) if cells[1]] == present
    assert done.record.rows_published == 40
    with pytest.raises(pf.DataError, match="cannot happen"):
        pf.release(source, faint(missing="keep"), target, force=True, na=named)


def test_whole_numbers_have_no_point(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(csv_text(), newline="")
    pf.release(
        source,
        faint(keep_unprotected=("k",), keep_order=True, postprocess=(pf.RoundTo(1),)),
        target,
    )
    assert [row[1] for row in rows_of(target)[1:]] == [str(round(value)) for value in VALUES]


def test_names_with_a_delimiter_survive(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text('s,"k, ""l""",x\na,u,1\nb,v,2\n')
    pf.release(source, faint(keep_unprotected=('k, "l"',), keep_order=True), target)
    assert rows_of(target)[0] == ['k, "l"', "x"]


def test_numbers_keep_their_digits(tmp_path: Path) -> None:
    """What is written is the published double, to the last bit."""
    source = tmp_path / "in.parquet"
    frame = pl.DataFrame({"x": np.linspace(0.0, 1.0, 1000), "s": ["a", "b"] * 500})
    frame.write_parquet(source)
    pf.release(source, plan(keep_order=True), tmp_path / "out.csv")
    grid = points().noise.grid
    assert grid is not None
    values = np.array([float(row[0]) for row in rows_of(tmp_path / "out.csv")[1:]])
    assert np.all(values % grid == 0.0)


# Parquet and Arrow.


def written(frame: pa.Table, path: Path, kind: str) -> None:
    if kind == "parquet":
        pq.write_table(frame, path, row_group_size=7)
    else:
        with pa.ipc.new_file(path, frame.schema) as writer:
            for part in frame.to_batches(max_chunksize=7):
                writer.write_batch(part)


def read(path: Path, kind: str) -> pa.Table:
    if kind == "parquet":
        return pq.read_table(path)
    with pa.ipc.open_file(path) as file:
        return file.read_all()


TYPED = pa.table(
    {
        "s": pa.array(SECRETS).dictionary_encode(),
        "k": pa.array(KEPT),
        "small": pa.array([row % 7 for row in range(ROWS)], pa.int8()),
        "x": pa.array(VALUES),
        "gaps": pa.array([None if row % 3 else row for row in range(ROWS)], pa.int64()),
        "when": pa.array(range(ROWS), pa.timestamp("us", "UTC")),
        "unused": pa.array(["secretive"] * ROWS),
    }
)


@pytest.mark.parametrize("name", ["t.parquet", "t.pq", "t.arrow", "t.ipc", "t.feather", "t.bin"])
@pytest.mark.parametrize("whole", [False, True])
def test_typed_files_keep_types(tmp_path: Path, name: str, whole: bool) -> None:
    kind: Any = "parquet" if name in ("t.parquet", "t.pq") else "arrow"
    given = FileFormat(kind=kind) if name == "t.bin" else None
    source, target = tmp_path / "in" / name, tmp_path / name
    source.parent.mkdir()
    written(TYPED, source, kind)
    kept = ("when", "gaps", "small", "k")
    steps = (pf.RoundTo(1),) if whole else ()
    done = pf.release_file(
        str(source),
        faint(keep_unprotected=kept, keep_order=True, postprocess=steps),
        str(target),
        source_format=given,
        target_format=given,
    )
    found = read(target, kind)
    assert found.column_names == ["k", "small", "x", "gaps", "when"]
    for each in kept:
        assert found[each].equals(TYPED[each])
        assert found.schema.field(each).type == TYPED.schema.field(each).type
    assert found.schema.field("x").type == (pa.int64() if whole else pa.float64())
    assert np.rint(found["x"].to_numpy()).tolist() == VALUES
    assert done.record.sha256 == hashlib.sha256(target.read_bytes()).hexdigest()
    assert done.record.rows_read == done.record.rows_published == ROWS
    assert b"secretive" not in target.read_bytes()
    assert not found.schema.metadata


NAMES = ["t.csv", "t.parquet", "t.arrow", "t.csv.gz"]


def any_read(path: Path) -> list[float]:
    if path.suffix in (".csv", ".gz"):
        return [float(row[-1]) for row in rows_of(path, compressed=path.suffix == ".gz")[1:]]
    kind = "parquet" if path.suffix == ".parquet" else "arrow"
    values: list[float] = read(path, kind)["x"].to_pylist()
    return values


@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES)
def test_any_format_becomes_any_other(tmp_path: Path, first: str, second: str) -> None:
    source, target = tmp_path / "in" / first, tmp_path / second
    source.parent.mkdir()
    columns = TYPED.select(["s", "k", "x"])
    if "csv" in first:
        data = csv_text().encode()
        source.write_bytes(gzip.compress(data) if first.endswith("gz") else data)
    else:
        written(columns, source, first.split(".")[1])
    pf.release(source, faint(keep_unprotected=("k",), keep_order=True), target)
    assert [round(value) for value in any_read(target)] == VALUES
    shuffled = tmp_path / f"shuffled.{second.split('.', 1)[1]}"
    pf.release(source, faint(), shuffled)
    rounded = [round(value) for value in any_read(shuffled)]
    assert rounded != VALUES
    assert sorted(rounded) == VALUES
    # And what was released can be read as a table again.
    again = tmp_path / f"again.{second.split('.', 1)[1]}"
    with pytest.raises(pf.InvalidInputError, match="no column 's'"):
        pf.release(target, faint(keep_unprotected=("k",), keep_order=True), again)
    assert not again.exists()


def test_the_format_must_be_known(tmp_path: Path) -> None:
    with pytest.raises(pf.InvalidInputError, match="format"):
        pf.release(tmp_path / "in.xlsx", faint(), tmp_path / "out.csv")
    with pytest.raises(pf.InvalidInputError, match="format"):
        pf.release(tmp_path / "in.csv", faint(), tmp_path / "out")


# Every row.


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rows", [1, 6, 7, 8, 15])
@pytest.mark.parametrize("fields", [{}, {"keep_order": True}], ids=str)
def test_every_row_is_noised_at_every_edge(
    tmp_path: Path, name: str, rows: int, fields: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (transform, reading):
        monkeypatch.setattr(module, "BATCH", 7)
    seams.put(monkeypatch, seams.BLOCK_BYTES, 32)
    values = [float(row) for row in range(rows)]
    frame = pa.table({"x": values, "s": (["a", "b"] * rows)[:rows]})
    source, target = tmp_path / "in" / name, tmp_path / name
    source.parent.mkdir()
    if "csv" in name:
        data = pl.from_arrow(frame).write_csv().encode()  # type: ignore[union-attr]
        source.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    else:
        written(frame, source, name.split(".")[1])
    done = pf.release(source, plan(**fields), target)
    found = any_read(target)
    assert len(found) == rows == done.record.rows_published
    assert not set(found) & set(values)


def test_released_files_follow_the_certified_law(tmp_path: Path) -> None:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([0.5], [1.0])}
    law = recertify(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0), pf.LaplaceNoise(4.0, 0.5))
    count, rate = 200_000, np.exp(-1.0 / 8.0)
    steps = np.random.default_rng(1).integers(-1000, 1000, count)
    pl.DataFrame({"x": 0.5 * steps, "s": ["a", "b"] * (count // 2)}).write_csv(tmp_path / "in.csv")
    pf.release(tmp_path / "in.csv", plan(law, keep_order=True), tmp_path / "out.csv")
    published = pl.read_csv(tmp_path / "out.csv")["x"].to_numpy()
    noise = np.rint(2.0 * published).astype(np.int64) - steps
    assert not rejects_counts(noise, lambda n: (1 - rate) / (1 + rate) * rate ** abs(n))


# What goes wrong.


def listing(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def truncated(data: bytes, share: float = 0.6) -> bytes:
    return data[: int(len(data) * share)]


def parquet_bytes() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TYPED, sink)
    return sink.getvalue()


def arrow_bytes() -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, TYPED.schema) as writer:
        writer.write_table(TYPED)
    return sink.getvalue()


BROKEN: list[tuple[str, str, Callable[[], bytes]]] = [
    ("truncated gzip", "in.csv.gz", lambda: truncated(gzip.compress(csv_text().encode()))),
    ("gzip without its end", "in.csv.gz", lambda: gzip.compress(csv_text().encode())[:-6]),
    ("no gzip", "in.csv.gz", lambda: csv_text().encode()),
    ("broken gzip", "in.csv.gz", lambda: gzip.compress(csv_text().encode())[:60] + b"\0" * 300),
    ("short last row", "in.csv", lambda: csv_text().encode() + b"a,u\n"),
    ("half a last row", "in.csv", lambda: csv_text().encode() + b"a,u"),
    ("long last row", "in.csv", lambda: csv_text().encode() + b"a,u,1,v,w\n"),
    ("open quote", "in.csv", lambda: csv_text().encode() + b'a,u,1,"half'),
    ("empty", "in.csv", lambda: b""),
    ("header only", "in.csv", lambda: b"s,k,x\n"),
    ("no text", "in.csv", lambda: csv_text().encode() + b"\xff\xfe,u,1,v\n"),
    ("name twice", "in.csv", lambda: b"x,s,x,k\n1,a,2,u\n"),
    ("truncated Parquet", "in.parquet", lambda: truncated(parquet_bytes())),
    ("empty Parquet", "in.parquet", lambda: b""),
    ("no Parquet", "in.parquet", lambda: csv_text().encode()),
    ("truncated Arrow", "in.arrow", lambda: truncated(arrow_bytes())),
    ("no Arrow", "in.arrow", lambda: b"PAR1"),
]


@pytest.mark.parametrize(
    ("name", "data"), [case[1:] for case in BROKEN], ids=[c[0] for c in BROKEN]
)
@pytest.mark.parametrize("fields", [{"keep_unprotected": ("k",), "keep_order": True}, {}], ids=str)
def test_a_broken_file_publishes_nothing(
    tmp_path: Path, name: str, data: Callable[[], bytes], fields: Any
) -> None:
    source = tmp_path / name
    source.write_bytes(data())
    for target in ("out.csv", "out.parquet", "out.arrow", "out.csv.gz"):
        with pytest.raises((pf.DataError, pf.InvalidInputError, OSError)):
            pf.release(source, faint(**fields), tmp_path / target)
        assert listing(tmp_path) == [name]


def test_a_broken_row_late_in_a_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put(monkeypatch, seams.BLOCK_BYTES, 256)
    lines = ["x,s", *(f"{row},a" for row in range(500))]
    (tmp_path / "in.csv").write_text("\n".join([*lines, "7", ""]))
    with pytest.raises(pf.DataError, match="row 501 has 1 fields where the first line has 2"):
        pf.release(tmp_path / "in.csv", faint(), tmp_path / "out.csv")
    (tmp_path / "in.csv").write_text("\n".join([*lines, "many,a", ""]))
    with pytest.raises(pf.DataError, match="row 501") as caught:
        pf.release(tmp_path / "in.csv", faint(), tmp_path / "out.csv")
    assert "many" not in str(caught.value)
    (tmp_path / "in.csv").write_text("\n".join([*lines, "7,z", ""]))
    with pytest.raises(pf.DataError, match="column 's', row 501"):
        pf.release(tmp_path / "in.csv", faint(), tmp_path / "out.csv")
    assert listing(tmp_path) == ["in.csv"]


def test_what_cannot_be_opened_publishes_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nowhere")
    before = listing(tmp_path)
    for name in ("folder.csv", "dangling.csv", "none.csv", "folder.csv/none.parquet"):
        with pytest.raises(OSError, match=name.split("/")[0].split(".")[0]):
            pf.release(tmp_path / name, faint(), tmp_path / "out.csv")
    (tmp_path / "in.csv").write_text(csv_text(), newline="")
    with pytest.raises(OSError, match="nowhere"):
        pf.release(tmp_path / "in.csv", faint(), tmp_path / "nowhere" / "out.csv")
    assert listing(tmp_path) == sorted([*before, "in.csv"])


@pytest.mark.parametrize("name", NAMES)
def test_an_output_that_exists_is_not_replaced(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "in.csv", tmp_path / name
    source.write_text(csv_text(), newline="")
    target.write_text("precious")
    with pytest.raises(pf.OutputExistsError, match="force"):
        pf.release(source, faint(), target)
    assert target.read_text() == "precious"
    pf.release(source, faint(keep_order=True), target, force=True)
    assert [round(value) for value in any_read(target)] == VALUES
    assert listing(tmp_path) == sorted(["in.csv", name])


def test_an_output_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(csv_text(), newline="")
    shares: list[float] = []

    def progress(share: float) -> None:
        shares.append(share)
        target.write_text("precious")

    with pytest.raises(pf.OutputExistsError):
        pf.release_file(
            str(source),
            faint(keep_unprotected=("k",), keep_order=True),
            str(target),
            progress=progress,
        )
    assert shares
    assert all(0.0 < share <= 1.0 for share in shares)
    assert target.read_text() == "precious"
    assert listing(tmp_path) == ["in.csv", "out.csv"]


def test_a_person_with_too_many_rows_publishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put(monkeypatch, seams.BLOCK_BYTES, 64)
    text = "x,s,p\n" + "".join(f"{row},a,person {row % 50}\n" for row in range(51))
    (tmp_path / "in.csv").write_text(text)
    chosen = plan(unit="person", person="p", keep_order=True)
    with pytest.raises(pf.DataError, match="some person"):
        pf.release(tmp_path / "in.csv", chosen, tmp_path / "out.csv")
    assert listing(tmp_path) == ["in.csv"]
    # Too few to test what they have in common; that has tests of its own.
    monkeypatch.setattr(column_release, "refuse_dependent", lambda *_: True)
    twice = plan(unit="person", person="p", rows_per_person=2, dependence="independent")
    assert pf.release(tmp_path / "in.csv", twice, tmp_path / "out.csv").record.rows_read == 51


def test_a_row_of_nobody_is_refused(tmp_path: Path) -> None:
    """In a CSV an empty cell is all there is for it."""
    (tmp_path / "in.csv").write_text("x,s,p\n1,a,u\n2,b,\n3,a,w\n")
    with pytest.raises(pf.DataError, match="person"):
        pf.release(tmp_path / "in.csv", plan(unit="person", person="p"), tmp_path / "out.csv")


# Standard output: nothing can be called back.

RELEASE = """
import sys
import pufferfish as pf
from pufferfish.tables.local import reading
reading._BLOCK_BYTES = 1 << 16
plan = pf.Plan.load(sys.argv[1])
try:
    pf.release_file(sys.argv[2], plan, sys.argv[3], ledger=sys.argv[4] if sys.argv[4:] else None)
except (pf.PufferfishError, OSError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


def child(*arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_a_table_goes_to_standard_output(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(csv_text(), newline="")
    faint(keep_unprotected=("k",), keep_order=True).save(tmp_path / "plan.json")
    done = child("-c", RELEASE, tmp_path / "plan.json", tmp_path / "in.csv", "-")
    out, err = done.communicate()
    assert (done.returncode, err) == (0, b"")
    (tmp_path / "out.csv").write_bytes(out)
    assert [row[0] for row in rows_of(tmp_path / "out.csv")[1:]] == KEPT


@pytest.mark.parametrize("end", ["1,a,person 3\n", "1,rare,nobody\n", "many,a,nobody\n"])
def test_what_is_refused_in_the_end_does_not_go_to_standard_output(
    tmp_path: Path, end: str
) -> None:
    """A person with a row too many would be published with all of them."""
    rows = 20_000  # more than one block
    text = "x,s,p\n" + "".join(f"{row},a,person {row}\n" for row in range(rows))
    (tmp_path / "in.csv").write_text(text + end)
    plan(unit="person", person="p", keep_order=True).save(tmp_path / "plan.json")
    done = child("-c", RELEASE, tmp_path / "plan.json", tmp_path / "in.csv", "-")
    out, err = done.communicate()
    assert done.returncode == 1
    assert err.startswith(b"DataError")
    assert out == b""


# Killed, or without room.


def endless(fifo: Path, stop: threading.Event) -> None:
    """Rows, until nobody reads any more."""
    rows = "".join(f"{row},{'ab'[row % 2]},kept {row}\n" for row in range(20_000)).encode()
    try:
        with fifo.open("wb", buffering=0) as file:
            file.write(b"x,s,k\n")
            while not stop.is_set():
                file.write(rows)
    except BrokenPipeError:
        return


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Path]:
    """A table that never ends, so that a release of it is always in the middle."""
    fifo, stop = tmp_path / "endless.csv", threading.Event()
    os.mkfifo(fifo)
    thread = threading.Thread(target=endless, args=(fifo, stop), daemon=True)
    thread.start()
    yield fifo
    stop.set()
    # Where nobody ever opened it.
    os.close(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK))
    thread.join(PATIENCE)
    assert not thread.is_alive()


def unfinished(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.name.startswith(".out")]


def in_mid_write(folder: Path, process: subprocess.Popen[bytes]) -> None:
    def much() -> bool:
        assert process.poll() is None, process.communicate()
        return any(each.stat().st_size > 100_000 for each in unfinished(folder))

    until(much, "little was written")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=str)
def test_a_killed_release_leaves_nothing_under_its_name(
    tmp_path: Path, source: Path, number: signal.Signals
) -> None:
    faint(keep_unprotected=("k",), keep_order=True).save(tmp_path / "plan.json")
    process = child("-c", RELEASE, tmp_path / "plan.json", source, tmp_path / "out.csv")
    in_mid_write(tmp_path, process)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -number
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=str)
def test_the_command_line_cleans_up_when_it_is_stopped(
    tmp_path: Path, source: Path, number: signal.Signals
) -> None:
    faint(keep_unprotected=("k",), keep_order=True).save(tmp_path / "plan.json")
    arguments = ["--plan", tmp_path / "plan.json", "-o", tmp_path / "out.csv"]
    process = child("-m", "pufferfish", "release", source, *arguments)
    in_mid_write(tmp_path, process)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode not in (0, None)
    assert listing(tmp_path) == ["endless.csv", "plan.json"]


LIMIT = 200_000


def little_room() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("out.csv", {"keep_unprotected": ("k",), "keep_order": True}),
        ("out.csv", {}),
        ("out.parquet", {"keep_unprotected": ("k",), "keep_order": True}),
        ("out.arrow", {}),
        ("out.csv.gz", {"keep_unprotected": ("k",), "keep_order": True}),
    ],
)
def test_a_full_disk_publishes_nothing(tmp_path: Path, name: str, fields: Any) -> None:
    rows = 60_000
    frame = pl.DataFrame(
        {
            "x": np.arange(rows) / 7,
            "s": ["a", "b"] * (rows // 2),
            "k": np.random.default_rng(0).random(rows),
        }
    )
    frame.write_parquet(tmp_path / "in.parquet")
    plan(**fields).save(tmp_path / "plan.json")
    process = child(
        "-c",
        RELEASE,
        tmp_path / "plan.json",
        tmp_path / "in.parquet",
        tmp_path / name,
        preexec_fn=little_room,
    )
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert b"File too large" in error
    # One message, and nothing from the depths.
    assert error.count(b"\n") == 1
    assert listing(tmp_path) == ["in.parquet", "plan.json"]
