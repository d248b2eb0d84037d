"""The program of a recoding over sampling regions, by cutting planes.

For each ordered pair and each output y the promise requires that

    Σ_x (p(x) − e^ε·q(x))·M(x,y) ≤ t(y),   Σ_y t(y) ≤ δ,

for every (p, q) in the region of the pair: infinitely many rows. The program starts with the
observed frequencies. For each solution `regions` finds, for each pair and y, the laws in the region
that break their row by most; these rows are added until none is broken by more than a tolerance.
The result is near the best; `table.repair` makes it keep the promise.

Any rows that were added give a lower bound on the loss of every such map: they are rows of laws
inside the region, so weak duality holds as it does for a single law.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.region import SampleRegion
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.map_program import MapProgram, MapRows
from pufferfish.recoding.regions import PairRegion, region_of_pair

__all__ = ["CutProgram", "Cuts", "Sampled", "cut"]

# A row, which is in units of probability, is added if a solution breaks it by more than this.
_TOLERANCE = 2e-8
# The most that the repair of broken rows may cost, relative to the loss.
_NEAR = 1e-5
# Room for the rounding of a bound in floating point.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """The counts of one adversary.

    Attributes:
        counts: How often each cell was seen, with a row for each secret.
        pairs: The pairs of secrets, by their rows; each stands for both orders.
        region: The sampling region; None: the laws are the frequencies.
    """

    counts: FloatArray
    pairs: tuple[tuple[int, int], ...]
    region: SampleRegion | None

    @property
    def laws(self) -> FloatArray:
        """The frequencies."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CutProgram(MapProgram):
    """A program over sampling regions.

    Attributes:
        groups: The adversaries.
    """

    groups: tuple[Sampled, ...]


class Cuts(NamedTuple):
    """T, whether it breaks no row by more than the tolerance, and a lower bound on the loss."""

    map: FloatArray
    settled: bool
    bound: float


class _Order(NamedTuple):
    """One ordered pair of one adversary: its region, and the first column of its t(y), if any."""

    spent: int | None
    region: PairRegion | None


def cut(program: CutProgram, *, progress: Callable[[int], None] | None = None) -> Cuts | None:
    """The best T, to within floating point, or what was found before the work became too much.

    Args:
        program: The program to solve.
        progress: Called with the number of programs solved.

    Returns:
        The last solution; None if there is none.
    """
    rows, last = _Rows(program), None
    for found in rows.solutions(progress):
        best, bound = rows.read(found), rows.bound()
        last = Cuts(best, not rows.add_broken(best, found), bound)
        if last.settled:
            break
    return last


class _Rows(MapRows):
    """The program in HiGHS, with the rows added so far."""

    def __init__(self, program: CutProgram) -> None:
        super().__init__(program)
        self._program = program
        self._floor = [
            (x, other, factor, y, self._add_to_floor(x, other, factor, y))
            for x, other, factor in program.floor
            for y in range(self._outs)
        ]
        self._orders: list[_Order] = []
        # For each row of the promise: its number, its ordered pair, y, and Kᵀ(p − e^ε·q).
        self._cuts: list[tuple[int, int, int, FloatArray]] = []
        for group in program.groups:
            for pair in group.pairs:
                self._add_order(group, *pair)
                self._add_order(group, *pair[::-1])

    def _add_order(self, group: Sampled, first: int, second: int) -> None:
        region = None
        if group.region is not None:
            rows = group.counts[[first, second]].astype(np.int64).tolist()
            region = region_of_pair(group.region, *rows)
        self._orders.append(_Order(self._spend(), region))
        laws = group.laws
        for y in range(self._outs):
            self._add(len(self._orders) - 1, y, laws[first], laws[second])

    def _add(self, order: int, y: int, first: FloatArray, second: FloatArray) -> None:
        row = (first - self._factor * second) @ self._program.kernel
        parts = [self._map(row, y)]
        spent = self._orders[order].spent
        if spent is not None:
            parts.append(([spent + y], [-1.0]))
        self._cuts.append((self.lp.row(parts), order, y, row))

    def read(self, found: FloatArray) -> FloatArray:
        """T of a solution, with rows that sum to 1."""
        size = self._ins * self._outs
        best = np.clip(found[:size].reshape(self._ins, self._outs), 0.0, None)
        return np.asarray(best / best.sum(axis=1, keepdims=True))

    def add_broken(self, best: FloatArray, found: FloatArray) -> bool:
        """Add the rows that a solution breaks; whether there were any."""
        columns = np.ascontiguousarray((self._program.kernel @ best).T)
        broken, added = 0.0, []
        for number, (spent, region) in enumerate(self._orders):
            if region is None:
                continue
            worst = region.search(columns, self._factor * columns)
            room = np.zeros(self._outs) if spent is None else found[spent : spent + self._outs]
            excess = worst.excess - room
            broken = max(broken, float(np.maximum(excess, 0.0).sum()))
            added += [
                (number, int(y), worst.first[y], worst.second[y])
                for y in np.flatnonzero(excess > _TOLERANCE / self._outs)
            ]
        if broken <= _NEAR * (self._factor - 1.0) or not added:
            return False
        for each in added:
            self._add(*each)
        return True

    def bound(self) -> float:
        """A lower bound by weak duality on the loss of maps that keep the rows, less rounding."""
        free = self._multipliers()
        spread = self._program.cost.copy()
        charged = np.zeros((len(self._orders), self._outs))
        for number, order, y, row in self._cuts:
            multiplier = max(free[number], 0.0)
            spread[:, y] += multiplier * row
            charged[order, y] += multiplier
        for x, other, factor, y, number in self._floor:
            multiplier = max(free[number], 0.0)
            spread[x, y] += multiplier / factor
            spread[other, y] -= multiplier
        given_back = self._program.goal.delta * charged.max(axis=1).sum()
        if self._program.histogram is not None:
            given, wanted = self._program.histogram
            signed = self._of_histogram(free)
            spread += np.outer(given, signed)
            given_back += float(signed @ wanted)
        size = float(np.abs(spread).max())
        return float(spread.min(axis=1).sum() - given_back - _ROUNDING * size)
