"""Releases of small tables, for the tests of their pages."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import pufferfish as pf

ROWS = 2_400
# A secret that is in no pair, and that no belief names.
RARE = "rarissima"
OTHERS = (RARE,)


@cache
def table(seed: int = 3) -> dict[str, Any]:
    """Jobs and scores that depend on each other, on the sex, and on the secret."""
    source = np.random.default_rng(seed)
    sex = source.choice(["f", "m"], ROWS, p=[0.4, 0.6])
    secret = np.where(source.random(ROWS) < 0.2, "x", "y").astype(object)
    secret[:7] = RARE
    lift = 0.12 * (secret == "x") + 0.1 * (sex == "f")
    job = np.array(["clerk", "nurse", "<b>pilot</b>"])[
        (source.random(ROWS) < 0.5 + lift).astype(int) + (source.random(ROWS) < 0.2)
    ]
    score = source.binomial(4, 0.4 + lift + 0.2 * (job == "nurse"))
    return {"job": job, "score": score, "sex": sex, "s": secret}


def as_public(belief: pf.Belief) -> pf.Belief:
    """The same, called public."""
    return pf.Belief(
        dict(belief.priors),
        name=belief.name,
        provenance="public",
        frequencies=belief.frequencies,
        frequencies_missing=belief.frequencies_missing,
        columns=belief.columns,
        given=dict(belief.given),
        rules=belief.rules,
    )


@cache
def planned(
    columns: tuple[str, ...] = ("job", "score"),
    *,
    known: tuple[str, ...] = ("sex",),
    keep: tuple[str, ...] = ("sex",),
    one_law: bool = False,
    goal: tuple[float, float] = (0.5, 0.0),
    mechanism: str | None = "recode",
    public: bool = False,
    unprotected: tuple[str, ...] = (),
    **asked: Any,
) -> pf.Plan:
    """A plan; `one_law`: for all known values, although they are kept."""
    what: dict[str, Any] = {"columns": list(columns)} if mechanism else {"column": columns[0]}
    if known:
        what["known"] = list(known)
    beliefs = pf.fit_beliefs(table(), secret="s", only=["x", "y"], families=("empirical",), **what)
    if public:
        beliefs = [as_public(each) for each in beliefs]
    how: dict[str, Any] = {"wrong": 0.02, **asked} if mechanism else dict(asked)
    if mechanism:
        how["mechanism"] = mechanism
    if keep and not one_law:
        how["keep"] = list(keep)
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(*goal), **how)
    return pf.Plan(
        calibration=found,
        columns=list(columns),
        secret="s",
        known=list(known),
        keep=list(keep),
        keep_unprotected=list(unprotected),
        others=OTHERS,
    )


@cache
def _released(items: tuple[tuple[str, Any], ...]) -> Any:
    return pf.release(table(), planned(**dict(items)))


def released(**asked: Any) -> Any:
    """A release, made once."""
    return _released(tuple(sorted(asked.items())))
