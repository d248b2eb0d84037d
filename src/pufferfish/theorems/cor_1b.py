"""`cor-1b`, Corollary 1(b) of the paper: a sum over users, and which value one of them reported.

Given that user k reported a, or a', the sum has the same law up to a shift, so by `remark-1`

    b ≥ |a − a'| / ε

gives pure ε for any laws of the other users: docs/theory/cor-1b.md.
"""

from __future__ import annotations

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.validation import finite

__all__ = ["scale"]


def scale(value: float, other: float, goal: Guarantee) -> float:
    """The least b that the corollary gives for two values that one user may report."""
    return abs(finite("value", value) - finite("other", other)) / goal.epsilon
