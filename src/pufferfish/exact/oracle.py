"""The oracle's functions: verify a promise, trace δ over ε, find the least pure ε."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, cast

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws, Scenario
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import finite, probability_below_one, require
from pufferfish.exact.certificate import Certificate
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.many import certify_many, is_many, worst_of_many
from pufferfish.exact.pair import PairOracle
from pufferfish.exact.parallel import Progress, Workers, start_workers
from pufferfish.exact.recoded import as_they_are, certify_recoding, recoding_delta, recoding_epsilon
from pufferfish.exact.single import delta_for_goal, verify_pair
from pufferfish.exact.stratified import split_strata
from pufferfish.noise import Law, Noise, NoNoise, Stratified, check_noise
from pufferfish.recoding.law import Recoding

__all__ = [
    "PrivacyProfile",
    "ProfilePoint",
    "delta_for_goal",
    "privacy_profile",
    "pure_epsilon",
    "verify",
]


def verify(
    scenario: Scenario,
    noise: Law,
    goal: Guarantee,
    *,
    wrong: float = 0.0,
    recorded: Certificate | None = None,
    workers: int | Workers = 1,
    progress: Progress | None = None,
) -> Certificate:
    """Certify whether one release keeps the promise for every pair under every belief.

    Args:
        scenario: The beliefs, and the pairs of secrets.
        noise: The law of N, for X + N; if it has a grid, the law on that grid is certified. Or a
            recoding from any source; or one of these for each stratum of known values.
        goal: The promise.
        wrong: The promise must also hold for every law within this total variation of the believed
            one. With Laplace noise: for every such law within the cap, which each belief must state
            (`Belief.cap`).
        recorded: A recorded certificate of the same recoding. If it has witnesses for a sampling
            region, they are checked, and nothing is searched.
        workers: Processes to spread many pairs over; with more than one, a script needs the usual
            `if __name__ == "__main__":` guard. Or an object with `count` and `map`, such as a
            cluster.
        progress: Called with the number of pairs done and of all pairs.

    Returns:
        A certificate whose `holds` is True, False, or None if rounding leaves it open. Every pair
        has its own results; among thousands of pairs only the worst are examined one by one, and
        `screened` has the bounds of the others.
    """
    check_scenario(scenario)
    noise = _judged(scenario, check_law(noise))
    check_goal(goal)
    if isinstance(noise, Stratified):
        parts = [
            verify(
                part,
                law,
                goal,
                wrong=wrong,
                recorded=recorded,
                workers=workers,
                progress=progress,
            )
            for part, law in split_strata(scenario, noise)
        ]
        return Certificate(
            goal=goal,
            noise=noise,
            results=tuple(result for part in parts for result in part.results),
            screened=tuple(each for part in parts for each in part.screened),
            wrong=wrong,
            confidence=scenario.confidence,
        )
    if isinstance(noise, Recoding):
        share = probability_below_one("wrong", wrong)
        return certify_recoding(scenario, noise, goal, share, recorded)
    share = probability_below_one("wrong", wrong)
    with start_workers(workers, large=is_many(scenario)) as ready:
        return certify(scenario, noise, goal, ready, progress, share)


def certify(
    scenario: Scenario,
    noise: Noise,
    goal: Guarantee,
    workers: Workers,
    progress: Progress | None,
    wrong: float = 0.0,
) -> Certificate:
    """`verify` for noise, with workers that already run.

    If laws may be wrong, or have a sampling region, every pair is examined: screening does not
    cover them.
    """
    if is_many(scenario) and not wrong:
        return certify_many(scenario, noise, goal, workers, progress)
    task = partial(verify_pair, noise=noise, goal=goal)
    results = workers.map(task, list(scenario.laws(wrong)), progress)
    return Certificate(
        goal=goal,
        noise=noise,
        results=tuple(result for both in results for result in both),
        wrong=wrong,
        confidence=scenario.confidence,
    )


def pure_epsilon(scenario: Scenario, noise: Law) -> Enclosure:
    """ε*, the least ε for which δ = 0, over all pairs, directions and beliefs; may be infinite.

    `noise` is a law of noise that is added, or a recoding.
    """
    check_scenario(scenario)
    noise = _judged(scenario, check_law(noise))
    if isinstance(noise, Stratified):
        parts = [pure_epsilon(part, law) for part, law in split_strata(scenario, noise)]
        return Enclosure(max(each.lower for each in parts), max(each.upper for each in parts))
    if isinstance(noise, Recoding):
        return recoding_epsilon(scenario, noise)

    def measure(laws: PairOfLaws) -> Enclosure:
        return PairOracle(laws, noise).epsilon().worst

    if is_many(scenario):
        return worst_of_many(scenario, noise, measure, 0.0, pure=True)
    found = [measure(laws) for laws in scenario.laws()]
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

    noise: Noise | Recoding | Stratified
    epsilons: tuple[float, ...]
    delta_lower: tuple[float, ...]
    delta_upper: tuple[float, ...]

    def __len__(self) -> int:
        """The number of ε."""
        return len(self.epsilons)

    def __getitem__(self, index: int) -> ProfilePoint:
        """The point of the index-th ε."""
        return ProfilePoint(self.epsilons[index], self.delta_lower[index], self.delta_upper[index])

    def __iter__(self) -> Iterator[ProfilePoint]:
        """The points in the order of the given ε."""
        return (self[index] for index in range(len(self)))


def privacy_profile(scenario: Scenario, noise: Law, epsilons: Iterable[float]) -> PrivacyProfile:
    """δ at each ε ≥ 0 (ε = 0 is the total variation distance), enclosed from both sides.

    `noise` is a law of noise that is added, or a recoding.
    """
    check_scenario(scenario)
    noise = _judged(scenario, check_law(noise))
    require(isinstance(epsilons, Iterable), "epsilons must be a list of numbers.")
    asked = tuple(finite("epsilon", epsilon) for epsilon in epsilons)
    require(bool(asked), "epsilons must not be empty.")
    require(min(asked) >= 0.0, f"epsilons must not be negative, got {min(asked):g}.")
    found = [Enclosure(0.0, 0.0)] * len(asked)
    if isinstance(noise, Stratified):
        for part, law in split_strata(scenario, noise):
            profile = privacy_profile(part, law, asked)
            each = [Enclosure(point.delta_lower, point.delta_upper) for point in profile]
            found = [Enclosure(*map(max, *both)) for both in zip(found, each, strict=True)]
    elif isinstance(noise, Recoding):
        found = [recoding_delta(scenario, noise, epsilon) for epsilon in asked]
    elif is_many(scenario):
        found = [_worst_delta(scenario, noise, epsilon) for epsilon in asked]
    else:
        for laws in scenario.laws():
            oracle = PairOracle(laws, noise)
            each = [oracle.delta(epsilon).worst for epsilon in asked]
            found = [Enclosure(*map(max, *both)) for both in zip(found, each, strict=True)]
    return PrivacyProfile(
        noise=noise,
        epsilons=asked,
        delta_lower=tuple(each.lower for each in found),
        delta_upper=tuple(each.upper for each in found),
    )


def _worst_delta(scenario: Scenario, noise: Noise, epsilon: float) -> Enclosure:
    def measure(laws: PairOfLaws) -> Enclosure:
        return PairOracle(laws, noise).delta(epsilon).worst

    return worst_of_many(scenario, noise, measure, epsilon, pure=False)


def _judged(
    scenario: Scenario, law: Noise | Recoding | Stratified
) -> Noise | Recoding | Stratified:
    """The law to judge; for categories without noise, the map that publishes each as it is."""
    if isinstance(law, NoNoise) and all(each.labelled for each in scenario.beliefs):
        return as_they_are(scenario)
    return law


def check_single(law: object) -> Noise | Recoding:
    """`check_law` for a law that does not depend on known values."""
    found = check_law(law)
    if isinstance(found, Stratified):
        raise UnsupportedError("laws that depend on known values are judged stratum by stratum.")
    return found


def check_law(law: object) -> Noise | Recoding | Stratified:
    """Refuse a law that cannot be judged."""
    if isinstance(law, Recoding | Stratified):
        return law
    check_noise(law)
    return cast("Noise", law)


def check_scenario(scenario: object) -> None:
    """Refuse anything but a scenario, naming its type and never its private content."""
    require(
        isinstance(scenario, Scenario),
        f"scenario must be a Scenario, got {type(scenario).__name__}; "
        "write pf.Scenario([belief]) around your beliefs.",
    )


def check_goal(goal: object) -> None:
    """Refuse anything but a goal."""
    require(
        isinstance(goal, Guarantee),
        f"goal must be a Guarantee, got {type(goal).__name__}; "
        "write pf.Guarantee(epsilon=1.0, delta=0.0).",
    )
