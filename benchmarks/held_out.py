"""What a promise of ε = 1 becomes on rows that were not used: `make held-out`, an hour.

Five columns of UCI Adult are split at random, again and again. Mechanisms are fitted to one half;
the other half says what ε it finds. Each entry is the median error of a published value, in
brackets the median ε of the other half and in how many splits it was at most 1. A second table is
about categories and several columns: the share of rows that stay as they are, and the root of the
mean loss. The third one chooses `wrong` as `--held-out 95%` does, and tells in how many of 100
fresh splits the promise holds then, next to a recoding without slack and the least Laplace noise.
It measures no time, so it is no benchmark. One entry by itself:

    pufferfish calibrate adult.csv -c education-num -s race --belief empirical -e 1 \\
        --mechanism recode --floor none --any-histogram --wrong 0.03 --splits 20 --json
"""

import argparse
import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pufferfish as pf
from pufferfish import datasets

DATA = Path(__file__).parents[1] / "tests" / "data"
GOAL = pf.Guarantee(1.0)
SPLITS, FRESH = 20, 100
# Without a floor, and without frequencies to be kept: the least error that a recoding can have.
BARE: dict[str, Any] = {"mechanism": "recode", "floor": None, "keep_histogram": False}
COLUMNS: dict[str, dict[str, Any]] = {
    "least Laplace": {},
    "remapped noise": {"mechanism": "recode"},
    "wrong by 1%": {**BARE, "wrong": 0.01},
    "by 3%": {**BARE, "wrong": 0.03},
    "by 5%": {**BARE, "wrong": 0.05},
    "nominal": {**BARE, "nominal": True},
}


class Case(NamedTuple):
    """A column against a secret; `noise`: without laws that may be wrong, which take minutes."""

    name: str
    counts: pf.Counts
    pairs: list[tuple[str, str]] | None = None
    noise: bool = False


# What is published together, against which secret.
TABLES: dict[str, tuple[list[str], str]] = {
    "occupation, sex": (["occupation"], "sex"),
    "(education-num, income), race, all pairs": (["education-num", "income"], "race"),
    "(education-num, occupation), sex": (["education-num", "occupation"], "sex"),
}
# For which `wrong` is chosen, and judged by fresh splits.
CHOSEN = (
    ("education-num", "race"),
    ("occupation", "sex"),
    ("age", "sex"),
    ("capital-gain", "sex"),
    ("hours-per-week", "sex"),
)


def cases() -> list[Case]:
    race = pf.summarise(datasets.adult_education(), column="education-num", secret="race")
    return [
        Case("education-num, race, one pair", race, [("Black", "Asian-Pac-Islander")]),
        Case("education-num, race, all pairs", race),
        Case("hours-per-week, sex", _by_sex("hours-per-week")),
        Case("age, race, all pairs", _counted("adult_age_by_race.csv", "age", "race")),
        Case("capital-gain, sex", _by_sex("capital-gain"), noise=True),
    ]


def _by_sex(column: str) -> pf.Counts:
    rows = [row for row in _rows("adult_by_sex.csv") if row["column"] == column]
    return _summary(column, "sex", [(row["sex"], row["value"], row["count"]) for row in rows])


def _counted(file: str, column: str, secret: str) -> pf.Counts:
    cells = [(row[secret], row[column], row["count"]) for row in _rows(file)]
    return _summary(column, secret, cells)


def _summary(column: str, secret: str, cells: list[tuple[str, str, str]]) -> pf.Counts:
    secrets, values, counts = zip(*cells, strict=True)
    return pf.Counts.from_counts(
        secrets, map(float, values), map(int, counts), column=column, secret=secret
    )


def _rows(file: str) -> Iterator[dict[str, str]]:
    with (DATA / file).open(newline="", encoding="utf-8") as text:
        yield from csv.DictReader(text)


