"""Fig. 1: equal variances, and a supremum that is finite for one noise only."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples.paper import Written
from examples.paper.fig_1 import GAUSSIAN, LAPLACE, PRIORS, ratios
from scipy.integrate import quad
from scipy.stats import norm

from tests.paper.conftest import figure_of, series_of


def test_both_noises_have_the_variance_of_lap_4() -> None:
    assert LAPLACE.scale == 4.0
    assert LAPLACE.variance == 32.0
    assert GAUSSIAN.variance == pytest.approx(32.0, rel=1e-15)


def test_the_supremum_is_that_of_the_far_tail() -> None:
    p, q = PRIORS
    # log M(1/b) of one Gaussian less that of the other: the limit of the log-ratio.
    limit = abs(p.mean - q.mean) / 4.0 + abs(p.std**2 - q.std**2) / (2.0 * 4.0**2)
    found = ratios(LAPLACE)
    assert found.supremum.lower <= limit <= found.supremum.upper
    assert found.supremum.upper == pytest.approx(0.2992, abs=1e-3)  # near the paper's
    assert all(high <= found.supremum.upper for _, high in found.within)


def test_under_gaussian_noise_any_finite_number_is_of_a_range() -> None:
    found = ratios(GAUSSIAN)
    assert found.supremum.lower == math.inf
    maxima = [high for _, high in found.within]
    assert maxima == sorted(maxima)
    stds = [math.hypot(each.std, GAUSSIAN.std) for each in PRIORS]
    for reach, high in found.within:
        y = np.linspace(-reach, reach, 401)
        ratio = norm.logpdf(y, PRIORS[0].mean, stds[0]) - norm.logpdf(y, PRIORS[1].mean, stds[1])
        assert high == pytest.approx(np.abs(ratio).max(), rel=1e-12)


@pytest.mark.parametrize("place", [0, 1])
def test_the_densities_of_b_are_convolutions(written: Written, place: int) -> None:
    drawn = series_of(written, "fig-1", "b")[("Y", "Y'")[place]]
    prior = PRIORS[place]
    for index in (40, 190, 200, 333):
        y = float(drawn.x[index])

        def integrand(x: float, y: float = y) -> float:
            return float(norm.pdf(x, prior.mean, prior.std)) * math.exp(-abs(y - x) / 4.0) / 8.0

        # Smooth on both sides of y.
        sides = [quad(integrand, *ends, epsabs=1e-14)[0] for ends in ((-15.0, y), (y, 17.0))]
        wanted = sum(sides) if -15.0 < y < 17.0 else quad(integrand, -15.0, 17.0)[0]
        assert drawn.y[index] == pytest.approx(wanted, rel=1e-8)


def test_the_band_is_the_supremum_and_only_gaussian_noise_leaves_it(written: Written) -> None:
    drawn = series_of(written, "fig-1", "d")
    low, high = drawn["within the supremum"].y
    assert (low, high) == (-high, ratios(LAPLACE).supremum.upper)
    assert np.abs(drawn["Laplace noise"].y).max() <= high
    assert np.abs(drawn["Gaussian noise"].y).max() > 2.0 * high


def test_it_says_that_the_priors_are_chosen(written: Written) -> None:
    words = dict(figure_of(written, "fig-1").words)
    assert "We chose" in words["Here"]
    assert "not given" in words["In the paper"]
