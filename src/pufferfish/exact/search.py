"""The least noise that one pair or several pairs need: bracket, root, private side.

Adding noise is post-processing (Lap(b₂) is Lap(b₁) plus an independent variable for b₂ > b₁, and
likewise for Gaussian noise), so "this size suffices" is monotone: there is one root to find.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import CertificationError, UnreachableGoalError
from pufferfish.exact.pair import PairOracle
from pufferfish.exact.parallel import Progress, Workers
from pufferfish.exact.single import delta_for_goal
from pufferfish.exact.tails import tail_supremum
from pufferfish.noise import LaplaceNoise, Noise

__all__ = [
    "HOPELESS",
    "Judge",
    "NoiseFamily",
    "least_size",
    "least_size_of_all",
    "log_excess",
    "oracle_shortfall",
    "raise_size",
    "shortfall",
]

# The law of a given size: its scale or std, with the grid that goes with it.
NoiseFamily = Callable[[float], Noise]
# How much a pair's loss under a law exceeds the goal, as a logarithm: at most 0 if it is kept.
Judge = Callable[[PairOfLaws, Noise, Guarantee], float]

_FIRST_BATCH = 64
_RELATIVE = 1e-10
# Sizes are searched for between these logarithms: 1e-70, with room for a grid, and 1e95.
_SMALLEST = math.log(1e-70)
_LARGEST = math.log(1e95)
# As logarithms: a promise kept with no loss at all, and one out of reach.
_FLOOR = -300.0
HOPELESS = 300.0
# An enclosure of δ this small may consist of rounding alone.
_RESOLVED = 1e-12


def shortfall(laws: PairOfLaws, noise: Noise, goal: Guarantee) -> float:
    """How much the certified loss exceeds the goal, as a logarithm: at most 0 if it is kept."""
    return oracle_shortfall(PairOracle(laws, noise), goal)


def oracle_shortfall(oracle: PairOracle, goal: Guarantee) -> float:
    """`shortfall`, with an oracle that already exists."""
    if goal.pure:
        return log_excess(oracle.epsilon().worst.upper, goal.epsilon)
    found = delta_for_goal(oracle, goal).worst.upper
    # A δ too small for the sums to resolve is still kept if ε* ≤ ε: then δ is 0.
    if goal.delta < found < _RESOLVED and oracle.epsilon().worst.upper <= goal.epsilon:
        return _FLOOR
    return log_excess(found, goal.delta)


def log_excess(found: float, limit: float) -> float:
    """log(found/limit), kept finite for a root finder."""
    if not math.isfinite(found):
        return HOPELESS
    if found <= 0.0:
        return _FLOOR
    excess = math.log(found) - math.log(limit)
    # A kept promise is never reported as broken by the rounding of a logarithm, nor the reverse.
    return min(excess, 0.0) if found <= limit else max(excess, 1e-300)


def least_size(
    laws: PairOfLaws, family: NoiseFamily, goal: Guarantee, judge: Judge = shortfall
) -> float:
    """A size that is certified for this pair, at most about 1e-9 (relative) above the least.

    Args:
        laws: The pair.
        family: The noise law of a given size.
        goal: The promise.
        judge: The amount by which a law falls short of the goal; it falls with the size of the
            noise.
    """
    # Imported here: at the top it would take half of the time to import the library.
    from scipy.optimize import brentq  # noqa: PLC0415

    def short(log_size: float) -> float:
        return judge(laws, family(math.exp(log_size)), goal)

    low, high = _bracket(laws, short, goal)
    if low == high:
        return math.exp(high)
    root = brentq(short, low, high, xtol=_RELATIVE, rtol=4.0 * 2.0**-52, maxiter=200)
    step = _RELATIVE
    while step < 1e-3:
        size = math.exp(root + step)
        if judge(laws, family(size), goal) <= 0.0:
            return size
        step *= 4.0
    raise CertificationError(
        f"no size near {math.exp(root):g} could be certified for {describe(laws)}; "
        "the promise is finer than double precision can decide."
    )


def raise_size(
    laws: PairOfLaws,
    family: NoiseFamily,
    goal: Guarantee,
    judge: Judge = shortfall,
    size: float = 0.0,
) -> float:
    """`size`, if it is given and suffices for this pair, or else the pair's least size."""
    if size > 0.0 and judge(laws, family(size), goal) <= 0.0:
        return size
    return max(size, least_size(laws, family, goal, judge))


