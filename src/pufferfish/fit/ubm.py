"""GMM-UBM: a background mixture fitted to all rows, with means adapted to each secret.

With responsibilities r_mk of the background's components for the values x_k of one secret,
n_m = Σ_k r_mk and E_m = Σ_k r_mk x_k / n_m, the adapted mean is (n_m E_m + ρ μ_m)/(n_m + ρ), ρ the
relevance factor: the maximum a posteriori, given the responsibilities, under a prior worth ρ
records. Weights and stds stay those of the background, so the laws of all secrets share them: the
assumption of `cor-2`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from pufferfish.beliefs.priors import GaussianMixture
from pufferfish.beliefs.scenario import Secret
from pufferfish.core.validation import FloatArray
from pufferfish.tables import Group

__all__ = ["adapt"]


def adapt(
    background: GaussianMixture, groups: Mapping[Secret, Group], relevance: float
) -> dict[Secret, GaussianMixture]:
    """The background with means adapted to each secret; weights and stds are shared exactly."""
    means = np.array([_means(background, group, relevance) for group in groups.values()])
    return {
        secret: GaussianMixture(background.weights, row, background.stds)
        for secret, row in zip(groups, _set_apart(means), strict=True)
    }


def _means(background: GaussianMixture, group: Group, relevance: float) -> FloatArray:
    weights, means, stds = (
        np.array(part)[:, None] for part in (background.weights, background.means, background.stds)
    )
    z = (group.values - means) / stds
    log_density = np.log(weights / stds) - 0.5 * z * z
    density = np.exp(log_density - log_density.max(axis=0))
    share = group.counts * density / density.sum(axis=0)
    # The shift from the background's mean: a component without records keeps its mean.
    total = np.maximum(share.sum(axis=1) + relevance, np.finfo(float).tiny)
    moved = (share * z).sum(axis=1) * stds[:, 0] / total
    return np.asarray(means[:, 0] + moved)


def _set_apart(means: FloatArray) -> FloatArray:
    """The means, where those of one component that coincide for two secrets are moved by one float.

    `cor-2` requires that all means differ, which fails for a component without records of either.
    """
    means = means.copy()
    for column in means.T:
        taken: set[float] = set()
        for row, mean in enumerate(column.tolist()):
            while mean in taken:
                mean = math.nextafter(mean, math.inf)  # noqa: PLW2901
            taken.add(mean)
            column[row] = mean
    return means
