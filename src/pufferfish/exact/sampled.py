"""The privacy of a pair over its sampling region: bounds that hold for every law inside.

For each output y, `recoding.regions` bounds how much laws of the region may differ. A recorded
certificate has the witnesses, so that it can be checked without a search. The worst laws differ
from y to y: some laws of the region reach ε*, and perhaps none reaches the bound on δ, which is a
sum over y.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.limits import still_patient
from pufferfish.core.numerics import UNIT
from pufferfish.exact.enclosure import Enclosure
from pufferfish.recoding.sampled import LARGEST_EPSILON, SampledPair, Witnesses, factor_lower

__all__ = ["Judged", "epsilon_over_region", "judge_over_region"]

# The number of times that ratios are improved, and the least growth to go on.
_ROUNDS, _SAME = 60, 1e-12
# The first distance of a bound from the ratio that is reached; it doubles until the bound is
# proven.
_ABOVE, _TRIES = 5e-8, 20
# A bound on the error of computed ratios.
_OFF = 1e-9
# Witnesses beyond this are not computed with.
_VAST = 1e100


class Judged(NamedTuple):
    """ε* and a bound on δ over the region, and the witnesses that prove them."""

    epsilon: Enclosure
    delta: float
    witnesses: Witnesses


def judge_over_region(
    pair: SampledPair, goal: Guarantee, recorded: tuple[float, Witnesses] | None = None
) -> Judged:
    """One direction of a pair, against a promise.

    Args:
        pair: The pair.
        goal: The promise. With δ > 0 nothing is claimed about ε*.
        recorded: A recorded ε* and its witnesses. If they prove the bound, nothing is searched; if
            not, they are not used.
    """
    written = () if recorded is None else recorded[1]
    if len(written) != len(pair.most):
        written = ()
    if not goal.pure:
        if written and _delta(pair, goal.epsilon, written) <= goal.delta:
            shown = written
        else:
            shown = _witnesses(pair, goal.epsilon)
        delta = min(_delta(pair, goal.epsilon, shown), 1.0)
        return Judged(Enclosure(0.0, math.inf), delta, shown)
    if recorded is not None and written and _keeps(pair, recorded[0], written):
        return _settled(Enclosure(0.0, recorded[0]), goal, written)
    found = epsilon_over_region(pair)
    if found.upper > goal.epsilon:
        shown = _witnesses(pair, goal.epsilon)
        if _keeps(pair, goal.epsilon, shown):
            return _settled(Enclosure(min(found.lower, goal.epsilon), goal.epsilon), goal, shown)
    shown = _witnesses(pair, found.upper) if math.isfinite(found.upper) else ()
    return _settled(found, goal, shown)


def epsilon_over_region(pair: SampledPair) -> Enclosure:
    """ε* over the region: a ratio that some laws reach, and a bound that all of them keep.

    A ratio that is reached is a bound for all outputs whose laws do not exceed it; the others are
    searched again, with the largest of their ratios.
    """
    largest, rest = 1.0, pair
    for _ in range(_ROUNDS):
        still_patient()
        ratios, exceeding = rest.search(largest)
        found = max(float(ratios.max(initial=1.0)), largest)
        if not math.isfinite(found):
            known = float(ratios[np.isfinite(ratios)].max(initial=largest))
            return Enclosure(_log_lower(known), math.inf)
        if found <= largest * (1.0 + _SAME):
            break
        largest, rest = found, rest.only(exceeding)
    above = _ABOVE
    for _ in range(_TRIES):
        upper = math.log(largest) + above
        if _keeps(pair, upper, _witnesses(pair, upper)):
            return Enclosure(_log_lower(largest), upper)
        above *= 2.0
    return Enclosure(_log_lower(largest), math.inf)


def _settled(epsilon: Enclosure, goal: Guarantee, witnesses: Witnesses) -> Judged:
    """If ε* is at most the goal's ε, then δ is 0; otherwise δ may be anything up to 1."""
    return Judged(epsilon, 0.0 if epsilon.upper <= goal.epsilon else 1.0, witnesses)


def _log_lower(ratio: float) -> float:
    return math.log(max(ratio * (1.0 - _OFF), 1.0))


def _witnesses(pair: SampledPair, epsilon: float) -> Witnesses:
    return pair.witnesses(factor_lower(epsilon))


def _delta(pair: SampledPair, epsilon: float, witnesses: Witnesses) -> float:
    """Σ_y of the positive parts, rounded up."""
    if any(not abs(number) <= _VAST for each in witnesses for number in each):
        return math.inf  # sums of such numbers prove nothing
    with np.errstate(over="ignore", invalid="ignore"):
        excess = pair.excess(factor_lower(epsilon), witnesses)
    if np.isnan(excess).any():
        return math.inf
    return math.fsum(np.maximum(excess, 0.0)) * (1.0 + 4.0 * UNIT)


def _keeps(pair: SampledPair, epsilon: float, witnesses: Witnesses) -> bool:
    """Whether witnesses prove that no laws differ by more than a factor of e^ε."""
    return epsilon <= LARGEST_EPSILON and not _delta(pair, epsilon, witnesses)
