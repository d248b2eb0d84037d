"""What an adversary believes of X given one secret: numbers, or categories."""

from __future__ import annotations

from pufferfish.beliefs.priors.base import Components, Prior
from pufferfish.beliefs.priors.categorical import Categorical
from pufferfish.beliefs.priors.discrete import Discrete
from pufferfish.beliefs.priors.gaussian import Gaussian, GaussianMixture

__all__ = ["Categorical", "Components", "Discrete", "Gaussian", "GaussianMixture", "Prior"]
