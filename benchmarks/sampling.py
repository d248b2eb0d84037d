"""Drawing the noise: ns per row, beside NumPy's floating-point noise and OpenDP's exact one."""

import importlib.util

import numpy as np

import pufferfish as pf
from benchmarks.result import Result
from benchmarks.timing import typical

ROWS = 4_000_000
PEER_ROWS = 10_000
MOST_TIMES_NUMPY = 3.0
TIMES_FASTER = 300.0
SCALES = (0.01, 1.0, 1e4)
MOST_SPREAD = 0.5


def run() -> list[Result]:
    laplace = {scale: _mechanism(pf.LaplaceNoise(scale, _grid(scale))) for scale in SCALES}
    times = {scale: _ns(each, ROWS) for scale, each in laplace.items()}
    ours = times[1.0]
    generator = np.random.default_rng(0)
    values = np.zeros(ROWS)
    numpy = _per_row(typical(lambda: values + generator.laplace(0.0, 1.0, ROWS), 5), ROWS)
    spread = max(times.values()) / min(times.values()) - 1.0
    half = _ns(laplace[1.0], ROWS // 2)
    gaussian = _mechanism(pf.GaussianNoise(4.0, 2.0**-36))
    return [
        Result(
            what=f"Laplace mechanism, {ROWS:,} rows, per row",
            ours=ours,
            unit="ns",
            peer=numpy,
            target=f"≤ {MOST_TIMES_NUMPY:g} × NumPy",
            met=ours <= MOST_TIMES_NUMPY * numpy,
            note="Peer: values + numpy.random.Generator.laplace, which is not private.",
        ),
        *_opendp(ours),
        Result(
            what="… the slowest of the scales 0.01, 1 and 10,000 over the fastest, less 1",
            ours=spread,
            unit="",
            target=f"≤ {MOST_SPREAD:g}",
            met=spread <= MOST_SPREAD,
        ),
        Result(what=f"… {ROWS // 2:,} rows, per row", ours=half, unit="ns"),
        Result(
            what=f"Gaussian mechanism, {ROWS:,} rows, per row",
            ours=_ns(gaussian, ROWS),
            unit="ns",
            peer=_per_row(typical(lambda: values + generator.normal(0.0, 4.0, ROWS), 5), ROWS),
        ),
    ]


def _opendp(ours: float) -> list[Result]:
    what = "Laplace mechanism, per row, beside OpenDP's on floats"
    if importlib.util.find_spec("opendp") is None:
        return [Result(what=what, ours=ours, unit="ns", note="OpenDP is not installed.")]
    import opendp.prelude as dp  # noqa: PLC0415

    dp.enable_features("contrib")
    floats = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    measurement = dp.m.make_laplace(*floats, scale=1.0)
    rows = [0.0] * PEER_ROWS
    peer = _per_row(typical(lambda: measurement(rows), 3), PEER_ROWS)
    return [
        Result(
            what=what,
            ours=ours,
            unit="ns",
            peer=peer,
            target=f"≥ {TIMES_FASTER:g} ×",
            met=peer >= TIMES_FASTER * ours,
            note=f"Peer: make_laplace over a vector of {PEER_ROWS:,} floats.",
        )
    ]


def _grid(scale: float) -> float:
    return float(2.0 ** np.floor(np.log2(scale * 2.0**-24)))


def _mechanism(noise: pf.LaplaceNoise | pf.GaussianNoise) -> pf.Mechanism:
    """Two values much closer than the noise is wide: certified with room to spare."""
    goal = pf.Guarantee(1.0, 1e-5)
    points = [pf.Discrete([value], [1.0]) for value in (0.0, 0.1 * noise.std)]
    scenario = pf.Scenario(pf.Belief(dict(enumerate(points))))
    return pf.Mechanism(noise=noise, certificate=pf.verify(scenario, noise, goal))


def _ns(mechanism: pf.Mechanism, rows: int) -> float:
    values = np.zeros(rows)
    return _per_row(typical(lambda: mechanism.apply(values), 5), rows)


def _per_row(milliseconds: float, rows: int) -> float:
    return 1e6 * milliseconds / rows
