"""A promise by accuracy: how often the best guess between two secrets is right."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import pufferfish as pf
from pufferfish.beliefs.guarantee import guess_promised
from pufferfish.insight.guesses import accuracy_upper

ONE, OTHER = [0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4]
VALUES = [0.0, 1.0, 2.0, 3.0]
SCENARIO = pf.Scenario(
    pf.Belief({"a": pf.Discrete(VALUES, ONE), "b": pf.Discrete(VALUES, OTHER)}, provenance="public")
)


@given(st.floats(0.51, 0.999))
def test_the_promise_implies_the_guess_in_fractions(accuracy):
    """TV ≤ (e^ε − 1 + 2δ)/(e^ε + 1), with e^ε from above by its series."""
    goal = pf.guess_at_most(accuracy)
    epsilon = Fraction(goal.epsilon)
    factor = sum(epsilon**power / math.factorial(power) for power in range(6)) + epsilon**6
    variation = (factor - 1 + 2 * Fraction(goal.delta)) / (factor + 1)
    assert (1 + variation) / 2 <= Fraction(accuracy)
    assert (1 + variation) / 2 >= Fraction(accuracy) - Fraction(1, 10**9)
    assert guess_promised(goal) >= accuracy * (1.0 - 1e-11)


def test_it_is_told_as_what_it_is():
    assert str(pf.guess_at_most(0.6)) == "guess ≤ 60%"
    assert str(pf.guess_at_most(0.525)) == "guess ≤ 52.5%"
    assert guess_promised(pf.Guarantee(1.0, 0.2)) is None
    assert guess_promised(pf.Guarantee(2.0**-20)) is None
    for accuracy in (0.5, 0.4, 1.0, 0.5000001, math.nan):
        with pytest.raises(pf.InvalidInputError, match="accuracy"):
            pf.guess_at_most(accuracy)


def _published(law: pf.Recoding, prior: list[float]) -> list[Fraction]:
    """Σ_x P(x)·M(x,y) in fractions, from the whole numbers that are drawn."""
    rows = law.table.tolist()
    return [
        sum(Fraction(share) * row[y] / sum(row) for share, row in zip(prior, rows, strict=True))
        for y in range(len(law.outputs))
    ]


@pytest.mark.parametrize("accuracy", [0.55, 0.6, 0.7])
def test_a_recoding_keeps_it_exactly_and_loses_least(accuracy):
    found = pf.calibrate(
        SCENARIO, pf.guess_at_most(accuracy), mechanism="recode", floor=None, keep_histogram=False
    )
    one, other = (_published(found.mechanism, prior) for prior in (ONE, OTHER))
    variation = sum(abs(p - q) for p, q in zip(one, other, strict=True)) / 2
    assert (1 + variation) / 2 <= Fraction(accuracy) + Fraction(1, 10**15)  # priors are floats
    assert found.recode.rmse == pytest.approx(_least_error(accuracy, found), rel=1e-4)


def _least_error(accuracy: float, found: pf.Calibration) -> float:
    """The linear program with Σ t(y) ≤ 2g − 1 and t(y) ≥ ±(Q₁ − Q₂)(y), written anew."""
    size = len(VALUES)
    weights = np.add(ONE, OTHER) / 2  # public laws without frequencies: their mean
    cost = [w * (x - y) ** 2 for w, x in zip(weights, VALUES, strict=True) for y in VALUES]
    difference = np.subtract(ONE, OTHER)
    above, limits = [], []
    for y in range(size):
        for sign in (1, -1):
            row = np.zeros(size * size + size)
            row[y : size * size : size] = sign * difference
            row[size * size + y] = -1.0
            above.append(row)
            limits.append(0.0)
    # Σ_y |Q₁ − Q₂|(y) = 2·TV.
    above.append(np.append(np.zeros(size * size), np.ones(size)))
    limits.append(2.0 * (2.0 * accuracy - 1.0))
    sums = np.zeros((size, size * size + size))
    for x in range(size):
        sums[x, x * size : (x + 1) * size] = 1.0
    solved = linprog([*cost, *[0.0] * size], above, limits, sums, np.ones(size), method="highs")
    return math.sqrt(solved.fun)


def test_noise_is_the_least_that_keeps_it():
    goal = pf.guess_at_most(0.6)
    found = pf.calibrate(SCENARIO, goal)
    assert accuracy_upper(SCENARIO, found.mechanism) <= 0.6
    less = pf.LaplaceNoise(0.99 * found.noise.scale)
    assert accuracy_upper(SCENARIO, less) > 0.6


def test_laws_that_are_wrong_keep_it_too():
    """Mass moves from one value to another, as in a worst law."""
    wrong = 0.03
    found = pf.calibrate(
        SCENARIO, pf.guess_at_most(0.6), mechanism="recode", floor=None, wrong=wrong
    )
    generator = np.random.default_rng(5)
    matrix = found.mechanism.matrix
    worst = 0.0
    for _ in range(3_000):
        laws = [_moved(prior, wrong, generator) @ matrix for prior in (ONE, OTHER)]
        worst = max(worst, 0.5 + 0.25 * float(np.abs(laws[0] - laws[1]).sum()))
    assert 0.55 < worst <= 0.6
    plain = pf.calibrate(
        SCENARIO, pf.guess_at_most(0.6), mechanism="recode", floor=None, nominal=True
    )
    assert plain.recode.rmse < found.recode.rmse


def _moved(prior: list[float], wrong: float, generator: np.random.Generator) -> np.ndarray:
    """A law at total variation `wrong`: mass goes from one value to another."""
    law = np.array(prior)
    source, target = generator.permutation(len(law))[:2]
    mass = min(wrong, law[source])
    law[source] -= mass
    law[target] += mass
    return law
