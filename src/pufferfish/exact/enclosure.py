"""A number known from both sides."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Enclosure"]


class Enclosure(NamedTuple):
    """`lower` ≤ the true value ≤ `upper`."""

    lower: float
    upper: float

    def capped(self, cap: float) -> Enclosure:
        """The same value, also known not to exceed `cap`."""
        return Enclosure(min(self.lower, cap), min(self.upper, cap))

    @property
    def width(self) -> float:
        """The distance between the two bounds."""
        return self.upper - self.lower if self.upper > self.lower else 0.0
