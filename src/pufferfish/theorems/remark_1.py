"""`remark-1`, Remark 1 of the paper: priors that are translations of each other.

X|s_j has the law of X|s_i + (μ_j − μ_i), of any shape; Laplace noise of scale

    b ≥ |μ_i − μ_j| / ε

gives pure ε. True, and exactly tight. For point masses this is the ℓ1 sensitivity of differential
privacy. Proof: docs/theory/remark-1.md.
"""

from __future__ import annotations

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Prior
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import UNIT

__all__ = ["scale"]


def scale(first: Prior, second: Prior, goal: Guarantee) -> float:
    """The least b that the remark gives for one pair."""
    p, q = first.components(), second.components()
    if p.weights.size == q.weights.size:
        by_place_p, by_place_q = (np.lexsort((law.stds, law.means)) for law in (p, q))
        start, end = p.means[by_place_p], q.means[by_place_q]
        moved = end - start
        # A translation as floats can express it: each place is rounded by itself.
        rounding = 4.0 * UNIT * (np.abs(start).max() + np.abs(end).max())
        if (
            np.array_equal(p.weights[by_place_p], q.weights[by_place_q])
            and np.array_equal(p.stds[by_place_p], q.stds[by_place_q])
            and np.ptp(moved) <= rounding
        ):
            return float(np.abs(moved).max()) / goal.epsilon
    raise UnsupportedError(
        "remark-1 is about priors that are translations of each other: the same weights and stds "
        "(or probabilities), every mean (or value) moved by the same amount. These are not."
    )
