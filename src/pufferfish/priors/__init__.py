"""What an adversary believes of X given one secret: Gaussian, GaussianMixture, Discrete."""

from __future__ import annotations

from pufferfish.priors.base import Components, Prior
from pufferfish.priors.discrete import Discrete
from pufferfish.priors.gaussian import Gaussian, GaussianMixture
from pufferfish.priors.words import law_in_words

__all__ = ["Components", "Discrete", "Gaussian", "GaussianMixture", "Prior", "law_in_words"]
