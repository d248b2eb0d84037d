"""EM on weighted values: every step from the formulas, and the likelihood never falls.

What counts is the likelihood of the mixtures that `climb` arrives at, computed here anew.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pufferfish.fit.em import Theta, Weighted, climb

# Σ p log f has terms of size up to log f ~ 1e3 here: a thousand roundings of 1e-16·1e3.
ROUNDING = 1e-11


class Case(NamedTuple):
    data: Weighted
    theta: Theta
    floor: float


@st.composite
def cases(draw: st.DrawFn, cells: bool = False, atoms: int = 12, starts: int = 3) -> Case:
    """A small weighted table, some starts, and a floor that matters or does not."""
    size = draw(st.integers(2, atoms))
    values = sorted(
        draw(
            st.lists(
                st.integers(-96, 96).map(lambda k: k / 32),
                min_size=size,
                max_size=size,
                unique=True,
            )
        )
    )
    counts = np.array(draw(st.lists(st.integers(1, 40), min_size=size, max_size=size)), float)
    spread = draw(st.lists(st.floats(0.0, 0.5), min_size=size, max_size=size)) if cells else []
    rows, count = draw(st.integers(1, starts)), draw(st.integers(1, 4))

    def matrix(low: float, high: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        entry = st.floats(low, high)
        row = st.lists(entry, min_size=count, max_size=count)
        return np.array(draw(st.lists(row, min_size=rows, max_size=rows)))

    weights = matrix(0.05, 1.0)
    floor = draw(st.sampled_from([1e-6, 0.05, 0.4]))
    return Case(
        Weighted(np.array(values), counts / counts.sum(), np.array(spread)),
        Theta(
            weights / weights.sum(axis=1, keepdims=True),
            matrix(-3.0, 3.0),
            np.maximum(matrix(0.1, 3.0), floor),
        ),
        floor,
    )


def densities(data: Weighted, w: float, mu: float, sigma: float) -> list[float]:
    """w·N(x; μ, σ²) for each value; for a cell the geometric mean of the densities in it."""
    spread = data.variances if data.variances.size else np.zeros(data.values.size)
    return [
        w * math.exp(-((x - mu) ** 2 + v) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
        for x, v in zip(data.values, spread, strict=True)
    ]


def plain_likelihood(data: Weighted, theta: Theta, row: int) -> float:
    parts = [densities(data, *each) for each in zip(*(part[row] for part in theta), strict=True)]
    return math.fsum(
        p * math.log(math.fsum(cell)) if math.fsum(cell) > 0 else -math.inf
        for p, cell in zip(data.shares, zip(*parts, strict=True), strict=True)
    )


def log_likelihood(data: Weighted, theta: Theta) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Σ p log f for each mixture, in logarithms, so that nothing underflows."""
    spread = data.variances if data.variances.size else np.zeros(data.values.size)
    w, mu, sigma = (part[:, :, None] for part in theta)
    far = (np.square(data.values - mu) + spread) / (2 * sigma**2)
    logs = np.log(w) - np.log(sigma) - 0.5 * math.log(2 * math.pi) - far
    return np.logaddexp.reduce(logs, axis=1) @ data.shares


def plain_step(data: Weighted, theta: Theta, row: int, floor: float) -> list[list[float]]:
    """One EM step for one mixture, as in any textbook."""
    spread = data.variances if data.variances.size else np.zeros(data.values.size)
    parts = [densities(data, *each) for each in zip(*(part[row] for part in theta), strict=True)]
    total = [math.fsum(cell) for cell in zip(*parts, strict=True)]
    weights, means, stds = [], [], []
    for part in parts:
        r = [p * d / t for p, d, t in zip(data.shares, part, total, strict=True)]
        mass = math.fsum(r)
        mean = math.fsum(a * x for a, x in zip(r, data.values, strict=True)) / mass
        square = math.fsum(
            a * ((x - mean) ** 2 + v) for a, x, v in zip(r, data.values, spread, strict=True)
        )
        weights.append(mass)
        means.append(mean)
        stds.append(max(math.sqrt(square / mass), floor))
    return [weights, means, stds]


@given(st.booleans().flatmap(cases))
@settings(max_examples=150)
def test_the_likelihood_never_falls(case: Case) -> None:
    """With a floor, and with cells that have a variance of their own."""
    theta = case.theta
    before = log_likelihood(case.data, theta)
    for _ in range(6):
        run = climb(case.data, theta, case.floor, 1, 0.0)
        theta, after = run.theta, log_likelihood(case.data, run.theta)
        assert np.all(after >= before - ROUNDING * (1 + np.abs(before)))
        assert np.all(theta.stds >= case.floor)
        np.testing.assert_allclose(theta.weights.sum(axis=1), 1.0, rtol=1e-13)
        np.testing.assert_allclose(run.log_likelihood, after, rtol=1e-12, atol=ROUNDING)
        before = after


