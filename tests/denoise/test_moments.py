"""Mean, variance and slope: intervals that cover, and corrections that matter."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import pufferfish as pf
from pufferfish import denoise
from pufferfish.denoise.law import noise_variance
from tests.denoise.simulate import (
    GAMMA,
    LAWS,
    Law,
    covers,
    inside,
    noise_like,
    releases,
)
from tests.support import scenario_of

# A few tests have few rows, or a column that contradicts its noise.
pytestmark = pytest.mark.filterwarnings("ignore::pufferfish.CoverageWarning")

# Mean, variance, slope.


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("name", LAWS)
def test_mean_variance_and_slope_cover_and_the_uncorrected_do_not(name: str, kind: str) -> None:
    law = LAWS[name]
    noise = noise_like(law, kind)
    hits = dict.fromkeys(
        [
            "mean",
            "variance",
            "slope",
            "plain variance",
            "plain slope",
            "less variance",
            "less slope",
        ],
        0,
    )
    less = (
        pf.LaplaceNoise(0.9 * noise.scale)
        if isinstance(noise, pf.LaplaceNoise)
        else pf.GaussianNoise(0.9 * noise.std)
    )
    for rng, x, y in releases(law, noise, n=5000, seed=1):
        # The spread of the outcome around the line depends on x.
        z = 2.0 - 0.5 * x + (0.5 + 0.1 * np.abs(x)) * rng.standard_normal(x.size)
        hits["mean"] += inside(denoise.mean(y, noise), law.mean)
        for word, told in (("", noise), ("plain ", pf.NoNoise()), ("less ", less)):
            hits[word + "variance"] += inside(denoise.variance(y, told), law.variance)
            hits[word + "slope"] += inside(denoise.slope(y, z, told), -0.5)
    assert covers(hits["mean"])
    assert covers(hits["variance"])
    assert covers(hits["slope"])
    assert not covers(hits["plain variance"])
    assert not covers(hits["plain slope"])
    # Told a noise that is 10% too small.
    assert not covers(hits["less variance"])
    assert not covers(hits["less slope"])


def test_the_standard_errors_are_the_spread_of_the_estimates() -> None:
    noise = noise_like(GAMMA, "laplace")
    found: list[list[denoise.Estimate]] = [[], [], []]
    for rng, x, y in releases(GAMMA, noise, n=4000, seed=2):
        z = 0.5 * x + rng.standard_normal(x.size)
        for kind, estimate in enumerate(
            (denoise.mean(y, noise), denoise.variance(y, noise), denoise.slope(y, z, noise))
        ):
            found[kind].append(estimate)
    for estimates in found:
        spread = np.std([e.value for e in estimates])
        stated = np.sqrt(np.mean(np.square([e.standard_error for e in estimates])))
        # The std of 400 normal numbers is known to 1/√800 = 3.5%; five times that.
        assert abs(stated / spread - 1.0) < 0.18


def test_without_noise_they_are_the_textbook_estimates() -> None:
    rng = np.random.default_rng(3)
    x = rng.gamma(2.0, 1.0, 500)
    z = 3.0 * x + rng.standard_normal(500)
    none = pf.NoNoise()
    assert denoise.mean(x, none).value == pytest.approx(np.mean(x), rel=1e-13)
    assert denoise.mean(x, none).standard_error == pytest.approx(stats.sem(x), rel=1e-12)
    assert denoise.variance(x, none).value == pytest.approx(np.var(x, ddof=1), rel=1e-12)
    assert denoise.slope(x, z, none).value == pytest.approx(stats.linregress(x, z).slope, rel=1e-12)


def test_the_slope_has_the_standard_error_of_its_influence_function() -> None:
    rng = np.random.default_rng(4)
    noise = pf.LaplaceNoise(1.0, grid=0.25)
    y, z = rng.gamma(4.0, 1.0, 300) + rng.laplace(0.0, 1.0, 300), rng.standard_normal(300)
    a, c = y - y.mean(), z - z.mean()
    rest = a @ a / 299 - noise_variance(noise)
    beta = a @ c / 299 / rest
    influence = (a * c - beta * (a * a - noise_variance(noise))) / rest
    found = denoise.slope(y, z, noise)
    assert found.value == pytest.approx(beta, rel=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(np.mean(influence**2) / 300), rel=1e-12)


def test_the_interval_of_a_slope_is_where_the_ratio_is_not_refuted() -> None:
    rng = np.random.default_rng(22)
    noise = pf.LaplaceNoise(0.7)
    x = 0.6 * rng.standard_normal(1500)
    y, z = x + rng.laplace(0.0, 0.7, 1500), x + 0.3 * rng.standard_normal(1500)
    a, c = y - y.mean(), z - z.mean()
    found = denoise.slope(y, z, noise)
    for end in (found.lower, found.upper):
        terms = a * c - end * (a * a - noise.variance)
        error = np.std(terms) / math.sqrt(1500)
        assert abs(np.mean(terms)) == pytest.approx(1.96 * error, rel=0.01)
    assert found.upper - found.value > 1.2 * (found.value - found.lower)


def test_a_slope_covers_where_the_noise_nearly_hides_it() -> None:
    """X has 0.3 of the noise's std: its variance is 1.7 standard errors above 0, or so."""
    noise = pf.LaplaceNoise(0.7)
    law = Law(lambda rng, n: 0.3 * rng.standard_normal(n), 0.0, 0.09, lambda q: math.nan)
    hits, symmetric, given = 0, 0, 0
    for rng, x, y in releases(law, noise, n=2000, seed=23, repeats=1500):
        z = x + 0.3 * rng.standard_normal(2000)
        try:
            found = denoise.slope(y, z, noise)
        except pf.UnsupportedError:
            continue
        given += 1
        hits += inside(found, 1.0)
        symmetric += abs(found.value - 1.0) <= 1.96 * found.standard_error
    assert 400 < given < 800
    assert covers(hits, repeats=given)
    assert not covers(symmetric, repeats=given)


