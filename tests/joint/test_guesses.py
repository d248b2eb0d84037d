"""How often a guess is right, on every surface, against a count of the rows and the map drawn from.

The trap: what decides a promise need not be what is guessed best. A rare value that only one group
has decides ε and is seldom seen; where half of the rows tell, ε is small and most guesses are
right.
"""

from __future__ import annotations

import csv
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.columns.story import story as story_of_column
from pufferfish.insight.guesses import best_guess
from pufferfish.joint.story import story
from pufferfish.report import report
from pufferfish.studio.bench import Bench
from pufferfish.studio.question import Question
from pufferfish.studio.table_panels import table_parts
from tests.joint.tables import as_plain
from tests.studio.test_page import ENTERED, Heard
from tests.studio.test_tables import read_page, source

Row = tuple[str, str, str]
HEADER = ("x", "s", "z")
# In a, 1.5% of the rows of one secret have a value of their own; in b, most rows tell.
HIDDEN: dict[tuple[str, str], dict[str, int]] = {
    ("one", "a"): {"p": 500, "q": 485, "r": 15},
    ("two", "a"): {"p": 500, "q": 500},
    ("one", "b"): {"p": 700, "q": 300},
    ("two", "b"): {"p": 300, "q": 700},
}


def rows_of(counts: dict[tuple[str, str], dict[str, int]]) -> list[Row]:
    return [
        (value, secret, known)
        for (secret, known), values in counts.items()
        for value, count in values.items()
        for _ in range(count)
    ]


def as_table(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        name: np.array(each) for name, each in zip(HEADER, zip(*rows, strict=True), strict=True)
    }


def planned(rows: Sequence[Row], epsilon: float = 1.0) -> Any:
    """One map for each value of z, which is published."""
    beliefs = pf.fit_beliefs(as_table(rows), column="x", secret="s", known=["z"], min_group=1)
    calibration = pf.calibrate(
        pf.Scenario(beliefs),
        pf.Guarantee(epsilon),
        mechanism="recode",
        floor=None,
        nominal=True,
        keep=["z"],
    )
    return pf.Plan(calibration=calibration, column="x", secret="s", keep=["z"])


def counted(plan: Any, rows: Sequence[Row]) -> Iterator[tuple[Any, str, int, float, float]]:
    """For each pair and each z: rows of the pair, and how often a guess is right, by counting."""
    for (known,), part in plan.calibration.strata.items():
        drawn = as_plain(part.mechanism)
        chance = {
            value: dict(zip(drawn.outputs, (Fraction(n, sum(line)) for n in line), strict=True))
            for value, line in zip(drawn.values, drawn.table, strict=True)
        }
        laws: dict[str, tuple[int, Counter[Any], Counter[Any]]] = {}
        for secret in sorted({row[1] for row in rows}):
            before = Counter((x,) for x, s, z in rows if (s, z) == (secret, known))
            after: Counter[Any] = Counter()
            for value, count in before.items():
                for output, share in chance[value].items():
                    after[output] += count * share
            laws[secret] = sum(before.values()), before, after
        for pair in combinations(laws, 2):
            (n, one, noised), (m, two, other) = (laws[each] for each in pair)
            if n and m:
                yield pair, known, n + m, right(one, two, n, m), right(noised, other, n, m)


def right(one: Counter[Any], two: Counter[Any], n: int, m: int) -> float:
    """½·Σ max(P, Q)."""
    return float(sum(max(Fraction(one[y]) / n, Fraction(two[y]) / m) for y in {*one, *two}) / 2)


def tenth_up(share: float) -> str:
    return f"{math.ceil(1000.0 * share) / 10.0:.1f}%"


def told(shares: Sequence[float], text: str) -> None:
    """Each share is said, rounded up to a tenth of a percent; one more where it is such a tenth."""
    for each in shares:
        assert tenth_up(each) in text or tenth_up(each + 1e-9) in text, (each, text)


def judged(plan: Any, rows: Sequence[Row]) -> tuple[Any, tuple[float, float], tuple[float, float]]:
    """The pair and z guessed best, before and after; and the average over the rows of that pair."""
    every = [*counted(plan, rows)]
    pair, known, _, before, after = max(every, key=lambda each: each[-1])
    own = [each for each in every if each[0] == pair]
    total = sum(each[2] for each in own)
    average = tuple(sum(each[2] * each[place] for each in own) / total for place in (3, 4))
    return (pair, known), (before, after), (average[0], average[1])


