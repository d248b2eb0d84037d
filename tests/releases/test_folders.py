"""Tables of many files: one logical table, every row noised once, the layout kept or given up."""

from __future__ import annotations

import gzip
import json
import signal
import stat
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.columns import session as column_release
from pufferfish.kinds.verifier import verify_record
from pufferfish.sampling.shuffle import Shuffler
from pufferfish.tables import FileFormat
from pufferfish.tables.local import folder, publish, reading
from pufferfish.tables.local.persons import PersonCounter
from pufferfish.tables.manifest import MANIFEST, Manifest, file_sha256
from tests import seams
from tests.releases.test_files import child, faint, listing, little_room, plan
from tests.support import PATIENCE, ROOT, until

KINDS = ["csv", "csv.gz", "parquet", "arrow"]
# Files with one row, none (also first and last), and more than a batch.
SIZES = {"a": 0, "b": 1, "c/d": 9, "c/e": 0, "f": 16, "g": 1, "h": 0}


def write(frame: pl.DataFrame, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".arrow":
        frame.write_ipc(path)
    else:
        data = frame.write_csv().encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def read(path: Path) -> pl.DataFrame:
    if path.suffix == ".parquet":
        return pl.from_arrow(pq.ParquetFile(path).read())  # type: ignore[return-value]
    if path.suffix == ".arrow":
        return pl.read_ipc(path)
    return pl.read_csv(path)


def numbered(start: int, rows: int) -> pl.DataFrame:
    """Rows that can be told apart: 100·row, with noise that does not hide it."""
    row = np.arange(start, start + rows)
    return pl.DataFrame(
        {
            "s": pl.Series(["ab"[each % 2] for each in row], dtype=pl.String),
            "k": pl.Series([f"row {each}" for each in row], dtype=pl.String),
            "x": 100.0 * row,
        }
    )


def table(place: Path, kind: str, sizes: dict[str, int] | None = None) -> int:
    """A folder of files; returns the number of rows."""
    start = 0
    for name, rows in (SIZES if sizes is None else sizes).items():
        write(numbered(start, rows), place / f"{name}.{kind}")
        start += rows
    return start


def manifest(place: Path) -> Manifest:
    return Manifest.from_json((place / MANIFEST).read_text())


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BATCH", 7)
    monkeypatch.setattr(publish, "BATCH", 7)
    seams.put(monkeypatch, seams.BLOCK_BYTES, 64)


# Every row, in its place.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pattern", ["", "**/*"])
def test_rows_and_files_keep_their_places(tmp_path: Path, kind: str, pattern: str) -> None:
    rows = table(tmp_path / "in", kind)
    done = pf.release(
        tmp_path / "in" / pattern, faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out"
    )
    found = [read(tmp_path / "out" / f"{name}.{kind}") for name in SIZES]
    assert [len(each) for each in found] == list(SIZES.values())
    everything = pl.concat(found, how="vertical_relaxed")
    assert everything.columns == ["k", "x"]
    assert everything["k"].to_list() == [f"row {row}" for row in range(rows)]
    values = everything["x"].to_numpy().astype(float)
    assert np.rint(values).tolist() == [100.0 * row for row in range(rows)]
    # Also the first row, the last one, and the only one of a file.
    assert not np.any(values == np.rint(values))
    record = done.record
    assert (record.checksum_of, record.output, done.frame) == (
        "folder",
        "out",
        str(tmp_path / "out"),
    )
    assert record.rows_read == record.rows_published == rows
    assert listing(tmp_path) == ["in", "out"]
    assert sorted(listing(tmp_path / "out")) == sorted(
        [MANIFEST, "c", *(f"{name}.{kind}" for name in "abfgh")]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_manifest_tells_every_file(tmp_path: Path, kind: str) -> None:
    table(tmp_path / "in", kind)
    done = pf.release(
        tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out"
    )
    found = manifest(tmp_path / "out")
    assert {each.path: each.rows for each in found.files} == {
        f"{name}.{kind}": rows for name, rows in SIZES.items()
    }
    for each in found.files:
        place = tmp_path / "out" / each.path
        assert (each.bytes, each.sha256) == (place.stat().st_size, file_sha256(place))
    assert done.record.sha256 == found.sha256 == file_sha256(tmp_path / "out" / MANIFEST)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most_held", [50, 1 << 20])
@pytest.mark.parametrize("keep", [(), ("k",)])
def test_shuffled_rows_leave_their_files(
    tmp_path: Path, kind: str, most_held: int, keep: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "ROWS_PER_FILE", 10)
    seams.put_default(monkeypatch, Shuffler.__init__, most_held=most_held)
    rows = table(tmp_path / "in", kind)
    pf.release(tmp_path / "in", faint(keep_unprotected=keep), tmp_path / "out")
    names = [each.path for each in manifest(tmp_path / "out").files]
    assert names == [f"part-{number:05d}.{kind}" for number in range(len(names))]
    found = [read(tmp_path / "out" / name) for name in names]
    assert all(10 <= len(each) < 20 for each in found[:-1])
    assert all(each.columns == [*keep, "x"] for each in found)
    order = np.rint(pl.concat(found)["x"].to_numpy() / 100.0).astype(int).tolist()
    assert sorted(order) == list(range(rows))
    assert order != sorted(order)
    if keep:
        # Rows stay whole.
        assert pl.concat(found)["k"].to_list() == [f"row {row}" for row in order]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.arrow", "out.csv.gz"])
@pytest.mark.parametrize(
    "fields", [{"keep_unprotected": ("k",), "keep_order": True}, {"keep_order": True}, {}], ids=str
)
def test_many_files_become_one_where_it_is_named(tmp_path: Path, name: str, fields: Any) -> None:
    rows = table(tmp_path / "in", "parquet")
    done = pf.release(tmp_path / "in", faint(**fields), tmp_path / name)
    assert (done.record.checksum_of, done.record.output) == ("file", name)
    order = np.rint(read(tmp_path / name)["x"].to_numpy().astype(float) / 100.0).tolist()
    assert sorted(order) == list(range(rows))
    assert (order == sorted(order)) == bool(fields)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_formats_change_with_the_names(tmp_path: Path, kind: str) -> None:
    table(tmp_path / "in", kind)
    target: Any = "parquet" if kind == "csv" else "csv"
    pf.release_file(
        str(tmp_path / "in"),
        faint(keep_unprotected=("k",), keep_order=True),
        str(tmp_path / "out"),
        target_format=FileFormat(kind=target),
    )
    found = manifest(tmp_path / "out").files
    assert {each.path for each in found} == {f"{name}.{target}" for name in SIZES}
    assert sum(len(read(tmp_path / "out" / each.path)) for each in found) == 27


def test_two_files_are_not_written_to_one(tmp_path: Path) -> None:
    for name in ("a.parquet", "a.pq"):
        (tmp_path / "in").mkdir(exist_ok=True)
        numbered(0, 3).write_parquet(tmp_path / "in" / name)
    with pytest.raises(pf.InvalidInputError, match=r"a\.csv"):
        pf.release_file(
            str(tmp_path / "in"),
            faint(keep_unprotected=("k",), keep_order=True),
            str(tmp_path / "out"),
            target_format=FileFormat(kind="csv"),
        )
    assert listing(tmp_path) == ["in"]
    pf.release(tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out")
    assert listing(tmp_path / "out") == [MANIFEST, "a.parquet", "a.pq"]
    pf.release(
        tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out.csv"
    )
    assert len(read(tmp_path / "out.csv")) == 6


def test_dropped_rows_are_dropped_from_their_files(tmp_path: Path) -> None:
    for name, values in (("a", [None, 1.0]), ("b", [None, None]), ("c", [2.0, None])):
        frame = pl.DataFrame({"x": values, "s": ["a", "b"], "k": [name, name]})
        write(frame.with_columns(pl.col("x").cast(pl.Float64)), tmp_path / "in" / f"{name}.parquet")
    pf.release(
        tmp_path / "in",
        faint(missing="drop", keep_unprotected=("k",), keep_order=True),
        tmp_path / "out",
    )
    assert [each.rows for each in manifest(tmp_path / "out").files] == [1, 0, 1]
    assert read(tmp_path / "out" / "c.parquet")["k"].to_list() == ["c"]


def test_categories_of_each_file_are_its_own(tmp_path: Path) -> None:
    for name in "ab":
        kept = pa.array([f"{name} {row}" for row in range(3)]).dictionary_encode()
        frame = pa.table({"x": [1.0, 2.0, 3.0], "s": ["a", "b", "a"], "k": kept})
        (tmp_path / "in").mkdir(exist_ok=True)
        pq.write_table(frame, tmp_path / "in" / f"{name}.parquet")
    pf.release(
        tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out.arrow"
    )
    assert read(tmp_path / "out.arrow")["k"].to_list() == [
        f"{name} {row}" for name in "ab" for row in range(3)
    ]


# Keys in the names of folders.


def keyed(place: Path, kind: str = "parquet") -> None:
    start = 0
    for year in (2020, 2021):
        for secret in "ab":
            rows = numbered(start, 5).select("k", "x")
            write(rows, place / f"year={year}" / f"s={secret}" / f"0.{kind}")
            start += 5


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_secret_may_be_the_name_of_folders(tmp_path: Path, kind: str) -> None:
    keyed(tmp_path / "in", kind)
    summary = pf.summarise(tmp_path / "in", column="x", secret="s")
    assert {label: group.records for label, group in summary.groups.items()} == {"a": 10, "b": 10}
    done = pf.release(tmp_path / "in", faint(), tmp_path / "out")
    assert done.record.rows_published == 20
    assert listing(tmp_path / "out") == [MANIFEST, f"part-00000.{kind}"]
    for fields in (
        {"keep_unprotected": ("k",), "keep_order": True},
        {"keep_order": True},
        {"keep_unprotected": ("k", "year"), "keep_order": True},
    ):
        for target in ("other", "other.parquet"):
            with pytest.raises(pf.InvalidInputError, match="named by the secret 's'"):
                pf.release(tmp_path / "in", faint(**fields), tmp_path / target)
    assert listing(tmp_path) == ["in", "out"]


def by_year(place: Path) -> None:
    for number, year in enumerate(("2020", "__HIVE_DEFAULT_PARTITION__", "a%2Fb")):
        write(numbered(5 * number, 5), place / f"year={year}" / "0.parquet")


def test_kept_keys_stay_in_the_names(tmp_path: Path) -> None:
    by_year(tmp_path / "in")
    pf.release(
        tmp_path / "in", faint(keep_unprotected=("k", "year"), keep_order=True), tmp_path / "out"
    )
    paths = [each.path for each in manifest(tmp_path / "out").files]
    assert paths == sorted(
        f"year={year}/0.parquet" for year in ("2020", "__HIVE_DEFAULT_PARTITION__", "a%2Fb")
    )
    assert read(tmp_path / "out" / paths[0]).columns == ["k", "x"]
    # In one file the key is a column.
    pf.release(
        tmp_path / "in",
        faint(keep_unprotected=("year",), keep_order=True),
        tmp_path / "out.parquet",
    )
    found = read(tmp_path / "out.parquet")
    assert found.columns == ["x", "year"]
    assert found["year"].to_list() == ["2020"] * 5 + [None] * 5 + ["a/b"] * 5


def test_kept_keys_are_a_column_where_rows_are_shuffled(tmp_path: Path) -> None:
    by_year(tmp_path / "in")
    pf.release(tmp_path / "in", faint(keep_unprotected=("k", "year")), tmp_path / "out")
    assert listing(tmp_path / "out") == [MANIFEST, "part-00000.parquet"]
    found = read(tmp_path / "out" / "part-00000.parquet")
    assert found.columns == ["k", "x", "year"]
    order = np.rint(found["x"].to_numpy() / 100.0).astype(int)
    assert order.tolist() != sorted(order.tolist())
    years = ["2020", None, "a/b"]
    assert found["year"].to_list() == [years[row // 5] for row in order]


def test_a_secret_key_is_not_published_where_rows_are_shuffled(tmp_path: Path) -> None:
    keyed(tmp_path / "in")
    pf.release(tmp_path / "in", faint(keep_unprotected=("k",)), tmp_path / "out")
    assert listing(tmp_path / "out") == [MANIFEST, "part-00000.parquet"]
    assert read(tmp_path / "out" / "part-00000.parquet").columns == ["k", "x"]


def test_other_keys_are_not_published(tmp_path: Path) -> None:
    by_year(tmp_path / "in")
    with pytest.raises(pf.InvalidInputError, match="named by 'year'"):
        pf.release(
            tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out"
        )
    pf.release(
        tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out.parquet"
    )
    assert read(tmp_path / "out.parquet").columns == ["k", "x"]
    pf.release(tmp_path / "in", faint(), tmp_path / "out")
    assert listing(tmp_path / "out") == [MANIFEST, "part-00000.parquet"]


def test_a_row_without_a_secret_key_is_published_without_a_promise(tmp_path: Path) -> None:
    keyed(tmp_path / "in")
    nobody = tmp_path / "in" / "year=2020" / "s=__HIVE_DEFAULT_PARTITION__" / "0.parquet"
    write(numbered(0, 1).select("k", "x"), nobody)
    done = pf.release(tmp_path / "in", faint(), tmp_path / "out")
    assert done.record.rows_unprotected == 1
    assert done.record.rows_published == done.record.rows_read


def test_a_key_is_not_a_column_as_well(tmp_path: Path) -> None:
    write(numbered(0, 5), tmp_path / "in" / "s=a" / "0.parquet")
    with pytest.raises(pf.DataError, match=r"s=a/0\.parquet: column 's' is in the file"):
        pf.release(tmp_path / "in", faint(), tmp_path / "out")


# What goes wrong is said of the file it is in.


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("fields", [{"keep_unprotected": ("k",), "keep_order": True}, {}], ids=str)
def test_rows_are_numbered_within_their_file(tmp_path: Path, kind: str, fields: Any) -> None:
    table(tmp_path / "in", kind)
    bad = numbered(0, 30).with_columns(
        s=pl.when(pl.int_range(30) >= 22).then(pl.lit("z")).otherwise("s")
    )
    write(bad, tmp_path / "in" / f"f.{kind}")
    write(bad, tmp_path / "in" / f"g.{kind}")
    with pytest.raises(
        pf.DataError, match=rf"^f\.{kind}: column 's', row 23: this secret is not in"
    ):
        pf.release(tmp_path / "in", faint(**fields), tmp_path / "out")
    bad = numbered(0, 30).with_columns(
        x=pl.when(pl.int_range(30) == 20).then(np.inf).otherwise("x")
    )
    write(bad, tmp_path / "in" / f"f.{kind}")
    with pytest.raises(pf.DataError, match=rf"^f\.{kind}: column 'x', row 21: the value is inf"):
        pf.release(tmp_path / "in", faint(**fields), tmp_path / "out")
    with pytest.raises(pf.DataError, match=rf"^f\.{kind}: column 'x', row 21: the entry is inf"):
        pf.summarise(tmp_path / "in", column="x", secret="s")
    assert listing(tmp_path) == ["in"]


def test_broken_files_are_named(tmp_path: Path) -> None:
    table(tmp_path / "in", "csv")
    (tmp_path / "in" / "f.csv").write_text("s,k,x\na,u,1\nb,v\n")
    with pytest.raises(pf.DataError, match=r"^f\.csv: row 2 has 2 fields"):
        pf.release(tmp_path / "in", faint(), tmp_path / "out")
    (tmp_path / "in" / "f.csv").write_text("s,k\na,u\n")
    with pytest.raises(pf.InvalidInputError, match=r"^f\.csv: there is no column 'x'"):
        pf.release(tmp_path / "in", faint(), tmp_path / "out")
    (tmp_path / "in" / "f.csv").write_text("")
    with pytest.raises(pf.DataError, match=r"^f\.csv is empty: a CSV needs a first line"):
        pf.summarise(tmp_path / "in", column="x", secret="s")


def test_columns_have_one_type_in_all_files(tmp_path: Path) -> None:
    table(tmp_path / "in", "parquet")
    other = numbered(0, 5).with_columns(pl.col("k").str.len_chars())
    write(other, tmp_path / "in" / "f.parquet")
    with pytest.raises(pf.DataError, match=r"^f\.parquet: column 'k' is of type uint32, but"):
        pf.release(
            tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out"
        )
    # One that nobody looks at may be anything, and columns may have another order.
    write(other.select("x", "k", "s"), tmp_path / "in" / "f.parquet")
    assert pf.release(tmp_path / "in", faint(), tmp_path / "out").record.rows_published == 16


def test_tables_without_rows_are_refused(tmp_path: Path) -> None:
    table(tmp_path / "in", "parquet", {"a": 0, "b": 0})
    with pytest.raises(pf.DataError, match="no rows"):
        pf.release(tmp_path / "in", faint(), tmp_path / "out")
    with pytest.raises(pf.DataError, match="no rows"):
        pf.summarise(tmp_path / "in", column="x", secret="s")
    with pytest.raises(FileNotFoundError):
        pf.release(tmp_path / "in" / "*.csv", faint(), tmp_path / "out")
    assert listing(tmp_path) == ["in"]


# Persons.


@pytest.mark.parametrize("most_held", [3, 1 << 20])
def test_persons_are_counted_over_all_files(
    tmp_path: Path, most_held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seams.put_default(monkeypatch, PersonCounter.__init__, most_held=most_held)
    for number in range(3):
        frame = numbered(10 * number, 10).with_columns(
            p=pl.Series(
                [
                    f"person {row}"
                    for row in range(10 * number - number, 11 * number + 10 - 2 * number)
                ]
            ),
            # A person in two files has one secret.
            s=pl.lit("a"),
        )
        write(frame, tmp_path / "in" / f"{number}.parquet")
    once = plan(unit="person", person="p")
    with pytest.raises(pf.DataError, match="more than 1 row"):
        pf.release(tmp_path / "in", once, tmp_path / "out")
    assert listing(tmp_path) == ["in"]
    # Too few to test what they have in common; that has tests of its own.
    monkeypatch.setattr(column_release, "refuse_dependent", lambda *_: True)
    twice = plan(unit="person", person="p", rows_per_person=2, dependence="independent")
    assert pf.release(tmp_path / "in", twice, tmp_path / "out").record.rows_read == 30


# Whole or not there.


def test_a_folder_that_exists_is_replaced_only_by_force(tmp_path: Path) -> None:
    table(tmp_path / "in", "csv")
    pf.release(tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out")
    first = (tmp_path / "out" / MANIFEST).read_text()
    with pytest.raises(pf.OutputExistsError, match="force"):
        pf.release(tmp_path / "in", faint(), tmp_path / "out")
    assert (tmp_path / "out" / MANIFEST).read_text() == first
    pf.release(tmp_path / "in", faint(), tmp_path / "out", force=True)
    assert listing(tmp_path / "out") == [MANIFEST, "part-00000.csv"]
    assert listing(tmp_path) == ["in", "out"]


def test_what_no_release_wrote_is_never_replaced(tmp_path: Path) -> None:
    table(tmp_path / "in", "csv")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").touch()
    (tmp_path / "file").touch()
    for name in ("out", "file"):
        with pytest.raises(pf.OutputExistsError):
            pf.release(tmp_path / "in", faint(), tmp_path / name, force=True)
    assert listing(tmp_path / "out") == ["precious"]
    (tmp_path / "out" / "precious").unlink()
    pf.release(tmp_path / "in", faint(), tmp_path / "out", force=True)
    assert MANIFEST in listing(tmp_path / "out")


@pytest.mark.parametrize("target", ["in", "in/out", "in/out.csv", "in/c/out", "."])
def test_the_output_is_apart_from_the_table(tmp_path: Path, target: str) -> None:
    table(tmp_path / "in", "csv")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises((pf.InvalidInputError, pf.OutputExistsError)):
        pf.release(tmp_path / "in", faint(), tmp_path / target, force=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failure_in_the_last_file_leaves_nothing(tmp_path: Path) -> None:
    table(tmp_path / "in", "csv")
    pf.release(tmp_path / "in", faint(keep_unprotected=("k",), keep_order=True), tmp_path / "out")
    first = (tmp_path / "out" / MANIFEST).read_text()
    (tmp_path / "in" / "z.csv").write_text("s,k,x\nz,u,1\n")
    for target, force in (("other", False), ("out", True)):
        with pytest.raises(pf.DataError, match=r"z\.csv"):
            pf.release(
                tmp_path / "in",
                faint(keep_unprotected=("k",), keep_order=True),
                tmp_path / target,
                force=force,
            )
    assert listing(tmp_path) == ["in", "out"]
    assert (tmp_path / "out" / MANIFEST).read_text() == first


def test_a_record_that_cannot_be_saved_publishes_nothing(tmp_path: Path) -> None:
    table(tmp_path / "in", "csv")

    def save(record: pf.Record) -> None:
        assert record.checksum_of == "folder"
        [unfinished] = [each for each in tmp_path.iterdir() if each.name.startswith(".out")]
        assert stat.S_IMODE(unfinished.stat().st_mode) == 0o700
        assert manifest(unfinished).sha256 == record.sha256
        raise OSError("no room for the record")

    with pytest.raises(OSError, match="no room"):
        pf.release_file(str(tmp_path / "in"), faint(), str(tmp_path / "out"), save=save)
    assert listing(tmp_path) == ["in"]


SLOWLY = """
import sys, time
import pufferfish as pf
slowed = pf.Mechanism.apply
def apply(*given):
    time.sleep(0.05)
    return slowed(*given)
pf.Mechanism.apply = apply
pf.release(sys.argv[2], pf.Plan.load(sys.argv[1]), sys.argv[3])
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=str)
def test_a_killed_release_leaves_no_folder_under_its_name(
    tmp_path: Path, number: signal.Signals
) -> None:
    table(tmp_path / "in", "csv", {f"{each:03d}": 5 for each in range(400)})
    faint(keep_unprotected=("k",), keep_order=True).save(tmp_path / "plan.json")
    arguments = (tmp_path / "plan.json", tmp_path / "in", tmp_path / "out")
    process = child("-c", SLOWLY, *arguments)

    def begun() -> bool:
        assert process.poll() is None, process.communicate()
        return len(list(tmp_path.glob(".out*/*"))) >= 10

    until(begun, "few files were written")
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -number
    assert not (tmp_path / "out").exists()
    if number == signal.SIGINT:
        assert listing(tmp_path) == ["in", "plan.json"]


SPILLING = """
import sys
import pytest
import pufferfish as pf
from pufferfish.sampling.shuffle import Shuffler
from tests import seams
seams.put_default(pytest.MonkeyPatch(), Shuffler.__init__, most_held=1000)
try:
    pf.release(sys.argv[2], pf.Plan.load(sys.argv[1]), sys.argv[3])
except OSError as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


def test_no_room_for_rows_that_wait_publishes_nothing(tmp_path: Path) -> None:
    write(numbered(0, 60_000), tmp_path / "in" / "a.parquet")
    faint().save(tmp_path / "plan.json")
    arguments = (tmp_path / "plan.json", tmp_path / "in", tmp_path / "out")
    process = child("-c", SPILLING, *arguments, cwd=ROOT, preexec_fn=little_room)
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert b"File too large, for rows that are kept in a temporary file" in error
    assert error.count(b"\n") == 1
    assert listing(tmp_path) == ["in", "plan.json"]


# Verified.


def released(place: Path) -> Path:
    table(place / "in", "csv")
    done = pf.release(place / "in", faint(keep_unprotected=("k",), keep_order=True), place / "out")
    done.record.save(place / "out.record.json", "internal")
    return place / "out.record.json"


def verdict(record: Path) -> tuple[bool | None, str]:
    found = verify_record(record)
    (of_files,) = [each.detail for each in found.checks if "checksum" in each.claim]
    return found.verdict, of_files


def other_folder(why: str) -> str:
    return f"out is not the folder that was published: {why}. Ask for the original folder."


def test_a_released_folder_verifies(tmp_path: Path) -> None:
    record = released(tmp_path)
    assert verdict(record)[0] is True
    # What is not a part of the table does not matter.
    (tmp_path / "out" / ".hidden").touch()
    (tmp_path / "out" / "_SUCCESS").touch()
    assert verdict(record)[0] is True
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    assert verdict(record)[0] is None
    assert verify_record(record, tmp_path / "elsewhere").verdict is True


def test_a_folder_that_was_changed_does_not_verify(tmp_path: Path) -> None:
    record = released(tmp_path)
    out = tmp_path / "out"
    whole = (out / "f.csv").read_bytes()

    (out / "f.csv").write_bytes(whole + b"more,1\n")
    assert verdict(record) == (False, other_folder("f.csv is not what was written"))
    (out / "f.csv").unlink()
    assert verdict(record) == (False, other_folder("f.csv is missing"))
    (out / "f.csv").write_bytes(whole)
    (out / "c" / "new.csv").touch()
    assert verdict(record) == (False, other_folder("c/new.csv is not in the manifest"))
    (out / "c" / "new.csv").unlink()
    assert verdict(record)[0] is True

    text = (out / MANIFEST).read_text()
    (out / MANIFEST).write_text(text + "\n")
    assert verdict(record)[0] is False
    (out / MANIFEST).write_text(text.replace('"rows": 9', '"rows": 8'))
    assert verdict(record)[0] is False
    (out / MANIFEST).unlink()
    assert verdict(record)[0] is False
    assert "manifest" in verdict(record)[1]


def test_a_record_with_other_rows_does_not_verify(tmp_path: Path) -> None:
    record = released(tmp_path)
    data = json.loads(record.read_text())
    data["published"]["rows"] += 1
    record.write_text(json.dumps(data))
    checks = verify_record(record).checks
    (wrong,) = (each for each in checks if "as many rows" in each.claim)
    assert wrong.verdict is False
    assert wrong.claim == "out has as many rows as the record says"
    assert wrong.detail == "the manifest has 27, the record says 28"


# Fits.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("continuous", [False, True])
def test_counts_do_not_depend_on_files_and_threads(
    tmp_path: Path, kind: str, continuous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(7)
    rows = 5_000
    values = generator.normal(size=rows) * 1e3 if continuous else generator.integers(0, 50, rows)
    frame = pl.DataFrame({"x": values, "s": generator.choice(["a", "b", "c"], rows)})
    for number, part in enumerate(frame.iter_slices(700)):
        write(part, tmp_path / "in" / f"{number}.{kind}")
    at_once = pf.summarise(
        {"x": frame["x"].to_numpy(), "s": frame["s"].to_numpy()},
        column="x",
        secret="s",
        most_values=200,
    )
    # Merged many times, so that most rows are rounded before they are counted.
    seams.put(monkeypatch, seams.CELLS_PENDING, 300)
    for _ in range(3):
        found = pf.summarise(tmp_path / "in", column="x", secret="s", most_values=200)
        assert found.bin_width == at_once.bin_width
        assert list(found.groups) == list(at_once.groups)
        for label, group in found.groups.items():
            assert np.array_equal(group.values, at_once.groups[label].values)
            assert np.array_equal(group.counts, at_once.groups[label].counts)


def test_beliefs_are_fitted_to_folders(tmp_path: Path) -> None:
    keyed(tmp_path / "in")
    whole = pl.concat(
        [
            read(each).with_columns(s=pl.lit(each.parent.name[-1]))
            for each in sorted((tmp_path / "in").rglob("*.parquet"))
        ]
    )
    arguments: dict[str, Any] = {"column": "x", "secret": "s", "families": ["gaussian"]}
    [expected] = pf.fit_beliefs(whole, **arguments, min_group=5)
    [found] = pf.fit_beliefs(tmp_path / "in", **arguments, min_group=5)
    assert found == expected
