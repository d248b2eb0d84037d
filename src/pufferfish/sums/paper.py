"""The paper's scales for sums: `cor-1a`, `cor-1a-identical` and `cor-1b`, for users in kinds."""

from __future__ import annotations

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray
from pufferfish.sums.secret import Protected
from pufferfish.sums.users import Users
from pufferfish.theorems import Tau, cor_1a, cor_1a_identical, cor_1b

__all__ = ["PAPER_SUMS", "limit_scale", "paper_scales"]

PAPER_SUMS = ("cor-1a", "cor-1a-identical", "cor-1b")


def paper_scales(
    method: str, users: Users, protected: Protected, goal: Guarantee, form: Tau = "exact"
) -> FloatArray:
    """The least scale that a corollary gives for one user of each kind.

    Raises:
        UnsupportedError: The corollary is about another secret, or other users.
    """
    wanted = "value" if method == "cor-1b" else "presence"
    if protected.what != wanted:
        raise UnsupportedError(f"{method} is about a user's {wanted}, not about {protected.what}.")
    if method == "cor-1b":
        gaps = protected.gaps(users)
        return np.array([cor_1b.scale(gap, 0.0, goal) for gap in np.unique(gaps)])[
            np.unique(gaps, return_inverse=True)[1]
        ]
    if method == "cor-1a-identical":
        if users.kinds > 1:
            raise UnsupportedError(f"{method} is about users who are all alike; use cor-1a.")
        mean, std = float(users.means[0]), float(users.stds[0])
        return np.array([cor_1a_identical.scale(users.size, mean, std, goal, form)])
    if users.kinds == users.size:
        return cor_1a.scales(users.means, users.stds, goal, form)
    # One user of each kind, and all others as one further user: V and V − σ_k² do not change.
    others = float((users.variances * (users.counts - 1)).sum())
    means, stds = np.append(users.means, 0.0), np.append(users.stds, np.sqrt(others))
    return cor_1a.scales(means, stds, goal, form)[:-1]


def limit_scale(users: Users, goal: Guarantee) -> float:
    """max|μ_k|/ε: what `cor-1a` tends to as more such users join, for a fixed δ > 0."""
    return float(np.abs(users.means).max()) / goal.epsilon
