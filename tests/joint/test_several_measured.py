"""What a whole file reveals of several secrets, where a column is published without protection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pufferfish as pf
from pufferfish.joint.story import story

ROWS = 6000
# How often "tells" names the second secret.
RIGHT = 0.9
# Each secret by itself, or their combinations: then one that is missing must be a group.
HOW: dict[bool, dict[str, bool]] = {False: {}, True: {"jointly": True, "missing_secret": True}}


def told() -> pd.DataFrame:
    """Nothing says anything about r; "tells" says in 90% of rows what s is. Some have no r."""
    source = np.random.default_rng(12)
    second = source.integers(0, 2, ROWS)
    tells = np.where(source.random(ROWS) < RIGHT, second, 1 - second)
    return pd.DataFrame(
        {
            "x": source.integers(0, 4, ROWS),
            "tells": np.array(["p", "q"])[tells],
            "r": np.array(["a", "b", None], dtype=object)[
                source.choice(3, ROWS, p=[0.45, 0.45, 0.1])
            ],
            "s": np.array(["u", "v"])[second],
        }
    )


def plan_of(frame: Any, secret: Any, **asked: Any) -> pf.Plan:
    beliefs = pf.fit_beliefs(
        frame, columns=["x"], codes=["x"], secret=secret, families=("empirical",), **asked
    )
    found = pf.calibrate(
        pf.Scenario(beliefs), pf.Guarantee(1.0), mechanism="recode", floor=None, nominal=True
    )
    # Hardly anything is to be hidden, so that the map may leave the column as it is.
    return pf.Plan(
        calibration=found,
        columns=["x"],
        secret=secret,
        keep_unprotected=["tells"],
        allow_no_noise=True,
        **asked,
    )


def check(record: Any, secrets: set[str]) -> None:
    """An upper limit of 90%, with 95% confidence, of a pair that differs in s."""
    assert record.reveals is not None
    assert {*map(str, record.reveals.pair)} == secrets
    # Of 5,000 rows of each secret at most, half of them held out, it is some 2 points above.
    assert 100 * RIGHT - 1 <= record.reveals.found_percent <= 100 * RIGHT + 4
    (first, *_) = record.words["headline"]
    assert f"in up to {record.reveals.found_percent}% of rows it has not seen" in first
    assert f"a row has {record.reveals.pair.first!r} or {record.reveals.pair.second!r}" in first
    assert "was not measured" not in first


@pytest.mark.parametrize("engine", ["dict", "pandas", "polars", "csv"])
def test_the_second_secret_is_measured(engine: str, tmp_path: Path) -> None:
    frame = told()
    frame.to_csv(tmp_path / "t.csv", index=False)
    given: dict[str, Any] = {
        "dict": {name: column.to_numpy() for name, column in frame.items()},
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "csv": tmp_path / "t.csv",
    }
    output: Any = {"output": tmp_path / "out.csv"} if engine == "csv" else {}
    record = pf.release(given[engine], plan_of(given[engine], ["r", "s"]), **output).record
    check(record, {"s = u", "s = v"})
    for edition in ("internal", "public"):
        record.save(tmp_path / f"{edition}.json", edition)
        checks = pf.verify_record(tmp_path / f"{edition}.json").checks
        assert all(each.verdict is not False for each in checks)


def test_combinations_are_measured() -> None:
    record = pf.release(told(), plan_of(told(), ["r", "s"], **HOW[True])).record
    assert record.reveals is not None
    first, second = (str(each)[-1] for each in record.reveals.pair)
    assert first != second
    assert record.reveals.found_percent > 88


def test_a_missing_secret_that_is_a_group_is_measured() -> None:
    """Refutes a figure of 50%: "tells" is another where there is no secret."""
    frame = told()
    frame["tells"] = frame["r"].isna()
    record = pf.release(frame, plan_of(frame, "r", missing_secret=True)).record
    assert record.reveals is not None
    assert record.reveals.found_percent == 100
    assert "(missing)" in record.reveals.pair


def test_words_say_that_rows_may_have_no_secret() -> None:
    """In the headline of everybody, and to the curator: those in no pair have none here."""
    frame = told()
    record = pf.release(frame, plan_of(frame, "r")).record
    said = "of the published rows have no value of 'r' that is in a pair"
    assert any(f"10% {said}" in each or f"11% {said}" in each for each in record.words["headline"])
    assert f"{int(frame['r'].isna().sum()):,} {said}" in str(story(record))
