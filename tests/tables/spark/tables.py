"""Tables and plans that several tests use."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import pufferfish as pf

PUBLIC = pf.Belief(
    {"a": pf.Gaussian(50.0, 20.0), "b": pf.Gaussian(52.0, 21.0), "c": pf.Gaussian(49.0, 20.0)},
    name="everybody",
    provenance="public",
)


@cache
def calibration(*, holes: bool) -> pf.Calibration:
    missing = dict.fromkeys("abc", 0.1) if holes else None
    belief = pf.Belief(PUBLIC.priors, name="everybody", provenance="public", missing=missing)
    return pf.calibrate(pf.Scenario([belief], pairs=[("a", "b")]), pf.Guarantee(1.0))


def plan(**choices: Any) -> pf.Plan:
    """A plan for the column x by s."""
    found = calibration(holes=choices.get("missing") == "keep")
    return pf.Plan(calibration=found, column="x", secret="s", **choices)


def columns(rows: int, seed: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    """x, s, and id, which numbers the rows."""
    generator = np.random.default_rng(seed)
    return {
        "id": np.arange(rows),
        "x": np.round(generator.normal(50.0, 20.0, rows), 1),
        "s": generator.choice(["a", "b", "c"], rows),
    }


def frame(session: Any, table: dict[str, Any], partitions: int = 3) -> Any:
    """A Spark frame, in several partitions."""
    import pyarrow as pa

    return session.createDataFrame(pa.table(table)).repartition(partitions)


def collected(released: Any, name: str = "x") -> np.ndarray[Any, Any]:
    """One column of a Spark frame."""
    column = released.toArrow().column(name)
    return np.asarray(column.to_numpy(zero_copy_only=False))
