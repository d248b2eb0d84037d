"""A million rows of three columns with one known column, compared with a join with a random table.

The peer is the same job in Polars as somebody would write it: thresholds of each row's map are
joined to it by what is known and its values, and the first one above a random number is taken.
Both read the same rows, shuffle what they publish, and hold or write it in the same format.
Only ours draws from the operating system's entropy, exactly; the peer's random numbers are NumPy's,
which are not private, and it checks, counts and records nothing.

Runs alternate, each in a process of its own that has imported all libraries before its clock
starts. Two ratios: of the processor time, which says how much work it is, and of the time on the
clock, in which other work on the machine may take part.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.release import MEASURED, Measured
from benchmarks.result import Result

ROWS = 1_000_000
MANY_ROWS = 4_000_000
RATIO = 3.0
PAIRS = 7
# How much more memory four times the rows may take, from file to file.
FLAT = 1.25

_TABLE = """
import sys, time
import narwhals, numpy as np, pandas as pd, polars as pl
import pyarrow.compute, pyarrow.csv, pyarrow.parquet
import pufferfish as pf
COLUMNS, KEYS = ["education-num", "occupation", "income"], ["sex"]
def rows_of(count):
    adult = pf.datasets.adult()
    chosen = np.random.default_rng(count).integers(0, len(adult["sex"]), count)
    return {name: adult[name][chosen] for name in (*COLUMNS, "race", *KEYS)}
"""
_MAKE = f"""{_TABLE}
folder, *counts = sys.argv[1:]
from pathlib import Path
from statistics import median
beliefs = pf.fit_beliefs(
    pf.datasets.adult(), columns=COLUMNS, secret="race", known=KEYS, only=["Black", "White"]
)
calibration = pf.calibrate(
    pf.Scenario(beliefs), pf.Guarantee(1.0), mechanism="recode", wrong=0.02, keep=KEYS
)
others = sorted(set(pf.datasets.adult()["race"].tolist()) - {{"Black", "White"}})
plan = pf.Plan(
    calibration=calibration, columns=COLUMNS, secret="race", keep=KEYS, others=others
)
Path(folder, "plan.json").write_text(plan.to_json())
parts = []
for (sex,), part in calibration.strata.items():
    law = part.mechanism
    cuts = np.cumsum(np.asarray(law.table, dtype=np.float64) / 2.0**62, axis=1)
    for value, row in zip(law.values, cuts):
        kept = np.flatnonzero(np.diff(row, prepend=0.0) > 0)
        parts += [(sex, *value, row[place], *law.outputs[place]) for place in kept]
names = ["sex", *COLUMNS, "cut", *(f"new {{name}}" for name in COLUMNS)]
pl.DataFrame(parts, schema=names, orient="row").write_parquet(Path(folder, "cuts.parquet"))
for count in map(int, counts):
    made = pl.DataFrame(rows_of(count))
    made.write_parquet(Path(folder, f"{{count}}.parquet"))
    made.write_csv(Path(folder, f"{{count}}.csv"))
"""
_OURS = f"""{_TABLE}
folder, kind, count = sys.argv[1:]
plan = pf.Plan.from_json(open(f"{{folder}}/plan.json").read())
from_file = kind in ("parquet", "csv")
source = f"{{folder}}/{{count}}.{{kind if from_file else 'parquet'}}"
frame = source if from_file else pl.read_parquet(source)
frame = frame.to_pandas() if kind == "pandas" else frame
target = f"{{folder}}/out.{{kind}}" if from_file else None
start, busy = time.perf_counter(), time.process_time()
pf.release(frame, plan, target, beliefs_from_plan=True, force=True)
{MEASURED}"""
_PEER = f"""{_TABLE}
folder, kind, count = sys.argv[1:]
from_file, cuts = kind in ("parquet", "csv"), pl.read_parquet(f"{{folder}}/cuts.parquet")
source = f"{{folder}}/{{count}}.{{kind if from_file else 'parquet'}}"
frame = source if from_file else pl.read_parquet(source)
frame = frame.to_pandas() if kind == "pandas" else frame
start, busy = time.perf_counter(), time.process_time()
generator = np.random.default_rng()
table = {{"parquet": pl.read_parquet, "csv": pl.read_csv}}[kind](frame) if from_file else frame
table = pl.from_pandas(table) if kind == "pandas" else table
new = pl.selectors.starts_with("new")
lists = cuts.group_by("sex", *COLUMNS, maintain_order=True).agg("cut", new).with_row_index("law")
drawn = table.with_columns(pl.Series("u", generator.random(len(table))))
drawn = drawn.join(lists.select("law", "sex", *COLUMNS), on=["sex", *COLUMNS], how="left",
    nulls_equal=True)
flat = lists.select("law", "cut", new).explode(
    "cut", new).with_columns(
    (pl.col("law") + pl.col("cut").clip(0.0, 1.0 - 1e-12)).alias("at")).sort("at")
drawn = drawn.with_columns((pl.col("law") + pl.col("u")).alias("at")).sort("at")
drawn = drawn.join_asof(flat.drop("law", "cut"), on="at", strategy="forward")
result = drawn.select("sex", new).sample(fraction=1.0, shuffle=True)
if kind == "pandas":
    result = result.to_pandas()
if from_file:
    write = result.write_parquet if kind == "parquet" else result.write_csv
    write(f"{{folder}}/peer.{{kind}}")
{MEASURED}"""


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        make(folder, ROWS, MANY_ROWS)
        kinds = ("polars", "pandas", "parquet", "csv")
        results = [each for kind in kinds for each in _compared(folder, kind)]
        return results + [_memory(folder, kind) for kind in ("parquet", "csv")]


def make(folder: str, *counts: int) -> None:
    """Write a plan, the thresholds of its maps, and tables of these numbers of rows."""
    _run(_MAKE, folder, *map(str, counts))


def _compared(folder: str, kind: str) -> list[Result]:
    # One after the other, so that other work on the machine slows both alike.
    pairs = [
        tuple(_measured(script, folder, kind, ROWS) for script in (_OURS, _PEER))
        for _ in range(PAIRS)
    ]
    what = f"release 1e6 rows, three columns together, {kind}, median of {PAIRS}"
    return [
        _result(f"{what}: work", [(ours.work, peer.work) for ours, peer in pairs]),
        _result("… on the clock", [(ours.time, peer.time) for ours, peer in pairs]),
    ]


def _result(what: str, pairs: list[tuple[float, float]]) -> Result:
    ratios = [ours / peer for ours, peer in pairs]
    return Result(
        what=what,
        ours=median(ours for ours, _ in pairs),
        peer=median(peer for _, peer in pairs),
        target=f"median ratio ≤ {RATIO:g} × (was {median(ratios):.2f})",
        met=median(ratios) <= RATIO,
        note="Peer: Polars with a join against a random table, not private. Ratios: "
        + ", ".join(f"{each:.2f}" for each in sorted(ratios)),
    )


def _memory(folder: str, kind: str) -> Result:
    few, many = (_measured(_OURS, folder, kind, count).memory for count in (ROWS, MANY_ROWS))
    return Result(
        what=f"… {kind}: memory of 4e6 rows, times that of 1e6",
        ours=many / few,
        unit="×",
        target=f"≤ {FLAT:g}",
        met=many / few <= FLAT,
    )


def _measured(script: str, folder: str, kind: str, rows: int) -> Measured:
    return Measured(*(float(each) for each in _run(script, folder, kind, str(rows)).split()))


def _run(script: str, folder: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, str(Path(folder)), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout
