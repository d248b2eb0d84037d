"""The peer: ∫ (p − e^ε q)_+ by SciPy's adaptive quadrature (QUADPACK), with closed-form densities.

Two integrands. `stable` takes both densities from the library's own closed form, good for any ratio
of std to scale. `fused` is written for speed alone: each kernel N(μ, σ²) + Lap(b) is two terms
e^{log Φ(αy + β) + γy + κ}, and all terms of p and q are one vector, so one value is five NumPy
calls; its exponents cancel catastrophically once std/scale is large.

The line is cut at every mean and a few scales beyond the outer ones, so that no feature can be
missed; beyond 40 scales less than 1e-17 is left. The corners where p = e^ε q are left to the
adaptivity. The result is δ only (not ε*), with an error estimate, not a bound.
"""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.special import log_ndtr

import pufferfish as pf

_BEYOND = (3.0, 10.0, 40.0)


Integrand = Callable[
    [pf.GaussianMixture, pf.GaussianMixture, float, float], Callable[[float], float]
]


def hockey_stick(
    p: pf.GaussianMixture,
    q: pf.GaussianMixture,
    scale: float,
    epsilon: float,
    accuracy: float,
    positive_part: Integrand,
) -> float:
    """HS_ε(P‖Q) with an absolute error of about `accuracy`."""
    integrand = positive_part(p, q, scale, epsilon)
    means = sorted([*p.means, *q.means])
    cuts = [
        *(means[0] - scale * step for step in reversed(_BEYOND)),
        *means,
        *(means[-1] + scale * step for step in _BEYOND),
    ]
    share = accuracy / (len(cuts) - 1)
    pieces = (
        quad(integrand, low, high, epsabs=share, epsrel=0.0, limit=1000)[0]
        for low, high in pairwise(cuts)
    )
    return math.fsum(pieces)


def stable(
    p: pf.GaussianMixture, q: pf.GaussianMixture, scale: float, epsilon: float
) -> Callable[[float], float]:
    """(p − e^ε q)_+ from the closed form that holds its digits everywhere."""
    noise = pf.LaplaceNoise(scale)
    first, second = pf.output_law(p, noise), pf.output_law(q, noise)

    def value(y: float) -> float:
        log_p, log_q = float(first.log_density(y)), float(second.log_density(y)) + epsilon
        return max(math.exp(log_p) - math.exp(log_q), 0.0)

    return value


def fused(
    p: pf.GaussianMixture, q: pf.GaussianMixture, scale: float, epsilon: float
) -> Callable[[float], float]:
    """(p − e^ε q)_+ as one weighted sum of exponentials, for moderate std/scale only."""
    means = np.tile([*p.means, *q.means], 2)
    stds = np.tile([*p.stds, *q.stds], 2)
    signed = np.array([*p.weights, *(-math.exp(epsilon) * weight for weight in q.weights)])
    weights = np.tile(signed, 2) / (2.0 * scale)
    side = np.repeat([1.0, -1.0], means.size // 2)
    ratio = stds / scale
    alpha, beta = side / stds, -side * means / stds - ratio
    gamma, kappa = -side / scale, 0.5 * ratio * ratio + side * means / scale

    def value(y: float) -> float:
        return max(float(weights @ np.exp(log_ndtr(alpha * y + beta) + gamma * y + kappa)), 0.0)

    return value
