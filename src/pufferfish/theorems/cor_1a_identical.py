"""`cor-1a-identical`: Corollary 1(a) of the paper where all K users are alike.

    b ≥ ( |μ| + (√K − √(K−1))·σ·τ(δ) ) / ε

for K independent users of mean μ and std σ each, τ as in `theorems.tau`, under the belief that
their sum is Gaussian: docs/theory/cor-1a-identical.md. Fig. 2 of the paper shows it.
"""

from __future__ import annotations

import math

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import finite, nonnegative, require
from pufferfish.theorems.tau_of_delta import Tau, tau

__all__ = ["scale"]


def scale(users: int, mean: float, std: float, goal: Guarantee, form: Tau = "exact") -> float:
    """The least b that the corollary gives for K users of this mean and std."""
    require(
        isinstance(users, int) and not isinstance(users, bool) and 1 <= users <= 10**18,
        f"users must be a whole number from 1 to 10^18, got {users!r}.",
    )
    centre, spread = abs(finite("mean", mean)), nonnegative("std", std)
    if spread == 0.0:
        return centre / goal.epsilon
    if goal.pure:
        raise UnsupportedError(
            "cor-1a-identical covers δ = 0 only at std 0 (τ(0) is infinite); the method exact "
            "covers it."
        )
    # √K − √(K−1), without cancellation.
    narrowing = spread / (math.sqrt(users) + math.sqrt(users - 1))
    return (centre + tau(goal.delta, form) * narrowing) / goal.epsilon
