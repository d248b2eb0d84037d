"""Upper bounds on δ and ε* for many pairs together, from the envelopes of their laws.

With log p ≤ A and log q ≥ B, both piecewise linear on one mesh, and x = A − B − ε,

    sup log p/q ≤ max of A − B over the nodes (and the half-lines beyond the mesh),
    HS_ε(P‖Q) ≤ Σ over cells of ∫ (e^A − e^{ε+B})_+  +  P(beyond the mesh).

On a cell x is linear. Where it is positive at both ends the integral is ∫e^A − e^ε ∫e^B, a
difference of two numbers that belong to one law each; where it is positive at neither end it is 0;
and where it changes sign, positive over a share φ of the cell and rising to x₊, the integral is at
most h·φ·e^{max A}·min(x₊/2, 1). So a pair costs a few additions for each cell, and no density is
evaluated.

Grid, holes and radius are added as for one pair (`grid`, `published`, `radius`).
Proof: docs/theory/many-pairs.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Discrete
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.envelope import Envelopes, Law, envelopes
from pufferfish.exact.grid import gaussian_grid_loss, grid_epsilon, grid_factor, grid_shift
from pufferfish.exact.pair import quiet
from pufferfish.exact.radius import epsilon_within, inner_epsilon, radius_factor
from pufferfish.noise import LaplaceNoise, Noise, NoNoise

__all__ = [
    "Block",
    "Indices",
    "PairBounds",
    "bare_epsilon",
    "excess_mass",
    "extra_epsilon",
    "screen_block",
    "screens",
]

Indices = npt.NDArray[np.int32]

# The number of values (pairs times nodes) compared in one step: what fits into a core's cache.
_MOST_VALUES = 50_000
# e to this is the largest factor that is formed; a smaller ε only makes δ larger.
_LARGEST_EXPONENT = 700.0
# Added to every δ: more than everything that underflowed.
_FAINTEST = 1e-300


class Block(NamedTuple):
    """Pairs to screen together: positions in a list of laws."""

    laws: tuple[Law, ...]
    first: Indices
    second: Indices


class PairBounds(NamedTuple):
    """For each pair upper bounds on the larger δ of its two directions, and on the larger ε*."""

    delta: FloatArray
    epsilon: FloatArray


def screens(laws: tuple[Law, ...], noise: Noise, radius: float, *, pure: bool) -> bool:
    """Whether `screen_block` can bound ε* (`pure`) or δ of these laws."""
    if isinstance(noise, LaplaceNoise):
        return True
    if pure or radius > 0.0:
        return False
    return not (isinstance(noise, NoNoise) and any(isinstance(p, Discrete) for p, _ in laws))


def screen_block(
    block: Block, mesh: FloatArray, noise: Noise, epsilon: float, radius: float
) -> PairBounds:
    """Bounds for every pair of a block, grid, holes and radius included.

    Args:
        block: The pairs.
        mesh: Increasing points; any are valid, and better ones give better bounds.
        noise: The law of N.
        epsilon: The ε at which δ is computed.
        radius: How far in W_∞ the true laws may be from the priors.
    """
    bounds = envelopes(block.laws, noise, mesh)
    delta, least = np.empty(block.first.size), np.empty(block.first.size)
    step = max(_MOST_VALUES // mesh.size, 1)
    with quiet():
        for start in range(0, block.first.size, step):
            part = slice(start, start + step)
            first, second = block.first[part], block.second[part]
            forward = _one_way(bounds, mesh, first, second, noise, epsilon, radius)
            backward = _one_way(bounds, mesh, second, first, noise, epsilon, radius)
            delta[part] = np.maximum(forward.delta, backward.delta)
            least[part] = np.maximum(forward.epsilon, backward.epsilon)
    return PairBounds(delta, least)


def _one_way(
    bounds: Envelopes,
    mesh: FloatArray,
    p: Indices,
    q: Indices,
    noise: Noise,
    epsilon: float,
    radius: float,
) -> PairBounds:
    ratio = bounds.upper[p] - bounds.lower[q]
    least = _supremum(bounds, p, q, ratio, noise, radius)
    delta = np.zeros(p.size)
    # Where the log-ratio never passes ε there is nothing above it to integrate.
    passes = np.flatnonzero(least > epsilon)
    if passes.size:
        delta[passes] = _delta(
            bounds, mesh, p[passes], q[passes], ratio[passes], noise, epsilon, radius
        )
    return PairBounds(delta, least)


def _delta(
    bounds: Envelopes,
    mesh: FloatArray,
    p: Indices,
    q: Indices,
    ratio: FloatArray,
    noise: Noise,
    epsilon: float,
    radius: float,
) -> FloatArray:
    """An upper bound on δ of the published laws; `ratio` is A − B at the nodes."""
    asked = goal_epsilon(noise, epsilon, radius)
    inner = bare_epsilon(noise, epsilon, radius)
    inside = excess_mass(bounds, mesh, p, q, ratio, inner).sum(axis=1)
    # A sum of some thousand terms, none of them negative.
    density = inside * (1.0 + 1e-12) + bounds.beyond[p] + _FAINTEST
    factor = math.exp(min(inner, _LARGEST_EXPONENT))
    density += (bounds.error[p] + factor * bounds.error[q]) * (1.0 + 1e-9)
    if isinstance(noise, LaplaceNoise):
        density *= grid_factor(noise)
    elif noise.grid is not None:
        density += gaussian_grid_loss(noise.grid / noise.std, asked)
    delta = (density + _hole(bounds, p, q, asked)) * (1.0 + 8.0 * UNIT)
    if radius and isinstance(noise, LaplaceNoise):
        delta *= radius_factor(radius, noise)
    # A comparison that also catches nan.
    return np.where(delta < 1.0, delta, 1.0)


def excess_mass(
    bounds: Envelopes,
    mesh: FloatArray,
    p: Indices,
    q: Indices,
    ratio: FloatArray,
    epsilon: float,
) -> FloatArray:
    """An upper bound on ∫ (e^A − e^{ε+B})_+ by pair and cell; `ratio` is A − B at the nodes."""
    mass = bounds.mass_upper[p]
    mass -= _factor(epsilon) * bounds.mass_lower[q]
    np.maximum(mass, 0.0, out=mass)
    positive = ratio > epsilon
    pair, cell = np.nonzero(positive[:, 1:] != positive[:, :-1])
    if pair.size:
        left, right = ratio[pair, cell] - epsilon, ratio[pair, cell + 1] - epsilon
        top, bottom = np.maximum(left, right), np.minimum(left, right)
        share = top / (top - bottom)
        height = np.maximum(bounds.upper[p[pair], cell], bounds.upper[p[pair], cell + 1])
        width = mesh[cell + 1] - mesh[cell]
        crossing = width * share * np.exp(height) * np.minimum(0.5 * top, 1.0) * (1.0 + 1e-12)
        # Where x is infinite the share is nan, and the mass already holds all of e^A.
        mass[pair, cell] = np.fmax(mass[pair, cell], crossing)
    return mass


def extra_epsilon(noise: LaplaceNoise, radius: float) -> float:
    """The amount that grid and radius add to a supremum of the log-ratio."""
    none = Enclosure(0.0, 0.0)
    return grid_epsilon(noise, none).upper + epsilon_within(radius, noise, none).upper


def goal_epsilon(noise: Noise, epsilon: float, radius: float) -> float:
    """The ε at which δ of the believed laws is needed, before the grid takes its part."""
    return inner_epsilon(radius, noise, epsilon) if radius else epsilon


def bare_epsilon(noise: Noise, epsilon: float, radius: float) -> float:
    """The ε at which δ of the believed laws without a grid is needed."""
    return math.nextafter(goal_epsilon(noise, epsilon, radius) - grid_shift(noise), -math.inf)


def _hole(bounds: Envelopes, p: Indices, q: Indices, epsilon: float) -> FloatArray:
    """(m_i − e^ε m_j)_+, rounded up."""
    excess = bounds.missing[p] - _factor(epsilon) * bounds.missing[q]
    return np.maximum(excess, 0.0) * (1.0 + 4.0 * UNIT)


def _factor(epsilon: float) -> float:
    """e^ε, rounded down by more than a product and a difference with it may round up."""
    return math.exp(min(epsilon, _LARGEST_EXPONENT)) * (1.0 - 8.0 * UNIT * (1.0 + abs(epsilon)))


def _supremum(
    bounds: Envelopes, p: Indices, q: Indices, ratio: FloatArray, noise: Noise, radius: float
) -> FloatArray:
    """An upper bound on the supremum of the log-ratio of the published laws."""
    if not isinstance(noise, LaplaceNoise):
        return np.full(p.size, np.inf)
    tails = (bounds.tail_upper[p] - bounds.tail_lower[q]).max(axis=1)
    none = Enclosure(0.0, 0.0)
    found = np.maximum(ratio.max(axis=1), tails) + extra_epsilon(noise, radius)
    holes = np.log(bounds.missing[p]) - np.log(bounds.missing[q])
    holes = np.where(bounds.missing[p] > 0.0, holes, -np.inf)
    found = np.maximum(found, holes + epsilon_within(radius, noise, none).upper)
    found += 64.0 * UNIT * (1.0 + np.abs(found))
    return np.where(np.isnan(found), np.inf, found)
