"""What counts prove: one-sided Clopper-Pearson bounds, and the ε and δ that follow from them.

If an event was seen in h of n independent draws, its probability is at least the α-quantile of
Beta(h, n − h + 1), and at most the (1 − α)-quantile of Beta(h + 1, n − h): each is wrong with
probability at most α, whatever the truth is and however small n is. An event A then shows

    δ ≥ P_i(A) − e^ε·P_j(A),      ε ≥ log((P_i(A) − δ)/P_j(A)).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import betainccinv, betaincinv

from pufferfish.core.validation import FloatArray

__all__ = ["Counts", "delta_lower", "epsilon_lower", "probability_lower", "probability_upper"]

Counts = npt.NDArray[np.int64]

# More than the error of the inverse functions, which was measured as 1e-12.
_SLACK = 1e-9


def probability_lower(hits: npt.ArrayLike, draws: npt.ArrayLike, alpha: float) -> FloatArray:
    """A lower bound that is wrong with probability at most α."""
    h, n = np.asarray(hits, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    found = betaincinv(np.maximum(h, 1.0), n - h + 1.0, alpha) * (1.0 - _SLACK)
    return np.asarray(np.where(h > 0.0, found, 0.0))


def probability_upper(hits: npt.ArrayLike, draws: npt.ArrayLike, alpha: float) -> FloatArray:
    """An upper bound that is wrong with probability at most α."""
    h, n = np.asarray(hits, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    found = betainccinv(h + 1.0, np.maximum(n - h, 1.0), alpha) * (1.0 + _SLACK)
    return np.asarray(np.where(h < n, np.minimum(found, 1.0), 1.0))


def delta_lower(first: FloatArray, second: FloatArray, epsilon: float) -> FloatArray:
    """P_i(A) − e^ε·P_j(A), from a lower bound of the one and an upper bound of the other."""
    return np.asarray(first - np.exp(min(epsilon, 700.0)) * second)


def epsilon_lower(first: FloatArray, second: FloatArray, delta: float) -> FloatArray:
    """log((P_i(A) − δ)/P_j(A)); −∞ where the event shows nothing."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(first - delta, 0.0)) - np.log(second))
