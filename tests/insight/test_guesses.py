"""What an ideal adversary can guess, against brute force and direct integration."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import norm

import pufferfish as pf
from pufferfish.insight.guesses import (
    accuracy_allowed,
    accuracy_upper,
    auc_allowed,
    auc_upper,
    best_guess,
    by_heart,
    posterior_lower,
    posterior_upper,
    success,
    success_allowed,
    success_knowing,
    told_apart,
)
from tests.support import scenario_of

GOALS = [pf.Guarantee(epsilon, delta) for epsilon in (0.1, 1.0, 3.0) for delta in (0.0, 0.01, 0.3)]


def best_possible(goal: pf.Guarantee) -> float:
    """By linear programming: two laws on four outputs that keep the promise, and the best guess.

    Variables: p_1..p_4, q_1..q_4. Guessed is the first secret on outputs 1 and 2.
    """
    factor = math.exp(goal.epsilon)
    rows, bounds = [], []
    for outputs in range(1, 16):
        chosen = np.array([outputs >> bit & 1 for bit in range(4)], dtype=float)
        rows += [np.concatenate([chosen, -factor * chosen])]
        rows += [np.concatenate([-factor * chosen, chosen])]
        bounds += [goal.delta, goal.delta]
    right = -0.5 * np.array([1, 1, 0, 0, 0, 0, 1, 1], dtype=float)
    sums = np.array([[1] * 4 + [0] * 4, [0] * 4 + [1] * 4], dtype=float)
    found = linprog(right, A_ub=np.array(rows), b_ub=bounds, A_eq=sums, b_eq=[1.0, 1.0])
    assert found.success
    return float(-found.fun)


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_what_a_promise_allows_is_the_best_over_all_mechanisms(goal: pf.Guarantee) -> None:
    assert accuracy_allowed(goal) == pytest.approx(best_possible(goal), abs=1e-7)


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_no_two_point_mechanism_that_keeps_the_promise_beats_it(goal: pf.Guarantee) -> None:
    p, q = np.meshgrid(np.linspace(0.0, 1.0, 401), np.linspace(0.0, 1.0, 401))
    factor, delta = math.exp(goal.epsilon), goal.delta
    kept = np.ones_like(p, dtype=bool)
    for a, b in ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)):
        kept &= a <= factor * b + delta
    best = (0.5 + 0.5 * np.abs(p - q))[kept].max()
    assert best <= accuracy_allowed(goal) + 1e-12
    assert best >= accuracy_allowed(goal) - 0.005


def test_the_extremes() -> None:
    assert accuracy_allowed(pf.Guarantee(1e-12)) == pytest.approx(0.5)
    assert accuracy_allowed(pf.Guarantee(800.0)) == 1.0
    assert accuracy_allowed(pf.Guarantee(1.0, 0.999999)) == pytest.approx(1.0, abs=1e-6)


GAUSSIANS = [
    (pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0)),
    (pf.Gaussian(-0.3, 0.8), pf.Gaussian(0.9, 1.7)),
    (pf.Gaussian(2.0, 0.5), pf.Gaussian(2.0, 3.0)),
]


def direct(first: pf.Gaussian, second: pf.Gaussian, noise_std: float) -> float:
    """½ + ¼∫|p − q|, of the two laws with Gaussian noise."""
    laws = [norm(each.mean, math.hypot(each.std, noise_std)) for each in (first, second)]
    reach = 12.0 * max(law.std() for law in laws)
    points = np.linspace(-reach, reach, 49)
    total = sum(
        quad(lambda y: abs(laws[0].pdf(y) - laws[1].pdf(y)), low, high)[0]
        for low, high in pairwise(points)
    )
    return 0.5 + 0.25 * total


@pytest.mark.parametrize(("first", "second"), GAUSSIANS)
@pytest.mark.parametrize("std", [0.0, 0.5, 4.0])
def test_two_gaussians_against_integration(
    first: pf.Gaussian, second: pf.Gaussian, std: float
) -> None:
    noise = pf.GaussianNoise(std) if std else pf.NoNoise()
    found = accuracy_upper(scenario_of(first, second), noise)
    expected = direct(first, second, std)
    assert expected - 1e-7 <= found <= expected + 1e-6


def test_the_closed_form_of_two_gaussians() -> None:
    """Equal stds: the better guess is right with Φ(distance / 2σ)."""
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0))
    assert accuracy_upper(scenario, pf.NoNoise()) == pytest.approx(norm.cdf(0.5), abs=1e-9)
    assert accuracy_upper(scenario, pf.GaussianNoise(1.0)) == pytest.approx(
        norm.cdf(0.5 / math.sqrt(2)), abs=1e-9
    )


def test_two_values_with_laplace_noise() -> None:
    """TV of Lap(0, b) and Lap(d, b) is 1 − e^{−d/2b}."""
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([3.0], [1.0]))
    expected = 1.0 - 0.5 * math.exp(-3.0 / 4.0)
    assert accuracy_upper(scenario, pf.LaplaceNoise(2.0)) == pytest.approx(expected, abs=1e-9)
    assert accuracy_upper(scenario, pf.NoNoise()) == pytest.approx(1.0)


def test_a_simulated_adversary_does_as_well_as_the_ideal_one_and_no_better() -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.5, 1.0))
    found = pf.calibrate(scenario, pf.Guarantee(0.8))
    guess = best_guess(found, found.goal)
    generator, count = np.random.default_rng(5), 400_000
    secret = generator.integers(0, 2, count)
    values = generator.normal(1.5 * secret, 1.0)
    published = pf.Mechanism.from_calibration(found).apply(values)
    slack = 5.0 * math.sqrt(0.25 / count)
    # By symmetry the best guess is the nearer mean.
    for seen, bound in ((values, guess.before_upper), (published, guess.after_upper)):
        right = np.count_nonzero((seen > 0.75) == secret) / count
        assert abs(right - bound) < slack
    assert guess.after_upper <= guess.allowed < guess.before_upper


def test_a_guess_is_about_its_own_pair() -> None:
    laws = {each: pf.Gaussian(float(each), 1.0) for each in (0, 1, 5)}
    scenario = pf.Scenario(pf.Belief(laws))
    near = told_apart(scenario, pf.LaplaceNoise(1.0), pf.SecretPair(0, 1))
    far = told_apart(scenario, pf.LaplaceNoise(1.0), pf.SecretPair(0, 5))
    assert near[0] == pytest.approx(norm.cdf(0.5), abs=1e-9)
    assert far[0] == pytest.approx(norm.cdf(2.5), abs=1e-9)
    assert near[1] < far[1]
    assert accuracy_upper(scenario, pf.NoNoise()) == pytest.approx(far[0])


# AUC, and posteriors.


def simulated_auc(first: np.ndarray, second: np.ndarray) -> float:
    """P(score of the first > score of the second) + ½P(equal), over all pairs of draws."""
    order = np.sort(second)
    below = np.searchsorted(order, first, side="left")
    upto = np.searchsorted(order, first, side="right")
    return float((0.5 * (below + upto)).mean() / second.size)


@pytest.mark.parametrize("distance", [0.3, 1.0, 2.5])
def test_auc_of_two_gaussians(distance: float) -> None:
    """Equal stds: Φ(distance/(σ√2))."""
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(distance, 1.0))
    for noise_std in (0.0, 1.5):
        noise = pf.GaussianNoise(noise_std) if noise_std else pf.NoNoise()
        exact = norm.cdf(distance / math.hypot(1.0, noise_std) / math.sqrt(2.0))
        found = auc_upper(scenario, noise)
        # Above, and above by no more than what finitely many tangents leave.
        assert exact <= found <= exact + 1e-3


def test_auc_of_two_values_with_laplace_noise() -> None:
    """0 against d, scale b: the ROC curve is e^a·x up to x = e^{−a}/2, then 1 − e^{−a}/(4x) ...

    With a = d/b its area is 1 − e^{−a}·(1 + a/2)/2.
    """
    d, b = 3.0, 2.0
    a = d / b
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([d], [1.0]))
    exact = 1.0 - 0.5 * math.exp(-a) * (1.0 + 0.5 * a)
    by_hand = quad(
        lambda x: (
            math.exp(a) * x
            if x <= 0.5 * math.exp(-a)
            else (1.0 - 0.25 * math.exp(-a) / x if x <= 0.5 else 1.0 - math.exp(-a) * (1.0 - x))
        ),
        0.0,
        1.0,
        points=[0.5 * math.exp(-a), 0.5],
    )[0]
    assert by_hand == pytest.approx(exact, abs=1e-9)
    assert exact <= auc_upper(scenario, pf.LaplaceNoise(b)) <= exact + 1e-3


@pytest.mark.parametrize(("first", "second"), GAUSSIANS)
@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_no_simulated_test_beats_the_auc(
    first: pf.Gaussian, second: pf.Gaussian, scale: float
) -> None:
    """The likelihood ratio, which is the best score, on 200,000 draws of each law."""
    generator, count = np.random.default_rng(3), 200_000
    noise = pf.LaplaceNoise(scale)
    laws = [pf.output_law(each, noise) for each in (first, second)]
    draws = [
        generator.normal(each.mean, each.std, count) + generator.laplace(0.0, scale, count)
        for each in (first, second)
    ]
    scores = [laws[0].log_density(each) - laws[1].log_density(each) for each in draws]
    seen = simulated_auc(scores[0], scores[1])
    # The std of the estimate is below 0.5/√count: a false alarm is a matter of 5 of them.
    slack = 5.0 * 0.5 / math.sqrt(count)
    assert seen - slack <= auc_upper(scenario_of(first, second), noise) <= seen + slack + 1e-3
    # A bound for more noise than was added is too small, and is seen to be.
    assert auc_upper(scenario_of(first, second), pf.LaplaceNoise(2.0 * scale)) < seen - slack


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_the_auc_that_a_promise_allows_is_reached(goal: pf.Guarantee) -> None:
    """By saying the secret with probability δ, and else answering as ε alone allows."""
    keep = math.exp(goal.epsilon) / (1.0 + math.exp(goal.epsilon))
    rest = 1.0 - goal.delta
    # Outputs in the order of their likelihood ratio: surely the second, ..., surely the first.
    p = np.array([0.0, rest * (1.0 - keep), rest * keep, goal.delta])
    q = p[::-1]
    area = sum(
        p[i] * q[j] * (1.0 if i > j else 0.5 if i == j else 0.0) for i in range(4) for j in range(4)
    )
    assert area == pytest.approx(auc_allowed(goal), rel=1e-9)
    assert area <= auc_allowed(goal)


def test_more_noise_never_means_a_larger_auc() -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 2.0))
    found = [auc_upper(scenario, pf.LaplaceNoise(scale)) for scale in (0.1, 0.5, 2.0, 8.0)]
    assert found == sorted(found, reverse=True)
    assert found[-1] >= 0.5
    assert found[0] <= auc_upper(scenario, pf.NoNoise()) <= 1.0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_calibrated_release_allows_no_more_than_its_promise(epsilon: float) -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 2.0))
    goal = pf.Guarantee(epsilon)
    after, allowed = success(scenario, pf.calibrate(scenario, goal).noise), success_allowed(goal)
    assert after.accuracy_upper <= allowed.accuracy_upper
    assert after.auc_upper <= allowed.auc_upper
    assert after.epsilon_upper <= allowed.epsilon_upper


def test_the_posterior_that_bayes_gives_stays_within_its_bounds() -> None:
    """Over all values, of a calibrated release; the bounds are reached."""
    first, second = pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0)
    noise = pf.LaplaceNoise(1.3)
    epsilon = pf.pure_epsilon(scenario_of(first, second), noise).upper
    y = np.linspace(-60.0, 60.0, 20_001)
    p, q = (np.exp(pf.output_law(each, noise).log_density(y)) for each in (first, second))
    for prior in (0.01, 0.24, 0.5, 0.9):
        posterior = prior * p / (prior * p + (1.0 - prior) * q)
        low, high = posterior_lower(prior, epsilon), posterior_upper(prior, epsilon)
        assert low <= posterior.min()
        assert posterior.max() <= high
        assert posterior.max() == pytest.approx(high, rel=1e-6)
        assert posterior.min() == pytest.approx(low, rel=1e-6)


def test_posteriors_of_known_odds() -> None:
    assert posterior_upper(0.24, 1.0) == pytest.approx(0.4619, abs=5e-5)
    assert posterior_upper(0.5, 1.0) == pytest.approx(accuracy_allowed(pf.Guarantee(1.0)))
    assert posterior_upper(0.3, math.inf) == 1.0
    assert posterior_lower(0.3, math.inf) == 0.0
    # Of the other secret it is the other bound.
    assert posterior_lower(0.3, 0.7) == pytest.approx(1.0 - posterior_upper(0.7, 0.7))
    for prior in (0.0, 1.0, -0.1, math.nan):
        with pytest.raises(pf.InvalidInputError):
            posterior_upper(prior, 1.0)


def test_a_promise_with_delta_bounds_no_posterior() -> None:
    assert success_allowed(pf.Guarantee(1.0, 1e-6)).epsilon_upper == math.inf
    assert success_allowed(pf.Guarantee(1.0)).epsilon_upper == 1.0


# --- recodings ----------------------------------------------------------------------------------

TABLES = {
    "a": pf.Discrete.from_counts({1: 10, 2: 50, 3: 30, 4: 10}),
    "b": pf.Discrete.from_counts({1: 40, 2: 30, 3: 20, 4: 10}),
}


def best_area(p: np.ndarray, q: np.ndarray) -> float:
    """P(a value of p has a larger ratio p/q than one of q) + ½P(the same ratio)."""
    ratios = p / q
    larger = (ratios[:, None] > ratios).astype(float) + 0.5 * (ratios[:, None] == ratios)
    return float(p @ larger @ q)


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_what_is_guessed_from_a_recoded_value(epsilon: float) -> None:
    """Accuracy exactly, AUC from above and nearly: against both laws of what is published."""
    scenario = pf.Scenario(pf.Belief(TABLES, provenance="public"))
    found = pf.calibrate(scenario, pf.Guarantee(epsilon), mechanism="recode", floor=None)
    law = found.mechanism
    assert isinstance(law, pf.Recoding)
    p, q = (TABLES[each].probabilities @ law.matrix for each in "ab")
    p, q = p[p + q > 0.0], q[p + q > 0.0]
    reached = success(scenario, law)
    assert reached.accuracy_upper == pytest.approx(0.5 + 0.25 * np.abs(p - q).sum(), abs=1e-12)
    exact = best_area(p, q)
    assert exact <= reached.auc_upper <= exact + 0.004
    assert reached.epsilon_upper <= epsilon
    allowed = success_allowed(pf.Guarantee(epsilon))
    assert reached.auc_upper <= allowed.auc_upper + 1e-4


def test_a_map_that_changes_nothing_is_no_noise() -> None:
    holes = {"a": 0.1, "b": 0.05}
    scenario = pf.Scenario(pf.Belief(TABLES, missing=holes))
    law = pf.Recoding.from_matrix([1.0, 2.0, 3.0, 4.0, None], np.eye(5))
    assert auc_upper(scenario, law) == pytest.approx(auc_upper(scenario, pf.NoNoise()), abs=1e-9)


# --- given what is known ------------------------------------------------------------------------

# For each z its probability under either secret.
KNOWN = {
    "nothing": [(1.0, 1.0)],
    "little": [(0.5, 0.45), (0.5, 0.55)],
    "much": [(0.9, 0.1), (0.1, 0.9)],
    "all": [(1.0, 0.0), (0.0, 1.0)],
    "of three": [(0.2, 0.3), (0.7, 0.1), (0.1, 0.6)],
}


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("goal", GOALS)
def test_the_best_guess_of_somebody_who_knows(known: str, goal: pf.Guarantee) -> None:
    """The formula of docs/theory/known-columns.md; it is found here from four signs."""
    factor, delta, shares = math.exp(goal.epsilon), goal.delta, KNOWN[known]
    formula = 0.5 * sum(
        max(a + b * delta, b + a * delta, (a + b) * (factor + delta) / (1.0 + factor))
        for a, b in shares
    )
    found = success_knowing(shares, goal.epsilon, delta)
    assert formula <= found.accuracy_upper <= formula + 1e-11 or found.accuracy_upper == 1.0
    assert found.accuracy_upper == pytest.approx(formula)


@pytest.mark.parametrize("goal", GOALS)
def test_knowing_nothing_leaves_what_the_promise_does(goal: pf.Guarantee) -> None:
    found, allowed = success_knowing([(1.0, 1.0)], goal.epsilon, goal.delta), success_allowed(goal)
    assert found.accuracy_upper == pytest.approx(allowed.accuracy_upper)
    assert found.auc_upper == pytest.approx(allowed.auc_upper)


@pytest.mark.parametrize("known", KNOWN)
def test_what_is_known_says_something_by_itself(known: str) -> None:
    shares = np.array(KNOWN[known])
    found = success_knowing(KNOWN[known], 0.0)
    assert found.accuracy_upper == pytest.approx(shares.max(axis=1).sum() / 2.0)
    # All pairs of one z of each: right where the likelihood ratio is larger.
    (p, q), ratio = shares.T, np.arctan2(*shares.T)
    larger = (ratio[:, None] > ratio) + 0.5 * (ratio[:, None] == ratio)
    assert found.auc_upper == pytest.approx(float(p @ larger @ q))


@pytest.mark.parametrize("known", KNOWN)
def test_no_release_that_keeps_the_promise_lets_anybody_do_better(known: str) -> None:
    """Random pairs of laws with a ratio of at most e^ε, a pair for each z; first the worst."""
    source, epsilon = np.random.default_rng(3), 0.7
    limit = success_knowing(KNOWN[known], epsilon)
    best = 0.0
    worst = np.array([math.exp(epsilon), 1.0]) / (1.0 + math.exp(epsilon))
    for number in range(200):
        first, second = [], []
        for a, b in KNOWN[known]:
            p = worst if number == 0 else source.dirichlet(np.full(4, 0.3))
            tilt = np.exp(epsilon * source.choice([0.0, 1.0], p.size))
            q = worst[::-1] if number == 0 else p * tilt / (p * tilt).sum()
            first.append(a * p)
            second.append(b * q)
        p, q = np.concatenate(first), np.concatenate(second)
        there = p + q > 0.0
        reached = 0.5 * np.maximum(p, q).sum()
        best = max(best, reached)
        assert reached <= limit.accuracy_upper
        ratios = np.arctan2(p[there], q[there])
        larger = (ratios[:, None] > ratios) + 0.5 * (ratios[:, None] == ratios)
        assert float(p[there] @ larger @ q[there]) <= limit.auc_upper + 1e-12
    assert best == pytest.approx(limit.accuracy_upper)


def test_frequencies_that_know_rows_by_heart_are_called_so() -> None:
    def scenario(each: int) -> pf.Scenario:
        laws = {
            name: pf.Discrete.from_counts({10 * k + shift: each for k in range(30)})
            for shift, name in enumerate("ab")
        }
        return pf.Scenario(pf.Belief(laws))

    assert "most values occur once" in by_heart(scenario(1).beliefs, scenario(1).pairs[0])
    assert by_heart(scenario(2).beliefs, scenario(2).pairs[0]) == ""
    smooth = pf.Scenario(pf.Belief({"a": pf.Gaussian(0, 1), "b": pf.Gaussian(1, 1)}))
    assert by_heart(smooth.beliefs, smooth.pairs[0]) == ""
