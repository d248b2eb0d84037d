"""What a table of whole numbers publishes: exact bounds, for what will be drawn.

A recoding is one table over W = 2⁶²: value x is published as y with probability M(x,y)/W. For a law
P of the values, Q(y) = Σ_x P(x)·M(x,y)/W. If P may be wrong by η in total variation, Q(y) is
largest when η of its mass moves from the values with the smallest M(·,y) to one with the largest,
and smallest the other way round (docs/theory/recoding.md). All of it is rational: nothing here is
rounded, but e^ε, which is rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

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

# What stands for probability 1 in a table.
WHOLE = 1 << 62


# (x, x', f): M(x,y) ≤ f·M(x',y) for each y, and the same with x and x' exchanged.
Floor = tuple[tuple[int, int, Fraction], ...]


def exp_lower(exponent: float | Fraction) -> Fraction:
    """A rational number that is not above e^exponent."""
    # Beyond e^700 less will do, for no table tells probabilities that far apart.
    rounded = float(min(exponent, 700))
    if rounded > exponent:
        rounded = math.nextafter(rounded, -math.inf)
    # The system's exp is right to within two units of its last digit.
    found = math.nextafter(math.nextafter(math.exp(rounded), 0.0), 0.0)
    return Fraction(max(found, 1.0) if exponent >= 0 else found)


def exp_upper(exponent: float) -> Fraction:
    """A rational number that is not below e^exponent, for exponents of up to 700."""
    found = math.exp(exponent)
    return Fraction(math.nextafter(math.nextafter(found, math.inf), math.inf))


@dataclass(frozen=True, slots=True)
class Published:
    """Of each published value, its least and its largest probability over a set of laws."""

    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]


def publish(table: IntegerTable, law: CellLaw, wrong: Fraction = Fraction(0)) -> Published:
    """Bounds on Q(y) for every law within `wrong` of `law` in total variation; exact for counts."""
    whole: Whole = table.astype(object)
    low, high = law.low @ whole, law.high @ whole
    if wrong == 0:
        scale = law.total * WHOLE
        return Published(
            tuple(Fraction(each, scale) for each in low),
            tuple(Fraction(each, scale) for each in high),
        )
    # In units of 1/(total·denominator), so that the moved mass is whole as well.
    parts, mass = wrong.denominator, wrong.numerator * law.total
    scale = law.total * WHOLE * parts
    room = [int(each) * parts for each in law.high]
    lower, upper = [], []
    for y in range(table.shape[1]):
        column = [int(each) for each in table[:, y]]
        rising = sorted(range(len(column)), key=column.__getitem__)
        least = mass * column[rising[0]] - _weigh(column, room, mass, reversed(rising))
        most = mass * column[rising[-1]] - _weigh(column, room, mass, rising)
        lower.append(Fraction(max(int(low[y]) * parts + least, 0), scale))
        upper.append(Fraction(int(high[y]) * parts + most, scale))
    return Published(tuple(lower), tuple(upper))


def _weigh(column: Sequence[int], room: Sequence[int], mass: int, order: Iterable[int]) -> int:
    """What leaves a column if `mass` is taken from its cells in this order, as far as they go."""
    gone = 0
    for x in order:
        taken = min(room[x], mass)
        gone += taken * column[x]
        mass -= taken
        if mass == 0:
            break
    return gone


def delta_of(first: Published, second: Published, epsilon: float) -> Fraction:
    """At least Σ_y [Q₁(y) − e^ε·Q₂(y)]₊."""
    factor = exp_lower(epsilon)
    return sum(
        (max(a - factor * b, Fraction(0)) for a, b in zip(first.upper, second.lower, strict=True)),
        Fraction(0),
    )


def epsilon_of(first: Published, second: Published) -> Fraction | None:
    """max_y Q₁(y)/Q₂(y), at least; None where something is published under the first law only."""
    largest = Fraction(1)
    for a, b in zip(first.upper, second.lower, strict=True):
        if a and not b:
            return None
        if a:
            largest = max(largest, a / b)
    return largest


def floor_of(table: IntegerTable, floor: Floor) -> bool:
    """Whether no two values of a floor are told apart by more than their factor, for any y."""
    whole: Whole = table.astype(object)
    for x, other, factor in floor:
        up, down = factor.numerator, factor.denominator
        first, second = whole[x], whole[other]
        if (first * down > second * up).any() or (second * down > first * up).any():
            return False
    return True
