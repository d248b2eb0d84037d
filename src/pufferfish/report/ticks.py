"""Axes: their range, the numbers on them, and how these are written."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.words.numbers import readable

__all__ = ["Axis", "Tick", "linear_axis", "log_axis", "number", "number_axis"]

# Steps between ticks are 1, 2 or 5 times a power of ten. With this many steps at most, there are 3
# to 9 ticks: the next finer step, at least 1/2.5 of this one, gives too many.
_MOST_STEPS = 8
# A range that is narrower, as a share of its largest number, is widened: its labels would be too
# long to read, and its ticks closer together than floats are.
_NARROWEST = 1e-8
# Labels are powers of ten where the largest is outside this range.
_PLAIN = (1e-3, 1e9)


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis, as it is written there."""

    value: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A range of numbers; `low` may be the larger, and is at the left or at the bottom."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    label: str = ""
    logarithmic: bool = False

    def fractions(self, values: FloatArray) -> FloatArray:
        """Places on the axis: 0 at `low`, 1 at `high`; not finite for numbers without a place."""
        low, high = self.low, self.high
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.logarithmic:
                low, high, values = math.log(low), math.log(high), np.log(values)
            return np.asarray((values - low) / (high - low))


def linear_axis(low: float, high: float, label: str = "", *, percent: bool = False) -> Axis:
    """An axis with evenly spaced numbers and 3 to 9 ticks; a range without width is widened."""
    low, high = _widen(low, high)
    ticks = (
        tuple(Tick(each.value / 100.0, f"{each.label}%") for each in _ticks(100 * low, 100 * high))
        if percent
        else _ticks(low, high)
    )
    return Axis(low=low, high=high, ticks=ticks, label=label)


def log_axis(low: float, high: float, label: str = "") -> Axis:
    """A logarithmic axis between two positive numbers, with a tick per decade if these suffice."""
    if not low < high:
        high = 10.0 * low
    ticks = tuple(Tick(each, number(each)) for each in _decades(low, high))
    return Axis(
        low=low,
        high=high,
        ticks=ticks if len(ticks) >= 3 else _ticks(low, high),
        label=label,
        logarithmic=True,
    )


def number_axis(count: int, step: int, label: str) -> Axis:
    """An axis of the numbers 1, 2, ..."""
    ticks = tuple(Tick(float(each), str(each)) for each in range(1, count + 1, step))
    return Axis(low=0.5, high=count + 0.5, ticks=ticks, label=label)


def number(value: float, digits: int = 3) -> str:
    """A number in a picture."""
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    return _dress(readable(value, digits))


def _dress(text: str) -> str:
    """The number with a true minus and a short exponent: 2e-06 becomes 2e−6."""
    return re.sub(r"e\+?(-?)0*(?=\d)", r"e\1", text).replace("-", "−")


def _widen(low: float, high: float) -> tuple[float, float]:
    if not (math.isfinite(low) and math.isfinite(high)) or low == high == 0.0:
        return 0.0, 1.0
    if low == high:
        return low - 0.5 * abs(low), high + 0.5 * abs(high)
    short = _NARROWEST * max(abs(low), abs(high)) - (high - low)
    return (low - short, high + short) if short > 0.0 else (low, high)


def _ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Multiples of the least of 1, 2, 5, 10, ... that divides the range into at most 8 steps."""
    exponent = math.floor(math.log10((high - low) / _MOST_STEPS))
    factor, exponent, step = next(
        (factor, power, step)
        for power in (exponent, exponent + 1)
        for factor in (1, 2, 5)
        if high - low <= _MOST_STEPS * (step := float(f"{factor}e{power}"))
    )
    # Read as decimals: a multiple of a step that is not a float could be just beyond an end.
    multiples = range(math.floor(low / step), math.ceil(high / step) + 1)
    values = [float(f"{factor * each}e{exponent}") for each in multiples]
    values = [each for each in values if low <= each <= high]
    largest = max(abs(each) for each in values)
    return tuple(Tick(each, _label(each, largest, exponent)) for each in values)


def _label(value: float, largest: float, exponent: int) -> str:
    """The label of a number, written in the same way as the largest of the axis."""
    if value == 0.0:
        return "0"
    if not _PLAIN[0] <= largest < _PLAIN[1]:
        digits = max(math.floor(math.log10(abs(value))) - exponent, 0)
        mantissa, power = f"{value:.{digits}e}".split("e")
        return _dress(f"{mantissa.rstrip('0').rstrip('.') if digits else mantissa}e{power}")
    comma = "," if largest >= 1e4 else ""
    return _dress(f"{value:{comma}.{max(-exponent, 0)}f}")


def _decades(low: float, high: float) -> list[float]:
    """Powers of ten, thinned where they are many; with 2 and 5 between them where they are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inside = [each for each in powers if low <= float(f"1e{each}") <= high]
    if len(inside) >= 3:
        stride = -(-len(inside) // (_MOST_STEPS + 1))
        return [float(f"1e{each}") for each in inside if each % stride == 0]
    between = (float(f"{factor}e{each}") for each in powers for factor in (1, 2, 5))
    return [each for each in between if low <= each <= high]
