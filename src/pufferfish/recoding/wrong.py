"""The constraints on the column w of each output if laws may be wrong by η in total variation.

With u = max w and v = min w, and for each law P with any μ and λ (`far`),

    U = P·w + η·(u − μ) + Σ_x P(x)·b(x),   b ≥ 0, b(x) ≥ μ − w(x),
    L = P·w + η·(v − λ) − Σ_x P(x)·a(x),   a ≥ 0, a(x) ≥ w(x) − λ.

A point is w, u, v, the λ and μ of each law, and a and b where the law is above 0. Its slacks are
u − w, w − v, v, a, a + λ − w, b, b − μ + w, and e^ε·L_j − U_i for each ordered pair. In each step a
and b are eliminated one by one, which leaves terms that couple w with λ and μ. Then u, v, λ, μ and
the pairs are the few rows of each y (`coupled`).
"""

from __future__ import annotations

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.blocks import STEADY, Arrays, Block, Move, all_pairs
from pufferfish.recoding.coupled import Coupled
from pufferfish.recoding.program import GroupMultipliers, Program

__all__ = ["Wrong"]

# The start of a and b in rare cells, relative to usual ones.
_FARTHEST = 1e4
# The total push on all pairs of a y at the start, if a constant loses 1.
_PRESSURE = 3.0


