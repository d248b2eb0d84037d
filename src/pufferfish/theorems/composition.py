"""What *repeated* releases of one value cost, by a coupling: the certificate that composes.

If every pair of priors has a coupling with P(|X − X'| > D) ≤ δ, with one D for all pairs, then T
releases of the same value with independent Laplace noises of scales b_t are together

    ( Σ_t D/b_t ,  δ ):     the ε's add, δ does not.

On grids γ_t: Σ (D + γ_t)/b_t. Where values may be missing, the hole is the same in each release,
and max(|log m_i/m_j|, |log (1−m_i)/(1−m_j)|) is charged once. For true laws within W_∞ ≤ r of the
believed ones, D grows by 2r. Proof, and why the exact certificate of one release does not compose:
docs/theory/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws, Scenario, SecretPair
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import float_upper
from pufferfish.core.validation import finite, nonnegative, positive, require
from pufferfish.exact.oracle import check_scenario
from pufferfish.exact.published import hole_epsilon
from pufferfish.noise import LaplaceNoise, Law, Noise, Stratified, check_noise
from pufferfish.theorems.coupling import displacements
from pufferfish.transport import COARSE, KNOTS, Displacement
from pufferfish.words.numbers import at_most

__all__ = ["ComposableCertificate", "adding_up", "composable"]

_LARGEST_EPSILON = 1e100


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposableCertificate:
    """For every pair and belief, X and X' can be coupled within a distance, up to probability δ.

    It uses none of the randomness that a belief ascribes to X, so releases of one value add up. For
    one release it is looser than the exact `Certificate`, and of its own kind.

    Attributes:
        noise: The law of each release that `cost` counts.
        delta: An upper bound of P(|X − X'| > distance_upper).
        distance_upper: D, including twice the radius asked for.
        once_upper: The ε that is charged once for any number of releases: for holes and rounded
            probabilities.
        belief: The adversary who decides D.
        pair: The pair that decides D.
        rows: The number of values that each release publishes. If there are several, the rows of
            one person, D is the sum of their distances (`theorems.rows`).
    """

    noise: LaplaceNoise
    delta: float
    distance_upper: float
    once_upper: float
    belief: str
    pair: SecretPair
    rows: int = 1

    def cost(self, releases: int = 1) -> Guarantee:
        """What the given number of releases with `noise` promise together."""
        require(
            isinstance(releases, int) and not isinstance(releases, bool) and releases >= 1,
            f"releases must be a whole number of at least 1, got {releases!r}.",
        )
        return self._promise(releases * self._each(self.noise))

    def total(self, noises: Iterable[LaplaceNoise]) -> Guarantee:
        """What releases with these noises promise together, rounded up."""
        return self._promise(sum((self._each(noise) for noise in noises), Fraction(0)))

    def scale_for(self, epsilon: float, releases: int = 1) -> float:
        """The scale, on the grid of `noise`, with which these releases together cost ε."""
        left = Fraction(positive("epsilon", epsilon)) - Fraction(self.once_upper)
        require(left > 0, f"epsilon must exceed what is charged once, {at_most(self.once_upper)}.")
        step = self.rows * Fraction(self.noise.grid or 0.0)
        return float_upper(releases * (Fraction(self.distance_upper) + step) / left)

    def _each(self, noise: LaplaceNoise) -> Fraction:
        """(D + k·γ)/b for k rows, exactly."""
        if not isinstance(noise, LaplaceNoise):
            raise UnsupportedError(f"only Laplace noise composes this way, got {noise!r}.")
        steps = self.rows * Fraction(noise.grid or 0.0)
        return (Fraction(self.distance_upper) + steps) / Fraction(noise.scale)

    def _promise(self, releases: Fraction) -> Guarantee:
        epsilon = float_upper(Fraction(self.once_upper) + releases)
        if epsilon > _LARGEST_EPSILON:
            raise UnsupportedError(
                f"these releases together cost more than any promise can state, ε = "
                f"{_LARGEST_EPSILON:g}."
            )
        # Coupled within distance 0, the laws are equal; a promise still needs some ε.
        return Guarantee(max(epsilon, 1e-100), self.delta)


def adding_up(laws: Iterable[Law]) -> list[LaplaceNoise] | None:
    """Laplace noise that protects two values no better than each of the laws; None without it.

    There is none for laws that differ by known values, which may change between two releases.
    """
    floors = [None if isinstance(law, Stratified) else law.at_floor for law in laws]
    known = [noise for noise in floors if isinstance(noise, LaplaceNoise)]
    return known if len(known) == len(floors) else None


def composable(
    scenario: Scenario, noise: Noise, delta: float, radius: float = 0.0
) -> ComposableCertificate | None:
    """The composable certificate of a noise law; None if no coupling bounds the distance.

    Args:
        scenario: What must look alike, to whom.
        noise: The law of each release; only Laplace noise composes this way.
        delta: The δ of all releases together. If it is 0, distances must be bounded.
        radius: How far in W_∞ the true laws may be from the believed ones.
    """
    check_scenario(scenario)
    check_noise(noise)
    share = finite("delta", delta)
    require(0.0 <= share < 1.0, f"delta must be at least 0 and less than 1, got {share:g}.")
    wrong = nonnegative("radius", radius)
    if not isinstance(noise, LaplaceNoise) or scenario.sampled:
        return None  # the couplings are those of the described laws alone
    # Secrets that are equal as keys, such as 0 and False, are still different secrets by name.
    names = tuple(repr(pair) for pair in scenario.pairs)
    distance, once, worst = _largest_distance(scenario, names, share)
    total = math.nextafter(distance + 2.0 * wrong, math.inf) if wrong else distance
    if not math.isfinite(total + once):
        return None
    return ComposableCertificate(
        noise=noise,
        delta=share,
        distance_upper=total,
        once_upper=once,
        belief=worst.belief,
        pair=worst.pair,
    )


@lru_cache(maxsize=4)
def _largest_distance(
    scenario: Scenario, names: tuple[str, ...], delta: float
) -> tuple[float, float, PairOfLaws]:
    """D for all pairs, the ε that is charged once, and the pair that decides."""
    distance, once = -1.0, 0.0
    for laws in scenario.laws():
        apart = 2.0 * laws.radius
        known = math.nextafter(distance - apart, -math.inf) if apart else distance
        found, charge = _distance(laws, delta, at_least=known)
        if apart and found > known:
            found = math.nextafter(found + apart, math.inf)
        if found > distance:
            distance, worst = found, laws
        once = max(once, charge + hole_epsilon(laws.missing_first, laws.missing_second))
    return distance, once, worst


def _distance(laws: PairOfLaws, delta: float, at_least: float) -> tuple[float, float]:
    """The pair's own D and the ε charged once with it; `at_least` if that suffices."""
    # One of many pairs decides; a coarse bound is enough to rule out the others.
    for knots in (COARSE, KNOTS):
        found = displacements(laws.first, laws.second, knots)
        if at_least >= 0.0:
            for each in found:
                if each.exceeds_upper(at_least) <= _most_allowed(each, delta):
                    return at_least, each.charge
    return min((each.quantile_upper(_most_allowed(each, delta)), each.charge) for each in found)


def _most_allowed(displacement: Displacement, delta: float) -> float:
    """The δ that the coupled laws may take, so that the laws asked for take no more than δ."""
    return delta * math.exp(-displacement.charge) * (1.0 - 2.0**-50)
