"""How much to smooth: the largest bandwidth whose bias the standard error still hides.

With φ_X and φ_N the characteristic functions and K the kernel's transform, over all t

    ∫ bias² dt      = (1/π)·∫_0^∞ |φ_X|²·(1 − K(ωh))²/ω² dω
    ∫ variance dt   = (1/πn)·∫_0^{1/h} (1/φ_N² − |φ_X|²)·K(ωh)²/ω² dω

The first rises with h, the second falls. The rule is the h at which the first is r² times the
second, r = 0.15 for Laplace and 0.25 for Gaussian noise. |φ_X|² is estimated by
(|φ̂_Y|² − 1/n)/φ_N² at the frequencies at which |φ̂_Y|² is above 2·log n/n, which chance alone
exceeds once in n², and by 0 elsewhere. The rule draws no random numbers, and scales with the units
of the data. Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray, require
from pufferfish.denoise.columns import bin_values
from pufferfish.denoise.kernel import kernel_transform
from pufferfish.denoise.law import inverse_characteristic, noise_std
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise

__all__ = [
    "RATIO_GAUSSIAN",
    "RATIO_LAPLACE",
    "Bandwidth",
    "choose_bandwidth",
    "least_bandwidth",
]

# The root of integrated squared bias over integrated variance at which intervals still cover. With
# Gaussian noise the error of the curve oscillates so fast that the intervals of quantiles are
# wider than necessary, which leaves room for more bias.
RATIO_LAPLACE = 0.15
RATIO_GAUSSIAN = 0.25
# Points of the circle on which φ̂_Y is computed; heavy tails need more.
_POINTS = (1 << 17, 1 << 20, 1 << 22)
# Bandwidths are at least this many steps of that circle.
_LEAST_STEPS = 16.0
# Gaussian noise: h ≥ 0.15·θ, where weights are e^22. Laplace noise: h ≥ b/10,000, where they are
# 10⁸. On a grid h ≥ γ/π: φ_N repeats itself from ω = π/γ on.
_LEAST_GAUSSIAN = 0.15
_LEAST_LAPLACE = 1e-4
_BISECTIONS = 40
# |φ̂_Y − φ_Y| exceeds this over √n with a probability of about e^−25, at each frequency.
_CHANCE = 5.0

_TOO_SMOOTH = "smoothed more than the data require, so that the interval may miss detail"


class Bandwidth(NamedTuple):
    """h, and a note for readers of an estimate made with it."""

    h: float
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spectrum:
    """The integrands of the two integrals at ω = 2π/P, 4π/P, ..., without the kernel."""

    frequency: FloatArray
    signal: FloatArray
    noise: FloatArray
    ratio: float

    def excess(self, bandwidth: float) -> float:
        """∫ bias² − r²·∫ variance, up to a factor."""
        kernel = kernel_transform(self.frequency * bandwidth)
        bias = float(np.dot(self.signal, np.square(1.0 - kernel)))
        return bias - self.ratio**2 * float(np.dot(self.noise, np.square(kernel)))


def choose_bandwidth(rows: FloatArray, noise: Noise, middle: tuple[float, float]) -> Bandwidth:
    """h by the rule above; `middle` holds nearly all of the rows.

    φ̂_Y at multiples of 2π/P depends on the rows modulo P only, so outliers cost nothing.

    Raises:
        InvalidInputError: |φ̂_Y| exceeds φ_N by far more than chance, at frequencies below 1/h.
            No column with this noise does that.
    """
    low, high = middle
    period = 2.0 * (high - low) + 16.0 * noise_std(noise)
    for points in _POINTS:
        least = max(_LEAST_STEPS * period / points, least_bandwidth(noise))
        frequency, size = _amplitudes(rows, low, period, points, least)
        spectrum = _spectrum(frequency, size, noise, rows.size)
        bound = spectrum.excess(least) >= 0.0
        if not bound:
            break
    h = _balance(spectrum, least, period / 8.0)
    used = frequency < 1.0 / h
    highest = 1.0 / inverse_characteristic(noise, frequency[used]) + _CHANCE / math.sqrt(rows.size)
    require(
        bool(np.all(size[used] <= highest)),
        "values cannot be a column with this noise alone: it would leave less fine structure in "
        "them. Give the law that was published with them; if they were clipped or rounded "
        "afterwards, this estimate is not possible.",
    )
    return Bandwidth(h, _TOO_SMOOTH if bound else "")


def _amplitudes(
    rows: FloatArray, low: float, period: float, points: int, least: float
) -> tuple[FloatArray, FloatArray]:
    """ω = 2π/P, 4π/P, ... up to 1/least, and |φ̂_Y(ω)|."""
    spacing = 2.0 * math.pi / period
    counts = bin_values(rows, low, period / points, points, wrap=True)
    size = np.abs(np.fft.rfft(counts)[1 : math.ceil(1.0 / (least * spacing)) + 1]) / rows.size
    return spacing * np.arange(1, size.size + 1, dtype=np.float64), size


def least_bandwidth(noise: Noise) -> float:
    """The smallest h for which weights are computed."""
    finest = (noise.grid or 0.0) / math.pi
    if isinstance(noise, GaussianNoise):
        return max(_LEAST_GAUSSIAN * noise.std, finest)
    if isinstance(noise, LaplaceNoise):
        return max(_LEAST_LAPLACE * noise.scale, finest)
    return 0.0


def _spectrum(frequency: FloatArray, size: FloatArray, noise: Noise, n: int) -> _Spectrum:
    """The integrands, from |φ̂_Y| = size."""
    gain = np.square(inverse_characteristic(noise, frequency))
    power = np.square(size)
    # Beyond gain = n not even |φ_X| = 1 could be detected.
    seen = (power > 2.0 * math.log(n) / n) & (gain < n)
    signal = np.where(seen, np.minimum((power - 1.0 / n) * gain, 1.0), 0.0)
    weight = 1.0 / np.square(frequency)
    noise_part = np.maximum(gain - signal, 0.0) * (weight / n)
    return _Spectrum(
        frequency=frequency,
        signal=signal * weight,
        noise=noise_part,
        ratio=RATIO_GAUSSIAN if isinstance(noise, GaussianNoise) else RATIO_LAPLACE,
    )


def _balance(spectrum: _Spectrum, least: float, most: float) -> float:
    """The h at which the excess changes sign; the nearer end if it does not."""
    if spectrum.excess(least) >= 0.0:
        return least
    low, high = math.log(least), math.log(max(most, least))
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if spectrum.excess(math.exp(middle)) <= 0.0:
            low = middle
        else:
            high = middle
    return math.exp(low)
