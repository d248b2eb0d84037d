"""Formats by name and by option; outputs that are there already, or cannot be written."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Typed
from tests.cli.tables import column, rows, write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
GOAL = (*COLUMNS, "-e", "1", "--json")


def parquet(path: Path, secrets: list[object]) -> None:
    content = rows(secrets)
    table = pa.table({"s": [row[1] for row in content], "x": [row[2] for row in content]})
    pq.write_table(table, path)


@pytest.mark.parametrize(
    ("name", "delimiter", "options"),
    [
        ("semicolon.csv", ";", ()),
        ("tabs.tsv", "\t", ()),
        ("bars.csv", "|", ()),
        ("odd.csv", "#", ("--delimiter", "#")),
        ("zipped.csv.gz", ",", ()),
        ("nameless", ",", ("--format", "csv")),
    ],
)
def test_text_formats(
    typed: Typed, folder: Path, name: str, delimiter: str, options: tuple[str, ...]
) -> None:
    write(folder / name, rows(), delimiter=delimiter)
    said = typed("release", name, *GOAL, *options, "-o", "out.csv")
    assert (said.code, said.err) == (0, "")
    assert len(column(Path("out.csv"), "x")) == 120


def test_a_byte_order_mark(typed: Typed, folder: Path) -> None:
    path = write(folder / "t.csv", rows(), header=("x1", "s", "x", "o"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert typed("release", "t.csv", *GOAL, "--keep-unprotected", "x1", "-o", "out.csv").code == 0


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz", "out.parquet", "out.arrow"])
def test_what_is_written_can_be_read_again(typed: Typed, name: str) -> None:
    assert typed("release", "t.csv", *GOAL, "--keep-unprotected", "o", "-o", name).code == 0
    assert typed("verify", f"{name}.record.json", "--released", name).code == 0
    if name.endswith(".gz"):
        assert len(gzip.decompress(Path(name).read_bytes()).splitlines()) == 121
    # The noised column is a column of numbers, and another one can play the secret.
    assert typed("calibrate", name, "-c", "x", "-s", "o", "-e", "1", "--json").code == 0


def test_a_name_without_extension_says_which_option_helps(typed: Typed, folder: Path) -> None:
    write(folder / "nameless", rows())
    said = typed("release", "nameless", *GOAL, "-o", "out.csv")
    assert said.code == 2
    assert "--format" in said.err
    said = typed("release", "t.csv", *GOAL, "-o", "out")
    assert said.code == 2
    assert "--output-format" in said.err
    assert typed("release", "t.csv", *GOAL, "-o", "out", "--output-format", "csv").code == 0


def test_a_format_that_is_not_known(typed: Typed) -> None:
    said = typed("release", "t.csv", *GOAL, "--format", "xls", "-o", "out.csv")
    assert said.code == 2
    assert "xls" in said.err


@pytest.mark.parametrize(
    ("secrets", "pair"),
    [([97, 98, 99], "97:99"), ([-1, 0, 1], "-1:1"), ([True, False], "True:False")],
)
def test_secrets_of_a_parquet_file(
    typed: Typed, folder: Path, secrets: list[object], pair: str
) -> None:
    parquet(folder / "t.parquet", secrets)
    assert typed("release", "t.parquet", *GOAL, "--pair", pair, "-o", "out.parquet").code == 0
    assert pq.read_table("out.parquet").column_names == ["x"]


def test_truth_values_as_most_programs_write_them(typed: Typed, folder: Path) -> None:
    parquet(folder / "t.parquet", [True, False])
    assert typed("release", "t.parquet", *GOAL, "--pair", "true:false", "-o", "out.csv").code == 0


@pytest.mark.parametrize("taken", ["out.csv", "out.csv.record.json", "out.csv.public.json"])
def test_an_output_that_exists(typed: Typed, folder: Path, taken: str) -> None:
    (folder / taken).write_text("mine", encoding="utf-8")
    said = typed("release", "t.csv", *GOAL, "-o", "out.csv")
    assert said.code == 5
    assert taken in said.err
    assert "--force" in said.err
    assert (folder / taken).read_text(encoding="utf-8") == "mine"
    assert sorted(each.name for each in folder.iterdir()) == sorted({taken, "t.csv"})
    assert typed("release", "t.csv", *GOAL, "-o", "out.csv", "--force").code == 0


@pytest.mark.parametrize("command", [("fit",), ("calibrate", "-e", "1")])
def test_a_document_that_exists(typed: Typed, folder: Path, command: tuple[str, ...]) -> None:
    (folder / "d.json").write_text("mine", encoding="utf-8")
    said = typed(command[0], "t.csv", *COLUMNS, *command[1:], "-o", "d.json")
    assert (said.code, said.out) == (5, "")
    assert "--force" in said.err
    assert (folder / "d.json").read_text(encoding="utf-8") == "mine"
    assert typed(command[0], "t.csv", *COLUMNS, *command[1:], "-o", "d.json", "--force").code == 0


@pytest.mark.parametrize("command", [("fit",), ("calibrate", "-e", "1"), ("release", "-e", "1")])
@pytest.mark.parametrize("name", ["t.csv", "./t.csv", "link.csv"])
def test_the_table_itself_is_never_replaced(
    typed: Typed, folder: Path, command: tuple[str, ...], name: str
) -> None:
    (folder / "link.csv").hardlink_to(folder / "t.csv")
    before = (folder / "t.csv").read_bytes()
    said = typed(command[0], "t.csv", *COLUMNS, *command[1:], "-o", name, "--force")
    assert (folder / "t.csv").read_bytes() == before
    # A second name of the same file may be replaced: the table is still there.
    assert said.code != 0 or name == "link.csv"


def test_the_record_does_not_take_the_place_of_the_release(typed: Typed) -> None:
    said = typed("release", "t.csv", *GOAL, "-o", "out.csv", "--record", "out.csv", "--force")
    assert said.code == 2
    assert not Path("out.csv").exists()


def test_nothing_is_published_without_its_record(typed: Typed) -> None:
    said = typed("release", "t.csv", *GOAL, "-o", "out.csv", "--record", "none/r.json")
    assert said.code == 5
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("command", [("fit",), ("calibrate", "-e", "1"), ("release", "-e", "1")])
def test_a_folder_that_is_not_there(typed: Typed, command: tuple[str, ...]) -> None:
    said = typed(command[0], "t.csv", *COLUMNS, *command[1:], "-o", "none/out.csv")
    assert (said.code, said.out) == (5, "")
    assert said.err.count("\n") == 1
    assert "none" in said.err
    # The name that the user gave, not that of a temporary file.
    assert ".unfinished" not in said.err


def test_an_output_that_is_a_folder(typed: Typed, folder: Path) -> None:
    (folder / "out.csv").mkdir()
    said = typed("release", "t.csv", *GOAL, "-o", "out.csv", "--force")
    assert said.code == 2
    assert "is a folder" in said.err
    assert said.err.count("\n") == 1
    assert ".unfinished" not in said.err
    assert not list(folder.glob("*.unfinished"))
    assert not list(folder.glob("*.json"))


def test_a_table_that_is_a_folder(typed: Typed, folder: Path) -> None:
    (folder / "d.csv").mkdir()
    said = typed("calibrate", "d.csv", *GOAL)
    assert said.code == 5
    assert said.err.count("\n") == 1


def test_a_folder_that_may_not_be_written_to(typed: Typed, folder: Path) -> None:
    locked = folder / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    allowed = os.access(locked, os.W_OK)  # the superuser may
    said = typed("release", "t.csv", *GOAL, "-o", "locked/out.csv")
    locked.chmod(0o755)
    assert said.code == (0 if allowed else 5)
    assert allowed or "locked" in said.err


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet", "out.arrow"])
def test_holes_in_the_only_column_survive(typed: Typed, folder: Path, name: str) -> None:
    """An empty line is passed over by readers; a hole must be a row, for those who check it too."""
    content = rows()
    holed = [(*row[:2], "", *row[3:]) for row in content[::7]]
    write(folder / "t.csv", [*content, *holed])
    said = typed("release", "t.csv", *GOAL, "--missing", "keep", "-o", name, "--report", "r.html")
    assert (said.code, said.err) == (0, "")
    assert typed("verify", f"{name}.record.json").code == 0
    assert typed("report", f"{name}.record.json", "--public").code == 0


def test_a_report_that_cannot_be_written_does_not_hide_the_release(
    typed: Typed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "t.csv", rows())

    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pufferfish.cli.publish.page_of", full)
    said = typed("release", "t.csv", *GOAL, "-o", "out.csv", "--report", "r.html")
    assert said.code == 5
    assert "published and recorded; only the report r.html was not written" in said.err
    assert Path("out.csv").exists()
