"""One component of the law of Y = X + N, at many points, stable everywhere.

A *kernel* is the law of N(μ, σ²) + N for one component; the functions here evaluate many
components (rows) at many points (columns). Both kernels are log-concave, so their *score*
(d/dy log f) falls along y: the exact oracle depends on that.

**Gaussian + Laplace.** With z = (y−μ)/σ, t = |z|, a = σ/b the density is (A + B)/(2b),

    A = e^{a²/2 − at} Φ(t − a),   B = e^{a²/2 + at} Φ(−t − a),

and the smaller tail is Φ(−t) + A/2 − B/2 (docs/theory/certificate.md). In this form a²/2 − at
cancels catastrophically for large a. Instead, for t < a,

    A = e^{−t²/2}·½erfcx((a−t)/√2),   B = e^{−t²/2}·½erfcx((a+t)/√2),

and for t ≥ a, where Φ(t−a) ≥ ½, log A = −a(t − a/2) + log Φ(t − a). Everything else is a ratio
to A, and no such ratio cancels. The score is −sign(z)·(1 − B/A)/(1 + B/A)/b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, log_ndtr

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray

__all__ = ["GaussianKernel", "Kernel", "LaplaceKernel"]

_SQRT_HALF = np.sqrt(0.5)
# Above this a = σ/b the difference 1 − B/A is taken from its expansion in 1/a.
_LARGE_RATIO = 1e5


class _LaplaceParts(NamedTuple):
    """log A; B/A; and ½e^{−t²/2}/A, which times erfcx(t/√2) is Φ(−t)/A."""

    log_a: FloatArray
    b_over_a: FloatArray
    share: FloatArray


class LaplaceKernel:
    """N(μ_m, σ_m²) + Lap(b) for components m, σ_m > 0."""

    def __init__(self, means: FloatArray, stds: FloatArray, scale: float) -> None:
        """Keep the parameters as columns, ready to meet a row of points."""
        self._means = means[:, None]
        self._stds = stds[:, None]
        self._ratio = (stds / scale)[:, None]
        self._scale = scale
        self.log_norm = np.log(2.0 * scale)
        # Absolute error of the score where 1 − B/A is taken directly (see `density_and_score`).
        self.score_slack: FloatArray = np.where(self._ratio < _LARGE_RATIO, 16 * UNIT / scale, 0.0)

    def density_and_score(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log f and d/dy log f, each of shape (components, points)."""
        z = (y - self._means) / self._stds
        t = np.abs(z)
        parts = self._parts(t)
        rho = parts.b_over_a
        log_density = parts.log_a + np.log1p(rho) - self.log_norm
        slope = (1.0 - rho) / (1.0 + rho)
        large = self._ratio >= _LARGE_RATIO
        if large.any():
            a = self._ratio
            inner = large & (t < 0.5 * a)
            # erfcx(x) = (1 − 1/2x² + …)/(x√π) gives (1−ρ)/(1+ρ) = (t/a)(1 − 2/(a²−t²) + O(a⁻⁴)).
            slope = np.where(
                inner, t / a * (1.0 - 2.0 / (a * a - np.where(inner, t * t, 0.0))), slope
            )
        return log_density, -np.sign(z) * slope / self._scale

    def log_peak(self) -> FloatArray:
        """log f at the component's own mean, its largest value; one row per component."""
        parts = self._parts(np.zeros_like(self._means))
        return np.asarray(parts.log_a + np.log1p(parts.b_over_a) - self.log_norm)

    def log_tail(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log of the smaller tail beyond y, and z: the tail is the upper one where z ≥ 0."""
        z = (y - self._means) / self._stds
        t = np.abs(z)
        parts = self._parts(t)
        gauss = erfcx(t * _SQRT_HALF) * parts.share
        return parts.log_a + np.log(0.5 * (1.0 - parts.b_over_a) + gauss), z

    def _parts(self, t: FloatArray) -> _LaplaceParts:
        a = self._ratio
        beyond = t - a
        inner = beyond < 0.0
        outside = np.maximum(beyond, 0.0)
        log_phi = log_ndtr(outside)
        near = erfcx(np.maximum(-beyond, 0.0) * _SQRT_HALF)
        far = erfcx((a + t) * _SQRT_HALF)
        # e^{−t²/2}/A for t ≥ a, where A = e^{−a(t−a/2)}Φ(t−a).
        drop = 0.5 * np.exp(-0.5 * outside * outside - log_phi)
        with np.errstate(divide="ignore"):
            log_a = np.where(inner, -0.5 * t * t + np.log(0.5 * near), -a * (t - 0.5 * a) + log_phi)
        share = np.where(inner, 1.0 / near, drop)
        return _LaplaceParts(log_a, far * share, share)


class GaussianKernel:
    """N(μ_m, v_m) for components m: a Gaussian prior with Gaussian noise, or with none."""

    def __init__(self, means: FloatArray, stds: FloatArray) -> None:
        """Keep the parameters as columns, ready to meet a row of points."""
        self._means = means[:, None]
        self._stds = stds[:, None]
        self.log_norm = np.log(self._stds) + 0.5 * np.log(2.0 * np.pi)
        self.score_slack: FloatArray = np.zeros_like(self._stds)

    def density_and_score(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log f and d/dy log f, each of shape (components, points)."""
        z = (y - self._means) / self._stds
        return -0.5 * z * z - self.log_norm, -z / self._stds

    def log_peak(self) -> FloatArray:
        """log f at the component's own mean, its largest value; one row per component."""
        return np.asarray(-self.log_norm)

    def log_tail(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log of the smaller tail beyond y, and z: the tail is the upper one where z ≥ 0."""
        z = (y - self._means) / self._stds
        return log_ndtr(-np.abs(z)), z


Kernel = LaplaceKernel | GaussianKernel
