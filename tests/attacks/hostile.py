"""A verifier in a process of its own, which may not take more than its limits."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
# Of address space, libraries and their threads included: far less than the attacks once took.
MEMORY = 3 * 2**30
# Of the processor. A verifier that hangs is stopped by this, and then the test fails.
SECONDS = 240


# What the system counts of a child includes the process that it was forked from, so a small one
# stands between.
MEASURED = """
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
with open(os.environ["PEAK"], "w") as peak:
    peak.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(200 if code < 0 else code)
"""
PEAKS: list[int] = []


def verify(record: Path, *more: str, memory: int = MEMORY) -> subprocess.CompletedProcess[str]:
    """`pufferfish verify`, within limits that the system keeps."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    peak = record.with_name(record.name + ".peak")
    command = [sys.executable, "-c", MEASURED]
    command += [sys.executable, "-m", "pufferfish", "verify", str(record), *more]
    own = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PEAK": str(peak)}
    found = subprocess.run(
        command,
        env=os.environ | own | {"PYTHONPATH": str(SOURCE)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert 0 <= found.returncode < 200, "the verifier was stopped by its limits"
    assert "Traceback" not in found.stderr
    assert "memory" not in found.stderr
    PEAKS.append(1024 * int(peak.read_text()))
    peak.unlink()
    return found


def last_peak() -> int:
    """The most memory that the last verifier had in use, in bytes; others may need more."""
    return PEAKS[-1]