@given(st.booleans().flatmap(cases))
@settings(max_examples=60)
def test_the_likelihood_is_that_of_the_formula(case: Case) -> None:
    found = climb(case.data, case.theta, case.floor, 0, 0.0).log_likelihood
    for row, likelihood in enumerate(found):
        plain = plain_likelihood(case.data, case.theta, row)
        if math.isfinite(plain):
            assert likelihood == pytest.approx(plain, rel=1e-11, abs=1e-12)


@given(st.booleans().flatmap(cases))
@settings(max_examples=60)
def test_the_trace_is_the_way_taken(case: Case) -> None:
    """One cycle at a time goes where several at once go."""
    run = climb(case.data, case.theta, case.floor, 5, 0.0)
    assert run.trace.shape == (run.cycles + 1, case.theta.weights.shape[0])
    assert np.all(np.diff(run.trace, axis=0) >= -ROUNDING * (1 + np.abs(run.trace[:-1])))
    np.testing.assert_array_equal(run.trace[-1], run.log_likelihood)
    theta = case.theta
    for _ in range(run.cycles):
        theta = climb(case.data, theta, case.floor, 1, 0.0).theta
    for one, other in zip(run.theta, theta, strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.booleans().flatmap(lambda cells: cases(cells, starts=1)))
@settings(max_examples=60)
def test_the_end_is_a_fixed_point_of_the_textbook_step(case: Case) -> None:
    """Where EM has converged, a step from the formulas leads nowhere, floor and cells included."""
    run = climb(case.data, case.theta, case.floor, 3_000, 1e-15)
    weights, means, stds = (part[0] for part in run.theta)
    # Components that died out, or that have come down on one value, are beyond plain arithmetic.
    if weights.min() < 1e-6 or stds.min() < 1e-3:
        return
    stepped = plain_step(case.data, run.theta, 0, case.floor)
    if not run.converged[0]:
        return
    # A gain of 1e-15 a cycle leaves a step of about its root, where components overlap.
    for found, after in zip((weights, means, stds), stepped, strict=True):
        np.testing.assert_allclose(found, after, atol=2e-5)
    after = Theta(*(np.array([each]) for each in stepped))
    gain = plain_likelihood(case.data, after, 0) - plain_likelihood(case.data, run.theta, 0)
    assert abs(gain) <= 1e-10


@given(st.booleans().flatmap(cases))
@settings(max_examples=80)
def test_a_cycle_is_worth_a_textbook_step_at_least(case: Case) -> None:
    run = climb(case.data, case.theta, case.floor, 1, 0.0)
    for row, found in enumerate(log_likelihood(case.data, run.theta)):
        # Rows with a value beyond the reach of every component are for logarithms only.
        if not math.isfinite(plain_likelihood(case.data, case.theta, row)):
            continue
        step = plain_step(case.data, case.theta, row, case.floor)
        if min(step[0]) < 1e-12:
            continue
        once = Theta(*(np.array([each]) for each in step))
        plain = float(log_likelihood(case.data, once)[0])
        assert found >= plain - 1e-10 * (1 + abs(plain))


def test_one_component_is_mean_and_std_after_one_step() -> None:
    data = Weighted(np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.25, 0.25]))
    start = Theta(np.ones((1, 1)), np.array([[7.0]]), np.array([[2.0]]))
    run = climb(data, start, 1e-3, 10, 1e-14)
    mean = 1.25
    std = math.sqrt(0.5 * 1.25**2 + 0.25 * 0.25**2 + 0.25 * 2.75**2)
    assert run.theta.means[0, 0] == pytest.approx(mean, rel=1e-14)
    assert run.theta.stds[0, 0] == pytest.approx(std, rel=1e-14)
    assert run.converged.all()
    floored = climb(data, start, 3.0, 10, 1e-14)
    assert floored.theta.stds[0, 0] == 3.0


def test_the_variance_of_cells_counts() -> None:
    """Two cells of std 1 around ±10 are two components of std 1."""
    data = Weighted(np.array([-10.0, 10.0]), np.array([0.25, 0.75]), np.array([1.0, 4.0]))
    start = Theta(np.array([[0.5, 0.5]]), np.array([[-8.0, 8.0]]), np.array([[3.0, 3.0]]))
    run = climb(data, start, 1e-3, 200, 1e-15)
    np.testing.assert_allclose(run.theta.weights[0], [0.25, 0.75], rtol=1e-9)
    np.testing.assert_allclose(run.theta.stds[0], [1.0, 2.0], rtol=1e-6)


def test_starts_do_not_disturb_one_another() -> None:
    generator = np.random.default_rng(3)
    values = np.sort(generator.normal(size=40))
    data = Weighted(values, np.full(40, 1 / 40))
    weights = generator.dirichlet(np.ones(3), size=5)
    start = Theta(weights, generator.normal(size=(5, 3)), generator.uniform(0.3, 2, size=(5, 3)))
    together = climb(data, start, 0.05, 20, -1.0)
    for row in range(5):
        alone = climb(data, start.rows(np.array([row])), 0.05, 20, -1.0)
        for one, other in zip(alone.theta, together.theta, strict=True):
            np.testing.assert_allclose(one[0], other[row], rtol=1e-9, atol=1e-12)
