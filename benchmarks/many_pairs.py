"""Exact calibration over all 990 pairs of 45 secrets with three-component mixtures."""

import numpy as np

import pufferfish as pf
from benchmarks.laws import GOAL, PURE, mixture, scenario
from benchmarks.result import Result
from benchmarks.timing import once

SECRETS = 45
LIMIT_MS = 60_000.0


def run() -> list[Result]:
    generator = np.random.default_rng(SECRETS)
    priors = [mixture(generator, 3) for _ in range(SECRETS)]
    many = scenario(*priors)
    return [_measured(many, goal, workers) for goal in (PURE, GOAL) for workers in (1, 2)]


def _measured(many: pf.Scenario, goal: pf.Guarantee, workers: int) -> Result:
    ours = once(lambda: pf.calibrate(many, goal, workers=workers))
    return Result(
        what=f"calibration, 990 pairs of 3+3 components, δ = {goal.delta:g}, workers={workers}",
        ours=ours,
        target=f"< {LIMIT_MS:,.0f} ms" if workers == 2 else "",
        met=ours < LIMIT_MS if workers == 2 else None,
    )
