"""Bounds on L = log p/q over a whole half-line, beyond the last cell.

Both kernels permit it. A law is given here by its components (weight, mean, std), where an atom has
std 0, and by the noise; the left half-line is the right one of the mirrored law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from pufferfish.beliefs.priors import Components
from pufferfish.core.numerics import UNIT, log_sum_exp
from pufferfish.exact.bounds import KAPPA_ABSOLUTE, KAPPA_RELATIVE
from pufferfish.exact.enclosure import Enclosure
from pufferfish.noise import LaplaceNoise, Noise

__all__ = ["HalfLine", "half_lines", "is_unbounded", "tail_supremum"]


def is_unbounded(p: Components, q: Components, noise: Noise) -> bool:
    """Whether log p/q grows without bound in a tail, judged by the leading components alone."""
    return any(tail_supremum(p, q, noise, side, 0.0).lower == math.inf for side in (-1.0, 1.0))


def tail_supremum(p: Components, q: Components, noise: Noise, side: float, y: float) -> Enclosure:
    """Bounds on the supremum of log p/q beyond y, to the right (side +1) or left (side −1).

    The lower bound is the limit at infinity, which the supremum cannot be below.
    """
    if side < 0:
        return tail_supremum(_mirror(p), _mirror(q), noise, 1.0, -y)
    if isinstance(noise, LaplaceNoise):
        found = _laplace(p, q, noise.scale, y)
    else:
        found = _gaussian(p, q, noise.variance, y)
    # If numbers overflow, nothing is known.
    return Enclosure(
        -math.inf if math.isnan(found.lower) else found.lower,
        math.inf if math.isnan(found.upper) else found.upper,
    )


def _mirror(law: Components) -> Components:
    return law._replace(means=-law.means)


class HalfLine(NamedTuple):
    """Bounds on log of 2b·e^{y/b}·p(y) over a half-line, up to a common constant."""

    lower: float
    upper: float
    error: float


def _laplace(p: Components, q: Components, scale: float, y: float) -> Enclosure:
    """2b·e^{y/b}·p(y) lies between M(1/b) − E[e^{X/b}; X > y] and M(1/b).

    For a Gaussian component M(1/b) = e^{μ/b + a²/2} and the lower bound is M(1/b)·Φ(z − a), which
    rises with y. Exponents are taken relative to the leading component, as products of
    differences, so that nearly equal components cancel without loss.
    """
    p_tail, q_tail = half_lines([p, q], scale, 1.0, y)
    error = p_tail.error + q_tail.error
    return Enclosure(p_tail.upper - q_tail.upper - error, p_tail.upper - q_tail.lower + error)


def half_lines(laws: Sequence[Components], scale: float, side: float, y: float) -> list[HalfLine]:
    """Bounds with Laplace noise beyond y, to the right (side +1) or left (−1), for laws to compare.

    log p_i/p_j is at most upper_i + error_i − (lower_j − error_j) there.
    """
    if side < 0:
        return half_lines([_mirror(law) for law in laws], scale, 1.0, -y)
    means, stds = (np.concatenate([law[part] for law in laws]) for part in (1, 2))
    lead = int(np.argmax(means / scale + 0.5 * (stds / scale) ** 2))
    return [_half_line(law, scale, y, means[lead], stds[lead]) for law in laws]


def _half_line(
    law: Components, scale: float, y: float, lead_mean: float, lead_std: float
) -> HalfLine:
    weights, means, stds = law
    shift = (means - lead_mean) / scale
    spread = (stds - lead_std) / scale * ((stds + lead_std) / scale) * 0.5
    exponents = np.log(weights) + shift + spread
    upper = float(log_sum_exp(exponents))
    z, ratio = (y - means) / np.where(stds > 0, stds, 1.0), stds / scale
    # Reduced by the rounding of z and a, which is all that is left once σ/b exceeds 1e15.
    reached = np.where(
        stds > 0,
        log_ndtr(z - ratio - 4.0 * UNIT * (np.abs(z) + ratio)),
        np.where(means <= y, 0.0, -np.inf),
    )
    lower = float(log_sum_exp(exponents + reached))
    counted = exponents >= upper - 40.0
    size = float(np.max(np.where(counted, np.abs(shift) + np.abs(spread) + np.abs(reached), 0.0)))
    error = KAPPA_ABSOLUTE + KAPPA_RELATIVE * (abs(upper) + (size if math.isfinite(size) else 0.0))
    return HalfLine(lower, upper, error)


def _gaussian(p: Components, q: Components, noise_variance: float, y: float) -> Enclosure:
    """p = Σ_m w_m f_m and q ≥ its leading component; each quotient is e to a quadratic.

    The leading component of a tail has the largest std and, among those, the extreme mean.
    Stds are compared before the noise is added: rounding must not make two of them equal.
    """
    lead = np.lexsort((q.means, q.stds))[-1]
    mean, std = q.means[lead], q.stds[lead]
    tied = (q.means == mean) & (q.stds == std)
    log_lead_weight = math.log(float(q.weights[tied].sum()))
    heavier = (p.stds > std) | ((p.stds == std) & (p.means > mean))
    if heavier.any():
        return Enclosure(math.inf, math.inf)
    variance, lead_variance = p.stds**2 + noise_variance, std**2 + noise_variance
    # log f_m − log f_lead = c + a·d − k·d²/2 with d = y − mean: k ≥ 0, so its supremum is known.
    offset = p.means - mean
    # A product, because noise far larger than the stds would hide their difference.
    curvature = (std - p.stds) * (std + p.stds) / variance / lead_variance
    linear = offset / variance
    constant = 0.5 * np.log(lead_variance / variance) - 0.5 * offset * linear
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = np.where(curvature > 0, linear / curvature, -np.inf)
    distance = np.maximum(y - mean, np.where(linear > 0, vertex, -np.inf))
    quotient = constant + linear * distance - 0.5 * curvature * distance**2
    same = (p.means == mean) & (p.stds == std)
    quotient = np.where(same, 0.0, quotient)
    terms = np.log(p.weights) + quotient - log_lead_weight
    upper = float(log_sum_exp(terms))
    size = np.abs(constant) + np.abs(linear * distance) + 0.5 * curvature * distance**2
    counted = terms + KAPPA_RELATIVE * size >= upper - 40.0
    error = KAPPA_ABSOLUTE + 2.0 * KAPPA_RELATIVE * float(np.max(np.where(counted, size, 0.0)))
    weight = float(p.weights[same].sum())
    limit = math.log(weight) - log_lead_weight - error if weight > 0 else -math.inf
    return Enclosure(limit, upper + error)
