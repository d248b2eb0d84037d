"""`thm-1`, Theorem 1 of the paper: Gaussian priors.

X|s_i ~ N(μ_i, σ_i²) and X|s_j ~ N(μ_j, σ_j²), Laplace noise of scale

    b ≥ ( |μ_i − μ_j| + τ(δ)·|σ_i − σ_j| ) / ε

for every belief and pair: then Y is (ε,δ)-indistinguishable. True. τ(δ) is the number of stds
within which a normal variable stays, except with probability δ (`theorems.tau_of_delta`); at δ = 0
it is infinite, and only equal stds are covered. Proof and sharper forms: docs/theory/thm-1.md.
"""

from __future__ import annotations

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Prior
from pufferfish.core.errors import UnsupportedError
from pufferfish.theorems.assumptions import gaussian
from pufferfish.theorems.tau_of_delta import Tau, tau

__all__ = ["scale"]


def scale(first: Prior, second: Prior, goal: Guarantee, form: Tau = "exact") -> float:
    """The least b that the theorem gives for one pair."""
    p, q = gaussian("thm-1", first), gaussian("thm-1", second)
    gap, widening = abs(p.mean - q.mean), abs(p.std - q.std)
    if widening == 0.0:
        return gap / goal.epsilon
    if goal.pure:
        raise UnsupportedError(
            "thm-1 covers δ = 0 only where the two Gaussians have equal stds (τ(0) is infinite); "
            "the method exact gives pure ε for unequal stds too."
        )
    return (gap + tau(goal.delta, form) * widening) / goal.epsilon
