"""The release pass on files of ten and a hundred million rows, beside Polars with NumPy's noise.

NumPy's noise is not private: it is what somebody would write who does not know better.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from benchmarks.result import Result

ROWS = 10_000_000
MANY_ROWS = 100_000_000
RATIO = 2.5
MEMORY_MIB = 1024
# How much more memory ten times the rows may take.
FLAT = 1.25
_BATCH = 1 << 20

# In processes of their own, so that their peak memory is their own too.
MEASURED = """
taken, busy = time.perf_counter() - start, time.process_time() - busy
# Unlike getrusage, this does not count the memory of the process that started this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(1e3 * taken, int(peak.split()[1]) / 1024, busy / taken)
"""
_OURS = f"""
import sys, time
import pufferfish as pf
source, target, keep = sys.argv[1:]
laws = {{secret: pf.Gaussian(50.0, 20.0 + number) for number, secret in enumerate("abc")}}
belief = pf.Belief(laws, provenance="public")
calibration = pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0))
plan = pf.Plan(
    calibration=calibration,
    column="x",
    secret="s",
    keep_unprotected=keep.split(),
    keep_order=bool(keep),
)
start, busy = time.perf_counter(), time.process_time()
pf.release(source, plan, target)
{MEASURED}"""
_IN_MEMORY = f"""
import sys, time
import numpy as np, polars as pl
source, target, keep = sys.argv[1:]
start, busy = time.perf_counter(), time.process_time()
generator = np.random.default_rng()
read = pl.read_parquet if source.endswith("parquet") else pl.read_csv
frame = read(source, columns=["x", "s", *keep.split()])
values = frame["x"].to_numpy() + generator.laplace(scale=5.0, size=len(frame))
if keep:
    result = frame.select("o").with_columns(pl.Series("x", values))
else:
    result = pl.DataFrame({{"x": generator.permutation(values)}})
(result.write_parquet if target.endswith("parquet") else result.write_csv)(target)
{MEASURED}"""
_STREAMING = f"""
import sys, time
import numpy as np, polars as pl
source, target, keep = sys.argv[1:]
start, busy = time.perf_counter(), time.process_time()
generator = np.random.default_rng()
def noised(values):
    return values + pl.Series(generator.laplace(scale=5.0, size=len(values)))
column = pl.col("x").cast(pl.Float64).map_batches(
    noised, return_dtype=pl.Float64, is_elementwise=True
)
pl.scan_parquet(source).select(column, *keep.split()).sink_parquet(target)
{MEASURED}"""


class Measured(NamedTuple):
    """One run of a script: milliseconds, peak memory in MiB, processors that were busy."""

    time: float
    memory: float
    cores: float

    @property
    def work(self) -> float:
        """Milliseconds of all processors together."""
        return self.time * self.cores


def run() -> list[Result]:
    results = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_table(place / "small.parquet", ROWS)
        _write_csv(place / "small.csv", place / "small.parquet")
        few = {}
        for kind in ("parquet", "csv"):
            for keep, words in (("", "shuffled"), ("o", "one column and the order kept")):
                source = place / f"small.{kind}"
                ours = min(_measured(_OURS, source, keep) for _ in range(2))
                peer = min(_measured(_IN_MEMORY, source, keep) for _ in range(2))
                results += _compared(f"release 1e7 rows, {kind}, {words}", ours, peer)
                few[kind, keep] = ours
        write_table(place / "large.parquet", MANY_ROWS)
        for keep, words, script, how in (
            ("", "shuffled", _IN_MEMORY, "Peer: in memory, which a shuffle needs in Polars."),
            (
                "o",
                "one column and the order kept",
                _STREAMING,
                "Peer: streaming, scan_parquet to sink_parquet.",
            ),
        ):
            what = f"release 1e8 rows, parquet, {words}"
            ours = _measured(_OURS, place / "large.parquet", keep)
            peer = _measured(script, place / "large.parquet", keep)
            results += _compared(what, ours, peer, how)
            results += _flat(what, few["parquet", keep], ours)
    return results


def release_ms(source: Path, keep: str) -> float:
    """How long a release takes; without a column to keep, it is shuffled."""
    return _measured(_OURS, source, keep).time


def _compared(what: str, ours: Measured, peer: Measured, note: str = "") -> list[Result]:
    return [
        Result(
            what=what,
            ours=ours.time,
            peer=peer.time,
            target=f"≥ {1 / RATIO:g}",
            met=ours.time <= RATIO * peer.time,
            note=note,
        ),
        Result(
            what=f"{what}: peak memory",
            ours=ours.memory,
            peer=peer.memory,
            unit="MiB",
            target=f"< {MEMORY_MIB} MiB",
            met=ours.memory < MEMORY_MIB,
        ),
    ]


def _flat(what: str, few: Measured, many: Measured) -> list[Result]:
    growth = many.memory / few.memory
    return [
        Result(
            what=f"{what}: memory, times that of 1e7 rows",
            ours=growth,
            unit="×",
            target=f"≤ {FLAT:g}",
            met=growth <= FLAT,
        ),
        Result(what=f"{what}: processors busy", ours=many.cores, unit=""),
    ]


def _measured(script: str, source: Path, keep: str) -> Measured:
    target = source.with_name(f"out{source.suffix}")
    done = subprocess.run(
        [sys.executable, "-c", script, str(source), str(target), keep],
        capture_output=True,
        text=True,
        check=True,
    )
    target.unlink()
    return Measured(*(float(each) for each in done.stdout.split()))


def _parts(rows: int) -> Iterator[pa.RecordBatch]:
    generator = np.random.default_rng(rows)
    secrets = pa.array(["a", "b", "c"])
    for start in range(0, rows, _BATCH):
        count = min(_BATCH, rows - start)
        codes = pa.array(generator.integers(0, 3, count, dtype=np.int32))
        yield pa.record_batch(
            {
                "x": generator.integers(0, 100, count),
                "s": pa.DictionaryArray.from_arrays(codes, secrets).dictionary_decode(),
                "o": generator.normal(size=count),
            }
        )


def write_table(path: Path, rows: int) -> None:
    """Whole numbers "x", three secrets "s", and another column "o"."""
    parts = _parts(rows)
    first = next(parts)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_batch(first)
        for part in parts:
            writer.write_batch(part)


def _write_csv(path: Path, source: Path) -> None:
    pc.write_csv(pq.read_table(source), path)
