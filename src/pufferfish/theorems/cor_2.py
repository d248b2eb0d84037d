"""`cor-2`, Corollary 2 of the paper: mixtures that differ in means only. **False in general.**

Mixtures with common weights α_m and stds σ_m whose means all differ (GMM-UBM: a background model
adapted to each secret). The paper claims pure ε for Laplace noise of scale

    b ≥ Σ_m α_m |μ_im − μ_jm| / ε.

The mean displacement is not enough; the largest one, max_m |μ_im − μ_jm|/ε, is enough.
Counterexample: docs/theory/cor-2.md.
"""

from __future__ import annotations

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Prior
from pufferfish.core.errors import UnsupportedError
from pufferfish.theorems.assumptions import mixture

__all__ = ["scale"]


def scale(first: Prior, second: Prior, goal: Guarantee) -> float:
    """The scale that the paper's formula gives for one pair."""
    p, q = mixture("cor-2", first), mixture("cor-2", second)
    if p.weights != q.weights or p.stds != q.stds:
        raise UnsupportedError(
            "cor-2 is about mixtures that share weights and stds, component by component in the "
            "order given, and differ in their means only. These do not."
        )
    moved = np.abs(np.subtract(p.means, q.means))
    if not moved.all():
        raise UnsupportedError("cor-2 is about mixtures whose means all differ. One does not.")
    return float(np.dot(p.weights, moved)) / goal.epsilon
