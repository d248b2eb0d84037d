"""Accelerated expectation maximisation (EM) for mixtures of Gaussians on weighted values.

For values x_k with shares p_k (Σ p = 1) the log-likelihood of one record is Σ_k p_k log f(x_k),
f = Σ_m w_m N(μ_m, σ_m²). An EM step takes responsibilities r_mk = p_k w_m N(x_k; μ_m, σ_m²)/f(x_k)
and sets w_m = Σ_k r_mk, and μ_m and σ_m² to the mean and variance under r_m, with σ_m raised to the
floor if it is below: that is still the best σ_m of the constrained problem, so a step never lowers
the likelihood. Two steps make an extrapolation (SQUAREM, in log w, μ, log σ), which is kept only
where the likelihood did not fall.

Several starts run side by side: arrays are (start, component, value).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray

__all__ = ["Run", "Theta", "Weighted", "climb"]

# A component with less than this share of all records is vanishing; it keeps this share so that the
# arithmetic stays finite.
_FAINTEST = 1e-14


class Weighted(NamedTuple):
    """Values and the probability of each.

    A value may be the mean of a cell that has a variance of its own. The whole cell is then divided
    among the components in the same proportions, which bounds the likelihood from below.
    """

    values: FloatArray
    shares: FloatArray
    variances: FloatArray = np.zeros(0)  # empty: the values are exact


class Theta(NamedTuple):
    """Mixtures, one in each row."""

    weights: FloatArray
    means: FloatArray
    stds: FloatArray

    def rows(self, which: npt.NDArray[np.intp]) -> Theta:
        """Some of the mixtures."""
        return Theta(*(part[which] for part in self))


class Run(NamedTuple):
    """The state that several starts have reached.

    `trace` holds the log-likelihoods of one record before the first cycle and after each.
    """

    theta: Theta
    log_likelihood: FloatArray
    converged: npt.NDArray[np.bool_]
    cycles: int
    trace: FloatArray


def climb(data: Weighted, theta: Theta, floor: float, cycles: int, tolerance: float) -> Run:
    """EM from each start, until a cycle gains less than `tolerance` per record."""
    trace: list[FloatArray] = []
    converged = np.zeros(theta.weights.shape[0], dtype=bool)
    while True:
        following, reached = _cycle(data, theta, floor)
        trace.append(reached)
        if len(trace) > 1:
            converged = trace[-1] - trace[-2] <= tolerance
        if converged.all() or len(trace) > cycles:
            return Run(theta, reached, converged, len(trace) - 1, np.array(trace))
        theta = following


def _cycle(data: Weighted, theta: Theta, floor: float) -> tuple[Theta, FloatArray]:
    """Two EM steps and an extrapolation; and the log-likelihood before them."""
    once, start = _step(data, theta, floor)
    twice, reached = _step(data, once, floor)
    further, tried = _step(data, _extrapolate(theta, once, twice, floor), floor)
    # One more step from the extrapolation where its likelihood is not below that of one step; nan
    # compares false and is refused.
    accepted = (tried >= reached)[:, None]
    merged = Theta(*(np.where(accepted, a, b) for a, b in zip(further, twice, strict=True)))
    return merged, start


def _responsibilities(
    data: Weighted, theta: Theta
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """p_k r_mk, the log-likelihood, and mean and mean square of (x − μ_m)/σ_m in each cell."""
    weights, means, stds = (part[:, :, None] for part in theta)
    z = (data.values - means) / stds
    squares = z * z + data.variances / stds**2 if data.variances.size else z * z
    log_density = np.log(weights / stds) - 0.5 * squares
    top = log_density.max(axis=1, keepdims=True)
    density = np.exp(log_density - top)
    total = density.sum(axis=1, keepdims=True)
    log_f = top[:, 0] + np.log(total[:, 0]) - 0.5 * np.log(2.0 * np.pi)
    density *= data.shares / total
    # Not a matrix product: its threads would wait for each other on a busy machine.
    return density, np.asarray((log_f * data.shares).sum(axis=1)), z, squares


def _step(data: Weighted, theta: Theta, floor: float) -> tuple[Theta, FloatArray]:
    share, likelihood, z, squares = _responsibilities(data, theta)
    weights = share.sum(axis=2)
    mass = np.maximum(weights, _FAINTEST)
    # Moments of z, not of x: narrow components far from zero keep their digits.
    first = (share * z).sum(axis=2) / mass
    second = (share * squares).sum(axis=2) / mass
    stds = theta.stds * np.sqrt(np.maximum(second - first * first, 0.0))
    kept = weights > _FAINTEST
    moved = Theta(
        mass / mass.sum(axis=1, keepdims=True),
        theta.means + np.where(kept, theta.stds * first, 0.0),
        np.maximum(np.where(kept, stds, theta.stds), floor),
    )
    return moved, likelihood


def _extrapolate(start: Theta, once: Theta, twice: Theta, floor: float) -> Theta:
    """θ − 2αr + α²v with r the first step, v the change of step and α = −|r|/|v| ≤ −1."""
    points = [
        np.stack([np.log(t.weights), t.means, np.log(t.stds)], axis=1) for t in (start, once, twice)
    ]
    r = points[1] - points[0]
    v = points[2] - points[1] - r
    size_r, size_v = (np.sqrt((part**2).sum(axis=(1, 2))) for part in (r, v))
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = -np.maximum(size_r / size_v, 1.0)
    alpha = np.where(np.isfinite(alpha), np.maximum(alpha, -1e4), -1.0)[:, None, None]
    logs, means, log_stds = np.moveaxis(points[0] - 2.0 * alpha * r + alpha**2 * v, 1, 0)
    weights = np.exp(np.clip(logs - logs.max(axis=1, keepdims=True), np.log(_FAINTEST), 0.0))
    stds = np.exp(np.clip(log_stds, np.log(floor), 10.0))
    return Theta(weights / weights.sum(axis=1, keepdims=True), np.clip(means, -1e6, 1e6), stds)
