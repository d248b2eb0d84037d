"""`thm-1`, Theorem 1 of the paper: Gaussian priors.

X|s_i ~ N(μ_i, σ_i²) and X|s_j ~ N(μ_j, σ_j²), Laplace noise of scale

    b ≥ ( |μ_i − μ_j| + τ(δ)·|σ_i − σ_j| ) / ε

for every belief and pair: then Y is (ε,δ)-indistinguishable. True. With δ = 0, τ is infinite and
only equal stds are covered. Proof and sharper forms: docs/theory/thm-1.md.
"""

from __future__ import annotations

from pufferfish.errors import UnsupportedError
from pufferfish.guarantee import Guarantee
from pufferfish.priors import Components, Prior
from pufferfish.theorems.tau import Tau, tau

__all__ = ["scale"]


def scale(first: Prior, second: Prior, goal: Guarantee, form: Tau = "exact") -> float:
    """The least b that the theorem allows for one pair."""
    p, q = _gaussian(first), _gaussian(second)
    gap = abs(float(p.means[0] - q.means[0]))
    widening = abs(float(p.stds[0] - q.stds[0]))
    if widening == 0.0:
        return gap / goal.epsilon
    if goal.pure:
        raise UnsupportedError(
            "thm-1 covers delta = 0 only where the two Gaussians have equal stds (tau(0) is "
            'infinite); method="exact" gives pure epsilon for unequal stds too.'
        )
    return (gap + tau(goal.delta, form) * widening) / goal.epsilon


def _gaussian(prior: Prior) -> Components:
    """The only component of a Gaussian prior."""
    law = prior.components()
    if law.weights.size > 1 or law.stds[0] == 0.0:
        raise UnsupportedError(
            f"thm-1 is about Gaussian priors, got a {type(prior).__name__} of "
            f"{law.weights.size} components or atoms."
        )
    return law
