"""Every choice on the page: the plan that it shows is the plan of the command that it prints."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.cli.exits import Exit
from pufferfish.documents.text import plain_document
from pufferfish.kinds.kind import plan_of
from pufferfish.options.planning import Asked
from pufferfish.options.words import commands
from pufferfish.studio.asking import read_page
from pufferfish.studio.bench import Bench, settle
from pufferfish.studio.data_forms import columns_part, protection_part
from pufferfish.studio.fragments import (
    bounds_part,
    pairs_part,
    releasing_part,
    rows_part,
    unprotected_part,
)
from pufferfish.studio.page import page
from pufferfish.studio.sources import Source
from pufferfish.tables import format_of
from pufferfish.tables.local.detect import detect
from tests.studio.test_page import Heard

pytestmark = pytest.mark.xdist_group("studio")

TABLE, OTHER = "t.csv", "other.csv"
HEADER = ("score", "job", "sex", "town", "kind", "id", "holes", "gaps")


def rows(count: int) -> Iterator[tuple[Any, ...]]:
    """Scores and jobs depend on the kind, sex and town do not; the last two are incomplete."""
    for number in range(count):
        half = number // 2
        yield (
            (half * 7) % 5 + 2 * (number % 2),
            ("abc" if number % 2 else "aab")[half % 3],
            "FM"[(half + (number % 9 == 0)) % 2],
            "xyz"[number % 3],
            "uv"[number % 2],
            number,
            "" if number % 50 < 2 else half % 4,
            "" if number % 50 < 2 else "pqr"[half % 3],
        )


# What the page has chosen at first, for a column of numbers; and for several columns.
ALONE: dict[str, Any] = {
    "source": "given",
    "column": "score",
    "secret": "kind",
    "unit": "row",
    "provenance": "released",
    "which": "all",
    "beliefs": ["empirical"],
    "kind": "laplace",
    "floor": "noise",
    "floor_number": 0.5,
    "loss": "squared",
    "by": "epsilon",
    "epsilon": 1,
    "delta": 0,
    "confidence": 95.0,
    "missing": "refuse",
    "min_group": 30,
    "bootstrap": 0,
    "rows_per_person": 2,
}
RECODED = {"kind": "recode", "floor": "none", "wrong": 2}
SEVERAL = {"together": ["job"], **RECODED}
KNOWN = {"keep": ["sex"]}
BASES: dict[str, dict[str, Any]] = {
    "one column": {},
    "one column, recoded": RECODED,
    "one column, known": KNOWN,
    "categories": {"column": "job", **RECODED},
    "several columns": SEVERAL,
    "several columns, known": SEVERAL | KNOWN,
    "several secrets": SEVERAL | {"secrets": ["town"]},
}
PERSON = {"unit": "person", "person": "id"}
# The same without the choice that a table cannot have.
FREE = {"missing": "keep", "unit": "row", "never": None, "rule_0": None}
# What is chosen on top, by the control that it is about.
CHOICES: dict[str, tuple[dict[str, Any], ...]] = {
    "column": ({"column": "holes"}, {"column": "gaps"}, {"column": "town"}),
    "secret": ({"secret": "town"}, {"secret": "sex"}),
    "together": ({"together": ["town"]}, {"together": ["gaps"]}),
    "keep": ({"keep": ["town"]},),
    "known": ({"known": ["town"]}, {"known": ["score"]}),
    "secrets": ({"secrets": ["town"]},),
    "jointly": ({"jointly": True},),
    "missing": tuple(
        {"missing": way, **column}
        for way in ("refuse", "keep", "drop")
        for column in ({}, {"column": "holes"}, {"together": ["gaps"]})
    ),
    "unit": (PERSON | {"rows_way": "any"},),
    "person": ({"person": "id"},),
    "rows_way": tuple(PERSON | {"rows_way": way} for way in ("equal", "first", "mean")),
    "rows_per_person": (PERSON | {"rows_way": "independent", "rows_per_person": 1},),
    "provenance": ({"provenance": "reference"}, {"provenance": "public"}),
    "rule": (
        {"rule_0": "1:6:2"},
        {"rule_0": "codes"},
        {"rule_1": "merge b,c=d; order d,a; steps"},
        {"rule_0": "weight 2"},
        {"rule_2": "merge F,M=G"},
    ),
    "never": ({"never": "score=6,job=a"}, {"never": "job=a,sex=F"}),
    "which": (),
    "against": ({"which": "against", "against": "u"},),
    "pair": ({"which": "some", "pair": ["u:v"]},),
    "beliefs": ({"beliefs": ["gaussian"]}, {"beliefs": ["independent", "empirical"]}),
    "bootstrap": ({"bootstrap": 1},),
    "min_group": ({"min_group": 20}, {"min_group": 500}),
    "kind": (
        {"kind": "gaussian", "delta": 0.01},
        {"kind": "recode"},
        {"kind": "auto"},
        {"kind": "laplace", "wrong": 3, "floor": "none", "any_histogram": True},
    ),
    "floor": ({"kind": "recode", "floor": "noise"}, {"kind": "recode", "floor": "none"}),
    "floor_number": ({"kind": "recode", "floor": "number", "floor_number": 0.7},),
    "wrong": ({"kind": "recode", "wrong": 1.2355}, {"kind": "recode", "wrong": 0}),
    "nominal": ({"kind": "recode", "wrong": None, "nominal": True},),
    "loss": ({"kind": "recode", "loss": "absolute"}, {"kind": "recode", "loss": "changed"}),
    "any_histogram": ({"kind": "recode", "any_histogram": True},),
    "by": (),
    "within": ({"by": "value", "within": 6.0},),
    "mean_within": ({"by": "mean", "mean_within": 0.7},),
    "confidence": ({"by": "mean", "mean_within": 0.7, "confidence": 90},),
    "epsilon": ({"epsilon": 2.5},),
    "delta": ({"delta": 0.001},),
    "cap_low": ({"cap_low": 1.0, "cap_high": 5.0},),
    "cap_high": ({"cap_low": 0, "cap_high": 4, "kind": "auto"},),
    "round": ({"round": 0.5},),
    "low": ({"low": -2, "high": 9},),
    "high": ({"low": 0, "high": 9, "kind": "recode"},),
    "unprotected": ({"unprotected": ["town"]},),
    "keep_order": ({"keep_order": True},),
    "allow_no_noise": (
        {"allow_no_noise": True},
        {"allow_no_noise": True, "epsilon": 9, "delta": 0.9},
        {"epsilon": 9, "delta": 0.9},
    ),
}


# On these bases all choices are made; on the others those that other columns could make ignored.
FULLY = ("one column", "several columns, known")
ELSEWHERE = ("column", "missing", "unit", "rows_way", "rule", "never", "kind", "unprotected")
CASES = [
    pytest.param(base, control, id=f"{base}, {control}")
    for base in BASES
    for control, chosen in CHOICES.items()
    if chosen and (base in FULLY or control in ELSEWHERE)
]
LABELLED = {"job", "sex", "town", "kind", "gaps"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("choices")
    for name, count in ((TABLE, 300), (OTHER, 420)):
        with (found / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEADER, *rows(count)])
    return found


@pytest.fixture(scope="module")
def bench() -> Bench:
    """One for all choices, as for one who changes them one by one: none may answer another."""
    return Bench()


def source(path: Path) -> Source:
    return Source(key=path.name, name=path.name, path=str(path), format=format_of(path.name))


def untimed(plan: Any) -> Any:
    """A plan as data, without the time at which its beliefs were fitted."""
    if isinstance(plan, dict):
        return {name: untimed(each) for name, each in plan.items() if name != "fitted_at"}
    return [untimed(each) for each in plan] if isinstance(plan, list) else plan


def on_the_page(folder: Path, bench: Bench, entered: dict[str, Any]) -> tuple[Asked, Any]:
    """What is asked, and the plan that the page shows; or the words in which it refuses."""
    entry = (ALONE | entered).get
    tables = source(folder / TABLE), source(folder / OTHER)
    question = read_page(*tables, HEADER, entry, LABELLED)
    try:
        found = bench.outlook(question, Heard())
        asked, plan = settle(found, agreed=bool(entry("allow_no_noise")))
    except pf.PufferfishError as error:
        return question.asked, " ".join(str(error).split())
    return asked, untimed(plan.to_dict())


def by_command(asked: Asked, capfd: pytest.CaptureFixture[str]) -> Any:
    """The plan that the printed command writes; or the words in which it refuses."""
    words = shlex.split(commands(asked, "out.csv").splitlines()[0])
    assert words[0] == "pufferfish"
    assert words[-2:] == ["--output", "plan.json"]
    place = Path("plan.json")
    place.unlink(missing_ok=True)
    capfd.readouterr()
    code = run([*words[1:], "--quiet", "--splits", "0"])
    said = " ".join(capfd.readouterr().err.split()).removeprefix("error: ")
    if code != Exit.DONE:
        assert not place.exists()
        return said
    return untimed(plan_of(plain_document(place)).to_dict())


@pytest.mark.parametrize(("base", "control"), CASES)
def test_the_page_shows_the_plan_of_its_command(
    folder: Path,
    bench: Bench,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    base: str,
    control: str,
) -> None:
    """Also where neither has a plan: both refuse, in the same words."""
    monkeypatch.chdir(folder)
    for chosen in CHOICES[control]:
        entered = BASES[base] | chosen
        try:
            asked, shown = on_the_page(folder, bench, entered)
        except pf.PufferfishError:
            continue  # refused as it is entered: no command is printed
        assert by_command(asked, capfd) == shown, entered


def test_a_choice_is_followed_or_refused(folder: Path, bench: Bench) -> None:
    """What the issue found, and what was found with it: all these were ignored."""
    holes = SEVERAL | {"together": ["gaps"]}
    for entered, said in (
        (SEVERAL | {"missing": "drop"}, "--missing drop is for one column of numbers"),
        (holes | {"missing": "drop"}, "--missing drop is for one column of numbers"),
        (holes | {"missing": "refuse"}, "column 'gaps' has missing values"),
        (SEVERAL | PERSON | {"rows_way": "first"}, "several rows of one person"),
        (KNOWN | PERSON | {"rows_way": "any"}, "several rows of one person"),
        (SEVERAL | {"never": "job=a,town=x"}, "--never is about column 'town'"),
        ({"rule_0": "1:6:2"}, "only a recoding has --edges"),
    ):
        # Counted and described for another choice before.
        on_the_page(folder, bench, {**entered, **FREE})
        assert said in on_the_page(folder, bench, entered)[1]
    _, kept = on_the_page(folder, bench, holes | {"missing": "keep"})
    assert kept["missing"] == "keep"
    assert on_the_page(folder, bench, SEVERAL)[1]["missing"] == "refuse"


def test_holes_that_a_plan_refuses_are_refused_when_it_is_used(
    folder: Path, bench: Bench, tmp_path: Path
) -> None:
    """By a plan that was made before the table had a hole."""
    entry = (ALONE | SEVERAL).get
    question = read_page(source(folder / TABLE), None, HEADER, entry, LABELLED)
    plan = bench.outlook(question, Heard()).release_plan(allow_no_noise=False)
    table = tmp_path / TABLE
    lines = (folder / TABLE).read_text(encoding="utf-8").splitlines()
    lines[3] = ",".join(
        "" if place == 1 else each for place, each in enumerate(lines[3].split(","))
    )
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(pf.DataError, match="the value is missing, and the plan refuses that"):
        pf.release(str(table), plan, str(tmp_path / "out.csv"), beliefs_from_plan=True)


_CONTROL = re.compile(r"<(?:input|select)\b[^>]*>|<div[^>]*data-input=[^>]*>")
# Which table; files; and buttons, which are no choices.
_NO_CHOICES = {"source"}


def test_every_control_of_the_page_is_among_these_choices(folder: Path) -> None:
    columns = detect(str(folder / TABLE), format_of(TABLE))
    parts = (
        page(None, 1, ""),
        protection_part(columns, None),
        columns_part(columns, None),
        pairs_part([("u", "v", "w")], None),
        bounds_part(),
        unprotected_part(HEADER),
        rows_part(),
        releasing_part(none=True, earlier=""),
    )
    found = set()
    for tag in _CONTROL.findall("".join(map(str, parts))):
        given = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        name = given.get("data-input") or given.get("name") or given.get("id")
        if name is not None:
            found.add(re.sub(r"^rule_\d+$", "rule", name))
    assert found - _NO_CHOICES == set(CHOICES)
