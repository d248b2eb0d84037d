"""`pufferfish audit`: what it attacks, what it says, and with which exit code."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sklearn.ensemble  # noqa: F401 - threads can be limited only where they are loaded
from threadpoolctl import threadpool_limits

from pufferfish.cli import audit
from pufferfish.datasets import adult_education
from tests.cli.conftest import Typed
from tests.cli.tables import rows, write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical", "--pair", "a:b", "-e", "1")
FEW = ("--draws", "20000")
RECORD = ("audit", "out.csv.record.json", *FEW)
# It is started some sixty times, so it must start quickly.
ROUNDED = """
import random, sys
random.seed({seed})
draw = lambda: random.expovariate(1 / {scale}) - random.expovariate(1 / {scale})
print(*(round(float(line) + draw(), 4) for line in sys.stdin), sep=chr(10))
"""
ENOUGH = ROUNDED.format(seed="", scale=20.0)
TOO_LITTLE = ROUNDED.format(seed="", scale=0.3)


def program(source: str) -> str:
    return shlex.join([sys.executable, "-I", "-S", "-c", source])


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Two threads that wait for each other on a busy machine take minutes instead of a second."""
    with threadpool_limits(limits=1):
        yield


pytestmark = pytest.mark.usefixtures("few_rows")


@pytest.fixture(autouse=True)
def _released(typed: Typed, folder: Path) -> None:
    # 200 rows of each secret: learners want at least 50.
    write(folder / "t.csv", rows(each=200))
    assert typed("release", "t.csv", *COLUMNS, "-o", "out.csv").code == 0
    assert typed("calibrate", "t.csv", *COLUMNS, "-o", "plan.json").code == 0


def test_help_has_an_example(typed: Typed) -> None:
    said = typed("audit", "-h")
    assert said.code == 0
    assert "Example: pufferfish audit" in said.out


def test_the_example_of_the_help_works(typed: Typed, folder: Path) -> None:
    columns = adult_education()
    content = zip(*(each.tolist() for each in columns.values()), strict=True)
    write(folder / "adult.csv", content, header=list(columns))
    options = ("-c", "education-num", "-s", "race", "--pair", "Black:Asian-Pac-Islander", "-e", "1")
    assert typed("release", "adult.csv", *options, "-o", "out.csv", "--force").code == 0
    found = re.search(r"^Example: pufferfish (.*)$", audit.__doc__ or "", re.MULTILINE)
    assert found is not None
    said = typed(*shlex.split(found[1]), *FEW)
    assert (said.code, said.err) == (0, "")
    assert "How well 'Black' and 'Asian-Pac-Islander' are told apart" in said.out


@pytest.mark.parametrize("document", ["out.csv.record.json", "plan.json"])
def test_a_record_or_a_plan_is_attacked(typed: Typed, document: str) -> None:
    said = typed("audit", document, *FEW)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("CONSISTENT: ")
    assert "20,000 published values for each secret of 2 ordered pairs" in " ".join(
        said.out.split()
    )


