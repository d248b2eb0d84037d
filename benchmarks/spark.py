"""Spark releases compared with the same jobs without protection, in pairs of runs.

A column of numbers is compared with the same Arrow-batch job with NumPy's noise. A table of three
columns is compared with a join in plain Spark: the map is a table of slots, a row takes a slot of
its own by `rand`, and one of the slot's two outcomes by another. Neither peer is private, and
neither checks, counts, records or compares anything; both shuffle where ours does.

One cluster of separate processes on this machine. Ours draws in the executors, where the rows are.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

import pufferfish as pf
from benchmarks import joint
from benchmarks.result import Result
from pufferfish.sampling.alias import AliasTables

ROWS = 20_000_000
FILES = 8
PAIRS = 5
RATIO = 1.5
TABLE_ROWS = 1_000_000
TABLE_RATIO = 3.0
COLUMNS = ("education-num", "occupation", "income")
SCALE = 5.0


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        session = _session(place)
        try:
            _write_table(place / "table")
            table = session.read.parquet(str(place / "table"))
            return [
                *_columns(place, table, ["o"], "in their places, one column kept", _kept),
                *_columns(place, table, [], "shuffled", _shuffled),
                _table(place, session),
            ]
        finally:
            session.stop()


def _columns(
    place: Path, table: Any, keep: list[str], words: str, peer: Callable[[Any, str], None]
) -> list[Result]:
    what = f"Spark release, {ROWS:,} rows, {words}"
    return [_compared(place, partial(pf.release, table, _plan(keep)), partial(peer, table), what)]


def _table(place: Path, session: Any) -> Result:
    """Three columns together, one known column kept."""
    joint.make(str(place), TABLE_ROWS)
    plan = pf.Plan.from_json((place / "plan.json").read_text(encoding="utf-8"))
    # In as many partitions as the others.
    session.read.parquet(str(place / f"{TABLE_ROWS}.parquet")).repartition(FILES).write.parquet(
        str(place / "people")
    )
    table = session.read.parquet(str(place / "people"))
    made, size = _slots(plan)
    slots = session.createDataFrame(made).cache()
    return _compared(
        place,
        partial(pf.release, table, plan, beliefs_from_plan=True),
        partial(_joined, table, slots, size),
        f"Spark release, {TABLE_ROWS:,} rows, three columns together, one kept, shuffled",
        TABLE_RATIO,
    )


def _compared(
    place: Path,
    release: Callable[..., object],
    peer: Callable[[str], None],
    what: str,
    most: float = RATIO,
) -> Result:
    ours: list[float] = []
    others: list[float] = []
    # One run of each first: starting processes and compiling is not what is measured.
    for number in range(PAIRS + 1):
        mine, theirs = place / f"ours-{what}-{number}", place / f"peer-{what}-{number}"
        ours.append(_seconds(partial(release, output=mine)))
        others.append(_seconds(partial(peer, str(theirs))))
    ratios = [one / other for one, other in zip(ours[1:], others[1:], strict=True)]
    middle = statistics.median(ratios)
    return Result(
        what=f"{what}, median of {PAIRS}",
        ours=1e3 * statistics.median(ours[1:]),
        peer=1e3 * statistics.median(others[1:]),
        target=f"median ratio ≤ {most:g} × (was {middle:.2f})",
        met=middle <= most,
        note="Ratios: " + ", ".join(f"{each:.2f}" for each in sorted(ratios)),
    )


def _slots(plan: Any) -> tuple[pa.Table, int]:
    """For each value of each stratum its slots, where one ends, and its outcomes; and how many."""
    parts: list[tuple[Any, ...]] = []
    sizes: set[int] = set()
    for (sex,), part in plan.calibration.strata.items():
        law = part.mechanism
        tables = AliasTables.of(law.table, 62)
        sizes.add(tables.slots)
        edges = (tables.edges / 2.0**64).tolist()
        for number, (edge, other) in enumerate(zip(edges, tables.others.tolist(), strict=True)):
            row, slot = divmod(number, tables.slots)
            # A slot beyond the outcomes has the other alone.
            own = law.outputs[min(slot, len(law.outputs) - 1)]
            parts.append((sex, *law.values[row], slot, edge, *own, *law.outputs[other]))
    # All strata have as many here; else a row would have to look up how many there are.
    (size,) = sizes
    names = ["sex", *COLUMNS, "slot", "edge"]
    names += [f"{word} {name}" for word in ("own", "other") for name in COLUMNS]
    return pa.table(dict(zip(names, zip(*parts, strict=True), strict=True))), size


def _joined(table: Any, slots: Any, size: int, target: str) -> None:
    drawn = table.withColumn("slot", sql.floor(sql.rand() * size)).withColumn("u", sql.rand())
    same = [drawn[name].eqNullSafe(slots[name]) for name in ("sex", *COLUMNS)]
    found = drawn.join(sql.broadcast(slots), [*same, drawn["slot"] == slots["slot"]])
    new = [
        sql.when(drawn["u"] < slots["edge"], slots[f"own {name}"])
        .otherwise(slots[f"other {name}"])
        .alias(name)
        for name in COLUMNS
    ]
    _write_shuffled(found.select(drawn["sex"], *new), target)


def _plan(keep: list[str]) -> pf.Plan:
    laws = {secret: pf.Gaussian(50.0, 20.0 + number) for number, secret in enumerate("abc")}
    belief = pf.Belief(laws, provenance="public")
    calibration = pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0))
    return pf.Plan(
        calibration=calibration,
        column="x",
        secret="s",
        keep_unprotected=tuple(keep),
        keep_order=bool(keep),
    )


def _kept(table: Any, target: str) -> None:
    table.select("x", "s", "o").mapInArrow(_noised, "x double, o double").write.parquet(target)


def _shuffled(table: Any, target: str) -> None:
    _write_shuffled(table.select("x", "s").mapInArrow(_noised_alone, "x double"), target)


def _write_shuffled(rows: Any, target: str) -> None:
    keyed = rows.withColumn("key", sql.rand())
    parts = rows.sparkSession.sparkContext.defaultParallelism * 2
    ordered = keyed.repartition(parts, "key").sortWithinPartitions("key")
    ordered.drop("key").write.parquet(target)


def _noised(parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    generator = np.random.default_rng()
    for part in parts:
        values = part.column(0).to_numpy(zero_copy_only=False)
        values = values + generator.laplace(scale=SCALE, size=len(values))
        yield pa.RecordBatch.from_arrays([pa.array(values), part.column(2)], names=["x", "o"])


def _noised_alone(parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    generator = np.random.default_rng()
    for part in parts:
        values = part.column(0).to_numpy(zero_copy_only=False)
        values = values + generator.laplace(scale=SCALE, size=len(values))
        yield pa.RecordBatch.from_arrays([pa.array(values)], names=["x"])


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _session(place: Path) -> Any:
    here = str(Path(__file__).parents[1])
    library = str(Path(pf.__file__).parents[1])
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(place / "work"),
        "SPARK_LOCAL_DIRS": str(place / "local"),
    }
    session = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "2g")
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join([library, here]))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


def _write_table(folder: Path) -> None:
    folder.mkdir()
    generator = np.random.default_rng(ROWS)
    for number in range(FILES):
        rows = ROWS // FILES
        table = pa.table(
            {
                "x": generator.integers(0, 100, rows),
                "s": generator.choice(["a", "b", "c"], rows),
                "o": generator.normal(size=rows),
            }
        )
        pq.write_table(table, folder / f"part-{number:02d}.parquet")
