"""Use a published column: estimates about X from Y = X + N, where N has a published law."""

from __future__ import annotations

from pufferfish.denoise.distribution import Histogram, Quantiles, histogram, quantiles
from pufferfish.denoise.estimate import Estimate
from pufferfish.denoise.moments import mean, slope, variance
from pufferfish.denoise.recorded import noise_of
from pufferfish.denoise.support import SupportLike

__all__ = [
    "Estimate",
    "Histogram",
    "Quantiles",
    "SupportLike",
    "histogram",
    "mean",
    "noise_of",
    "quantiles",
    "slope",
    "variance",
]
