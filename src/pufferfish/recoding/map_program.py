"""The linear program over maps T, as far as the kind of laws does not matter.

Its columns are T(k,y) ≥ 0 with cost C(k,y). Its first rows are Σ_y T(k,y) = 1 and, where a
histogram is kept, Σ_k π(k)·T(k,y) = π'(y). `program` adds rows for laws as they are described or
wrong by a share, `cuts` rows for laws of sampling regions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.highs import LinearProgram, Part

__all__ = ["MapProgram", "MapRows"]

# HiGHS takes no coefficient above 1e15. A larger ε is replaced by this one: the promise is then
# stricter.
_LARGEST_EPSILON = 30.0
# A search stops after this many steps of the simplex method times entries of T, and after this many
# programs. That counts work and not time, so that the same beliefs give the same map everywhere.
_MOST_WORK, _MOST_PROGRAMS = 5_000_000_000, 500


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapProgram:
    """The loss to minimise, and its constraints.

    Attributes:
        cost: C(k,y).
        kernel: K(x,k).
        goal: The promise.
        histogram: The frequency of each k, and the required one of each y; None: none is required.
        floor: (x, x', f): M(x,y) ≤ f·M(x',y) for each y. K must be the identity then.
    """

    cost: FloatArray
    kernel: FloatArray
    goal: Guarantee
    histogram: tuple[FloatArray, FloatArray] | None = None
    floor: tuple[tuple[int, int, float], ...] = ()


class MapRows:
    """The program in HiGHS, with the rows added so far."""

    def __init__(self, program: MapProgram) -> None:
        """Add the columns of T and the rows that do not depend on laws."""
        self.lp = LinearProgram()
        self._goal, self._histogram = program.goal, program.histogram
        self._ins, self._outs = program.cost.shape
        self._factor = math.exp(min(program.goal.epsilon, _LARGEST_EPSILON))
        # The loss of a constant; in most cases the least loss is not far below it.
        self._scale = float(np.abs(program.cost).sum(axis=0).min()) or 1.0
        self.lp.take(program.cost.ravel() / self._scale)
        for k in range(self._ins):
            self.lp.row([self._sum_from(k * self._outs)], 1.0, 1.0)
        if program.histogram is not None:
            given, wanted = program.histogram
            for y in range(self._outs):
                self.lp.row([self._map(given, y)], float(wanted[y]), float(wanted[y]))

    def take(self) -> int:
        """Add a column for each y; the index of the first."""
        return self.lp.take(np.zeros(self._outs))

    def _sum_from(self, first: int) -> Part:
        """The sum over y of columns."""
        return range(first, first + self._outs), np.ones(self._outs)

    def _map(self, weights: FloatArray, y: int, sign: float = 1.0) -> Part:
        """±Σ_k weights[k]·T(k,y)."""
        cells = np.flatnonzero(weights)
        return cells * self._outs + y, sign * weights[cells]

    def _spend(self) -> int | None:
        """Add t(y) with Σ_y t(y) ≤ δ; the index of the first, None if δ = 0."""
        if self._goal.pure:
            return None
        first = self.take()
        self.lp.row([self._sum_from(first)], high=self._goal.delta)
        return first

    def _add_to_floor(self, x: int, other: int, factor: float, y: int) -> int:
        """Add M(x,y) ≤ f·M(x',y), divided by f, which may be too large for HiGHS; its index."""
        cells = [x * self._outs + y, other * self._outs + y]
        return self.lp.row([(cells, [1.0 / factor, -1.0])])

    def _multipliers(self) -> FloatArray:
        """The multipliers of all rows at the last solution, in units of the loss."""
        return self.lp.multipliers * self._scale

    def _of_histogram(self, multipliers: FloatArray) -> FloatArray:
        """The multipliers of the frequency of each y."""
        if self._histogram is None:
            return np.zeros(self._outs)
        return multipliers[self._ins : self._ins + self._outs]

    def solutions(self, progress: Callable[[int], None] | None) -> Iterator[FloatArray]:
        """The best x, again each time that rows were added, as far as the work goes.

        Nothing is found if it does not suffice for the first time.

        Args:
            progress: Called with the number of times that the program was solved.
        """
        most = max(_MOST_WORK // (self._ins * self._outs), 1)
        for solved in range(1, _MOST_PROGRAMS + 1):
            found = self.lp.solve(most - self.lp.steps)
            if found is None:
                return
            if progress is not None:
                progress(solved)
            yield found
