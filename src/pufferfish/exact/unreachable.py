"""Refuses goals that no amount of a noise can reach, before any search."""

from __future__ import annotations

import math

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws, Scenario, laws_of
from pufferfish.core.errors import UnreachableGoalError
from pufferfish.exact.search import describe
from pufferfish.exact.tails import is_unbounded
from pufferfish.noise import GaussianNoise

__all__ = ["refuse_revealing_holes", "refuse_unbounded_ratio"]


def refuse_revealing_holes(scenario: Scenario, goal: Guarantee) -> None:
    """Refuse a scenario with a pair of secrets that holes alone distinguish."""
    for belief in scenario.beliefs:
        if not any(belief.missing.values()):
            continue
        seen: set[tuple[float, float]] = set()
        for pair in scenario.pairs_of(belief):
            holes = belief.missing[pair.first], belief.missing[pair.second]
            if holes not in seen:
                seen.add(holes)
                _refuse_holes(laws_of(belief, pair), goal)


def _refuse_holes(laws: PairOfLaws, goal: Guarantee) -> None:
    """Refuse a pair whose holes alone cost (m_i − e^ε m_j)_+ + ((1−m_i) − e^ε(1−m_j))_+ > δ."""
    for m, other in (
        (laws.missing_first, laws.missing_second),
        (laws.missing_second, laws.missing_first),
    ):
        factor = math.exp(min(goal.epsilon, 700.0))
        floor = max(m - factor * other, 0.0) + max((1.0 - m) - factor * (1.0 - other), 0.0)
        if floor > goal.delta:
            raise UnreachableGoalError(
                f"missing values alone distinguish {describe(laws)}: values are missing more often "
                f"for one secret than for the other, so that δ is at least {floor:.3g} at ε = "
                f"{goal.epsilon:g} whatever the noise, and the goal permits {goal.delta:g}. Fill "
                "or drop the holes before the release (--missing drop), or choose a larger epsilon "
                "or delta."
            )


def refuse_unbounded_ratio(laws: PairOfLaws, goal: Guarantee) -> None:
    """Refuse Gaussian noise with δ = 0 where ε* is infinite, or above the goal by the mgfs alone.

    At y = tθ² the log-ratio tends to log M_i(t)/M_j(t) as θ grows, and ε* only falls with θ.
    """
    p, q = laws.first.components(), laws.second.components()
    if is_unbounded(p, q, GaussianNoise(1.0)) or is_unbounded(q, p, GaussianNoise(1.0)):
        raise UnreachableGoalError(
            f"Gaussian noise cannot give pure {goal} for {describe(laws)}: far out in a tail one "
            "of the two laws outweighs the other without bound, whatever the noise (their "
            "outermost values, their means or their widest spreads differ). Use Laplace noise, or "
            "choose delta above 0."
        )
    spread = math.sqrt(max(laws.first.variance, laws.second.variance)) or 1.0
    # Relative to a common centre, so that values far from zero do not hide the difference.
    first, second = (each.shift(-laws.first.mean) for each in (laws.first, laws.second))
    floor = 0.0
    for exponent in range(-96, 97):
        for t in (10.0 ** (exponent / 32) / spread, -(10.0 ** (exponent / 32)) / spread):
            one, other = first.log_mgf(t), second.log_mgf(t)
            floor = max(floor, abs(one - other) - 1e-12 * (abs(one) + abs(other)))
    if floor > goal.epsilon + 1e-6:
        raise UnreachableGoalError(
            f"Gaussian noise cannot give pure {goal} for {describe(laws)}: however much is added, "
            f"the least ε stays above {floor:.4g}. Use Laplace noise, or choose delta above 0."
        )
