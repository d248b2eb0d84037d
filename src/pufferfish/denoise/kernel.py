"""The kernel and the weights of deconvolution.

K(s) = (1 − s²)³ on |s| ≤ 1 is the Fourier transform of a density-like w, symmetric, with ∫w = 1,
∫x²w = 6. With bandwidth h and φ_N the characteristic function of the noise

    A(v) = ½ + (1/π)·∫_0^{1/h} sin(ωv)·K(ωh)/(ω·φ_N(ω)) dω

has E A(t − x − N) = P(x + hW ≤ t) for every x, where W has "density" w. So the mean of A(t − Y_i)
is unbiased for the distribution function of X + hW at t. Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.denoise.law import inverse_characteristic
from pufferfish.noise import Noise

__all__ = ["STEPS_PER_BANDWIDTH", "kernel_transform", "weight_table"]

# Values are binned, and the weights tabulated, at h/32: the error is a part in 10⁴ of the
# standard error.
STEPS_PER_BANDWIDTH = 32
# Beyond the table A is taken to be 0 or 1, which errs by at most this.
_TAIL = 1e-7


def kernel_transform(s: FloatArray) -> FloatArray:
    """K(s) = (1 − s²)³, 0 beyond |s| = 1."""
    return np.maximum(1.0 - np.square(s), 0.0) ** 3


def weight_table(noise: Noise, bandwidth: float) -> FloatArray:
    """A(j·h/32) for j = 0, 1, ..., up to where A is 1 within 1e-7; A(−v) = 1 − A(v).

    The integral by the trapezoidal rule with step 2π/P is A + Σ over its images at multiples of P,
    each in its tail, and one Fourier transform. At ω = 1/h the integrand has a zero of order 3,
    so |A(v) − 1| ≈ (48/π)/φ_N(1/h)·(h/v)⁴ in the tail.
    """
    largest = float(inverse_characteristic(noise, np.array([1.0 / bandwidth]))[0])
    reach = max((48.0 / math.pi * largest / _TAIL) ** 0.25, 64.0)
    count = math.ceil(reach * STEPS_PER_BANDWIDTH)
    length = 1 << (2 * count).bit_length()
    # In units of h: the period, and the frequencies up to 1.
    period = length / STEPS_PER_BANDWIDTH
    s = 2.0 * math.pi / period * np.arange(1, math.ceil(period / (2.0 * math.pi)))
    terms = np.zeros(length // 2 + 1, dtype=np.complex128)
    heights = kernel_transform(s) * inverse_characteristic(noise, s / bandwidth) / s
    terms[1 : s.size + 1] = -1j * heights * (length / period)
    ramp = 0.5 + np.arange(count + 1) / length
    return np.asarray(ramp + np.fft.irfft(terms, length)[: count + 1])
