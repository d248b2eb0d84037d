"""The release pass on files of ten million rows, beside Polars with NumPy's (not private) noise."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.result import Result

ROWS = 10_000_000
RATIO = 2.5
MEMORY_MIB = 1024

# In a process of its own, so that its peak memory is its own too.
_OURS = """
import sys, time
import pufferfish as pf
source, target, keep = sys.argv[1:]
laws = {secret: pf.Gaussian(50.0, 20.0 + number) for number, secret in enumerate("abc")}
belief = pf.Belief(laws, provenance="public")
calibration = pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0))
plan = pf.Plan(calibration=calibration, column="x", secret="s", keep=keep.split())
start = time.perf_counter()
pf.release(source, plan, target)
taken = time.perf_counter() - start
# Unlike getrusage, this does not count the memory of the process that started this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(1e3 * taken, int(peak.split()[1]) / 1024)
"""
_PEER = """
import sys, time
import numpy as np, polars as pl
source, target, keep = sys.argv[1:]
start = time.perf_counter()
generator = np.random.default_rng()
read = pl.read_parquet if source.endswith("parquet") else pl.read_csv
frame = read(source, columns=["x", "s", *keep.split()])
values = frame["x"].to_numpy() + generator.laplace(scale=5.0, size=len(frame))
if keep:
    result = frame.select("o").with_columns(pl.Series("x", values))
else:
    result = pl.DataFrame({"x": generator.permutation(values)})
(result.write_parquet if target.endswith("parquet") else result.write_csv)(target)
taken = time.perf_counter() - start
# Unlike getrusage, this does not count the memory of the process that started this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(1e3 * taken, int(peak.split()[1]) / 1024)
"""


def run() -> list[Result]:
    results = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _write_tables(place)
        for kind in ("parquet", "csv"):
            for keep, words in (("", "shuffled"), ("o", "one column kept")):
                results += _compared(place, kind, keep, words)
    return results


def _compared(place: Path, kind: str, keep: str, words: str) -> list[Result]:
    source = place / f"table.{kind}"
    ours, memory = _measured(_OURS, source, place / f"ours-{keep}.{kind}", keep)
    peer, peer_memory = _measured(_PEER, source, place / f"peer-{keep}.{kind}", keep)
    what = f"release 1e7 rows, {kind}, {words}"
    return [
        Result(
            what=what, ours=ours, peer=peer, target=f"≥ {1 / RATIO:g}", met=ours <= RATIO * peer
        ),
        Result(
            what=f"{what}: peak memory",
            ours=memory,
            peer=peer_memory,
            unit="MiB",
            target=f"< {MEMORY_MIB} MiB",
            met=memory < MEMORY_MIB,
        ),
    ]


def _measured(script: str, source: Path, target: Path, keep: str) -> tuple[float, float]:
    """Milliseconds and peak memory of a script; the better of two runs."""
    best = (np.inf, np.inf)
    for _ in range(2):
        target.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-c", script, str(source), str(target), keep],
            capture_output=True,
            text=True,
            check=True,
        )
        milliseconds, mebibytes = (float(each) for each in done.stdout.split())
        best = min(best, (milliseconds, mebibytes))
    return best


def _write_tables(place: Path) -> None:
    generator = np.random.default_rng(ROWS)
    frame = pl.DataFrame(
        {
            "x": generator.integers(0, 100, ROWS),
            "s": generator.choice(["a", "b", "c"], ROWS),
            "o": generator.normal(size=ROWS),
        }
    )
    frame.write_parquet(place / "table.parquet")
    frame.write_csv(place / "table.csv")
