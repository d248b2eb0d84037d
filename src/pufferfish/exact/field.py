"""The log-ratio L(y) = log p(y)/q(y) of two laws of Y, enclosed on cells.

With an interval [s, S] for dL/dy on a cell [l, r] and L known at both ends, L on the cell lies
between two pairs of lines: below min(L_l + S·(y−l), L_r − s·(r−y)), above the same with s and S
exchanged. If s > 0 or S < 0 it is monotone there.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pufferfish.checks import FloatArray
from pufferfish.exact.bounds import BoundedLaw, Interval

__all__ = ["Cells", "RatioField"]

_PARTS = 4


class Cells(NamedTuple):
    """Cells [left, right] with everything that bounds L, p and q on them; one entry per cell."""

    left: FloatArray
    right: FloatArray
    ratio_left: FloatArray
    ratio_right: FloatArray
    margin: FloatArray
    lower: FloatArray
    upper: FloatArray
    slope_lower: FloatArray
    slope_upper: FloatArray
    log_p: FloatArray
    log_q: FloatArray

    def take(self, chosen: npt.NDArray[np.bool_]) -> Cells:
        """The cells of a mask."""
        return Cells(*(column[chosen] for column in self))

    def swapped(self) -> Cells:
        """The same cells for log q/p."""
        return Cells(
            self.left,
            self.right,
            -self.ratio_left,
            -self.ratio_right,
            self.margin,
            -self.upper,
            -self.lower,
            -self.slope_upper,
            -self.slope_lower,
            self.log_q,
            self.log_p,
        )


class RatioField:
    """L = log p/q, evaluated and bounded cell by cell; `cells` is the first, coarse mesh."""

    def __init__(self, p: BoundedLaw, q: BoundedLaw, cells: Cells | None = None) -> None:
        """Lay the mesh through the features of both laws."""
        self.p = p
        self.q = q
        self.cells = cells or self.mesh(np.concatenate([p.features(), q.features()]))

    def swapped(self) -> Self:
        """The field of log q/p, sharing every evaluation."""
        return type(self)(self.q, self.p, self.cells.swapped())

    def mesh(self, points: FloatArray) -> Cells:
        """Cells between consecutive points."""
        y = np.unique(points)
        rows_p, rows_q = self.p.at(y), self.q.at(y)
        return self._cells(y, rows_p, rows_q, slice(None, -1), slice(1, None))

    def split(self, cells: Cells) -> Cells:
        """Each cell cut into four."""
        share = np.arange(_PARTS + 1) / _PARTS
        y = cells.left[:, None] + (cells.right - cells.left)[:, None] * share
        y[:, -1] = cells.right
        distinct = np.all(np.diff(y, axis=1) > 0, axis=1)
        y = y[distinct]
        count = y.shape[0] * (_PARTS + 1)
        starts = np.flatnonzero(np.arange(count) % (_PARTS + 1) != _PARTS)
        flat = y.reshape(-1)
        fresh = self._cells(flat, self.p.at(flat), self.q.at(flat), starts, starts + 1)
        if distinct.all():
            return fresh
        # A cell that doubles cannot divide stays as it is.
        whole = cells.take(~distinct)
        return Cells(*(np.concatenate(both) for both in zip(fresh, whole, strict=True)))

    def ratio_and_slope(self, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """L, its margin and its (uncertified) slope at points."""
        rows_p, rows_q = self.p.at(y), self.q.at(y)
        log_p, log_q = self.p.log_density(rows_p), self.q.log_density(rows_q)
        margin = self.p.margin(log_p) + self.q.margin(log_q)
        return log_p - log_q, margin, self.p.score(rows_p) - self.q.score(rows_q)

    def _cells(
        self,
        y: FloatArray,
        rows_p: FloatArray,
        rows_q: FloatArray,
        left: slice | npt.NDArray[np.intp],
        right: slice | npt.NDArray[np.intp],
    ) -> Cells:
        log_p, log_q = self.p.log_density(rows_p), self.q.log_density(rows_q)
        ratio = log_p - log_q
        margin = self.p.margin(log_p) + self.q.margin(log_q)
        width = y[right] - y[left]
        p_score = self.p.score_bounds(rows_p[:, left], rows_p[:, right], width)
        q_score = self.q.score_bounds(rows_q[:, left], rows_q[:, right], width)
        slope = Interval(p_score.lower - q_score.upper, p_score.upper - q_score.lower)
        margins = np.maximum(margin[left], margin[right])
        on_cell = _between_lines(ratio[left], ratio[right], slope, width)
        p_on_cell = _between_lines(log_p[left], log_p[right], p_score, width)
        q_on_cell = _between_lines(log_q[left], log_q[right], q_score, width)
        return Cells(
            y[left],
            y[right],
            ratio[left],
            ratio[right],
            margins,
            on_cell.lower - margins,
            on_cell.upper + margins,
            slope.lower,
            slope.upper,
            p_on_cell.upper + margins,
            q_on_cell.upper + margins,
        )


def _between_lines(
    left: FloatArray, right: FloatArray, slope: Interval, width: FloatArray
) -> Interval:
    """Bounds on a function with these end values whose slope stays in the interval."""
    rise = right - left
    spread = slope.upper - slope.lower
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Where the two upper lines meet, and where the two lower lines meet, from the left end.
        high = np.clip((rise - slope.lower * width) / spread, 0.0, width)
        low = np.clip((slope.upper * width - rise) / spread, 0.0, width)
    # A spread of zero (or lost in rounding) leaves a straight line: its ends bound it.
    high = np.where(spread > 0, high, 0.0)
    low = np.where(spread > 0, low, 0.0)
    top, bottom = np.maximum(left, right), np.minimum(left, right)
    return Interval(
        np.minimum(bottom, left + slope.lower * low),
        np.maximum(top, left + slope.upper * high),
    )
