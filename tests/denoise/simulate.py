"""Columns released many times, and how often an interval must hold the truth.

"Covers" means at least as often as 95% coverage does with probability 1 − 1e-6 (binomial), so a
test that is right fails once in a million seeds; the seeds are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

import pufferfish as pf
from pufferfish import denoise

Array = npt.NDArray[np.float64]

REPEATS = 400
ALARM = 1e-6
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)


class Law(NamedTuple):
    """A law of X with what is known of it exactly."""

    draw: Callable[[np.random.Generator, int], Array]
    mean: float
    variance: float
    quantile: Callable[[float], float]


def bimodal(share: float, apart: float, std: float) -> Law:
    """N(−apart, std²) with probability share, else N(apart, std²)."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        return np.where(rng.random(n) < share, -apart, apart) + std * rng.standard_normal(n)

    t = np.linspace(-10.0, 10.0, 400_001)
    cdf = share * stats.norm.cdf(t, -apart, std) + (1 - share) * stats.norm.cdf(t, apart, std)
    mean = apart * (1 - 2 * share)
    variance = std**2 + apart**2 - mean**2
    return Law(draw, mean, variance, lambda q: float(np.interp(q, cdf, t)))


GAMMA = Law(lambda rng, n: rng.gamma(4.0, 1.0, n), 4.0, 4.0, stats.gamma(4.0).ppf)
TWO_MODES = bimodal(0.4, 1.5, 0.7)
COUNTS = Law(
    lambda rng, n: rng.poisson(4.0, n).astype(float),
    4.0,
    4.0,
    lambda q: float(stats.poisson(4.0).ppf(q)),
)
LAWS = {"gamma": GAMMA, "two modes": TWO_MODES, "integers": COUNTS}


def noise_like(law: Law, kind: str, share: float = 1.0) -> pf.LaplaceNoise | pf.GaussianNoise:
    """Noise whose std is this share of that of X."""
    std = share * math.sqrt(law.variance)
    return pf.LaplaceNoise(std / math.sqrt(2.0)) if kind == "laplace" else pf.GaussianNoise(std)


def draw_noise(rng: np.random.Generator, noise: pf.Noise, n: int) -> Array:
    if isinstance(noise, pf.LaplaceNoise):
        return rng.laplace(0.0, noise.scale, n)
    return rng.normal(0.0, noise.std, n)


def releases(
    law: Law, noise: pf.Noise, *, n: int, seed: int, repeats: int = REPEATS
) -> Iterator[tuple[np.random.Generator, Array, Array]]:
    """X and Y, again and again."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        x = law.draw(rng, n)
        yield rng, x, x + draw_noise(rng, noise, n)


def covers(hits: int, *, repeats: int = REPEATS) -> bool:
    """Whether so many hits are no alarm for 95% coverage."""
    return hits >= stats.binom.ppf(ALARM, repeats, 0.95)


def inside(estimate: denoise.Estimate, truth: float) -> bool:
    return estimate.lower <= truth <= estimate.upper


def a_release(seed: int, n: int = 600) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.gamma(3.0, 1.0, n)
    return x + rng.laplace(0.0, 1.0, n), 0.7 * x + rng.standard_normal(n)


def same(found: denoise.Estimate, expected: denoise.Estimate, shift: float, factor: float) -> None:
    """`found` is `expected` times factor, plus shift, but for rounding (and binning)."""
    tolerance = 0.02 * expected.standard_error * abs(factor) + 1e-9 * abs(shift)
    assert abs(found.value - (expected.value * factor + shift)) <= tolerance
    assert abs(found.lower - (expected.lower * factor + shift)) <= tolerance
    assert abs(found.upper - (expected.upper * factor + shift)) <= tolerance


def smooth_cdf(u: npt.ArrayLike) -> Array:
    """P(W ≤ u), by Gauss' rule; for |u| up to 200 or so."""
    s, weight = np.polynomial.legendre.leggauss(300)
    s, weight = 0.5 * (s + 1.0), 0.5 * weight
    heights = weight * (1.0 - s**2) ** 3 / s / math.pi
    return 0.5 + np.sin(np.multiply.outer(np.asarray(u, dtype=float), s)) @ heights
