"""All rows as batches, in their order, of any kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pufferfish.core.errors import InvalidInputError
from pufferfish.tables import Counting
from pufferfish.tables.coding import Coding
from pufferfish.tables.local.counting import every_row, row_count

BOTH = Counting(codings=(Coding(column="n", read="number"), Coding(column="t", read="label")))


@pytest.mark.parametrize("kind", ["dict", "frame", "lazy", "csv", "parquet", "folder"])
def test_rows_come_in_order(kind: str, tmp_path: Path) -> None:
    table = {"n": np.array([1.5, np.nan, 3.0]), "t": np.array(["a", "", "b"]), "u": [1, 2, 3]}
    frame = pl.DataFrame(table)
    given: Any = {"dict": table, "frame": frame, "lazy": frame.lazy()}.get(kind)
    if kind == "folder":
        frame[:2].write_csv(tmp_path / "1.csv")
        frame[2:].write_csv(tmp_path / "2.csv")
        given = tmp_path
    elif given is None:
        given = tmp_path / f"t.{kind}"
        # A number that is missing is empty in a CSV.
        holes = frame.with_columns(pl.col("n").fill_nan(None))
        holes.write_csv(given) if kind == "csv" else holes.write_parquet(given)
    batches = list(every_row(given, BOTH, ["NaN"] if kind == "folder" else ()))
    numbers = np.concatenate([each.numbers["n"] for each in batches])
    assert numbers[[0, 2]].tolist() == [1.5, 3.0]
    assert np.isnan(numbers[1])
    texts = [
        label
        for each in batches
        for label in np.array([*each.labels["t"].labels, None])[each.labels["t"].codes].tolist()
    ]
    assert texts == ["a", None, "b"]
    assert row_count(given, "u") == 3
    with pytest.raises(InvalidInputError, match="no column 'v'"):
        list(every_row(given, Counting(codings=(Coding(column="v", read="label"),))))
    with pytest.raises(InvalidInputError, match="no column 'v'"):
        row_count(given, "v")
