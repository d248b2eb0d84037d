"""Does the central limit theorem hold here? The answer is about the promise, not the middle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

import pufferfish as pf
from pufferfish.sums import binary, check_limit, identical, lyapunov_ratio, together

COINS = together(binary([0.5], counts=[36]), binary([0.002], 18.0))


def test_the_coins_break_it() -> None:
    found = check_limit(COINS, pf.Guarantee(1.0, 1e-3))
    assert found.noise == pf.NoNoise()
    assert found.user == "user 37"
    assert found.believed.upper < 1e-8
    assert found.true.lower > 0.0019
    assert not found.holds


def test_without_exceptions_the_true_loss_is_many_times_the_believed_one() -> None:
    found = check_limit(COINS, pf.Guarantee(1.0))
    assert found.believed.upper <= 1.0
    assert found.true.lower > 20.0
    assert not found.holds


def test_many_fair_coins_keep_it() -> None:
    found = check_limit(binary([0.5], counts=[10_000]), pf.Guarantee(1.0, 1e-3))
    assert found.holds
    # Berry and Esseen with Shevtsova's constant.
    assert found.lyapunov is not None
    assert found.kolmogorov <= 0.56 * found.lyapunov


def test_the_ratio_and_the_distance_by_hand() -> None:
    users, count, p = binary([0.2], counts=[50]), 50, 0.2
    third = p * 0.8**3 + 0.8 * p**3
    assert lyapunov_ratio(users) == pytest.approx(50 * third / (50 * 0.16) ** 1.5, rel=1e-12)
    cdf = binom.cdf(np.arange(-1, count + 1), count, p)
    normal = norm.cdf(np.arange(count + 1), 10.0, math.sqrt(8.0))
    largest = max(np.abs(cdf[1:] - normal).max(), np.abs(cdf[:-1] - normal).max())
    found = check_limit(users, pf.Guarantee(1.0, 1e-3))
    assert found.kolmogorov == pytest.approx(largest, abs=1e-9)


def test_nothing_random_has_no_ratio() -> None:
    assert lyapunov_ratio(binary([1.0, 0.0])) is None
    assert lyapunov_ratio(identical(3, 1.0, 1.0)) is None


def test_users_without_tables_have_no_truth_to_compare_with() -> None:
    with pytest.raises(pf.UnsupportedError):
        check_limit(identical(3, 1.0, 1.0), pf.Guarantee(1.0))
