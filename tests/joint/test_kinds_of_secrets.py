"""Secrets of every kind, from fit to record: whole numbers, truth values, classes, bands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pufferfish as pf

ROWS = 1200
EDGES = [30.0, 50.0]
CUT = [-100, 30, 50, 200]


def measured() -> Any:
    return np.random.default_rng(0).normal(40.0, 15.0, ROWS)


SECRETS: dict[str, Any] = {
    "whole numbers": np.arange(ROWS) % 3,
    "truth values": np.arange(ROWS) % 3 == 0,
    "intervals": pd.cut(pd.Series(measured()), CUT),
    "classes": pd.cut(pd.Series(measured()), CUT, labels=["low", "middle", "high"]),
    "bands": measured(),
}
NAMES: dict[str, set[Any]] = {
    "whole numbers": {0, 1, 2},
    "truth values": {True, False},
    "intervals": {"(-100, 30]", "(30, 50]", "(50, 200]"},
    "classes": {"low", "middle", "high"},
    "bands": {"<30", "[30,50)", ">=50"},
}


def table(kind: str) -> pd.DataFrame:
    """What is published says much about the secret."""
    secret = SECRETS[kind]
    groups = np.digitize(secret, EDGES) if kind == "bands" else pd.factorize(secret)[0]
    chance = np.random.default_rng(1).random(ROWS) < 0.75
    x = np.where(chance, np.array(["p", "q", "r"])[groups % 3], "q")
    return pd.DataFrame({"x": x, "s": secret})


def planned(data: Any, kind: str, **fields: Any) -> pf.Plan:
    asked: dict[str, Any] = {"edges": {"s": EDGES}} if kind == "bands" else {}
    beliefs = pf.fit_beliefs(data, column="x", secret="s", **asked)
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0), mechanism="recode", wrong=0.02)
    plan = pf.Plan(calibration=found, column="x", secret="s", **fields)
    again = pf.Plan.from_json(plan.to_json())
    assert again == plan
    return again


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("engine", ["pandas", "polars", "dict", "csv"])
def test_from_fit_to_record(kind: str, engine: str, tmp_path: Path) -> None:
    frame = table(kind)
    given: dict[str, Any] = {
        "pandas": frame,
        "polars": pl.from_pandas(frame.astype({"s": str}) if kind == "intervals" else frame),
        "dict": {"x": frame["x"].to_numpy(), "s": np.asarray(frame["s"].astype(str))}
        if kind in ("intervals", "classes")
        else {name: column.to_numpy() for name, column in frame.items()},
        "csv": tmp_path / "t.csv",
    }
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = given[engine]
    plan = planned(data, kind)
    assert set(map(str, plan.secrets)) == set(map(str, NAMES[kind]))
    output: Any = {"output": tmp_path / "out.csv"} if engine == "csv" else {}
    done = pf.release(data, plan, **output)
    assert done.record.rows_published == ROWS
    assert done.record.rows_unprotected == 0
    assert done.record.beliefs_from == "this table"
    shown = pd.read_csv(tmp_path / "out.csv") if output else done.frame
    assert list(getattr(shown, "columns", shown)) == ["x"]


@pytest.mark.parametrize("as_frame", [True, False])
def test_numbers_that_are_missing_are_no_secret(as_frame: bool) -> None:
    frame = table("bands")
    frame.loc[::7, "s"] = np.nan
    data = frame if as_frame else {name: column.to_numpy() for name, column in frame.items()}
    done = pf.release(data, planned(data, "bands"))
    assert done.record.rows_unprotected == len(frame.loc[::7])


def test_what_is_kept_unprotected_is_measured_against_bands() -> None:
    """The learners see the secret by its bands, so they find what another column says of it."""
    frame = table("bands")
    frame["tells"] = np.digitize(frame["s"], EDGES)
    done = pf.release(frame, planned(frame, "bands", keep_unprotected=("tells",)))
    assert done.record.reveals is not None
    assert done.record.reveals.found_percent > 90


def test_persons_have_one_band() -> None:
    frame = table("bands")
    frame["p"] = np.arange(ROWS) // 2
    with pytest.raises(pf.DataError, match="'p'"):
        pf.release(frame, planned(frame, "bands", person="p"))


def test_numbers_without_bands_are_refused() -> None:
    with pytest.raises(pf.DataError, match="bands"):
        pf.fit_beliefs(table("bands"), column="x", secret="s")
