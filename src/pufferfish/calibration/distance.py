"""How wrong a belief may be before the promise breaks: the radius that a certificate permits.

Let the believed laws be certified for (ε', δ') under a noise. The following holds for other, true
laws

- whose Y has a log-ratio of at most κ to the believed Y, for each secret: (ε' + 2κ, e^κ·δ');
- within W_∞ ≤ r of the priors, Laplace noise of scale b: the same with κ = r/b;
- whose Y is within total variation η of the believed Y: (ε', δ' + (1 + e^{ε'})·η), and
  η ≤ (W1 + γ)/(2b) for Laplace noise, (W1 + γ)/(θ√(2π)) for Gaussian noise, on a grid γ.

Proofs: docs/theory/radius.md. All use the exact oracle; every radius is rounded down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.errors import CertificationError
from pufferfish.exact.oracle import check_goal, check_scenario, delta_for_goal
from pufferfish.exact.pair import PairOracle
from pufferfish.exact.search import describe, oracle_shortfall
from pufferfish.noise import Law, Noise, check_noise

__all__ = ["Radius", "radius", "stricter", "within"]

_DOWN = 1.0 - 2.0**-50
# Numbers below this have too few digits to be rounded to one side by a factor.
_FAINTEST = 1e-290
# Steps of bisection for κ: to a width of 1e-13 of ε.
_STEPS = 43


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """How far the true laws may be from the believed ones, in four measures.

    Each figure holds by itself; they do not hold together.

    Attributes:
        goal: The promise that then still holds.
        noise: The law that was judged.
        kappa: Largest |log-ratio| between the true and the believed law of Y, for each secret. It
            covers a wrong shape, such as a wrong std.
        w_infinity: Largest distance that each value may be moved, in the units of X; 0 for Gaussian
            noise, for which there is no such bound.
        total_variation: Largest total variation between the true and the believed law of Y.
        w_1: Largest mean distance that values may be moved, in the units of X.
    """

    goal: Guarantee
    noise: Noise
    kappa: float
    w_infinity: float
    total_variation: float
    w_1: float


def radius(scenario: Scenario, noise: Noise, goal: Guarantee) -> Radius:
    """How wrong the beliefs of `scenario` may be while `noise` still keeps `goal`.

    Raises:
        CertificationError: The goal is not kept even if the beliefs are right.
    """
    check_scenario(scenario)
    check_noise(noise)
    check_goal(goal)
    kappa, spare = 0.5 * goal.epsilon * _DOWN, goal.delta
    for laws in scenario.laws():
        oracle = PairOracle(laws, noise)
        if oracle_shortfall(oracle, goal) > 0.0:
            raise CertificationError(
                f"{goal} is not kept for {describe(laws)} even if the beliefs are right, so there "
                "is no room for them to be wrong; use more noise."
            )
        kappa = _largest_slack(oracle, goal, kappa)
        if not goal.pure:
            found = delta_for_goal(oracle, goal).worst.upper
            spare = min(spare, goal.delta - found)
    variation = max(spare, 0.0) * math.exp(-goal.epsilon) / (1.0 + math.exp(-goal.epsilon)) * _DOWN
    if variation < _FAINTEST:
        variation = 0.0
    return Radius(
        goal=goal,
        noise=noise,
        kappa=kappa,
        w_infinity=kappa * noise.ratio_scale * _DOWN,
        total_variation=variation,
        w_1=_mean_distance(noise, variation),
    )


def stricter(goal: Guarantee, kappa: float) -> Guarantee | None:
    """(ε − 2κ, e^{−κ}·δ), rounded down; None if no ε is left."""
    epsilon = math.nextafter(goal.epsilon - 2.0 * kappa, -math.inf)
    if epsilon < 1e-100:
        return None
    return Guarantee(epsilon, goal.delta * math.exp(-kappa) * _DOWN)


def within(noise: Law, goal: Guarantee, distance: float) -> Guarantee | None:
    """The promise that the beliefs must keep so that all laws within W_∞ ≤ distance keep `goal`.

    None if this noise cannot cover that distance.
    """
    if distance == 0.0:
        return goal
    if noise.ratio_scale == 0.0:
        return None
    return stricter(goal, distance / noise.ratio_scale * (1.0 + 2.0**-50))


def _largest_slack(oracle: PairOracle, goal: Guarantee, most: float) -> float:
    """The largest κ up to `most` with which the pair keeps the goal, rounded down."""
    if goal.pure:
        least = oracle.epsilon().worst.upper
        return min(most, max(0.5 * (goal.epsilon - least) - 1e-15 * goal.epsilon, 0.0))
    low, high, middle = 0.0, most, most
    for _ in range(_STEPS):
        inner = stricter(goal, middle)
        if inner is not None and oracle_shortfall(oracle, inner) <= 0.0:
            low = middle
        else:
            high = middle
        if low == most:
            break
        middle = 0.5 * (low + high)
    return low


def _mean_distance(noise: Noise, variation: float) -> float:
    """The W1 that costs this much total variation after noise."""
    return max(noise.peak_width * variation - (noise.grid or 0.0), 0.0) * _DOWN
