"""A further engine is one class: all that a release does goes through its verbs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.core.errors import DataError
from pufferfish.releases import release_with
from pufferfish.tables import Change, Counting, Counts, Tally, verbs
from pufferfish.tables.arrays import array_batch, new_array
from pufferfish.tables.coding import Coding
from pufferfish.tables.engine import ColumnKind, Engine, Progress, Staged, Survey
from pufferfish.tables.local.engine import ArraysEngine, FilesEngine, FrameEngine
from pufferfish.tables.seen import NOBODY
from pufferfish.tables.spark.engine import SparkEngine


class Rows(list[dict[str, Any]]):
    """A table that no engine of the library knows: a list of rows."""


@dataclass(frozen=True)
class RowsEngine:
    """Reads and writes lists of rows, and notes what it was asked for."""

    rows: Rows
    asked: ClassVar[list[str]] = []
    published: list[Rows] = field(default_factory=list)
    library: ClassVar[str | None] = "hypothesis"
    once: ClassVar[bool] = False

    @classmethod
    def takes(cls, data: object) -> bool:
        return isinstance(data, Rows)

    @classmethod
    def to_read(cls, data: Any, *, na: Sequence[str]) -> RowsEngine:
        return cls(data)

    @classmethod
    def to_publish(cls, data: Any, output: Any, *, na: Sequence[str], force: bool) -> RowsEngine:
        return cls(data)

    def _arrays(self, *names: str) -> dict[str, Any]:
        return {name: np.array([row[name] for row in self.rows]) for name in names}

    def fold(self, what: Counting, check: Any = None, progress: Any = None) -> Counts:
        self.asked.append("fold")
        batch = array_batch(self._arrays(*what.names), what.numbers, what.secret, what.labels)
        tally = Tally(what)
        if check is not None:
            check(batch, 0)
        tally.add(batch)
        return tally.result()

    def names(self) -> tuple[str, ...]:
        self.asked.append("names")
        return tuple(self.rows[0])

    def kinds(self, names: Sequence[str]) -> dict[str, ColumnKind]:
        self.asked.append("kinds")
        return {name: ColumnKind("label" if name == "s" else "number") for name in names}

    def survey(self, how: Change) -> Survey | None:
        self.asked.append("survey")
        return None

    def transform(
        self, how: Change, survey: Survey | None, progress: Progress | None = None
    ) -> AbstractContextManager[Rows]:
        self.asked.append("transform")
        batch = array_batch(self._arrays(*how.read), how.numbers, how.secret, how.labels)
        changed = how.change(batch, 0)
        how.account(changed)
        columns = {name: new_array(each).tolist() for name, each in changed.columns.items()}
        cells = zip(*columns.values(), strict=True)
        return nullcontext(Rows([dict(zip(columns, each, strict=True)) for each in cells]))

    @contextmanager
    def publish(self, changed: Rows, how: Change) -> Iterator[Staged]:
        self.asked.append("publish")
        how.finish(NOBODY)
        assert how.order is not None
        rows = Rows([changed[row] for row in how.order(len(changed))])
        digest = hashlib.sha256(str(rows).encode()).hexdigest()
        yield Staged(sha256=digest, checksum_of="column", name=None, table=self.published.pop)
        self.published.append(rows)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The verbs that a further engine was asked for."""
    monkeypatch.setattr(verbs, "ENGINES", (RowsEngine, *verbs.ENGINES))
    monkeypatch.setattr(RowsEngine, "asked", [])
    return RowsEngine.asked


def table(count: int = 400) -> Rows:
    source = np.random.default_rng(3)
    values, secrets = source.normal(50.0, 20.0, count).round(1), source.choice(["a", "b"], count)
    pairs = zip(values.tolist(), secrets.tolist(), strict=True)
    return Rows([{"x": value, "s": secret} for value, secret in pairs])


def plan(rows: Rows) -> pf.Plan:
    """With beliefs that say that they were fitted on this table."""
    beliefs = pf.fit_beliefs(rows, "x", "s", ["gaussian"])
    calibration = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    return pf.Plan(calibration=calibration, column="x", secret="s")


def test_a_further_engine_is_one_class(asked: list[str], tmp_path: Path) -> None:
    rows = table()
    chosen = plan(rows)
    assert asked == ["kinds", "fold"]
    done = pf.release(rows, chosen, ledger=tmp_path / "ledger.json")
    assert asked[2:] == ["survey", "fold", "transform", "publish"]
    assert isinstance(done.frame, Rows)
    assert done.record.rows_published == len(done.frame) == len(rows)
    assert done.record.order == "random"
    assert done.record.beliefs_from == "this table"
    assert "hypothesis" in done.record.versions
    assert done.record.sha256 == hashlib.sha256(str(done.frame).encode()).hexdigest()
    assert {row["x"] for row in done.frame} != {row["x"] for row in rows}


def test_a_further_engine_counts_combinations(asked: list[str]) -> None:
    rows = table()
    kinds = verbs.column_kinds(rows, ["x", "s"])
    assert kinds == {"x": "number", "s": "label"}
    chosen = [
        Coding(column="s", read="label"),
        Coding(column="x", read="number", edges=(50.0,), names=("low", "high")),
    ]
    found = verbs.count(rows, chosen)
    assert found.labels == (("a", "b"), ("low", "high"))
    assert found.rows == len(rows)
    assert asked == ["kinds", "fold"]


def test_another_table_is_refused_before_anything_is_drawn(asked: list[str]) -> None:
    chosen = plan(table())
    with pytest.raises(DataError, match="fitted on another table"):
        pf.release(table(399), chosen)
    assert "transform" not in asked


def test_what_cannot_be_recorded_is_not_published(asked: list[str]) -> None:
    rows = table()
    engine = RowsEngine(rows)

    def fails(record: pf.Record) -> None:
        raise OSError("no room for the record")

    with pytest.raises(OSError, match="no room"):
        release_with(engine, plan(rows), save=fails)
    assert engine.published == []


@pytest.mark.parametrize("kind", [ArraysEngine, FilesEngine, FrameEngine, SparkEngine])
def test_the_engines_have_one_shape(kind: type[Engine]) -> None:
    wanted = {name for name in vars(Engine) if not name.startswith("_")}
    assert {"fold", "survey", "transform", "publish"} < wanted
    assert wanted <= set(dir(kind))
    assert kind in verbs.ENGINES


def test_every_table_has_its_engine() -> None:
    for data, kind in (("t.csv", FilesEngine), (Path("t.csv"), FilesEngine), ({}, ArraysEngine)):
        assert type(verbs.to_read(data)) is kind
    # Whatever else there is: narwhals says whether it is a frame.
    assert type(verbs.to_read(3)) is FrameEngine


def test_every_engine_names_its_columns(tmp_path: Path) -> None:
    arrays = {"b": np.array([1.0, 2.0]), "a": np.array(["x", "y"])}
    (tmp_path / "t.csv").write_text("b,a\n1,x\n2,y\n")
    folder = tmp_path / "year=2024"
    folder.mkdir()
    (folder / "part.csv").write_text("b,a\n1,x\n")
    frame = pytest.importorskip("polars").DataFrame(arrays)
    for table in (arrays, frame, frame.lazy(), tmp_path / "t.csv"):
        assert verbs.to_read(table).names() == ("b", "a")
    assert verbs.to_read(str(tmp_path / "*" / "part.csv")).names()[:2] == ("b", "a")
