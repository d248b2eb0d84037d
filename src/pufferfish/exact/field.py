"""The log-ratio L(y) = log p(y)/q(y) of two laws of Y, enclosed on cells.

An interval for dL/dy on a cell comes from the two laws' scores, and with L at both ends it bounds L
on the cell (`lines`); laws that share component shapes have a second bound (`shared`).
If that interval excludes 0, L is monotone there.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.exact.bounds import BoundedLaw, MixtureBounds
from pufferfish.exact.lines import Interval, between_lines
from pufferfish.exact.shared import SharedShapes

__all__ = ["Cells", "RatioField"]

_PARTS = 8
# The most cells that are cut in one round, and values (rows of a law at a point) computed for them:
# a few hundred MB.
_MOST_CELLS = 25_000
_MOST_VALUES = 20_000_000


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

    def swap(self) -> Cells:
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
        self._rows = 0
        self._shared = self._backward = None
        if isinstance(p, MixtureBounds) and isinstance(q, MixtureBounds):
            forward, backward = SharedShapes(p, q), SharedShapes(q, p)
            if forward.useful:
                self._shared, self._backward = forward, backward
        self.cells = cells or self.mesh(np.concatenate([p.features(), q.features()]))

    def swap(self) -> Self:
        """The field of log q/p, sharing every evaluation."""
        other = type(self)(self.q, self.p, self.cells.swap())
        other._rows = self._rows
        return other

    def mesh(self, points: FloatArray) -> Cells:
        """Cells between consecutive points."""
        y = np.unique(points)
        if y.size == 1:  # laws narrower than the spacing of floats: one cell, which decides nothing
            y = np.append(y, np.nextafter(y, np.inf))
        rows_p, rows_q = self.p.at(y), self.q.at(y)
        self._rows = rows_p.shape[0] + rows_q.shape[0]
        return self._cells(y, rows_p, rows_q, slice(None, -1), slice(1, None))

    def can_split(self, cells: Cells) -> bool:
        """Whether cutting these cells stays within the limits of one round."""
        count = cells.left.size
        return count <= _MOST_CELLS and count * (_PARTS + 1) * self._rows <= _MOST_VALUES

    def split(self, cells: Cells) -> Cells:
        """Each cell cut into equal parts."""
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
        # A cell with no double inside stays as it is.
        whole = cells.take(~distinct)
        return Cells(*(np.concatenate(both) for both in zip(fresh, whole, strict=True)))

    def ratio_and_slope(self, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """L, its margin and its (uncertified) slope at points."""
        rows_p, rows_q = self.p.at(y), self.q.at(y)
        log_p, log_q = self.p.log_density(rows_p), self.q.log_density(rows_q)
        margin = self.p.margin(rows_p, log_p) + self.q.margin(rows_q, log_q)
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
        margin = self.p.margin(rows_p, log_p) + self.q.margin(rows_q, log_q)
        width = y[right] - y[left]
        p_score = self.p.score_bounds(rows_p[:, left], rows_p[:, right], width)
        q_score = self.q.score_bounds(rows_q[:, left], rows_q[:, right], width)
        slope = Interval(p_score.lower - q_score.upper, p_score.upper - q_score.lower)
        margins = np.maximum(margin[left], margin[right])
        on_cell = between_lines(ratio[left], ratio[right], slope, width)
        on_cell = Interval(on_cell.lower - margins, on_cell.upper + margins)
        if self._shared and self._backward:
            p_ends, q_ends = (
                (rows_p[:, left], rows_p[:, right]),
                (rows_q[:, left], rows_q[:, right]),
            )
            on_cell = Interval(
                np.maximum(on_cell.lower, -self._backward.upper(*q_ends, *p_ends, width)),
                np.minimum(on_cell.upper, self._shared.upper(*p_ends, *q_ends, width)),
            )
        p_on_cell = between_lines(log_p[left], log_p[right], p_score, width)
        q_on_cell = between_lines(log_q[left], log_q[right], q_score, width)
        # If numbers overflow, nothing is known, and nothing must look decided.
        return Cells(
            y[left],
            y[right],
            ratio[left],
            ratio[right],
            margins,
            _or(on_cell.lower, -np.inf),
            _or(on_cell.upper, np.inf),
            _or(slope.lower, -np.inf),
            _or(slope.upper, np.inf),
            _or(p_on_cell.upper + margins, np.inf),
            _or(q_on_cell.upper + margins, np.inf),
        )


def _or(bound: FloatArray, unknown: float) -> FloatArray:
    """The bound, or `unknown` where it is not a number."""
    return np.where(np.isnan(bound), unknown, bound)
