"""Exact calibration over all pairs of many secrets: one by one, and screened."""

from collections.abc import Callable

import numpy as np

import pufferfish as pf
from benchmarks.laws import GOAL, PURE, mixture, scenario
from benchmarks.result import Result
from benchmarks.timing import once
from pufferfish.beliefs.scenario import laws_of
from pufferfish.exact.search import shortfall
from pufferfish.exact.single import verify_pair

# Secrets whose pairs are examined one by one, and secrets that have half a million.
FEW, MANY = 45, 1_000
FEW_LIMIT_MS, MANY_LIMIT_MS = 60_000.0, 60_000.0
GROWING = (100, 300, 1_000, 3_000)
# Pairs that are timed one by one to estimate what all of them would take.
SAMPLE = 30

Law = Callable[[np.random.Generator], pf.Gaussian | pf.GaussianMixture | pf.Discrete]


def run() -> list[Result]:
    few = _scenario(_mixture, FEW)
    return [
        *(_one_by_one(few, goal, workers) for goal in (PURE, GOAL) for workers in (1, 2)),
        *(_screened(name, law, goal) for name, law in LAWS.items() for goal in (PURE, GOAL)),
        *(_growing(secrets, workers=1) for secrets in GROWING),
        _growing(GROWING[-1], workers=2),
    ]


def _gaussian(generator: np.random.Generator) -> pf.Gaussian:
    return pf.Gaussian(generator.normal(0.0, 3.0), generator.uniform(0.5, 2.0))


def _mixture(generator: np.random.Generator) -> pf.GaussianMixture:
    return mixture(generator, 3)


def _table(generator: np.random.Generator) -> pf.Discrete:
    return pf.Discrete(np.arange(16.0), generator.dirichlet(np.ones(16)))


LAWS: dict[str, Law] = {
    "Gaussians": _gaussian,
    "3+3 components": _mixture,
    "tables of 16": _table,
}


def _scenario(law: Law, secrets: int) -> pf.Scenario:
    generator = np.random.default_rng(secrets)
    return scenario(*(law(generator) for _ in range(secrets)))


def _one_by_one(few: pf.Scenario, goal: pf.Guarantee, workers: int) -> Result:
    ours = once(lambda: pf.calibrate(few, goal, workers=workers))
    return Result(
        what=f"calibration, 990 pairs of 3+3 components, δ = {goal.delta:g}, workers={workers}",
        ours=ours,
        target=f"< {FEW_LIMIT_MS:,.0f} ms" if workers == 2 else "",
        met=ours < FEW_LIMIT_MS if workers == 2 else None,
    )


def _screened(name: str, law: Law, goal: pf.Guarantee) -> Result:
    many = _scenario(law, MANY)
    found: list[pf.Calibration] = []
    ours = once(lambda: found.append(pf.calibrate(many, goal)))
    examined = len(found[0].certificate.results) // 2
    return Result(
        what=f"calibration, all {len(many.pairs):,} pairs of {MANY:,} {name}, δ = {goal.delta:g}",
        ours=ours,
        peer=_estimated(many, found[0]),
        target=f"< {MANY_LIMIT_MS:,.0f} ms",
        met=ours < MANY_LIMIT_MS,
        note=(
            f"One process. {examined} pairs were examined one by one for the certificate. Peer: "
            f"every pair on its own, estimated from a random sample of {SAMPLE}."
        ),
    )


def _growing(secrets: int, workers: int) -> Result:
    many = _scenario(_gaussian, secrets)
    return Result(
        what=f"… {len(many.pairs):,} pairs of {secrets:,} Gaussians, δ = {GOAL.delta:g}, "
        f"workers={workers}",
        ours=once(lambda: pf.calibrate(many, GOAL, workers=workers)),
    )


def _estimated(many: pf.Scenario, calibration: pf.Calibration) -> float:
    """Each pair is judged once at the size that is found, and examined for the certificate."""
    chosen = np.random.default_rng(SAMPLE).choice(len(many.pairs), SAMPLE, replace=False)
    noise, goal = calibration.noise, calibration.goal

    def one_by_one() -> None:
        for number in chosen:
            laws = laws_of(many.beliefs[0], many.pairs[int(number)])
            shortfall(laws, noise, goal)
            verify_pair(laws, noise, goal)

    return once(one_by_one) / SAMPLE * len(many.pairs)
