"""The beliefs that are measured: seeded, so that every run asks the same questions."""

import numpy as np

import pufferfish as pf

GOAL = pf.Guarantee(epsilon=1.0, delta=1e-5)
PURE = pf.Guarantee(epsilon=1.0, delta=0.0)


def mixture(generator: np.random.Generator, components: int) -> pf.GaussianMixture:
    """Means spread over about ten, stds between 0.5 and 2, no weight very small."""
    weights = generator.dirichlet(np.full(components, 3.0))
    means = generator.normal(0.0, 3.0, components)
    stds = generator.uniform(0.5, 2.0, components)
    return pf.GaussianMixture(weights.tolist(), means.tolist(), stds.tolist())


def mixture_pair(seed: int) -> tuple[pf.GaussianMixture, pf.GaussianMixture]:
    """Two five-component mixtures."""
    generator = np.random.default_rng(seed)
    return mixture(generator, 5), mixture(generator, 5)


def scenario(*priors: pf.Gaussian | pf.GaussianMixture | pf.Discrete) -> pf.Scenario:
    """All pairs of these priors, under one belief."""
    return pf.Scenario([pf.Belief(dict(enumerate(priors)))])