class Wrong(Block):
    """Laws that may be wrong. The kernel is the identity."""

    def __init__(self, program: Program, scale: float) -> None:
        """The laws of all adversaries, and where each is above 0."""
        super().__init__(program, scale)
        self._eta = program.wrong
        self._laws, pairs = all_pairs(program.groups)
        self._sizes = [(len(group.laws), 2 * len(group.pairs)) for group in program.groups]
        self._first, self._second = (np.array(each) for each in zip(*pairs, strict=True))
        self._places = [np.flatnonzero(law) for law in self._laws]
        self._lengths = [len(each) for each in self._places]
        ends = np.cumsum(self._lengths)
        self._starts = np.concatenate([[0], ends[:-1]])
        self._parts = [slice(a, b) for a, b in zip(self._starts, ends, strict=True)]
        self._at = np.concatenate(self._places)
        self._likely = self._laws[np.repeat(np.arange(len(self._laws)), self._lengths), self._at]
        secrets = np.arange(len(self._laws))
        # The pairs that contain U_i, and those that contain e^ε·L_j.
        self._above = (self._first[:, None] == secrets).astype(float)
        self._below = (self._second[:, None] == secrets) * self.factor_of_goal
        self._rows = (self._below - self._above) @ self._laws

    def _expand(self, values: FloatArray) -> FloatArray:
        """The value of each law, repeated at its cells."""
        return np.repeat(values, self._lengths, axis=1)

    def _sums(self, values: FloatArray) -> FloatArray:
        """The sums over the cells of each law."""
        return np.add.reduceat(values, self._starts, axis=1)

    def _spread(self, values: FloatArray, onto: FloatArray) -> FloatArray:
        """Add the values of all laws, cell by cell."""
        for places, part in zip(self._places, self._parts, strict=True):
            onto[:, places] += values[:, part]
        return onto

    def start(self) -> Arrays:
        """w = λ = μ, and the rest as far from it as the promise permits."""
        shares = self.shares[:, None]
        apart = min(0.25, (self.factor_of_goal - 1.0) / (self.factor_of_goal + 1.0) / 4.0)
        middle = np.repeat(shares, len(self._laws), axis=1)
        # Rare cells start far away: they weigh little, and so do the forces on them.
        often = self._likely * np.repeat(self._lengths, self._lengths)
        beyond = shares * (apart * np.minimum(1.0 / often, _FARTHEST))
        return [
            np.repeat(shares, self.cells, axis=1),
            shares[:, 0] * (1.0 + min(apart / self._eta, 3.0)),
            shares[:, 0] * (1.0 - min(apart / self._eta, 0.5)),
            middle,
            middle.copy(),
            beyond,
            beyond.copy(),
        ]

    def forces(self, slacks: Arrays) -> Arrays:
        """Multipliers such that nothing pulls at u, v, λ, μ, a and b."""
        pairs = np.full(slacks[-1].shape, _PRESSURE / slacks[-1].shape[1])
        above, below = pairs @ self._above, pairs @ self._below
        over = self._likely * self._expand(below)
        under = self._likely * self._expand(above)
        peak, base = (self._eta * each.sum(axis=1)[:, None] for each in (above, below))
        kept = 1.0 - self._eta
        return [
            np.repeat(peak / self.cells, self.cells, axis=1),
            np.repeat(2.0 * base / self.cells, self.cells, axis=1),
            base[:, 0],
            kept * over,
            self._eta * over,
            kept * under,
            self._eta * under,
            pairs,
        ]

    def slacks(self, point: Arrays) -> Arrays:
        """The slacks, in the order of the module's docstring."""
        w, u, v, tops, bottoms, over, under = point
        here, usual = w[:, self._at], w @ self._laws.T
        least = usual + self._eta * (v[:, None] - tops) - self._sums(self._likely * over)
        most = usual + self._eta * (u[:, None] - bottoms) + self._sums(self._likely * under)
        return [
            u[:, None] - w,
            w - v[:, None],
            v,
            over,
            over + self._expand(tops) - here,
            under,
            under - self._expand(bottoms) + here,
            least @ self._below.T - most @ self._above.T,
        ]

    def pull(self, forces: Arrays) -> Arrays:
        """The transpose of `slacks`."""
        peak, base, ground, over, top, under, bottom, promise = forces
        above, below = promise @ self._above, promise @ self._below
        return [
            self._spread(bottom - top, base - peak + promise @ self._rows),
            peak.sum(axis=1) - self._eta * above.sum(axis=1),
            ground - base.sum(axis=1) + self._eta * below.sum(axis=1),
            self._sums(top) - self._eta * below,
            self._eta * above - self._sums(bottom),
            over + top - self._likely * self._expand(below),
            under + bottom - self._likely * self._expand(above),
        ]

    def factor(self, weights: Arrays) -> None:
        """Prepare `solve`; the unknowns k are u, v, λ, μ, the push of each pair, and ν."""
        self._weights = weights
        peak, base, ground, over, top, under, bottom, promise = weights
        self._over, self._under = over + top, under + bottom
        self._top, self._bottom = top / self._over, bottom / self._under
        self._tied_top, self._tied_bottom = over * self._top, under * self._bottom
        diagonal = self._spread(self._tied_top + self._tied_bottom, peak + base) + STEADY
        rows, few = self._rows_of(peak, base), 2 + 2 * len(self._laws)
        grounded = np.zeros((self.outs, few))
        grounded[:, 1] = ground
        self._coupled = Coupled(
            diagonal,
            rows,
            self._block(1.0 / promise),
            grounded=grounded,
            common=None if self.histogram is None else self.histogram[0],
        )

    def _rows_of(self, peak: FloatArray, base: FloatArray) -> FloatArray:
        """V: how w meets u, v, λ, μ, the pairs, and the frequency of y."""
        secrets, pairs = len(self._laws), len(self._first)
        few = 2 + 2 * secrets
        rows = np.zeros((self.outs, few + pairs + self.kept(), self.cells))
        rows[:, 0], rows[:, 1] = -peak, -base
        least = np.zeros((self.outs, secrets, self.cells))
        most = np.zeros_like(least)
        loose_top = self._likely * (self._weights[3] / self._over)
        loose_bottom = self._likely * (self._weights[5] / self._under)
        for i, (places, part) in enumerate(zip(self._places, self._parts, strict=True)):
            rows[:, 2 + i, places] = -self._tied_top[:, part]
            rows[:, 2 + secrets + i, places] = -self._tied_bottom[:, part]
            least[:, i, places], most[:, i, places] = loose_top[:, part], loose_bottom[:, part]
        rows[:, few : few + pairs] = self.factor_of_goal * least[:, self._second]
        rows[:, few : few + pairs] -= most[:, self._first]
        if self.histogram is not None:
            rows[:, -1] = self.histogram[0]
        return rows

    def _block(self, loose: FloatArray) -> FloatArray:
        """N: how u, v, λ, μ meet the pairs, and the pairs each other."""
        secrets, pairs = len(self._laws), len(self._first)
        few = 2 + 2 * secrets
        each = np.arange(pairs)
        meets = np.zeros((self.outs, pairs, few))
        meets[:, :, 0], meets[:, :, 1] = -self._eta, self.factor_of_goal * self._eta
        tops = self._sums(self._likely * self._top) - self._eta
        bottoms = self._sums(self._likely * self._bottom) - self._eta
        meets[:, each, 2 + self._second] = self.factor_of_goal * tops[:, self._second]
        meets[:, each, 2 + secrets + self._first] = -bottoms[:, self._first]
        size = few + pairs + self.kept()
        block = np.zeros((self.outs, size, size))
        block[:, few : few + pairs, :few] = meets
        block[:, :few, few : few + pairs] = meets.transpose(0, 2, 1)
        square = self._likely**2
        least = self._below * self._sums(square / self._over)[:, None, :]
        most = self._above * self._sums(square / self._under)[:, None, :]
        own = block[:, few : few + pairs, few : few + pairs]
        own -= least @ self._below.T + most @ self._above.T
        own[:, each, each] -= loose
        return block

    def solve(self, g: Arrays, missing: FloatArray, unkept: FloatArray) -> Move:
        """The step: a and b follow from the rest."""
        w, u, v, tops, bottoms, over, under = g
        likely, kept, secrets = self._likely, self.kept(), len(self._laws)
        right = self._spread(self._top * over - self._bottom * under, w.copy())
        small = [
            u[:, None],
            v[:, None],
            tops - self._sums(self._top * over),
            bottoms + self._sums(self._bottom * under),
            self._sums(likely * over / self._over) @ self._below.T
            + self._sums(likely * under / self._under) @ self._above.T,
            unkept[:, None][:, :kept],
        ]
        dw, k, alpha = self._coupled.solve(right, np.concatenate(small, axis=1), missing)
        few = 2 + 2 * secrets
        du, dv, dtops, dbottoms = k[:, 0], k[:, 1], k[:, 2 : 2 + secrets], k[:, 2 + secrets : few]
        pairs = k[:, few : few + len(self._first)]
        here = dw[:, self._at]
        over = over + likely * self._expand(pairs @ self._below)
        under = under + likely * self._expand(pairs @ self._above)
        top = self._tied_top * (self._expand(dtops) - here)
        bottom = self._tied_bottom * (here - self._expand(dbottoms))
        # Two forces add up to the push on a or b; each is computed by itself.
        push = [
            self._weights[0] * (du[:, None] - dw),
            self._weights[1] * (dw - dv[:, None]),
            self._weights[2] * dv,
            self._weights[3] / self._over * over - top,
            self._top * over + top,
            self._weights[5] / self._under * under - bottom,
            self._bottom * under + bottom,
            pairs,
        ]
        slacks = [a / b for a, b in zip(push, self._weights, strict=True)]
        point = [dw, du, dv, dtops, dbottoms, slacks[3], slacks[5]]
        return Move(point, slacks, push, alpha, k[:, -1] if kept else 0.0 * unkept)

    def multipliers(
        self, forces: Arrays
    ) -> tuple[tuple[GroupMultipliers, ...], FloatArray, FloatArray]:
        """The multipliers of each slack."""
        peak, base, *_, promise = forces
        found, law, pair = [], 0, 0
        for secrets, pairs in self._sizes:
            unused = np.zeros((secrets, self.outs))
            laws = range(law, law + secrets)
            rows = promise.T[pair : pair + pairs]
            bottom, top = (self._whole(forces[each], laws) for each in (6, 4))
            found.append(GroupMultipliers(unused, unused, rows, bottom, top))
            law, pair = law + secrets, pair + pairs
        return tuple(found), peak.T, base.T

    def _whole(self, forces: FloatArray, laws: range) -> FloatArray:
        """The forces by law, cell and y."""
        found = np.zeros((len(laws), self.cells, self.outs))
        for row, i in zip(found, laws, strict=True):
            row[self._places[i]] = forces[:, self._parts[i]].T
        return found