def test_json_and_quiet(typed: Typed) -> None:
    said = typed(*RECORD, "--json")
    assert (said.code, said.err) == (0, "")
    assert said.json["verdict"] == "consistent"
    assert said.json["draws"] == 20_000
    assert {each["belief"] for each in said.json["findings"]} == {"empirical"}
    quiet = typed(*RECORD, "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_the_public_edition_cannot_be_attacked(typed: Typed) -> None:
    said = typed("audit", "out.csv.public.json", *FEW)
    assert said.code == 6
    assert "internal edition" in said.out
    assert typed("audit", "out.csv.public.json", "--json").json == {"verdict": None}


# --- programs -----------------------------------------------------------------------------------


def test_a_program_with_enough_noise(typed: Typed) -> None:
    said = typed(*RECORD, "--command", program(ENOUGH))
    assert said.code == 0
    assert "certified" not in said.out.split("- ", 1)[1]  # nothing is known of its law


@pytest.mark.parametrize(
    "source", [TOO_LITTLE, "print(__import__('sys').stdin.read())"], ids=["little", "none"]
)
def test_a_program_with_too_little_noise(typed: Typed, source: str) -> None:
    said = typed(*RECORD, "--command", program(source), "--json")
    assert said.code == 3
    assert said.json["verdict"] == "violated"
    assert max(each["delta_lower"] for each in said.json["findings"]) > 0.0


@pytest.mark.parametrize(
    ("run", "code", "words"),
    [
        ("no-such-program --fast", 2, "no-such-program cannot be run"),
        ("", 2, "a command must be a list"),
        (program("import sys; sys.exit('no luck')"), 4, "ended with code 1: no luck"),
        (program("print('hello')"), 4, "not a number"),
        (program("import sys; sys.stdin.read(); print(1)"), 4, "one published value for each"),
    ],
)
def test_a_program_that_fails(refused: Typed, run: str, code: int, words: str) -> None:
    said = refused(*RECORD, "--command", run)
    assert said.code == code
    assert words in said.err


# --- data ---------------------------------------------------------------------------------------


def test_learners_on_the_table(typed: Typed) -> None:
    said = typed(*RECORD, "--original", "t.csv", "--json")
    assert said.code == 0
    data = said.json["data"]
    assert data["pair"] == ["a", "b"]
    assert data["rows"] == 400
    assert data["aligned"] is False  # nothing was kept, so the rows were shuffled


def test_learners_on_released_rows(typed: Typed) -> None:
    assert (
        typed(
            "release",
            "t.csv",
            *COLUMNS,
            "--keep-unprotected",
            "id",
            "--keep-order",
            "-o",
            "kept.csv",
        ).code
        == 0
    )
    record = ("audit", "kept.csv.record.json", *FEW, "--original", "t.csv")
    data = typed(*record, "--released", "kept.csv", "--json").json["data"]
    assert data["aligned"] is True
    assert typed(*record, "--released", "kept.csv", "--json").json["data"] == data


def test_other_rows_are_refused(refused: Typed, typed: Typed, folder: Path) -> None:
    assert (
        typed(
            "release",
            "t.csv",
            *COLUMNS,
            "--keep-unprotected",
            "id",
            "--keep-order",
            "-o",
            "kept.csv",
        ).code
        == 0
    )
    write(folder / "t.csv", rows(each=100))
    said = refused(
        "audit", "kept.csv.record.json", *FEW, "--original", "t.csv", "--released", "kept.csv"
    )
    assert said.code == 2
    assert "does not have the rows of the table" in said.err


def test_learners_on_a_whole_table(typed: Typed, folder: Path) -> None:
    """They see all columns together; "known" ones as they are published."""
    table = [
        [f"{number // 6 % 5 + 2 * (number % 3 > 0)}", "uv"[number % 2], "ab"[number % 3 > 0]]
        for number in range(600)
    ]
    lines = ["x,k,s", *(",".join(row) for row in table)]
    (folder / "table.csv").write_text("\n".join(lines), encoding="utf-8")
    roles = ("--column", "x", "--secret", "s", "--keep", "k", "--keep-order")
    said = typed(
        "release", "table.csv", *roles, "--epsilon", 1, "--mechanism", "recode", "-o", "two.csv"
    )
    assert said.code == 0, said.err
    record = ("audit", "two.csv.record.json", *FEW, "--original", "table.csv")
    text = typed(*record).out
    assert "from 'x' and 'k' together, 600 rows, a fresh draw by the same recoding" in text
    assert "the promise allows somebody who knows 'k'" in text
    data = typed(*record, "--released", "two.csv", "--json").json["data"]
    assert (data["aligned"], data["kept"], data["beyond"]) == (True, ["k"], False)
    assert data["fitted"] is True


@pytest.mark.parametrize("kept", [(), ("--keep", "k")])
def test_a_learner_beyond_the_limit_is_no_success(
    typed: Typed, folder: Path, kept: tuple[str, ...]
) -> None:
    """A script that reads the exit code alone must not pass: for a column, and for a table."""
    header = ("x", "k", "s")
    both = [("uv"[number // 2 % 2], "ab"[number % 2]) for number in range(600)]
    near = [[number // 4 % 6 + number % 2, *both[number]] for number in range(600)]
    apart = [[number // 4 % 3 + 4 * (number % 2), *both[number]] for number in range(600)]
    write(folder / "near.csv", near, header)
    write(folder / "apart.csv", apart, header)
    promise = ("--belief", "empirical", "-e", 1, "--mechanism", "recode", "--floor", "none")
    options = ("-c", "x", "-s", "s", *kept, *promise, "--wrong", "1%", "--splits", 0)
    assert typed("calibrate", "near.csv", *options, "-o", "near.json").code == 0
    assert typed("audit", "near.json", *FEW, "--original", "near.csv").code == 0
    said = typed("audit", "near.json", *FEW, "--original", "apart.csv")
    assert "BEYOND THE LIMIT" in said.out
    assert said.code == 3
    assert "CONSISTENT" in said.out  # what the attacks on the mechanism found is another matter


# --- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nothing.json",), 5, "nothing.json"),
        (("t.csv",), 2, "is not a document of pufferfish"),
        (("plan.json", "--draws", "10"), 2, "draws must be"),
        (("plan.json", *FEW, "--confidence", "1.5"), 2, "confidence must"),
        (("plan.json", *FEW, "--released", "out.csv"), 2, "--released needs --original"),
        (("plan.json", *FEW, "--original", "nothing.csv"), 5, "nothing.csv"),
    ],
)
def test_wrong_arguments(refused: Typed, arguments: tuple[str, ...], code: int, words: str) -> None:
    said = refused("audit", *arguments)
    assert said.code == code
    assert words in said.err


def test_a_record_with_less_noise_is_refused_before_anything_is_drawn(
    refused: Typed, folder: Path
) -> None:
    record = folder / "out.csv.record.json"
    text = record.read_text(encoding="utf-8")
    record.write_text(re.sub(r'"scale": [\d.]+', '"scale": 0.5', text), encoding="utf-8")
    assert refused(*RECORD).code == 3


def test_the_seed_decides_the_values_that_are_tried(typed: Typed) -> None:
    fixed = program(ROUNDED.format(seed=1, scale=20.0))
    one, other, third = (
        typed("audit", "plan.json", "--draws", 1000, "--command", fixed, "--seed", seed, "--json")
        for seed in (1, 1, 2)
    )
    assert one.json["findings"] == other.json["findings"]
    assert one.json["findings"] != third.json["findings"]


@pytest.mark.parametrize("option", [("--seed", "-1"), ("--command", "python 'noise.py")])
def test_more_wrong_arguments(refused: Typed, option: tuple[str, str]) -> None:
    assert refused("audit", "plan.json", *FEW, *option).code == 2
