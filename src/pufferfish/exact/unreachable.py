"""Refuses goals that no amount of a noise can reach, before any search."""

from __future__ import annotations

import math

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Belief, PairOfLaws, Scenario, SecretPair, laws_of
from pufferfish.core.errors import UnreachableGoalError
from pufferfish.exact.search import describe
from pufferfish.exact.tails import is_unbounded
from pufferfish.noise import GaussianNoise
from pufferfish.words.numbers import at_least, at_most

__all__ = ["epsilon_of_holes", "holes_in_words", "refuse_revealing_holes"]
__all__ += ["refuse_unbounded_ratio"]


def epsilon_of_holes(scenario: Scenario, delta: float = 0.0) -> float:
    """The ε that missing values alone need, whatever the noise: a hole stays a hole.

    With the shares m ≥ n of missing values under two secrets, P(B) ≤ e^ε·Q(B) + δ for the two
    events "missing" and "present" asks for ε ≥ log((m − δ)/n) and ε ≥ log((1 − n − δ)/(1 − m)).
    The largest over all pairs and beliefs; 0 where nothing is missing, inf where no ε will do.

    Args:
        scenario: The scenario.
        delta: The δ of the promise.
    """
    found = 0.0
    for belief in scenario.beliefs:
        if any(belief.missing.values()):
            pairs = scenario.pairs_of(belief)
            shares = {(belief.missing[a], belief.missing[b]) for a, b in pairs}
            found = max([found, *(_epsilon_of(max(each), min(each), delta) for each in shares)])
    return found


def _epsilon_of(most: float, least: float, delta: float) -> float:
    ratios = ((most - delta, least), (1.0 - least - delta, 1.0 - most))
    return max(
        0.0 if above <= 0.0 else math.inf if below <= 0.0 else math.log(above / below)
        for above, below in ratios
    )


def holes_in_words(scenario: Scenario, goal: Guarantee) -> str:
    """Why no noise keeps a goal, if that is because of missing values; else nothing."""
    needed = epsilon_of_holes(scenario, goal.delta)
    return _needed(needed, goal) if needed > goal.epsilon else ""


def _needed(needed: float, goal: Guarantee) -> str:
    at = "" if goal.pure else f" at δ = {goal.delta_text}"
    enough = (
        f"no ε is large enough{at}"
        if math.isinf(needed)
        else f"they alone need an ε of at least {at_most(needed, 3)}{at}"
    )
    return f"noise cannot hide which values are missing, and {enough}"


def refuse_revealing_holes(scenario: Scenario, goal: Guarantee) -> None:
    """Refuse a scenario with a pair of secrets that holes alone distinguish; name the worst one.

    Holes alone cost (m_i − e^ε m_j)_+ + ((1−m_i) − e^ε(1−m_j))_+, which must not exceed δ.
    """
    revealing: dict[tuple[float, float], tuple[Belief, SecretPair]] = {}
    for belief in scenario.beliefs:
        if any(belief.missing.values()):
            for pair in scenario.pairs_of(belief):
                holes = belief.missing[pair.first], belief.missing[pair.second]
                if _cost_of(holes, goal) > goal.delta:
                    revealing.setdefault(holes, (belief, pair))
    if not revealing:
        return
    worst = max(revealing, key=lambda holes: _epsilon_of(max(holes), min(holes), goal.delta))
    needed = _epsilon_of(max(worst), min(worst), goal.delta)
    belief, pair = revealing[worst]
    larger = "a larger delta" if math.isinf(needed) else "a larger epsilon or delta"
    # Rows can be left out only where no column is known.
    drop = "" if any(each.given for each in scenario.beliefs) else " (--missing drop)"
    raise UnreachableGoalError(
        f"missing values alone reveal too much about {describe(laws_of(belief, pair))}: values "
        f"are missing more often for one secret than for the other. {goal} was asked for, but "
        f"{_needed(needed, goal)}. A recoding can hide them (--mechanism recode --floor none "
        '--wrong 1%; in Python mechanism="recode", floor=None, wrong=0.01). Or leave rows without '
        f"a value out{drop}, fill them, or choose {larger}."
    )


def _cost_of(holes: tuple[float, float], goal: Guarantee) -> float:
    """The δ that holes alone cost at the ε of a goal, in the worse direction."""
    factor = math.exp(min(goal.epsilon, 700.0))
    return max(
        max(m - factor * other, 0.0) + max((1.0 - m) - factor * (1.0 - other), 0.0)
        for m, other in (holes, holes[::-1])
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
            f"the least ε stays above {at_least(floor, 4)}. Use Laplace noise, or choose delta "
            "above 0."
        )
