"""The distance that a coupling moves a value: the law of |X − X'|, all that a bound needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from pufferfish.core.numerics import FAINTEST, UNIT
from pufferfish.core.validation import FloatArray, require

__all__ = ["Displacement"]

# More than the relative error of a normal tail out to 38 stds, and of a sum of them.
_UP = 1.0 + 1e-12
# No distance between values that the library accepts comes near this.
_FARTHEST = 1e200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Displacement:
    """|X − X'| is |means[k] + stds[k]·Z| with probability weights[k], Z standard normal.

    A piece of std 0 is a fixed distance. Distances are those of the coupling or larger, so that
    every bound made from them errs to the private side.

    Attributes:
        weights: Probability of each piece.
        means: |mean of X − X'| in each piece.
        stds: Std of X − X' in each piece.
        lost: Probability that is not accounted for; it counts as an infinite distance.
        charge: κ such that the densities of the coupled laws differ from those of the given laws by
            factors whose two logarithms add up to at most κ. It is added to ε, once.
    """

    weights: FloatArray
    means: FloatArray
    stds: FloatArray
    lost: float = 0.0
    charge: float = 0.0

    def exceeds_upper(self, distance: float) -> float:
        """P(|X − X'| > distance), or a little more."""
        require(not math.isnan(distance), "distance must be a number, got nan.")
        fixed = self.stds == 0.0
        far = self.weights[fixed & (self.means > distance)]
        means, stds = self.means[~fixed], self.stds[~fixed]
        with np.errstate(over="ignore"):
            tails = ndtr((means - distance) / stds) + ndtr((-means - distance) / stds)
        known = math.fsum(far) + math.fsum(self.weights[~fixed] * (tails + FAINTEST))
        return min(known * _UP + self.lost, 1.0)

    @property
    def reach(self) -> float:
        """The largest |X − X'| that can occur: infinite if a piece is Gaussian or mass is lost."""
        if self.lost > 0.0 or bool(self.stds.any()):
            return math.inf
        return float(np.max(self.means))

    def quantile_upper(self, delta: float) -> float:
        """The least distance exceeded with probability at most `delta`, or a little more."""
        require(0.0 <= delta < 1.0, f"delta must be at least 0 and less than 1, got {delta}.")
        if delta == 0.0 or self.exceeds_upper(_FARTHEST) > delta:
            return self.reach
        if self.exceeds_upper(0.0) <= delta:
            return 0.0
        sizes = self.means + self.stds
        low, high = 0.0, float(np.max(sizes[np.isfinite(sizes)]))
        while self.exceeds_upper(high) > delta:
            low, high = high, 2.0 * high
        while high - low > max(4.0 * UNIT * high, FAINTEST):
            middle = 0.5 * (low + high)
            if self.exceeds_upper(middle) > delta:
                low = middle
            else:
                high = middle
        return high
