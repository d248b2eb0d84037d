"""Monge's optimal transport between two Gaussians: the linear map that the paper builds on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Gaussian
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import distance_upper
from pufferfish.core.validation import FloatArray
from pufferfish.transport.displacement import Displacement

__all__ = ["MongeMap"]


@dataclass(frozen=True, slots=True)
class MongeMap:
    """T(x) = μ_j + (σ_j/σ_i)·(x − μ_i), which carries N(μ_i, σ_i²) to N(μ_j, σ_j²).

    (X, T(X)) has the least E(X − X')² of all couplings of the two laws: (μ_i − μ_j)² + (σ_i − σ_j)²
    (docs/theory/transport.md).

    Attributes:
        first: The law of X.
        second: The law of T(X).
    """

    first: Gaussian
    second: Gaussian

    def __post_init__(self) -> None:
        """Refuse laws that are not Gaussian."""
        for prior in (self.first, self.second):
            if not isinstance(prior, Gaussian):
                raise UnsupportedError(
                    f"Monge's map is between Gaussians, got {type(prior).__name__}; use "
                    "transport.mixture_plan for mixtures and transport.comonotone for any two "
                    "laws."
                )

    def __call__(self, x: npt.ArrayLike) -> FloatArray:
        """T at each point of x."""
        slope = self.second.std / self.first.std
        offsets = np.asarray(x, dtype=np.float64) - self.first.mean
        return np.asarray(self.second.mean + slope * offsets)

    @property
    def cost(self) -> float:
        """W2² = (μ_i − μ_j)² + (σ_i − σ_j)²."""
        return (self.first.mean - self.second.mean) ** 2 + (self.first.std - self.second.std) ** 2

    @property
    def displacement(self) -> Displacement:
        """|X − T(X)| = |Δμ + Δσ·Z|, a folded normal."""
        return Displacement(
            weights=np.array([1.0]),
            means=distance_upper(np.array([self.first.mean]), np.array([self.second.mean])),
            stds=np.array([abs(self.first.std - self.second.std)]),
        )