def test_the_case_of_the_trap() -> None:
    """It is one: the stratum that decides is guessed far less often than the other."""
    rows = rows_of(HIDDEN)
    plan = planned(rows)
    assert "z = a" in plan.certificate.worst.belief
    (_, known), largest, average = judged(plan, rows)
    assert known == "b"
    assert largest == pytest.approx((0.7, 0.7))
    (there,) = [each[-1] for each in counted(plan, rows) if each[1] == "a"]
    assert there < 0.52
    assert 0.6 < average[1] < 0.61


def test_the_terminal_says_the_largest_and_the_average() -> None:
    rows = rows_of(HIDDEN)
    plan = planned(rows)
    record = pf.release(as_table(rows), plan).record
    (said,) = [each for each in story(record) if each.title == "Guessing"]
    (text,) = said.paragraphs
    _, largest, average = judged(plan, rows)
    assert text.startswith("where z = b, between 'one' and 'two', each as likely as the other")
    assert "No guess is better for other known values." in text
    first, second = text.split("On average over the rows of these two secrets")
    told(largest, first)
    told(average, second)


def test_the_report_says_both(tmp_path: Path) -> None:
    rows = rows_of(HIDDEN)
    plan = planned(rows)
    record = pf.release(as_table(rows), plan).record
    page = re.sub(r"<[^>]+>", " ", report(record, stress=False))
    page = re.sub(r"\s+", " ", page)
    _, largest, average = judged(plan, rows)
    (tile,) = re.findall(
        r"([\d.]+%) of guesses from one row are right, at most \(50% by chance\), where z = b", page
    )
    told(largest[1:], tile)
    (tile,) = re.findall(r"([\d.]+%) of guesses are right, at most, on average over the rows", page)
    told(average[1:], tile)
    section = page.split("What an adversary could guess")[1].split("What is not covered")[0]
    assert "and knows that z = b" in section
    told([*largest, *average], section)


def test_the_studio_says_both(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = rows_of(HIDDEN)
    save(path, rows)
    asked = {
        "column": "x",
        "secret": "s",
        "keep": ["z"],
        "kind": "recode",
        "floor": "none",
        "nominal": True,
        "beliefs": ["empirical"],
    }
    question: Question = read_page(source(path), None, HEADER, {**ENTERED, **asked}.get, {*HEADER})
    outlook: Any = Bench().outlook(question, Heard())
    _, largest, average = judged(outlook.plan, rows)
    parts = table_parts(outlook)
    shown, words = parts["tiles"]["guess"]
    told(largest, shown)
    told(average, words)
    assert "z = b" in words
    picture = parts["pictures"]["guessed"]
    told(largest, picture)
    assert "z = b" in picture


def save(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])


