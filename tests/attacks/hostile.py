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


def verify(record: Path, *more: str, memory: int = MEMORY) -> subprocess.CompletedProcess[str]:
    """`pufferfish verify`, within limits that the system keeps."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    command = [sys.executable, "-m", "pufferfish", "verify", str(record), *more]
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    found = subprocess.run(
        command,
        env=os.environ | one | {"PYTHONPATH": str(SOURCE)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert found.returncode >= 0, "the verifier was stopped by its limits"
    assert "Traceback" not in found.stderr
    assert "memory" not in found.stderr
    return found


def largest_so_far() -> int:
    """The most memory that any verifier so far had in use, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
