"""Counting combinations on the cluster gives what counting here gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.tables.coding import Coding
from pufferfish.tables.spark.crosstab import spark_crosstab
from pufferfish.tables.verbs import category_orders, column_kinds, crosstab
from tests.tables.local.test_crosstab import CODINGS, EXPECTED, GIVEN, NATURAL, TABLE
from tests.tables.spark.tables import frame

pytestmark = pytest.mark.xdist_group("spark")


def test_columns_of_every_type(spark: Any) -> None:
    there = frame(spark, GIVEN, 5)
    found = crosstab(there, CODINGS)
    assert found.labels == EXPECTED.labels
    assert [list(map(type, each)) for each in found.labels] == [
        list(map(type, each)) for each in EXPECTED.labels
    ]
    np.testing.assert_array_equal(found.codes, EXPECTED.codes)
    np.testing.assert_array_equal(found.counts, EXPECTED.counts)
    assert found.fingerprint == EXPECTED.fingerprint
    assert column_kinds(there, list(GIVEN)) == NATURAL
    assert category_orders(there, list(GIVEN)) == {}


def test_whole_numbers_are_known_when_all_are(spark: Any) -> None:
    """One partition alone would take its numbers for whole ones."""
    ages = [Coding(column="age", read="number")]
    assert crosstab(frame(spark, GIVEN), ages).fingerprint == crosstab(TABLE, ages).fingerprint
    given = {"age": [1.0, 2.0, 2.5]}
    there = frame(spark, given, 1).repartitionByRange(3, "age")
    assert crosstab(there, ages).fingerprint == crosstab(given, ages).fingerprint


def test_refusals(spark: Any) -> None:
    number = Coding(column="x", read="number")
    there = frame(spark, {"x": np.append(np.arange(300.0), np.inf)})
    with pytest.raises(DataError, match="column 'x', a row: the entry is infinite"):
        crosstab(there, [number])
    with pytest.raises(DataError, match=r"'x' have more than 200 combinations.*public edges"):
        spark_crosstab(there.where("x < 300"), [number], 200)
    with pytest.raises(DataError, match="no rows to count"):
        crosstab(there.where("x < 0"), [number])
    with pytest.raises(InvalidInputError, match="no column 'y'"):
        crosstab(there, [Coding(column="y", read="label")])
