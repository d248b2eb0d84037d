"""Plans between components, the comonotone coupling, and what is built on them."""

from functools import partial
from statistics import median

import numpy as np
from scipy.optimize import linprog

import pufferfish as pf
from benchmarks.laws import GOAL, mixture, mixture_pair, scenario
from benchmarks.result import Result
from benchmarks.timing import typical

PLANS = 5
COMPONENTS = 60
PLAN_LIMIT_MS = 50.0
TABLE_SIZE = 100_000


def run() -> list[Result]:
    return [*_plans(), *_couplings()]


def _plans() -> list[Result]:
    pairs = [_large_pair(seed) for seed in range(PLANS)]
    for pair in pairs:
        _check(pair)
    ours = [typical(partial(pf.transport.mixture_plan, *pair), 7) for pair in pairs]
    peers = [typical(partial(_dense_program, *pair), 3) for pair in pairs]
    return [
        Result(
            what=f"component plan, {COMPONENTS} x {COMPONENTS} (median of {PLANS} pairs)",
            ours=median(ours),
            peer=median(peers),
            target=f"< {PLAN_LIMIT_MS:g} ms",
            met=median(ours) < PLAN_LIMIT_MS,
            note="Peer: the same program written down for SciPy's linprog with a dense matrix.",
        ),
        Result(
            what=f"… the slowest of the {PLANS} pairs",
            ours=max(ours),
            target=f"< {PLAN_LIMIT_MS:g} ms",
            met=max(ours) < PLAN_LIMIT_MS,
        ),
    ]


def _couplings() -> list[Result]:
    pair = mixture_pair(0)
    both = scenario(*pair)
    tables = _table(0), _table(1)
    return [
        Result(
            what="comonotone coupling, 5+5 components",
            ours=typical(lambda: pf.transport.comonotone(*pair)),
        ),
        Result(
            what=f"comonotone coupling, two tables of {TABLE_SIZE:,} atoms",
            ours=typical(lambda: pf.transport.comonotone(*tables), 5),
        ),
        Result(
            what=f"calibration by coupling, 5+5 components, δ = {GOAL.delta:g}",
            ours=typical(lambda: pf.calibrate(both, GOAL, method="coupling"), 5),
        ),
        Result(
            what=f"compare, every method, 5+5 components, δ = {GOAL.delta:g}",
            ours=typical(lambda: pf.compare(both, GOAL), 5),
        ),
    ]


def _large_pair(seed: int) -> tuple[pf.GaussianMixture, pf.GaussianMixture]:
    generator = np.random.default_rng(seed)
    return mixture(generator, COMPONENTS), mixture(generator, COMPONENTS)


def _table(seed: int) -> pf.Discrete:
    generator = np.random.default_rng(seed)
    values = np.sort(generator.normal(0.0, 10.0, TABLE_SIZE))
    return pf.Discrete(values, generator.dirichlet(np.ones(TABLE_SIZE)))


def _check(pair: tuple[pf.GaussianMixture, pf.GaussianMixture]) -> None:
    """Both must find the same cost, or the comparison means nothing."""
    ours, peer = pf.transport.mixture_plan(*pair).cost, _dense_program(*pair)
    if abs(ours - peer) > 1e-7 * peer:
        raise RuntimeError(f"plans disagree: {ours} and {peer}")


def _dense_program(p: pf.GaussianMixture, q: pf.GaussianMixture) -> float:
    rows, columns = len(p.weights), len(q.weights)
    costs = np.subtract.outer(p.means, q.means) ** 2 + np.subtract.outer(p.stds, q.stds) ** 2
    marginals = np.vstack(
        [np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))]
    )
    found = linprog(costs.ravel(), A_eq=marginals, b_eq=[*p.weights, *q.weights])
    return float(costs.ravel() @ found.x)
