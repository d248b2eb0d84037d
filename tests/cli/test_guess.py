"""A promise by accuracy on the command line: calibrate, release, verify."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.insight.guesses import accuracy_allowed
from tests.cli.conftest import Said, Typed

COLUMNS = ("t.csv", "-c", "x", "-s", "s", "--belief", "empirical")
GUESS = (*COLUMNS, "--guess", "60%")


@pytest.mark.parametrize(
    "how",
    [
        (),
        ("--mechanism", "gaussian"),
        ("--mechanism", "auto"),
        ("--mechanism", "recode", "--floor", "none", "--wrong", "1%"),
    ],
)
def test_plan_record_and_verify_carry_it(typed: Typed, how: tuple[str, ...]) -> None:
    said = typed("release", *GUESS, *how, "-o", "out.csv")
    assert said.code == 0
    words = " ".join(said.out.split())
    three = "each of 3 pairs of secrets ('a', 'b' and 'c')"
    assert f"the best guess between {three} is right in at most 60%" in words
    checked = typed("verify", "out.csv.record.json")
    assert checked.code == 0
    assert "keeps guess ≤ 60%" in checked.out
    # A record that claims more is found out.
    path = Path("out.csv.record.json")
    record = json.loads(path.read_text(encoding="utf-8"))
    record["plan"]["goal"]["delta"] = 0.02
    path.write_text(json.dumps(record), encoding="utf-8")
    assert typed("verify", "out.csv.record.json").code != 0


def test_what_it_implies_is_said(typed: Typed) -> None:
    said = typed("calibrate", *GUESS, "--splits", "0")
    assert "the least ε (with δ = 0) is" in " ".join(said.out.split())
    found = typed("calibrate", *GUESS, "--splits", "0", "--json").json["guess"]
    assert found["promised"] == 0.6
    assert 0.5 < found["at_most"] <= 0.6
    assert 1.0 < found["implied_epsilon"] < 10.0
    assert found["delta_at_epsilon_1"] < 0.2
    # Two normal laws with other means: their ratio has no bound.
    normal = ("--belief", "gaussian", "--mechanism", "gaussian", "--guess", "60%", "--splits", "0")
    wild = typed("calibrate", *COLUMNS[:5], *normal)
    assert "∞: some value may reveal the secret" in " ".join(wild.out.split())


def test_a_table_is_promised_by_accuracy(typed: Typed, folder: Path) -> None:
    (folder / "c.csv").write_text(
        "s,job\n" + "a,x\n" * 60 + "a,y\n" * 40 + "b,x\n" * 30 + "b,y\n" * 70, encoding="utf-8"
    )
    job = ("c.csv", "-c", "job", "-s", "s", "--guess", "0.55", "--wrong", "1%")
    assert typed("release", *job, "-o", "out.csv").code == 0
    assert "keeps guess ≤ 55%" in typed("verify", "out.csv.record.json").out
    assert typed("calibrate", *job, "--json").json["guess"]["at_most"] <= 0.55


@pytest.mark.parametrize(
    ("more", "why"),
    [
        # log(0.6/0.4), and log(0.5/0.4) where δ takes its part.
        (("-e", "1"), "give --epsilon 0.4054 without --guess, which keeps both"),
        (("-e", "1", "-d", "0.1"), "give --epsilon 0.2231 without --guess, which keeps both"),
        (("-e", "0.4"), "leave out --guess, which --epsilon 0.4 implies"),
        (("-e", "0.1", "-d", "0.2"), "no ε implies that a guess is right in at most 60% of cases"),
        (("-d", "0.1"), "leave out --delta"),
        (("--accuracy", "3"), "give --epsilon or --scale"),
        (
            ("--person", "id", "--rows-per-person", "2", "--rows-are", "independent"),
            "--guess is about one row",
        ),
    ],
)
def test_what_does_not_go_with_it(
    refused: Callable[..., Said], more: tuple[str, ...], why: str
) -> None:
    assert why in refused("calibrate", *GUESS, *more).err


@pytest.mark.parametrize("share", ["50%", "1", "150%", "often"])
def test_what_is_no_share(refused: Callable[..., Said], share: str) -> None:
    assert "0.6" in refused("calibrate", *COLUMNS, "--guess", share).err


@pytest.mark.parametrize(("delta", "told"), [(0.0, 0.4054), (0.1, 0.2231)])
def test_the_epsilon_that_is_named_keeps_both(delta: float, told: float) -> None:
    """The largest with four digits: a little more allows better guesses."""
    assert accuracy_allowed(pf.Guarantee(told, delta)) <= 0.6
    assert accuracy_allowed(pf.Guarantee(told + 1e-4, delta)) > 0.6
