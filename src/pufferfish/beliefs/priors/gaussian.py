"""Gaussian priors and Gaussian mixtures: the beliefs of the paper's Theorems 1 and 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtr, ndtri

from pufferfish.beliefs.priors.base import Components, Prior, as_points, check_factor, check_levels
from pufferfish.core.numerics import log_sum_exp
from pufferfish.core.validation import (
    FloatArray,
    check_probabilities,
    finite,
    finite_array,
    positive,
    require,
)

__all__ = ["Gaussian", "GaussianMixture"]

_POINT_HINT = (
    "A value known for certain is pf.Discrete(values=[value], probabilities=[1.0]), not a Gaussian."
)


class GaussianFamily(Prior):
    """Σ_m w_m N(μ_m, σ_m²): everything that one Gaussian and a mixture share."""

    __slots__ = ()

    @property
    def variance(self) -> float:
        """E(X − EX)²."""
        weights, means, stds = self.components()
        centre = float(weights @ means)
        return float(weights @ (stds**2 + (means - centre) ** 2))

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """The probability density at x."""
        weights, _, stds = self.components()
        z = self._standardised(x)
        peak = weights / (stds * np.sqrt(2.0 * np.pi))
        return np.asarray(np.exp(-0.5 * z * z) @ peak)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X ≤ x)."""
        return np.asarray(ndtr(self._standardised(x)) @ self.components().weights)

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x), computed on its own, so that the far right tail keeps its digits."""
        return np.asarray(ndtr(-self._standardised(x)) @ self.components().weights)

    def quantile(self, level: npt.ArrayLike) -> FloatArray:
        """The x with P(X ≤ x) = level, by bisection between the components' own quantiles."""
        levels = check_levels(level)
        weights, means, stds = self.components()
        own = means + stds * ndtri(levels)[..., None]
        low, high = own.min(axis=-1), own.max(axis=-1)
        log_weights = np.log(weights)
        upper = levels > 0.5
        target = np.log(np.where(upper, 1.0 - levels, levels))
        while True:
            middle = 0.5 * (low + high)
            # Halving ends where no double lies between the two ends.
            if np.all((middle <= low) | (middle >= high)):
                return np.asarray(high)
            z = (middle[..., None] - means) / stds
            sign = np.where(upper, -1.0, 1.0)
            log_mass = log_sum_exp(np.moveaxis(log_weights + log_ndtr(sign[..., None] * z), -1, 0))
            below = np.where(upper, log_mass > target, log_mass < target)
            low = np.where(below, middle, low)
            high = np.where(below, high, middle)

    def log_mgf(self, t: float) -> float:
        """log Σ_m w_m exp(μ_m t + σ_m² t²/2)."""
        weights, means, stds = self.components()
        return float(log_sum_exp(np.log(weights) + means * t + 0.5 * (stds * t) ** 2))

    def _standardised(self, x: npt.ArrayLike) -> FloatArray:
        _, means, stds = self.components()
        return np.asarray((as_points(x)[..., None] - means) / stds)


@dataclass(frozen=True, slots=True)
class Gaussian(GaussianFamily):
    """X ~ N(mean, std²); std > 0."""

    mean: float
    std: float

    def __post_init__(self) -> None:
        """Refuse a mean or std that makes no Gaussian law."""
        object.__setattr__(self, "mean", finite("mean", self.mean))
        object.__setattr__(self, "std", positive("std", self.std, hint=_POINT_HINT))

    def components(self) -> Components:
        """One component of weight 1."""
        return Components(np.array([1.0]), np.array([self.mean]), np.array([self.std]))

    def shift(self, offset: float) -> Self:
        """The law of X + offset."""
        return type(self)(self.mean + finite("offset", offset), self.std)

    def scale(self, factor: float) -> Self:
        """The law of factor·X."""
        number = check_factor(factor)
        return type(self)(self.mean * number, self.std * abs(number))


@dataclass(frozen=True, slots=True, init=False)
class GaussianMixture(GaussianFamily):
    """X ~ Σ_m weights[m]·N(means[m], stds[m]²).

    Weights are nonnegative and sum to one (within 1e-9; they are then renormalised); a component
    of weight 0 is allowed and changes nothing. Stds are above 0.
    """

    weights: tuple[float, ...]
    means: tuple[float, ...]
    stds: tuple[float, ...]

    def __init__(
        self,
        weights: Sequence[float] | FloatArray,
        means: Sequence[float] | FloatArray,
        stds: Sequence[float] | FloatArray,
    ) -> None:
        """Refuse an empty mixture, lengths that differ, weights that do not sum to one."""
        shares = check_probabilities("weights", weights)
        centres = finite_array("means", means)
        spreads = finite_array("stds", stds)
        require(
            shares.size == centres.size == spreads.size,
            "weights, means and stds must have one entry per component, got "
            f"{shares.size}, {centres.size} and {spreads.size}.",
        )
        for index, std in enumerate(spreads):
            positive(f"stds[{index}]", std, hint=_POINT_HINT)
        for name, array in (("weights", shares), ("means", centres), ("stds", spreads)):
            object.__setattr__(self, name, tuple(array.tolist()))

    @property
    def mean(self) -> float:
        """EX."""
        return float(np.dot(self.weights, self.means))

    def components(self) -> Components:
        """The components of positive weight; equal ones are merged."""
        weights: dict[tuple[float, float], float] = {}
        for weight, mean, std in zip(self.weights, self.means, self.stds, strict=True):
            if weight > 0.0:
                weights[mean, std] = weights.get((mean, std), 0.0) + weight
        means, stds = np.array(list(weights)).T
        return Components(np.array(list(weights.values())), means, stds)

    def shift(self, offset: float) -> Self:
        """The law of X + offset."""
        moved = np.asarray(self.means) + finite("offset", offset)
        return type(self)(self.weights, moved.tolist(), self.stds)

    def scale(self, factor: float) -> Self:
        """The law of factor·X."""
        number = check_factor(factor)
        means = np.asarray(self.means) * number
        stds = np.asarray(self.stds) * abs(number)
        return type(self)(self.weights, means.tolist(), stds.tolist())
