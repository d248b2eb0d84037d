"""Laplace noise for all laws inside a band around a distribution function, on a public range.

Let F be the distribution function of a table on [L, H], and G that of any law there with
|G − F| ≤ d everywhere. In terms of quantiles: for 0 < t ≤ 1 the quantile of G at t lies between

    l(t) = F⁻¹(t − d), or L where t ≤ d,   and   r(t) = F⁻¹(t + d), or H where t > 1 − d,

and any rising function between them is the quantile function of such a law. So every share dt of
the mass has an interval of its own, and in units of the scale b the density at y, times 2b, is

    at most   U(y) = ∫₀¹ e^{−dist(y, [l, r])} dt      (each share goes as near to y as it may),
    at least  V(y) = ∫₀¹ e^{−max(y − l, r − y)} dt    (each share goes to its farther end).

Both choices rise with t, so some law makes them, and ε* over the bands is sup log U/V. As l and r
are step functions, U is M + A·e^y + B·e^{−y} between their values, and V is C·e^y + D·e^{−y}
between the middles (l + r)/2: `pieces` has the supremum and a bound on δ in closed form. For δ the
worst law may differ from y to y, and the lower bound is that of the tables themselves.
Proofs: docs/theory/sampling-error.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray, require
from pufferfish.exact.bounds import KAPPA_ABSOLUTE
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.farthest import slack_of
from pufferfish.exact.pieces import Pieces
from pufferfish.exact.tables import LaplaceTables
from pufferfish.noise import TableOutput

__all__ = ["Band", "BandTables"]


class Band(NamedTuple):
    """Laws whose distribution function is near that of a table.

    Attributes:
        law: The table, with its noise.
        half_width: d, how far a distribution function may be from that of the law in the centre.
        error: The total difference between the masses of the table and those of that law, at most.
        moved: The distance that values of that law were moved to make it a table.
    """

    law: TableOutput
    half_width: float
    error: float = 0.0
    moved: float = 0.0

    @property
    def plain(self) -> bool:
        """Whether the table is the only law of the band."""
        return self.half_width == self.error == self.moved == 0.0


class BandTables:
    """One direction of a pair of bands."""

    def __init__(self, first: Band, second: Band, cap: tuple[float, float]) -> None:
        """Find the pieces, rounded to the private side.

        Args:
            first: The band around the law in the numerator of the ratio.
            second: The band around the law in the denominator.
            cap: The range [L, H] of all laws.
        """
        for each in (first, second):
            require(
                min(each.half_width, each.error, each.moved) >= 0.0,
                "the half-width of a band and its errors must be at least 0.",
            )
        self._first, self._second, self._cap = first, second, cap
        self._end = (cap[1] - cap[0]) / first.law.noise.scale
        self._kappa = KAPPA_ABSOLUTE + 16.0 * UNIT * self._end
        most, least = _shares(first, cap, 1.0), _shares(second, cap, 1.0)
        points = np.concatenate([[0.0, self._end], most.left, most.right, least.middle])
        points = np.unique(np.clip(points, 0.0, self._end))
        self._start = start = points[:-1]
        stop, middle = points[1:], 0.5 * (start + points[1:])
        constant, log_a, log_b = most.nearest(middle, start, stop)
        log_c, log_d = least.farthest(middle, start, stop)
        self._pieces = Pieces(
            stop - start,
            constant * (1.0 + 4.0 * UNIT),
            log_a + self._kappa,
            log_b + self._kappa,
            log_c - self._kappa,
            log_d - self._kappa,
            self._kappa,
        )

    def supremum(self) -> Enclosure:
        """sup log U/V: ε* in this direction, which some pair of laws in the bands reaches."""
        found = self._pieces.log_ratios()
        piece = int(found.argmax())
        upper = float(found[piece])
        lower = self._reached(piece)
        return Enclosure(min(lower, upper), upper)

    def _reached(self, piece: int) -> float:
        """log U/V, rounded down, where it seems largest; the supremum is never below 0."""
        if any(each.half_width < each.error for each in (self._first, self._second)):
            return 0.0
        most, least = (_shares(each, self._cap, -1.0) for each in (self._first, self._second))
        start, width = float(self._start[piece]), float(self._pieces.width[piece])
        points = start + np.array([0.0, self._pieces.vertex(piece), width])
        constant, log_a, log_b = most.nearest(points, points, points)
        with np.errstate(divide="ignore"):
            log_u = np.logaddexp(np.logaddexp(np.log(constant), log_a), log_b)
        ratio = float((log_u - np.logaddexp(*least.farthest(points, points, points))).max())
        moved = (self._first.moved + self._second.moved) / self._first.law.noise.scale
        lost = 4.0 * self._kappa + 64.0 * UNIT * (1.0 + abs(ratio)) + moved * (1.0 + 8.0 * UNIT)
        return max(ratio - lost, 0.0)

    def hockey_stick(self, epsilon: float) -> Enclosure:
        """The largest HS_ε; at least that of the tables, if these are laws of the bands."""
        upper = self._pieces.delta_upper(epsilon)
        if any(each.error or each.moved for each in (self._first, self._second)):
            return Enclosure(0.0, upper)
        plain = LaplaceTables(self._first.law, self._second.law).hockey_stick(epsilon)
        if self._first.plain and self._second.plain:
            upper = min(upper, plain.upper)
        return Enclosure(min(plain.lower, upper), upper)


class _Shares(NamedTuple):
    """The mass in shares, from the lowest quantiles up, each with its interval in units of b.

    Attributes:
        levels: The ends of the shares, from 0 to 1: one more than there are shares.
        left: l of each share.
        right: r of each share.
        left_below: log Σ mass·e^{−distance of l} over the share and all lower ones.
        left_above: The same over the share and all higher ones.
        right_below: log Σ mass·e^{−distance of r} over the share and all lower ones.
        right_above: The same over the share and all higher ones.
    """

    levels: FloatArray
    left: FloatArray
    right: FloatArray
    left_below: FloatArray
    left_above: FloatArray
    right_below: FloatArray
    right_above: FloatArray

    @property
    def middle(self) -> FloatArray:
        """The points at which V sends a share to its other end."""
        return 0.5 * (self.left + self.right)

    def nearest(
        self, middle: FloatArray, start: FloatArray, stop: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """M, log A at `stop` and log B at `start` of U, on pieces without an l or r inside."""
        begun = np.searchsorted(self.left, middle)
        ended = np.searchsorted(self.right, middle)
        return (
            self.levels[begun] - self.levels[ended],
            _from_above(self.left_above, self.left, begun, stop),
            _from_below(self.right_below, self.right, ended, start),
        )

    def farthest(
        self, middle: FloatArray, start: FloatArray, stop: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """log C at `stop` and log D at `start` of V, on pieces without a middle inside."""
        passed = np.searchsorted(self.middle, middle)
        return (
            _from_above(self.right_above, self.right, passed, stop),
            _from_below(self.left_below, self.left, passed, start),
        )


_Counts = npt.NDArray[np.intp]


def _from_above(
    log_sums: FloatArray, places: FloatArray, first: _Counts, at: FloatArray
) -> FloatArray:
    """log Σ mass·e^{−(place − at)} over the shares from `first` on."""
    which = np.minimum(first, places.size - 1)
    return np.where(first < places.size, log_sums[which] - (places[which] - at), -np.inf)


def _from_below(
    log_sums: FloatArray, places: FloatArray, count: _Counts, at: FloatArray
) -> FloatArray:
    """log Σ mass·e^{−(at − place)} over the first `count` shares."""
    which = np.maximum(count - 1, 0)
    return np.where(count > 0, log_sums[which] - (at - places[which]), -np.inf)


def _shares(band: Band, cap: tuple[float, float], side: float) -> _Shares:
    """The shares of a band, with intervals at least (side 1) or at most (−1) as long as the true.

    Cumulated masses are sums of floats, and the jumps of l and r are those levels ± d, rounded:
    moving d by twice a bound on that error puts every jump on the required side.
    """
    scale, (low, high) = band.law.noise.scale, cap
    places, masses = (band.law.atoms - low) / scale, band.law.table.probabilities
    end = (high - low) / scale
    half = band.half_width + side * (band.error + 2.0 * slack_of(masses.size))
    cumulated = np.concatenate([[0.0], np.cumsum(masses)])
    if band.plain or half <= 0.0:
        return _summed(cumulated, masses, places, places)
    to_left, to_right = cumulated[:-1] + half, cumulated[1:] - half
    levels = np.concatenate([[0.0, 1.0], to_left, to_right])
    levels = np.unique(levels[(levels >= 0.0) & (levels <= 1.0)])
    begins = levels[:-1]
    left = np.concatenate([[0.0], places])[np.searchsorted(to_left, begins, side="right")]
    right = np.concatenate([places, [end]])[np.searchsorted(to_right, begins, side="right")]
    moved = band.moved / scale if side > 0.0 else 0.0
    return _summed(
        levels, np.diff(levels), np.maximum(left - moved, 0.0), np.minimum(right + moved, end)
    )


def _summed(levels: FloatArray, masses: FloatArray, left: FloatArray, right: FloatArray) -> _Shares:
    return _Shares(
        levels,
        left,
        right,
        _log_decaying_sums(masses, left),
        _log_decaying_sums(masses[::-1], -left[::-1])[::-1],
        _log_decaying_sums(masses, right),
        _log_decaying_sums(masses[::-1], -right[::-1])[::-1],
    )


def _log_decaying_sums(masses: FloatArray, places: FloatArray) -> FloatArray:
    """log Σ_{i≤k} masses_i·e^{−(places_k − places_i)} for all k.

    By doubling: after j steps each sum has 2^j terms. A term is rounded once per step, so that the
    relative error is at most 4u·log₂(terms) + u·(largest distance).
    """
    sums, reach = masses.copy(), 1
    while reach < sums.size:
        sums[reach:] += np.exp(places[:-reach] - places[reach:]) * sums[:-reach]
        reach *= 2
    return np.asarray(np.log(sums))
