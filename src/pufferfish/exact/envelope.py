"""Many laws of Y between piecewise linear bounds, on one mesh that they share.

On a cell [l, r] of width h let the score of p lie in [s, S] (`bounds`), and let g be the slope of
the chord of log p. Then log p stays within

    bulge = (S − g)(g − s)h/(S − s)

of its chord. Raise (lower) every node by the larger bulge of its two cells, and by a bound on
rounding: the lines through the raised (lowered) nodes lie above (below) log p on the whole mesh.
Beyond the mesh, the mass is bounded, and with Laplace noise the density (`tails`).

Each law is bounded on its own; pairs are compared elsewhere (`screen`).
Proof: docs/theory/many-pairs.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact.bounds import (
    BoundedLaw,
    MixtureBounds,
    TableBounds,
    finite_kappa,
    log_mean_exp,
)
from pufferfish.exact.lines import Interval
from pufferfish.exact.pair import quiet, shorten
from pufferfish.exact.tails import half_lines
from pufferfish.noise import LaplaceNoise, MixtureOutput, Noise, TableOutput

__all__ = ["Envelopes", "Law", "enclose_law", "envelopes"]

# A density below e to this counts as if it were e to this.
_FAINTEST = -700.0


class Law(NamedTuple):
    """The published law of one secret: noise on a prior, or a hole with probability `missing`."""

    prior: Prior
    missing: float


class Envelopes(NamedTuple):
    """Bounds for several laws, one row per law; the mass of Y is counted without holes.

    Attributes:
        upper: Values at the nodes of the mesh; the lines between them lie above log p.
        lower: The same; the lines lie below log p.
        mass_upper: ∫ e^upper over each cell, rounded up.
        mass_lower: ∫ e^lower over each cell, rounded down.
        beyond: An upper bound on the mass outside the mesh.
        tail_upper: For each half-line beyond the mesh, an upper bound on log p up to a function of
            y that all laws share.
        tail_lower: The lower bound.
        missing: The probability of a hole.
        error: A bound on the total variation between the bounded law and the true one.
    """

    upper: FloatArray
    lower: FloatArray
    mass_upper: FloatArray
    mass_lower: FloatArray
    beyond: FloatArray
    tail_upper: FloatArray
    tail_lower: FloatArray
    missing: FloatArray
    error: FloatArray


class _LooseTable(TableBounds):
    """A table on cells that may hold atoms inside.

    With ρ = log(right part/left part) the score is tanh(ρ/2)/b. Along y, ρ grows as 2y/b and falls
    at every atom, so ρ(y) ≤ ρ(l+) + 2(y − l)/b and ρ(y) ≥ ρ(r−) − 2(r − y)/b.
    """

    def score_bounds(self, left: FloatArray, right: FloatArray, width: FloatArray) -> Interval:
        """The largest and the least ρ on the cell, from both ends."""
        scale = self._law.noise.scale
        reach = 2.0 * width / scale
        most, least = left[1] - left[0] + reach, right[3] - right[2] - reach
        error = 2.0 * self._kappa_sum + 4.0 * UNIT * reach
        most += error + finite_kappa(left[0]) + finite_kappa(left[1])
        least -= error + finite_kappa(right[2]) + finite_kappa(right[3])
        return Interval(
            (np.tanh(0.5 * least) - 4.0 * UNIT) / scale, (np.tanh(0.5 * most) + 4.0 * UNIT) / scale
        )


def enclose_law(prior: Prior, noise: Noise) -> tuple[BoundedLaw, float]:
    """Bounds for the law of X + N on any mesh, and its error in total variation."""
    if isinstance(prior, Discrete) and isinstance(noise, LaplaceNoise):
        return _LooseTable(TableOutput(prior, noise)), 0.0
    parts, error = shorten(prior, noise)
    return MixtureBounds(MixtureOutput(parts, noise)), error


def envelopes(laws: Sequence[Law], noise: Noise, mesh: FloatArray) -> Envelopes:
    """Bounds for every law on a mesh of increasing points."""
    width = np.diff(mesh)
    shape = len(laws), mesh.size
    middle, margin = np.empty(shape), np.empty(shape)
    low, high = np.empty((len(laws), width.size)), np.empty((len(laws), width.size))
    beyond, errors = np.empty(len(laws)), np.empty(len(laws))
    missing = np.array([law.missing for law in laws])
    with quiet():
        for row, law in enumerate(laws):
            bounds, errors[row] = enclose_law(law.prior, noise)
            at = bounds.at(mesh)
            middle[row] = bounds.log_density(at)
            margin[row] = bounds.margin(at, middle[row])
            low[row], high[row] = bounds.score_bounds(at[:, :-1], at[:, 1:], width)
            beyond[row] = bounds.tail_mass(mesh[0], mesh[-1])
        published = np.log1p(-missing)[:, None]
        tails = _tails(laws, noise, mesh) + published[:, :, None]
        middle += published
        # One margin for log p at the nodes, and one for the rounding of everything made from it.
        slack = _largest_beside(_bulge(middle, Interval(low, high), width)) + 2.0 * margin
        upper = _or(middle + slack, np.inf)
        lower = _or(middle - slack, -np.inf)
        return Envelopes(
            upper,
            lower,
            _or(_mass(np.maximum(upper, _FAINTEST), width, 1.0), np.inf),
            _or(_mass(lower, width, -1.0), 0.0),
            (1.0 - missing) * beyond * (1.0 + 4.0 * UNIT),
            _or(tails[..., 0], np.inf),
            _or(tails[..., 1], -np.inf),
            missing,
            errors,
        )


def _bulge(log_density: FloatArray, score: Interval, width: FloatArray) -> FloatArray:
    """The largest distance of log p from its chord on each cell."""
    chord = np.diff(log_density) / width
    spread = score.upper - score.lower
    above = np.maximum(score.upper - chord, 0.0)
    below = np.maximum(chord - score.lower, 0.0)
    # A chord lies outside the interval only through rounding, which the margin covers.
    share = np.where(spread <= 0.0, 0.0, np.minimum(below / spread, 1.0))
    return np.asarray(np.minimum(above, spread) * share * width * (1.0 + 16.0 * UNIT))


def _largest_beside(cells: FloatArray) -> FloatArray:
    """For each node the larger value of its two cells."""
    edge = ((0, 0), (1, 1))
    padded = np.pad(cells, edge, mode="edge")
    return np.maximum(padded[:, :-1], padded[:, 1:])


def _mass(log_density: FloatArray, width: FloatArray, side: float) -> FloatArray:
    """∫ of e to the line over each cell, moved to one side by a bound on rounding."""
    left, right = log_density[:, :-1], log_density[:, 1:]
    top = np.maximum(left, right)
    mean = np.exp(log_mean_exp(-np.abs(right - left)))
    error = 64.0 * UNIT * (1.0 + np.abs(top))
    return np.asarray(width * np.exp(top) * mean * (1.0 + side * error))


def _tails(laws: Sequence[Law], noise: Noise, mesh: FloatArray) -> FloatArray:
    """Bounds on log p beyond the mesh, by law, side and direction; none with Gaussian noise."""
    if not isinstance(noise, LaplaceNoise):
        return np.broadcast_to([np.inf, -np.inf], (len(laws), 2, 2))
    parts = [law.prior.components() for law in laws]
    sides = [
        half_lines(parts, noise.scale, side, end)
        for side, end in ((-1.0, float(mesh[0])), (1.0, float(mesh[-1])))
    ]
    bounds = [[(each.upper + each.error, each.lower - each.error) for each in s] for s in sides]
    return np.swapaxes(np.array(bounds), 0, 1)


def _or(bound: FloatArray, unknown: float) -> FloatArray:
    """The bound, or `unknown` where it is not a number."""
    return np.where(np.isnan(bound), unknown, bound)
