"""Plans between components: marginals, least cost, every tie, and no mass that goes unnoticed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment, linprog

import pufferfish as pf
from pufferfish.transport import (
    MongeMap,
    least_cost_plan,
    mixture_plan,
    plan_displacement,
)
from tests.strategies import gaussians, mixtures

Array = NDArray[np.float64]

# What the solver is asked for is 1e-10, of masses that are at most 1.
FEASIBLE = 1e-9


def costs_of(first: pf.GaussianMixture, second: pf.GaussianMixture) -> Array:
    """(μ_m − μ_l)² + (σ_m − σ_l)², one pair at a time."""
    return np.array(
        [
            [
                (mu - nu) ** 2 + (sigma - rho) ** 2
                for nu, rho in zip(second.means, second.stds, strict=True)
            ]
            for mu, sigma in zip(first.means, first.stds, strict=True)
        ]
    )


def least_cost(a: Array, b: Array, costs: Array) -> float:
    """The linear program with a dense matrix and an interior point method."""
    rows, columns = costs.shape
    constraints = np.vstack(
        [np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))]
    )
    found = linprog(costs.ravel(), A_eq=constraints, b_eq=[*a, *b], method="highs-ipm")
    assert found.status == 0
    return float(found.fun)


def apart(rng: np.random.Generator, count: int) -> pf.GaussianMixture:
    """A random mixture in general position: no two costs, and no two plans, are the same."""
    return pf.GaussianMixture(
        rng.dirichlet(np.ones(count)), rng.normal(0.0, 4.0, count), rng.uniform(0.1, 3.0, count)
    )


def missed(weights: Array, a: Array, b: Array) -> Fraction:
    """Σ|row sum − α| + Σ|column sum − β|, exactly."""
    exact = [[Fraction(entry) for entry in row] for row in weights.tolist()]
    rows = [sum(row) - Fraction(share) for row, share in zip(exact, a.tolist(), strict=True)]
    columns = [
        sum(column) - Fraction(share)
        for column, share in zip(zip(*exact, strict=True), b.tolist(), strict=True)
    ]
    return sum(map(abs, rows + columns), Fraction(0))


@given(mixtures(5), mixtures(4))
def test_it_is_a_plan_between_the_weights(
    first: pf.GaussianMixture, second: pf.GaussianMixture
) -> None:
    plan = mixture_plan(first, second)
    assert np.all(plan.weights >= 0.0)
    np.testing.assert_allclose(plan.weights.sum(axis=1), plan.first.weights, atol=FEASIBLE, rtol=0)
    np.testing.assert_allclose(plan.weights.sum(axis=0), plan.second.weights, atol=FEASIBLE, rtol=0)
    assert np.all(plan.optimal_arcs[plan.weights > 0.0])
    # A vertex: at most one arc less than there are components.
    assert np.count_nonzero(plan.weights) <= sum(plan.weights.shape) - 1


@given(mixtures(5), mixtures(4))
def test_the_cost_is_that_of_another_solver(
    first: pf.GaussianMixture, second: pf.GaussianMixture
) -> None:
    costs = costs_of(first, second)
    expected = least_cost(np.array(first.weights), np.array(second.weights), costs)
    # Both solvers leave a mass of 1e-8 or so, and a reduced cost of as much, unaccounted for.
    assert mixture_plan(first, second).cost == pytest.approx(expected, abs=1e-7 * costs.max())


@given(mixtures(4), mixtures(4))
@settings(max_examples=10)
def test_the_cost_is_that_of_its_own_weights(
    first: pf.GaussianMixture, second: pf.GaussianMixture
) -> None:
    plan = mixture_plan(first, second)
    total = sum(
        Fraction(float(plan.weights[m, l]))
        * (
            (Fraction(float(plan.first.means[m])) - Fraction(float(plan.second.means[l]))) ** 2
            + (Fraction(float(plan.first.stds[m])) - Fraction(float(plan.second.stds[l]))) ** 2
        )
        for m, l in product(*map(range, plan.weights.shape))
    )
    assert plan.cost == pytest.approx(float(total), rel=1e-13)  # a few roundings of positive terms


@st.composite
def shares(draw: st.DrawFn, units: int = 12) -> list[int]:
    """Whole numbers above 0 that sum to `units`."""
    cuts = draw(st.sets(st.integers(1, units - 1), max_size=4))
    ends = [0, *sorted(cuts), units]
    return [high - low for low, high in pairwise(ends)]


@given(shares(), shares(), st.integers(0, 2**32))
def test_the_cost_is_that_of_the_best_assignment_of_units(
    a: list[int], b: list[int], seed: int
) -> None:
    """With weights k/12 the program is an assignment of 12 units to 12 units, solved exactly."""
    rng = np.random.default_rng(seed)
    first, second = (
        pf.GaussianMixture(
            [count / 12 for count in counts],
            rng.normal(0.0, 4.0, len(counts)),
            rng.uniform(0.1, 3.0, len(counts)),
        )
        for counts in (a, b)
    )
    units = np.repeat(np.repeat(costs_of(first, second), a, axis=0), b, axis=1)
    rows, columns = linear_sum_assignment(units)
    plan = mixture_plan(first, second)
    assert plan.cost == pytest.approx(units[rows, columns].sum() / 12, abs=FEASIBLE * units.max())
    # In general position the best plan is the only one.
    best = np.zeros_like(plan.weights)
    np.add.at(best, (np.repeat(range(len(a)), a)[rows], np.repeat(range(len(b)), b)[columns]), 1)
    np.testing.assert_allclose(plan.weights, best / 12, atol=FEASIBLE, rtol=0)


@given(gaussians, gaussians)
def test_one_component_each_is_the_monge_map(first: pf.Gaussian, second: pf.Gaussian) -> None:
    plan, monge = mixture_plan(first, second), MongeMap(first, second)
    assert plan.weights.tolist() == [[1.0]]
    assert plan.cost == monge.cost
    assert plan.map(0, 0) == monge
    # The plan counts the rounding of its weights as lost, whether there was any or not.
    assert plan.displacement.exceeds_upper(1.0) == pytest.approx(
        monge.displacement.exceeds_upper(1.0), rel=1e-15, abs=3e-15
    )
    assert plan.largest(np.array([[7.0]])) == 7.0


def test_one_component_against_many_has_one_plan() -> None:
    many = pf.GaussianMixture([0.5, 0.375, 0.125], [0.0, 3.0, -8.0], [1.0, 0.5, 2.0])
    plan = mixture_plan(pf.Gaussian(1.0, 1.0), many)
    np.testing.assert_allclose(plan.weights, [many.weights], atol=1e-15, rtol=0)  # solved exactly
    assert plan.map(0, 2) == MongeMap(pf.Gaussian(1.0, 1.0), pf.Gaussian(-8.0, 2.0))


@pytest.mark.parametrize("table", [pf.Discrete([0.0, 1.0], [0.5, 0.5]), pf.Discrete([3.0], [1.0])])
def test_tables_have_no_plan_of_components(table: pf.Discrete) -> None:
    for pair in ((table, pf.Gaussian(0.0, 1.0)), (pf.Gaussian(0.0, 1.0), table)):
        with pytest.raises(pf.UnsupportedError, match="comonotone"):
            mixture_plan(*pair)


@given(mixtures(4), mixtures(4), st.floats(0.0, 12.0))
@settings(max_examples=20)
def test_the_displacement_is_a_mixture_of_folded_normals(
    first: pf.GaussianMixture, second: pf.GaussianMixture, distance: float
) -> None:
    plan = mixture_plan(first, second)
    total = 0.0
    for (m, l), weight in np.ndenumerate(plan.weights):
        gap = plan.first.means[m] - plan.second.means[l]
        spread = abs(plan.first.stds[m] - plan.second.stds[l])
        if spread == 0.0:
            total += weight * (abs(gap) > distance)
        else:
            law = NormalDist(gap, spread)
            total += weight * (law.cdf(-distance) + 1.0 - law.cdf(distance))
    # What the solver left unplaced counts as far, and 1 − cdf rounds at 1e-16.
    assert plan.displacement.exceeds_upper(distance) == pytest.approx(total, abs=FEASIBLE)


# -------------------------------------------------------------------------------------------------
# Ties
# -------------------------------------------------------------------------------------------------

Plan = dict[tuple[int, int], Fraction]


def vertices(a: list[Fraction], b: list[Fraction]) -> Iterator[Plan]:
    """All basic plans: on every set of len(a) + len(b) − 1 arcs without a cycle, the only one."""
    arcs = list(product(range(len(a)), range(len(b))))
    for basis in combinations(arcs, len(a) + len(b) - 1):
        plan = _on_tree(a, b, set(basis))
        if plan is not None and min(plan.values()) >= 0:
            yield plan


def _on_tree(a: list[Fraction], b: list[Fraction], left: set[tuple[int, int]]) -> Plan | None:
    """Peel leaves: a row or column with one arc left decides what that arc carries."""
    need: dict[tuple[str, int], Fraction] = {
        **{("row", m): share for m, share in enumerate(a)},
        **{("column", l): share for l, share in enumerate(b)},
    }
    plan: Plan = {}
    while left:
        for node in need:
            own = [arc for arc in left if ("row", arc[0]) == node or ("column", arc[1]) == node]
            if len(own) == 1:
                break
        else:
            return None  # a cycle
        arc = own[0]
        plan[arc] = carried = need[node]
        need["row", arc[0]] -= carried
        need["column", arc[1]] -= carried
        left = left - {arc}
    return plan if not any(need.values()) else None


def best_plans(
    a: list[Fraction], b: list[Fraction], costs: list[list[int]]
) -> tuple[Fraction, list[Plan]]:
    """The least cost, and every vertex that has it: their hull is the set of optimal plans."""
    priced = [
        (sum((w * costs[m][l] for (m, l), w in plan.items()), Fraction(0)), plan)
        for plan in vertices(a, b)
    ]
    least = min(cost for cost, _ in priced)
    return least, [plan for cost, plan in priced if cost == least]


# Components on a small lattice: many costs are equal, and so are many plans.
components = st.lists(
    st.tuples(st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=3, unique=True
)


@st.composite
def lattice_mixtures(draw: st.DrawFn) -> tuple[pf.GaussianMixture, list[Fraction]]:
    places = draw(components)
    eighths = draw(st.sampled_from([[4, 4], [2, 6], [1, 7]]))
    if len(places) == 3:
        eighths = draw(st.sampled_from([[2, 2, 4], [1, 3, 4], [4, 3, 1], [3, 2, 3]]))
    means, stds = zip(*places, strict=True)
    # Multiples of 1/8 are exact in doubles.
    law = pf.GaussianMixture([count / 8 for count in eighths], means, stds)
    return law, [Fraction(count, 8) for count in eighths]


@st.composite
def tied_cases(
    draw: st.DrawFn,
) -> tuple[pf.GaussianMixture, pf.GaussianMixture, Fraction, list[Plan]]:
    (first, a), (second, b) = draw(lattice_mixtures()), draw(lattice_mixtures())
    costs = [
        [
            int((mu - nu) ** 2 + (s - t) ** 2)
            for nu, t in zip(second.means, second.stds, strict=True)
        ]
        for mu, s in zip(first.means, first.stds, strict=True)
    ]
    return first, second, *best_plans(a, b, costs)


def value(plan: Plan, values: list[list[float]]) -> float:
    """Σ w·values, arcs of no mass left out."""
    return sum(float(w) * values[m][l] for (m, l), w in plan.items() if w > 0)


@given(tied_cases(), st.data())
@settings(max_examples=80)
def test_ties_take_the_largest_value(
    case: tuple[pf.GaussianMixture, pf.GaussianMixture, Fraction, list[Plan]], data: st.DataObject
) -> None:
    first, second, cost, best = case
    plan = mixture_plan(first, second)
    assert plan.cost == pytest.approx(float(cost), abs=FEASIBLE)
    used = {arc for each in best for arc, weight in each.items() if weight > 0}
    assert all(plan.optimal_arcs[arc] for arc in used)
    row = st.lists(
        st.integers(0, 9).map(float), min_size=len(second.means), max_size=len(second.means)
    )
    values = data.draw(st.lists(row, min_size=len(first.means), max_size=len(first.means)))
    expected = max(value(each, values) for each in best)
    assert plan.largest(np.array(values)) == pytest.approx(expected, abs=10 * FEASIBLE)


def test_the_lattice_has_ties_that_matter() -> None:
    """The laws above would be idle if the first optimal plan always had the largest value."""
    rng, raised = np.random.default_rng(1), 0
    places = [(mean, std) for mean in range(3) for std in range(1, 4)]
    for _ in range(100):
        first, second = (
            pf.GaussianMixture([0.5, 0.25, 0.25], *np.array(rng.permutation(places)[:3]).T)
            for _ in range(2)
        )
        plan, values = mixture_plan(first, second), rng.integers(0, 10, (3, 3)).astype(float)
        raised += plan.largest(values) > np.sum(plan.weights * values) + 0.01
    assert raised >= 10


@pytest.mark.parametrize("tau", [0.25, 1.0, 3.0])
def test_a_tie_between_moving_means_and_moving_stds(tau: float) -> None:
    """Every plan costs 4; one moves only means, by 2, the other only stds, by 2."""
    first = pf.GaussianMixture([0.5, 0.5], [-1.0, 1.0], [1.0, 3.0])
    second = pf.GaussianMixture([0.5, 0.5], [1.0, -1.0], [1.0, 3.0])
    plan = mixture_plan(first, second)
    assert plan.cost == pytest.approx(4.0, abs=FEASIBLE)
    assert plan.optimal_arcs.all()
    values = np.array([[2.0, 2.0 * tau], [2.0 * tau, 2.0]])
    assert plan.largest(values) == pytest.approx(max(2.0, 2.0 * tau), abs=FEASIBLE)
    assert plan.largest(np.array([[2.0, math.inf], [math.inf, 2.0]])) == math.inf


@pytest.mark.parametrize("step", [1e-3, 1e-5, -1e-3, -1e-5])
def test_what_is_no_tie_is_not_taken_for_one(step: float) -> None:
    """One std differs by a little, and the two plans above by 2·step in cost."""
    first = pf.GaussianMixture([0.5, 0.5], [-1.0, 1.0], [1.0, 3.0])
    second = pf.GaussianMixture([0.5, 0.5], [1.0, -1.0], [1.0 + step, 3.0])
    # Moving stds costs (4 + (2 − step)²)/2, moving means 4 + step²/2.
    moves_stds = step > 0.0
    values = (
        np.array([[1.0, 0.0], [0.0, 1.0]]) if moves_stds else np.array([[0.0, 1.0], [1.0, 0.0]])
    )
    plan = mixture_plan(first, second)
    assert plan.largest(values) == pytest.approx(0.0, abs=FEASIBLE)
    assert plan.largest(1.0 - values) == pytest.approx(1.0, abs=FEASIBLE)
    assert plan.largest(np.where(values > 0.0, math.inf, 2.0)) == pytest.approx(2.0, abs=FEASIBLE)


@given(tied_cases(), st.data())
@settings(max_examples=60)
def test_an_infinite_value_counts_where_an_optimal_plan_uses_it(
    case: tuple[pf.GaussianMixture, pf.GaussianMixture, Fraction, list[Plan]], data: st.DataObject
) -> None:
    first, second, _, best = case
    entries = st.sampled_from([0.0, 1.0, 2.0, 5.0, math.inf])
    row = st.lists(entries, min_size=len(second.means), max_size=len(second.means))
    values = data.draw(st.lists(row, min_size=len(first.means), max_size=len(first.means)))
    expected = max(value(each, values) for each in best)
    assert mixture_plan(first, second).largest(np.array(values)) == pytest.approx(
        expected, abs=10 * FEASIBLE
    )


def test_an_infinite_value_that_no_optimal_plan_uses_is_none() -> None:
    first = pf.GaussianMixture([0.5, 0.5], [0.0, 10.0], [1.0, 2.0])
    plan = mixture_plan(first, first.shift(1.0))
    assert plan.largest(np.array([[1.0, math.inf], [math.inf, 1.0]])) == 1.0


# -------------------------------------------------------------------------------------------------
# Small masses and other orders
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tiny", [1e-3, 1e-6, 1e-9, 1e-11, 1e-12, 1e-13, 1e-15, 1e-20, 1e-100])
@pytest.mark.parametrize("seed", range(3))
def test_tiny_weights_lose_nothing_but_what_is_counted(tiny: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (
        pf.GaussianMixture(
            [1.0 - 0.25 - 2 * tiny, 0.25, tiny, tiny], rng.normal(0, 9, 4), rng.uniform(1, 2, 4)
        )
        for _ in range(2)
    )
    plan = mixture_plan(first, second)
    lost = Fraction(plan.displacement.lost)
    assert missed(plan.weights, plan.first.weights, plan.second.weights) <= lost
    # Nothing is lost that is not tiny, nor more than what the solver is asked for.
    assert lost <= 8 * Fraction(tiny) + Fraction(4e-15)
    assert lost <= FEASIBLE


@pytest.mark.parametrize("tiny", [1e-3, 1e-6, 1e-9, 1e-11, 1e-12, 1e-13, 1e-15, 1e-20, 1e-100])
def test_a_tiny_component_far_away_is_far_away(tiny: float) -> None:
    """Whatever the coupling, X > 750 with probability `tiny`, and X' < 250 but for e^{−10000}."""
    near = pf.Gaussian(0.0, 1.0)
    first = pf.GaussianMixture([1.0 - tiny, tiny], [0.0, 1000.0], [1.0, 1.0])
    for plan in (mixture_plan(first, near), mixture_plan(near, first)):
        assert plan.displacement.exceeds_upper(500.0) >= tiny
        # Twice if the solver did not place it, and the rounding that is always counted.
        assert plan.displacement.exceeds_upper(500.0) <= 2.0 * tiny + 3e-15
        assert plan.displacement.reach >= 1000.0


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32))
def test_permuting_components_permutes_the_plan(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = apart(rng, rows), apart(rng, columns)
    plan = mixture_plan(first, second)
    p, q = rng.permutation(rows), rng.permutation(columns)
    shuffled = mixture_plan(
        *(
            pf.GaussianMixture(
                *(np.asarray(field)[order] for field in (law.weights, law.means, law.stds))
            )
            for law, order in ((first, p), (second, q))
        )
    )
    np.testing.assert_allclose(shuffled.weights, plan.weights[np.ix_(p, q)], atol=FEASIBLE, rtol=0)
    np.testing.assert_array_equal(shuffled.optimal_arcs, plan.optimal_arcs[np.ix_(p, q)])
    assert shuffled.cost == pytest.approx(plan.cost, rel=1e-7)
    swapped = mixture_plan(second, first)
    np.testing.assert_allclose(swapped.weights, plan.weights.T, atol=FEASIBLE, rtol=0)


@given(mixtures(4), mixtures(4), st.sampled_from([2.0**-40, 2.0**-10, 2.0**30]))
@settings(max_examples=15)
def test_another_unit_scales_the_cost(
    first: pf.GaussianMixture, second: pf.GaussianMixture, factor: float
) -> None:
    plan, other = (
        mixture_plan(first, second),
        mixture_plan(first.scale(factor), second.scale(factor)),
    )
    assert other.cost == pytest.approx(plan.cost * factor**2, rel=1e-7, abs=FEASIBLE * factor**2)


@pytest.mark.parametrize("seed", range(5))
def test_other_costs_and_forbidden_arcs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, costs = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3)), rng.normal(0, 1, (4, 3))
    free = least_cost_plan(a, b, costs)
    assert np.sum(free * costs) == pytest.approx(least_cost(a, b, costs), abs=1e-7)
    allowed = (free > 0.0) | (rng.random((4, 3)) < 0.4)
    # Another objective, so that the allowed arcs bind.
    held = least_cost_plan(a, b, -costs, allowed)
    assert not held[~allowed].any()
    priced = np.where(allowed, -costs, 1e3)
    assert np.sum(held * -costs) == pytest.approx(least_cost(a, b, priced), abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_any_plan_has_a_displacement(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = apart(rng, 3).components(), apart(rng, 2).components()
    independent = np.outer(p.weights, q.weights)
    moved = plan_displacement(p, q, independent)
    assert missed(independent, p.weights, q.weights) <= moved.lost
    assert moved.lost <= 1e-14  # the rounding of row and column sums, and 1e-15
    assert moved.weights.sum() == pytest.approx(1.0, abs=1e-14)
    half = plan_displacement(p, q, 0.5 * independent)
    # Half of each law is not placed: it counts twice, once for each law.
    assert half.lost == pytest.approx(1.0, abs=1e-14)
    assert half.exceeds_upper(1e9) >= 0.5


@pytest.mark.parametrize("outlier", [1e3, 1e5, 1e6])
def test_a_far_outlier_does_not_hide_the_other_costs(outlier: float) -> None:
    """Its cost is the square of its distance; the others still decide the plan among themselves."""
    law = pf.GaussianMixture([0.4, 0.4, 0.2], [0.0, 10.0, outlier], [1.0, 1.0, 1.0])
    for moved in (0.0, 1.0):
        plan = mixture_plan(law, law.shift(moved))
        gaps = np.abs(np.subtract.outer(plan.first.means, plan.second.means))
        assert plan.largest(gaps) == pytest.approx(moved, abs=1e-9)


@pytest.mark.parametrize("moved", [1.0, 50.0, 1000.0])
def test_a_large_common_cost_does_not_hide_small_differences(moved: float) -> None:
    law = pf.GaussianMixture([0.5, 0.5], [0.0, 0.0], [1.0, 1.0005])
    plan = mixture_plan(law, law.shift(moved))
    widenings = np.abs(np.subtract.outer(plan.first.stds, plan.second.stds))
    assert plan.largest(widenings) == 0.0
