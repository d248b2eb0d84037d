"""How ε varies over many samples."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Spread"]


class Spread(NamedTuple):
    """ε over many samples.

    Attributes:
        median: The median.
        most: 95% of them are not above it.
        worst: The largest.
        held: The number of samples in which the promise was kept.
        samples: The number of samples.
    """

    median: float
    most: float
    worst: float
    held: int
    samples: int
