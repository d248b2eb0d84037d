"""`python -m benchmarks.peers`: one audit, on NumPy's noise, on that of other libraries, on ours.

The same scale on the same column (Adult tables, Black and Asian-Pac-Islander, pure ε = 1), each as
a black box: only what comes out is looked at.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

import pufferfish as pf
from benchmarks import machine
from benchmarks.audit import ADULT
from benchmarks.laws import PURE

Column = npt.NDArray[np.float64]

_HEADER = (
    *("noise", "verdict", "ε shown"),
    *("every row", "rows alike", "fresh noise", "low digits", "seconds"),
)
# What the education levels are.
_LOWEST, _HIGHEST = 1.0, 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A source of noise; without one, why there is none."""

    name: str
    noiser: Callable[[Column], Column] | None = None
    note: str = ""


def main() -> None:
    calibration = pf.calibrate(ADULT, PURE)
    noise = calibration.noise
    if not isinstance(noise, pf.LaplaceNoise):
        raise TypeError("the comparison is about Laplace noise.")
    print(machine.describe())
    print(f"Laplace noise of scale {noise.scale:.6g}, 400,000 draws for each secret\n")
    ours = pf.Mechanism.from_calibration(calibration)
    peers = [
        *_numpy(noise.scale),
        *_diffprivlib(noise.scale),
        *_opendp(noise.scale),
        Peer(name=f"pufferfish {pf.__version__}", noiser=ours.apply),
    ]
    notes: list[str] = []
    rows = [_HEADER, *(_row(peer, notes) for peer in peers)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(map(str.ljust, row, widths)).rstrip())
    print("", *notes, sep="\n")


def _row(peer: Peer, notes: list[str]) -> tuple[str, ...]:
    if peer.note:
        notes.append(f"{peer.name}: {peer.note}")
    if peer.noiser is None:
        return (peer.name, "not run", *[""] * (len(_HEADER) - 2))
    start = perf_counter()
    found = pf.audit(peer.noiser, ADULT, PURE)
    seconds = perf_counter() - start
    every, alike, fresh, _, digits = found.checks
    notes += [f"{peer.name}: {check.detail}." for check in found.checks if check.passed is False]
    words = {True: "passed", False: "FAILED", None: "undecided"}
    return (
        peer.name,
        found.verdict,
        f"{found.epsilon_lower:.3f}",
        *(words[check.passed] for check in (every, alike, fresh, digits)),
        f"{seconds:.1f}",
    )


def _numpy(scale: float) -> Iterator[Peer]:
    generator = np.random.default_rng()

    def noised(values: Column) -> Column:
        return values + generator.laplace(0.0, scale, values.size)

    version = f"NumPy {np.__version__}"
    yield Peer(name=version, noiser=noised)
    yield Peer(name=f"{version}, 4 decimals", noiser=lambda values: np.round(noised(values), 4))


def _diffprivlib(scale: float) -> Iterator[Peer]:
    name = f"diffprivlib {_version('diffprivlib')}"
    try:
        mechanisms, note = _mechanisms()
    except ImportError as error:
        yield Peer(name=name, note=f"not installed, or not for this Python: {error}")
        return
    of_scale = {"epsilon": 1.0 / scale, "sensitivity": 1.0}
    ends = {"lower": _LOWEST, "upper": _HIGHEST}
    yield Peer(
        name=f"{name} Laplace", noiser=_one_by_one(mechanisms.Laplace(**of_scale)), note=note
    )
    yield Peer(
        name=f"{name} LaplaceTruncated",
        noiser=_one_by_one(mechanisms.LaplaceTruncated(**of_scale, **ends)),
    )
    yield Peer(
        name=f"{name} Snapping",
        noiser=_one_by_one(mechanisms.Snapping(**of_scale, lower=-1000.0, upper=1000.0)),
    )


def _mechanisms() -> tuple[Any, str]:
    """Its mechanisms; if need be without its models, which follow scikit-learn's private names."""
    try:
        from diffprivlib import mechanisms  # noqa: PLC0415 - it may not be installed
    except ImportError:
        sys.modules["diffprivlib.models"] = ModuleType("diffprivlib.models")
        from diffprivlib import mechanisms  # noqa: PLC0415

        version = _version("scikit-learn")
        return mechanisms, f"loaded without its models, which need another scikit-learn ({version})"
    return mechanisms, ""


def _one_by_one(mechanism: Any) -> Callable[[Column], Column]:
    return lambda values: np.array([mechanism.randomise(value) for value in values.tolist()])


def _opendp(scale: float) -> Iterator[Peer]:
    name = f"OpenDP {_version('opendp')} Laplace"
    try:
        import opendp.prelude as dp  # noqa: PLC0415 - it may not be installed
    except ImportError as error:
        yield Peer(name=name, note=f"not installed: {error}")
        return
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    measurement = dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=scale)
    yield Peer(name=name, noiser=lambda values: np.array(measurement(values.tolist())))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "–"


if __name__ == "__main__":
    main()
