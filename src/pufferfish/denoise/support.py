"""The values that X may have, as a finite list that loses nothing that could be seen.

Where X may be any number, or any multiple of a step far below the noise, values are listed at a
spacing δ. A value between two listed ones is as good as a mixture of both with the same mean: that
changes the law of Y by a χ² distance of at most (δ/b)⁴/64 for Laplace and (δ/θ)⁴/32 for Gaussian
noise, so that a likelihood ratio of n rows moves by less than 0.01 at δ = (0.32/n)^¼ of the noise.
Next to a cut (the edge of a bin, a quantile that is tested) the values on either side are listed,
so that no such mixture crosses it. Proofs: docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Literal

import numpy as np

from pufferfish.checks import FloatArray, finite_array, positive, require

__all__ = ["Support", "SupportLike", "read_support"]

SupportLike = float | Sequence[float] | Literal["any", "smooth"] | None

# How much n rows may lose in twice the log-likelihood through the spacing of values.
_LOSS = 0.01
_MOST_LISTED = 20_000


@dataclass(frozen=True, slots=True)
class Support:
    """What X may be.

    Attributes:
        step: X is a multiple of this; None where it may be any number.
        listed: X is one of these; None where they are not listed.
    """

    step: float | None = None
    listed: tuple[float, ...] | None = None

    def spacing(self, size: float, rows: int) -> float:
        """δ for this noise and so many rows; a whole number of steps, at least one."""
        fine = size * min(0.125, math.pow(32.0 * _LOSS / rows, 0.25))
        if self.step is None:
            return fine
        return self.step * max(1.0, math.floor(fine / self.step))

    def sides(self, cut: float, size: float) -> tuple[float, float]:
        """The last value at or below the cut, and the first above it."""
        if self.step is None:
            return cut, cut + 1e-9 * max(size, abs(cut))
        last = math.floor(cut / self.step + 1e-9) * self.step
        return last, last + self.step

    def values(
        self, zones: list[tuple[float, float]], cuts: FloatArray, size: float, rows: int
    ) -> FloatArray:
        """Values in the zones, on both sides of each cut, and one in each gap between zones.

        A gap is so wide that the noise does not reach from its middle to the cells around it.
        """
        if self.listed is not None:
            return np.array(self.listed)
        spacing = self.spacing(size, rows)
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