def test_a_variance_that_the_noise_hides_is_given_as_it_is() -> None:
    noise = pf.LaplaceNoise(1.0)
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        found.append(denoise.variance(0.01 * rng.random(1000) + rng.laplace(0, 1, 1000), noise))
    below = [e for e in found if e.value < 0.0]
    assert 5 < len(below) < 35
    assert all("hides" in e.note for e in below if e.upper >= 0.0)
    # Cut off at 0 the mean would be far above the truth.
    assert np.mean([e.value for e in found]) == pytest.approx(0.0, abs=0.1)
    told_too_much = denoise.variance(
        np.random.default_rng(1).laplace(0, 1, 1000), pf.LaplaceNoise(2.0)
    )
    assert "clipped" in told_too_much.warning


def test_a_slope_that_the_noise_hides_is_refused() -> None:
    rng = np.random.default_rng(5)
    y, z = rng.laplace(0.0, 1.0, 2000), rng.standard_normal(2000)
    with pytest.raises(pf.UnsupportedError, match="say nothing about the slope"):
        denoise.slope(y, z, pf.LaplaceNoise(1.0))
    with pytest.raises(pf.UnsupportedError, match="constant"):
        denoise.slope([1.0] * 9, list(range(9)), pf.NoNoise())
    # An outcome that does not vary has a slope: 0.
    assert denoise.slope(y, np.ones(2000), pf.LaplaceNoise(0.5)).value == 0.0


def test_a_rounded_column_is_corrected_where_it_is_said_to_be() -> None:
    """A release as it is often made, through a mechanism and rounded to whole numbers."""
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0]))
    mechanism = pf.Mechanism.from_calibration(
        pf.calibrate(scenario, pf.Guarantee(1.0)),
        (pf.RoundTo(1.0),),
        entropy=pf.NotPrivateEntropy(1),
    )
    rng = np.random.default_rng(9)
    hits = dict.fromkeys(["variance", "slope", "variance as it is", "slope as it is"], 0)
    repeats = 100
    for _ in range(repeats):
        x = rng.gamma(4.0, 1.0, 20_000)
        y, z = mechanism.apply(x), 2.0 * x + rng.standard_normal(20_000)
        noise = mechanism.noise
        hits["variance"] += inside(denoise.variance(y, noise, rounded=1.0), 4.0)
        hits["slope"] += inside(denoise.slope(y, z, noise, rounded=1.0), 2.0)
        hits["variance as it is"] += inside(denoise.variance(y, noise), 4.0)
        hits["slope as it is"] += inside(denoise.slope(y, z, noise), 2.0)
    assert covers(hits["variance"], repeats=repeats)
    assert covers(hits["slope"], repeats=repeats)
    assert not covers(hits["slope as it is"], repeats=repeats)
    assert hits["variance as it is"] < hits["variance"]


@pytest.mark.parametrize("noise", [pf.LaplaceNoise(1.0, 1.0), pf.GaussianNoise(1.0, 0.5)])
def test_on_a_coarse_grid_only_the_mean_is_estimated(noise: pf.Noise) -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(0.5, 0.95, 3000)
    y = np.rint(x) + rng.integers(-3, 4, 3000)
    # Rounded to 1 (or 0.5) before the noise: the mean may be off by half of that, and says so.
    assert inside(denoise.mean(y, noise), x.mean())
    for estimate in (
        lambda: denoise.variance(y, noise),
        lambda: denoise.slope(y, x, noise),
        lambda: denoise.quantiles(y, noise, [0.5], support="smooth"),
        lambda: denoise.histogram(y, noise, [0.0, 1.0], support="smooth"),
    ):
        with pytest.raises(pf.UnsupportedError, match="grid"):
            estimate()


