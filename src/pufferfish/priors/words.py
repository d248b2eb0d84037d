"""A prior in words."""

from __future__ import annotations

import math

from pufferfish.priors.base import Prior
from pufferfish.priors.discrete import Discrete
from pufferfish.priors.gaussian import GaussianMixture

__all__ = ["law_in_words"]


def law_in_words(prior: Prior) -> str:
    """Shape, mean and std."""
    if isinstance(prior, Discrete):
        shape = f"a table of {prior.values.size} values"
    elif isinstance(prior, GaussianMixture) and len(prior.weights) > 1:
        shape = f"a mixture of {len(prior.weights)} Gaussians"
    else:
        shape = "a Gaussian"
    return f"{shape}, mean {prior.mean:.4g}, std {math.sqrt(prior.variance):.4g}"
