"""A column is counted once, whatever it comes from, and drawn as it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.report import columns
from pufferfish.report.columns import bars_of, count_column
from tests import seams

VALUES = [3.0, 1.0, 2.0, 2.0, float("nan"), 3.0, 3.0]


def as_file(folder: Path, name: str) -> Path:
    if name.endswith(".csv"):
        lines = ["o,x", *(f"u,{'' if np.isnan(each) else each}" for each in VALUES)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        pq.write_table(pa.table({"x": pa.array(VALUES, from_pandas=True)}), folder / name)
    return folder / name


@pytest.mark.parametrize("kind", ["list", "array", "t.csv", "t.parquet"])
def test_the_same_counts_from_everywhere(kind: str, tmp_path: Path) -> None:
    in_memory = {"list": VALUES, "array": np.array(VALUES)}
    source = in_memory[kind] if kind in in_memory else as_file(tmp_path, kind)
    found = count_column(source, "x")
    assert found is not None
    assert found.rows == 7
    assert found.group.values.tolist() == [1.0, 2.0, 3.0]
    assert found.group.counts.tolist() == [1, 2, 3]
    assert found.group.missing == 1
    assert found.values is not None
    assert found.values.tolist() == [3.0, 1.0, 2.0, 2.0, 3.0, 3.0]


def test_what_is_counted_or_absent_stays_as_it_is() -> None:
    found = count_column(VALUES, "x")
    assert count_column(found, "x") is found
    assert count_column(None, "x") is None


def test_a_long_column_is_counted_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    seams.put(monkeypatch, seams.VALUES_OF_A_REPORT, 5)
    found = count_column(VALUES, "x")
    assert found is not None
    assert found.values is None
    assert found.rows == 7


def test_whole_numbers_have_a_bar_each() -> None:
    whole, noised = np.repeat([1.0, 2.0, 5.0], [10, 20, 10]), np.linspace(-3.0, 9.0, 400)
    bars = bars_of(counted(noised), counted(whole))
    assert bars is not None
    assert bars.original is not None
    middles = 0.5 * (bars.edges[1:] + bars.edges[:-1])
    shares = dict(zip(middles.round(9).tolist(), bars.original.tolist(), strict=True))
    assert (shares[1.0], shares[2.0], shares[5.0]) == (0.25, 0.5, 0.25)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert bars.released.sum() + bars.beyond == pytest.approx(1.0)


def test_numbers_of_every_size_fall_in_equal_bins() -> None:
    values = np.random.default_rng(1).normal(0.0, 1.0, 5000)
    bars = bars_of(counted(values), None)
    assert bars is not None
    assert bars.original is None
    expected, _ = np.histogram(values, bins=bars.edges)
    assert bars.released == pytest.approx(expected / 5000)
    assert np.diff(bars.edges) == pytest.approx(np.diff(bars.edges)[0])
    assert bars.beyond < 0.02


@pytest.mark.parametrize("values", [[float("nan")] * 3, [2.0, 2.0, 2.0]])
def test_nothing_is_drawn_of_nothing(values: list[float]) -> None:
    assert bars_of(counted(values), None) is None


def counted(values: object) -> columns.CountedColumn:
    found = count_column(values, "x")
    assert found is not None
    return found


def test_a_column_that_is_not_numbers_is_refused() -> None:
    with pytest.raises(pf.DataError):
        count_column(np.array(["a"]), "x")
