"""--na: marks that stand for a missing value or secret, in every command that reads a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Typed
from tests.cli.tables import rows, write

BAD_DATA = 4
COLUMNS = ("-c", "x", "-s", "s")
SIMPLE = ("--belief", "empirical", "-e", "1", "--missing", "drop")


@pytest.fixture
def marked(folder: Path) -> Path:
    """The table with two marks among its numbers."""
    table = rows(each=60)
    table[3][2], table[7][2] = "-", "NA"
    write(folder / "t.csv", table)
    return folder


@pytest.mark.usefixtures("marked", "few_rows")
def test_a_release(typed: Typed) -> None:
    refused = typed("release", "t.csv", *COLUMNS, *SIMPLE, "-o", "out.csv")
    assert refused.code == BAD_DATA
    assert "text in row 4" in refused.err
    assert "--na TEXT" in refused.err
    said = typed("release", "t.csv", *COLUMNS, *SIMPLE, "--na=-", "--na", "NA", "-o", "out.csv")
    assert said.code == 0, said.err
    assert "2 rows without a value were left out" in " ".join(said.out.split())
    for word, *few in (("audit", "--draws", 20_000), ("report",)):
        more = ("out.csv.record.json", "--original", "t.csv", *few)
        assert typed(word, *more).code == BAD_DATA
        again = typed(word, *more, "--na=-", "--na", "NA")
        assert again.code == 0, again.err


@pytest.mark.usefixtures("marked")
def test_a_plan_says_nothing_of_how_a_file_is_written(typed: Typed) -> None:
    plan = typed("calibrate", "t.csv", *COLUMNS, *SIMPLE, "--na=-", "--na", "NA", "-o", "p.json")
    assert plan.code == 0, plan.err
    assert typed("release", "t.csv", "--plan", "p.json", "-o", "out.csv").code == BAD_DATA
    said = typed("release", "t.csv", "--plan", "p.json", "--na=-", "--na", "NA", "-o", "out.csv")
    assert said.code == 0, said.err


def test_a_secret(typed: Typed, folder: Path) -> None:
    """A row without a secret is published, and nothing is promised for it."""
    table = rows()
    table[5][1] = "?"
    write(folder / "t.csv", table)
    said = typed("release", "t.csv", *COLUMNS, *SIMPLE, "--na", "?", "-o", "out.csv")
    assert said.code == 0
    assert "1 of the published rows have no value of" in said.out
