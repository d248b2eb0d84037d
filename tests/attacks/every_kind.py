"""A record of each kind, of tables that are counted in a moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import pufferfish as pf

__all__ = ["RECORDS", "document"]

GOAL = pf.Guarantee(1.0)
COINS = [0.0, 1.0] * 20


def table() -> dict[str, Any]:
    """400 rows: numbers x, categories c and k, known g, persons p, secrets s and t."""
    row = np.arange(400)
    return {
        "x": ((row * 7919) % 11 + row % 2).astype(float),
        "c": np.array(["p", "q", "r"])[(row * 17 + (row % 2) * (row % 3 == 0)) % 3],
        "k": np.array(["u", "v", "w"])[(row * 31 + (row % 14 == 0)) % 3],
        "g": np.array(["m", "f"])[(row // 2 + (row % 10 == 0)) % 2],
        "p": row // 2,
        "s": np.array(["a", "b"])[row % 2],
        "t": np.array(["y", "z"])[(row // 4) % 2],
    }


def noised(
    data: Any = None,
    families: Any = ("gaussian", "empirical"),
    fitted: Any = None,
    how: Any = None,
    asked: Any = None,
    **fields: Any,
) -> pf.Release:
    """One column of numbers."""
    rows = table() if data is None else data
    names = {"column": "x", "secret": "s"} if fitted is None else {}
    beliefs = pf.fit_beliefs(
        rows if fitted is None else fitted, **names, families=families, min_group=1, **(how or {})
    )
    found = pf.calibrate(pf.Scenario(beliefs), GOAL, **(asked or {}))
    options = {name: fields.pop(name) for name in ("halves", "beliefs_from_plan") if name in fields}
    plan = pf.Plan(calibration=found, column="x", secret="s", **fields)
    return pf.release(rows, plan, **options)


def joint(
    columns: tuple[str, ...], secret: Any = "s", how: Any = None, asked: Any = None, **fields: Any
) -> pf.Release:
    """Several columns, or categories; `fields` of the plan."""
    beliefs = pf.fit_beliefs(
        table(), columns=list(columns), secret=secret, min_group=1, **(how or {})
    )
    found = pf.calibrate(pf.Scenario(beliefs), GOAL, **(RECODED if asked is None else asked))
    return pf.release(table(), pf.Plan(calibration=found, columns=columns, secret=secret, **fields))


RECODED: dict[str, Any] = {"mechanism": "recode", "floor": None, "wrong": 0.05}


def kept_and_capped() -> pf.Release:
    """Holes, a cap, a step, rows of another secret, and a column without protection."""
    rows = table()
    rows["x"][[0, 1, 50, 51, 100, 101]] = np.nan
    rows["s"] = rows["s"].astype(object)
    rows["s"][5:9] = "d"
    return noised(
        rows,
        ("empirical",),
        how={"cap": (0, 10), "only": ["a", "b"]},
        asked={"mechanism": "recode", "wrong": 0.1},
        keep_unprotected=["k"],
        cap=(0, 10),
        missing="keep",
        step=1.0,
        others=["d"],
    )


def by_person() -> dict[str, Any]:
    """Two rows of each person, whose secret tells something of independent values."""
    rows = table() | {"s": np.array(["a", "b"])[table()["p"] % 2]}
    rows["x"] = np.random.default_rng(5).integers(0, 9, 400) + 2.0 * (rows["p"] % 2)
    return rows


def several_rows() -> pf.Release:
    """Two independent rows of each person."""
    person = {"unit": "person", "person": "p", "rows_per_person": 2, "dependence": "independent"}
    return noised(by_person(), ("empirical",), **person)


def one_row() -> pf.Release:
    """The first row of each person, with a kept column."""
    rows = by_person()
    first = pf.summarise({each: rows[each][::2] for each in "xs"}, column="x", secret="s")
    person = {"unit": "person", "person": "p", "one_row": "first", "keep_unprotected": ["k"]}
    return noised(rows, ("empirical",), first, **person)


def half() -> pf.Release:
    """Beliefs fitted to the rows that are not released."""
    halves = pf.split_half(table(), column="x", secret="s")
    return noised(table(), ("empirical",), halves.fitted, halves=halves)


def another() -> pf.Release:
    """Beliefs fitted to another table."""
    fewer = {name: column[:380] for name, column in table().items()}
    other = pf.summarise(fewer, column="x", secret="s")
    return noised(table(), ("empirical",), other, beliefs_from_plan=True)


def total(users: Any, statistic: Any) -> Any:
    """A sum."""
    found = pf.calibrate_sum(users, GOAL)
    plan = pf.SumPlan(calibration=found, column="coin", statistic=statistic)
    return pf.release_sum(COINS, plan)


KNOWN: dict[str, Any] = {"known": ["g"]}
KEPT: dict[str, Any] = {"keep": ["g"]}

RECORDS: dict[str, Callable[[], Any]] = {
    "noise": noised,
    "public noise": lambda: noised(how={"provenance": "public"}),
    "recoded numbers": lambda: noised(
        None, ("empirical",), asked={"mechanism": "recode", "wrong": 0.02}
    ),
    "public recoding": lambda: noised(
        None,
        ("empirical",),
        how={"provenance": "public"},
        asked={"mechanism": "recode", "wrong": 0.02},
    ),
    "kept and capped": kept_and_capped,
    "several rows": several_rows,
    "one row": one_row,
    "half": half,
    "another table": another,
    "joint": lambda: joint(("k", "c"), keep_unprotected=["g"]),
    "public joint": lambda: joint(("k", "c"), how={"provenance": "public"}),
    "public rules": lambda: joint(
        ("x", "c"), how={"edges": {"x": [3.5, 7.5]}, "merged": {"c": {"r": "q"}}}
    ),
    "strata": lambda: joint(("c",), how=KNOWN, asked=RECODED | KEPT, **KEPT),
    "sampled strata": lambda: joint(
        ("c",),
        how=KNOWN | {"confidence": 0.5},
        asked=RECODED | KEPT | {"wrong": 0.0},
        **KEPT,
    ),
    "noise by strata": lambda: joint(
        ("x",),
        how=KNOWN | {"families": ("empirical",)},
        asked=KEPT,
        **KEPT,
    ),
    "known": lambda: joint(
        ("x",),
        how=KNOWN | {"families": ("empirical", "gaussian")},
        asked={},
        known=["g"],
    ),
    "secrets": lambda: joint(("c",), ["s", "t"]),
    "sum": lambda: total(pf.sums.identical(40, 0.5, 0.5), "sum"),
    "mean": lambda: total(pf.sums.identical(40, 0.5, 0.5), "mean"),
    "count": lambda: total(pf.sums.binary([0.5] * 40, provenance="public"), "count"),
}


@cache
def _made(name: str) -> Any:
    return RECORDS[name]().record


def document(name: str, edition: Any) -> dict[str, Any]:
    """An edition of a record, as it is read from a file."""
    read: dict[str, Any] = json.loads(json.dumps(_made(name).to_dict(edition)))
    return read
