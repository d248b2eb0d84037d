"""Noise on a grid, drawn exactly, from the one source of randomness."""

from __future__ import annotations

from pufferfish.sampling.entropy import Entropy, NotPrivateEntropy, SystemEntropy
from pufferfish.sampling.gaussian import discrete_gaussian
from pufferfish.sampling.laplace import FINEST_RATE, discrete_laplace
from pufferfish.sampling.shuffle import Shuffler, permutation

__all__ = [
    "FINEST_RATE",
    "Entropy",
    "NotPrivateEntropy",
    "Shuffler",
    "SystemEntropy",
    "discrete_gaussian",
    "discrete_laplace",
    "permutation",
]
