"""One pair against a goal."""

from __future__ import annotations

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws, SecretPair
from pufferfish.exact.certificate import PairResult
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.pair import TOLERANCE, BothWays, PairOracle
from pufferfish.noise import Noise

__all__ = ["delta_for_goal", "verify_pair"]

_FINEST = 1e-20


def delta_for_goal(oracle: PairOracle, goal: Guarantee) -> BothWays:
    """δ at the goal's ε, sharp enough to compare with the goal's δ."""
    found = oracle.delta(goal.epsilon)
    finer = 1e-3 * goal.delta
    undecided = found.worst.lower <= goal.delta < found.worst.upper
    # The mesh leaves out a mass of about 1e-19: nothing finer can be resolved.
    if undecided and _FINEST < finer < TOLERANCE:
        found = oracle.delta(goal.epsilon, finer)
    return found


def verify_pair(laws: PairOfLaws, noise: Noise, goal: Guarantee) -> tuple[PairResult, PairResult]:
    """The oracle's results for a pair, in both directions."""
    oracle = PairOracle(laws, noise)
    delta, epsilon = delta_for_goal(oracle, goal), oracle.epsilon()
    backward = SecretPair(laws.pair.second, laws.pair.first)
    return (
        _result(laws, laws.pair, goal, delta.forward, epsilon.forward),
        _result(laws, backward, goal, delta.backward, epsilon.backward),
    )


def _result(
    laws: PairOfLaws,
    direction: SecretPair,
    goal: Guarantee,
    delta: Enclosure,
    epsilon: Enclosure,
) -> PairResult:
    # If the log-ratio never exceeds ε, there is nothing above it to integrate.
    none_left = epsilon.upper <= goal.epsilon
    return PairResult(
        belief=laws.belief,
        provenance=laws.provenance,
        pair=laws.pair,
        direction=direction,
        delta_lower=0.0 if none_left else delta.lower,
        delta_upper=0.0 if none_left else delta.upper,
        epsilon_lower=epsilon.lower,
        epsilon_upper=epsilon.upper,
    )
