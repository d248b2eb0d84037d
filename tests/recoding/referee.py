"""An independent judge of a table: fractions and decimals, none of the library's arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations
from math import inf

Row = list[Fraction]


def exp_fraction(exponent: float) -> Fraction:
    """e^exponent to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(exponent).exp())


def largest(law: Row, column: Row, wrong: Fraction) -> Fraction:
    """max Σ P(x)·w(x) over laws within `wrong`, by moving mass bit by bit to the best cell."""
    mass = sum((p * w for p, w in zip(law, column, strict=True) if p and w), Fraction(0))
    rest, best = wrong, max(column)
    for weight, p in sorted(zip(column, law, strict=True)):
        if not rest:
            break
        part = min(p, rest)
        mass += part * (best - weight)
        rest -= part
    return mass


def least(law: Row, column: Row, wrong: Fraction) -> Fraction:
    """The same for the minimum."""
    return -largest(law, [-w for w in column], wrong)


def spent(
    table: list[Row], laws: list[Row], epsilon: float, wrong: Fraction = Fraction(0)
) -> Fraction:
    """The largest Σ_y [Q_i(y) − e^ε·Q_j(y)]₊ over ordered pairs of laws."""
    columns = [list(column) for column in zip(*table, strict=True)]
    high = [[largest(law, column, wrong) for column in columns] for law in laws]
    low = [[least(law, column, wrong) for column in columns] for law in laws]
    factor = exp_fraction(epsilon)
    return max(
        sum(max(a - factor * b, Fraction(0)) for a, b in zip(high[i], low[j], strict=True))
        for i, j in permutations(range(len(laws)), 2)
    )


def floor_broken(table: list[Row], distances: list[list[float]], kappa: float) -> bool:
    """Whether some M(x,y) is above e^{κ·d(x,x')}·M(x',y), over every two values."""
    for x, x_ in permutations(range(len(table)), 2):
        if distances[x][x_] == inf:
            continue
        with localcontext() as context:
            context.prec = 60
            factor = Fraction((Decimal(kappa) * Decimal(distances[x][x_])).exp())
        if any(a > factor * b for a, b in zip(table[x], table[x_], strict=True)):
            return True
    return False


def extreme_laws(law: Row, wrong: Fraction) -> list[Row]:
    """The corners of the laws within `wrong`: mass leaves in some order, and goes to one cell."""
    found = []
    for order in permutations(range(len(law))):
        rest, moved = wrong, list(law)
        for x in order:
            part = min(law[x], rest)
            moved[x] -= part
            rest -= part
        for x in range(len(law)):
            found.append([p + (wrong - rest) * (z == x) for z, p in enumerate(moved)])
    return found
