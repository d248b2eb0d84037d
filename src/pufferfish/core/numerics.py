"""Small numerical helpers that several layers share."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray

__all__ = [
    "FAINTEST",
    "UNIT",
    "decimal_of",
    "decimal_up",
    "difference_upper",
    "distance_upper",
    "float_upper",
    "log_sum_exp",
    "off_step",
    "reciprocal_down",
    "round_down",
    "round_up",
]

# Unit roundoff of a double: the relative error of one rounding.
UNIT = 2.0**-53
# A double cannot hold the digits of a normal tail beyond 37 stds; this is larger.
FAINTEST = 1e-300


def log_sum_exp(x: FloatArray) -> FloatArray:
    """log Σ e^x over the first axis, −∞ where every term is −∞.

    SciPy's general version spends twenty times as long on its checks as small arrays need.
    """
    top = np.maximum(x.max(axis=0), -1e300)
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(np.exp(x - top).sum(axis=0)))


def difference_upper(a: FloatArray, b: FloatArray) -> FloatArray:
    """The smallest float that is at least a − b; exact differences stay as they are."""
    difference = np.asarray(a - b)
    with np.errstate(invalid="ignore"):
        # What the subtraction rounded off (Knuth's two-sum); nan if a term is infinite.
        moved = difference - a
        error = (a - (difference - moved)) - (b + moved)
    return np.where(error > 0.0, np.nextafter(difference, np.inf), difference)


def distance_upper(a: FloatArray, b: FloatArray) -> FloatArray:
    """The smallest float that is at least |a − b|."""
    return np.maximum(difference_upper(a, b), difference_upper(b, a))


def decimal_of(number: float) -> Decimal:
    """The number as it is typed: the shortest decimal that means it, so 0.95 has two digits."""
    return Decimal(repr(float(number)))


def decimal_up(
    number: Decimal, digits: int | None = None, unit: Decimal = Decimal("0.1")
) -> Decimal:
    """The least multiple of a unit that is at least the number: no number is ever understated.

    Every number of a promise is rounded by this function, to the side on which the promise is
    weaker: ε, δ, guesses, what is revealed and floors up; confidence and `wrong` down, as the
    negative of their negative rounded up. What needs no rounding stays as it is typed.

    Args:
        number: What is rounded.
        digits: Significant digits; they decide the unit.
        unit: Used if no digits are given.
    """
    if not number.is_finite():
        return number
    step = unit if digits is None else Decimal(10) ** (number.adjusted() - digits + 1)
    return (number / step).to_integral_value(ROUND_CEILING) * step


def round_up(number: float, digits: int) -> float:
    """The least number with `digits` significant digits that is at least `number`; inf stays."""
    return float(decimal_up(decimal_of(number), digits))


def round_down(number: float, digits: int) -> float:
    """The largest number with `digits` significant digits that is at most `number`; inf stays."""
    return -round_up(-number, digits)


def off_step(values: FloatArray, step: float) -> npt.NDArray[np.bool_]:
    """Which values are not multiples of a step, up to the rounding that 3·0.1 differs from 0.3."""
    nearest = np.rint(values / step) * step
    return np.asarray(np.abs(values - nearest) > 4.0 * UNIT * np.abs(values))


def float_upper(number: Fraction) -> float:
    """The smallest float that is at least a number."""
    nearest = float(number) if number < 10**300 else math.inf
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def reciprocal_down(number: float) -> float:
    """The largest float that is at most 1/number, for a positive number."""
    nearest = 1.0 / number
    return nearest if Fraction(nearest) * Fraction(number) <= 1 else math.nextafter(nearest, 0.0)
