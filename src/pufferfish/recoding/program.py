"""The linear program of a recoding: the least loss over all maps T that keep the promise.

With the kernel K of the floor, M = K·T and m_i = P_i·K,

    min Σ_{k,y} C(k,y)·T(k,y)   over T ≥ 0 with rows that sum to 1, such that
    U_i(y) ≤ e^ε·L_j(y) + t_ij(y),  Σ_y t_ij(y) ≤ δ,   for each ordered pair (i, j) of each belief,

where U_i(y) and L_i(y) are the largest and the least Σ_x P(x)·M(x,y) over the laws P within η of
P_i in total variation (`far`). If all pairs of a belief are protected, δ = 0 and η = 0, one bound
for all its secrets replaces the rows of the pairs. A floor may enter the program as rows
M(x,y) ≤ f·M(x',y) instead of through K: that gives the least loss over all channels with this
floor, and takes longer. The result is near the best and nearly keeps the promise; `table.repair`
makes it keep the promise, and `exact` proves that it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.far import Far, Places, Watched
from pufferfish.recoding.highs import Part
from pufferfish.recoding.map_program import MapProgram, MapRows

__all__ = ["Group", "GroupMultipliers", "Multipliers", "Program", "Solution", "ordered", "solve"]

# A solution may break a row by this much before the row is added, and change a frequency by as
# much.
_TOLERANCE = 1e-9
# If a floor has more rows than this, they are added only when a solution breaks them.
_MANY_ROWS = 20_000
# After this many steps the interior point method with all rows is quicker: if the best map is
# almost a constant, all of them matter.
_MANY_STEPS = 25_000

Pairs = tuple[tuple[int, int], ...]


def ordered(pairs: Pairs) -> Pairs:
    """Each pair in both orders."""
    return tuple(order for pair in pairs for order in (pair, pair[::-1]))


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The laws and pairs of one adversary.

    Attributes:
        laws: The law of the values for each secret, one in each row.
        pairs: The pairs of secrets, by their rows; each stands for both orders.
    """

    laws: FloatArray
    pairs: Pairs

    @property
    def complete(self) -> bool:
        """Whether every two secrets are a pair."""
        number = len(self.laws)
        return len({frozenset(pair) for pair in self.pairs}) == number * (number - 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Program(MapProgram):
    """A program for laws as they are described, or wrong by a share.

    Attributes:
        groups: The adversaries.
        wrong: η.
    """

    groups: tuple[Group, ...]
    wrong: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class GroupMultipliers:
    """The multipliers of the rows of one adversary.

    Attributes:
        above: Those of U_i(y) ≤ …, for each secret and y.
        below: Those of L_i(y) ≥ …, for each secret and y.
        pairs: Those of U_i(y) ≤ e^ε·L_j(y) + t_ij(y), for each ordered pair and y; None if one
            bound for all secrets takes their place.
        bottom: Those of μ_i(y) − M(x,y) ≤ …, for each secret, x and y: the mass that U_i(y) takes
            from x.
        top: Those of M(x,y) − λ_i(y) ≤ …, for each secret, x and y: the mass that L_i(y) takes from
            x.
    """

    above: FloatArray
    below: FloatArray
    pairs: FloatArray | None
    bottom: FloatArray
    top: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """The price of each row of the program, in units of the loss: evidence that T is the best.

    Attributes:
        groups: Those of the rows of each adversary.
        peak: Those of M(x,y) ≤ u(y).
        base: Those of v(y) ≤ M(x,y).
        histogram: Those of the frequency of each y.
        floor: Those of M(x,y) ≤ f·M(x',y), for each row of the floor and y.
    """

    groups: tuple[GroupMultipliers, ...]
    peak: FloatArray
    base: FloatArray
    histogram: FloatArray
    floor: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """T, its loss, and the multipliers that show it to be the least.

    If `settled` is false, the search stopped before all rows that T breaks were added.
    """

    map: FloatArray
    loss: float
    multipliers: Multipliers
    settled: bool


def solve(program: Program, *, progress: Callable[[int], None] | None = None) -> Solution | None:
    """The best T, to within floating point, or what was found before the work became too much.

    Args:
        program: The program to solve.
        progress: Called with the number of times that the program was solved with more rows.

    Returns:
        The last solution; None if there is none.
    """
    rows, last = _Rows(program), None
    for found in rows.solutions(progress):
        best, multipliers = rows.read(found), rows.multipliers()
        settled = not rows.add_broken(found)
        last = Solution(best, float((best * program.cost).sum()), multipliers, settled)
        if settled:
            break
        rows.stop_creeping()
    return last


Broken = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _GroupRows:
    """The first rows of a group: those of each secret, and of each ordered pair."""

    above: list[int]
    below: list[int]
    pairs: list[int] | None
    watched: list[Watched]


class _Rows(MapRows):
    """The program in HiGHS, with the rows added so far."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._program = program
        self._far = (
            Far(self.lp, program.kernel, self._outs, program.wrong) if program.wrong else None
        )
        self._inside = False
        self._groups = [self._add_group(group) for group in program.groups]
        self._floor = np.full((len(program.floor), self._outs), -1)
        if self._floor.size <= _MANY_ROWS:
            self._add_floor(np.ones(self._floor.shape, bool))

    def _add_group(self, group: Group) -> _GroupRows:
        program = self._program
        # Two wrong laws of the same secret need not be indistinguishable.
        shared = group.complete and program.goal.pure and not program.wrong
        seen = group.laws @ program.kernel
        lowers = [self.take()] * len(seen) if shared else [self.take() for _ in seen]
        uppers = lowers if shared else [self.take() for _ in seen]
        rows = _GroupRows([], [], None if shared else [], [])
        for i, law in enumerate(seen):
            factor = self._factor if shared else 1.0
            sides = (self.take(), self.take()) if self._far else (0, 0)
            above, below = [], []
            for y in range(self._outs):
                upper: Part = ([uppers[i] + y], [-factor])
                more = [self._far.above(y, sides[0])] if self._far else []
                above.append(self.lp.row([self._map(law, y), upper, *more]))
            for y in range(self._outs):
                lower: Part = ([lowers[i] + y], [1.0])
                less = [self._far.below(y, sides[1])] if self._far else []
                below.append(self.lp.row([lower, self._map(law, y, -1.0), *less]))
            rows.above.append(above[0])
            rows.below.append(below[0])
            if self._far:
                columns = (uppers[i], factor), lowers[i]
                starts = above[0], below[0]
                rows.watched.append(self._far.watch(group.laws[i], columns, sides, starts))
        if rows.pairs is not None:
            rows.pairs.extend(self._add_pairs(group, uppers, lowers))
        return rows

    def _add_pairs(self, group: Group, uppers: list[int], lowers: list[int]) -> list[int]:
        firsts = []
        for i, j in ordered(group.pairs):
            spent = self._spend()
            rows = []
            for y in range(self._outs):
                parts: list[Part] = [([uppers[i] + y, lowers[j] + y], [1.0, -self._factor])]
                if spent is not None:
                    parts.append(([spent + y], [-1.0]))
                rows.append(self.lp.row(parts))
            firsts.append(rows[0])
        return firsts

    def _add_floor(self, wanted: Broken) -> None:
        for number, y in np.argwhere(wanted):
            x, other, factor = self._program.floor[number]
            self._floor[number, y] = self._add_to_floor(x, other, factor, y)

    def read(self, found: FloatArray) -> FloatArray:
        """T of a solution."""
        return found[: self._program.cost.size].reshape(self._program.cost.shape)

    def multipliers(self) -> Multipliers:
        """The multipliers of the last solution."""
        free = self._multipliers()
        # HiGHS may return slightly negative multipliers.
        found = np.maximum(free, 0.0)

        def of(firsts: list[int]) -> FloatArray:
            return np.array([found[first : first + self._outs] for first in firsts]).reshape(
                len(firsts), self._outs
            )

        def at(rows: Places) -> FloatArray:
            return np.where(rows >= 0, found[rows], 0.0)

        nothing = np.zeros((len(self._program.kernel), self._outs))
        divisors = np.array([factor for *_, factor in self._program.floor]).reshape(-1, 1)
        return Multipliers(
            groups=tuple(
                GroupMultipliers(
                    of(each.above),
                    of(each.below),
                    None if each.pairs is None else of(each.pairs),
                    np.array([at(one.bottom_at) for one in each.watched]),
                    np.array([at(one.top_at) for one in each.watched]),
                )
                for each in self._groups
            ),
            peak=at(self._far.peak_at) if self._far else nothing,
            base=at(self._far.base_at) if self._far else nothing,
            histogram=self._of_histogram(free),
            floor=at(self._floor) / divisors,
        )

    def stop_creeping(self) -> None:
        """If bounds on wrong laws are added without end, add them all and solve once more."""
        if self._far is not None and not self._inside and self.lp.steps > _MANY_STEPS:
            self._far.add_all()
            self.lp.go_inside()
            self._inside = True

    def add_broken(self, found: FloatArray) -> bool:
        """Add the rows that a solution breaks; whether there were any."""
        best = self.read(found)
        added = False
        if (self._floor < 0).any():
            sides = np.array([(x, other) for x, other, _ in self._program.floor])
            factors = np.array([factor for *_, factor in self._program.floor])
            over = best[sides[:, 0]] / factors[:, None] > best[sides[:, 1]] + _TOLERANCE
            broken = over & (self._floor < 0)
            self._add_floor(broken)
            added = bool(broken.any())
        if self._far is not None:
            added |= self._far.add_broken(found, self._program.kernel @ best)
        return added
