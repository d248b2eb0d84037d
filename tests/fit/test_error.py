"""How far a fit is from the data: against plain numerics, and what rests on it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, wasserstein_distance

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.fit.error import FitError, fit_error
from tests.strategies import gaussians, mixtures, tables
from tests.support import delta_of, scenario_of

smooth = st.one_of(gaussians, mixtures())


def error_of(
    law: Prior,
    data: pf.Discrete,
    noise: pf.Noise | None = None,
    step: float = 1.0,
    radius: float = 0.0,
) -> FitError:
    return fit_error(law, data, step=step, radius=radius, noise=noise)


@given(smooth, st.lists(st.integers(-80, 80), min_size=1, max_size=40))
@settings(max_examples=60)
def test_ks_is_that_of_the_test(law: Prior, rows: list[int]) -> None:
    sample = np.array(rows) / 16
    values, counts = np.unique(sample, return_counts=True)
    data = pf.Discrete(values, counts / sample.size)
    found = error_of(law, data)
    assert found.ks == pytest.approx(kstest(sample, law.cdf).statistic, rel=1e-9, abs=1e-12)


@given(smooth, st.lists(st.integers(-10, 10), min_size=1, max_size=30))
@settings(max_examples=60)
def test_ks_of_the_law_rounded_to_the_steps(law: Prior, rows: list[int]) -> None:
    """Round the law to whole numbers, and compare the two functions at all of them."""
    grid = np.arange(-60, 61)
    rounded = law.cdf(grid + 0.5)
    table = np.array([sum(row <= place for row in rows) / len(rows) for place in grid])
    values, counts = np.unique(np.array(rows, dtype=np.float64), return_counts=True)
    found = error_of(law, pf.Discrete(values, counts / len(rows)), step=1.0)
    assert found.ks_rounded == pytest.approx(float(np.abs(rounded - table).max()), abs=1e-12)


def area_between(law: Prior, data: pf.Discrete) -> tuple[float, float]:
    """∫|F − G| on a fine mesh, and by how much at most it is off: a step per jump and crossing."""
    edges = [*(law.mean + z * math.sqrt(law.variance) for z in (-40, 40)), *data.values.tolist()]
    mesh = np.linspace(min(edges) - 1, max(edges) + 1, 800_001)
    step = mesh[1] - mesh[0]
    middle = 0.5 * (mesh[1:] + mesh[:-1])
    return float(np.abs(law.cdf(middle) - data.cdf(middle)).sum() * step), 2 * step


@given(smooth, tables())
@settings(max_examples=40)
def test_w_1_is_the_area_between(law: Prior, data: pf.Discrete) -> None:
    found = error_of(law, data).w_1_upper
    area, off = area_between(law, data)
    assert found >= area - off
    assert found <= area + off + 1e-6 * area


@given(smooth, tables())
@settings(max_examples=20)
def test_w_1_is_that_of_a_large_sample_of_quantiles(law: Prior, data: pf.Discrete) -> None:
    """Quantiles in the middle of n equal shares lie within about spread/n of the law."""
    n = 20_000
    levels = (np.arange(n) + 0.5) / n
    sample = law.quantile(levels)
    distance = wasserstein_distance(sample, data.values, None, data.probabilities)
    off = 20 * (math.sqrt(law.variance) + 1) / n + float(sample[-1] - sample[0]) / n
    assert error_of(law, data).w_1_upper == pytest.approx(distance, abs=off)


def test_w_1_in_closed_form() -> None:
    """A standard normal and the atom 0: E|X| = √(2/π); never below, and hardly above."""
    point = pf.Discrete([0.0], [1.0])
    for std in (1e-6, 1.0, 1e6):
        found = error_of(pf.Gaussian(0.0, std), point).w_1_upper
        assert found >= std * math.sqrt(2 / math.pi)
        assert found == pytest.approx(std * math.sqrt(2 / math.pi), rel=1e-8)
    far = error_of(pf.Gaussian(1e9, 1.0), pf.Discrete([1e9], [1.0])).w_1_upper
    assert far == pytest.approx(math.sqrt(2 / math.pi), rel=1e-6)
    # All mass on one side: the difference of the means.
    apart = error_of(pf.Gaussian(100.0, 1.0), pf.Discrete([0.0, 2.0], [0.5, 0.5])).w_1_upper
    assert apart >= 99.0
    assert apart == pytest.approx(99.0, rel=1e-8)


def test_the_width_of_bins_is_added() -> None:
    law, data = pf.Gaussian(0.0, 1.0), pf.Discrete([-1.0, 1.0], [0.5, 0.5])
    plain = error_of(law, data)
    wide = error_of(law, data, radius=0.25)
    assert wide.w_1_upper == pytest.approx(plain.w_1_upper + 0.25, rel=1e-12)
    noise = pf.LaplaceNoise(1.0)
    one, other = error_of(law, data, noise), error_of(law, data, noise, radius=0.25)
    assert other.total_variation_upper > one.total_variation_upper
    assert other.kappa_upper >= one.kappa_upper + 2 * 0.25


def test_the_table_itself_is_not_off() -> None:
    data = pf.Discrete([-1.0, 1.0], [0.5, 0.5])
    found = error_of(data, data, pf.LaplaceNoise(1.0))
    assert (found.ks, found.ks_rounded, found.w_1_upper) == (0.0, 0.0, 0.0)
    assert found.kappa_upper == 0.0
    assert found.total_variation_upper == 0.0
    assert error_of(data, data).kappa_upper is None
    assert error_of(data, data).total_variation_upper is None


@given(
    smooth,
    tables(),
    st.sampled_from(
        [
            pf.LaplaceNoise(1.5),
            pf.LaplaceNoise(4.0, 2.0**-4),
            pf.GaussianNoise(2.0),
            pf.GaussianNoise(3.0, 2.0**-6),
        ]
    ),
)
@settings(max_examples=25)
def test_variation_and_kappa_are_never_below(
    law: Prior, data: pf.Discrete, noise: pf.Noise
) -> None:
    """The total variation of Y by the exact oracle, κ by its bound from below."""
    found = error_of(law, data, noise)
    scenario = scenario_of(law, data)
    exact = delta_of(scenario, noise, 0.0)
    assert found.total_variation_upper >= exact.lower
    assert found.total_variation_upper <= exact.upper
    assert found.kappa_upper >= pf.pure_epsilon(scenario, noise).lower


@given(
    st.lists(tables(), min_size=2, max_size=2),
    st.lists(smooth, min_size=2, max_size=2),
    st.sampled_from(
        [pf.LaplaceNoise(3.0), pf.LaplaceNoise(8.0, 0.125), pf.GaussianNoise(5.0, 2.0**-10)]
    ),
    st.floats(0.2, 2.0),
)
@settings(max_examples=25)
def test_a_promise_for_the_fit_is_one_for_the_data(
    data: list[pf.Discrete], fits: list[Prior], noise: pf.Noise, epsilon: float
) -> None:
    """(ε, δ) for the fitted laws is (ε, δ + (1 + e^ε)·η) and (ε + 2κ, e^κ·δ) for the tables."""
    errors = [error_of(law, each, noise) for law, each in zip(fits, data, strict=True)]
    eta = max(error.total_variation_upper for error in errors)
    kappa = max(error.kappa_upper for error in errors)
    believed, true = scenario_of(*fits), scenario_of(*data)
    delta = delta_of(believed, noise, epsilon).upper
    allowed = delta + (1 + math.exp(epsilon)) * eta
    assert delta_of(true, noise, epsilon).lower <= allowed
    if allowed < 1:
        goal = pf.Guarantee(epsilon, allowed * (1 + 1e-12))
        assert pf.verify(true, noise, goal).holds is not False
    if math.isfinite(kappa):
        assert delta_of(true, noise, epsilon + 2 * kappa).lower <= math.exp(kappa) * delta
        pure = pf.pure_epsilon(believed, noise).upper
        assert pf.pure_epsilon(true, noise).lower <= pure + 2 * kappa


def test_the_error_of_a_fit_absorbs_it() -> None:
    """The whole way: fit, calibrate for the fit with room for its error, verify on the table."""
    table = pf.datasets.hungarian_cholesterol()
    summary = pf.summarise(table, column="chol", secret="sex")
    noise = pf.LaplaceNoise(400.0)
    report = pf.fit_report(summary, family="mixture", noise=noise)
    eta = max(group.error.total_variation_upper for group in report.groups)
    laws = {group.secret: group.prior for group in report.groups}
    believed = pf.Scenario(pf.Belief(laws))
    true = pf.Scenario(pf.Belief(dict(pf.fit_belief(summary, family="empirical").priors)))
    delta = delta_of(believed, noise, 0.1).upper
    goal = pf.Guarantee(0.1, delta + (1 + math.exp(0.1)) * eta)
    assert pf.verify(true, noise, goal).holds is True
    kappa = max(group.error.kappa_upper for group in report.groups)
    pure = pf.pure_epsilon(believed, noise).upper
    assert pf.verify(true, noise, pf.Guarantee(pure + 2 * kappa)).holds is True


@pytest.mark.parametrize("noise", ["laplace", 3.0])
def test_noise_must_be_noise(noise: object) -> None:
    with pytest.raises(pf.InvalidInputError):
        error_of(pf.Gaussian(0.0, 1.0), pf.Discrete([0.0], [1.0]), noise)
