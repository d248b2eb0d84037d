"""What an adversary believes of X given one secret: Gaussian, GaussianMixture, Discrete."""

from __future__ import annotations

from pufferfish.beliefs.priors.base import Components, Prior
from pufferfish.beliefs.priors.discrete import Discrete
from pufferfish.beliefs.priors.gaussian import Gaussian, GaussianMixture

__all__ = ["Components", "Discrete", "Gaussian", "GaussianMixture", "Prior"]
