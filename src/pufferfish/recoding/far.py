"""Rows of the program for laws that may be wrong by η in total variation.

For a column w = M(·,y) and a law P, with u = max w and v = min w, by duality

    U(y) = P·w + η·u − max_μ [η·μ − Σ_x P(x)·(μ − w(x))₊],
    L(y) = P·w + η·v − min_λ [η·λ + Σ_x P(x)·(w(x) − λ)₊]

are the largest and the least P'·w over the laws P' within η of P. So u, v, and the μ and λ of each
law become columns of the program. Few of the (x, y) matter for each law: their rows are added when
a solution breaks a bound, beginning with those that the worst law moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.highs import LinearProgram, Part

__all__ = ["Far", "Places", "Watched"]

# A solution may break a bound by this much before rows are added.
_TOLERANCE = 1e-9

# Indices of rows; −1 where there is no row.
Places = npt.NDArray[np.int64]
Cells = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Watched:
    """One law, and the columns and rows that it has in the program.

    Attributes:
        law: P.
        upper: The columns of U(y), and their coefficients.
        lower: The columns of L(y).
        bottoms: The first column of μ.
        tops: The first column of λ.
        above: The first row of U(y) ≥ ….
        below: The first row of L(y) ≤ ….
        bottom_at: The rows μ(y) − w(x) ≤ ….
        top_at: The rows w(x) − λ(y) ≤ ….
    """

    law: FloatArray
    upper: tuple[int, float]
    lower: int
    bottoms: int
    tops: int
    above: int
    below: int
    bottom_at: Places
    top_at: Places


class Far:
    """The rows so far."""

    def __init__(self, lp: LinearProgram, kernel: FloatArray, outs: int, wrong: float) -> None:
        """Columns for u and v."""
        self._lp, self._kernel, self._outs, self._eta = lp, kernel, outs, wrong
        self._peaks, self._bases = self.take(), self.take()
        self.peak_at, self.base_at = self._places(), self._places()
        self.watched: list[Watched] = []

    def take(self) -> int:
        """A column for each y."""
        return self._lp.take(np.zeros(self._outs))

    def _places(self) -> Places:
        return np.full((len(self._kernel), self._outs), -1)

    def above(self, y: int, bottoms: int) -> Part:
        """η·(u(y) − μ(y))."""
        return [self._peaks + y, bottoms + y], [self._eta, -self._eta]

    def below(self, y: int, tops: int) -> Part:
        """η·(λ(y) − v(y))."""
        return [tops + y, self._bases + y], [self._eta, -self._eta]

    def watch(
        self,
        law: FloatArray,
        columns: tuple[tuple[int, float], int],
        sides: tuple[int, int],
        rows: tuple[int, int],
    ) -> Watched:
        """From now on, add rows for this law when they are broken."""
        found = Watched(law, *columns, *sides, *rows, self._places(), self._places())
        self.watched.append(found)
        return found

    def add_broken(self, found: FloatArray, table: FloatArray) -> bool:
        """Add the rows of the worst laws of bounds that M breaks; whether there were any."""
        ys = np.arange(self._outs)
        # HiGHS resolves no finer differences; among equal entries the most likely cell moves first.
        rounded = np.round(table, 9)
        highest, lowest = self._eta * table.max(axis=0), self._eta * table.min(axis=0)
        high, low = np.zeros(self._outs, bool), np.zeros(self._outs, bool)
        added = 0
        for each in self.watched:
            usual = each.law @ table
            rare = -np.broadcast_to(each.law[:, None], table.shape)
            gone, gives = self._removed(each.law, table, np.lexsort((rare, rounded), axis=0))
            upper = each.upper[1] * found[each.upper[0] + ys]
            broken = usual + highest - gone > upper + _TOLERANCE
            high |= broken
            over = table < found[each.bottoms + ys] - _TOLERANCE
            added += self._add_side(broken & gives & over, each, -1.0)
            gone, gives = self._removed(each.law, table, np.lexsort((rare, -rounded), axis=0))
            broken = usual + lowest - gone < found[each.lower + ys] - _TOLERANCE
            low |= broken
            over = table > found[each.tops + ys] + _TOLERANCE
            added += self._add_side(broken & gives & over, each, 1.0)
        # All in one round: with only the largest of each column there are many more rounds.
        over = high & (table > found[self._peaks + ys] + _TOLERANCE)
        under = low & (table < found[self._bases + ys] - _TOLERANCE)
        return added + self._add_ends(over, 1.0) + self._add_ends(under, -1.0) > 0

    def add_all(self) -> None:
        """Add every row that could matter."""
        everywhere = np.ones(self.peak_at.shape, bool)
        for sign in (1.0, -1.0):
            self._add_ends(everywhere, sign)
            for each in self.watched:
                self._add_side(everywhere & (each.law[:, None] > 0.0), each, sign)

    def _removed(
        self, law: FloatArray, table: FloatArray, order: Places
    ) -> tuple[FloatArray, Cells]:
        """What each column loses if η is taken in order, and the cells from which it is taken."""
        likely = law[order]
        before = np.cumsum(likely, axis=0) - likely
        taken = np.clip(self._eta - before, 0.0, likely)
        gone = (taken * np.take_along_axis(table, order, axis=0)).sum(axis=0)
        gives = np.zeros(table.shape, bool)
        np.put_along_axis(gives, order, taken > 0.0, axis=0)
        return gone, gives

    def _add_ends(self, wanted: Cells, sign: float) -> int:
        """±M(x,y) ≤ ±u(y) or ±v(y)."""
        first, at = (self._peaks, self.peak_at) if sign > 0.0 else (self._bases, self.base_at)
        cells = _places(wanted & (at < 0))
        for x, y in cells:
            at[x, y] = self._lp.row([self._entry(x, y, sign), ([first + y], [-sign])])
        return len(cells)

    def _add_side(self, wanted: Cells, each: Watched, sign: float) -> int:
        """±(M(x,y) − λ(y) or μ(y)) ≤ an excess, which counts with the probability of x."""
        first, row, at = (
            (each.tops, each.below, each.top_at)
            if sign > 0.0
            else (each.bottoms, each.above, each.bottom_at)
        )
        cells = _places(wanted & (at < 0))
        if not cells:
            return 0
        beyond = self._lp.take_in(
            [row + y for _, y in cells], [float(each.law[x]) for x, _ in cells]
        )
        for number, (x, y) in enumerate(cells):
            columns: Part = ([first + y, beyond + number], [-sign, -1.0])
            at[x, y] = self._lp.row([self._entry(x, y, sign), columns])
        return len(cells)

    def _entry(self, x: int, y: int, sign: float) -> Part:
        """±M(x,y)."""
        cells = np.flatnonzero(self._kernel[x])
        return cells * self._outs + y, sign * self._kernel[x][cells]


def _places(wanted: Cells) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in np.argwhere(wanted)]
