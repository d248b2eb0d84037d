"""Numbers in words: how many digits, and to which side they are rounded."""

from __future__ import annotations

import math

from pufferfish.core.numerics import round_up

__all__ = [
    "about",
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


def at_most(value: float, digits: int) -> str:
    """The value with `digits` significant digits, never less than it is."""
    return f"{round_up(value, digits):.{digits}g}"


def between(lower: float, upper: float) -> str:
    """An enclosure, with the digits that it determines, at most nine; ends rounded outwards."""
    if lower == upper:
        return f"{upper:g}"
    for digits in range(3, 10):
        low, high = f"{-round_up(-lower, digits):.{digits}g}", at_most(upper, digits)
        if float(high) - float(low) <= 2.0 * (upper - lower):
            break
    return f"between {low} and {high}"


def odds_factor(epsilon: float) -> str:
    """e^ε in digits, rounded up; as a power where it has too many digits."""
    return at_most(math.exp(epsilon), 4) if epsilon < _MOST_DIGITS else f"e^{epsilon:g}"


def percent(share: float, digits: int = 6) -> str:
    """A share in percent, with `digits` significant digits, and all digits before the point."""
    found = 100.0 * share
    return f"{found:.0f}%" if abs(found) >= 10.0**digits - 0.5 else f"{found:.{digits}g}%"


def percent_up(share: float) -> str:
    """A share in percent, rounded up to a tenth."""
    return f"{math.ceil(1000.0 * share) / 10.0:.1f}%"


def percent_down(share: float) -> str:
    """A share in percent, rounded down to a tenth."""
    return f"{math.floor(1000.0 * share) / 10.0:.1f}%"


def percent_of(part: int, whole: int) -> int:
    """A share in whole percent, rounded up."""
    return math.ceil(100 * part / whole) if whole else 0


def thousandths_up(share: float) -> str:
    """A share with three decimals, rounded up."""
    return f"{math.ceil(1000.0 * share) / 1000.0:.3f}"


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
