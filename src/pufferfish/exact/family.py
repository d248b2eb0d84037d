"""The laws that calibration chooses from: one for each size, on the grid that goes with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.exact.grid import gaussian_grid_loss, on_grid
from pufferfish.exact.search import NoiseFamily
from pufferfish.exact.unreachable import refuse_unbounded_ratio
from pufferfish.noise import GaussianNoise, LaplaceNoise

__all__ = ["LaplaceFamily", "gaussian_family", "laplace_family", "laplace_reserve", "laplace_step"]

LaplaceFamily = Callable[[float], LaplaceNoise]

# The grid as a share of the noise's size: fine enough to cost about 1e-7 of ε, coarse enough to
# leave 29 bits of a double for values larger than the noise.
_GRID = 2.0**-24
# Gaussian noise pays for its grid in δ: the share of δ that is aimed at, the share that is
# tolerated, and a step below which a double has no bits left for values larger than the noise.
_DELTA_SHARE = 2.0**-17
_LARGEST_DELTA_SHARE = 2.0**-7
_FINEST_GRID = 2.0**-44
# With δ = 0 Gaussian noise keeps its promise on a grid only if all atoms lie on this one.
_COARSEST_GRID = 2.0**-20


def laplace_family(goal: Guarantee) -> LaplaceFamily:
    """Laplace laws on grids that cost about 1e-7 of ε."""
    return partial(_laplace, step=laplace_step(goal))


def laplace_reserve(goal: Guarantee) -> Guarantee:
    """The promise that the continuous law must keep so that the law on its grid keeps `goal`.

    A law that is (ε, δ) without a grid is (ε + 2γ/b, e^{γ/b}·δ) on it.
    """
    step = laplace_step(goal)
    return Guarantee(goal.epsilon - 2.0 * step, goal.delta * math.exp(-step))


def laplace_step(goal: Guarantee) -> float:
    """The grid of a law of the family is at most this share of its scale."""
    return _GRID * min(1.0, goal.epsilon)


def gaussian_family(goal: Guarantee, scenario: Scenario) -> NoiseFamily:
    """Gaussian laws, on a grid where one can be proven to keep `goal`.

    Raises:
        UnreachableGoalError: δ = 0, and the tails of some pair rule it out.
    """
    if goal.pure:
        for laws in scenario.laws():
            refuse_unbounded_ratio(laws, goal)
        priors = {
            belief.priors[secret]
            for belief in scenario.beliefs
            for secret in scenario.secrets_of(belief)
        }
        exact = all(on_grid(prior.components(), _COARSEST_GRID) for prior in priors)
        return partial(_gaussian, step=_GRID if exact else None, largest=_COARSEST_GRID)
    step = _GRID
    while (
        step > _FINEST_GRID and gaussian_grid_loss(step, goal.epsilon) > _DELTA_SHARE * goal.delta
    ):
        step /= 2.0
    affordable = gaussian_grid_loss(step, goal.epsilon) <= _LARGEST_DELTA_SHARE * goal.delta
    return partial(_gaussian, step=step if affordable else None)


def _laplace(size: float, step: float) -> LaplaceNoise:
    return LaplaceNoise(size, _power_of_two_below(size * step))


def _gaussian(size: float, step: float | None, largest: float = math.inf) -> GaussianNoise:
    if step is None:
        return GaussianNoise(size)
    return GaussianNoise(size, min(_power_of_two_below(size * step), largest))


def _power_of_two_below(value: float) -> float:
    return math.ldexp(1.0, math.frexp(value)[1] - 1)
