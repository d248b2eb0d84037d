"""The cost of rounding to a grid: from the continuous law to the law that is drawn.

**Laplace**, γ on scale b, r = γ/b. The value is rounded to the grid and noise with P(n) ∝ e^{−|n|r}
added. A lattice probability and the continuous mass of the cell around it differ, for *every* x, by
a factor between c·e^{−r} and c·e^{r}, c = tanh(r/2)/(r/2) ≤ 1 common to all laws. Hence

    HS_ε(grid) ≤ e^{r}·HS_{ε−2r},   sup log-ratio(grid) ≤ sup log-ratio + r,

and from below HS_ε(grid) ≥ c·e^{−2r}·(HS_{ε−2r} − (e^{6r} − 1)).

**Gaussian**, γ on std θ: HS_ε(grid) differs from HS_ε by at most (1 + e^ε)·γ/θ, of which
√(2/π) comes from summing instead of integrating and 1/√(8π) from rounding the value. A supremum of
log-ratios carries over only where rounding moves nothing: for tables whose atoms lie on the grid.

Proofs: docs/theory/certificate.md and docs/theory/gaussian-noise.md, sections "On a grid".
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.beliefs.priors import Components
from pufferfish.exact.enclosure import Enclosure
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise

__all__ = [
    "gaussian_grid_loss",
    "grid_delta",
    "grid_epsilon",
    "grid_factor",
    "grid_shift",
    "on_grid",
]

_UP = 1.0 + 2.0**-50


def grid_shift(noise: Noise) -> float:
    """The part of ε that the continuous law must leave unused (2γ/b), rounded up."""
    if isinstance(noise, LaplaceNoise) and noise.grid is not None:
        return 2.0 * noise.grid / noise.scale * _UP
    return 0.0


def grid_factor(noise: LaplaceNoise) -> float:
    """The factor by which δ may be larger on the grid (e^{γ/b}), rounded up; 1 without a grid."""
    return 1.0 if noise.grid is None else math.exp(noise.grid / noise.scale * _UP) * _UP


def grid_delta(noise: Noise, epsilon: float, continuous: Enclosure) -> Enclosure:
    """δ of the law on its grid at ε + grid_shift, from HS_ε of the continuous law."""
    if noise.grid is None:
        return continuous
    if isinstance(noise, LaplaceNoise):
        step = noise.grid / noise.scale * _UP
        lost = continuous.lower - math.expm1(6.0 * step)
        lower = max(lost, 0.0) * math.exp(-2.0 * step) * (1.0 - step * step)
        return Enclosure(lower, min(continuous.upper * grid_factor(noise), 1.0))
    if isinstance(noise, GaussianNoise):
        loss = gaussian_grid_loss(noise.grid / noise.std, epsilon)
        lower, upper = _outwards(continuous.lower - loss, continuous.upper + loss)
        return Enclosure(max(lower, 0.0), min(upper, 1.0))
    return continuous


def _outwards(lower: float, upper: float) -> Enclosure:
    """Each end moved by one float, more than the rounding of the sum that made it."""
    return Enclosure(
        math.nextafter(lower, -math.inf) if math.isfinite(lower) else lower,
        math.nextafter(upper, math.inf),
    )


def gaussian_grid_loss(step: float, epsilon: float) -> float:
    """(1 + e^ε)·γ/θ, rounded up."""
    return step * (1.0 + math.exp(min(epsilon, 700.0))) * _UP


def on_grid(law: Components, grid: float) -> bool:
    """Whether the law has only atoms at multiples of `grid`, so that rounding moves nothing."""
    return not law.stds.any() and bool(np.all(law.means % grid == 0.0))


def grid_epsilon(noise: Noise, continuous: Enclosure, *laws: Components) -> Enclosure:
    """sup log-ratio of the law on its grid, from that of the continuous law."""
    if noise.grid is None:
        return continuous
    if isinstance(noise, LaplaceNoise):
        step = noise.grid / noise.scale * _UP
        return _outwards(continuous.lower - 2.0 * step, continuous.upper + step)
    if not all(on_grid(law, noise.grid) for law in laws):
        return Enclosure(-math.inf, math.inf)
    # The lattice reaches every limit at infinity, but not every point in between.
    return Enclosure(math.inf if continuous.lower == math.inf else -math.inf, continuous.upper)
