"""Noise laws as data. The grid on which the noise is drawn is part of the law."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from pufferfish.beliefs.priors import Components, Discrete
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, positive, require
from pufferfish.documents.types import Positive
from pufferfish.noise.base import AdditiveLaw, Law, Unit
from pufferfish.noise.kernels import GaussianKernel, LaplaceKernel
from pufferfish.noise.output import AtomsOutput, TableOutput

__all__ = ["GaussianNoise", "LaplaceNoise", "NoNoise", "Noise"]
__all__ += ["as_noise", "check_noise"]


def _check_grid(grid: float | None, size: float, size_name: str) -> float | None:
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
class LaplaceNoise(AdditiveLaw):
    """N ~ Lap(scale): density e^{−|n|/scale}/(2·scale).

    With a `grid` γ (a power of two) the law is the one that can be sampled exactly: the value is
    rounded to the nearest multiple of γ and γ·G is added, P(G = n) ∝ e^{−|n|γ/scale}. Without a
    grid it is the ideal, continuous law.
    """

    kind: ClassVar[Literal["laplace"]] = "laplace"
    unit: ClassVar[Unit] = Unit(peak_width=2.0, mean_absolute=1.0, moments=(2.0, 24.0))

    scale: Positive
    grid: float | None = None

    def __post_init__(self) -> None:
        """Refuse an invalid scale, and a grid that floats cannot represent."""
        hint = "For no noise at all use pf.NoNoise()."
        scale = positive("scale", self.scale, hint=hint)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "grid", _check_grid(self.grid, scale, "scale"))

    @property
    def variance(self) -> float:
        """2·scale², of the continuous law."""
        return 2.0 * self.scale**2

    @property
    def std(self) -> float:
        """√2·scale, of the continuous law."""
        return math.sqrt(2.0) * self.scale

    @property
    def size(self) -> float:
        """The scale."""
        return self.scale

    @property
    def drawable(self) -> bool:
        """On a grid."""
        return self.grid is not None

    @property
    def ratio_scale(self) -> float:
        """The scale: |log f(y−x) − log f(y−x')| ≤ |x − x'|/scale."""
        return self.scale

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        """The std, whatever the values are."""
        return self.std

    def half_width(self, confidence: float) -> float:
        """The half-width −scale·log(1 − confidence)."""
        return -self.scale * math.log1p(-confidence)

    def cdf(self, points: FloatArray) -> FloatArray:
        """e^{−|t|/scale}/2, or 1 minus that."""
        tail = 0.5 * np.exp(-np.abs(points) / self.scale)
        return np.asarray(np.where(points < 0.0, tail, 1.0 - tail))

    def modulus(self, frequency: float) -> float:
        """1/(1 + (scale·t)²); on a grid γ with sinh²(γ/2·scale) and sin²(γt/2), rounded up."""
        if self.grid is None:
            return 1.0 / (1.0 + (self.scale * frequency) ** 2)
        half = math.sinh(self.grid / (2.0 * self.scale)) ** 2
        return half / (half + math.sin(self.grid * frequency / 2.0) ** 2) * (1.0 + 1e-9)

    def resized(self, size: float) -> LaplaceNoise:
        """The law with another scale, on the same grid."""
        return replace(self, scale=size)

    def ideal(self, part: float = 1.0) -> LaplaceNoise:
        """The law with a part of the scale, without a grid."""
        return replace(self, scale=part * self.scale, grid=None)

    def kernel(self, components: Components) -> LaplaceKernel:
        """Gaussian + Laplace."""
        return LaplaceKernel(components.means, components.stds, self.scale)

    def output_of_table(self, table: Discrete) -> TableOutput:
        """By recurrences along its atoms."""
        return TableOutput(table, self)


@dataclass(frozen=True, slots=True)
class GaussianNoise(AdditiveLaw):
    """N ~ N(0, std²).

    With a `grid` γ (a power of two) the value is rounded to the nearest multiple of γ and γ·G is
    added, P(G = n) ∝ e^{−(nγ)²/(2·std²)}. Without a grid it is the ideal, continuous law.
    """

    kind: ClassVar[Literal["gaussian"]] = "gaussian"
    unit: ClassVar[Unit] = Unit(
        peak_width=math.sqrt(2.0 * math.pi),
        mean_absolute=math.sqrt(2.0 / math.pi),
        moments=(1.0, 3.0),
    )

    std: Positive
    grid: float | None = None

    def __post_init__(self) -> None:
        """Refuse an invalid std, and a grid that floats cannot represent."""
        std = positive("std", self.std, hint="For no noise at all use pf.NoNoise().")
        object.__setattr__(self, "std", std)
        object.__setattr__(self, "grid", _check_grid(self.grid, std, "std"))

    @property
    def variance(self) -> float:
        """std², of the continuous law."""
        return self.std**2

    @property
    def size(self) -> float:
        """The std."""
        return self.std

    @property
    def drawable(self) -> bool:
        """On a grid."""
        return self.grid is not None

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        """The std, whatever the values are."""
        return self.std

    def half_width(self, confidence: float) -> float:
        """A quantile of the normal law."""
        return self.std * float(ndtri(0.5 + 0.5 * confidence))

    def cdf(self, points: FloatArray) -> FloatArray:
        """Φ(t/std)."""
        return np.asarray(ndtr(points / self.std))

    def modulus(self, frequency: float) -> float:
        """e^{−(std·t)²/2} and what a grid γ may add, up to t = π/γ; 1 beyond."""
        if (self.grid or 0.0) * frequency > math.pi:
            return 1.0
        return math.exp(-0.5 * (self.std * frequency) ** 2) + 1e-9

    def resized(self, size: float) -> GaussianNoise:
        """The law with another std, on the same grid."""
        return replace(self, std=size)

    def ideal(self, part: float = 1.0) -> GaussianNoise:
        """The law with a part of the std, without a grid."""
        return replace(self, std=part * self.std, grid=None)

    def kernel(self, components: Components) -> GaussianKernel:
        """Gaussian + Gaussian."""
        return GaussianKernel(components.means, np.hypot(components.stds, self.std))


@dataclass(frozen=True, slots=True)
class NoNoise(AdditiveLaw):
    """Y = X: the release of the value itself."""

    kind: ClassVar[Literal["none"]] = "none"
    unit: ClassVar[Unit] = Unit(peak_width=0.0, mean_absolute=0.0, moments=(0.0, 0.0))

    @property
    def identity(self) -> bool:
        """Values are published as they are."""
        return True

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

    @property
    def size(self) -> float:
        """0."""
        return 0.0

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        """0."""
        return 0.0

    def half_width(self, confidence: float) -> float:
        """0."""
        return 0.0

    def cdf(self, points: FloatArray) -> FloatArray:
        """A step at 0."""
        return np.where(points < 0.0, 0.0, 1.0)

    def modulus(self, frequency: float) -> float:
        """1."""
        return 1.0

    def resized(self, size: float) -> NoNoise:
        """No noise, for any size."""
        return self

    def ideal(self, part: float = 1.0) -> NoNoise:
        """None."""
        return self

    def kernel(self, components: Components) -> GaussianKernel:
        """The components themselves."""
        return GaussianKernel(components.means, components.stds)

    def output_of_table(self, table: Discrete) -> AtomsOutput:
        """The table."""
        return AtomsOutput(table)


Noise = LaplaceNoise | GaussianNoise | NoNoise


def check_noise(noise: object) -> None:
    """Refuse anything that is not a noise law."""
    hint = " From a record: pf.denoise.noise_of(record)." if isinstance(noise, Mapping) else ""
    require(
        isinstance(noise, LaplaceNoise | GaussianNoise | NoNoise),
        f"noise must be LaplaceNoise, GaussianNoise or NoNoise, got {type(noise).__name__}.{hint}",
    )


def as_noise(law: Law) -> Noise:
    """A law that adds noise.

    Raises:
        UnsupportedError: The law adds no noise, and so has neither a scale nor a std.
    """
    if isinstance(law, LaplaceNoise | GaussianNoise | NoNoise):
        return law
    raise UnsupportedError(
        f"{type(law).__name__} adds no noise to a value, so it has neither scale nor std; "
        "`mechanism` is the law itself, and `mechanism.error(frequencies)` the error of a value."
    )
