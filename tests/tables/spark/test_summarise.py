"""Counting on the cluster gives what counting here gives."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import pufferfish as pf
from pufferfish.core.errors import DataError, InvalidInputError
from tests.tables.spark.tables import frame

pytestmark = pytest.mark.xdist_group("spark")


def assert_same(one: pf.Counts, other: pf.Counts) -> None:
    assert list(one.groups) == list(other.groups)
    assert [type(each) for each in one.groups] == [type(each) for each in other.groups]
    assert one.bin_width == other.bin_width
    for label, group in one.groups.items():
        np.testing.assert_array_equal(group.values, other.groups[label].values)
        np.testing.assert_array_equal(group.counts, other.groups[label].counts)
        assert group.missing == other.groups[label].missing


def test_adult_is_counted_and_fitted_and_certified_the_same(spark: Any) -> None:
    adult = pf.datasets.adult_education()
    there = frame(spark, adult, 7)
    names = {"column": "education-num", "secret": "race"}
    assert_same(pf.summarise(adult, **names), pf.summarise(there, **names))
    here, fitted = pf.fit_beliefs(adult, **names), pf.fit_beliefs(there, **names)
    pair = [("Black", "Asian-Pac-Islander")]
    one, other = (
        pf.calibrate(pf.Scenario(beliefs, pairs=pair), pf.Guarantee(1.0))
        for beliefs in (here, fitted)
    )
    assert one.certificate == other.certificate
    assert one.noise == other.noise


@pytest.mark.parametrize("secrets", [["u", "v"], [3, -4], [True, False]])
@pytest.mark.parametrize("most", [100_000, 300])
def test_values_that_need_bins_and_those_that_do_not(spark: Any, secrets: Any, most: int) -> None:
    generator = np.random.default_rng(most)
    rows = 20_000
    values = 1e3 * generator.standard_t(2, rows)
    values[generator.random(rows) < 0.02] = np.nan
    table = {"v": values, "k": np.array(secrets)[generator.integers(0, 2, rows)]}
    # Partitions with values of their own, so that each would choose bins of its own.
    there = frame(spark, table).repartitionByRange(4, "v")
    one = pf.summarise(table, column="v", secret="k", most_values=most)
    other = pf.summarise(there, column="v", secret="k", most_values=most)
    assert (one.bin_width > 0) is (most == 300)
    assert_same(one, other)
    assert one.fingerprint == other.fingerprint


def test_counted_rows_decimals_and_names_that_sql_would_misread(spark: Any) -> None:
    table = pa.table(
        {
            "a `b`.c": pa.array([Decimal("1.50"), None, Decimal("-2.25")], pa.decimal128(9, 2)),
            "select": ["x", "y", "x"],
            "n": [3, 4, 5],
        }
    )
    names = {"column": "a `b`.c", "secret": "select", "count": "n"}
    there = spark.createDataFrame(table)
    assert_same(pf.summarise(table, **names), pf.summarise(there, **names))


def test_refusals_name_the_column_and_no_cell(spark: Any) -> None:
    table = {"v": np.array([1.0, np.inf]), "k": ["u", "v"]}
    with pytest.raises(DataError, match="column 'v', a row: the entry is infinite"):
        pf.summarise(frame(spark, table, 1), column="v", secret="k")
    none = frame(spark, {"v": np.array([1.0]), "k": ["u"]}, 1).where("v > 5")
    with pytest.raises(DataError, match="no rows"):
        pf.summarise(none, column="v", secret="k")
    with pytest.raises(InvalidInputError, match=r"no column 'vv'.*Did you mean 'v'"):
        pf.summarise(frame(spark, table, 1), column="vv", secret="k")
    with pytest.raises(InvalidInputError, match="must hold text, whole numbers or truth values"):
        pf.summarise(frame(spark, {"v": [1.0], "k": [0.5]}, 1), column="v", secret="k")
