"""Noise laws as data. The grid on which the noise is drawn is part of the law."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pufferfish.checks import positive, require

__all__ = ["GaussianNoise", "LaplaceNoise", "NoNoise", "Noise"]
__all__ += ["check_noise", "resized", "size_of"]


def _checked_grid(grid: float | None, size: float, size_name: str) -> float | None:
    if grid is None:
        return None
    step = positive("grid", grid)
    require(
        math.frexp(step)[0] == 0.5,
        f"grid must be a power of two, so that its multiples are exact floats, got {step!r}.",
    )
    require(step <= size, f"grid must not exceed the {size_name}, got {step:g} > {size:g}.")
    return step


@dataclass(frozen=True, slots=True)
class LaplaceNoise:
    """N ~ Lap(scale): density e^{−|n|/scale}/(2·scale).

    With a `grid` γ (a power of two) the law is the one that can be sampled exactly: the value is
    rounded to the nearest multiple of γ and γ·G is added, P(G = n) ∝ e^{−|n|γ/scale}. Without, it
    is the ideal, continuous law.
    """

    scale: float
    grid: float | None = None

    def __post_init__(self) -> None:
        """Refuse a scale that is no scale and a grid that floats cannot represent."""
        hint = "For no noise at all use pf.NoNoise()."
        scale = positive("scale", self.scale, hint=hint)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "grid", _checked_grid(self.grid, scale, "scale"))

    @property
    def variance(self) -> float:
        """2·scale², of the continuous law."""
        return 2.0 * self.scale**2

    @property
    def std(self) -> float:
        """√2·scale, of the continuous law."""
        return math.sqrt(2.0) * self.scale


@dataclass(frozen=True, slots=True)
class GaussianNoise:
    """N ~ N(0, std²).

    With a `grid` γ (a power of two) the value is rounded to the nearest multiple of γ and γ·G is
    added, P(G = n) ∝ e^{−(nγ)²/(2·std²)}. Without, it is the ideal, continuous law.
    """

    std: float
    grid: float | None = None

    def __post_init__(self) -> None:
        """Refuse a std that is no std and a grid that floats cannot represent."""
        std = positive("std", self.std, hint="For no noise at all use pf.NoNoise().")
        object.__setattr__(self, "std", std)
        object.__setattr__(self, "grid", _checked_grid(self.grid, std, "std"))

    @property
    def variance(self) -> float:
        """std², of the continuous law."""
        return self.std**2


@dataclass(frozen=True, slots=True)
class NoNoise:
    """Y = X: the release of the value itself."""

    @property
    def grid(self) -> None:
        """The value is released as it is."""
        return None

    @property
    def variance(self) -> float:
        """0."""
        return 0.0

    @property
    def std(self) -> float:
        """0."""
        return 0.0


Noise = LaplaceNoise | GaussianNoise | NoNoise


def check_noise(noise: object) -> None:
    """Refuse what is no noise law."""
    require(
        isinstance(noise, LaplaceNoise | GaussianNoise | NoNoise),
        f"noise must be LaplaceNoise, GaussianNoise or NoNoise, got {type(noise).__name__}.",
    )


def size_of(noise: Noise) -> float:
    """What the size of this law is called by: Laplace's scale, a Gaussian's std; 0 for none."""
    return noise.scale if isinstance(noise, LaplaceNoise) else noise.std


def resized(noise: Noise, size: float) -> Noise:
    """The same law with another size; the grid stays, and no noise stays none."""
    if isinstance(noise, LaplaceNoise):
        return replace(noise, scale=size)
    if isinstance(noise, GaussianNoise):
        return replace(noise, std=size)
    return noise
