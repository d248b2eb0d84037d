"""`pufferfish stress`: what it says of a plan and of a record, and with which exit code."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pufferfish.cli.exits import Exit
from tests.cli.conftest import Typed

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical", "-e", "0.5", "--splits", "0")
QUICK = ("--resamples", "3", "--splits", "0", "--no-learner", "--no-answers")


@pytest.fixture(autouse=True)
def _planned(typed: Typed, folder: Path) -> None:
    with (folder / "t.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["x", "s", "colour", "age"])
        for number in range(2_000):
            secret = number % 2
            colour = ("red", "blue")[number // 2 % 2]
            # Given a colour, the value says more of the secret.
            value = number // 4 % 5 + secret * (1 if colour == "red" else 2)
            rows.writerow([value, ("a", "b")[secret], colour, 20 + number % 60])
    assert typed("calibrate", "t.csv", *COLUMNS, "-o", "plan.json").code == 0


def test_help_has_an_example(typed: Typed) -> None:
    said = typed("stress", "-h")
    assert said.code == 0
    assert "Example: pufferfish stress" in said.out


def test_words_come_first_and_the_worst_on_top(typed: Typed) -> None:
    said = typed("stress", "plan.json", "t.csv", "--bands", "age=30:70:20", *QUICK)
    assert said.code == Exit.DONE
    lines = said.out.splitlines()
    assert "ε = 0.5 is promised to those who are described" in lines[0]
    assert "at least 20 rows" in said.out
    assert "'age' from 30, 50, 70" in said.out
    table = [line for line in lines if line.startswith(("also knows", "has ", "knows"))]
    assert "∞" in table[0]
    assert "kept in" in said.out


def test_json(typed: Typed) -> None:
    said = typed("stress", "plan.json", "t.csv", "--json", "--other", "colour", *QUICK)
    found = json.loads(said.out)
    (case,) = (each for each in found["cases"] if each["kind"] == "columns")
    assert case["columns"] == ["colour"]
    assert case["epsilon"] > 0.5
    assert case["holds"] is False
    assert case["strata"] == 2
    assert found["cases"][0]["epsilon"] == "inf"
    assert found["goal"] == {"epsilon": 0.5, "delta": 0.0}


def test_a_record_and_an_earlier_table(typed: Typed) -> None:
    assert typed("release", "t.csv", *COLUMNS, "-o", "out.csv").code == 0
    options = ("--earlier", "t.csv", "--singly", "--wrong", "2%", *QUICK)
    said = typed("stress", "out.csv.record.json", "t.csv", *options)
    assert said.code == Exit.DONE
    assert "has the frequencies of the earlier table" in said.out
    assert "has laws that differ by 2%" in said.out
    public = typed("stress", "out.csv.public.json", "t.csv", *QUICK)
    assert public.code == Exit.NOT_CHECKABLE
    assert "Not checkable" in public.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--other", "colur"), "Did you mean 'colour'?"),
        (("--bands", "colour=1,2"), "no column of numbers"),
        (("--bands", "age"), "age=15:90:15"),
        (("--wrong", "much"), "--wrong must be a share"),
        (("--min-rows", "0"), "min_rows must be at least 1"),
    ],
)
def test_what_is_refused(typed: Typed, options: tuple[str, ...], message: str) -> None:
    said = typed("stress", "plan.json", "t.csv", *options, *QUICK)
    assert said.code == Exit.USAGE
    assert message in said.err
