"""Tables of many files, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Typed
from tests.cli.tables import CELL, HEADER, column, rows, write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
GOAL = (*COLUMNS, "-e", "1", "--json")


@pytest.fixture
def many(folder: Path) -> Path:
    """A table in three files and two folders; t.csv is the same in one."""
    content = rows(each=60)
    write(folder / "t.csv", content)
    (folder / "in" / "more").mkdir(parents=True)
    write(folder / "in" / "a.csv", content[:50])
    write(folder / "in" / "b.csv", content[50:51])
    write(folder / "in" / "more" / "c.csv", content[51:])
    (folder / "in" / "_SUCCESS").touch()
    return folder / "in"


@pytest.mark.parametrize("source", ["in", "in/**/*.csv"])
def test_a_folder_goes_the_whole_way(typed: Typed, many: Path, source: str) -> None:
    assert typed("fit", source, *COLUMNS, "-o", "beliefs.json").code == 0
    assert typed("calibrate", source, *GOAL, "-o", "plan.json").code == 0
    said = typed(
        *("release", source, "--plan", "plan.json", "-o", "out"),
        *("--ledger", "ledger.json", "--report", "report.html", "--json"),
    )
    assert (said.code, said.err) == (0, "")
    assert said.json["rows"] == 180
    assert said.json["record"] == "out.record.json"
    assert sorted(each.name for each in Path("out").iterdir()) == [
        "_manifest.json",
        "part-00000.csv",
    ]
    assert json.loads(Path("out.record.json").read_text())["published"]["checksum_of"] == "folder"
    assert typed("verify", "out.record.json").code == 0
    # The beliefs are private: not all of the public edition can be checked.
    assert typed("verify", "out.public.json", "--released", "out").code == 6
    assert typed("report", "out.record.json", "--released", "out", "-o", "r.html").code == 0
    found = typed("audit", "out.record.json", "--original", source, "--draws", "100000", "--json")
    assert found.code == 0
    assert found.json["data"]["rows"] > 0
    Path("out/part-00000.csv").write_text("x\n1\n")
    assert typed("verify", "out.record.json").code == 3


def test_the_same_as_one_file(typed: Typed, many: Path) -> None:
    one = typed("calibrate", "t.csv", *GOAL).json
    assert typed("calibrate", many, *GOAL).json == one


def test_the_layout_is_kept_with_a_column(typed: Typed, many: Path) -> None:
    said = typed(
        "release",
        "in",
        *GOAL,
        "--keep-unprotected",
        "id",
        "--keep-order",
        "-o",
        "out",
        "--output-format",
        "csv",
    )
    assert said.code == 0
    for name in ("a.csv", "b.csv", "more/c.csv"):
        assert column(Path("out") / name, "id") == column(many / name, "id")
    assert typed("verify", "out.record.json").code == 0
    said = typed(
        "release",
        "in",
        *GOAL,
        "--keep-unprotected",
        "id",
        "--keep-order",
        "-o",
        "o2",
        "--output-format",
        "parquet",
    )
    assert said.code == 0
    assert Path("o2/more/c.parquet").exists()
    assert (
        typed(
            "release", "in", *GOAL, "--keep-unprotected", "id", "--keep-order", "-o", "one.csv"
        ).code
        == 0
    )
    assert column(Path("one.csv"), "id") == column(Path("t.csv"), "id")
    assert typed("release", "in", *GOAL, "-o", "-", "-q").code == 2  # --json and a table


def test_a_folder_is_replaced_by_force(typed: Typed, refused: Typed, many: Path) -> None:
    del many
    assert typed("release", "in", *GOAL, "-o", "out").code == 0
    before = Path("out/_manifest.json").read_text()
    assert refused("release", "in", *GOAL, "-o", "out").code == 5
    assert Path("out/_manifest.json").read_text() == before
    assert typed("release", "in", *GOAL, "-o", "out", "--force").code == 0
    assert Path("out/_manifest.json").read_text() != before
    assert refused("release", "in", *GOAL, "-o", "in", "--force").code == 5
    assert refused("release", "in", *GOAL, "-o", "in/out").code == 2
    assert refused("release", "in", *GOAL, "-o", "out.csv", "--record", "in/r.json").code == 2


def test_the_file_of_a_bad_row_is_named(refused: Typed, many: Path) -> None:
    content = rows()[51:]
    content[9][2] = CELL
    write(many / "more" / "c.csv", content, HEADER)
    for command in ("fit", "calibrate", "release"):
        options = ("-o", "out") if command == "release" else ()
        goal = GOAL if command != "fit" else COLUMNS
        said = refused(command, "in", *goal, *options)
        assert said.code == 4
        assert "more/c.csv: " in said.err
        assert "row 10" in said.err
        assert CELL not in said.err
    assert not Path("out").exists()


def test_what_is_no_table_is_refused(refused: Typed, many: Path) -> None:
    assert refused("fit", "nothing/*.csv", *COLUMNS).code == 5
    (many / "d.parquet").touch()
    said = refused("fit", "in", *COLUMNS)
    assert said.code == 4
    assert "d.parquet" in said.err


def test_keys_of_folders(typed: Typed, refused: Typed, folder: Path) -> None:
    for secret in "abc":
        place = folder / "keyed" / f"s={secret}"
        place.mkdir(parents=True)
        content = [[row[0], row[2]] for row in rows() if row[1] == secret]
        write(place / "0.csv", content, ("id", "x"))
    said = refused(
        "release", "keyed", *GOAL, "--keep-unprotected", "id", "--keep-order", "-o", "out"
    )
    assert said.code == 2
    assert "the folders are named by the secret 's'" in said.err
    assert typed("release", "keyed", *GOAL, "-o", "out").code == 0
    assert typed("verify", "out.record.json").code == 0
