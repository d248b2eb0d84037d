"""Secrets that are probably slips are told before anything is published."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.cli.conftest import Typed

CALIBRATE = ("-c", "x", "-s", "s", "-e", "1", "--splits", "0", "--belief", "empirical")
GOAL = (*CALIBRATE, "--no-stress")


def people(path: Path, secrets: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["x", "s"])
        for k in range(420):
            which = k % len(secrets)
            out.writerow([(k // len(secrets)) % 7 + which, secrets[which]])


def beware(said: str) -> str:
    return " ".join(said.split("Promise", maxsplit=1)[0].split())


def test_two_spellings_of_one_group(typed: Typed, folder: Path) -> None:
    people(folder / "p.csv", ["Black", " Black ", "WHITE", "White", "Other"])
    said = typed("release", "p.csv", *GOAL, "-o", "out.csv")
    assert said.code == 0
    assert "' Black ' and 'Black' differ only in spaces or capitals" in beware(said.out)
    assert "'WHITE' and 'White' differ only in spaces or capitals" in beware(said.out)
    assert "'Other'" not in beware(said.out)


def test_a_spelling_that_no_pair_protects(typed: Typed, folder: Path) -> None:
    people(folder / "p.csv", ["Black", " Black ", "White"])
    said = typed("calibrate", "p.csv", *CALIBRATE, "--pair", "Black:White")
    assert "' Black ' and 'Black' differ only" in " ".join(said.out.split())


def test_a_mark_for_a_missing_value(typed: Typed, folder: Path) -> None:
    people(folder / "p.csv", ["Black", "White", "n/a"])
    said = typed("release", "p.csv", *GOAL, "-o", "out.csv")
    assert "'n/a' counts as a secret like any other" in beware(said.out)
    marked = typed("release", "p.csv", *GOAL, "-o", "out.csv", "--force", "--na", "n/a")
    assert marked.code == 0
    assert "n/a" not in marked.out


def test_with_several_secrets(typed: Typed, folder: Path) -> None:
    people(folder / "p.csv", ["Black", "White", "NA"])
    text = (folder / "p.csv").read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{'t' if k % 2 else 'r'}" for k, line in enumerate(text[1:])]
    (folder / "p.csv").write_text("\n".join(["x,s,town", *rows]) + "\n", encoding="utf-8")
    said = typed("release", "p.csv", *GOAL, "-s", "town", "-o", "out.csv")
    assert "'s = NA' counts as a secret like any other" in beware(said.out)
    assert "--na 'NA'." in beware(said.out)
