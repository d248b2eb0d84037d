"""A cap moves values before the noise, for every kind of table, and before nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pufferfish as pf

CAP = (-2.5, 7.0)
VALUES = np.array([-1e9, -2.5, -2.5000001, 0.0, 6.999, 7.0, 7.001, 1e18] * 5)
SECRETS = np.repeat(["a", "b"], VALUES.size // 2)
MOVED = 20


@cache
def plan(**fields: Any) -> pf.Plan:
    """Noise too small to be seen beside the cap."""
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1e-6], [1.0])}
    missing = dict.fromkeys(laws, 0.3) if fields.get("missing") == "keep" else None
    belief = pf.Belief(laws, cap=CAP, missing=missing)
    calibration = pf.calibrate(pf.Scenario(belief), pf.Guarantee(5.0))
    return pf.Plan(
        calibration=calibration, column="x", secret="s", cap=CAP, keep_order=True, **fields
    )


def released(data: Any, folder: Path, chosen: pf.Plan) -> tuple[Any, pf.Record]:
    if not isinstance(data, Path):
        done = pf.release(data, chosen)
        frame = done.frame.collect() if isinstance(done.frame, pl.LazyFrame) else done.frame
        return np.asarray(frame["x"], dtype=float), done.record
    done = pf.release(data, chosen, folder / f"out{data.suffix}")
    read = pl.read_csv if data.suffix == ".csv" else pl.read_parquet
    return read(done.frame)["x"].to_numpy(), done.record


@pytest.mark.parametrize("kind", ["dict", "pandas", "lazy", "arrow", "csv", "parquet"])
def test_every_kind_of_table(kind: str, tmp_path: Path) -> None:
    columns = {"x": VALUES, "s": SECRETS}
    frame = pl.DataFrame(columns)
    data: Any = {
        "dict": columns,
        "pandas": pd.DataFrame(columns),
        "lazy": frame.lazy(),
        "arrow": frame.to_arrow(),
    }.get(kind, tmp_path / f"in.{kind}")
    if kind == "csv":
        frame.write_csv(data)
    if kind == "parquet":
        frame.write_parquet(data)
    found, record = released(data, tmp_path, plan())
    np.testing.assert_allclose(found, np.clip(VALUES, *CAP), rtol=0, atol=1e-3)
    assert record.rows_capped == MOVED
    assert record.column_std == pytest.approx(VALUES.std())


def test_a_value_too_large_for_the_noise_is_fine_once_it_is_capped() -> None:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1e-6], [1.0])}
    calibration = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(5.0))
    bare = pf.Plan(calibration=calibration, column="x", secret="s")
    with pytest.raises(pf.DataError, match="beyond"):
        pf.release({"x": VALUES, "s": SECRETS}, bare)
    pf.release({"x": VALUES, "s": SECRETS}, plan())


def test_infinite_values_are_refused_though_a_cap_would_move_them() -> None:
    with pytest.raises(pf.DataError, match="infinite"):
        pf.release({"x": np.array([0.0, np.inf]), "s": np.array(["a", "b"])}, plan())


def test_holes_stay_holes() -> None:
    values = np.where(np.arange(VALUES.size) % 5 == 0, np.nan, VALUES)
    done = pf.release({"x": values, "s": SECRETS}, plan(missing="keep"))
    np.testing.assert_array_equal(np.isnan(done.frame["x"]), np.isnan(values))
    assert done.record.rows_missing == 8


def test_cap_before_and_clip_after() -> None:
    chosen = plan(postprocess=(pf.Clip(-1.0, 6.0),))
    found, record = released({"x": VALUES, "s": SECRETS}, Path(), chosen)
    np.testing.assert_allclose(found, np.clip(VALUES, -1.0, 6.0), rtol=0, atol=1e-3)
    document = record.to_dict("public")
    assert document["cap"] == [-2.5, 7.0]
    assert document["postprocess"] == [{"clip": [-1.0, 6.0]}]


def test_a_record_comes_back_with_its_counts(tmp_path: Path) -> None:
    record = pf.release({"x": VALUES, "s": SECRETS}, plan()).record
    record.save(tmp_path / "record.json", "internal")
    again = pf.Record.load(tmp_path / "record.json")
    assert again.rows_capped == MOVED
    assert again.plan.cap == CAP
