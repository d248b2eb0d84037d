"""Priors: the law of X, a number or a category, that an adversary believes given one secret."""

from __future__ import annotations

from pufferfish.beliefs.priors.base import Components, Prior
from pufferfish.beliefs.priors.categorical import Categorical
from pufferfish.beliefs.priors.discrete import Discrete
from pufferfish.beliefs.priors.gaussian import Gaussian, GaussianMixture

__all__ = ["Categorical", "Components", "Discrete", "Gaussian", "GaussianMixture", "Prior"]
