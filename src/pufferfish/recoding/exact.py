"""Exact bounds on the published law of a table of whole numbers, the one that is drawn from.

A recoding is one table over W = 2⁶²: value x is published as y with probability M(x,y)/W. For a law
P of the values, Q(y) = Σ_x P(x)·M(x,y)/W. If P may be wrong by η in total variation, Q(y) is
largest when η of its mass moves from the values with the smallest M(·,y) to one with the largest,
and smallest the other way round (docs/theory/recoding.md). All numbers are rational, and only e^ε
is rounded, downwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.recoding.cells import CellLaw, IntegerTable, Whole

__all__ = [
    "WHOLE",
    "Floor",
    "Published",
    "delta_of",
    "epsilon_of",
    "exp_lower",
    "exp_upper",
    "floor_of",
    "publish",
]

# The number that stands for probability 1 in a table.
WHOLE = 1 << 62


# (x, x', f): M(x,y) ≤ f·M(x',y) for each y, and the same with x and x' exchanged.
Floor = tuple[tuple[int, int, Fraction], ...]


def exp_lower(exponent: float | Fraction) -> Fraction:
    """A rational number that is not above e^exponent."""
    # Above e^700 a smaller number suffices: no table has probabilities with such a ratio.
    rounded = float(min(exponent, 700))
    if rounded > exponent:
        rounded = math.nextafter(rounded, -math.inf)
    # The system's exp is accurate to two units in its last place.
    found = math.nextafter(math.nextafter(math.exp(rounded), 0.0), 0.0)
    return Fraction(max(found, 1.0) if exponent >= 0 else found)


def exp_upper(exponent: float) -> Fraction:
    """A rational number that is not below e^exponent, for exponents of up to 700."""
    found = math.exp(exponent)
    return Fraction(math.nextafter(math.nextafter(found, math.inf), math.inf))


@dataclass(frozen=True, slots=True)
class Published:
    """The least and the largest probability of each published value over a set of laws."""

    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]


def publish(table: IntegerTable, law: CellLaw, wrong: Fraction = Fraction(0)) -> Published:
    """Bounds on Q(y) for every law within `wrong` of `law` in total variation; exact for counts."""
    whole: Whole = table.astype(object)
    low = law.low @ whole
    high = low if law.high is law.low else law.high @ whole
    if wrong == 0:
        scale = law.total * WHOLE
        return Published(
            tuple(Fraction(each, scale) for each in low),
            tuple(Fraction(each, scale) for each in high),
        )
    # In units of 1/(total·denominator), so that the moved mass is whole as well.
    parts, mass = wrong.denominator, wrong.numerator * law.total
    scale = law.total * WHOLE * parts
    room = law.high * parts
    if int(room.sum()) < WHOLE and mass < WHOLE:
        # Sums of these fit into 64 bits.
        room = room.astype(np.int64)
    rising = np.argsort(table, axis=0, kind="stable")
    least = mass * table.min(axis=0).astype(object) - _weigh(table, room, mass, rising[::-1])
    most = mass * table.max(axis=0).astype(object) - _weigh(table, room, mass, rising)
    return Published(
        tuple(Fraction(max(each, 0), scale) for each in low * parts + least),
        tuple(Fraction(each, scale) for each in high * parts + most),
    )


def _weigh(
    table: IntegerTable,
    room: npt.NDArray[np.int64] | Whole,
    mass: int,
    order: npt.NDArray[np.int64],
) -> Whole:
    """What each column loses if `mass` is taken from its cells in order, as far as they hold."""
    there: npt.NDArray[Any] = room[order]
    before = np.cumsum(there, axis=0) - there
    taken = np.minimum(np.maximum(mass - before, 0), there)
    # Most cells lose nothing, or hold nothing.
    columns, places = np.nonzero(((taken != 0) & (np.take_along_axis(table, order, axis=0) != 0)).T)
    gone: Whole = np.full(table.shape[1], 0, dtype=object)
    if columns.size:
        given = table[order[places, columns], columns].astype(object)
        given = given * taken[places, columns].astype(object)
        found, starts = np.unique(columns, return_index=True)
        gone[found] = np.add.reduceat(given, starts)
    return gone


def delta_of(first: Published, second: Published, epsilon: float) -> Fraction:
    """An upper bound on Σ_y [Q₁(y) − e^ε·Q₂(y)]₊."""
    factor = exp_lower(epsilon)
    return sum(
        (max(a - factor * b, Fraction(0)) for a, b in zip(first.upper, second.lower, strict=True)),
        Fraction(0),
    )


def epsilon_of(first: Published, second: Published) -> Fraction | None:
    """An upper bound on max_y Q₁(y)/Q₂(y); None if some y is published under the first law only."""
    largest = Fraction(1)
    for a, b in zip(first.upper, second.lower, strict=True):
        if a and not b:
            return None
        if a:
            largest = max(largest, a / b)
    return largest


def floor_of(table: IntegerTable, floor: Floor) -> bool:
    """Whether the table keeps a floor: each y distinguishes two values by at most their factor."""
    whole: Whole = table.astype(object)
    for x, other, factor in floor:
        up, down = factor.numerator, factor.denominator
        first, second = whole[x], whole[other]
        if (first * down > second * up).any() or (second * down > first * up).any():
            return False
    return True
