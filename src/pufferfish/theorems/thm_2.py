"""`thm-2`, Theorem 2 of the paper: Gaussian mixture priors. **False in general.**

The paper claims (ε,δ) for Laplace noise of scale

    b ≥ Σ_ml w*_ml ( |μ_im − μ_jl| + τ(δ)·|σ_im − σ_jl| ) / ε,

where w* is the W2-optimal plan between components (`transport.mixture_plan`); if several plans are
optimal, we take the largest value over them. The proof averages over components what must hold for
each. On mild mixtures the scale often suffices, on others it fails by far, so `calibrate` returns
no scale on its word alone. Counterexample, and where the proof breaks: docs/theory/thm-2.md. The
bound of `theorems.coupling` does hold.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Prior
from pufferfish.core.errors import UnsupportedError
from pufferfish.theorems.assumptions import mixture
from pufferfish.theorems.tau_of_delta import Tau, tau
from pufferfish.transport import mixture_plan

__all__ = ["scale"]


def scale(first: Prior, second: Prior, goal: Guarantee, form: Tau = "exact") -> float:
    """The scale that the paper's formula gives for one pair."""
    plan = mixture_plan(mixture("thm-2", first), mixture("thm-2", second))
    gaps = np.abs(np.subtract.outer(plan.first.means, plan.second.means))
    widenings = np.abs(np.subtract.outer(plan.first.stds, plan.second.stds))
    # τ is infinite at δ = 0, and there 0·∞ means 0.
    factor = np.where(widenings > 0.0, tau(goal.delta, form), 0.0)
    largest = plan.largest(gaps + factor * widenings)
    if largest == math.inf:
        raise UnsupportedError(
            "thm-2 covers δ = 0 only where the optimal plan moves mass between components of "
            "equal std (τ(0) is infinite); the method exact gives pure ε for any mixtures."
        )
    return largest / goal.epsilon
