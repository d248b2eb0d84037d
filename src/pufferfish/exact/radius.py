"""Laws within a distance of the believed ones: the largest δ and ε* among them.

A belief of radius r stands for every law within W_∞ ≤ r of its priors, with the same holes. Moving
a value by r changes a Laplace density by a factor of at most e^κ, κ = r/b, so

    HS_ε ≤ e^κ·HS_{ε−2κ}(believed),   ε* ≤ ε*(believed) + 2κ

for the continuous laws. On a grid a small move may become a whole step. The formula of the grid
holds for any laws, so it is applied after these. (An upper bound that uses how the believed values
lie on the grid could not be used here.)

Under Gaussian noise of std θ and grid γ a value moves by at most D = r + γ after rounding, so that
both laws of Y are (a, δ₀)-close to the believed ones, for any t ≥ 0: a = (D/θ)(t + D/2θ),
δ₀ = e^{−t²/2}. Hence HS_ε ≤ e^a·HS_{ε−2a}(believed) + (1 + e^{ε−a})·δ₀; and by total variation
η = D/(θ√(2π)) also HS_ε ≤ HS_ε(believed) + (1 + e^ε)·η. Nothing bounds ε*.

The believed laws are among those covered, so their own lower bounds hold. Proofs:
docs/theory/radius.md.
"""

from __future__ import annotations

import math

from pufferfish.exact.enclosure import Enclosure
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise

__all__ = ["delta_within", "epsilon_within", "inner_epsilon", "radius_factor"]

_UP = 1.0 + 2.0**-50
# t and e^{−t²/2}.
_FAR = 9.5
_UNLIKELY = 2.6e-20


def inner_epsilon(radius: float, noise: Noise, epsilon: float) -> float:
    """The ε, besides ε itself, at which δ of the believed laws is needed."""
    if isinstance(noise, LaplaceNoise):
        return math.nextafter(epsilon - 2.0 * _kappa(radius, noise), -math.inf)
    if isinstance(noise, GaussianNoise):
        return math.nextafter(epsilon - 2.0 * _closeness(radius, noise), -math.inf)
    return epsilon


def delta_within(
    radius: float, noise: Noise, epsilon: float, believed: Enclosure, inner: Enclosure
) -> Enclosure:
    """The largest δ at ε, from that of the believed laws at ε and at `inner_epsilon`; r > 0."""
    upper = 1.0
    if isinstance(noise, LaplaceNoise):
        upper = _scale(inner.upper, _kappa(radius, noise))
    elif isinstance(noise, GaussianNoise):
        factor = 1.0 + math.exp(min(epsilon, 700.0))
        close = _scale(inner.upper, _closeness(radius, noise)) + factor * _UNLIKELY
        moved = _reach(radius, noise) / (noise.std * math.sqrt(2.0 * math.pi))
        upper = min(close, believed.upper + factor * moved * _UP)
    return Enclosure(believed.lower, min(upper * _UP, 1.0))


def epsilon_within(radius: float, noise: Noise, believed: Enclosure) -> Enclosure:
    """The largest supremum of the log-ratio, from that of the believed laws."""
    if radius == 0.0:
        return believed
    if not isinstance(noise, LaplaceNoise):
        return Enclosure(believed.lower, math.inf)
    upper = believed.upper + 2.0 * _kappa(radius, noise)
    return Enclosure(believed.lower, math.nextafter(upper, math.inf))


def radius_factor(radius: float, noise: LaplaceNoise) -> float:
    """The factor by which δ may exceed that of the believed laws at `inner_epsilon`."""
    return _growth(_kappa(radius, noise)) * _UP


def _scale(delta: float, exponent: float) -> float:
    """e^exponent·delta, rounded up."""
    return 0.0 if delta == 0.0 else delta * _growth(exponent)


def _growth(exponent: float) -> float:
    """e^exponent, rounded up."""
    return math.exp(exponent) * _UP if exponent < 700.0 else math.inf


def _reach(radius: float, noise: GaussianNoise) -> float:
    """D, the distance that a value may move once both are rounded to the grid."""
    return (radius + (noise.grid or 0.0)) * _UP


def _closeness(radius: float, noise: GaussianNoise) -> float:
    """a, rounded up."""
    share = _reach(radius, noise) / noise.std
    return share * (_FAR + 0.5 * share) * _UP


def _kappa(radius: float, noise: LaplaceNoise) -> float:
    """r/b, rounded up."""
    return radius / noise.scale * _UP
