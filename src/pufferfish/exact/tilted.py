"""Gaussian laws divided by one common Gaussian: for the supremum of their log-ratio.

With Gaussian noise every component falls like e^{−y²/2θ²}, and where the two laws still differ,
around y ≈ θ²/spread, both are astronomically small. That common fall cancels in p/q but not in
bounds on p and q. So it is divided out first: with a reference N(μ_r, v_r), v_r the largest one,

    log f_m(y) + (y−μ_r)²/2v_r = c_m + l_m·d − k_m·d²/2,   d = y − μ_r,
    k_m = 1/v_m − 1/v_r ≥ 0,   l_m = (μ_m − μ_r)/v_m,

still concave in y, with a score l_m − k_m·d that is small and slow. The ratio p/q is unchanged.
"""

from __future__ import annotations

import numpy as np

from pufferfish.checks import FloatArray
from pufferfish.exact.bounds import KAPPA_ABSOLUTE, KAPPA_RELATIVE, MixtureBounds
from pufferfish.noise import MixtureOutput
from pufferfish.numerics import UNIT

__all__ = ["TiltedBounds", "tilted"]

_POINTS_PER_DECADE = 8
_MOST_POINTS = 400


def tilted(p: MixtureOutput, q: MixtureOutput) -> tuple[TiltedBounds, TiltedBounds]:
    """Both laws, divided by their widest component."""
    stds = np.append(p.components.stds, q.components.stds)
    means = np.append(p.components.means, q.components.means)
    widest = int(stds.argmax())
    reference = float(means[widest]), float(stds[widest])
    return TiltedBounds(p, *reference), TiltedBounds(q, *reference)


class TiltedBounds(MixtureBounds):
    """Bounds for a mixture of Gaussian kernels over a reference; knows densities, not masses."""

    def __init__(self, law: MixtureOutput, mean: float, std: float) -> None:
        """Write every component as e to a quadratic in the distance from the reference mean."""
        super().__init__(law)
        _, means, stds = law.components
        variance = (stds**2 + law.noise.variance)[:, None]
        reference = std**2 + law.noise.variance
        offset = (means - mean)[:, None]
        self._centre = mean
        # Differences of variances as products: noise far larger than the stds must not hide them.
        self._curvature = ((std - stds) * (std + stds))[:, None] / variance / reference
        self._linear = offset / variance
        self._constant = -0.5 * offset * self._linear - 0.5 * np.log(variance) + law.log_weights
        vertex = np.where(self._curvature > 0, self._curvature, np.inf)
        self._peak = self._constant + 0.5 * self._linear * (self._linear / vertex)
        self.score_slack = 8.0 * UNIT * np.abs(self._linear)

    def far_features(self) -> FloatArray:
        """From the distance at which the first component moves to that at which all have gone."""
        linear, curvature = np.abs(self._linear[:, 0]), self._curvature[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            scales = np.concatenate([1.0 / linear, np.sqrt(2.0 / curvature), linear / curvature])
        scales = scales[np.isfinite(scales) & (scales > 0)]
        if not scales.size:
            return np.array([])
        low, high = 0.1 * float(scales.min()), 50.0 * float(scales.max())
        count = min(int(_POINTS_PER_DECADE * np.log10(high / low)) + 2, _MOST_POINTS)
        distance = np.geomspace(low, high, count)
        return np.concatenate([self._centre - distance, self._centre + distance])

    def at(self, y: FloatArray) -> FloatArray:
        """Log-density and score of each component, then the size of the terms they are made of."""
        d = y - self._centre
        rise, fall = self._linear * d, 0.5 * self._curvature * d * d
        log_f = self._constant + rise - fall
        size = np.abs(self._constant) + np.abs(rise) + fall
        counted = log_f >= log_f.max(axis=0) - 40.0
        largest = np.where(counted, size, 0.0).max(axis=0)
        return np.concatenate([log_f, self._linear - self._curvature * d, largest[None]])

    def sizes(self, rows: FloatArray) -> FloatArray:
        """The terms may cancel: their size counts, not their sum."""
        return np.broadcast_to(rows[-1], rows[: self._count].shape)

    def margin(self, rows: FloatArray, log_density: FloatArray) -> FloatArray:
        """κ by the size of the terms."""
        return np.asarray(KAPPA_ABSOLUTE + KAPPA_RELATIVE * rows[-1] + self._count * UNIT)
