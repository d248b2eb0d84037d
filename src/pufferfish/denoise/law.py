"""What the estimates need to know of the noise: its variance and characteristic function.

On a grid γ the law is the one that is drawn, γ·G:

- Laplace, P(G = n) ∝ e^{−|n|γ/b}: variance γ²/(2·sinh²(γ/2b)), characteristic function
  1/(1 + sin²(ωγ/2)/sinh²(γ/2b));
- Gaussian, P(G = n) ∝ e^{−(nγ)²/2θ²}: characteristic function Σ_k e^{−θ²(ω − 2πk/γ)²/2} over its
  value at 0, for |ω| ≤ π/γ. For γ ≤ θ/4 only the term k = 0 matters in floats, and the variance
  is θ².

Without a grid these are 2b², 1/(1 + b²ω²), θ², e^{−θ²ω²/2}. Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray
from pufferfish.noise import GaussianNoise, LaplaceNoise, Law, Noise, check_noise

__all__ = [
    "cell_probabilities",
    "check_additive",
    "check_fine",
    "inverse_characteristic",
    "noise_size",
    "noise_std",
    "noise_variance",
]

# Grids coarser than this share of the noise's scale or std round X enough to matter.
_COARSEST = 0.25
# With at least this many grid steps per std, the discrete Gaussian equals the continuous one.
_FINE = 4.0
# With at least this many, so does its distribution function midway between points, within 3e-6.
_FINE_CDF = 64.0
# Far enough for the sum over a coarse grid: the next term is below e^−100.
_FARTHEST = 64


def check_additive(noise: object) -> None:
    """Refuse what is no noise law; of a recoding, say what holds of its column.

    A map M that keeps the histogram π of the released rows, πM = π, leaves the mean of these rows
    right on average: given the rows, E Ȳ = x̄. The draws add a variance of E Var(Y|X)/n, at most
    Var(Y)/n as Var Y = Var E(Y|X) + E Var(Y|X), to the Var(X)/n of the rows. Var Y = Var X, so the
    standard error is at most √2·s/√n, and s/√n may be too short by that factor. A map that keeps no
    histogram, or that of other rows, moves the mean by an unknown amount.
    """
    if isinstance(noise, Law) and not noise.additive:
        raise UnsupportedError(
            "a recoded column has no noise to take off, so there is no estimate here. If its "
            "record says that values occur as often as before, and beliefs were fitted to the "
            "released rows, then frequencies and the mean of all published rows are right on "
            "average as they are; the mean's standard error is at most √2·s/√n, with s the std of "
            "the published values (s/√n leaves out what the draws add). Means of groups, and "
            "associations with other columns, are pulled towards those of all rows."
        )
    check_noise(noise)


def check_fine(noise: Noise) -> None:
    """Refuse what is not a noise law, and a grid so coarse that rounding X to it would show."""
    check_additive(noise)
    size = noise_size(noise)
    if noise.grid is not None and noise.grid > _COARSEST * size:
        raise UnsupportedError(
            f"this noise was drawn on a grid of {noise.grid:g}, coarser than a quarter of its size "
            f"({size:g}): values were rounded so far that only their mean can be estimated."
        )


def noise_size(noise: Noise) -> float:
    """b of Laplace, θ of Gaussian noise."""
    return noise.scale if isinstance(noise, LaplaceNoise) else noise.std


def cell_probabilities(
    noise: LaplaceNoise | GaussianNoise, low: FloatArray, high: FloatArray, values: FloatArray
) -> FloatArray:
    """P(low < x + N ≤ high): a row for each cell, a column for each value x.

    x is rounded to the noise's grid first. Ends of cells must lie midway between points of the
    grid, where the law of N has the tail e^{−|t|/b}/(2·cosh(γ/2b)) for Laplace noise. The smaller
    of the two tails is used in each difference, so that no digits cancel.
    """
    grid = noise.grid or 0.0
    places = np.rint(values / grid) * grid if grid else values
    below, above = low[:, None] - places, high[:, None] - places
    # A cell to the right of x is mirrored to its left.
    right = below > 0.0
    first, last = np.where(right, -above, below), np.where(right, -below, above)
    return np.maximum(_distribution(noise, last) - _distribution(noise, first), 0.0)


def _distribution(noise: LaplaceNoise | GaussianNoise, t: FloatArray) -> FloatArray:
    """P(N ≤ t), t midway between points of the grid."""
    grid = noise.grid or 0.0
    if isinstance(noise, LaplaceNoise):
        tail = 0.5 / math.cosh(0.5 * grid / noise.scale) * np.exp(-np.abs(t) / noise.scale)
        return np.where(t < 0.0, tail, 1.0 - tail)
    if grid * _FINE_CDF <= noise.std:
        return np.asarray(ndtr(t / noise.std))
    reach = math.ceil(40.0 * noise.std / grid)
    mass = np.exp(-0.5 * np.square(np.arange(-reach, reach + 1) * (grid / noise.std)))
    table = np.concatenate([[0.0], np.cumsum(mass) / mass.sum()])
    place = np.clip(np.rint(t / grid + 0.5) + reach, 0, table.size - 1)
    return np.asarray(table[place.astype(np.int64)])


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
        # Where this exceeds the largest float, φ_N is 0.
        with np.errstate(over="ignore"):
            plain = np.exp(0.5 * (noise.std * frequency) ** 2)
        return plain * _images(noise, frequency) if _is_coarse(noise) else plain
    return np.ones_like(frequency)


def _is_coarse(noise: GaussianNoise) -> bool:
    return noise.grid is not None and noise.grid * _FINE > noise.std


def _images(noise: GaussianNoise, frequency: FloatArray) -> FloatArray:
    """What k = −1 and k = 1 add: the term of k is e^{−a(1 − ωγ/πk)} times that of k = 0."""
    grid = noise.grid or 0.0
    a = 2.0 * (math.pi * noise.std / grid) ** 2
    place = frequency * (grid / math.pi)
    return (1.0 + 2.0 * math.exp(-a)) / (
        1.0 + np.exp(-a * (1.0 - place)) + np.exp(-a * (1.0 + place))
    )
