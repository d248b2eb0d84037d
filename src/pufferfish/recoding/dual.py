"""A lower bound on the loss of every map that keeps a duty, in whole numbers, from multipliers.

Let D(x,y) be the cost plus rows that every such map keeps, each times a multiplier ≥ 0. With
Σ_y T(k,y) = 1 and M = K·T,

    Σ cost·M ≥ Σ_k min_y (Kᵀ·D)(k,y) − δ·Σ_ij max_y λ_ij(y) − Σ_y ν(y)·π(y),

whatever the multipliers are (weak duality). The rows are

    Σ_i a_i(y)·P_i⁺·M(·,y) ≤ Σ_j b_j(y)·P_j⁻·M(·,y) + Σ_ij λ_ij(y)·t_ij(y)

for any laws P⁺ and P⁻ within η of the believed ones. Each ordered pair gives such a row with
a_i = λ and b_j = e^ε·λ. If all pairs are protected, δ = 0 and η = 0, a and b are free as long as
Σ_j b_j ≥ e^ε·Σ_i a_i: the row is then a mixture of those of the pairs, and of Q ≤ e^ε·Q. Rows of
the floor, φ·(M(x,y) − f·M(x',y)) ≤ 0, and ν(y)·(Σ_x π(x)·M(x,y) − π(y)) = 0 of a histogram follow.

Everything is rounded so that the bound can only fall: laws and e^ε away from each other, the cost
down. So it holds for the promise itself. The duty is taken as `exact` judges it: for δ > 0 with the
worst law for each y.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.cells import CellLaw, Whole
from pufferfish.recoding.exact import Floor, exp_upper
from pufferfish.recoding.program import GroupMultipliers, Multipliers, Pairs, ordered
from pufferfish.recoding.table import Duty

__all__ = ["lower_bound"]

Counts = npt.NDArray[np.int64]

# Probabilities, and multipliers for a largest cost of about 1, are multiples of 2 to minus these.
_PROBABILITY, _MULTIPLIER = 62, 60
# The factors of a floor were rounded down by less than this.
_LOOSER = 1 + Fraction(1, 1 << 40)
# With a factor above e^700 the rows of a promise are left out.
_LARGEST_EPSILON = 700.0


def lower_bound(
    duty: Duty,
    cost: FloatArray,
    multipliers: Multipliers,
    *,
    near: FloatArray,
    kernel: FloatArray | None = None,
    histogram: tuple[FloatArray, FloatArray] | None = None,
    floor: Floor = (),
) -> float:
    """A lower bound on the loss of maps that keep the duty; with a kernel, of maps M = K·T.

    Args:
        duty: The duty that is kept.
        cost: The cost of each cell and output.
        multipliers: The multipliers of a program for this duty. Any give a bound; those of its
            solution give a good one.
        near: M of that solution, which shows what mass a wrong law moves first.
        kernel: K; None if M is free.
        histogram: The frequencies of cells and of outputs.
        floor: The rows of the floor to which the multipliers belong, each in one order.
    """
    scale = 2.0 ** math.frexp(float(np.abs(cost).max()))[1]
    total = _floor(cost / scale, _MULTIPLIER) << _PROBABILITY
    spent = Fraction(0)
    if duty.goal.epsilon <= _LARGEST_EPSILON:
        factor = exp_upper(duty.goal.epsilon)
        for laws, pairs, found in zip(duty.laws, duty.pairs, multipliers.groups, strict=True):
            above, below, most = _weights(found, len(laws), pairs, factor, scale)
            far = _Far(duty.wrong, multipliers, found, near) if duty.wrong else None
            for i, law in enumerate(laws):
                upper, lower = far.laws(i, law) if far else _ends(law)
                total = total + upper * above[i] - lower * below[i]
            spent += Fraction(duty.goal.delta) * most
    for (x, other, factor), row in zip(floor, multipliers.floor, strict=True):
        charged = _whole(row / scale) << _PROBABILITY
        total[x] = total[x] + charged
        total[other] = total[other] - _times(charged, factor * _LOOSER)
    if histogram is not None:
        given, wanted = histogram
        signed = _whole(multipliers.histogram / scale)
        shares = _floor(given, _PROBABILITY)[:, None]
        # A share lies between this and the next whole number: the smaller product counts.
        total = total + np.minimum(shares * signed, (shares + 1) * signed)
        spent += sum(
            (int(a) * Fraction(float(b)) for a, b in zip(signed, wanted, strict=True)), Fraction(0)
        )
    parts = _PROBABILITY
    if kernel is not None:
        total = _floor(kernel, _PROBABILITY).T @ total - np.maximum(-total, 0).sum(axis=0)
        parts += _PROBABILITY
    least = Fraction(int(total.min(axis=1).sum()), 1 << parts) - spent
    return _down(least * Fraction(scale) / (1 << _MULTIPLIER))


def _floor(values: FloatArray, bits: int) -> Whole:
    """Whole multiples of 2^−bits, rounded down, for values within ±1."""
    # A product with a power of two is exact.
    whole: Whole = np.floor(values * 2.0**bits).astype(np.int64).astype(object)
    return whole


def _whole(values: FloatArray) -> Whole:
    """Approximate multipliers as whole numbers: any are valid."""
    scaled = np.ldexp(values, _MULTIPLIER)
    return np.array([int(each) for each in scaled.ravel()], dtype=object).reshape(values.shape)


def _times(values: Whole, factor: Fraction) -> Whole:
    """Values times a factor, rounded up."""
    found: Whole = -(-values * factor.numerator // factor.denominator)
    return found


def _down(value: Fraction) -> float:
    """The largest double that is not above a value."""
    found = float(value)
    return found if Fraction(found) <= value else math.nextafter(found, -math.inf)


def _weights(
    found: GroupMultipliers, secrets: int, pairs: Pairs, factor: Fraction, scale: float
) -> tuple[Whole, Whole, int]:
    """a and b of each secret and y, and Σ_ij max_y λ_ij(y)."""
    if found.pairs is None:
        above, below = _whole(found.above / scale), _whole(found.below / scale)
        asked, given = _times(above.sum(axis=0), factor), below.sum(axis=0)
        # Weights above that have no counterpart below are dropped.
        above = np.where(given > 0, above, 0)
        return above, -(-below * asked // np.maximum(given, 1)), 0
    charged = _whole(found.pairs / scale)
    above = np.zeros((secrets, charged.shape[1]), dtype=object)
    below = above.copy()
    for (i, j), row in zip(ordered(pairs), charged, strict=True):
        above[i] = above[i] + row
        below[j] = below[j] + row
    most = sum(int(row.max()) for row in charged)
    return above, _times(below, factor), most


def _ends(law: CellLaw) -> tuple[Whole, Whole]:
    """Columns of lower and of upper ends, as multiples of 2^−62."""
    low = (law.low << _PROBABILITY) // law.total
    high = -(-(law.high << _PROBABILITY) // law.total)
    return low[:, None], high[:, None]


class _Far:
    """Laws that move mass as the multipliers suggest, by η at most."""

    def __init__(
        self,
        wrong: Fraction,
        multipliers: Multipliers,
        found: GroupMultipliers,
        near: FloatArray,
    ) -> None:
        self._mass = int(wrong * (1 << _PROBABILITY))
        self._found = found
        self._peak, self._base = multipliers.peak, multipliers.base
        self._rising = np.argsort(near, axis=0, kind="stable")

    def laws(self, i: int, law: CellLaw) -> tuple[Whole, Whole]:
        """P⁺ from below and P⁻ from above, for each cell and y."""
        low, high = _ends(law)
        room = low.astype(np.int64)
        upper = self._moved(room, self._found.bottom[i], self._peak, self._rising)
        lower = self._moved(room, self._found.top[i], self._base, self._rising[::-1])
        return low + upper.astype(object), high + lower.astype(object)

    def _moved(self, room: Counts, source: FloatArray, target: FloatArray, order: Counts) -> Counts:
        """The gain of each cell if η of mass moves, for each y.

        It comes from cells in proportion to `source`, as far as there is room, and then in order;
        it goes to cells in proportion to `target`, or to the last in order. The total room is at
        most 2⁶², so that no sum exceeds 64 bits.
        """
        taken = np.minimum(_shares(source, np.full(source.shape[1], self._mass)), room)
        spare = np.take_along_axis(room - taken, order, axis=0)
        before = np.cumsum(spare, axis=0) - spare
        more = np.clip(self._mass - taken.sum(axis=0) - before, 0, spare)
        np.put_along_axis(taken, order, np.take_along_axis(taken, order, axis=0) + more, axis=0)
        mass = taken.sum(axis=0)
        given = _shares(target, mass)
        given[order[-1], np.arange(mass.size)] += mass - given.sum(axis=0)
        found: Counts = given - taken
        return found


def _shares(weights: FloatArray, mass: Counts) -> Counts:
    """Whole parts of each mass in proportion to positive weights; their sum is at most the mass."""
    positive = np.maximum(weights, 0.0)
    largest = positive.max(axis=0)
    positive = positive / np.where(largest > 0.0, largest, 1.0)
    total = positive.sum(axis=0)
    shares = positive / np.where(total > 0.0, total, 1.0)
    # Rounding adds far less than this leaves out.
    return np.floor(shares * (mass * (1.0 - 2.0**-40))).astype(np.int64)
