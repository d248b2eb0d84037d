"""Goodness of fit, at a false-alarm rate that a thousand runs of the suite do not meet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2, kstest

FALSE_ALARM = 1e-6


def rejects_counts(draws: npt.NDArray[np.int64], mass: Callable[[int], float]) -> bool:
    """Chi-square over whole numbers: cells of at least 25 expected, the two tails one cell each."""
    reach = 0
    while draws.size * mass(reach + 1) >= 25.0:
        reach += 1
    inner = np.array([mass(n) for n in range(-reach, reach + 1)]) * draws.size
    counts = np.array([np.count_nonzero(draws == n) for n in range(-reach, reach + 1)])
    tail = 0.5 * (draws.size - inner.sum())
    expected = np.concatenate([[tail], inner, [tail]])
    observed = np.concatenate(
        [[np.count_nonzero(draws < -reach)], counts, [np.count_nonzero(draws > reach)]]
    )
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    return statistic > chi2.isf(FALSE_ALARM, expected.size - 1)


def rejects_law(
    draws: npt.NDArray[np.float64],
    cdf: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]],
) -> bool:
    """Kolmogorov and Smirnov, against a continuous law."""
    return bool(kstest(draws, cdf).pvalue < FALSE_ALARM)


def rejects_independence(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> bool:
    """Chi-square on a table of small whole numbers."""
    table = np.histogram2d(one, other, bins=[np.unique(one).size, np.unique(other).size])[0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = float(np.sum((table - expected) ** 2 / expected))
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return statistic > chi2.isf(FALSE_ALARM, freedom)
