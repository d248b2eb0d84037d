"""The oracle's verbs: verify a promise, trace δ over ε, find the least pure ε."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from pufferfish.checks import finite, require
from pufferfish.exact.certificate import Certificate, PairResult
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.pair import TOLERANCE, BothWays, PairOracle
from pufferfish.exact.parallel import PairWorkers, Progress
from pufferfish.guarantee import Guarantee
from pufferfish.noise import Noise, check_noise
from pufferfish.scenario import PairOfLaws, Scenario, SecretPair

__all__ = ["PrivacyProfile", "ProfilePoint", "privacy_profile", "pure_epsilon", "verify"]


def verify(
    scenario: Scenario,
    noise: Noise,
    goal: Guarantee,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Certificate:
    """Is one release of X + N (ε,δ)-indistinguishable for every pair, to every belief?

    Args:
        scenario: What must look alike, to whom.
        noise: The law of N; if it has a grid, the law on that grid is what is certified.
        goal: The promise.
        workers: Processes to spread many pairs over; with more than one, a script needs the usual
            `if __name__ == "__main__":` guard.
        progress: Called with (pairs done, pairs in all).

    Returns:
        A certificate whose `holds` is True, False, or None where rounding leaves it open.
    """
    check_scenario(scenario)
    check_noise(noise)
    check_goal(goal)
    with PairWorkers(workers) as pairs:
        return certify(scenario, noise, goal, pairs, progress)


def certify(
    scenario: Scenario,
    noise: Noise,
    goal: Guarantee,
    workers: PairWorkers,
    progress: Progress | None,
) -> Certificate:
    """`verify`, with workers that are already there."""
    task = partial(_verify_pair, noise=noise, goal=goal)
    results = workers.map(task, list(scenario.laws()), progress)
    return Certificate(
        goal=goal, noise=noise, results=tuple(result for both in results for result in both)
    )


def pure_epsilon(scenario: Scenario, noise: Noise) -> Enclosure:
    """ε*, the least ε for which δ = 0, over all pairs, directions and beliefs; may be infinite."""
    check_scenario(scenario)
    check_noise(noise)
    found = [PairOracle(laws, noise).epsilon().worst for laws in scenario.laws()]
    return Enclosure(
        max(0.0, *(each.lower for each in found)), max(0.0, *(each.upper for each in found))
    )


class ProfilePoint(NamedTuple):
    """δ at one ε, from both sides."""

    epsilon: float
    delta_lower: float
    delta_upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyProfile:
    """δ(ε) of a release: the largest over all pairs, directions and beliefs."""

    noise: Noise
    epsilons: tuple[float, ...]
    delta_lower: tuple[float, ...]
    delta_upper: tuple[float, ...]

    def __len__(self) -> int:
        """How many ε were asked for."""
        return len(self.epsilons)

    def __getitem__(self, index: int) -> ProfilePoint:
        """The point of the index-th ε."""
        return ProfilePoint(self.epsilons[index], self.delta_lower[index], self.delta_upper[index])

    def __iter__(self) -> Iterator[ProfilePoint]:
        """The points in the order asked for."""
        return (self[index] for index in range(len(self)))


def privacy_profile(scenario: Scenario, noise: Noise, epsilons: Iterable[float]) -> PrivacyProfile:
    """δ at each ε ≥ 0 (ε = 0 is the total variation distance), enclosed from both sides."""
    check_scenario(scenario)
    check_noise(noise)
    require(isinstance(epsilons, Iterable), "epsilons must be a list of numbers.")
    asked = tuple(finite("epsilon", epsilon) for epsilon in epsilons)
    require(bool(asked), "epsilons must not be empty.")
    require(min(asked) >= 0.0, f"epsilons must not be negative, got {min(asked):g}.")
    lower, upper = [0.0] * len(asked), [0.0] * len(asked)
    for laws in scenario.laws():
        oracle = PairOracle(laws, noise)
        for index, epsilon in enumerate(asked):
            worst = oracle.delta(epsilon).worst
            lower[index] = max(lower[index], worst.lower)
            upper[index] = max(upper[index], worst.upper)
    return PrivacyProfile(
        noise=noise, epsilons=asked, delta_lower=tuple(lower), delta_upper=tuple(upper)
    )


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


def _verify_pair(laws: PairOfLaws, noise: Noise, goal: Guarantee) -> tuple[PairResult, PairResult]:
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
    # Where the log-ratio never passes ε there is nothing above it to integrate.
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


def check_scenario(scenario: object) -> None:
    """Refuse what is no scenario; names its type and never its content, which may be private."""
    require(
        isinstance(scenario, Scenario),
        f"scenario must be a Scenario, got {type(scenario).__name__}; "
        "write pf.Scenario([belief]) around your beliefs.",
    )


def check_goal(goal: object) -> None:
    """Refuse what is no goal."""
    require(
        isinstance(goal, Guarantee),
        f"goal must be a Guarantee, got {type(goal).__name__}; "
        "write pf.Guarantee(epsilon=1.0, delta=0.0).",
    )
