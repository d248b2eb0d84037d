"""The kind that the library does not know, on a cluster; see `tests/door`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pytest

import pufferfish as pf
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.report import report
from pufferfish.tables.spark.session import read_table
from tests.door.swapped import SwapSession, plan
from tests.door.test_door import GIVEN, ROWS, check, plain
from tests.tables.spark.tables import frame

pytestmark = pytest.mark.xdist_group("spark")


def test_two_columns_on_a_cluster(spark: Any, tmp_path: Path) -> None:
    done = pf.release(frame(spark, GIVEN), plan(), tmp_path / "out")
    check(plain(done.frame.toArrow()), shuffled=True)
    assert done.record.rows == ROWS
    holes = zip(GIVEN["colour"], GIVEN["size"], strict=True)
    assert done.record.missing == sum(None in each for each in holes)
    assert done.record.reveals is not None
    assert "pyspark" in done.record.versions
    for edition in ("internal", "public"):
        done.record.save(tmp_path / f"{edition}.json", edition)
        assert pf.verify_record(tmp_path / f"{edition}.json").verdict is True
    assert "How colour and size were released" in report(tmp_path / "internal.json")


@pytest.mark.parametrize(("name", "value"), [("colour", "hazel"), ("size", 12.34)])
def test_a_value_outside_the_domain(spark: Any, tmp_path: Path, name: str, value: Any) -> None:
    given = {each: list(cells[:100]) for each, cells in GIVEN.items()}
    given[name][41] = value
    with pytest.raises(DataError, match=f"column '{name}', a row: .* not in the domain") as error:
        pf.release(frame(spark, given), plan(), tmp_path / "out")
    assert str(value) not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_folders_named_by_what_is_changed(spark: Any, tmp_path: Path) -> None:
    frame(spark, GIVEN).write.partitionBy("colour").parquet(str(tmp_path / "in"))
    table = spark.read.parquet(str(tmp_path / "in"))
    with pytest.raises(InvalidInputError, match="named by 'colour', which is changed"):
        pf.release(table, plan(keep_order=True), tmp_path / "out")
    assert pf.release(table, plan(), tmp_path / "out").record.rows == ROWS


@pytest.mark.heavy
def test_a_csv_and_the_order_of_its_rows(spark: Any, tmp_path: Path) -> None:
    """Texts stay texts, numbers are numbers, and persons are counted."""
    given = GIVEN | {"who": [f"person {row // 2}" for row in range(ROWS)], "group": ["a"] * ROWS}
    pc.write_csv(pa.table(given), tmp_path / "t.csv")
    chosen = plan(keep_order=True, person="who", rows_per_person=2)
    table = read_table(spark, str(tmp_path / "t.csv"), None, *SwapSession.reading(chosen))
    done = pf.release(table, chosen, tmp_path / "out")
    check(plain(done.frame.toArrow()))
    with pytest.raises(DataError, match="more than 1 row"):
        pf.release(table, plan(person="who"), tmp_path / "other")
