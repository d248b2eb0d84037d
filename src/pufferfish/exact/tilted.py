"""Gaussian laws divided by one common Gaussian, for the supremum of their log-ratio.

With Gaussian noise every component falls like e^{−y²/2θ²}, and where the two laws still differ,
around y ≈ θ²/spread, both are extremely small. This common factor cancels in p/q but not in bounds
on p and q. So it is divided out first: with a reference N(μ_r, v_r), v_r the largest one,

    log f_m(y) + (y−μ_r)²/2v_r = c_m + l_m·d − k_m·d²/2,   d = y − μ_r,
    k_m = 1/v_m − 1/v_r ≥ 0,   l_m = (μ_m − μ_r)/v_m,

still concave in y, with a score l_m − k_m·d that is small and slow. The ratio p/q is unchanged.
"""

from __future__ import annotations

import numpy as np

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact.bounds import KAPPA_ABSOLUTE, KAPPA_RELATIVE, MixtureBounds
from pufferfish.noise import MixtureOutput

__all__ = ["TiltedBounds", "tilt"]

_POINTS_PER_DECADE = 8
_MOST_POINTS = 400


def tilt(p: MixtureOutput, q: MixtureOutput) -> tuple[TiltedBounds, TiltedBounds]:
    """Both laws, divided by their widest component."""
    stds = np.append(p.components.stds, q.components.stds)
    means = np.append(p.components.means, q.components.means)
    widest = int(stds.argmax())
    reference = float(means[widest]), float(stds[widest])
    return TiltedBounds(p, *reference), TiltedBounds(q, *reference)


class TiltedBounds(MixtureBounds):
    """Bounds for a mixture of Gaussian kernels over a reference; for densities, not masses."""

    def __init__(self, law: MixtureOutput, mean: float, std: float) -> None:
        """Write every component as e to a quadratic in the distance from the reference mean."""
        super().__init__(law)
        _, means, stds = law.components
        variance = (stds**2 + law.noise.variance)[:, None]
        reference = std**2 + law.noise.variance
        offset = (means - mean)[:, None]
        self._centre, self._spread = mean, float(np.sqrt(reference))
        self._own_centre, self._own_spread = means[:, None], np.sqrt(variance)
        # A product, because noise far larger than the stds would hide their difference.
        excess = ((std - stds) * (std + stds))[:, None]
        self._curvature = excess / variance / reference
        self._linear = offset / variance
        self._norm = law.log_weights - 0.5 * np.log(variance)
        self._constant = self._norm - 0.5 * offset * self._linear
        rise = 0.5 * offset * (offset / np.where(excess > 0, excess, np.inf))
        self._peak = self._norm + rise * (1.0 + 8.0 * UNIT)
        # Much narrower components are taken about their own mean: otherwise c, l·d and k·d²/2 would
        # be huge and cancel.
        self._narrow = variance < 0.5 * reference
        slow = np.where(self._narrow, offset / reference, self._linear)
        self.score_slack = 16.0 * UNIT * np.abs(slow)

    def far_features(self) -> FloatArray:
        """Points from where the first component begins to fade to where all have faded."""
        wide = ~self._narrow[:, 0]
        linear, curvature = np.abs(self._linear[wide, 0]), self._curvature[wide, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            scales = np.concatenate([1.0 / linear, np.sqrt(2.0 / curvature), linear / curvature])
        scales = scales[(scales > 1e-120) & (scales < 1e120)]
        if not scales.size:
            return np.array([])
        low, high = np.log10(0.1 * scales.min()), np.log10(50.0 * scales.max())
        count = min(int(_POINTS_PER_DECADE * (high - low)) + 2, _MOST_POINTS)
        distance = np.logspace(low, high, count)
        return np.concatenate([self._centre - distance, self._centre + distance])

    def at(self, y: FloatArray) -> FloatArray:
        """Log-density and score of each component, then the size of the terms they are made of."""
        d = y - self._centre
        rise, fall = self._linear * d, 0.5 * self._curvature * d * d
        own, common = (y - self._own_centre) / self._own_spread, d / self._spread
        log_f = np.where(
            self._narrow,
            self._norm - 0.5 * own * own + 0.5 * common * common,
            self._constant + rise - fall,
        )
        size = np.where(
            self._narrow,
            np.abs(self._norm) + 0.5 * own * own + 0.5 * common * common,
            np.abs(self._norm) + np.abs(self._constant) + np.abs(rise) + fall,
        )
        scores = np.where(
            self._narrow,
            common / self._spread - own / self._own_spread,
            self._linear - self._curvature * d,
        )
        # Components that cannot matter, even if their terms err as much as they may.
        doubt = KAPPA_RELATIVE * size
        counted = log_f + doubt >= (log_f - doubt).max(axis=0) - 40.0
        largest = np.where(counted, size, 0.0).max(axis=0)
        return np.concatenate([log_f, scores, largest[None]])

    def sizes(self, rows: FloatArray) -> FloatArray:
        """The size of the terms, which may cancel, and not of their sum."""
        return np.broadcast_to(rows[-1], rows[: self._count].shape)

    def margin(self, rows: FloatArray, log_density: FloatArray) -> FloatArray:
        """κ by the size of the terms."""
        return np.asarray(KAPPA_ABSOLUTE + KAPPA_RELATIVE * rows[-1] + self._count * UNIT)
