"""Options that one column has, asked of tables: halves, --held-out, --mechanism auto, repeats."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.insight.held_out import WRONGS
from pufferfish.joint.plan import TablePlan
from tests.cli.conftest import Typed
from tests.cli.tables import column
from tests.cli.test_joint import BAD_DATA, BASE, JOINT, NOT_PRIVATE, USAGE, people

NUMBERS = (*BASE, "-c", "score", "-e", "1", "--belief", "empirical")


@pytest.fixture(autouse=True)
def _people(folder: Path) -> None:
    people(folder / "people.csv")


def recorded(path: str) -> dict[str, Any]:
    """The internal record of a release."""
    found: dict[str, Any] = json.loads(Path(path + ".record.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    "options",
    [
        (*JOINT, "--keep", "sex"),
        (*JOINT, "--known", "sex"),
        (*BASE, "-c", "job", "-e", "0.5"),
        (*BASE, "-s", "pregnant", "-c", "job", "-c", "grade", "-e", "0.5"),
        (*NUMBERS, "--keep", "sex"),
        (*NUMBERS, "--keep", "sex", "--mechanism", "recode"),
        (*NUMBERS, "--known", "sex", "--mechanism", "auto"),
    ],
)
def test_one_half_is_fitted_and_the_other_released(typed: Typed, options: tuple[str, ...]) -> None:
    said = typed(
        *("release", *options, "--fit-on", "half", "--keep-unprotected", "id"),
        *("--allow-no-noise", "-o", "out.csv"),
    )
    assert said.code == 0, said.err
    assert "Held out    on rows that were not used" in said.out
    assert "(one split" in said.out
    record = recorded("out.csv")
    published = column(Path("out.csv"), "id")
    assert record["rows_fitted"] + len(published) == 1100
    assert len(set(published)) == len(published)
    assert 400 < len(published) < 700  # 9 stds of a fair coin
    assert record["beliefs_from"] == "other rows"
    assert any("other rows of the table" in each for each in record["headline"])
    assert typed("verify", "out.csv.record.json").code == 0


def test_beliefs_are_those_of_the_rows_that_are_not_released(typed: Typed) -> None:
    options = ("--keep", "sex", "--fit-on", "half", "--keep-unprotected", "id")
    assert typed("release", *JOINT, *options, "-o", "out.csv").code == 0
    released = {*column(Path("out.csv"), "id")}
    names = ("id", "sex", "race", "job", "grade")
    table = zip(*(column(Path("people.csv"), name) for name in names), strict=True)
    left = Counter(tuple(row) for number, *row in table if number not in released)
    found: Counter[tuple[Any, ...]] = Counter()
    for belief in TablePlan.from_dict(recorded("out.csv")["plan"]).scenario.beliefs:
        for race, law in belief.priors.items():
            assert isinstance(law, pf.Categorical)
            assert law.counts is not None
            for labels, count in zip(law.values, law.counts.tolist(), strict=True):
                found[(belief.given["sex"], race, *labels)] += count
    assert +found == left


def test_a_plan_of_one_half_releases_nothing_later(typed: Typed, refused: Typed) -> None:
    assert typed("release", *JOINT, "--fit-on", "half", "-o", "out.csv").code == 0
    TablePlan.from_dict(recorded("out.csv")["plan"]).save("plan.json")
    for more in ([], ["--beliefs-from-plan"]):
        said = refused("release", "people.csv", "--plan", "plan.json", "-o", "again.csv", *more)
        assert said.code == BAD_DATA
        assert "must not be published" in said.err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--keep", "sex", "--person", "id"), USAGE, ["--person"]),
        (("--reference", "people.csv"), USAGE, ["--reference"]),
        (("--min-group", "300"), BAD_DATA, ["random half", "fewer than 300 rows"]),
        (("--keep", "age", "--codes", "age"), BAD_DATA, ["random half", "--merge"]),
        (("--known", "id", "--codes", "id"), BAD_DATA, ["one random half", "--merge"]),
    ],
)
def test_halves_that_cannot_be(
    refused: Typed, options: tuple[str, ...], code: int, words: list[str]
) -> None:
    said = refused("release", *JOINT, *options, "--fit-on", "half", "-o", "out.csv")
    assert said.code == code
    assert all(each in said.err for each in words), said.err
    assert not Path("out.csv").exists()


def test_the_least_share_that_holds(typed: Typed) -> None:
    asked = (*JOINT, "--keep", "sex", "--held-out", "95%")
    said = typed("calibrate", *asked, "-o", "plan.json")
    assert said.code == 0
    assert "holds in 95% of random splits" in said.err
    # Judged by other splits than it was chosen by.
    assert "median of 5 random splits" in said.out
    plan = TablePlan.load("plan.json")
    chosen = plan.certificate.wrong
    assert f"--wrong is {chosen:g}, the least" in said.err
    parts = plan.calibration.parts
    assert len(parts) == 2
    assert all(each.recode is not None and each.recode.wrong_of_table for each in parts)
    # The next smaller one of the list breaks the promise in three or more of the same splits.
    before = [each for each in WRONGS if 0.0 < each < chosen]
    assert before
    beliefs = pf.fit_beliefs("people.csv", columns=["job", "grade"], secret="race", known=["sex"])
    how: dict[str, Any] = {"mechanism": "recode", "floor": None, "keep": ["sex"]}
    scenario, goal = pf.Scenario(beliefs), pf.Guarantee(0.5)
    for wrong, holds in ((before[-1], False), (chosen, True)):
        found = pf.held_out(
            scenario, goal, counts="people.csv", splits=73, seed=1, wrong=wrong, **how
        )
        assert (found.held >= 71) is holds


def test_the_share_of_numbers_with_a_known_column(typed: Typed) -> None:
    asked = (*NUMBERS[:-4], "-e", "0.3", *NUMBERS[-2:], "--keep", "sex", "--mechanism", "recode")
    said = typed("calibrate", *asked, "--held-out", "95%", "--json")
    assert said.code == 0
    assert said.json["wrong"] in WRONGS
    assert said.json["held_out"]["splits"] == 5


def test_the_share_of_a_half_is_told(typed: Typed) -> None:
    said = typed("release", *JOINT, "--held-out", "95%", "--fit-on", "half", "-o", "out.csv")
    assert said.code == 0
    assert "It was chosen by looking at the table" in said.err
    assert "(one split" in said.out
    assert "was chosen, from a short public list, by looking at the" in " ".join(said.out.split())


@pytest.mark.parametrize("known", ["--keep", "--known"])
def test_what_errs_least_of_numbers(typed: Typed, known: str) -> None:
    asked = ("calibrate", *NUMBERS[:-4], "-e", "0.3", *NUMBERS[-2:], known, "sex", "--json")
    found = typed(*asked, "--mechanism", "auto").json
    ways = {each["name"]: each for each in found["compared"]["ways"]}
    assert [*ways] == ["noise", "clipped noise", "remapped noise"]
    (taken,) = (each for each in ways.values() if each["taken"])
    # Bounds that were found in the data are not published.
    publishable = [each["rmse"] for name, each in ways.items() if name != "clipped noise"]
    assert taken["rmse"] == min(publishable) == pytest.approx(found["rmse"])
    # A plan rounds the noise up once more, which changes nothing: it was rounded already.
    assert ways["noise"]["rmse"] == pytest.approx(typed(*asked).json["rmse"])
    mapped = typed(*asked, "--mechanism", "recode").json
    assert ways["remapped noise"]["rmse"] == pytest.approx(mapped["rmse"])


def test_public_bounds_may_be_clipped_to(typed: Typed) -> None:
    options = (*NUMBERS[:-4], "-e", "0.3", *NUMBERS[-2:], "--keep", "sex", "--cap", "0:6")
    said = typed("calibrate", *options, "--mechanism", "auto", "--json").json["compared"]
    ways = {each["name"]: each["rmse"] for each in said["ways"]}
    (taken,) = (each["name"] for each in said["ways"] if each["taken"])
    assert ways[taken] == min(ways.values())
    # The same error, from draws: 40 releases of 1,100 rows; their mean square has an error of 1%.
    table = pf.fit_beliefs(
        "people.csv",
        columns=["score"],
        secret="race",
        known=["sex"],
        cap=(0.0, 6.0),
        families=["empirical"],
    )
    chosen = pf.choose_mechanism(
        pf.Scenario(table), pf.Guarantee(0.3), keep=["sex"], bounds=(0.0, 6.0)
    )
    clipped = next(each for each in chosen.ways if each.postprocess)
    assert clipped.rmse == pytest.approx(ways["clipped noise"])
    squares = []
    rows = list(zip(*(column(Path("people.csv"), name) for name in ("sex", "score")), strict=True))
    for sex, part in clipped.calibration.strata.items():
        values = [float(score) for own, score in rows if own == sex[0]] * 40
        drawn = pf.Mechanism.from_calibration(part, clipped.postprocess).apply(values)
        squares += [(float(new) - old) ** 2 for new, old in zip(drawn, values, strict=True)]
    assert (sum(squares) / len(squares)) ** 0.5 == pytest.approx(clipped.rmse, rel=0.05)


def test_categories_are_recoded_with_the_default(typed: Typed) -> None:
    automatic, usual = (
        typed("calibrate", *JOINT, "--keep", "sex", *more, "--json").json
        for more in (["--mechanism", "auto"], [])
    )
    assert automatic["wrong"] == usual["wrong"] == 0.05
    assert automatic["noise"] == usual["noise"]
    assert "compared" not in automatic


def equal(path: Path) -> None:
    """Nothing tells anything about race, given sex or not."""
    every = product("AB", ("F", "M"), ("x", "y"), range(3), range(40))
    lines = [f"{race},{sex},{job},{score}" for race, sex, job, score, _ in every]
    path.write_text("\n".join(["race,sex,job,score", *lines]) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [
        ("-c", "score", "--belief", "empirical", "--keep", "sex"),
        ("-c", "score", "--belief", "empirical", "--known", "sex"),
        ("-c", "score", "--belief", "empirical", "--keep", "sex", "--mechanism", "recode"),
        ("-c", "score", "--belief", "empirical", "--keep", "sex", "--mechanism", "auto"),
        ("-c", "job", "--nominal"),
        ("-c", "job", "--keep", "sex", "--nominal"),
    ],
)
def test_rows_as_they_are_have_to_be_asked_for(
    typed: Typed, folder: Path, options: tuple[str, ...]
) -> None:
    equal(folder / "equal.csv")
    asked = ("release", "equal.csv", "-s", "race", "-e", "0.5", *options)
    said = typed(*asked, "-o", "out.csv")
    assert said.code == NOT_PRIVATE
    assert "--allow-no-noise" in said.err
    assert not Path("out.csv").exists()
    assert typed(*asked, "--allow-no-noise", "-o", "out.csv").code == 0
    name = options[1]
    released = Counter(each.removesuffix(".0") for each in column(Path("out.csv"), name))
    assert released == Counter(column(Path("equal.csv"), name))
    assert typed("verify", "out.csv.record.json").code == 0


def test_one_stratum_without_noise(refused: Typed, folder: Path) -> None:
    equal(folder / "equal.csv")
    text = (folder / "equal.csv").read_text(encoding="utf-8").replace("A,M,x,0", "A,M,x,1")
    (folder / "equal.csv").write_text(text, encoding="utf-8")
    said = refused(
        *("release", "equal.csv", "-s", "race", "-e", "0.1", "-c", "score", "--keep", "sex"),
        *("--belief", "empirical", "-o", "out.csv"),
    )
    assert said.code == NOT_PRIVATE
    assert "for 1 of 2 combinations of what everybody knows ('sex'), no noise is needed" in said.err


@pytest.mark.parametrize("known", [[], ["--keep", "sex"], ["--known", "sex"]])
def test_draws_with_a_floor_add_up(typed: Typed, known: list[str]) -> None:
    asked = ("release", *BASE, "-c", "job", "-e", "1", *known, "--ledger", "ledger.json")
    for number in range(2):
        said = typed(*asked, "--floor", "0.4", "-o", f"{number}.csv")
        assert said.code == 0, said.err
    third = typed(*asked, "--floor", "0.4", "-o", "third.csv")
    assert third.code == NOT_PRIVATE
    assert "3 releases of the same rows would cost ε = 1.2" in third.err
    assert "ε = 0.1999 is left for the last one" in third.err
    assert not Path("third.csv").exists()
    assert typed(*asked, "--floor", "0.15", "-o", "third.csv").code == 0


def test_without_a_floor_there_is_no_second_draw(typed: Typed) -> None:
    asked = ("release", *JOINT, "--keep", "sex", "--ledger", "ledger.json")
    assert typed(*asked, "-o", "first.csv").code == 0
    for more in ([], ["--floor", "0.05"]):
        said = typed(*asked, *more, "-o", "second.csv")
        assert said.code == NOT_PRIVATE
        assert "--floor" in said.err
    assert not Path("second.csv").exists()


def test_noise_adds_up_within_public_bounds_alone(typed: Typed) -> None:
    asked = ("release", *NUMBERS, "--keep", "sex", "--scale", "13")
    for number in range(2):
        bounded = ("--cap", "0:6", "--ledger", "bounded.json", "-o", f"bounded{number}.csv")
        assert typed(*asked, *bounded).code == 0
        free = typed(*asked, "--ledger", "free.json", "-o", f"free{number}.csv")
        assert free.code == (NOT_PRIVATE if number else 0)
    assert "public bounds (--cap)" in free.err
    third = typed(*asked, *bounded[:-1], "third.csv")
    assert third.code == NOT_PRIVATE
    assert "would cost ε = 1.384" in third.err
