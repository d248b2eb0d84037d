"""The comonotone coupling (F_i⁻¹(U), F_j⁻¹(U)) of any two laws on the line, with one uniform U.

Each law is a sequence of *slabs* from left to right: an interval and the probability of falling
into it. An atom is a slab of width 0. Two sequences are merged by cumulative probability: while U
stays in one slab of each, X ∈ [a, b] and X' ∈ [c, d], so |X − X'| ≤ max(b − c, d − a). For tables
that is the coupling itself, for other laws a bound that closes in with the width of the slabs.
(F_j⁻¹(F_i(X)) would be wrong with atoms: it moves an atom as a whole.)

Cumulative probabilities are kept as whole multiples of 2⁻⁶², whose sums and differences are exact.
The rounding of these multiples and of the distribution functions is counted in `lost`. Proofs:
docs/theory/transport.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.core.numerics import UNIT, difference_upper
from pufferfish.core.validation import FloatArray, require
from pufferfish.transport.displacement import Displacement

__all__ = ["COARSE", "KNOTS", "ComonotoneCoupling", "comonotone"]

_Levels = npt.NDArray[np.int64]
_Index = npt.NDArray[np.intp]

_ONE = 2**62
# The approximate number of intervals into which a continuous law is cut.
KNOTS = 2**15
COARSE = 2**10
# The knots of a component reach this many stds out; beyond lies less mass than rounding takes.
_FARTHEST = 8.3
# More than the error of a sum of normalised probabilities.
_SUM_ERROR = 2.0**-50


class _Slabs(NamedTuple):
    """Increasing intervals, the cumulative probability after each, and the rounding loss."""

    low: FloatArray
    high: FloatArray
    levels: _Levels
    lost: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComonotoneCoupling:
    """(X, X') as pieces of known probability: X in one interval, X' in another.

    For two tables the intervals are points and the coupling is exact. The outermost intervals of
    a continuous law are half-lines.

    Attributes:
        weights: Probability of each piece.
        first_low: The lower end of X in each piece, ...
        first_high: ... and its upper end.
        second_low: The lower end of X' in each piece, ...
        second_high: ... and its upper end.
        lost: Probability that rounding may have put into a wrong piece.
    """

    weights: FloatArray
    first_low: FloatArray
    first_high: FloatArray
    second_low: FloatArray
    second_high: FloatArray
    lost: float

    @property
    def displacement(self) -> Displacement:
        """|X − X'|, or a little more where the intervals are not points."""
        apart = np.maximum(
            difference_upper(self.first_high, self.second_low),
            difference_upper(self.second_high, self.first_low),
        )
        return Displacement(
            weights=self.weights, means=apart, stds=np.zeros_like(apart), lost=self.lost
        )


def comonotone(first: Prior, second: Prior, knots: int = KNOTS) -> ComonotoneCoupling:
    """The coupling of two priors through their quantile functions, correct for atoms too.

    Args:
        first: The law of X.
        second: The law of X'.
        knots: The approximate number of intervals into which a continuous law is cut. With the
            default, distances are too large by about 5e-4 stds of a component.
    """
    for prior in (first, second):
        require(isinstance(prior, Prior), f"a prior was expected, got {type(prior).__name__}.")
    p, q = _slabs(first, knots), _slabs(second, knots)
    weights, k, l = _merge(p.levels, q.levels)
    return ComonotoneCoupling(
        weights=weights,
        first_low=p.low[k],
        first_high=p.high[k],
        second_low=q.low[l],
        second_high=q.high[l],
        lost=p.lost + q.lost,
    )


def _slabs(prior: Prior, count: int) -> _Slabs:
    if isinstance(prior, Discrete):
        levels = _levels(prior.probabilities)
        moved = np.abs(_masses(levels) - prior.probabilities)
        return _Slabs(prior.values, prior.values, levels, float(moved.sum()) + _SUM_ERROR)
    _, means, stds = prior.components()
    spread = np.linspace(-_FARTHEST, _FARTHEST, max(count // means.size, 64))
    knots = np.unique(means[:, None] + stds[:, None] * spread)
    below, above = prior.cdf(knots), prior.survival(knots)
    levels = np.where(
        below <= 0.5,
        np.rint(below * _ONE).astype(np.int64),
        _ONE - np.rint(above * _ONE).astype(np.int64),
    )
    levels = np.append(np.maximum.accumulate(levels), _ONE)
    ends = np.concatenate([[-np.inf], knots, [np.inf]])
    return _Slabs(ends[:-1], ends[1:], levels, _doubtful(np.minimum(below, above)))


def _doubtful(tails: FloatArray) -> float:
    """The probability that U is so near a level that rounding may put it into a wrong interval.

    Φ(−z) is computed to a relative error of about (4 + 2z²)·u, and z² ≤ −2·log 2Φ(−z). The bound
    t·(4 − 4·log 2t) is concave in the tail t, so it holds for mixtures too; twice it is counted.
    """
    kept = tails[tails > 0.0]
    errors = 2.0 * UNIT * kept * (4.0 - 4.0 * np.log(2.0 * kept))
    return 2.0 * float(errors.sum() + tails.size / _ONE)


def _levels(masses: FloatArray) -> _Levels:
    """Cumulative sums in units of 2⁻⁶²; the largest mass takes what is missing to a sum of one."""
    counts = np.rint(masses * _ONE).astype(np.int64)
    counts[np.argmax(counts)] += _ONE - counts.sum()
    return np.asarray(np.cumsum(counts))


def _masses(levels: _Levels) -> FloatArray:
    return np.asarray(np.diff(levels, prepend=0) / _ONE)


def _merge(p: _Levels, q: _Levels) -> tuple[FloatArray, _Index, _Index]:
    """The pieces of [0, 1] between all levels: the length of each, and its slab of either law."""
    # Two sorted runs: a stable sort merges them.
    both = np.sort(np.concatenate([p, q]), kind="stable")
    levels = both[np.diff(both, prepend=0) > 0]
    weights = np.diff(levels, prepend=0) / _ONE
    return weights, np.searchsorted(p, levels), np.searchsorted(q, levels)
