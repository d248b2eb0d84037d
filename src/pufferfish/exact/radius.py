"""Laws within a distance of the believed ones: the largest δ and ε* among them.

A belief of radius r stands for every law within W_∞ ≤ r of its priors, with the same holes. Moving
a value by r changes a Laplace density by a factor of at most e^κ, κ = r/b, whatever the grid, so

    HS_ε ≤ e^κ·HS_{ε−2κ}(believed),   ε* ≤ ε*(believed) + 2κ.

Under Gaussian noise of std θ and grid γ each law of Y moves by at most η = (r + γ)/(θ√(2π)) in
total variation, so HS_ε ≤ HS_ε(believed) + (1 + e^ε)·η, and nothing bounds ε*. The believed laws
are among those meant, so their own lower bounds stand. Proofs: docs/theory/radius.md.
"""

from __future__ import annotations

import math

from pufferfish.exact.enclosure import Enclosure
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise

__all__ = ["delta_within", "epsilon_within", "inner_epsilon"]

_UP = 1.0 + 2.0**-50


def inner_epsilon(radius: float, noise: Noise, epsilon: float) -> float:
    """Where the believed laws' δ is wanted."""
    if isinstance(noise, LaplaceNoise):
        return math.nextafter(epsilon - 2.0 * _kappa(radius, noise), -math.inf)
    return epsilon


def delta_within(
    radius: float, noise: Noise, epsilon: float, believed: Enclosure, inner: Enclosure
) -> Enclosure:
    """The largest δ at ε, from that of the believed laws at ε and at `inner_epsilon`; r > 0."""
    if isinstance(noise, LaplaceNoise):
        upper = inner.upper * math.exp(min(_kappa(radius, noise), 700.0)) * _UP
    elif isinstance(noise, GaussianNoise):
        moved = (radius + (noise.grid or 0.0)) / (noise.std * math.sqrt(2.0 * math.pi))
        upper = inner.upper + (1.0 + math.exp(min(epsilon, 700.0))) * moved * _UP
    else:
        upper = 1.0
    return Enclosure(believed.lower, min(upper * _UP, 1.0))


def epsilon_within(radius: float, noise: Noise, believed: Enclosure) -> Enclosure:
    """The largest supremum of the log-ratio, from that of the believed laws."""
    if radius == 0.0:
        return believed
    if not isinstance(noise, LaplaceNoise):
        return Enclosure(believed.lower, math.inf)
    upper = believed.upper + 2.0 * _kappa(radius, noise)
    return Enclosure(believed.lower, math.nextafter(upper, math.inf))


def _kappa(radius: float, noise: LaplaceNoise) -> float:
    """r/b, rounded up."""
    return radius / noise.scale * _UP
