"""What *repeated* releases of one value cost, by a coupling: the certificate that composes.

If every pair of priors has a coupling with P(|X − X'| > D) ≤ δ, with one D for all pairs, then T
releases of the same value with independent Laplace noises of scales b_t are together

    ( Σ_t D/b_t ,  δ ):     the ε's add, δ does not.

On grids γ_t: Σ (D + γ_t)/b_t. Where values may be missing the hole is the same in each release, and
max(|log m_i/m_j|, |log (1−m_i)/(1−m_j)|) is charged once. For true laws within W_∞ ≤ r of the
believed ones D grows by 2r. Proof, and why the exact certificate of one release does not compose:
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
from pufferfish.noise import LaplaceNoise, Noise, check_noise
from pufferfish.theorems.coupling import displacements
from pufferfish.transport import COARSE, KNOTS, Displacement

__all__ = ["ComposableCertificate", "adding_up", "composable"]

_LARGEST_EPSILON = 1e100


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposableCertificate:
    """X and X' can be coupled within a distance, but for probability δ, for every pair and belief.

    It spends nothing of the randomness that a belief ascribes to X, so releases of one value add
    up. Looser for one release than the exact `Certificate`, and of its own kind.

    Attributes:
        noise: The law of each release that `cost` counts.
        delta: P(|X − X'| > distance_upper), at most.
        distance_upper: D, with twice the radius asked for.
        once_upper: ε that is charged once, however many releases: holes, rounded probabilities.
        belief: The adversary who decides D.
        pair: The pair that decides D.
        rows: How many values each release publishes. With several, the rows of one person, D is the
            sum of their distances (`theorems.rows`).
    """

    noise: LaplaceNoise
    delta: float
    distance_upper: float
    once_upper: float
    belief: str
    pair: SecretPair
    rows: int = 1

    def cost(self, releases: int = 1) -> Guarantee:
        """What this many releases with `noise` promise together."""
        require(
            isinstance(releases, int) and not isinstance(releases, bool) and releases >= 1,
            f"releases must be a whole number of at least 1, got {releases!r}.",
        )
        return self._promise(releases * self._each(self.noise))

    def total(self, noises: Iterable[LaplaceNoise]) -> Guarantee:
        """What releases with these noises promise together, rounded up."""
        return self._promise(sum((self._each(noise) for noise in noises), Fraction(0)))

    def scale_for(self, epsilon: float, releases: int = 1) -> float:
        """The scale, on the grid of `noise`, with which this many releases cost ε in all."""
        left = Fraction(positive("epsilon", epsilon)) - Fraction(self.once_upper)
        require(left > 0, f"epsilon must exceed what is charged once, {self.once_upper:g}.")
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
            raise UnsupportedError("these releases cost more than any promise can say.")
        # Coupled within distance 0, the laws are the same; a promise needs some ε all the same.
        return Guarantee(max(epsilon, 1e-100), self.delta)


def adding_up(noises: Iterable[Noise]) -> list[LaplaceNoise]:
    """Those whose costs add up in this way."""
    return [noise for noise in noises if isinstance(noise, LaplaceNoise)]


def composable(
    scenario: Scenario, noise: Noise, delta: float, radius: float = 0.0
) -> ComposableCertificate | None:
    """The composable certificate of a noise law, or None where no coupling bounds the distance.

    Args:
        scenario: What must look alike, to whom.
        noise: The law of each release; only Laplace noise composes this way.
        delta: The δ of all releases together. With 0, distances must be bounded.
        radius: How far in W_∞ the true laws may be from the believed ones.
    """
    check_scenario(scenario)
    check_noise(noise)
    share = finite("delta", delta)
    require(0.0 <= share < 1.0, f"delta must be at least 0 and less than 1, got {share:g}.")
    wrong = nonnegative("radius", radius)
    if not isinstance(noise, LaplaceNoise) or scenario.sampled:
        return None  # values are coupled as the described laws have them
    # Secrets that are equal as keys, such as 0 and False, are still different names.
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
    """D for all pairs, what is charged once, and the pair that decides."""
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
    """The pair's own D and what is charged once with it; `at_least` if that suffices."""
    # Of many pairs one decides; a coarse look is enough to see that the others do not.
    for knots in (COARSE, KNOTS):
        found = displacements(laws.first, laws.second, knots)
        if at_least >= 0.0:
            for each in found:
                if each.exceeds_upper(at_least) <= _most_allowed(each, delta):
                    return at_least, each.charge
    return min((each.quantile_upper(_most_allowed(each, delta)), each.charge) for each in found)


def _most_allowed(displacement: Displacement, delta: float) -> float:
    """What the coupled laws may lose, so that the laws asked for lose no more than δ."""
    return delta * math.exp(-displacement.charge) * (1.0 - 2.0**-50)
