"""The values that X may have, as a finite list that loses nothing detectable.

Where X may be any number, or any multiple of a step far below the noise, values are listed at a
spacing δ. A value between two listed ones is nearly a mixture of both with the same mean: that
changes the law of Y by a χ² distance of at most about (δ/b)³/24 for Laplace and (δ/θ)⁴/32 for
Gaussian noise. δ is such that Λ of n rows loses at most 0.1, on average. Next to a cut (the edge of
a bin) the values on either side are listed, so that no such mixture crosses it. Proofs:
docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Literal

import numpy as np

from pufferfish.core.validation import FloatArray, finite_array, positive, require
from pufferfish.denoise.law import noise_size
from pufferfish.noise import GaussianNoise, LaplaceNoise

__all__ = ["Support", "SupportLike", "read_support"]

SupportLike = float | Sequence[float] | Literal["any", "smooth"] | None

# The largest spacing of values as a share of b or θ, and how much Λ may lose through the spacing.
_COARSEST = 0.125
_LOSS = 0.1
_MOST_LISTED = 20_000


@dataclass(frozen=True, slots=True)
class Support:
    """What X may be.

    Attributes:
        step: X is a multiple of this; None if it may be any number.
        listed: X is one of these; None if they are not listed.
    """

    step: float | None = None
    listed: tuple[float, ...] | None = None

    def spacing(self, noise: LaplaceNoise | GaussianNoise, rows: int) -> float:
        """δ for this noise and this many rows; a whole number of steps, at least one."""
        if isinstance(noise, LaplaceNoise):
            part = math.pow(24.0 * _LOSS / rows, 1.0 / 3.0)
        else:
            part = math.pow(32.0 * _LOSS / rows, 0.25)
        fine = noise_size(noise) * min(part, _COARSEST)
        if self.step is None:
            return fine
        return self.step * max(1.0, math.floor(fine / self.step))

    def is_listed(self, noise: LaplaceNoise | GaussianNoise, rows: int) -> bool:
        """Whether `values` holds all that X may be, near the points asked for."""
        return self.listed is not None or self.spacing(noise, rows) == self.step

    def sides(self, cut: float, size: float) -> tuple[float, float]:
        """The last value at or below the cut, and the first above it."""
        if self.step is None:
            return cut, cut + 1e-9 * max(size, abs(cut))
        last = math.floor(cut / self.step + 1e-9) * self.step
        return last, last + self.step

    def values(
        self,
        zones: list[tuple[float, float]],
        cuts: FloatArray,
        noise: LaplaceNoise | GaussianNoise,
        rows: int,
    ) -> FloatArray:
        """Values in the zones, on both sides of each cut, and one in each gap between zones.

        A gap is wide enough that the noise does not reach from its middle to the cells around it.
        """
        if self.listed is not None:
            return np.array(self.listed)
        spacing, size = self.spacing(noise, rows), noise_size(noise)
        parts = [
            spacing * np.arange(math.floor(low / spacing), math.ceil(high / spacing) + 1)
            for low, high in zones
        ]
        sides = np.array([side for cut in cuts.tolist() for side in self.sides(cut, size)])
        far = 1e3 * size
        gaps = [zones[0][0] - far, zones[-1][1] + far]
        gaps += [0.5 * (a[1] + b[0]) for a, b in pairwise(zones)]
        if self.step is not None:
            gaps = [self.step * round(gap / self.step) for gap in gaps]
        return np.unique(np.concatenate([*parts, sides, gaps]))


def read_support(support: SupportLike) -> Support:
    """A step, a list of values, or None for any number."""
    if support is None or (isinstance(support, str) and support == "any"):
        return Support()
    if isinstance(support, Real):
        return Support(step=positive("support", support))
    require(
        not isinstance(support, str),
        'support must be a step, a list of values, "any" or "smooth".',
    )
    values = np.unique(finite_array("support", support))
    require(
        2 <= values.size <= _MOST_LISTED,
        f"support must list 2 to {_MOST_LISTED:,} different values, got {values.size:,}.",
    )
    return Support(listed=tuple(values.tolist()))
