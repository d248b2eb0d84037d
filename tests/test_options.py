"""What is asked for, as a command line and as a script: both give the same plan."""

from __future__ import annotations

import contextlib
import csv
import random
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pufferfish.cli.app import run
from pufferfish.cli.exits import Exit
from pufferfish.columns.plan import Plan
from pufferfish.columns.record import Record
from pufferfish.options.adversaries import Adversaries
from pufferfish.options.goal import Accuracy, Goal
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.script import script
from pufferfish.options.table import Table
from pufferfish.options.words import arguments, commands

NAME, OUTPUT = "a table's.csv", "out.csv"
LAW = {"belief": ["empirical"]}


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """A command that runs in this process hears signals in its own way."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Silent:
    """Nobody listens."""

    def warn(self, text: str) -> None:
        del text

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        del what
        yield lambda share: None


def write(path: Path, each: int, holes: bool = False, mark: str = "") -> None:
    """Names and secrets with all that a shell or a script could trip over."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["-amount $1", "who's kind", "id", "to keep"])
        draws = random.Random(3)
        for number in range(3 * each):
            value: Any = draws.randrange(10) + number % 3
            if holes and number % 50 == 0:
                value = mark
            # Two rows of each person, with one secret.
            person = 3 * (number // 6) + number % 3
            rows.writerow([value, ("a:b", 'c "d"', "e\\f")[number % 3], person, number % 4])


def asked(*, adversaries: Any = None, goal: Any = None, **groups: Any) -> Asked:
    return Asked(
        table=Table(file=NAME, column=["-amount $1"], secret=["who's kind"]),
        adversaries=Adversaries(**{**LAW, **(adversaries or {})}),
        goal=Goal(**({"epsilon": 1.0} if goal is None else goal)),
        **groups,
    )


CASES = {
    "plain": asked(),
    "pair": asked(adversaries={"pair": ['a\\:b:c "d"']}),
    "against": asked(adversaries={"against": "e\\f"}),
    "two adversaries": asked(adversaries={"belief": ["gaussian", "empirical"], "bootstrap": 1}),
    "by default": asked(adversaries={"belief": None, "pair": ['a\\:b:c "d"']}),
    "reference": asked(adversaries={"reference": Path("other's.csv")}),
    "public": asked(adversaries={"reference": Path("other's.csv"), "public_reference": True}),
    "small groups": asked(adversaries={"min_group": 12}),
    "delta": asked(goal={"epsilon": 0.7, "delta": 1.0 / 300.0, "mechanism": "gaussian"}),
    "odd number": asked(goal={"epsilon": 0.1 + 0.2}),
    "value": asked(goal={}, accuracy=Accuracy(accuracy=6.0)),
    "mean": asked(goal={}, accuracy=Accuracy(mean_within=0.7, confidence=0.9)),
    "mean, delta": asked(goal={"delta": 0.001}, accuracy=Accuracy(mean_within=0.7)),
    "scale": asked(goal={"epsilon": 1.0, "scale": 98.7}),
    "std": asked(goal={"epsilon": 1.0, "delta": 0.01, "mechanism": "gaussian", "scale": 43.21}),
    "scale alone": asked(goal={"scale": 7.5}),
    "scale alone, persons": asked(
        goal={"delta": 0.001, "scale": 7.5},
        adversaries={"belief": ["empirical"]},
        publishing=Publishing(person="id", rows_per_person=2),
    ),
    "kept": asked(publishing=Publishing(keep_unprotected=["to keep"], keep_order=True)),
    "persons": asked(
        adversaries={"belief": ["empirical"]}, publishing=Publishing(person="id", rows_per_person=2)
    ),
    "independent": asked(
        publishing=Publishing(person="id", rows_per_person=2, rows_are="independent")
    ),
    "first": asked(
        adversaries={"min_group": 10},
        publishing=Publishing(person="id", one_row="first", keep_unprotected=["to keep"]),
    ),
    "mean of each": asked(
        adversaries={"min_group": 10}, publishing=Publishing(person="id", one_row="mean")
    ),
    "persons, accuracy": asked(
        goal={"delta": 0.001},
        accuracy=Accuracy(accuracy=9.0),
        adversaries={"belief": ["empirical"]},
        publishing=Publishing(person="id", rows_per_person=2),
    ),
    "capped": asked(adversaries={"cap": "1.5:9"}),
    "processed": asked(publishing=Publishing(round_to=0.5, clip="-2.5:16")),
}
WITH_HOLES = {
    "keep": asked(adversaries={"missing": "keep"}),
    "drop": asked(adversaries={"missing": "drop"}, goal={}, accuracy=Accuracy(mean_within=0.7)),
}


RECODED = {
    "recode": asked(goal={"epsilon": 1.0, "mechanism": "recode"}),
    "all of it": asked(
        goal={"epsilon": 1.0, "mechanism": "recode"},
        recoding=HowRecoded(
            floor="none",
            wrong="2%",
            loss=["changed"],
            keep_histogram=False,
            edges=["0:12:3"],
        ),
    ),
    "nominal": asked(
        goal={"epsilon": 1.0, "mechanism": "recode"}, recoding=HowRecoded(floor="2", nominal=True)
    ),
    "auto": asked(goal={"epsilon": 1.0, "mechanism": "auto"}, adversaries={"cap": "0:11"}),
    "auto, clipped": asked(
        goal={"epsilon": 1.0, "mechanism": "auto"}, recoding=HowRecoded(edges=["-900,900"])
    ),
}


def same_everywhere(question: Asked, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the plan itself, the one that a command saved, and the one that a script used."""
    monkeypatch.chdir(folder)
    described = question.described(Silent())
    plan = question.plan(described, Silent())
    for line in commands(question, OUTPUT).splitlines():
        program, *words = shlex.split(line)
        assert program == "pufferfish"
        assert run(words) == Exit.DONE
    assert Plan.load(folder / "plan.json") == plan
    assert Record.load(folder / f"{OUTPUT}.record.json").plan == plan
    assert (folder / "report.html").exists()
    for each in folder.glob(f"{OUTPUT}*"):
        each.unlink()
    exec(compile(script(question, plan.calibration.scenario, OUTPUT), "script", "exec"), {})
    record = Record.load(folder / f"{OUTPUT}.record.json")
    assert record.plan == plan
    fewer = plan.missing == "drop" or plan.one_row is not None
    assert record.rows_published == (described.records if fewer else 120)


@pytest.mark.parametrize("case", CASES)
def test_command_and_script_give_the_same_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    write(tmp_path / NAME, 40)
    write(tmp_path / "other's.csv", 60)
    same_everywhere(CASES[case], tmp_path, monkeypatch)


@pytest.mark.parametrize("case", RECODED)
def test_also_of_recodings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    write(tmp_path / NAME, 40)
    monkeypatch.chdir(tmp_path)
    question = RECODED[case]
    plan = question.plan(question.described(Silent()), Silent())
    assert run(shlex.split(commands(question, OUTPUT).splitlines()[0])[1:]) == Exit.DONE
    assert Plan.load(tmp_path / "plan.json") == plan
    exec(compile(script(question, plan.calibration.scenario, OUTPUT), "script", "exec"), {})
    assert Record.load(tmp_path / f"{OUTPUT}.record.json").plan == plan


@pytest.mark.parametrize("case", WITH_HOLES)
def test_also_with_missing_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    write(tmp_path / NAME, 40, holes=True)
    same_everywhere(WITH_HOLES[case], tmp_path, monkeypatch)


@pytest.mark.parametrize("mark", ["-", "n/a $1"])
def test_also_with_marks_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    write(tmp_path / NAME, 40, holes=True, mark=mark)
    question = WITH_HOLES["drop"]
    question = replace(question, table=replace(question.table, na=["another", mark]))
    same_everywhere(question, tmp_path, monkeypatch)


def test_values_without_noise_are_asked_for_in_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / NAME, 40)
    question = asked(
        goal={"epsilon": 1.0, "delta": 0.9}, publishing=Publishing(allow_no_noise=True)
    )
    assert "--allow-no-noise" in commands(question, OUTPUT).splitlines()[0]
    same_everywhere(question, tmp_path, monkeypatch)


def test_what_is_as_by_default_is_not_said() -> None:
    for group in (Adversaries(), Goal(), HowRecoded(), Accuracy(), Publishing()):
        assert arguments(group) == []
    assert arguments(Goal(epsilon=1.0)) == ["--epsilon", "1"]
    assert arguments(Goal(epsilon=0.1 + 0.2)) == ["--epsilon", "0.30000000000000004"]
    assert arguments(HowRecoded(keep_histogram=False)) == ["--any-histogram"]
    assert arguments(Publishing(keep_unprotected=["a", "b"], round_to=0.5)) == [
        *("--keep-unprotected", "a", "--keep-unprotected", "b"),
        *("--round", "0.5"),
    ]


@pytest.mark.parametrize("name", ["-x.csv", "a[1].csv", "a *.csv"])
def test_a_file_with_an_odd_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write(tmp_path / name, 40)
    # What a pattern would find.
    write(tmp_path / "a1.csv", 20)
    write(tmp_path / "a b.csv", 20)
    monkeypatch.chdir(tmp_path)
    question = Asked(
        table=Table(file=name, column=["-amount $1"], secret=["who's kind"]),
        adversaries=Adversaries(belief=["empirical"]),
        goal=Goal(epsilon=1.0),
    )
    for line in commands(question, OUTPUT).splitlines():
        assert run(shlex.split(line)[1:]) == Exit.DONE
    record = Record.load(tmp_path / f"{OUTPUT}.record.json")
    assert record.rows_published == 120


def test_what_cannot_be_seen_is_spelled_out() -> None:
    """Pasted into a terminal it would act: end a paste, or the line."""
    label = "a\x1b[201~\x03; touch it\u202e'\\"
    text = commands(
        Asked(
            table=Table(file="t.csv", column=["x"], secret=["s"]),
            adversaries=Adversaries(against=label),
            goal=Goal(epsilon=1.0),
        ),
        OUTPUT,
    )
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    first = text.splitlines()[0].replace("pufferfish", "printf '%s\\n'", 1)
    done = subprocess.run(["bash", "-c", first], capture_output=True, check=True)
    assert f"--against\n{label}\n" in done.stdout.decode()
