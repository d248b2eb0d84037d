"""Laws of several columns given a secret: the table itself, or a model of it.

With x = (x_1, …, x_d) and counts c(x) of the rows of one secret,

    empirical    P(x) = c(x)/n
    independent  P(x) ∝ Π_j c_j(x_j)
    chain        P(x) ∝ c_1(x_1)·Π_{j>1} c_{j−1,j}(x_{j−1}, x_j)/c_{j−1}(x_{j−1})

over the combinations that occur in the table, under any secret. A model gives probability to
combinations that no row with this secret has, and so covers more where a table is thin. Held-out
rows show whether it describes the population.
"""

from __future__ import annotations

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.tables.batch import IntArray

__all__ = ["MODELS", "fit_model"]

MODELS = ("empirical", "independent", "chain")


def fit_model(family: str, codes: IntArray, counts: IntArray) -> FloatArray:
    """The probability of each combination.

    Args:
        family: "independent" or "chain".
        codes: The labels of each combination of the domain, one column for each part.
        counts: How often each occurs among the rows of one secret.
    """
    logs = np.zeros(counts.size)
    singles = [_marginal(codes[:, [part]], counts) for part in range(codes.shape[1])]
    with np.errstate(divide="ignore", invalid="ignore"):
        for part, single in enumerate(singles):
            if family == "independent" or part == 0:
                logs += np.log(single)
                continue
            pair = _marginal(codes[:, [part - 1, part]], counts)
            logs += np.log(pair) - np.log(singles[part - 1])
    # A label, or a pair of labels, that no row has gets probability 0.
    weights = np.where(np.isnan(logs), 0.0, np.exp(logs - np.nanmax(logs)))
    return np.asarray(weights / weights.sum())


def _marginal(codes: IntArray, counts: IntArray) -> FloatArray:
    """For each row of codes the number of rows of the table with the same codes."""
    _, place = np.unique(codes, axis=0, return_inverse=True)
    place = place.reshape(-1)
    return np.asarray(np.bincount(place, weights=counts), dtype=np.float64)[place]
