"""A Spark release beside the same Arrow-batch job with NumPy's (not private) noise.

One cluster of separate processes on this machine, five pairs of runs, one after the other.
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
from benchmarks.result import Result

ROWS = 20_000_000
FILES = 8
PAIRS = 5
RATIO = 1.5
SCALE = 5.0


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        session = _session(place)
        try:
            _write_table(place / "table")
            table = session.read.parquet(str(place / "table"))
            return [
                *_compared(place, table, ["o"], "in their places, one column kept", _kept),
                *_compared(place, table, [], "shuffled", _shuffled),
            ]
        finally:
            session.stop()


def _compared(
    place: Path, table: Any, keep: list[str], words: str, peer: Callable[[Any, str], None]
) -> list[Result]:
    plan = _plan(keep)
    ours: list[float] = []
    others: list[float] = []
    # One run of each first: starting processes and compiling is not what is measured.
    for number in range(PAIRS + 1):
        mine, theirs = place / f"ours-{words}-{number}", place / f"peer-{words}-{number}"
        ours.append(_seconds(partial(pf.release, table, plan, mine)))
        others.append(_seconds(partial(peer, table, str(theirs))))
    ratios = [one / other for one, other in zip(ours[1:], others[1:], strict=True)]
    middle = statistics.median(ratios)
    return [
        Result(
            what=f"Spark release, {ROWS:,} rows, {words}, median of {PAIRS}",
            ours=1e3 * statistics.median(ours[1:]),
            peer=1e3 * statistics.median(others[1:]),
            target=f"median ratio ≤ {RATIO} × (was {middle:.2f})",
            met=middle <= RATIO,
        )
    ]


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
    noised = table.select("x", "s").mapInArrow(_noised_alone, "x double")
    keyed = noised.withColumn("key", sql.rand())
    parts = table.sparkSession.sparkContext.defaultParallelism * 2
    ordered = keyed.repartition(parts, "key").sortWithinPartitions("key")
    ordered.select("x").write.parquet(target)


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
