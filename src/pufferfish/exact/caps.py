"""A cap on ε*(b) that no rounding touches: sup |log p/q| ≤ W_∞/b for Laplace noise.

If two priors have the same weights and the same stds (or probabilities), moving component m to
component m couples them within D = max_m |μ_im − μ_jm|, so W_∞ ≤ D and ε* ≤ D/b. For a translation
D is exactly the shift, and D/b is attained (`remark-1`): computed densities alone could never
decide ε* ≤ ε there, because they touch the bound.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pufferfish.priors import Components

__all__ = ["transport_cap"]


def transport_cap(p: Components, q: Components, scale: float) -> float:
    """The smallest float that is at least D/b, or infinity where the shapes differ."""
    if p.weights.size != q.weights.size:
        return math.inf
    p, q = _sorted(p), _sorted(q)
    if not (np.array_equal(p.weights, q.weights) and np.array_equal(p.stds, q.stds)):
        return math.inf
    # Float differences find the largest; those within rounding of it are compared exactly.
    distance = np.abs(p.means - q.means)
    largest = distance >= distance.max() * (1.0 - 1e-15)
    exact = max(
        abs(Fraction(a) - Fraction(b))
        for a, b in set(zip(p.means[largest].tolist(), q.means[largest].tolist(), strict=True))
    )
    return round_up(exact / Fraction(scale))


def round_up(value: Fraction) -> float:
    """The smallest float that is at least `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def _sorted(law: Components) -> Components:
    order = np.lexsort((law.weights, law.stds, law.means))
    return Components(*(column[order] for column in law))
