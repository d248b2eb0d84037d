"""An independent judge of a table: fractions and decimals, none of the library's arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

Row = list[Fraction]


def exp_fraction(exponent: float) -> Fraction:
    """e^exponent to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(exponent).exp())


def largest(law: Row, column: Row, wrong: Fraction) -> Fraction:
    """max Σ P(x)·w(x) over laws within `wrong`, by moving mass bit by bit to the best cell."""
    mass, rest = sum(p * w for p, w in zip(law, column, strict=True)), wrong
    for weight, p in sorted(zip(column, law, strict=True)):
        part = min(p, rest)
        mass += part * (max(column) - weight)
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
