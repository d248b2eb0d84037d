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
from pufferfish.adversary import accuracy_allowed, accuracy_upper, ideal_guess
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
    goal = pf.Guarantee(0.8)
    found = pf.calibrate(scenario, goal)
    guess = ideal_guess(scenario, found.noise, goal, pf.SecretPair("a", "b"))
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
    near = ideal_guess(scenario, pf.LaplaceNoise(1.0), pf.Guarantee(5.0), pf.SecretPair(0, 1))
    far = ideal_guess(scenario, pf.LaplaceNoise(1.0), pf.Guarantee(5.0), pf.SecretPair(0, 5))
    assert near.pair == (0, 1)
    assert near.before_upper == pytest.approx(norm.cdf(0.5), abs=1e-9)
    assert far.before_upper == pytest.approx(norm.cdf(2.5), abs=1e-9)
    assert near.after_upper < far.after_upper
    assert near.allowed == far.allowed
    assert accuracy_upper(scenario, pf.NoNoise()) == pytest.approx(far.before_upper)
