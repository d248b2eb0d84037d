"""Coupling bounds: the loss against 80 digits, never below the exact δ, in the order proven."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from numpy.typing import NDArray
from scipy.integrate import quad

import pufferfish as pf
from pufferfish.beliefs.priors import Components, Prior
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.theorems import coupling, thm_1
from pufferfish.transport import Displacement, MongeMap, comonotone, plan_displacement
from tests import reference
from tests.strategies import (
    epsilons,
    gaussians,
    missing_probabilities,
    mixtures,
    positions,
    priors,
    sizes,
    tables,
)
from tests.support import delta_of, plain_law, scenario_of

# Digits that survive e^{s²/2} with s up to 5e5, an exponent of 1.25e11.
DIGITS = 80
# More than the grid's share of a calibrated scale, 2⁻²³·(1 + δ-share), and the search's 1e-9.
GRID = 1e-6


def moved(*pieces: tuple[float, float, float], **counted: float) -> Displacement:
    """(weight, mean, std) of each piece."""
    weights, means, stds = map(np.array, zip(*pieces, strict=True))
    return Displacement(weights=weights, means=means, stds=stds, **counted)


def phi(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def folded_loss(mean: Any, std: Any, epsilon: Any, scale: Any) -> tuple[Any, Any]:
    """E(1 − e^{(ε − |V|/b)/2})_+ for V ~ N(mean, std²), and P(|V| > εb): closed forms."""
    with mp.workdps(DIGITS):
        mean, std, epsilon, scale = map(mpf, (mean, std, epsilon, scale))
        loss, mass, s = mpf(0), mpf(0), std / (2 * scale)
        for u in ((mean - epsilon * scale) / std, (-mean - epsilon * scale) / std):
            loss += phi(u) - mp.exp(s * s / 2 - u * s) * phi(u - s)
            mass += phi(u)
        return loss, mass


def folded_loss_by_quadrature(mean: float, std: float, epsilon: float, scale: float) -> float:
    """The same from the definition, over V = mean + std·z."""

    def integrand(z: float) -> float:
        far = (abs(mean + std * z) / scale - epsilon) / 2
        return -math.expm1(-max(far, 0.0)) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    edges = [(sign * epsilon * scale - mean) / std for sign in (-1, 1)]
    knots = sorted({-9.0, 9.0, *(z for z in edges if -9.0 < z < 9.0)})
    return math.fsum(
        quad(integrand, low, high, epsabs=1e-13, epsrel=1e-12, limit=200)[0]
        for low, high in pairwise(knots)
    )


# -------------------------------------------------------------------------------------------------
# The loss
# -------------------------------------------------------------------------------------------------


@given(
    st.floats(0.0, 8.0),
    st.floats(0.1, 4.0),
    st.floats(0.01, 4.0),
    st.floats(0.2, 4.0),
)
@settings(max_examples=25)
def test_the_loss_is_the_expectation_it_claims_to_be(
    mean: float, std: float, epsilon: float, scale: float
) -> None:
    true = folded_loss_by_quadrature(mean, std, epsilon, scale)
    closed, _ = folded_loss(mean, std, epsilon, scale)
    # Nine stds leave out 2e-19; the quadrature is asked for 1e-13 on at most three intervals.
    assert float(closed) == pytest.approx(true, rel=1e-11, abs=1e-12)
    bound = coupling.loss_upper(moved((1.0, mean, std)), epsilon, scale)
    assert bound == pytest.approx(true, rel=1e-11, abs=1e-11)


@given(
    st.floats(-6.0, 6.0),
    st.floats(-30.0, 30.0),
    st.floats(-3.0, 1.5),
    st.floats(-3.0, 3.0),
)
@settings(max_examples=300)
def test_the_loss_of_a_folded_normal_is_rounded_up_and_hardly_so(
    log_ratio: float, u: float, log_epsilon: float, log_scale: float
) -> None:
    scale, epsilon = 10.0**log_scale, 10.0**log_epsilon
    std = scale * 10.0**log_ratio
    mean = abs(epsilon * scale + u * std)
    true, mass = folded_loss(mean, std, epsilon, scale)
    bound = coupling.loss_upper(moved((1.0, mean, std)), epsilon, scale)
    assert min(true, 1) <= bound
    # The two terms cancel to a share of the mass that may be lost, and are each good to 1e-12.
    assert bound <= true * (1 + mpf("1e-9")) + mpf("1e-11") * mass


@pytest.mark.parametrize("ratio", [1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e6])
@pytest.mark.parametrize("u", [-30.0, -20.0, -8.0, -1.0, 0.0, 0.3, 1.0, 8.0, 30.0])
@pytest.mark.parametrize("epsilon", [0.07, 1.0, 9.3])
def test_the_loss_of_a_folded_normal_at_the_extremes(
    ratio: float, u: float, epsilon: float
) -> None:
    scale = 1.7
    std = scale * ratio
    mean = abs(epsilon * scale + u * std)
    true, mass = folded_loss(mean, std, epsilon, scale)
    bound = coupling.loss_upper(moved((1.0, mean, std)), epsilon, scale)
    assert min(true, 1) <= bound <= true * (1 + mpf("1e-9")) + mpf("1e-11") * mass


@given(st.floats(0.0, 1e6), st.floats(0.0, 50.0), st.floats(-6.0, 6.0))
@settings(max_examples=100)
def test_the_loss_of_a_fixed_distance(distance: float, epsilon: float, log_scale: float) -> None:
    scale = 10.0**log_scale
    bound = coupling.loss_upper(moved((1.0, distance, 0.0)), epsilon, scale)
    with mp.workdps(40):
        true = max(-mp.expm1((mpf(epsilon) - mpf(distance) / mpf(scale)) / 2), mpf(0))
    # The difference ε − d/b is rounded where d/b is near ε ≤ 50.
    assert true <= bound <= true * (1 + mpf("1e-14")) + mpf("1e-15") * (1 + epsilon)


@pytest.mark.parametrize("distance", [0.0, 0.5, 1.0])
def test_a_distance_within_epsilon_scales_costs_nothing_but_rounding(distance: float) -> None:
    # At d/b = ε exactly, only d/b's rounding up is left: a few units of 2⁻⁵³.
    assert coupling.loss_upper(moved((1.0, distance, 0.0)), 1.0, 1.0) <= 1e-15


def test_infinitely_far_is_lost() -> None:
    far = moved((0.25, math.inf, 0.0), (0.75, 0.0, 0.0))
    assert coupling.loss_upper(far, 1.0, 1.0) == pytest.approx(0.25, rel=1e-14)
    assert coupling.loss_upper(moved((0.75, 0.0, 0.0), lost=0.25), 1.0, 1.0) == 0.25


pieces_of_a_coupling = st.lists(
    st.tuples(st.integers(1, 20), st.floats(0.0, 9.0), st.just(0.0) | st.floats(0.01, 5.0)),
    min_size=1,
    max_size=5,
)


@given(pieces_of_a_coupling, epsilons, sizes, st.sampled_from([0.0, 1e-12, 0.01]))
def test_the_loss_of_a_coupling_is_the_mean_of_its_pieces(
    parts: list[tuple[int, float, float]], epsilon: float, scale: float, charge: float
) -> None:
    """And with a charge κ it is at most e^κ·loss(ε − κ)."""
    total = sum(count for count, _, _ in parts)
    pieces = [(count / total, mean, std) for count, mean, std in parts]
    found = coupling.loss_upper(moved(*pieces, charge=charge), epsilon, scale)
    with mp.workdps(DIGITS):
        inner, true = mpf(epsilon) - mpf(charge), mpf(0)
        for weight, mean, std in pieces:
            loss = max(-mp.expm1((inner - mpf(mean) / mpf(scale)) / 2), mpf(0))
            true += mpf(weight) * (folded_loss(mean, std, inner, scale)[0] if std else loss)
        true = min(true * mp.exp(charge), mpf(1))
    assert true <= found
    assert found <= true * (1 + mpf("1e-9")) + mpf("1e-11")


def test_a_charge_beyond_epsilon_leaves_nothing_to_claim() -> None:
    assert coupling.loss_upper(moved((1.0, 0.0, 0.0), charge=0.5), 0.25, 1.0) == 1.0


@given(gaussians, gaussians, epsilons, sizes)
def test_the_loss_is_at_most_the_probability_of_being_far(
    first: pf.Gaussian, second: pf.Gaussian, epsilon: float, scale: float
) -> None:
    monge = MongeMap(first, second).displacement
    # Up to the 1e-12, and the 1e-300 for each of two tails, that both are rounded up by.
    far = monge.exceeds_upper(epsilon * scale * (1 - 1e-15))
    assert coupling.loss_upper(monge, epsilon, scale) <= far * (1 + 3e-12) + 2.1e-300


# -------------------------------------------------------------------------------------------------
# Never below the truth
# -------------------------------------------------------------------------------------------------

grids = st.sampled_from([None, 2.0**-3, 2.0**-10, 2.0**-24])


@st.composite
def laplace(draw: st.DrawFn) -> pf.LaplaceNoise:
    return pf.LaplaceNoise(draw(sizes), draw(grids))


def only_pair(scenario: pf.Scenario) -> PairOfLaws:
    (laws,) = scenario.laws()
    return laws


@given(
    priors,
    priors,
    laplace(),
    st.just(0.0) | epsilons,
    missing_probabilities,
    missing_probabilities,
)
@settings(max_examples=120)
def test_the_bound_is_never_below_the_exact_delta(
    first: Prior,
    second: Prior,
    noise: pf.LaplaceNoise,
    epsilon: float,
    missing_first: float,
    missing_second: float,
) -> None:
    scenario = scenario_of(first, second, missing={"a": missing_first, "b": missing_second})
    exact = delta_of(scenario, noise, epsilon)
    assert exact.lower <= coupling.delta_upper(only_pair(scenario), noise, epsilon) <= 1.0


@given(priors, priors, laplace(), missing_probabilities, missing_probabilities)
@settings(max_examples=80)
def test_the_bound_is_never_below_the_exact_epsilon(
    first: Prior,
    second: Prior,
    noise: pf.LaplaceNoise,
    missing_first: float,
    missing_second: float,
) -> None:
    scenario = scenario_of(first, second, missing={"a": missing_first, "b": missing_second})
    bound = coupling.epsilon_upper(only_pair(scenario), noise)
    assert pf.pure_epsilon(scenario, noise).lower <= bound


@given(tables(), tables(), laplace())
@settings(max_examples=40)
def test_tables_have_a_finite_bound_on_epsilon(
    first: pf.Discrete, second: pf.Discrete, noise: pf.LaplaceNoise
) -> None:
    bound = coupling.epsilon_upper(only_pair(scenario_of(first, second)), noise)
    assert pf.pure_epsilon(scenario_of(first, second), noise).lower <= bound < math.inf


@given(priors, priors, sizes, epsilons)
@settings(max_examples=8)
def test_the_bound_is_never_below_the_reference(
    first: Prior, second: Prior, scale: float, epsilon: float
) -> None:
    """Against 40 digits that share no code with the library."""
    bound = coupling.delta_upper(
        only_pair(scenario_of(first, second)), pf.LaplaceNoise(scale), epsilon
    )
    laws = plain_law(first), plain_law(second)
    for p, q in (laws, laws[::-1]):
        assert reference.hockey_stick(p, q, epsilon, ("laplace", scale)) <= bound


@given(priors, priors, st.just(0.0) | epsilons)
@settings(max_examples=40)
def test_without_noise_the_bound_is_never_below_the_exact_delta(
    first: Prior, second: Prior, epsilon: float
) -> None:
    scenario = scenario_of(first, second)
    bound = coupling.delta_upper(only_pair(scenario), pf.NoNoise(), epsilon)
    assert delta_of(scenario, pf.NoNoise(), epsilon).lower <= bound <= 1.0
    limit = coupling.epsilon_upper(only_pair(scenario), pf.NoNoise())
    assert pf.pure_epsilon(scenario, pf.NoNoise()).lower <= limit


@given(positions, positions, laplace(), epsilons)
def test_for_two_values_known_for_certain_the_bound_is_the_truth(
    x: float, y: float, noise: pf.LaplaceNoise, epsilon: float
) -> None:
    scenario = scenario_of(pf.Discrete([x], [1.0]), pf.Discrete([y], [1.0]))
    continuous = pf.LaplaceNoise(noise.scale)
    exact = delta_of(scenario, continuous, epsilon)
    bound = coupling.delta_upper(only_pair(scenario), continuous, epsilon)
    assert bound == pytest.approx(exact.upper, abs=1e-9)  # what the exact enclosure aims at
    ratio = abs(x - y) / noise.scale
    assert ratio <= coupling.epsilon_upper(only_pair(scenario), continuous) <= ratio * (1 + 1e-15)


# -------------------------------------------------------------------------------------------------
# Any plan will do, and the best is used
# -------------------------------------------------------------------------------------------------


def random_plan(p: Components, q: Components, rng: np.random.Generator) -> NDArray[np.float64]:
    """Between the independent plan and one that fills rows and columns in a random order."""
    corner = np.zeros((p.weights.size, q.weights.size))
    rows, columns = p.weights.copy(), q.weights.copy()
    for m in rng.permutation(rows.size):
        for l in rng.permutation(columns.size):
            corner[m, l] = min(rows[m], columns[l])
            rows[m] -= corner[m, l]
            columns[l] -= corner[m, l]
    share = rng.choice([0.0, 0.5, 1.0])
    return share * corner + (1 - share) * np.outer(p.weights, q.weights)


@given(mixtures(4), mixtures(4), sizes, epsilons, st.integers(0, 2**32))
@settings(max_examples=40)
def test_any_plan_bounds_the_exact_delta(
    first: pf.GaussianMixture,
    second: pf.GaussianMixture,
    scale: float,
    epsilon: float,
    seed: int,
) -> None:
    """The repair of Theorem 2: Σ w_ml·loss_ml for every plan w, not only for the optimal one."""
    p, q = first.components(), second.components()
    plan = random_plan(p, q, np.random.default_rng(seed))
    with mp.workdps(DIGITS):
        loss = mpf(0)
        for (m, l), weight in np.ndenumerate(plan):
            mean, std = p.means[m] - q.means[l], p.stds[m] - q.stds[l]
            fixed = max(-mp.expm1((mpf(epsilon) - abs(mpf(mean)) / mpf(scale)) / 2), mpf(0))
            spread = abs(std)
            loss += mpf(weight) * (
                folded_loss(mean, spread, epsilon, scale)[0] if spread else fixed
            )
    scenario, noise = scenario_of(first, second), pf.LaplaceNoise(scale)
    # The plan's rows and columns are rounded.
    assert delta_of(scenario, noise, epsilon).lower <= loss + mpf("1e-14")
    found = coupling.loss_upper(plan_displacement(p, q, plan), epsilon, scale)
    assert loss <= found <= loss * (1 + mpf("1e-9")) + mpf("1e-11")
    # And the plan that is used is no worse, but for the solver's tolerance.
    assert coupling.delta_upper(only_pair(scenario), noise, epsilon) <= found + 1e-8


@given(priors, priors, sizes, epsilons)
@settings(max_examples=30)
def test_the_best_coupling_counts(
    first: Prior, second: Prior, scale: float, epsilon: float
) -> None:
    laws = only_pair(scenario_of(first, second))
    assume(not (isinstance(first, pf.Gaussian) and isinstance(second, pf.Gaussian)))
    found = coupling.delta_upper(laws, pf.LaplaceNoise(scale), epsilon)
    own = comonotone(first, second).displacement
    assert found <= coupling.loss_upper(own, epsilon, scale)


# -------------------------------------------------------------------------------------------------
# Calibration
# -------------------------------------------------------------------------------------------------


def scale_of(found: pf.Calibration) -> float:
    """0 where no noise is needed."""
    return found.noise.scale if isinstance(found.noise, pf.LaplaceNoise) else 0.0


deltas = st.sampled_from([1e-9, 1e-6, 1e-3, 0.05, 0.3])


@given(gaussians, gaussians, st.floats(0.1, 3.0), deltas)
@settings(max_examples=40)
def test_the_order_of_the_bounds(
    first: pf.Gaussian, second: pf.Gaussian, epsilon: float, delta: float
) -> None:
    """Theorem 1 ≥ folded normal quantile ≥ expected loss ≥ what is private at all."""
    goal, scenario = pf.Guarantee(epsilon, delta), scenario_of(first, second)
    theorem = thm_1.scale(first, second, goal)
    quantile = MongeMap(first, second).displacement.quantile_upper(delta) / epsilon
    expected = scale_of(pf.calibrate(scenario, goal, method="coupling"))
    exact = scale_of(pf.calibrate(scenario, goal))
    # At Δμ = 0 these two are one number; the quantile is rounded up by 1e-12 of δ.
    assert quantile <= theorem * (1 + 1e-11)
    # The calibrated scales have paid for their grids.
    assert expected <= quantile * (1 + GRID)
    assert exact <= expected * (1 + GRID)
    assert exact <= theorem * (1 + GRID)
    certified = pf.calibrate(scenario, goal, method="thm-1")
    assert certified.certified


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_two_gaussians_need_the_root_of_the_expected_loss(delta: float, epsilon: float) -> None:
    first, second = pf.Gaussian(10.0, 2.5), pf.Gaussian(11.0, 2.0)
    low, high = mpf("1e-3"), mpf(100)
    for _ in range(60):
        middle = (low + high) / 2
        if folded_loss(1, 0.5, epsilon, middle)[0] > delta:
            low = middle
        else:
            high = middle
    found = pf.calibrate(
        scenario_of(first, second), pf.Guarantee(epsilon, delta), method="coupling"
    )
    assert found.certified
    assert high <= found.noise.scale <= high * (1 + GRID)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize(("distance", "epsilon"), [(1.0, 1.0), (3.0, 0.2), (1e-5, 2.0)])
def test_two_values_need_a_closed_form(distance: float, epsilon: float, delta: float) -> None:
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([distance], [1.0]))
    found = pf.calibrate(scenario, pf.Guarantee(epsilon, delta), method="coupling")
    least = distance / (epsilon - 2 * math.log1p(-delta))  # 1 − e^{(ε − d/b)/2} = δ
    assert least <= found.noise.scale <= least * (1 + GRID)
    assert found.certified


@given(mixtures(), mixtures(), st.floats(0.1, 3.0), deltas)
@settings(max_examples=12)
def test_what_a_coupling_finds_for_mixtures_is_always_certified(
    first: pf.GaussianMixture, second: pf.GaussianMixture, epsilon: float, delta: float
) -> None:
    goal, scenario = pf.Guarantee(epsilon, delta), scenario_of(first, second)
    found = pf.calibrate(scenario, goal, method="coupling")
    assert found.certified
    assert found.method == "coupling"
    assert scale_of(pf.calibrate(scenario, goal)) <= scale_of(found) * (1 + GRID)


@given(priors, priors, missing_probabilities, missing_probabilities, deltas)
@settings(max_examples=20)
def test_what_a_coupling_finds_for_any_priors_is_always_certified(
    first: Prior, second: Prior, missing_first: float, missing_second: float, delta: float
) -> None:
    scenario = scenario_of(first, second, missing={"a": missing_first, "b": missing_second})
    try:
        found = pf.calibrate(scenario, pf.Guarantee(1.0, delta), method="coupling")
    except pf.UnreachableGoalError:
        # Holes that betray the secret whatever the noise is.
        holes = [(missing_first, missing_second), (missing_second, missing_first)]
        least = max(
            max(m - math.e * n, 0.0) + max((1 - m) - math.e * (1 - n), 0.0) for m, n in holes
        )
        # With noise without end X says nothing, and the coupling bound still leaves its grid.
        assert least >= delta * (1 - 1e-6)
        return
    assert found.certified


@given(tables(), tables(), st.floats(0.1, 3.0))
@settings(max_examples=15)
def test_tables_are_pure_at_their_largest_distance(
    first: pf.Discrete, second: pf.Discrete, epsilon: float
) -> None:
    found = pf.calibrate(scenario_of(first, second), pf.Guarantee(epsilon), method="coupling")
    assert found.certified
    assert found.certificate.epsilon_upper <= epsilon


def test_the_counterexample_to_theorem_2_is_bounded() -> None:
    """0.95·N(0,1) + 0.05·N(10,1) against N(0,1): the one plan moves 0.05 by 10."""
    first = pf.GaussianMixture([0.95, 0.05], [0.0, 10.0], [1.0, 1.0])
    scenario, goal = scenario_of(first, pf.Gaussian(0.0, 1.0)), pf.Guarantee(1.0, 1e-3)
    found = pf.calibrate(scenario, goal, method="coupling")
    assert found.certified
    # 0.05·(1 − e^{(1 − 10/b)/2}) = 1e-3 is what the plan of components alone would need.
    plan = 10.0 / (1.0 - 2.0 * math.log1p(-1e-3 / 0.05))
    exact = pf.calibrate(scenario, goal)
    assert exact.noise.scale < found.noise.scale <= plan * (1 + GRID)


@pytest.mark.parametrize(
    "pair",
    [
        (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 1.5)),
        (pf.Gaussian(0.0, 1.0), pf.Discrete([0.0], [1.0])),
        (pf.Gaussian(0.0, 1.0), pf.GaussianMixture([0.5, 0.5], [0.0, 1.0], [1.0, 1.5])),
    ],
)
def test_delta_0_needs_a_distance_that_is_bounded(pair: tuple[Prior, Prior]) -> None:
    with pytest.raises(pf.UnsupportedError, match="the method exact"):
        pf.calibrate(scenario_of(*pair), pf.Guarantee(1.0), method="coupling")


def test_gaussian_noise_is_refused() -> None:
    pair = pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0)
    with pytest.raises(pf.UnsupportedError, match="Laplace"):
        pf.calibrate(
            scenario_of(*pair), pf.Guarantee(1.0, 0.1), mechanism="gaussian", method="coupling"
        )
    laws = only_pair(scenario_of(*pair))
    with pytest.raises(pf.UnsupportedError, match="Laplace"):
        coupling.shortfall(laws, pf.GaussianNoise(1.0), pf.Guarantee(1.0, 0.1))
