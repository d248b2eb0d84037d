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
from pufferfish.kinds.kind import plan_of
from pufferfish.documents.text import plain_document
from pufferfish.options.words import commands
from pufferfish.studio.asking import read_page
from pufferfish.studio.bench import Bench
from pufferfish.studio.data_forms import columns_part, protection_part
from pufferfish.studio.fragments import bounds_part, pairs_part, rows_part, unprotected_part
from pufferfish.studio.page import page
from pufferfish.studio.sources import Source
from pufferfish.tables import format_of
from pufferfish.tables.local.detect import detect
from tests.studio.test_page import Heard

pytestmark = pytest.mark.xdist_group("studio")

TABLE, OTHER, MINE = "t.csv", "other.csv", "persons.csv"
HEADER = ("score", "job", "sex", "town", "kind", "id", "holes", "gaps")


def rows(count: int, persons: int) -> Iterator[tuple[Any, ...]]:
    """Scores and jobs depend on the kind, sex and town do not; the last two are incomplete."""
    for number in range(count):
        half = number // 2
        yield (
            (half * 7) % 5 + 2 * (number % 2),
            ("abc" if number % 2 else "aab")[half % 3],
            "FM"[(half + (number % 9 == 0)) % 2],
            "xyz"[number % 3],
            "uv"[number % 2],
            # The rows of a person have one kind, and one score.
            number % persons,
            "" if number % 50 < 2 else half % 4,
            "" if number % 50 < 2 else "pqr"[half % 3],
        )


def write(path: Path, count: int, persons: int) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows(count, persons)])


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
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("choices")
    write(found / TABLE, 300, 300)
    write(found / OTHER, 420, 420)
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


def plan_or_refusal(folder: Path, bench: Bench, entered: dict[str, Any]) -> tuple[Any, Any]:
    """What the page shows, and what its command does."""
    entry = (ALONE | entered).get
    labels = {"job", "sex", "town", "kind", "gaps"}
    try:
        question = read_page(source(folder / TABLE), source(folder / OTHER), HEADER, entry, labels)
    except pf.PufferfishError as error:
        return None, str(error)
    try:
        shown = untimed(
            bench.outlook(question, Heard()).release_plan(allow_no_noise=False).to_dict()
        )
    except pf.PufferfishError as error:
        shown = str(error)
    words = shlex.split(commands(question.asked, "out.csv").splitlines()[0])
    place = folder / "plan.json"
    place.unlink(missing_ok=True)
    code = run([*words[1:], "--quiet", "--splits", "0"])
    return shown, untimed(plan_of(plain_document(place)).to_dict()) if code == Exit.DONE else code


CASES = [
    (base, control, chosen)
    for base in BASES
    for control, several in CHOICES.items()
    for chosen in several
]
