"""What the estimates need to know of the noise: its variance and characteristic function.

On a grid γ the law is the one that is drawn, γ·G:

- Laplace, P(G = n) ∝ e^{−|n|γ/b}: variance γ²/(2·sinh²(γ/2b)), characteristic function
  1/(1 + sin²(ωγ/2)/sinh²(γ/2b));
- Gaussian, P(G = n) ∝ e^{−(nγ)²/2θ²}: characteristic function Σ_k e^{−θ²(ω − 2πk/γ)²/2} over its
  value at 0, for |ω| ≤ π/γ. From γ = θ/4 down, k = 0 is all that a float can hold, and the
  variance is θ².

Without a grid these are 2b², 1/(1 + b²ω²), θ², e^{−θ²ω²/2}. Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.checks import FloatArray
from pufferfish.errors import UnsupportedError
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise, check_noise

__all__ = ["check_fine", "inverse_characteristic", "noise_std", "noise_variance"]

# Grids coarser than this share of the noise's scale or std round X by as much as matters.
_COARSEST = 0.25
# From this many grid steps per std on, the discrete Gaussian is as good as the continuous one.
_FINE = 4.0
# Far enough for the sum over a coarse grid: the next term is below e^−100.
_FARTHEST = 64


def check_fine(noise: Noise) -> None:
    """Refuse what is no noise law, and a grid so coarse that rounding X to it would show."""
    check_noise(noise)
    size = noise.scale if isinstance(noise, LaplaceNoise) else noise.std
    if noise.grid is not None and noise.grid > _COARSEST * size:
        raise UnsupportedError(
            f"this noise was drawn on a grid of {noise.grid:g}, coarser than a quarter of its size "
            f"({size:g}): values were rounded so much that only their mean can be estimated."
        )


def noise_variance(noise: Noise) -> float:
    """Var N of the law that is drawn, on its grid."""
    if isinstance(noise, LaplaceNoise) and noise.grid is not None:
        return 0.5 * (noise.grid / math.sinh(0.5 * noise.grid / noise.scale)) ** 2
    if isinstance(noise, GaussianNoise) and _is_coarse(noise):
        step = (noise.grid or 0.0) / noise.std
        squares = np.square(step * np.arange(1, _FARTHEST, dtype=np.float64))
        mass = np.exp(-0.5 * squares)
        share = float(np.dot(squares, mass)) / (0.5 + float(np.sum(mass)))
        return noise.variance * share
    return noise.variance


def noise_std(noise: Noise) -> float:
    """√Var N."""
    return math.sqrt(noise_variance(noise))


def inverse_characteristic(noise: Noise, frequency: FloatArray) -> FloatArray:
    """1/φ_N(ω), for 0 ≤ ω ≤ π/γ where there is a grid γ."""
    if isinstance(noise, LaplaceNoise):
        if noise.grid is None:
            return 1.0 + (noise.scale * frequency) ** 2
        half = 0.5 * noise.grid
        return 1.0 + (np.sin(half * frequency) / math.sinh(half / noise.scale)) ** 2
    if isinstance(noise, GaussianNoise):
        plain = np.exp(0.5 * (noise.std * frequency) ** 2)
        return plain * _images(noise, frequency) if _is_coarse(noise) else plain
    return np.ones_like(frequency)


def _is_coarse(noise: GaussianNoise) -> bool:
    return noise.grid is not None and noise.grid * _FINE > noise.std


def _images(noise: GaussianNoise, frequency: FloatArray) -> FloatArray:
    """What k = −1 and k = 1 change: the term of k is e^{−a(1 − ωγ/πk)} times that of k = 0."""
    grid = noise.grid or 0.0
    a = 2.0 * (math.pi * noise.std / grid) ** 2
    place = frequency * (grid / math.pi)
    return (1.0 + 2.0 * math.exp(-a)) / (
        1.0 + np.exp(-a * (1.0 - place)) + np.exp(-a * (1.0 + place))
    )
