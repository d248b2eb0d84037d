"""Caps on sup log p/q that are exact, with no rounding error.

Match the components of two priors one to one, component m of weight w_m, mean μ_m with one of
weight v_m, mean ν_m and the same std. Then p/q is a weighted mean of the quotients of matched
components (the mediant inequality), and with Laplace noise such a quotient is at most
(w_m/v_m)·e^{|μ_m−ν_m|/b}. So

    sup log p/q ≤ max_m ( log w_m/v_m + |μ_m − ν_m|/b ).

For a translation the weights agree and this is W_∞/b, exactly, and attained (`remark-1`): computed
densities touch the bound and could never decide ε* ≤ ε there. Where laws share components and
differ in weights it is max log w_m/v_m, for any noise, again attained wherever one component
dominates.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pufferfish.beliefs.priors import Components
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.noise import LaplaceNoise, Noise

__all__ = ["matching_cap"]


def matching_cap(p: Components, q: Components, noise: Noise) -> float:
    """An upper bound on sup log p/q, by components matched in order; infinite if stds differ."""
    if p.weights.size != q.weights.size:
        return math.inf
    p, q = _sorted(p), _sorted(q)
    if not np.array_equal(p.stds, q.stds):
        return math.inf
    if np.array_equal(p.means, q.means):
        return _weights_cap(p, q)
    if not isinstance(noise, LaplaceNoise):
        return math.inf
    if np.array_equal(p.weights, q.weights):
        return _translation_cap(p, q, noise.scale)
    distance = np.abs(p.means - q.means) / noise.scale
    return float(np.max(_log_ratio_upper(p, q) + distance * (1.0 + 8.0 * UNIT)))


def _weights_cap(p: Components, q: Components) -> float:
    """max log w_m/v_m, rounded up; exactly 0 for equal laws."""
    if np.array_equal(p.weights, q.weights):
        return 0.0
    return float(np.max(_log_ratio_upper(p, q)))


def _log_ratio_upper(p: Components, q: Components) -> FloatArray:
    """An upper bound on log w_m/v_m; unlike a quotient, logarithms stay in the range of floats."""
    log_p, log_q = np.log(p.weights), np.log(q.weights)
    return np.asarray(log_p - log_q + 8.0 * UNIT * (2.0 + np.abs(log_p) + np.abs(log_q)))


def _translation_cap(p: Components, q: Components, scale: float) -> float:
    """The smallest float that is at least max |μ_m − ν_m|/b."""
    # Float differences find the largest; those within rounding of it are compared exactly.
    distance = np.abs(p.means - q.means)
    largest = distance >= distance.max() * (1.0 - 1e-15)
    exact = max(
        abs(Fraction(a) - Fraction(b))
        for a, b in set(zip(p.means[largest].tolist(), q.means[largest].tolist(), strict=True))
    ) / Fraction(scale)
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _sorted(law: Components) -> Components:
    order = np.lexsort((law.weights, law.means, law.stds))
    return Components(*(column[order] for column in law))
