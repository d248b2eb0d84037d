"""`import pufferfish` in a fresh interpreter, beside the parts of NumPy and SciPy it stands on."""

import subprocess
import sys
from statistics import median

from benchmarks.result import Result

RUNS = 5
OURS = "pufferfish"
PEER = "scipy.special, scipy.optimize, numpy"


def run() -> list[Result]:
    # Alternating, so that a busy moment falls on both.
    times = [(_import_ms(OURS), _import_ms(PEER)) for _ in range(RUNS + 1)][1:]
    ours, peer = (median(column) for column in zip(*times, strict=True))
    return [
        Result(
            what="import pufferfish (fresh interpreter)",
            ours=ours,
            peer=peer,
            note=f"Peer: import {PEER}.",
        )
    ]


def _import_ms(modules: str) -> float:
    """Measured inside the interpreter: its own start is not part of it."""
    code = (
        "from time import perf_counter; start = perf_counter(); "
        f"import {modules}; print(perf_counter() - start)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return 1e3 * float(run.stdout)
