"""What the numbers were measured on."""

import os
import platform
from pathlib import Path

import numpy as np
import scipy


def describe() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB; Python "
        f"{platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}; "
        f"load average at the start {os.getloadavg()[0]:.2f}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
