"""`pufferfish stress`: what it says of a plan and of a record, and with which exit code."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from pufferfish.cli.exits import Exit
from tests.cli.conftest import Typed
from tests.support import ROOT

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
    assert "ε = 0.5 is promised against the adversaries described" in lines[0]
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
        (("--bands", "colour=1,2"), "does not hold numbers"),
        (("--bands", "age"), "age=15:90:15"),
        (("--wrong", "much"), "--wrong must be a share"),
        (("--min-rows", "0"), "min_rows (--min-rows) must be a whole number of at least 1"),
    ],
)
def test_what_is_refused(typed: Typed, options: tuple[str, ...], message: str) -> None:
    said = typed("stress", "plan.json", "t.csv", *options, *QUICK)
    assert said.code == Exit.USAGE
    assert message in said.err


RELEASE = ("release", "t.csv", *COLUMNS, "-o", "out.csv", "--force")


def test_after_a_release_the_worst_cases_are_told_and_not_recorded(typed: Typed) -> None:
    said = typed(*RELEASE)
    told = said.out[said.out.index("What if ") : said.out.index("Records ")]
    assert "somebody who has laws that differ by 1%: ε = ∞" in told
    assert "somebody who also knows 'colour': ε = " in told
    assert "pufferfish stress RECORD TABLE" in " ".join(told.split())
    for edition in ("record", "public"):
        text = Path(f"out.csv.{edition}.json").read_text(encoding="utf-8")
        assert "colour" not in text
        assert "What if" not in text


def test_a_release_gives_the_cases_as_data(typed: Typed) -> None:
    found = json.loads(typed(*RELEASE, "--json").out)["stress"]
    full = json.loads(typed("stress", "out.csv.record.json", "t.csv", "--json", *QUICK).out)

    def knowing(told: dict[str, list[dict[str, object]]]) -> list[dict[str, object]]:
        return [each for each in told["cases"] if each["columns"] == ["colour"]]

    assert knowing(found) == knowing(full) != []
    assert found["cases"][0]["epsilon"] == "inf"


def test_no_stress(typed: Typed) -> None:
    said = typed(*RELEASE, "--no-stress", "--report", "r.html")
    assert said.code == 0
    assert "What if" not in said.out
    assert "What if they know more?" not in Path("r.html").read_text(encoding="utf-8")
    assert json.loads(typed(*RELEASE, "--no-stress", "--json").out)["stress"] is None


def test_what_is_no_single_file_is_not_tested_and_that_is_said(typed: Typed, folder: Path) -> None:
    (folder / "many").mkdir()
    (folder / "t.csv").rename(folder / "many" / "t.csv")
    said = typed("release", "many", *COLUMNS, "-o", "out", "--format", "csv")
    assert said.code == 0
    assert "Not tested: the table is not a single file." in said.out
    said = typed("release", "many", "--plan", "plan.json", "-o", "o2", "--format", "csv", "--json")
    assert json.loads(said.out)["stress"] == {"not_tested": "the table is not a single file"}


def test_the_report_has_the_cases_and_its_public_edition_none(typed: Typed) -> None:
    typed(*RELEASE, "--report", "r.html")
    page = Path("r.html").read_text(encoding="utf-8")
    part = page[page.index("What if they know more?") : page.index("How it was done")]
    assert part.index("has laws that differ by 1%") < part.index("also knows &#39;colour&#39;")
    assert ">∞<" in part
    later = ("report", "out.csv.record.json", "--original", "t.csv")
    assert typed(*later).code == typed(*later, "--public").code == 0
    assert part in Path("out.csv.report.html").read_text(encoding="utf-8")
    public = Path("out.csv.public.html").read_text(encoding="utf-8")
    assert "colour" not in public
    assert "What if they know more?" not in public


def test_a_table_that_is_written_in_another_way(typed: Typed, folder: Path) -> None:
    text = (folder / "t.csv").read_text(encoding="utf-8").replace(",", "~")
    (folder / "other.txt").write_text(text, encoding="utf-8")
    how = ("--delimiter", "~", "--format", "csv", "--other", "colour", *QUICK)
    said = typed("stress", "plan.json", "other.txt", *how)
    assert said.code == Exit.DONE
    plain = typed("stress", "plan.json", "t.csv", "--other", "colour", *QUICK)
    assert said.out == plain.out


def test_bands_are_given_once(refused: Typed) -> None:
    said = refused("stress", "plan.json", "t.csv", "--bands", "age=30:70:20", "--bands", "age=1,2")
    assert said.code == Exit.USAGE
    assert "--bands names column 'age' twice" in said.err
    assert refused("stress", "plan.json", "t.csv", "--seed", "-1").code == Exit.USAGE


def test_every_entry_of_the_json_is_explained(typed: Typed) -> None:
    page = (ROOT / "docs" / "explanation" / "stress.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)`", page.partition("## As data")[2].partition("\n## ")[0]))
    found = json.loads(typed("stress", "plan.json", "t.csv", "--json", *QUICK[:-1]).out)
    entries = {*found, *found["cases"][0]}
    answers = [each["answer"] for each in found["cases"] if each["answer"]]
    spreads = [each["spread"] for each in found["cases"] if each["spread"]]
    assert answers
    assert spreads
    assert entries | {*answers[0]} | {*spreads[0]} <= told
    choices = json.loads(typed("calibrate", "t.csv", *COLUMNS[:6], "--splits", "1", "--json").out)
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)`", page))
    assert {*choices, *choices["choices"][0]} <= told
