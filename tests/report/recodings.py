"""Releases of recoded columns, for the tests of their pages."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import pufferfish as pf

ROWS = 2_000
_SOURCE = np.random.default_rng(2)
SECRETS = np.repeat(["rare-secret", "b"], [ROWS // 10, ROWS - ROWS // 10])
VALUES = _SOURCE.binomial(6, np.where(SECRETS == "b", 0.5, 0.65)).astype(float)
HOLED = np.where(_SOURCE.random(ROWS) < 0.1, np.nan, VALUES)
# What is asked, the promise, and whether values may be missing.
CASES: dict[str, tuple[dict[str, Any], pf.Guarantee, bool]] = {
    "floor of the noise": ({}, pf.Guarantee(0.5), False),
    "wrong laws": (
        {"floor": None, "wrong": 0.02, "keep_histogram": False, "loss": "absolute"},
        pf.Guarantee(0.5),
        False,
    ),
    "bins": ({"edges": (1.5, 2.5, 4.5)}, pf.Guarantee(0.5), False),
    "noise first": ({}, pf.Guarantee(0.5, 0.01), False),
    "holes": ({}, pf.Guarantee(0.5), True),
    "own loss": ({"loss": 1.0 - np.eye(7), "floor": 1.0, "wrong": 0.01}, pf.Guarantee(0.5), False),
}


@cache
def recoded(name: str, provenance: str | None = None) -> tuple[pf.Record, Any]:
    """The record, and the published column."""
    asked, goal, holes = CASES[name]
    table = {"x": HOLED if holes else VALUES, "s": SECRETS}
    belief = pf.fit_belief(table, column="x", secret="s", family="empirical")
    if provenance is not None:
        belief = pf.Belief(
            dict(belief.priors),
            name="reference",
            provenance=provenance,
            missing=dict(belief.missing),
            frequencies=belief.frequencies,
            frequencies_missing=belief.frequencies_missing,
        )
    found = pf.calibrate(pf.Scenario(belief), goal, mechanism="recode", **asked)
    plan = pf.Plan(calibration=found, column="x", secret="s", missing="keep" if holes else "refuse")
    done = pf.release(table, plan)
    return done.record, done.frame["x"]