@pytest.mark.parametrize("command", ["calibrate", "release"])
def test_json_has_both(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = rows_of(HIDDEN)
    save(Path("t.csv"), rows)
    said = ["t.csv", "-c", "x", "-s", "s", "--keep", "z", "-e", "1", "--mechanism", "recode"]
    said += ["--floor", "none", "--nominal", "--json", "-o"]
    more = ["o.csv", "--no-stress"] if command == "release" else ["plan.json"]
    assert run([command, *said, *more]) == 0
    found = json.loads(capsys.readouterr().out)["guess"]
    (pair, known), largest, average = judged(planned(rows), rows)
    assert (tuple(found["pair"]), found["known"], found["largest"]) == (pair, {"z": known}, True)
    assert (found["before"], found["at_most"]) == pytest.approx(largest, abs=1e-9)
    # Another run may find another map of the same loss.
    assert (found["average_before"], found["average"]) == pytest.approx(average, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_any_table(seed: int) -> None:
    """Three secrets, three known values, four values: every pair and stratum is counted."""
    draws = random.Random(seed)
    counts = {
        (secret, known): {value: draws.randrange(1, 60) for value in "pqrt"}
        for secret in ("one", "two", "three")
        for known in "abc"
    }
    rows = rows_of(counts)
    plan = planned(rows, draws.choice([0.3, 1.0, 2.0]))
    found = best_guess(plan.calibration, plan.promise)
    place, largest, average = judged(plan, rows)
    assert ({*found.pair}, found.given["z"]) == ({*place[0]}, place[1])
    exact = [*largest, *average]
    assert found.average is not None
    bounds = [found.before_upper, found.after_upper, *found.average]
    assert all(bound >= each - 1e-15 for bound, each in zip(bounds, exact, strict=True))
    assert bounds == pytest.approx(exact, abs=1e-9)


def test_noise_by_known_value() -> None:
    """Laplace noise, each value of z with its own: by integration of the two densities."""
    laws = {"a": ([0, 1, 9], [60, 39, 1], [60, 40, 0]), "b": ([0, 1, 9], [80, 20, 0], [20, 80, 0])}
    table: dict[str, list[Any]] = {"x": [], "s": [], "z": []}
    for known, (values, *both) in laws.items():
        for secret, counts in zip(("one", "two"), both, strict=True):
            for value, count in zip(values, counts, strict=True):
                for name, each in zip("xsz", (value, secret, known), strict=True):
                    table[name] += [each] * count
    rows = {name: np.array(each) for name, each in table.items()}
    beliefs = pf.fit_beliefs(rows, "x", "s", ("empirical",), known=["z"], min_group=1)
    goal = pf.Guarantee(1.0)
    calibration = pf.calibrate(pf.Scenario(beliefs), goal, keep=["z"])
    plan = pf.Plan(calibration=calibration, column="x", secret="s", keep=["z"])
    strata = plan.calibration.strata
    exact = {}
    for known, (values, *both) in laws.items():
        scale = strata[known].mechanism.scale

        def density(y: float, counts: Sequence[int], b: float, at: Sequence[int]) -> float:
            weights = np.array(counts) / sum(counts)
            return float(weights @ np.exp(-np.abs(y - np.array(at)) / b) / (2 * b))

        def larger(y: float, b: float = scale, at: Any = values, laws: Any = both) -> float:
            return max(density(y, each, b, at) for each in laws)

        ends = (-60.0 * scale, 9 + 60.0 * scale)
        exact[known] = 0.5 * quad(larger, *ends, points=[0, 0.5, 1, 5, 9], limit=500)[0]
    found = best_guess(plan.calibration, goal)
    best = max(exact, key=lambda each: exact[each])
    assert found.given == {"z": best}
    assert found.after_upper == pytest.approx(exact[best], abs=1e-6)
    assert found.average is not None
    assert found.average[1] == pytest.approx(sum(exact.values()) / 2, abs=1e-6)
    assert min(exact.values()) + 0.02 < found.after_upper


def test_among_several_pairs_the_one_that_decides_need_not_be_guessed_best() -> None:
    """One column of numbers: a rare value decides between 'one' and 'two'."""
    counts = {"one": (500, 495, 5), "two": (500, 500, 0), "three": (250, 750, 0)}
    values = np.concatenate([np.repeat([0, 1, 2], each) for each in counts.values()])
    table = {"x": values, "s": np.repeat(list(counts), 1000)}
    beliefs = pf.fit_beliefs(table, "x", "s", ("empirical",))
    calibration = pf.calibrate(
        pf.Scenario(beliefs), pf.Guarantee(1.0), mechanism="recode", floor=None, nominal=True
    )
    plan = pf.Plan(calibration=calibration, column="x", secret="s")
    drawn = plan.calibration.mechanism.matrix
    shares = {name: np.array(each) / 1000 for name, each in counts.items()}
    exact = {
        pair: 0.5 + 0.25 * float(np.abs((shares[pair[0]] - shares[pair[1]]) @ drawn).sum())
        for pair in combinations(counts, 2)
    }
    best = max(exact, key=lambda each: exact[each])
    assert {*plan.certificate.worst.pair} != {*best}
    record = pf.release(table, plan).record
    (said,) = [each for each in story_of_column(record) if each.title == "Guessing"]
    (text,) = said.paragraphs
    assert all(repr(each) in text for each in best)
    assert "No guess is better for another pair." in text
    told([exact[best]], text)
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", report(record, stress=False)))
    (tile,) = re.findall(r"([\d.]+%) of guesses from one row are right, at most", page)
    told([exact[best]], tile)
