"""Floors: rows sum to 1, and no two values are told apart by more than e^{κd}."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.recoding.kernels import exponential_kernel, line_kernel

VALUES = st.lists(st.integers(-1000, 1000), min_size=1, max_size=12, unique=True).map(
    lambda each: np.array(sorted(each)) / 7.0
)


@given(VALUES, st.floats(0.01, 5.0))
def test_the_kernel_of_listed_numbers(values: np.ndarray, kappa: float) -> None:
    kernel = line_kernel(values, kappa)
    assert kernel.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    apart = np.abs(values[:, None] - values)
    for column in kernel.T:
        # The last digits of a quotient of two exponentials.
        assert (column[:, None] * np.exp(-kappa * apart) <= column * (1.0 + 1e-12)).all()


@given(st.integers(2, 10), st.floats(0.01, 5.0))
def test_months_in_a_circle(number: int, kappa: float) -> None:
    around = np.abs(np.arange(number)[:, None] - np.arange(number))
    apart = np.minimum(around, number - around).astype(float)
    kernel = exponential_kernel(apart, kappa)
    assert kernel.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    for column in kernel.T:
        assert (column[:, None] <= column * np.exp(kappa * apart) * (1.0 + 1e-12)).all()


def test_its_epsilon_is_that_of_laplace_noise() -> None:
    values, scale = np.array([1.0, 2.0, 5.0, 9.0]), 1.7
    first, second = np.array([0.1, 0.4, 0.3, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])
    kernel = line_kernel(values, 1.0 / scale)
    ratio = (first @ kernel) / (second @ kernel)
    found = max(np.log(ratio).max(), -np.log(ratio).min())
    belief = pf.Belief({"a": pf.Discrete(values, first), "b": pf.Discrete(values, second)})
    noise = pf.pure_epsilon(pf.Scenario([belief]), pf.LaplaceNoise(scale))
    assert found == pytest.approx(noise.upper, rel=1e-9)


def test_without_a_floor_values_stay() -> None:
    assert (line_kernel(np.array([1.0, 2.0]), np.inf) == np.eye(2)).all()
