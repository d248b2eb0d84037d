"""Floors: kernels that protect every value from everybody, whatever they believe.

A floor κ means that K(x,·) ≤ e^{κ·d(x,x')}·K(x',·) for every two values. Any processing of the
output of K keeps it. A value at no finite distance from the others, such as "missing", is not
protected by it: no pair of the floor names it, and `apart` leaves it as it is.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.exact import Floor, exp_lower

__all__ = ["apart", "exponential_kernel", "line_floor", "line_kernel", "metric_floor"]


def line_kernel(values: FloatArray, kappa: float) -> FloatArray:
    """K(x,x_j) = a_j·e^{−κ|x−x_j|} for listed numbers in rising order; rows sum to 1.

    With ρ_j = e^{−κ(x_{j+1}−x_j)}, a_j = (1−ρ_{j−1}ρ_j)/((1+ρ_{j−1})(1+ρ_j)), and at the ends
    1/(1+ρ). For a belief on these values its pure ε is that of Laplace noise of scale 1/κ
    (docs/theory/recoding.md).
    """
    if np.isinf(kappa) or values.size == 1:
        return np.eye(values.size)
    ratios = np.exp(-kappa * np.diff(values))
    left, right = np.concatenate([[0.0], ratios]), np.concatenate([ratios, [0.0]])
    weights = (1.0 - left * right) / ((1.0 + left) * (1.0 + right))
    return np.asarray(weights * np.exp(-kappa * np.abs(values[:, None] - values)))


def exponential_kernel(distances: FloatArray, kappa: float) -> FloatArray:
    """K(x,y) ∝ e^{−κ·d(x,y)/2}: the exponential mechanism, for any metric."""
    weights = np.exp(-0.5 * kappa * distances)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def apart(kernel: FloatArray) -> FloatArray:
    """The kernel with one more cell at the end, which is always kept as it is."""
    size = len(kernel)
    wider = np.eye(size + 1, kernel.shape[1] + 1, kernel.shape[1] - size)
    wider[:size, :-1] = kernel
    return np.asarray(wider)


def line_floor(values: FloatArray, kappa: float) -> Floor:
    """The floor κ on numbers in rising order: pairs of neighbours suffice, as distances add up."""
    if np.isinf(kappa):
        return ()
    exact = [Fraction(float(each)) for each in values]
    return tuple(
        (x, x + 1, exp_lower(Fraction(kappa) * (right - left)))
        for x, (left, right) in enumerate(pairwise(exact))
    )


def metric_floor(distances: FloatArray, kappa: float) -> Floor:
    """The floor κ for any metric: all pairs of values at a finite distance."""
    if np.isinf(kappa):
        return ()
    return tuple(
        (x, other, exp_lower(Fraction(kappa) * Fraction(float(distances[x, other]))))
        for x, other in combinations(range(len(distances)), 2)
        if np.isfinite(distances[x, other])
    )
