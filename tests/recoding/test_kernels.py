"""Floors: rows sum to 1, and no two values are told apart by more than e^{κd}."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.recoding.kernels import (
    apart,
    exponential_kernel,
    line_floor,
    line_kernel,
    metric_floor,
)
from tests.recoding import referee

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


@given(VALUES, st.floats(0.01, 5.0))
def test_the_floor_of_a_line_is_that_of_its_metric(values: np.ndarray, kappa: float) -> None:
    """Neighbours ask for no less than all pairs do, and for hardly more."""
    steps = [float(factor) for *_, factor in line_floor(values, kappa)]
    for x, other, factor in metric_floor(np.abs(values[:, None] - values), kappa):
        exponent = kappa * (values[other] - values[x])
        if exponent < 600.0:
            assert factor <= referee.exp_fraction(exponent) * (1 + Fraction(1, 10**9))
            assert np.prod(steps[x:other]) == pytest.approx(float(factor), rel=1e-9)


def test_a_cell_apart_is_told_apart_and_told_by_nothing() -> None:
    kernel = apart(line_kernel(np.array([1.0, 2.0]), 1.0))
    assert kernel[2].tolist() == [0.0, 0.0, 1.0]
    assert kernel[:2, 2].tolist() == [0.0, 0.0]
    far = np.array([[0.0, np.inf], [np.inf, 0.0]])
    assert metric_floor(far, 1.0) == ()
    assert (exponential_kernel(far, 1.0) == np.eye(2)).all()


def test_without_a_floor_nothing_is_asked() -> None:
    assert line_floor(np.array([1.0, 2.0]), np.inf) == ()
    assert metric_floor(np.array([[0.0, 1.0], [1.0, 0.0]]), np.inf) == ()
