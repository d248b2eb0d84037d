"""Numbers in words: how many digits, and to which side they are rounded."""

from __future__ import annotations

import math
from decimal import Decimal

from pufferfish.core.numerics import decimal_of, decimal_up, round_down, round_up

__all__ = [
    "about",
    "at_least",
    "at_most",
    "between",
    "odds_factor",
    "percent",
    "percent_down",
    "percent_of",
    "percent_up",
    "readable",
    "thousandths_up",
    "times",
]

# Beyond this ε, e^ε has no digits that a double could hold.
_MOST_DIGITS = 700.0

_PARTS = {
    **{2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth"},
    **{7: "a seventh", 8: "an eighth", 9: "a ninth", 10: "a tenth"},
}


def readable(number: float, digits: int = 4) -> str:
    """The number with `digits` significant digits, and thousands separators, no exponent."""
    text = f"{number:.{digits}g}"
    long = abs(number) >= 1e4 or "e+" in text
    return f"{float(text):,.0f}" if long and abs(number) < 1e9 else text


def at_most(value: float, digits: int = 6) -> str:
    """The value with `digits` significant digits, never less than it is."""
    return f"{round_up(value, digits):.{digits}g}"


def at_least(value: float, digits: int = 6) -> str:
    """The value with `digits` significant digits, never more than it is."""
    return f"{round_down(value, digits):.{digits}g}"


def between(lower: float, upper: float) -> str:
    """An enclosure, with the digits that it determines, at most nine; ends rounded outwards."""
    if lower == upper:
        return at_most(upper, 9)
    for digits in range(3, 10):
        low, high = at_least(lower, digits), at_most(upper, digits)
        if float(high) - float(low) <= 2.0 * (upper - lower):
            break
    return f"between {low} and {high}"


def odds_factor(epsilon: float) -> str:
    """e^ε in digits, rounded up; as a power where it has too many digits."""
    return at_most(math.exp(epsilon), 4) if epsilon < _MOST_DIGITS else f"e^{at_most(epsilon)}"


def percent(share: float, digits: int = 6) -> str:
    """A share in percent, with `digits` significant digits, and all digits before the point.

    A share below one has the digits that tell it from one, except for an error of rounding.
    """
    found = 100.0 * share
    while 1e-9 < 1.0 - share <= 0.5 * 10.0**-digits:
        digits += 1
    return f"{found:.0f}%" if abs(found) >= 10.0**digits - 0.5 else f"{found:.{digits}g}%"


def percent_up(share: float, digits: int | None = None) -> str:
    """A share in percent, never less than it is: to a tenth, or to `digits` significant digits."""
    return _in_percent(decimal_up(decimal_of(share).scaleb(2), digits), digits)


def percent_down(share: float, digits: int | None = None) -> str:
    """A share in percent, never more than it is: to a tenth, or to `digits` significant digits."""
    return _in_percent(-decimal_up(-decimal_of(share).scaleb(2), digits), digits)


def _in_percent(found: Decimal, digits: int | None) -> str:
    return f"{found:.1f}%" if digits is None else f"{found.normalize():f}%"


def percent_of(part: int, whole: int) -> int:
    """A share in whole percent, rounded up."""
    return -(-100 * part // whole) if whole else 0


def thousandths_up(share: float) -> str:
    """A share with three decimals, rounded up."""
    return f"{decimal_up(decimal_of(share), unit=Decimal('0.001')):.3f}"


def times(ratio: float) -> str:
    """A ratio, as in "2.5 times"."""
    return f"{ratio:.2g} times"


def about(share: float) -> str:
    """A share as a simple fraction, as in "about a third"."""
    if share == 0.0:
        return "none at all"
    if share > 0.57:
        return "about two thirds" if share > 0.62 else "about 60%"
    whole = round(1.0 / share)
    return f"about {_PARTS.get(whole, f'1/{whole}')}"
