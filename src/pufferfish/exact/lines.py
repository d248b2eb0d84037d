"""Bounds on a function over a cell from its end values and an interval for its slope."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray

__all__ = ["Interval", "between_lines"]


class Interval(NamedTuple):
    """Lower and upper bounds, elementwise."""

    lower: FloatArray
    upper: FloatArray


def between_lines(
    left: FloatArray, right: FloatArray, slope: Interval, width: FloatArray
) -> Interval:
    """Bounds on a function with these end values whose slope stays in the interval.

    Above it lie left + S·x and right − s·(width − x); they meet at (rise − s·width)/(S − s).
    Below it lie the same lines with s and S exchanged.
    """
    rise = right - left
    spread = slope.upper - slope.lower
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        high = np.clip((rise - slope.lower * width) / spread, 0.0, width)
        low = np.clip((slope.upper * width - rise) / spread, 0.0, width)
    # A spread of zero (or lost to rounding) leaves a straight line, which its ends bound.
    high = np.where(spread > 0, high, 0.0)
    low = np.where(spread > 0, low, 0.0)
    return Interval(
        np.minimum(np.minimum(left, right), left + slope.lower * low),
        np.maximum(np.maximum(left, right), left + slope.upper * high),
    )