def measured(case: Case, splits: int) -> Iterator[str]:
    """The entries of a row, one after the other."""
    pooled = case.counts.pooled
    mean = float(np.average(pooled.values, weights=pooled.counts))
    std = float(np.sqrt(np.average((pooled.values - mean) ** 2, weights=pooled.counts)))
    yield case.name
    yield f"{std:.4g}"
    belief = pf.fit_belief(case.counts, family="empirical", min_group=1)
    scenario = pf.Scenario(belief, case.pairs)
    for asked in COLUMNS.values():
        if case.noise and "wrong" in asked:
            yield ""
            continue
        yield _entry(pf.held_out(scenario, GOAL, splits=splits, **asked))


def _entry(found: pf.HeldOut) -> str:
    return f"{found.rmse:.4g} ({found.epsilon:.2f}, {found.held}/{len(found.splits)})"


def measured_table(name: str, splits: int) -> Iterator[str]:
    """The entries of a row about categories."""
    columns, secret = TABLES[name]
    scenario = pf.Scenario(pf.fit_beliefs(datasets.adult(), columns=columns, secret=secret))
    whole = pf.calibrate(scenario, GOAL, nominal=True, **BARE)
    law, figures = whole.mechanism, whole.recode
    if not isinstance(law, pf.Recoding) or figures is None:
        raise TypeError("a recoding was asked for")
    yield name
    yield f"{len(law.values):,}"
    yield f"{figures.unchanged:.1%}, {figures.rmse:.3g}"
    yield _table_entry(pf.held_out(scenario, GOAL, splits=splits, nominal=True, **BARE))
    yield _table_entry(pf.held_out(scenario, GOAL, splits=splits, wrong=0.05, **BARE))


def _table_entry(found: pf.HeldOut) -> str:
    held = f"{found.epsilon:.2f}, {found.held}/{len(found.splits)}"
    return f"{found.unchanged:.1%}, {found.rmse:.3g} ({held})"


def chosen(column: str, secret: str, fresh: int) -> Iterator[str]:
    """The entries of a row about the choice of `wrong`."""
    belief = pf.fit_belief(datasets.adult(), column, secret, "empirical", min_group=1)
    scenario = pf.Scenario(belief)
    yield f"{column}, {secret}"
    best = pf.wrong_that_holds(scenario, GOAL, seed=1, **BARE)
    yield f"{best.wrong:g}"
    yield f"{len(best.splits)}"
    yield _held(pf.held_out(scenario, GOAL, splits=fresh, seed=2, wrong=best.wrong, **BARE))
    yield _held(pf.held_out(scenario, GOAL, splits=fresh, seed=2, nominal=True, **BARE))
    if belief.labelled:
        yield "-"
        return
    yield _held(pf.held_out(scenario, GOAL, splits=fresh, seed=2))


def _held(found: pf.HeldOut) -> str:
    return f"{found.rmse:.4g} ({found.epsilon:.2f}), {found.held}/{len(found.splits)}"


def print_table(head: list[str], rows: Iterable[Iterator[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        for place, entry in enumerate(row):
            print("| " if not place else " | ", entry, sep="", end="", flush=True)
        print(" |")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.held_out", description=__doc__)
    parser.add_argument("--splits", type=int, default=SPLITS, help="how many splits of each column")
    parser.add_argument("--fresh", type=int, default=FRESH, help="fresh splits after a choice")
    parser.add_argument("--only", choices=["columns", "tables", "chosen"], help="only one table")
    asked = parser.parse_args()
    if asked.only in (None, "columns"):
        head = ["column, secret", "std", *COLUMNS]
        print_table(head, (measured(case, asked.splits) for case in cases()))
    if asked.only in (None, "tables"):
        head = ["columns, secret", "combinations", "nominal, same rows", "nominal, other half"]
        head += ["wrong by 5%, other half"]
        print_table(head, (measured_table(name, asked.splits) for name in TABLES))
    if asked.only in (None, "chosen"):
        head = ["column, secret", "wrong", "splits it took", "held out", "nominal", "least Laplace"]
        print_table(head, (chosen(*each, asked.fresh) for each in CHOSEN))


if __name__ == "__main__":
    main()