def test_a_clipped_column_is_noticed_where_many_rows_lie_at_its_end() -> None:
    rng = np.random.default_rng(12)
    noise = pf.LaplaceNoise(1.0)
    x = rng.gamma(4.0, 1.0, 5000)
    y = x + rng.laplace(0.0, 1.0, 5000)
    for clipped, end in (
        (np.maximum(y, 2.0), "smallest"),
        (np.minimum(y, 8.0), "largest"),
        (np.minimum(np.rint(y), 8.0), "largest"),
    ):
        for estimate in (
            lambda c=clipped: denoise.mean(c, noise),
            lambda c=clipped: denoise.variance(c, noise),
            lambda c=clipped: denoise.slope(c, x, noise),
        ):
            with pytest.warns(pf.CoverageWarning, match=f"equal the {end} value"):
                assert "clipped" in estimate().warning
    assert denoise.mean(y, noise).warning == ""
    # Without noise, ties are no news; nor are they in a column that was rounded.
    assert denoise.mean(np.rint(y), pf.NoNoise()).warning == ""
    assert denoise.mean(np.rint(y), noise, rounded=1.0).warning == ""


def test_a_clipped_column_has_no_variance_slope_or_unbounded_mean() -> None:
    rng = np.random.default_rng(13)
    x = rng.integers(0, 11, 3000).astype(float)
    noise = pf.LaplaceNoise(2.0)
    y = np.clip(x + rng.laplace(0.0, 2.0, 3000), 0.0, 10.0)
    for refused in (
        lambda: denoise.variance(y, noise, clipped=(0, 10)),
        lambda: denoise.slope(y, x, noise, clipped=(0, 10)),
        lambda: denoise.mean(y, noise, clipped=(0, 10)),
        lambda: denoise.mean(y, noise, clipped=(0, 10), support=1.0),
    ):
        with pytest.raises(
            pf.UnsupportedError, match="does not show how far values lie beyond a bound"
        ):
            refused()


def test_the_mean_of_a_clipped_column_of_listed_values_covers() -> None:
    """Half of what was published lies at a bound; its own mean is off by many standard errors."""
    rng = np.random.default_rng(15)
    noise, repeats, n = pf.LaplaceNoise(3.0), 60, 3000
    chances = np.array([0.05, 0.05, 0.3, 0.05, 0.05, 0.5])
    values = np.array([0.0, 1.0, 2.0, 5.0, 6.0, 7.0])
    truth, hits, plain = float(chances @ values), 0, 0
    for _ in range(repeats):
        y = rng.choice(values, n, p=chances) + rng.laplace(0.0, 3.0, n)
        y = np.clip(y, 0.0, 5.0)
        hits += inside(denoise.mean(y, noise, support=values, clipped=(0.0, 5.0)), truth)
        plain += abs(y.mean() - truth) < 1.96 * y.std() / math.sqrt(n)
    assert covers(hits, repeats=repeats)
    assert plain == 0


def test_few_rows_are_warned_of() -> None:
    rng = np.random.default_rng(16)
    y, noise = rng.gamma(4.0, 1.0, 1000) + rng.laplace(0.0, 1.0, 1000), pf.LaplaceNoise(1.0)
    for estimate in (
        lambda: denoise.mean(y[:49], noise),
        lambda: denoise.variance(y[:999], noise),
        lambda: denoise.slope(y[:999], y[:999] + rng.standard_normal(999), noise),
    ):
        with pytest.warns(pf.CoverageWarning, match="only (49|999) rows"):
            assert "93%" in estimate().warning
    assert denoise.mean(y[:50], noise).warning == denoise.variance(y, noise).warning == ""


def test_a_mean_of_coarsely_rounded_values_is_as_wide_as_rounding_may_move_it() -> None:
    noise = pf.LaplaceNoise(0.2)
    y = np.rint(0.4 + np.random.default_rng(17).laplace(0.0, 0.2, 5000))
    assert inside(denoise.mean(y, noise, rounded=1.0), 0.4)
    assert not inside(denoise.mean(y, noise), 0.4)
    with pytest.raises(pf.UnsupportedError, match="depends on X"):
        denoise.variance(y, noise, rounded=1.0)


def test_a_slope_of_a_column_narrower_than_its_noise_names_the_cause() -> None:
    rng = np.random.default_rng(14)
    y = np.clip(rng.normal(0.0, 1.0, 5000) + rng.laplace(0.0, 5.0, 5000), -2.0, 2.0)
    with pytest.raises(pf.UnsupportedError, match="clipped"):
        denoise.slope(y, rng.standard_normal(5000), pf.LaplaceNoise(5.0))
