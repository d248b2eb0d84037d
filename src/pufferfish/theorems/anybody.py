"""What draws of a row cost whatever anybody believes: prices of laws that add up.

M(x,y) is the probability that y is published for x, over all rows x of the map, including that of
unseen values. Then

    Λ = max_y log( max_x M(x,y) / min_x M(x,y) )

bounds what a draw reveals between any two rows. Where each value of known columns has a map of its
own, Λ is the largest of all. T releases, each drawn afresh, cost Λ_1 + … + Λ_T together, δ = 0, for
every law of what the rows hold, given what is known: also for laws that are wrong, by any share,
and for all laws of a sampling region. A floor κ keeps Λ at most κ times the largest distance; a map
that claims no floor has no price. Laplace noise of scale b, on a grid γ, costs (Δ + γ)/b where all
values are capped to bounds that are Δ apart. A hole that is published as a hole has no price.

Proof: docs/theory/composition.md, "Whatever anybody believes".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.numerics import float_upper
from pufferfish.noise import Law, Stratified, as_noise
from pufferfish.recoding.exact import exp_lower
from pufferfish.recoding.law import Recoding

__all__ = ["cost_for_anybody", "price_of", "width_of"]


def cost_for_anybody(scenario: Scenario, laws: Iterable[Law], width: float = math.inf) -> float:
    """Λ_1 + … + Λ_T of releases, rounded up; infinite where nothing bounds one of them.

    Args:
        scenario: Says whether values may be missing. Its laws and pairs do not matter.
        laws: What is applied in each release.
        width: How far apart two values of a column of numbers can be.
    """
    holes = any(any(each.missing.values()) for each in scenario.beliefs)
    prices = [math.inf if holes and not law.takes_missing else price_of(law, width) for law in laws]
    if not all(map(math.isfinite, prices)):
        return math.inf
    return float_upper(sum(map(Fraction, prices), Fraction(0)))


def width_of(cap: tuple[float, float] | None) -> float:
    """The largest distance between two values within these bounds, rounded up."""
    if cap is None:
        return math.inf
    low, high = cap
    return float_upper(Fraction(high) - Fraction(low))


def price_of(law: Law, width: float = math.inf) -> float:
    """Λ of one release, rounded up; infinite where nothing bounds it.

    Args:
        law: What is applied to a row.
        width: How far apart two values of a column of numbers can be.
    """
    if isinstance(law, Stratified):
        return max(price_of(each, width) for each in law)
    if isinstance(law, Recoding):
        if law.kappa is None:
            # It may have a finite price too, but it was not made to be small.
            return math.inf
        whole = _price_of_map(law)
        if law.noise is None or law.takes_missing:
            # Noise that is added first does not blur whether there is a value.
            return whole
        return min(price_of(law.noise, width), whole)
    if law.ratio_scale > 0.0 and math.isfinite(width):
        apart = Fraction(width) + Fraction(as_noise(law).grid or 0.0)
        return float_upper(apart / Fraction(law.ratio_scale))
    return math.inf


def _price_of_map(law: Recoding) -> float:
    # The row of unseen values lies between the least and the largest of all others.
    largest, least = np.max(law.table, axis=0).tolist(), np.min(law.table, axis=0).tolist()
    pairs = [(high, low) for high, low in zip(largest, least, strict=True) if high]
    if any(not low for _, low in pairs):
        return math.inf
    return _log_upper(max(Fraction(high, low) for high, low in pairs))


def _log_upper(ratio: Fraction) -> float:
    """A number ε with e^ε at least the ratio, which is 1 or more; proven in whole numbers."""
    found = math.log(ratio.numerator) - math.log(ratio.denominator)
    step = 1e-15
    while exp_lower(found) < ratio:
        found, step = found + step, 2.0 * step
    return found
