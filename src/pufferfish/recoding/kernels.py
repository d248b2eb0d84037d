"""Floors: kernels that protect every value from everybody, whatever they believe.

A floor κ says that K(x,·) ≤ e^{κ·d(x,x')}·K(x',·) for every two values. What is done to its output
keeps it.
"""

from __future__ import annotations

import numpy as np

from pufferfish.core.validation import FloatArray

__all__ = ["exponential_kernel", "line_kernel"]


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
    """K(x,y) ∝ e^{−κ·d(x,y)/2}: the exponential mechanism, for any metric of one's own."""
    weights = np.exp(-0.5 * kappa * distances)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
