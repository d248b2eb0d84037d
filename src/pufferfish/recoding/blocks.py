"""The constraints on the column w = M(·,y) of each output y, for the interior point method.

All outputs have the same constraints, and only Σ_y w = 1 couples them. The constraints are written
as slacks s ≥ 0 that are linear in a point. The methods of a block are those of a matrix G: `slacks`
is G·z, `pull` is Gᵀ·t, and `factor` and `solve` are for

    Gᵀ·W·G·dz + (α, and ν·π where frequencies are kept) = g

with a diagonal W. A point and its slacks are lists of arrays, with y as the first axis. `Plain` is
for laws as they are described, `wrong.Wrong` for laws that may be wrong.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.coupled import Coupled
from pufferfish.recoding.program import Group, GroupMultipliers, Program, ordered

__all__ = ["STEADY", "Arrays", "Block", "Move", "Plain", "all_pairs"]

Arrays = list[FloatArray]
# A larger ε is replaced by this one: the promise is then stricter.
_MOST_EPSILON = 30.0
# Keeps nearly free unknowns from moving far in one step.
STEADY = 1e-8
# With more secrets, one bound for all of them replaces the rows of the pairs.
_MANY_SECRETS = 3


@dataclass(frozen=True, slots=True)
class Move:
    """A step.

    Attributes:
        point: dz.
        slacks: G·dz, computed without cancellation where that matters.
        push: W·G·dz, computed without cancellation.
        alpha: The change of α.
        nu: The change of ν.
    """

    point: Arrays
    slacks: Arrays
    push: Arrays
    alpha: FloatArray
    nu: FloatArray


class Block(ABC):
    """The constraints of each y. `cost` has y first, scaled so that a constant loses about 1."""

    def __init__(self, program: Program, scale: float) -> None:
        """The parts that all blocks have."""
        self.cost = np.ascontiguousarray(program.cost.T) / scale
        self.outs, self.cells = self.cost.shape
        self.histogram = program.histogram
        self.factor_of_goal = math.exp(min(program.goal.epsilon, _MOST_EPSILON))

    @property
    def shares(self) -> FloatArray:
        """The probability of each y under an uninformative map."""
        if self.histogram is None:
            return np.full(self.outs, 1.0 / self.outs)
        return self.histogram[1].copy()

    def kept(self) -> int:
        """The number of rows that keep the frequency of a y."""
        return 0 if self.histogram is None else 1

    @abstractmethod
    def start(self) -> Arrays:
        """A point with slacks above 0: an uninformative map."""

    def forces(self, slacks: Arrays) -> Arrays:
        """The multipliers of slacks at the start: in the centre, all products are equal."""
        centre = 1.0 / sum(each.size for each in slacks)
        return [centre / each for each in slacks]

    @abstractmethod
    def slacks(self, point: Arrays) -> Arrays:
        """G·z."""

    @abstractmethod
    def pull(self, forces: Arrays) -> Arrays:
        """Gᵀ·t."""

    @abstractmethod
    def factor(self, weights: Arrays) -> None:
        """Prepare `solve` for this W."""

    @abstractmethod
    def solve(self, g: Arrays, missing: FloatArray, unkept: FloatArray) -> Move:
        """The step for g, with Σ_y dw = missing and π·dw = unkept."""

    @abstractmethod
    def multipliers(
        self, forces: Arrays
    ) -> tuple[tuple[GroupMultipliers, ...], FloatArray, FloatArray]:
        """The multipliers of the groups, the peaks and the bases, with x first."""


def all_pairs(groups: tuple[Group, ...]) -> tuple[FloatArray, tuple[tuple[int, int], ...]]:
    """The laws of all adversaries in one matrix, and their ordered pairs."""
    first, pairs = 0, []
    for group in groups:
        pairs += [(first + i, first + j) for i, j in ordered(group.pairs)]
        first += len(group.laws)
    return np.concatenate([group.laws for group in groups]), tuple(pairs)


class Plain(Block):
    """Laws as described: a point is w and one bound for each adversary with many secrets."""

    def __init__(self, program: Program, scale: float) -> None:
        """The rows of the promise, each as weights of w and of the bounds."""
        super().__init__(program, scale)
        rows, bounds, self._shared = [], [], []
        for number, group in enumerate(program.groups):
            seen = group.laws @ program.kernel
            bound = np.eye(len(program.groups))[number]
            shared = group.complete and len(seen) > _MANY_SECRETS
            self._shared.append((shared, len(seen), 2 * len(group.pairs)))
            if shared:
                # P_i·w ≤ e^ε·bound for all i, then P_i·w ≥ bound.
                rows += [*-seen, *seen]
                bounds += [self.factor_of_goal * bound] * len(seen) + [-bound] * len(seen)
                continue
            for i, j in ordered(group.pairs):
                rows.append(self.factor_of_goal * seen[j] - seen[i])
                bounds.append(0.0 * bound)
        used = [number for number, (shared, *_) in enumerate(self._shared) if shared]
        self._rows = np.array(rows).reshape(-1, self.cells)
        self._bounds = np.array(bounds).reshape(len(rows), -1)[:, used]

    def start(self) -> Arrays:
        """Σ_y w = 1, and bounds in the middle of their range."""
        shares = self.shares[:, None]
        middle = (1.0 + 1.0 / self.factor_of_goal) / 2.0
        return [
            np.repeat(shares, self.cells, axis=1),
            np.repeat(middle * shares, self._bounds.shape[1], axis=1),
        ]

    def slacks(self, point: Arrays) -> Arrays:
        """The entries of w, and the slacks of the promise."""
        w, bounds = point
        return [w, w @ self._rows.T + bounds @ self._bounds.T]

    def pull(self, forces: Arrays) -> Arrays:
        """The transpose of `slacks`."""
        entries, rows = forces
        return [entries + rows @ self._rows, rows @ self._bounds]

    def factor(self, weights: Arrays) -> None:
        """Prepare `solve`; the unknowns k are the bounds, and minus the push of each row."""
        self._weights = weights
        entries, promise = weights
        several, few, kept = len(self._rows), self._bounds.shape[1], self.kept()
        rows = np.zeros((few + several + kept, self.cells))
        rows[few : few + several] = self._rows
        block = np.zeros((self.outs, len(rows), len(rows)))
        block[:, few : few + several, :few] = self._bounds
        block[:, :few, few : few + several] = self._bounds.T
        each = np.arange(few, few + several)
        block[:, each, each] = -1.0 / promise
        if self.histogram is not None:
            rows[-1] = self.histogram[0]
        self._coupled = Coupled(
            entries + STEADY,
            np.repeat(rows[None], self.outs, axis=0),
            block,
            common=None if self.histogram is None else self.histogram[0],
        )

    def solve(self, g: Arrays, missing: FloatArray, unkept: FloatArray) -> Move:
        """The step."""
        several, few, kept = len(self._rows), self._bounds.shape[1], self.kept()
        right = [g[1], np.zeros((self.outs, several)), unkept[:, None][:, :kept]]
        w, k, alpha = self._coupled.solve(g[0], np.concatenate(right, axis=1), missing)
        push = [self._weights[0] * w, k[:, few : few + several]]
        slacks = [w, push[1] / self._weights[1]]
        return Move([w, k[:, :few]], slacks, push, alpha, k[:, -1] if kept else unkept * 0.0)

    def multipliers(
        self, forces: Arrays
    ) -> tuple[tuple[GroupMultipliers, ...], FloatArray, FloatArray]:
        """The multipliers of the promise; there are no other constraints."""
        found, first, nothing = [], 0, np.zeros((0, self.cells, self.outs))
        for shared, secrets, pairs in self._shared:
            number = 2 * secrets if shared else pairs
            rows = forces[1].T[first : first + number]
            first += number
            unused = np.zeros((secrets, self.outs))
            found.append(
                GroupMultipliers(rows[:secrets], rows[secrets:], None, nothing, nothing)
                if shared
                else GroupMultipliers(unused, unused, rows, nothing, nothing)
            )
        ends = np.zeros((self.cells, self.outs))
        return tuple(found), ends, ends
