"""`cor-1a`, Corollary 1(a) of the paper: a sum over K independent users hides who is in it.

User k adds Z_k with mean μ_k and std σ_k; the belief is that the sum is Gaussian. Laplace noise of
scale

    b ≥ max_k ( |μ_k| + τ(δ)·Δσ_k ) / ε,   Δσ_k = √V − √(V − σ_k²),   V = Σ σ²

makes the presence of each user (ε,δ)-indistinguishable from their absence. It is `thm-1` for
N(M, V) and N(M − μ_k, V − σ_k²), so it holds if the belief does: docs/theory/cor-1a.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, finite_array, require
from pufferfish.theorems.tau_of_delta import Tau, tau

__all__ = ["scale", "scales"]


def scales(
    means: npt.ArrayLike, stds: npt.ArrayLike, goal: Guarantee, form: Tau = "exact"
) -> FloatArray:
    """The least b that the corollary gives for each user."""
    centres, spreads = finite_array("means", means), finite_array("stds", stds)
    require(
        centres.size == spreads.size,
        f"means and stds must have one entry per user, got {centres.size} and {spreads.size}.",
    )
    require(bool((spreads >= 0.0).all()), "stds must not be negative.")
    shares = spreads**2
    # V − σ_k² is a sum over the others, and the difference of two roots is σ²/(√V + √(V − σ²)), so
    # that no digits are lost, whether one user dominates or each is one of many.
    before = np.concatenate([[0.0], np.cumsum(shares)[:-1]])
    after = np.concatenate([np.cumsum(shares[::-1])[-2::-1], [0.0]])
    roots = np.sqrt(shares.sum()) + np.sqrt(before + after)
    narrowing = np.divide(shares, roots, out=np.zeros_like(shares), where=roots > 0.0)
    if not spreads.any():
        return np.abs(centres) / goal.epsilon
    if goal.pure:
        raise UnsupportedError(
            "cor-1a covers δ = 0 only where no user's value is random (τ(0) is infinite); the "
            "method exact covers it."
        )
    return np.asarray((np.abs(centres) + tau(goal.delta, form) * narrowing) / goal.epsilon)


def scale(means: npt.ArrayLike, stds: npt.ArrayLike, goal: Guarantee, form: Tau = "exact") -> float:
    """The least b that the corollary gives for all users together."""
    return float(scales(means, stds, goal, form).max())
