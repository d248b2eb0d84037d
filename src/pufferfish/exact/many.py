"""Very many pairs: a certificate, and the least noise, without examining each of them.

Every pair is examined by the exact oracle, or has the laws of one that was, or is proven by
screening (`screen`) to lose no more than the worst examined pair, or almost nothing. So the
certificate's worst pair, and the noise that is found, are those of the exact oracle.
Proof: docs/theory/many-pairs.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws, Scenario
from pufferfish.core.validation import FloatArray
from pufferfish.exact.certificate import Certificate, PairResult, Screened, negligible_loss
from pufferfish.exact.classes import ClassPairs, Numbers, class_pairs
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.pair import TOLERANCE
from pufferfish.exact.parallel import PairWorkers, Progress, Workers
from pufferfish.exact.screen import PairBounds, screens
from pufferfish.exact.search import Judge, NoiseFamily, raise_size
from pufferfish.exact.sieve import Trial, sift
from pufferfish.exact.single import verify_pair
from pufferfish.noise import Noise, NoNoise

__all__ = [
    "GoalAt",
    "certify_many",
    "is_many",
    "least_size_of_many",
    "none_is_enough",
    "worst_of_many",
]

# From this many pairs on, examining each takes longer than screening them.
_MANY = 1_000
# Where δ decides, the bound on ε* of other pairs may exceed the largest examined ε* by this much.
_CLOSE = 1.001
# Pairs whose bound comes closer than this to the goal are judged exactly: the oracle's enclosure
# has a width of its own, and the grid is not the same share of every size.
_EPSILON_SHARE = 1e-7
_DELTA_SHARE, _DELTA_WIDTH = 1e-3, 2e-7

# The promise that the believed laws must keep under a noise law; None if that can keep no promise.
GoalAt = Callable[[Noise], Guarantee | None]


def is_many(scenario: Scenario) -> bool:
    """Whether pairs are screened before they are examined; never with sampling regions."""
    return (
        not scenario.sampled
        and sum(len(scenario.pairs_of(each)) for each in scenario.beliefs) > _MANY
    )


def certify_many(
    scenario: Scenario,
    noise: Noise,
    goal: Guarantee,
    workers: Workers,
    progress: Progress | None,
) -> Certificate:
    """The certificate of a scenario; its worst pair was examined, unless its loss is negligible."""
    results: list[PairResult] = []
    screened: list[Screened] = []
    for belief in scenario.beliefs:
        pairs = class_pairs(belief, scenario.pairs_of(belief))
        known = max(_largest(results, pure=goal.pure), negligible_loss(goal))
        found, bounds = _examine(pairs, noise, goal, known, workers, progress)
        results += [each for number in sorted(found) for each in found[number]]
        screened += _left(pairs, found, bounds)
    return Certificate(goal=goal, noise=noise, results=tuple(results), screened=tuple(screened))


Found = dict[int, tuple[PairResult, PairResult]]


def _examine(
    pairs: ClassPairs,
    noise: Noise,
    goal: Guarantee,
    known: float,
    workers: Workers,
    progress: Progress | None,
) -> tuple[Found, PairBounds]:
    """Results by pair of classes, and bounds for all; pairs below `known` need not be examined."""
    task = partial(verify_pair, noise=noise, goal=goal)
    found: Found = {}

    def examine(numbers: Numbers, trial: Trial, *, pure: bool, slack: float = 1.0) -> Trial:
        fresh = [number for number in numbers.tolist() if number not in found]
        results = workers.map(task, [pairs.example(number) for number in fresh])
        found.update(zip(fresh, results, strict=True))
        worst = _largest([each for both in found.values() for each in both], pure=pure)
        return trial._replace(limit=max(trial.limit, slack * worst))

    trial = Trial(noise, goal.epsilon, known)
    decide = partial(examine, pure=goal.pure)
    bounds = sift(pairs, trial, decide, workers, progress, pure=goal.pure)
    if not goal.pure and screens(pairs.laws, noise, pairs.belief.radius, pure=True):
        # ε* does not decide here; it is bounded only as closely as is cheap.
        close = partial(examine, pure=True, slack=_CLOSE)
        trial = trial._replace(limit=0.0)
        bounds = sift(pairs, trial, close, workers, bounds=bounds, pure=True, exhaustive=False)
    return found, bounds


def _left(pairs: ClassPairs, found: Found, bounds: PairBounds) -> list[Screened]:
    """The bounds of the pairs that were not examined; at most one entry."""
    examined = np.array(sorted(found))
    count = int(pairs.counts.sum()) - examined.size
    if not count:
        return []
    # Pairs with the same laws as an examined one have its results.
    shared = [each for number in examined[pairs.counts[examined] > 1] for each in found[number]]
    return [
        Screened(
            belief=pairs.belief.name,
            provenance=pairs.belief.provenance,
            pairs=count,
            delta_upper=max(_largest(shared, pure=False), _top(_without(bounds.delta, examined))),
            epsilon_upper=max(
                _largest(shared, pure=True), _top(_without(bounds.epsilon, examined))
            ),
        )
    ]


def _largest(results: list[PairResult], *, pure: bool) -> float:
    """The largest bound on ε* (`pure`) or on δ."""
    bounds = (each.epsilon_upper if pure else each.delta_upper for each in results)
    return max(0.0, max(bounds, default=0.0))


def _without(bounds: FloatArray, examined: Numbers) -> FloatArray:
    """The bounds of the pairs that were not examined."""
    others = np.ones(bounds.size, dtype=np.bool_)
    others[examined] = False
    return np.asarray(bounds[others])


def _top(bounds: FloatArray) -> float:
    return float(bounds.max(initial=0.0))


def worst_of_many(
    scenario: Scenario,
    noise: Noise,
    measure: Callable[[PairOfLaws], Enclosure],
    epsilon: float,
    *,
    pure: bool,
) -> Enclosure:
    """The largest ε* (`pure`), or δ at ε, of all pairs; `measure` encloses that of one."""
    worst = Enclosure(0.0, 0.0)

    def examine(numbers: Numbers, trial: Trial, pairs: ClassPairs, seen: list[Numbers]) -> Trial:
        nonlocal worst
        seen.append(numbers)
        for number in numbers.tolist():
            found = measure(pairs.example(number))
            worst = Enclosure(max(worst.lower, found.lower), max(worst.upper, found.upper))
        return trial._replace(limit=max(worst.upper, trial.limit))

    for belief in scenario.beliefs:
        pairs = class_pairs(belief, scenario.pairs_of(belief))
        start, seen = Trial(noise, epsilon, max(worst.upper, TOLERANCE)), list[Numbers]()
        examine_these = partial(examine, pairs=pairs, seen=seen)
        bounds = sift(pairs, start, examine_these, PairWorkers(1), pure=pure)
        others = _without(bounds.epsilon if pure else bounds.delta, np.concatenate(seen))
        worst = Enclosure(worst.lower, max(worst.upper, _top(others)))
    return worst


def none_is_enough(
    scenario: Scenario, goal: Guarantee, judge: Judge, goal_at: GoalAt, workers: Workers
) -> bool:
    """Whether publishing the values themselves keeps the promise; see `least_size_of_many`."""
    task = partial(_short_without, goal=goal, judge=judge)
    enough = True

    def examine(numbers: Numbers, trial: Trial, pairs: ClassPairs) -> Trial:
        nonlocal enough
        short = workers.map(task, [pairs.example(number) for number in numbers.tolist()])
        enough = max(short) <= 0.0
        # One pair that falls short decides; the others need not be judged.
        return trial if enough else trial._replace(limit=math.inf)

    start = _trial(NoNoise(), goal, goal_at)
    for belief in scenario.beliefs:
        pairs = class_pairs(belief, scenario.pairs_of(belief))
        sift(pairs, start, partial(examine, pairs=pairs), workers, pure=goal.pure)
        if not enough:
            return False
    return True


def _short_without(laws: PairOfLaws, goal: Guarantee, judge: Judge) -> float:
    return judge(laws, NoNoise(), goal)


def least_size_of_many(
    scenario: Scenario,
    family: NoiseFamily,
    goal: Guarantee,
    judge: Judge,
    goal_at: GoalAt,
    workers: Workers,
    progress: Progress | None,
) -> float:
    """The largest of the pairs' least sizes.

    Args:
        scenario: The pairs.
        family: The noise law of a given size.
        goal: The promise.
        judge: The amount by which a law falls short of the goal.
        goal_at: The promise that the believed laws must keep for the judge to accept a noise law.
        workers: The workers.
        progress: Called with the number of pairs done and of all pairs of each belief.
    """
    size = 0.0

    def examine(numbers: Numbers, trial: Trial, pairs: ClassPairs) -> Trial:
        nonlocal size
        task = partial(raise_size, family=family, goal=goal, judge=judge, size=size)
        size = max(workers.map(task, [pairs.example(number) for number in numbers.tolist()]))
        return _trial(family(size), goal, goal_at)

    for belief in scenario.beliefs:
        pairs = class_pairs(belief, scenario.pairs_of(belief))
        start = _trial(family(size) if size else NoNoise(), goal, goal_at)
        sift(pairs, start, partial(examine, pairs=pairs), workers, progress, pure=goal.pure)
    return size


def _trial(noise: Noise, goal: Guarantee, goal_at: GoalAt) -> Trial:
    """A trial in which pairs whose bound stays clearly below the goal need not be judged."""
    inner = goal_at(noise)
    if inner is None:
        return Trial(noise, goal.epsilon, -math.inf)
    epsilon, delta = inner.epsilon, inner.delta
    if goal.pure:
        return Trial(noise, epsilon, epsilon * (1.0 - _EPSILON_SHARE))
    return Trial(noise, epsilon, delta - min(_DELTA_SHARE * delta, _DELTA_WIDTH))
