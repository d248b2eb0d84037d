"""Missing values from the command line: what is promised about them, and to whom it is said."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Typed
from tests.cli.tables import column, rows, write

NAMES = ("-c", "x", "-s", "s", "--belief", "empirical", "--splits", "0", "--no-stress")
KEEP = ("release", "holes.csv", *NAMES, "-e", "1", "--missing", "keep", "-o", "out.csv")
RECODE = (*KEEP, "--mechanism", "recode")


@pytest.fixture(autouse=True)
def _holes(folder: Path) -> None:
    """One third of values is missing under one secret, one in six under the other."""
    content: list[list[Any]] = [
        [row[0], row[1], "" if number % 12 in (0, 2, 5) else row[2], row[3]]
        for number, row in enumerate(rows("ab", 120))
    ]
    write(folder / "holes.csv", content)


def words(folder: Path) -> tuple[str, str]:
    """The promise, and what is not promised, for everybody."""
    public = json.loads((folder / "out.csv.public.json").read_text(encoding="utf-8"))
    return public["promise"], " ".join(public["not_promised"])


def test_everybody_is_told_what_became_of_missing_values(typed: Typed, folder: Path) -> None:
    assert typed(*KEEP).code == 0
    assert "A missing value stays missing. The bound covers this" in words(folder)[0]
    assert "missing" not in words(folder)[1]
    assert typed(*RECODE, "--force").code == 0
    promise, gaps = words(folder)
    assert "A missing value is recoded like any other, and the bound covers this." in promise
    assert "the floor is about values" in gaps
    assert typed(*RECODE, "--floor", "none", "--nominal", "--force").code == 0
    assert "floor" not in words(folder)[1].replace("and its floor", "")
    dropped = [*KEEP, "--force"]
    dropped[dropped.index("keep")] = "drop"
    assert typed(*dropped).code == 0
    promise, gaps = words(folder)
    assert "Rows without a value were left out; the promise is about the others." in promise
    assert "Which rows had no value, and how many" in gaps
    assert typed("verify", "out.csv.record.json").code == 0
    whole = ("release", "t.csv", *NAMES, "--pair", "a:b", "-e", "1", "-o", "out.csv", "--force")
    assert typed(*whole).code == 0
    assert "issing" not in words(folder)[0]


def test_a_report_says_which_rows_a_mean_is_of(typed: Typed, folder: Path) -> None:
    assert typed(*KEEP).code == 0
    # A public record gives a public report, which nobody has to ask for.
    said = typed("report", "out.csv.public.json")
    assert said.code == 0
    assert "out.csv.public.html (may be published)" in said.out
    there = sum(map(bool, column(folder / "out.csv", "x")))
    assert there < 240
    page = (folder / "out.csv.public.html").read_text(encoding="utf-8")
    assert f"of all {there} rows that have a value: a standard error" in page
    assert "A missing value stays missing" in page


def test_a_group_without_a_secret_is_told_as_a_column_is(typed: Typed, folder: Path) -> None:
    content = [
        [row[0], row[1] if row[0] % 5 else "", "" if row[0] % 7 == 0 else row[2], row[3]]
        for row in rows("ab", 120)
    ]
    write(folder / "holes.csv", content)
    pairs = ("--missing-secret", "--cap", "1:9", "--pair", "a:b", "--pair", "a:(missing)")
    said = typed(*RECODE, *pairs)
    assert said.code == 0
    text = " ".join(said.out.split())
    missing = sum(not row[2] and row[2] != 0 for row in content)
    moved = sum(row[2] != "" and not 1 <= row[2] <= 9 for row in content)
    assert f"{missing} missing values were recoded like the others" in text
    assert f"That moved {moved} values." in text
    assert "rows that have none" not in text
    assert typed("verify", "out.csv.record.json").code == 0
    # Rows without a secret are not covered where these are in no pair.
    other = typed(*RECODE, *pairs[:-2], "--force")
    assert "(missing)" not in other.out


def test_nothing_is_published_beyond_the_cap(typed: Typed, folder: Path) -> None:
    bins = ("--mechanism", "recode", "--cap", "0:10", "--edges", "0:14:2")
    names = ("-c", "x", "-s", "s", "--belief", "empirical", "--pair", "a:b", "-e", "1")
    said = typed("release", "t.csv", *names, *bins, "-o", "out.csv", "--no-stress", "--json")
    assert said.code == 0
    record = json.loads((folder / "out.csv.record.json").read_text(encoding="utf-8"))
    values = record["plan"]["noise"]["values"]
    assert (min(values), max(values)) == (0.0, 10.0)
    assert {float(each) for each in column(folder / "out.csv", "x")} <= {*values}
    assert typed("verify", "out.csv.record.json").code == 0


def test_whom_a_known_column_covers_and_what_verify_cannot_tell(typed: Typed) -> None:
    names = ("-c", "x", "-s", "s", "--belief", "empirical", "--pair", "a:b", "-e", "1")
    known = ("release", "t.csv", *names, "--min-group", "5", "--no-stress", "-o", "out.csv")
    said = " ".join(typed(*known, "--known", "o").out.split())
    assert "It also holds for somebody who does not know 'o'." in said
    kept = typed(*known, "--keep", "o", "--force")
    assert "It holds as well" not in kept.out
    told = typed("verify", "out.csv.record.json").out
    assert "Whether noise was added to out.csv cannot be told" in told
    assert "map" not in told


def test_the_command_that_is_shown_reads_the_table_alike(typed: Typed, folder: Path) -> None:
    text = (folder / "holes.csv").read_text(encoding="utf-8").replace(",,", ",n a,")
    (folder / "marked.csv").write_text(text, encoding="utf-8")
    how = ("calibrate", "marked.csv", *NAMES[:-1], "-e", "1", "--missing", "keep", "--na", "n a")
    said = typed(*how, "-o", "plan.json")
    assert said.code == 0
    shown = said.out.partition("Release with it: pufferfish ")[2].splitlines()[0]
    assert "--na 'n a'" in shown
    assert typed(*shlex.split(shown.replace("OUT", "out.csv"))).code == 0


def test_noise_is_no_answer_where_it_shows_who_has_no_value(typed: Typed) -> None:
    how = ("calibrate", "holes.csv", *NAMES[:-1], "-e", "0.8", "--missing", "keep")
    assert typed(*how, "-o", "plan.json").code == 0
    said = typed("stress", "plan.json", "holes.csv", "--json", "--no-learner", "--other", "o")
    cases = {each["kind"]: each for each in said.json["cases"]}
    for kind in ("population", "splits"):
        assert cases[kind]["holds"] is False
        assert cases[kind]["answer"]["option"] == "--mechanism recode --floor none --wrong 1%"
        assert "noise cannot hide which values are missing" in cases[kind]["answer"]["note"]
    assert "more splits no noise keeps the promise" in cases["splits"]["note"]
