"""Choosing ε: from the accuracy that is wanted to the strongest promise that permits it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from scipy.special import ndtri

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.least_noise import calibrate_noise, recertify
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.rows import SeveralRows, calibrate_rows, share
from pufferfish.core.errors import UnreachableGoalError
from pufferfish.core.ladder import Rounding, rung_up
from pufferfish.core.validation import finite, positive, require
from pufferfish.exact import privacy_profile, pure_epsilon
from pufferfish.insight.guesses import accuracy_allowed, accuracy_upper
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise, NoNoise
from pufferfish.theorems import Dependence
from pufferfish.words.numbers import at_most

__all__ = [
    "EPSILONS",
    "Choice",
    "choices",
    "half_width",
    "least_epsilon",
    "noise_for_mean",
    "noise_for_value",
    "noise_of_size",
]

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
# The grid of noise that is chosen by its size, as a fraction of the size. Gaussian noise pays for
# its grid in δ, more for larger ε; a finer grid leaves room for rounding ε up.
_GRID_SHIFTS = {"laplace": 30, "gaussian": 40}
_LARGEST_EPSILON = 700.0
_UP = 1.0 + 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One promise, and what it means for users of the column and for adversaries.

    Attributes:
        goal: The promise.
        noise: The noise that it needs.
        half_width: A published value is this close to the true one, with `confidence`.
        confidence: See `half_width`.
        accuracy_after: How often an ideal adversary guesses right between two secrets, at most.
        accuracy_allowed: The same, by the promise alone.
    """

    goal: Guarantee
    noise: Noise
    half_width: float
    confidence: float
    accuracy_after: float
    accuracy_allowed: float


def choices(
    scenario: Scenario,
    delta: float = 0.0,
    noise: Literal["laplace", "gaussian"] = "laplace",
    confidence: float = 0.95,
    epsilons: tuple[float, ...] = EPSILONS,
    *,
    rows: int = 1,
    dependence: Dependence = "any",
    cap: tuple[float, float] | None = None,
) -> tuple[Choice, ...]:
    """A table to choose ε from: noise, accuracy and the adversary's success for several.

    Args:
        scenario: What must look alike, to whom.
        delta: The δ of the promise.
        noise: "laplace" or "gaussian".
        confidence: The confidence of the accuracy of a value.
        epsilons: The ε to try.
        rows: How many rows of one person the promise is for.
        dependence: What is assumed about these rows, as in `Plan`.
        cap: The bounds to which values are capped, if any.

    Raises:
        UnreachableGoalError: None of them can be reached.
    """
    level = _check_confidence(confidence)
    require(bool(epsilons), "epsilons must not be empty.")
    # As a plan would use it.
    rounding: Rounding | None = None if _public(scenario) else "ladder"
    found = []
    for epsilon in epsilons:
        goal = Guarantee(epsilon, delta)
        try:
            if SeveralRows(rows, dependence).apart:
                law = calibrate_noise(scenario, share(goal, rows), noise, rounding=rounding).noise
            else:
                law = calibrate_rows(
                    scenario, goal, rows, dependence, cap=cap, rounding=rounding
                ).noise
        except UnreachableGoalError as error:
            refused = error
            continue
        found.append(
            Choice(
                goal=goal,
                noise=law,
                half_width=half_width(law, level),
                confidence=level,
                accuracy_after=accuracy_upper(scenario, law),
                accuracy_allowed=accuracy_allowed(goal),
            )
        )
    if not found:
        raise refused
    return tuple(found)


def half_width(noise: Noise, confidence: float) -> float:
    """t with P(|N| ≤ t) = confidence."""
    return noise.half_width(confidence)


def noise_for_value(
    noise: Literal["laplace", "gaussian"], tolerance: float, confidence: float = 0.95
) -> Noise:
    """The largest noise with which each value is within ± `tolerance`, with `confidence`."""
    width = positive("accuracy", tolerance)
    level = _check_confidence(confidence)
    # Rounding to the grid may add this much.
    return _on_grid(noise, width / half_width(_unit(noise), level) * (1.0 - 2.0**-20))


