"""Cells of any kind as bins, from what the rows for learning say."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from pufferfish.learning.features import BINS, column_numbers, features
from pufferfish.learning.matrix import matrix


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([1, 2.5, True, None], [1.0, 2.5, 1.0, np.nan]),
        (["1", " 2.5", "-3e2", "", None], [1.0, 2.5, -300.0, np.nan, np.nan]),
        ([Decimal("1.5"), 2], [1.5, 2.0]),
        ([timedelta(hours=1), None], [3600.0, np.nan]),
        ([time(1, 1, 1)], [3661.0]),
        ([float("nan"), 1.0], [np.nan, 1.0]),
    ],
)
def test_numbers_are_read_however_they_are_written(cells: list[Any], numbers: list[float]) -> None:
    found = column_numbers(cells)
    assert found is not None
    np.testing.assert_array_equal(found, numbers)


@pytest.mark.parametrize(
    "cells",
    [
        [date(2020, 1, 1), date(2020, 1, 2), date(2021, 1, 1)],
        ["2020-01-01", "2020-01-02", "2021-01-01"],
        [datetime(2020, 1, 1), datetime(2020, 1, 1, 5), datetime(2021, 1, 1)],
        ["2020-01-01T00:00:00Z", "2020-01-01T05:00:00Z", "2021-01-01T00:00:00Z"],
        [datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, 5, tzinfo=UTC), None],
    ],
)
def test_moments_are_in_their_order(cells: list[Any]) -> None:
    found = column_numbers(cells)
    assert found is not None
    assert np.all(np.diff(found[~np.isnan(found)]) > 0)


@pytest.mark.parametrize(
    "cells", [["a", "b"], ["1", "b"], [["list"], None], [b"bytes"], [object()], [1, "b"], [1j]]
)
def test_everything_else_is_a_category(cells: list[Any]) -> None:
    assert column_numbers(cells) is None
    train = np.ones(len(cells), dtype=bool)
    (found,) = features({"k": cells}, train, np.zeros(len(cells), dtype=np.int64))
    assert not found.ordered


def test_a_number_beyond_all_floats_is_a_category() -> None:
    assert column_numbers([10**400, 1]) is None


def mixed(rows: int) -> dict[str, list[Any]]:
    source = np.random.default_rng(0)
    return {
        "number": source.normal(size=rows).tolist(),
        "few": source.integers(0, 3, rows).tolist(),
        "text": [["u", "v", None][each] for each in source.integers(0, 3, rows)],
        "many": [f"id {each}" for each in source.integers(0, 900, rows)],
    }


def test_bins_are_small_whole_numbers() -> None:
    rows = 2000
    train = np.arange(rows) % 2 == 0
    found = features(mixed(rows), train, np.arange(rows) % 3 % 2)
    # The number; the few numbers, also as categories; the text; the many categories three times;
    # and those of few values together.
    ordered = [each.ordered for each in found]
    assert ordered == [True, True, False, False, False, True, True, False]
    for each in found:
        assert each.bins.shape == (rows,)
        assert each.bins.min() >= 0
        assert each.bins.max() < BINS
    assert np.unique(found[0].bins[train]).size > 100
    assert np.unique(found[-1].bins).size == 9


def test_bins_keep_the_order_of_numbers() -> None:
    values = np.random.default_rng(1).normal(size=500)
    train = np.arange(500) < 250
    (found,) = features({"x": values.tolist()}, train, np.zeros(500, dtype=np.int64))
    order = np.argsort(values)
    assert np.all(np.diff(found.bins[order]) >= 0)


def test_held_out_rows_say_nothing_before_the_test() -> None:
    """Neither their secrets nor their values move what the other rows look like."""
    rows = 2000
    train = np.arange(rows) % 2 == 0
    columns, target = mixed(rows), np.random.default_rng(2).integers(0, 2, rows)
    found = features(columns, train, target)
    turned = features(columns, train, np.where(train, target, 1 - target))
    assert all(
        np.array_equal(one.bins, other.bins) for one, other in zip(found, turned, strict=True)
    )
    moved = {
        **columns,
        "number": np.where(train, columns["number"], 1e6).tolist(),
    }
    again = features(moved, train, target)[0]
    assert np.array_equal(again.bins[train], found[0].bins[train])


def test_what_goes_with_a_category_is_counted_on_other_rows() -> None:
    """Names that occur once say nothing; counted on the row itself they would say everything."""
    rows = 1000
    train = np.arange(rows) < 500
    target = np.random.default_rng(3).integers(0, 2, rows)
    names = {"name": [f"name {each}" for each in range(rows)]}
    rates = features(names, train, target)[2].bins
    assert abs(np.corrcoef(rates[train], target[train])[0, 1]) < 0.2


def test_a_matrix_has_numbers_holes_and_categories() -> None:
    found = matrix({"x": [1.0, None, 3.0], "k": ["u", "v", "u"]}, 3)
    np.testing.assert_array_equal(found, [[1, 0, 1, 0], [2, 1, 0, 1], [3, 0, 1, 0]])
    assert matrix({}, 5).shape == (5, 0)
