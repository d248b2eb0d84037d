"""The linear program of a recoding: the least loss over all maps T that keep the promise.

With the kernel K of the floor, M = K·T and m_i = P_i·K,

    min Σ_{k,y} C(k,y)·T(k,y)   over T ≥ 0 with rows that sum to 1, such that
    U_i(y) ≤ e^ε·L_j(y) + t_ij(y),  Σ_y t_ij(y) ≤ δ,   for each ordered pair (i, j) of each belief,

where U_i(y) and L_i(y) are the largest and the least Σ_x P(x)·M(x,y) over the laws P within η of
P_i in total variation. By duality, with u(y) = max_x M(x,y) and v(y) = min_x M(x,y),

    U_i(y) ≤ m_i·T(·,y) + η·(u(y) − v(y)),
    L_i(y) = m_i·T(·,y) + η·v(y) − min_λ [η·λ + Σ_x P_i(x)·(M(x,y) − λ)₊].

The first is exact where the values that are published as y least often have a probability of η.
Few of the (x, y) matter in either, so their rows are added when a solution breaks them. Where all
pairs of a belief are asked for and δ = 0, one bound for all its secrets replaces a row for each
pair. What comes out is near the best and nearly keeps the promise; `table.repair` makes it keep
it, and `exact` shows that it does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.highs import LinearProgram, Part

__all__ = ["Group", "Program", "Solution", "solve"]

# A solution may break a row by this much before the row is added, and move a frequency by as much.
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """What one adversary believes.

    Attributes:
        laws: One law of the values for each secret: a row each.
        pairs: Which secrets must look alike, by their rows; each stands for both orders.
    """

    laws: FloatArray
    pairs: tuple[tuple[int, int], ...]

    @property
    def complete(self) -> bool:
        """Whether every two secrets must."""
        number = len(self.laws)
        return len({frozenset(pair) for pair in self.pairs}) == number * (number - 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Program:
    """What is minimised, and what must hold.

    Attributes:
        cost: C(k,y).
        kernel: K(x,k).
        groups: The adversaries.
        goal: The promise.
        wrong: η.
        histogram: How often each k goes in and each y must come out; None: as it comes.
    """

    cost: FloatArray
    kernel: FloatArray
    groups: tuple[Group, ...]
    goal: Guarantee
    wrong: float = 0.0
    histogram: tuple[FloatArray, FloatArray] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """T, and the loss that it has."""

    map: FloatArray
    loss: float


def solve(
    program: Program,
    *,
    seconds: float = math.inf,
    progress: Callable[[int], None] | None = None,
) -> Solution:
    """The best T, as far as floating point tells.

    Args:
        program: What is asked.
        seconds: When to give up.
        progress: Told how often the program was solved with more rows.

    Raises:
        UnreachableGoalError: No map keeps the promise with these outputs.
        UnsupportedError: It took longer than `seconds`.
    """
    rows = _Rows(program)
    until = time.monotonic() + seconds
    solved = 0
    while True:
        found = rows.lp.solve(until - time.monotonic())
        solved += 1
        if progress is not None:
            progress(solved)
        if not rows.add_broken(found):
            best = found[: program.cost.size].reshape(program.cost.shape)
            return Solution(best, float((best * program.cost).sum()))


Broken = npt.NDArray[np.bool_]


class _Rows:
    """The program in HiGHS, with the rows that matter so far."""

    def __init__(self, program: Program) -> None:
        self.lp = LinearProgram()
        self._program = program
        self._ins, self._outs = program.cost.shape
        self.lp.take(program.cost.ravel() / (float(np.abs(program.cost).max()) or 1.0))
        for k in range(self._ins):
            self.lp.row([self._sum_from(k * self._outs)], 1.0, 1.0)
        if program.histogram is not None:
            given, wanted = program.histogram
            for y in range(self._outs):
                low, high = wanted[y] - _TOLERANCE, wanted[y] + _TOLERANCE
                self.lp.row([self._map(given, y)], float(low), float(high))
        self._far = _Far(self, program) if program.wrong else None
        for group in program.groups:
            self._add_group(group)

    def take(self) -> int:
        """A column for each y; the number of the first."""
        return self.lp.take(np.zeros(self._outs))

    def _sum_from(self, first: int) -> Part:
        """The sum over y of columns."""
        return range(first, first + self._outs), np.ones(self._outs)

    def _map(self, weights: FloatArray, y: int, sign: float = 1.0) -> Part:
        """±Σ_k weights[k]·T(k,y)."""
        cells = np.flatnonzero(weights)
        return cells * self._outs + y, sign * weights[cells]

    def _add_group(self, group: Group) -> None:
        program, factor = self._program, math.exp(self._program.goal.epsilon)
        shared = group.complete and program.goal.pure
        seen = group.laws @ program.kernel
        lowers = [self.take()] * len(seen) if shared else [self.take() for _ in seen]
        uppers = lowers if shared else [self.take() for _ in seen]
        for i, law in enumerate(seen):
            tops = self.take() if self._far else 0
            below = []
            for y in range(self._outs):
                above: Part = ([uppers[i] + y], [-factor if shared else -1.0])
                more = self._far.above(y) if self._far else []
                self.lp.row([self._map(law, y), above, *more])
                less = self._far.below(y, tops) if self._far else []
                lower: Part = ([lowers[i] + y], [1.0])
                below.append(self.lp.row([lower, self._map(law, y, -1.0), *less]))
            if self._far:
                self._far.watch(tops, group.laws[i], below)
        if not shared:
            self._add_pairs(group, uppers, lowers, factor)

    def _add_pairs(self, group: Group, uppers: list[int], lowers: list[int], factor: float) -> None:
        goal = self._program.goal
        for i, j in (order for pair in group.pairs for order in (pair, pair[::-1])):
            spent = None if goal.pure else self.take()
            for y in range(self._outs):
                parts: list[Part] = [([uppers[i] + y, lowers[j] + y], [1.0, -factor])]
                if spent is not None:
                    parts.append(([spent + y], [-1.0]))
                self.lp.row(parts)
            if spent is not None:
                self.lp.row([self._sum_from(spent)], high=goal.delta)

    def add_broken(self, found: FloatArray) -> bool:
        """Whether a solution breaks rows that were left out; they are added."""
        if self._far is None:
            return False
        best = found[: self._program.cost.size].reshape(self._program.cost.shape)
        return self._far.add_broken(found, self._program.kernel @ best)

    def add_row(self, x: int, y: int, sign: float, *more: Part) -> None:
        """±M(x,y) + … ≤ 0."""
        self.lp.row([self._map(self._program.kernel[x], y, sign), *more])


@dataclass(frozen=True, slots=True)
class _Watched:
    """λ of a law, for each y: its columns, the rows that it stands in, and which x have a row."""

    first: int
    law: FloatArray
    rows: list[int]
    has: Broken


class _Far:
    """What laws that are off by η add: u, v and λ, and those of their rows that matter."""

    def __init__(self, rows: _Rows, program: Program) -> None:
        self._rows, self._eta = rows, program.wrong
        self._peaks, self._bases = rows.take(), rows.take()
        shape = program.kernel.shape[0], program.cost.shape[1]
        self._has_peak, self._has_base = np.zeros(shape, bool), np.zeros(shape, bool)
        self._watched: list[_Watched] = []

    def above(self, y: int) -> list[Part]:
        """η·(u(y) − v(y))."""
        return [([self._peaks + y, self._bases + y], [self._eta, -self._eta])]

    def below(self, y: int, tops: int) -> list[Part]:
        """η·(λ(y) − v(y))."""
        return [([tops + y, self._bases + y], [self._eta, -self._eta])]

    def watch(self, tops: int, law: FloatArray, rows: list[int]) -> None:
        """Add rows for this λ when they are broken."""
        self._watched.append(_Watched(tops, law, rows, np.zeros_like(self._has_peak)))

    def add_broken(self, found: FloatArray, table: FloatArray) -> bool:
        """Whether M breaks a row that was left out; all such rows are added."""
        outs = table.shape[1]
        peaks = found[self._peaks : self._peaks + outs]
        broken = _new(table > peaks + _TOLERANCE, self._has_peak)
        for x, y in broken:
            self._rows.add_row(x, y, 1.0, ([self._peaks + y], [-1.0]))
        low = _new(table < found[self._bases : self._bases + outs] - _TOLERANCE, self._has_base)
        for x, y in low:
            self._rows.add_row(x, y, -1.0, ([self._bases + y], [1.0]))
        added = len(broken) + len(low)
        for each in self._watched:
            tops = found[each.first : each.first + outs]
            high = _new((table > tops + _TOLERANCE) & (each.law[:, None] > 0.0), each.has)
            if not high:
                continue
            added += len(high)
            # What is above λ, weighted by how likely it is.
            lost = self._rows.lp.take_in(
                [each.rows[y] for _, y in high], [float(each.law[x]) for x, _ in high]
            )
            for number, (x, y) in enumerate(high):
                self._rows.add_row(x, y, 1.0, ([each.first + y, lost + number], [-1.0, -1.0]))
        return added > 0


def _new(broken: Broken, has: Broken) -> list[tuple[int, int]]:
    """Those without a row, which they get."""
    fresh = broken & ~has
    has |= fresh
    return [(int(x), int(y)) for x, y in np.argwhere(fresh)]
