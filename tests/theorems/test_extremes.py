"""Inputs at the edges of what is legal: bounds stay bounds, and nothing crashes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

import pufferfish as pf
from pufferfish.theorems import coupling, paper_scale
from pufferfish.transport import bounded_displacement, mixture_plan
from tests.support import scenario_of

D, G, M = pf.Discrete, pf.Gaussian, pf.GaussianMixture


def test_a_long_table_of_rare_atoms_keeps_its_distance() -> None:
    """Sums of 99,999 rounded masses would hide that the far atoms reach beyond the near one."""
    count, mass = 99_999, 1.49 / 2**62
    other = float(count * mass) - 32_000 / 2**62
    first = D([-10.0, *(k * 1e-300 for k in range(count))], [1 - count * mass] + [mass] * count)
    second = D([-10.0, -5.0], [1 - other, other])
    certificate = pf.composable(scenario_of(first, second), pf.LaplaceNoise(0.1), 0.0)
    assert certificate is not None
    assert certificate.distance_upper >= 10.0


@pytest.mark.parametrize("count", [20, 64, 200])
def test_binomial_tables_have_their_distance_whatever_their_tails(count: int) -> None:
    """Bin(n, ½) and 1 + Bin(n−1, ½) are coupled within 1, though tails are as rare as 1e-60."""
    first = D(range(count + 1), binom(count, 0.5).pmf(range(count + 1)))
    second = D(range(1, count + 1), binom(count - 1, 0.5).pmf(range(count)))
    bounded = bounded_displacement(first, second)
    assert bounded is not None
    assert bounded.reach == 1.0
    assert bounded.charge < 1e-8


@pytest.mark.parametrize("seed", range(40))
def test_mixtures_with_rare_components_have_a_plan(seed: int) -> None:
    """What fits to data leave behind: weights far below the solver's own tolerance."""
    rng = np.random.default_rng(seed)
    weights = 10.0 ** rng.uniform(-13, -9, rng.integers(1, 5))
    law = M(
        [1.0 - weights.sum(), *weights],
        rng.normal(0, 5, weights.size + 1),
        [1.0] * (weights.size + 1),
    )
    other = M(rng.dirichlet(np.ones(3)), rng.normal(0, 5, 3), rng.uniform(0.5, 2, 3))
    for pair in ((G(0.0, 1.0), law), (law, other)):
        plan = mixture_plan(*pair)
        assert plan.displacement.lost < 1e-9
        scenario = scenario_of(*pair)
        assert pf.composable(scenario, pf.LaplaceNoise(1.0), 1e-3) is not None
        assert pf.calibrate(scenario, pf.Guarantee(1.0, 1e-3), method="coupling").certified


SHARP = [
    (scenario_of(D([0.0], [1.0]), D([1.0], [1.0])), pf.Guarantee(1e-4, 1e-5)),
    (scenario_of(D([0.0], [1.0]), D([1.0], [1.0])), pf.Guarantee(1e-3, 1e-9)),
    (scenario_of(G(0.0, 1.0), G(1.0, 1.0)), pf.Guarantee(1e-4, 1e-9)),
    (scenario_of(G(200.0, 35.0), G(212.0, 35.0)), pf.Guarantee(3e-4, 1e-10)),
]


@pytest.mark.parametrize(("scenario", "goal"), SHARP)
def test_a_coupling_as_sharp_as_the_oracle_is_still_certified(
    scenario: pf.Scenario, goal: pf.Guarantee
) -> None:
    assert "coupling" in {each.name for each in pf.compare(scenario, goal).methods}
    found = pf.calibrate(scenario, goal, method="coupling")
    assert found.certified
    exact = pf.calibrate(scenario, goal).noise
    assert exact.std <= found.noise.std * (1 + 1e-6)  # the grid, and the search
    assert found.noise.std <= 1.3 * exact.std  # hardly any room between the two here


@pytest.mark.parametrize("epsilon", [700.0, 710.0, 800.0])
def test_identical_laws_at_a_large_epsilon(epsilon: float) -> None:
    scenario = scenario_of(G(0.0, 1.0), G(0.0, 1.0))
    goal = pf.Guarantee(epsilon)
    assert pf.verify(scenario, pf.LaplaceNoise(1.0), goal).holds
    assert pf.calibrate(scenario, goal).noise == pf.NoNoise()