def noise_for_mean(
    noise: Literal["laplace", "gaussian"], tolerance: float, rows: int, confidence: float = 0.95
) -> Noise:
    """The largest noise with which the mean of `rows` values is within ± `tolerance`.

    The mean of many independent draws is close to normal, of std √(Var N / rows).
    """
    width = positive("accuracy of the mean", tolerance)
    level = _check_confidence(confidence)
    require(rows >= 1, "the mean needs at least one row.")
    std = width * math.sqrt(rows) / float(ndtri(0.5 + 0.5 * level))
    return _on_grid(noise, std / _unit(noise).std * (1.0 - 2.0**-20))


def noise_of_size(noise: Literal["laplace", "gaussian"], size: float) -> Noise:
    """The law of this scale (for Gaussian noise: of this std), on a grid."""
    given = positive("size", size)
    below = math.frexp(given)[1] - 1
    return replace(_unit(noise).resized(given), grid=math.ldexp(1.0, below - _GRID_SHIFTS[noise]))


def least_epsilon(scenario: Scenario, noise: Noise, delta: float = 0.0) -> Calibration:
    """The strongest promise that a noise law keeps at this δ, with its certificate.

    The noise counts as chosen without the data. So ε depends on private beliefs, and is rounded
    up to a rung of the public ladder. A plan with it has `rounding="given"`.

    Raises:
        UnreachableGoalError: No ε is enough: Gaussian noise with δ = 0, or missing values that
            reveal too much.
    """
    share = finite("delta", delta)
    require(0.0 <= share < 1.0, f"delta must be at least 0 and less than 1, got {share:g}.")
    pure = share == 0.0
    epsilon = pure_epsilon(scenario, noise).upper if pure else _root(scenario, noise, share)
    epsilon = max(epsilon * _UP, 1e-12)
    if epsilon <= _LARGEST_EPSILON and not _public(scenario):
        # ε will be published, and depends on private beliefs.
        epsilon = rung_up(epsilon)
    if not 0.0 <= epsilon <= _LARGEST_EPSILON:
        raise UnreachableGoalError(
            f"with this little noise no promise with δ = {at_most(share)} holds, however large ε "
            "is: allow a larger delta (--delta), or ask for less accuracy."
        )
    return recertify(scenario, Guarantee(epsilon, share), noise, method="given")


def _root(scenario: Scenario, noise: Noise, delta: float) -> float:
    """The least ε with δ(ε) ≤ delta, rounded up; inf where none was found.

    For the continuous law δ(ε) only falls. What the grid of Gaussian noise costs rises with ε, so
    the search for the least ε on the grid begins just above that of the continuous law.
    """

    def kept(law: Noise, epsilon: float) -> bool:
        return privacy_profile(scenario, law, [epsilon]).delta_upper[0] <= delta

    ideal = noise.ideal()
    low, high = 0.0, 1.0
    while not kept(ideal, high):
        low, high = high, 2.0 * high
        if high > _LARGEST_EPSILON:
            return math.inf
    low = high = _bisect(partial(kept, ideal), low, high)
    step = 1e-9
    while not kept(noise, high := low * (1.0 + step)):
        step *= 2.0
        if step > 1.0:
            return math.inf
    return _bisect(partial(kept, noise), low * (1.0 + 0.5 * step), high)


def _bisect(kept: Callable[[float], bool], low: float, high: float) -> float:
    """The least ε that is kept, between one that may not be kept and one that is."""
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if kept(middle) else (middle, high)
    return high


def _public(scenario: Scenario) -> bool:
    return all(belief.public for belief in scenario.beliefs)


def _unit(noise: str) -> LaplaceNoise | GaussianNoise:
    require(
        noise in ("laplace", "gaussian"), f'noise must be "laplace" or "gaussian", got {noise!r}.'
    )
    return LaplaceNoise(1.0) if noise == "laplace" else GaussianNoise(1.0)


def _on_grid(noise: Literal["laplace", "gaussian"], size: float) -> Noise:
    """A law of this size, rounded down to three digits, on a grid."""
    unit = 10.0 ** (math.floor(math.log10(size)) - 2)
    short = float(f"{math.floor(size / unit) * unit:.3g}")
    return noise_of_size(noise, short) if short > 0.0 else NoNoise()


def _check_confidence(confidence: float) -> float:
    level = finite("confidence", confidence)
    require(0.0 < level < 1.0, f"confidence must lie between 0 and 1, got {level:g}.")
    return level