def least_size_of_all(
    pairs: list[PairOfLaws],
    family: NoiseFamily,
    goal: Guarantee,
    judge: Judge,
    workers: Workers,
    progress: Progress | None,
) -> float:
    """The largest of the pairs' least sizes: solve the hardest pair first, then mostly check."""
    rest = _hardest_first(pairs, family, goal)
    size = least_size(rest.pop(0), family, goal, judge)
    # Each batch starts from the largest size so far; with workers, a small first batch sets it.
    batch = 1 if workers.count == 1 else _FIRST_BATCH
    while rest:
        task = partial(raise_size, family=family, goal=goal, judge=judge, size=size)
        size = max(workers.map(task, rest[:batch]))
        rest = rest[batch:]
        batch = 1 if workers.count == 1 else len(rest)
        if progress is not None:
            progress(len(pairs) - len(rest), len(pairs))
    return size


def _hardest_first(
    pairs: list[PairOfLaws], family: NoiseFamily, goal: Guarantee
) -> list[PairOfLaws]:
    """The pairs that seem to need most noise first; this only decides the order of the work.

    Under Laplace noise the odds change most far out, where the limit is known; so pairs are ordered
    by that limit, under noise of a typical size.
    """
    typical = max(_typical_size(laws, goal) for laws in pairs)
    noise = family(math.exp(min(max(math.log(typical), _SMALLEST), _LARGEST)))
    if not isinstance(noise, LaplaceNoise):
        return sorted(pairs, key=_apart, reverse=True)
    return sorted(pairs, key=lambda laws: _far_out(laws, noise), reverse=True)


def _far_out(laws: PairOfLaws, noise: LaplaceNoise) -> float:
    """The larger of the limits of |log p/q| on both sides."""
    p, q = laws.first.components(), laws.second.components()
    return max(abs(tail_supremum(p, q, noise, side, 0.0).lower) for side in (-1.0, 1.0))


def _apart(laws: PairOfLaws) -> float:
    """The difference of means and of spreads."""
    first, second = laws.first, laws.second
    spreads = math.sqrt(first.variance), math.sqrt(second.variance)
    return abs(first.mean - second.mean) + 2.0 * abs(spreads[0] - spreads[1])


def describe(laws: PairOfLaws) -> str:
    """The pair and the belief, for a message."""
    return f"the pair ({laws.pair.first!r}, {laws.pair.second!r}) of belief {laws.belief!r}"


def _bracket(
    laws: PairOfLaws, short: Callable[[float], float], goal: Guarantee
) -> tuple[float, float]:
    """log sizes (too small, large enough), found in strides that double."""
    stride = math.log(2.0)
    low = high = min(max(math.log(_typical_size(laws, goal)), _SMALLEST), _LARGEST)
    if short(high) > 0.0:
        while high < _LARGEST:
            low, high = high, min(high + stride, _LARGEST)
            if short(high) <= 0.0:
                return low, high
            stride *= 2.0
        raise UnreachableGoalError(
            f"even noise of size {math.exp(high):.3g} cannot be certified for {goal} and "
            f"{describe(laws)}: either there is a difference that no noise removes (missing "
            "values; tails under Gaussian noise), or the goal is finer than double precision can "
            "decide. Choose a larger epsilon or delta."
        )
    while low > _SMALLEST:
        low, high = max(low - stride, _SMALLEST), low
        if short(low) > 0.0:
            return low, high
        stride *= 2.0
    # Sizes this small are as good as no noise; the caller has already checked that this does not
    # suffice.
    return low, low


def _typical_size(laws: PairOfLaws, goal: Guarantee) -> float:
    """A first guess: the noise that would hide the difference of means and of spreads."""
    first, second = laws.first, laws.second
    apart = abs(first.mean - second.mean)
    spreads = math.sqrt(first.variance), math.sqrt(second.variance)
    size = apart + abs(spreads[0] - spreads[1]) + 1e-3 * max(spreads)
    if size == 0.0:  # two point masses at the same value
        size = 1.0
    return max(size / min(goal.epsilon, 10.0), 1e-300)
