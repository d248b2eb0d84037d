"""What a table publishes, against linear programs and fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from pufferfish.recoding.cells import CellLaw
from pufferfish.recoding.exact import WHOLE, delta_of, epsilon_of, exp_lower, floor_of, publish
from pufferfish.recoding.table import round_table
from tests.recoding import referee


def worst(law: np.ndarray, column: np.ndarray, wrong: float) -> float:
    """max P·w over laws within `wrong`, by a linear program: P = law + up − down."""
    size = law.size
    found = linprog(
        -np.concatenate([column, -column]),
        A_ub=[[1.0] * size + [0.0] * size],
        b_ub=[wrong],
        A_eq=[[1.0] * size + [-1.0] * size],
        b_eq=[0.0],
        bounds=[(0.0, 1.0)] * size + [(0.0, each) for each in law],
    )
    return float(law @ column - found.fun)


@pytest.mark.parametrize("seed", range(30))
def test_the_worst_law_is_found(seed: int) -> None:
    source = np.random.default_rng(seed)
    counts = source.integers(0, 9, 6) * source.integers(0, 2, 6) + np.eye(6, dtype=int)[seed % 6]
    table = round_table(source.dirichlet(np.full(4, 0.3), 6))
    wrong = Fraction(int(source.integers(0, 40)), 100)
    found = publish(table, CellLaw.from_counts(counts), wrong)
    law = counts / counts.sum()
    for y in range(4):
        column = table[:, y] / WHOLE
        assert float(found.upper[y]) == pytest.approx(worst(law, column, float(wrong)), abs=1e-9)
        assert float(found.lower[y]) == pytest.approx(-worst(law, -column, float(wrong)), abs=1e-9)


def test_bounds_enclose_the_law_of_counts() -> None:
    counts = np.array([3, 0, 5, 1])
    shares = counts / counts.sum()
    loose = CellLaw.from_bounds(list(shares * 0.99), list(np.minimum(shares * 1.01, 1.0)))
    table = round_table(np.random.default_rng(1).dirichlet(np.ones(3), 4))
    exact = publish(table, CellLaw.from_counts(counts), Fraction(1, 50))
    wide = publish(table, loose, Fraction(1, 50))
    assert all(a <= b for a, b in zip(wide.lower, exact.lower, strict=True))
    assert all(a >= b for a, b in zip(wide.upper, exact.upper, strict=True))


def test_delta_and_epsilon() -> None:
    table = round_table(np.array([[0.75, 0.25], [0.25, 0.75]]))
    first, second = (publish(table, CellLaw.from_counts(each)) for each in ([1, 0], [0, 1]))
    assert epsilon_of(first, second) == 3
    assert delta_of(first, second, 2.0) == 0
    assert delta_of(first, second, 0.5) == pytest.approx(0.75 - np.exp(0.5) * 0.25)
    alone = round_table(np.eye(2))
    first, second = (publish(alone, CellLaw.from_counts(each)) for each in ([1, 0], [0, 1]))
    assert epsilon_of(first, second) is None


@pytest.mark.parametrize("exponent", [0.0, 1e-9, 0.5, 1.0, 3.7, 699.0, 1e4])
def test_the_exponential_is_below(exponent: float) -> None:
    found = exp_lower(exponent)
    assert found <= referee.exp_fraction(exponent)
    assert exponent > 700.0 or found >= referee.exp_fraction(exponent) * (1 - Fraction(1, 2**50))


def test_a_floor_is_seen_to_break() -> None:
    table = round_table(np.array([[0.5, 0.5], [0.25, 0.75]]))
    assert floor_of(table, ((0, 1, Fraction(2)),))
    assert not floor_of(table, ((0, 1, Fraction(199, 100)),))