@pytest.mark.parametrize("gap", [5e-324, 4e-309, 1e-200, 1e-95])
def test_values_that_almost_agree(gap: float) -> None:
    scenario = scenario_of(D([0.0], [1.0]), D([gap], [1.0]))
    certificate = pf.composable(scenario, pf.LaplaceNoise(1.0), 1e-5)
    assert certificate is not None
    assert certificate.distance_upper >= gap
    assert pf.calibrate(scenario, pf.Guarantee(1.0)).certified


def test_ratios_beyond_the_range_of_squares() -> None:
    laws = next(scenario_of(G(0.0, 1e80), G(0.0, 2e80)).laws())
    assert coupling.delta_upper(laws, pf.LaplaceNoise(1e-80), 1.0) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("scenario", "goal", "method"),
    [
        (scenario_of(D([0.0], [1.0]), D([1e-95], [1.0])), pf.Guarantee(1.0), "remark-1"),
        (scenario_of(D([0.0], [1.0]), D([1e98], [1.0])), pf.Guarantee(1e-3), "remark-1"),
        (scenario_of(G(0.0, 1.0), G(1.0, 2.0)), pf.Guarantee(1.0, 5e-324), "thm-1"),
    ],
)
def test_scales_that_cannot_be_computed_with_are_refused_as_such(
    scenario: pf.Scenario, goal: pf.Guarantee, method: str
) -> None:
    with pytest.raises(pf.UnreachableGoalError, match="outside the sizes that can be computed"):
        pf.calibrate(scenario, goal, method=method)  # type: ignore[arg-type]
    assert method in dict(pf.compare(scenario, goal).refused) or method == "thm-1"


def test_a_true_theorem_is_not_called_false() -> None:
    """Its scale holds; it is the promise that is finer than doubles can resolve."""
    scenario = scenario_of(G(0.0, 1000.0), G(1.0, 1001.0))
    with pytest.raises(pf.CertificationError, match="finer than the exact certificate") as caught:
        pf.calibrate(scenario, pf.Guarantee(1.0, 1e-20), method="thm-1")
    assert "does not hold" not in str(caught.value)
    with pytest.raises(pf.InvalidInputError, match="not known"):
        paper_scale("thm-3", scenario, pf.Guarantee(1.0, 0.1))


def test_a_refusal_shows_no_private_number() -> None:
    scenario = scenario_of(G(0.0, 1.0), G(0.0, 1.0), missing={"a": 0.123456, "b": 0.6})
    with pytest.raises(pf.UnreachableGoalError) as caught:
        pf.calibrate(scenario, pf.Guarantee(0.1))
    assert "0.1234" not in str(caught.value)
    assert "0.6" not in str(caught.value)


def test_a_cost_beyond_every_promise_is_refused() -> None:
    scenario = scenario_of(D([0.0], [1.0]), D([1e60], [1.0]))
    certificate = pf.composable(scenario, pf.LaplaceNoise(1e-60), 0.0)
    assert certificate is not None
    with pytest.raises(pf.UnsupportedError, match="more than any promise"):
        certificate.cost(1)


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.0])
def test_displacements_refuse_what_is_no_probability(bad: float) -> None:
    law = pf.transport.MongeMap(G(0.0, 1.0), G(1.0, 2.0)).displacement
    with pytest.raises(pf.InvalidInputError, match="delta"):
        law.quantile_upper(bad)
    with pytest.raises(pf.InvalidInputError, match="distance"):
        law.exceeds_upper(math.nan)
    with pytest.raises(pf.InvalidInputError, match="delta"):
        pf.theorems.tau(bad)
    with pytest.raises(pf.InvalidInputError, match="tau"):
        pf.theorems.tau(0.1, "typo")  # type: ignore[arg-type]
    with pytest.raises(pf.UnsupportedError, match="Monge"):
        pf.transport.MongeMap(D([0.0], [1.0]), G(0.0, 1.0))  # type: ignore[arg-type]
