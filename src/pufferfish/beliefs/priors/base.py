"""The interface that all priors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray, finite, require

__all__ = ["Components", "Prior", "as_points", "check_factor", "check_levels"]


class Components(NamedTuple):
    """Gaussian components of positive weight, as arrays of equal length; std 0 is an atom."""

    weights: FloatArray
    means: FloatArray
    stds: FloatArray


class Prior(ABC):
    """The law of X that an adversary believes when one secret is true; it reads no data."""

    __slots__ = ()

    if TYPE_CHECKING:  # a field of Gaussian, a property elsewhere

        @property
        def mean(self) -> float:
            """EX."""

    @abstractmethod
    def components(self) -> Components:
        """The law as a mixture of Gaussians and atoms."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """E(X − EX)²."""

    @abstractmethod
    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X ≤ x)."""

    @abstractmethod
    def survival(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x), computed on its own and not as 1 − cdf, so that far tails keep their digits."""

    @abstractmethod
    def quantile(self, level: npt.ArrayLike) -> FloatArray:
        """The smallest x with P(X ≤ x) ≥ level, for levels strictly between 0 and 1."""

    @abstractmethod
    def log_mgf(self, t: float) -> float:
        """log E e^{tX}, the logarithm of the moment generating function."""

    @abstractmethod
    def shift(self, offset: float) -> Self:
        """The law of X + offset."""

    @abstractmethod
    def scale(self, factor: float) -> Self:
        """The law of factor·X; the factor is not zero and may be negative."""


def as_points(x: npt.ArrayLike) -> FloatArray:
    """`x` as a float array; nan is refused, infinities are legitimate ends of the line."""
    points = np.asarray(x, dtype=np.float64)
    require(not np.isnan(points).any(), "x must not contain nan.")
    return points


def check_levels(level: npt.ArrayLike) -> FloatArray:
    """Probabilities strictly between 0 and 1."""
    levels = np.asarray(level, dtype=np.float64)
    require(
        bool(np.all((levels > 0) & (levels < 1))),
        "quantile levels must lie strictly between 0 and 1.",
    )
    return levels


def check_factor(factor: float) -> float:
    """A finite factor that keeps the law a law of the same kind."""
    number = finite("factor", factor)
    require(number != 0.0, "factor must not be 0: that would make X a constant.")
    return number
