"""The worst laws of a sampling region: inside it, and worse than any that another search finds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln

from pufferfish.recoding.evidence import DirichletEvidence, Evidence
from pufferfish.recoding.witnesses import excess_upper
from pufferfish.recoding.worst_laws import worst_laws

KINDS = {"likelihood": Evidence, "dirichlet": DirichletEvidence}


def against(kind: str, counts: np.ndarray, law: np.ndarray) -> float:
    """Φ by its definition."""
    rows, found = counts.sum(), 0.0
    for count, p in zip(counts, law, strict=True):
        if count and kind == "likelihood":
            found += count * math.log(count / rows / p)
        elif count > 1:  # one row in a cell is as likely either way
            found += gammaln(count + rows * p) - gammaln(rows * p) - count * math.log(p)
            found -= gammaln(2 * count) - gammaln(count) - count * math.log(count / rows)
    return float(found)


def searched(
    kind: str, counts: list[np.ndarray], w: np.ndarray, v: np.ndarray, radius: float
) -> float:
    """The largest p·w − q·v that a general optimiser finds, from several starts."""
    size, best = len(w), -math.inf
    generator = np.random.default_rng(1)

    def laws(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        p, q = np.exp(x[:size] - x[:size].max()), np.exp(x[size:] - x[size:].max())
        return p / p.sum(), q / q.sum()

    def room(x: np.ndarray) -> float:
        return radius - sum(against(kind, c, p) for c, p in zip(counts, laws(x), strict=True))

    def value(x: np.ndarray) -> float:
        p, q = laws(x)
        return float(q @ v - p @ w)

    usual = np.log(np.concatenate([(each + 0.5) / each.sum() for each in counts]))
    for _ in range(6):
        start = usual + 0.05 * generator.normal(size=2 * size)
        found = minimize(
            value,
            start,
            constraints=[{"type": "ineq", "fun": room}],
            method="SLSQP",
            options={"maxiter": 400, "ftol": 1e-12},
        )
        if room(found.x) >= -1e-7:
            best = max(best, -found.fun)
    return best


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_no_other_search_finds_worse_laws(kind: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    size = int(generator.integers(2, 6))
    counts = [generator.integers(0, 80, size).astype(float) + (seed % 2) for _ in range(2)]
    counts = [each + (each.sum() == 0) for each in counts]
    columns = generator.random((3, size))
    evidence = KINDS[kind](counts[0]), KINDS[kind](counts[1])
    radius = float(generator.uniform(0.5, 8.0))
    worst = worst_laws(evidence, (columns, 1.7 * columns), radius)
    upper = excess_upper(
        evidence,
        (columns, 1.7 * columns),
        np.column_stack([worst.above, worst.below, worst.price]),
        radius,
    )
    for y, column in enumerate(columns):
        spent = against(kind, counts[0], worst.first[y]) + against(kind, counts[1], worst.second[y])
        assert spent <= radius * (1.0 + 1e-9)  # what the definition itself rounds
        other = searched(kind, counts, column, 1.7 * column, radius)
        assert other <= upper[y] + 1e-7  # the optimiser leaves the region by up to 1e-7
        assert worst.excess[y] <= upper[y]
        # The bound is reached.
        assert upper[y] - worst.excess[y] <= 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_bad_witnesses_give_a_weaker_bound_and_never_a_stronger_one(kind: str) -> None:
    generator = np.random.default_rng(3)
    counts = np.array([40.0, 7.0, 1.0, 0.0]), np.array([12.0, 0.0, 30.0, 2.0])
    evidence = KINDS[kind](counts[0]), KINDS[kind](counts[1])
    columns = generator.random((5, 4))
    worst = worst_laws(evidence, (columns, 2.0 * columns), 4.0)
    witnesses = np.column_stack([worst.above, worst.below, worst.price])
    best = excess_upper(evidence, (columns, 2.0 * columns), witnesses, 4.0)
    for _ in range(200):
        others = witnesses * np.exp(0.5 * generator.normal(size=witnesses.shape))
        others[:, 1] = witnesses[:, 1] + 0.3 * generator.normal(size=5)
        found = excess_upper(evidence, (columns, 2.0 * columns), others, 4.0)
        assert (found >= worst.excess).all()
        assert (found >= best - 1e-6).all()  # the best are best up to what the search may be off


def test_a_column_that_says_nothing_costs_nothing() -> None:
    evidence = DirichletEvidence(np.array([5.0, 5.0])), DirichletEvidence(np.array([5.0, 9.0]))
    columns = np.array([[0.3, 0.3], [0.0, 0.0]])
    worst = worst_laws(evidence, (columns, 2.0 * columns), 3.0)
    assert worst.excess == pytest.approx([-0.3, 0.0])


def test_cells_that_nobody_saw_may_hold_as_much_as_the_rows_leave() -> None:
    # One value was seen n times: p of the other is at most 1 − e^{−t/n} by the likelihood.
    evidence = Evidence(np.array([30.0, 0.0])), Evidence(np.array([1e9, 0.0]))
    columns = np.array([[0.0, 1.0]])
    worst = worst_laws(evidence, (columns, np.zeros((1, 2))), 3.0)
    assert worst.excess[0] == pytest.approx(-math.expm1(-3.0 / 30.0), rel=1e-6)
