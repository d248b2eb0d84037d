"""The release of a table and its ledger; a table that changes while it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pytest

import pufferfish as pf
from pufferfish.core.errors import DataError, InvalidInputError, UnsupportedError
from pufferfish.releases import release_with
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.tables.verbs import to_publish
from tests.joint.test_rows import ROWS, planned, table


@pytest.mark.parametrize("keep", [["sex"], []])
def test_a_table_is_charged_once(tmp_path: Path, keep: list[str]) -> None:
    ledger = tmp_path / "ledger.json"
    both = planned(["size", "code"], keep=keep)
    assert pf.release(table(), both, ledger=ledger).record.rows_published == ROWS
    charged = ledger.read_text()
    with pytest.raises(UnsupportedError, match="a second release of the same rows"):
        pf.release(table(), both, ledger=ledger)
    with pytest.raises(UnsupportedError, match="'size' would be drawn again"):
        pf.release(table(), planned(["size"]), ledger=ledger)
    beliefs = pf.fit_beliefs(table(), "age", "g", families=("empirical",))
    numbers = pf.Plan(
        calibration=pf.calibrate(pf.Scenario(beliefs, pairs=[("a", "b")]), pf.Guarantee(1.0)),
        column="age",
        secret="g",
        others=["c"],
    )
    with pytest.raises(UnsupportedError, match="release all of them together, by one plan"):
        pf.release(table(), numbers, ledger=ledger)
    assert ledger.read_text() == charged


def test_a_ledger_of_a_column_has_no_room_for_a_table(tmp_path: Path) -> None:
    beliefs = pf.fit_beliefs(table(), "age", "g", families=("empirical",))
    numbers = pf.Plan(
        calibration=pf.calibrate(pf.Scenario(beliefs, pairs=[("a", "b")]), pf.Guarantee(1.0)),
        column="age",
        secret="g",
        others=["c"],
    )
    pf.release(table(), numbers, ledger=tmp_path / "ledger.json")
    with pytest.raises(UnsupportedError, match="already has a release of this table"):
        pf.release(table(), planned(["size", "age"]), ledger=tmp_path / "ledger.json")


def test_a_refused_table_is_not_charged(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="fitted on another table"):
        pf.release(table().slice(1), planned(["size"]), ledger=tmp_path / "ledger.json")
    assert not (tmp_path / "ledger.json").exists()


def test_a_file_that_changes_before_it_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is compared with the beliefs are the rows that are drawn."""
    pc.write_csv(table().drop(["flag"]), tmp_path / "t.csv")
    plan = planned(["size", "code"], given=table())
    engine = to_publish(tmp_path / "t.csv", tmp_path / "out.csv", na=(), force=False)
    real = FilesEngine.transform

    def late(self: FilesEngine, *arguments: Any, **more: Any) -> Any:
        pc.write_csv(table().drop(["flag"]).slice(1), tmp_path / "t.csv")
        return real(self, *arguments, **more)

    monkeypatch.setattr(FilesEngine, "transform", late)
    with pytest.raises(DataError, match="fitted on another table"):
        release_with(engine, plan)
    assert not (tmp_path / "out.csv").exists()


def test_no_rows() -> None:
    with pytest.raises((DataError, InvalidInputError), match="no rows"):
        pf.release(table().slice(0, 0), planned(["size"]), beliefs_from_plan=True)
    assert isinstance(table(), pa.Table)
