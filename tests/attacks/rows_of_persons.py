"""Tables of persons with several rows, and the attacker who knows everything that is believed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import pufferfish as pf
from pufferfish.cli.app import run

KINDS = ["dict", "pandas", "polars", "lazy", "arrow", "csv", "parquet"]


def five_heights(persons: int = 2000, rows: int = 5) -> dict[str, Any]:
    """Each person repeats its height. Two groups are alike, but 1% of one are 210 cm tall."""
    generator = np.random.default_rng(5)
    sex = np.where(np.arange(persons) % 2 == 0, "f", "m")
    height = np.repeat(np.round(generator.normal(172.0, 5.0, persons // 2)), 2)
    height[np.flatnonzero(sex == "m")[: persons // 200]] = 210.0
    repeated = np.tile(np.arange(persons), rows)
    return {"id": repeated, "sex": sex[repeated], "height": height[repeated]}


def given(kind: str, table: dict[str, Any], folder: Path) -> Any:
    """The same table as any kind of frame or file."""
    frame = pd.DataFrame(table)
    if kind == "dict":
        return table
    if kind == "pandas":
        return frame
    if kind in ("polars", "lazy"):
        made = pl.from_pandas(frame)
        return made.lazy() if kind == "lazy" else made
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    if kind == "arrow":
        return arrow
    path = folder / f"table.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        pq.write_table(arrow, path, row_group_size=700)
    return path


def released(kind: str, table: dict[str, Any], plan: pf.Plan, folder: Path) -> pf.Release:
    """Release a table of any kind."""
    data = given(kind, table, folder)
    if kind in ("csv", "parquet"):
        return pf.release(data, plan, folder / f"out.{kind}", force=True)
    return pf.release(data, plan)


def typed(*words: object) -> int:
    """The exit code of a command."""
    try:
        return int(run([str(each) for each in words]))
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 1


def log_odds(
    first: Sequence[tuple[float, Sequence[float]]],
    second: Sequence[tuple[float, Sequence[float]]],
    scale: float,
    seen: np.ndarray,
) -> np.ndarray:
    """What the published rows of a person change the log-odds by, for who knows both joint laws.

    Args:
        first: Under one secret: probabilities, and the values of a person's rows.
        second: The same under the other.
        scale: Of the Laplace noise.
        seen: For each person its published rows.
    """

    def log_likelihood(law: Sequence[tuple[float, Sequence[float]]]) -> np.ndarray:
        weights = np.log([weight for weight, _ in law])
        rows = np.array([values for _, values in law], dtype=np.float64)
        exponents = weights[None, :] - np.abs(seen[:, None, :] - rows[None]).sum(axis=2) / scale
        top = exponents.max(axis=1, keepdims=True)
        return (top + np.log(np.exp(exponents - top).sum(axis=1, keepdims=True)))[:, 0]

    return log_likelihood(first) - log_likelihood(second)
