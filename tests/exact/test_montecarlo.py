"""The oracle against simulation.

HS_ε(P‖Q) = P(S) − e^ε·Q(S) for S = {log p/q > ε}. S is known in closed form (written anew here, in
plain NumPy), so drawing Y and counting gives exact binomial intervals for P(S) and Q(S), and with
them one for δ. False alarms: 1e-6 for each interval that is looked at.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from tests.support import plain_law, scenario_of

Noise = pf.LaplaceNoise | pf.GaussianNoise

FALSE_ALARM = 1e-6
DRAWS = 400_000


class Case(NamedTuple):
    first: Prior
    second: Prior
    noise: Noise
    epsilon: float


CASES = {
    "mixtures, Laplace": Case(
        pf.GaussianMixture([0.5, 0.5], [0.0, 6.0], [0.5, 0.25]),
        pf.GaussianMixture([0.25, 0.75], [2.0, 9.0], [0.5, 0.5]),
        pf.LaplaceNoise(1.0),
        0.5,
    ),
    "Gaussians, Laplace": Case(
        pf.Gaussian(0.0, 0.25), pf.Gaussian(1.5, 0.5), pf.LaplaceNoise(0.75), 0.25
    ),
    "tables, Laplace": Case(
        pf.Discrete([0.0, 1.0, 5.0], [0.5, 0.25, 0.25]),
        pf.Discrete([1.0, 3.0], [0.5, 0.5]),
        pf.LaplaceNoise(1.0),
        0.25,
    ),
    "table and mixture, Laplace": Case(
        pf.Discrete([0.0, 4.0], [0.75, 0.25]),
        pf.GaussianMixture([0.5, 0.5], [1.0, 4.0], [0.25, 0.5]),
        pf.LaplaceNoise(0.5),
        0.5,
    ),
    "mixtures, Gaussian": Case(
        pf.GaussianMixture([0.5, 0.5], [0.0, 6.0], [0.5, 0.25]),
        pf.GaussianMixture([0.25, 0.75], [2.0, 9.0], [0.5, 0.5]),
        pf.GaussianNoise(1.5),
        0.5,
    ),
    "tables, Gaussian": Case(
        pf.Discrete([0.0, 1.0, 5.0], [0.5, 0.25, 0.25]),
        pf.Discrete([1.0, 3.0], [0.5, 0.5]),
        pf.GaussianNoise(1.0),
        0.25,
    ),
}


def density(prior: Prior, noise: Noise, y: np.ndarray) -> np.ndarray:
    """The textbook formula, component by component; the ratios here are far from overflow."""
    total = np.zeros_like(y)
    for weight, mean, std in plain_law(prior):
        d = y - mean
        if isinstance(noise, pf.GaussianNoise):
            total += weight * stats.norm.pdf(d, scale=math.hypot(std, noise.std))
        elif std == 0.0:
            total += weight * stats.laplace.pdf(d, scale=noise.scale)
        else:
            a, z = std / noise.scale, d / std
            halves = [np.exp(a * a / 2 - a * x) * stats.norm.cdf(x - a) for x in (z, -z)]
            total += weight * (halves[0] + halves[1]) / (2 * noise.scale)
    return total


def draw(
    prior: Prior, noise: Noise, rng: np.random.Generator, shrink: float, count: int = DRAWS
) -> np.ndarray:
    """Y = X + shrink·N."""
    weights, means, stds = (np.array(column) for column in zip(*plain_law(prior), strict=True))
    chosen = rng.choice(weights.size, size=count, p=weights)
    x = means[chosen] + stds[chosen] * rng.standard_normal(count)
    if isinstance(noise, pf.LaplaceNoise):
        return x + shrink * rng.laplace(scale=noise.scale, size=count)
    return x + shrink * rng.normal(scale=noise.std, size=count)


def share_interval(hits: int, count: int) -> tuple[float, float]:
    """Clopper-Pearson, two-sided, at half the false alarm rate: there are two shares."""
    tail = FALSE_ALARM / 4
    low = stats.beta.ppf(tail, hits, count - hits + 1) if hits > 0 else 0.0
    high = stats.beta.isf(tail, hits + 1, count - hits) if hits < count else 1.0
    return float(low), float(high)


def simulated(case: Case, seed: int, shrink: float) -> pf.Enclosure:
    """An interval that holds HS_ε(first‖second) unless a one-in-a-million event happened."""
    rng = np.random.default_rng(seed)
    intervals = []
    for prior in (case.first, case.second):
        y = draw(prior, case.noise, rng, shrink)
        ratio = density(case.first, case.noise, y) / density(case.second, case.noise, y)
        hits = int(np.count_nonzero(ratio > math.exp(case.epsilon)))
        intervals.append(share_interval(hits, y.size))
    (p_low, p_high), (q_low, q_high) = intervals
    growth = math.exp(case.epsilon)
    return pf.Enclosure(p_low - growth * q_high, p_high - growth * q_low)


def enclosed(case: Case) -> pf.Enclosure:
    certificate = pf.verify(
        scenario_of(case.first, case.second), case.noise, pf.Guarantee(case.epsilon, 1e-3)
    )
    forward = certificate.results[0]
    assert forward.direction == ("a", "b")
    return pf.Enclosure(forward.delta_lower, forward.delta_upper)


def agrees(found: pf.Enclosure, interval: pf.Enclosure) -> bool:
    return interval.lower <= found.lower and found.upper <= interval.upper


@pytest.mark.parametrize("name", CASES)
def test_simulation_agrees(name: str) -> None:
    case = CASES[name]
    found = enclosed(case)
    assert found.upper - found.lower <= 1e-9  # so that containing it means something
    assert agrees(found, simulated(case, 101, shrink=1.0))


@pytest.mark.parametrize("name", CASES)
def test_simulation_of_a_tenth_less_noise_disagrees(name: str) -> None:
    case = CASES[name]
    assert not agrees(enclosed(case), simulated(case, 101, shrink=0.9))


@pytest.mark.parametrize("name", CASES)
def test_the_other_direction_too(name: str) -> None:
    first, second, noise, epsilon = CASES[name]
    case = Case(second, first, noise, epsilon)
    assert agrees(enclosed(case), simulated(case, 102, shrink=1.0))


def test_missing_values_and_simulation_agree() -> None:
    case, holes = CASES["tables, Laplace"], (0.25, 0.125)
    certificate = pf.verify(
        scenario_of(case.first, case.second, missing={"a": holes[0], "b": holes[1]}),
        case.noise,
        pf.Guarantee(case.epsilon, 1e-3),
    )
    growth = math.exp(case.epsilon)
    rng = np.random.default_rng(103)
    intervals = []
    # The set of outcomes where the first law exceeds e^ε times the second: the hole (0.25 against
    # 0.125·e^{0.25}) and the values where (1−m)p exceeds e^ε(1−m')p'.
    assert holes[0] > growth * holes[1]
    for prior, hole in ((case.first, holes[0]), (case.second, holes[1])):
        y = draw(prior, case.noise, rng, shrink=1.0)
        missing = rng.random(y.size) < hole
        p = (1 - holes[0]) * density(case.first, case.noise, y)
        q = (1 - holes[1]) * density(case.second, case.noise, y)
        hits = int(np.count_nonzero(missing | (p > growth * q)))
        intervals.append(share_interval(hits, y.size))
    (p_low, p_high), (q_low, q_high) = intervals
    interval = pf.Enclosure(p_low - growth * q_high, p_high - growth * q_low)
    forward = certificate.results[0]
    assert agrees(pf.Enclosure(forward.delta_lower, forward.delta_upper), interval)
