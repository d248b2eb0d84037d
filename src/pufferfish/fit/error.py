"""The distance between a fitted law and the data it was fitted to.

- KS: the largest difference of the two distribution functions. A column with steps of h has jumps
  where the law has none; rounding the law to such steps gives a fairer distance.
- W1: the mean distance that values must be moved, ∫|F − G|.
- After a given noise: κ, the largest |log-ratio| of the two laws of Y, and their total variation η.
  A promise that holds for the fitted laws then holds for the laws of the data as (ε + 2κ, e^κ·δ),
  or as (ε, δ + (1 + e^ε)·η) (docs/theory/radius.md).

W1, κ and η support promises of privacy: they are rounded up, with the width of bins added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact import privacy_profile, pure_epsilon
from pufferfish.noise import Noise, check_noise

__all__ = ["FitError", "fit_error"]

# The number of bisections of the gap between two values to find where the two functions cross.
_STEPS = 45


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FitError:
    """Distances between a law and the data of one secret.

    Attributes:
        ks: sup |F − G|.
        ks_rounded: The same after rounding the law to the steps of the column.
        w_1_upper: ∫ |F − G|, in the units of the values.
        kappa_upper: Largest |log-ratio| after the given noise; None without a noise.
        total_variation_upper: Total variation after that noise; None without a noise.
    """

    ks: float
    ks_rounded: float
    w_1_upper: float
    kappa_upper: float | None = None
    total_variation_upper: float | None = None

    def __repr__(self) -> str:
        """The name only, because the distances are statistics of the data."""
        return "FitError(...)"


def fit_error(
    prior: Prior, data: Discrete, *, step: float, radius: float, noise: Noise | None
) -> FitError:
    """The distances between a law and a table.

    Args:
        prior: The law.
        data: The frequencies of the values.
        step: The resolution of the column.
        radius: The largest error of each value.
        noise: Also compute the distances after this noise.
    """
    ks, ks_rounded = _ks(prior, data, 0.0), _ks(prior, data, 0.5 * step)
    w_1 = _w_1(prior, data) + radius
    if noise is None:
        return FitError(ks=ks, ks_rounded=ks_rounded, w_1_upper=w_1)
    check_noise(noise)
    both = Scenario([Belief({"data": data, "fit": prior}, radius=radius)])
    variation = privacy_profile(both, noise, [0.0]).delta_upper[0]
    # A bound by W1 alone, which does not look at the laws of Y; a grid moves both.
    if noise.peak_width > 0.0:
        variation = min(variation, (w_1 + (noise.grid or 0.0)) / noise.peak_width)
    return FitError(
        ks=ks,
        ks_rounded=ks_rounded,
        w_1_upper=w_1,
        kappa_upper=pure_epsilon(both, noise).upper,
        total_variation_upper=variation,
    )


def _ks(prior: Prior, data: Discrete, half: float) -> float:
    """sup |F − G| for a smooth F, or for F rounded to steps of twice `half`."""
    if prior == data:
        return 0.0
    after = np.cumsum(data.probabilities)
    above = np.abs(prior.cdf(data.values + half) - after)
    below = np.abs(prior.cdf(data.values - half) - np.append(0.0, after[:-1]))
    return float(np.maximum(above, below).max())


def _w_1(prior: Prior, data: Discrete) -> float:
    """∫ |F − G| for a smooth F, in closed form between the steps of G, rounded up."""
    if prior == data:
        return 0.0
    # Relative to the mean of the data, so that values far from zero keep their digits.
    centre = data.mean
    smooth, values = prior.shift(-centre), data.values - centre
    left, right, level = values[:-1], values[1:], np.cumsum(data.probabilities)[:-1]
    cross = _crossings(smooth, left, right, level)
    area = [_area(smooth, points) for points in (left, cross, right)]
    below = level * (cross - left) - (area[1] - area[0])
    above = (area[2] - area[1]) - level * (right - cross)
    tails = _area(smooth, values[:1]) + _area(smooth.scale(-1.0), -values[-1:])
    found = float(np.maximum(below, 0.0).sum() + np.maximum(above, 0.0).sum() + tails[0])
    reach = float(np.abs(values).max()) + math.sqrt(prior.variance)
    return found * (1.0 + 1e-9) + 16.0 * UNIT * values.size * reach


def _crossings(prior: Prior, left: FloatArray, right: FloatArray, level: FloatArray) -> FloatArray:
    """Where the distribution function reaches the level, between two values or at one of them."""
    low, high = left.copy(), right.copy()
    inside = (prior.cdf(left) < level) & (prior.cdf(right) > level)
    cross = np.where(prior.cdf(left) >= level, left, right)
    low, high, target = low[inside], high[inside], level[inside]
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        under = prior.cdf(middle) < target
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    cross[inside] = 0.5 * (low + high)
    return cross


def _area(prior: Prior, x: FloatArray) -> FloatArray:
    """∫_{−∞}^x F = Σ w [(x − μ)·Φ(z) + σ·φ(z)], z = (x − μ)/σ."""
    weights, means, stds = prior.components()
    z = (x[:, None] - means) / stds
    bell = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return np.asarray((stds * (z * ndtr(z) + bell)) @ weights)
