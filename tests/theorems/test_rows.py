"""Several rows of one person: what the certificates say against what joint laws do."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.theorems import composable, composable_rows
from tests.attacks.rows_of_persons import log_odds

VALUES = [0.0, 1.0, 2.5]


def joint(draw: np.random.Generator, marginal: Any, rows: int) -> dict[tuple[float, ...], float]:
    """A random joint law whose rows all have this marginal: a mixture of extreme dependences."""
    law: dict[tuple[float, ...], float] = {}
    for _ in range(4):
        # Rows are functions of one uniform number, each through its own shuffle of the unit
        # interval: cut into 12 pieces that are exchanged.
        order = [draw.permutation(12) for _ in range(rows)]
        for piece in range(12):
            values = tuple(marginal[each[piece]] for each in order)
            law[values] = law.get(values, 0.0) + 1.0 / 48.0
    return law


def marginals(draw: np.random.Generator) -> list[list[float]]:
    return [np.sort(draw.choice(VALUES, 12)).tolist() for _ in range(2)]


def prior(marginal: list[float]) -> pf.Discrete:
    values, counts = np.unique(marginal, return_counts=True)
    return pf.Discrete(values.tolist(), (counts / 12.0).tolist())


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), rows=st.integers(2, 3), scale=st.floats(0.3, 5.0))
def test_any_rows_cost_no_more_than_certified(seed: int, rows: int, scale: float) -> None:
    draw = np.random.default_rng(seed)
    first, second = marginals(draw)
    scenario = pf.Scenario(pf.Belief({"a": prior(first), "b": prior(second)}))
    found = composable_rows(
        scenario, pf.LaplaceNoise(scale), 0.0, wrong=0.0, rows=rows, dependence="any"
    )
    assert found is not None
    one, other = (joint(draw, each, rows) for each in (first, second))
    seen = np.array(list(product([-1e3, 0.0, 0.5, 1.0, 1.7, 2.5, 1e3], repeat=rows)))
    change = log_odds(
        [(weight, values) for values, weight in one.items()],
        [(weight, values) for values, weight in other.items()],
        scale,
        seen,
    )
    assert np.abs(change).max() <= found.cost().epsilon * (1.0 + 1e-9)


@pytest.mark.parametrize("rows", [2, 5])
def test_equal_rows_are_releases_of_one_value(rows: int) -> None:
    laws = {"a": pf.Discrete([0.0, 4.0], [0.5, 0.5]), "b": pf.Discrete([1.0, 4.0], [0.5, 0.5])}
    scenario, noise = pf.Scenario(pf.Belief(laws)), pf.LaplaceNoise(2.0, 2.0**-10)
    one = composable(scenario, noise, 0.0)
    several = composable_rows(scenario, noise, 0.0, wrong=0.0, rows=rows, dependence="equal")
    assert one is not None
    assert several is not None
    assert several.cost() == one.cost(rows)
    assert several.cost(3) == one.cost(3 * rows)
    assert several.scale_for(1.0) == pytest.approx(one.scale_for(1.0, rows))


def test_the_price_of_any_rows_is_that_of_the_formula() -> None:
    laws = {"a": pf.Discrete([0.0, 4.0], [0.5, 0.5]), "b": pf.Discrete([1.0, 5.0], [0.5, 0.5])}
    scenario, step = pf.Scenario(pf.Belief(laws)), 2.0**-10
    found = composable_rows(
        scenario, pf.LaplaceNoise(2.0, step), 0.0, wrong=0.0, rows=4, dependence="any"
    )
    assert found is not None
    # Δ = 5.
    assert found.cost().epsilon == pytest.approx(4 * (5.0 + step) / 2.0, rel=1e-15)
    capped = composable_rows(
        scenario, pf.LaplaceNoise(2.0), 0.0, wrong=0.0, rows=4, dependence="any", width=2.0
    )
    assert capped is not None
    assert capped.cost().epsilon == pytest.approx(4 * 2.0 / 2.0)
    wrong = composable_rows(
        scenario, pf.LaplaceNoise(2.0), 0.0, 0.25, wrong=0.0, rows=4, dependence="any"
    )
    assert wrong is not None
    assert wrong.cost().epsilon == pytest.approx(4 * 5.5 / 2.0)


def test_delta_is_charged_once() -> None:
    laws = {"a": pf.Discrete([0.0, 9.0], [0.99, 0.01]), "b": pf.Discrete([0.0], [1.0])}
    scenario = pf.Scenario(pf.Belief(laws))
    found = composable_rows(
        scenario, pf.LaplaceNoise(1.0), 0.011, wrong=0.0, rows=3, dependence="any"
    )
    assert found is not None
    # Values may be 9 apart in every row: which of them occur may go with how many rows there are.
    assert found.cost() == pf.Guarantee(27.0, 0.011)


@pytest.mark.parametrize("dependence", ["any", "equal"])
def test_what_is_not_covered(dependence: Any) -> None:
    smooth = pf.Scenario(pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.0, 2.0)}))
    tables = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1.0], [1.0])}
    holes = pf.Scenario(pf.Belief(tables, missing={"a": 0.1, "b": 0.1}))
    asked: dict[str, Any] = {"wrong": 0.0, "rows": 2, "dependence": dependence}
    assert composable_rows(smooth, pf.LaplaceNoise(1.0), 0.0, **asked) is None
    assert composable_rows(smooth, pf.GaussianNoise(1.0), 0.1, **asked) is None
    found = composable_rows(holes, pf.LaplaceNoise(1.0), 0.0, **asked)
    # Of equal rows all or none are missing; how holes of any rows hang together nobody knows.
    assert (found is None) == (dependence == "any")
    # Couplings are of the described laws.
    assert composable_rows(holes, pf.LaplaceNoise(1.0), 0.0, **{**asked, "wrong": 0.1}) is None
    if dependence == "any":
        width = composable_rows(smooth, pf.LaplaceNoise(1.0), 0.0, **asked, width=3.0)
        assert width is not None
        assert width.cost() == pf.Guarantee(6.0)


def test_the_span_of_binned_values_has_half_a_bin_at_either_end() -> None:
    laws = {"a": pf.Discrete([0.0, 4.0], [0.5, 0.5]), "b": pf.Discrete([1.0, 5.0], [0.5, 0.5])}
    scenario = pf.Scenario(pf.Belief(laws, radius=0.5))
    found = composable_rows(
        scenario, pf.LaplaceNoise(1.0), 0.0, wrong=0.0, rows=2, dependence="any"
    )
    assert found is not None
    assert found.cost().epsilon == pytest.approx(2 * (5.0 + 1.0))
    assert math.isfinite(found.cost().epsilon)


@pytest.mark.parametrize(
    ("p", "scale", "truth"), [(1e-2, 3.183118, 11.103), (1e-3, 1.850314, 20.115)]
)
def test_the_numbers_of_the_page(p: float, scale: float, truth: float) -> None:
    """docs/theory/composition.md: five equal rows, each certified at ε = 0.2."""
    scenario = pf.Scenario(
        pf.Belief({"a": pf.Discrete([0.0, 10.0], [1.0 - p, p]), "b": pf.Discrete([0.0], [1.0])})
    )
    found = pf.calibrate(scenario, pf.Guarantee(0.2)).noise
    assert isinstance(found, pf.LaplaceNoise)
    assert found.scale == pytest.approx(scale, rel=1e-6)
    law = [(1.0 - p, [0.0] * 5), (p, [10.0] * 5)]
    change = log_odds(law, [(1.0, [0.0] * 5)], found.scale, np.full((1, 5), 50.0))
    assert change[0] == pytest.approx(truth, abs=5e-4)


@pytest.mark.parametrize("scale", [0.1, 1.0, 4.0])
def test_the_example_of_two_signs(scale: float) -> None:
    """X_2 = ±X_1: two rows cost log cosh(2/b), and are charged 4/b."""
    equal = [(0.5, [1.0, 1.0]), (0.5, [-1.0, -1.0])]
    mirrored = [(0.5, [1.0, -1.0]), (0.5, [-1.0, 1.0])]
    seen = np.array(list(product(np.linspace(-3.0, 3.0, 61), repeat=2)))
    change = np.abs(log_odds(equal, mirrored, scale, seen)).max()
    assert change == pytest.approx(math.log(math.cosh(2.0 / scale)), rel=1e-9)
    law = pf.Discrete([-1.0, 1.0], [0.5, 0.5])
    scenario = pf.Scenario(pf.Belief({"a": law, "b": law}))
    found = composable_rows(
        scenario, pf.LaplaceNoise(scale), 0.0, wrong=0.0, rows=2, dependence="any"
    )
    assert found is not None
    assert found.cost().epsilon == pytest.approx(4.0 / scale)
