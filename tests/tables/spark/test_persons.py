"""Rows of one person on a cluster: seen, refused and reduced as on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from tests.attacks.rows_of_persons import five_heights
from tests.tables.spark.tables import collected, frame

pytestmark = pytest.mark.xdist_group("spark")

COLUMNS: dict[str, Any] = {"column": "height", "secret": "sex"}


def plan(table: Any, rows: int = 5, dependence: Any = "any", **fields: Any) -> pf.Plan:
    way = {} if "one_row" not in fields else {"person": "id", "one_row": fields["one_row"]}
    counted = pf.summarise(table, **COLUMNS, **way)
    scenario = pf.Scenario(pf.fit_beliefs(counted, families=["empirical"]))
    several = rows > 1 and dependence != "independent"
    return pf.Plan(
        calibration=pf.calibrate_rows(scenario, pf.Guarantee(1.0), rows, dependence)
        if several
        else pf.calibrate(scenario, pf.Guarantee(0.2)),
        **COLUMNS,
        unit="person",
        person="id",
        rows_per_person=rows,
        dependence=dependence,
        **fields,
    )


def test_five_equal_rows(spark: Any, tmp_path: Path) -> None:
    table = five_heights(400)
    there = frame(spark, table)
    for dependence in ("any", "equal"):
        done = pf.release(there, plan(table, 5, dependence), tmp_path / dependence)
        assert done.record.rows_published == 2000
    with pytest.raises(pf.DataError, match="not independent given the secret"):
        pf.release(there, plan(table, 5, "independent"), tmp_path / "out")
    table["height"][7] += 1.0
    with pytest.raises(pf.DataError, match="several values of 'height'"):
        pf.release(frame(spark, table), plan(table, 5, "equal"), tmp_path / "out")
    table["sex"][7] = "f" if table["sex"][7] == "m" else "m"
    for chosen in (plan(table, 5, "any"), plan(table, 5, "independent")):
        with pytest.raises(pf.DataError, match="several values of 'sex'"):
            pf.release(frame(spark, table), chosen, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_independent_rows_are_released(spark: Any, tmp_path: Path) -> None:
    table = five_heights(400)
    draw = np.random.default_rng(3)
    table["height"] = np.round(draw.normal(170.0, 9.0, 2000))
    done = pf.release(frame(spark, table), plan(table, 5, "independent"), tmp_path / "out")
    assert done.record.rows_tested
    assert "found nothing against it" in done.record.to_dict("public")["headline"][0]


@pytest.mark.heavy
def test_the_mean_of_each_person(spark: Any, tmp_path: Path) -> None:
    """To the last bit the mean that one machine finds, so that a plan fits both."""
    table = five_heights(400)
    draw = np.random.default_rng(4)
    table["height"] = table["height"] + draw.normal(size=2000)
    table["height"][(draw.random(2000) < 0.05) | (table["id"] == 3)] = np.nan
    there = frame(spark, table, 7)
    one, other = (
        pf.summarise(each, **COLUMNS, person="id", one_row="mean") for each in (table, there)
    )
    assert list(one.groups) == list(other.groups)
    for label, group in one.groups.items():
        np.testing.assert_array_equal(group.values, other.groups[label].values)
        np.testing.assert_array_equal(group.counts, other.groups[label].counts)
        assert group.missing == other.groups[label].missing
    present = {name: column[~np.isnan(table["height"])] for name, column in table.items()}
    done = pf.release(frame(spark, present, 7), plan(present, 1, one_row="mean"), tmp_path / "out")
    assert collected(done.frame, "height").size == 399
    assert done.record.rows_read == 399


def test_what_a_cluster_cannot_do(spark: Any, tmp_path: Path) -> None:
    table = five_heights(400)
    with pytest.raises(pf.InvalidInputError, match="has no first row"):
        pf.release(frame(spark, table), plan(table, 1, one_row="first"), tmp_path / "out")
    chosen = plan(table, 1, one_row="mean")
    table["sex"][7] = "f" if table["sex"][7] == "m" else "m"
    with pytest.raises(pf.DataError, match="several values of 'sex'"):
        pf.release(frame(spark, table), chosen, tmp_path / "out")
