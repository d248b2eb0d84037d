"""The assumptions of the paper's theorems about priors; others are refused."""

from __future__ import annotations

from pufferfish.beliefs.priors import Gaussian, GaussianMixture, Prior
from pufferfish.core.errors import UnsupportedError

__all__ = ["gaussian", "mixture"]


def gaussian(method: str, prior: Prior) -> Gaussian:
    """The prior as a Gaussian: itself, or the only component of a mixture."""
    if isinstance(prior, Gaussian):
        return prior
    weights, means, stds = prior.components()
    if isinstance(prior, GaussianMixture) and weights.size == 1:
        return Gaussian(float(means[0]), float(stds[0]))
    raise UnsupportedError(
        f"{method} is about Gaussian priors, got {type(prior).__name__}; "
        "the methods exact and coupling take any prior."
    )


def mixture(method: str, prior: Prior) -> GaussianMixture:
    """The prior as a Gaussian mixture; a Gaussian is a mixture of one component."""
    if isinstance(prior, GaussianMixture):
        return prior
    if isinstance(prior, Gaussian):
        return GaussianMixture([1.0], [prior.mean], [prior.std])
    raise UnsupportedError(
        f"{method} is about Gaussian mixtures, got {type(prior).__name__}; "
        "the methods exact and coupling take any prior."
    )
