"""The public ladder: a size that depends on private data is published as one of its rungs.

The least noise is a function of the whole table, and one person can change it. So the size that is
used, and published, is the next rung above it: ten to a decade, each about 1.26 times the one
before, each a short number. Rungs do not depend on any data. What a rung costs, and what it
reveals to whom: docs/theory/published-size.md.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pufferfish.core.validation import positive

__all__ = ["ROUNDINGS", "RUNGS", "Rounding", "rung_up"]

# How the published size of the noise was found: as a rung, or as given by the curator, who chose it
# without the data.
Rounding = Literal["ladder", "given"]
ROUNDINGS: tuple[Rounding, ...] = ("ladder", "given")

# From 1 to 10; the preferred numbers R10 of ISO 3, with two or three digits each.
RUNGS = ("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8", "10")


def rung_up(number: float) -> float:
    """The least rung that is at least the number."""
    given = positive("a number on the ladder", number)
    decade = Decimal(given).adjusted()
    return next(rung for each in RUNGS if (rung := float(f"{each}e{decade}")) >= given)
