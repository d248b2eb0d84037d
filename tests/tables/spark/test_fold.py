"""Counting combinations on the cluster gives what counting here gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.tables import Counting
from pufferfish.tables.coding import Coding
from pufferfish.tables.spark.fold import spark_fold
from pufferfish.tables.verbs import category_orders, column_kinds, count
from tests.tables.local.test_counting import CODINGS, EXPECTED, GIVEN, NATURAL, TABLE
from tests.tables.spark.tables import frame

pytestmark = pytest.mark.xdist_group("spark")


def test_columns_of_every_type(spark: Any) -> None:
    there = frame(spark, GIVEN, 5)
    found = count(there, CODINGS)
    assert found.shown == EXPECTED.shown
    assert [list(map(type, each)) for each in found.shown] == [
        list(map(type, each)) for each in EXPECTED.shown
    ]
    np.testing.assert_array_equal(found.codes, EXPECTED.codes)
    np.testing.assert_array_equal(found.counts, EXPECTED.counts)
    assert found.fingerprint == EXPECTED.fingerprint
    assert column_kinds(there, list(GIVEN)) == NATURAL
    assert category_orders(there, list(GIVEN)) == {}


def test_whole_numbers_are_known_when_all_are(spark: Any) -> None:
    """One partition alone would take its numbers for whole ones."""
    ages = [Coding(column="age", read="number")]
    assert count(frame(spark, GIVEN), ages).fingerprint == count(TABLE, ages).fingerprint
    given = {"age": [1.0, 2.0, 2.5]}
    there = frame(spark, given, 1).repartitionByRange(3, "age")
    assert count(there, ages).fingerprint == count(given, ages).fingerprint


def test_refusals(spark: Any) -> None:
    number = Coding(column="x", read="number")
    there = frame(spark, {"x": np.append(np.arange(300.0), np.inf)})
    with pytest.raises(DataError, match="column 'x', a row: the entry is infinite"):
        count(there, [number])
    with pytest.raises(DataError, match=r"'x' have more than 200 combinations.*public edges"):
        spark_fold(there.where("x < 300"), Counting(codings=(number,), most_cells=200))
    with pytest.raises(DataError, match="no rows to count"):
        count(there.where("x < 0"), [number])
    with pytest.raises(InvalidInputError, match="no column 'y'"):
        count(there, [Coding(column="y", read="label")])
