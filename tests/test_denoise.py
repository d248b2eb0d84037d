"""Estimates from a published column: their intervals cover, and an uncorrected estimate's do not.

Coverage is counted over repeated releases. "Covers" means at least as often as 95% coverage does
with probability 1 − 1e-6 (binomial), so a test that is right fails once in a million seeds; the
seeds are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy import integrate, stats

import pufferfish as pf
from pufferfish import denoise
from pufferfish.denoise import bandwidth as bandwidth_rule
from pufferfish.denoise import columns, distribution
from pufferfish.denoise.bandwidth import RATIO_LAPLACE, choose_bandwidth
from pufferfish.denoise.curve import bin_column
from pufferfish.denoise.kernel import STEPS_PER_BANDWIDTH, weight_table
from pufferfish.denoise.law import inverse_characteristic, noise_variance

Array = npt.NDArray[np.float64]

REPEATS = 400
ALARM = 1e-6
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)


class Law(NamedTuple):
    """A law of X with what is known of it exactly."""

    draw: Callable[[np.random.Generator, int], Array]
    mean: float
    variance: float
    quantile: Callable[[float], float]


def bimodal(share: float, apart: float, std: float) -> Law:
    """N(−apart, std²) with probability share, else N(apart, std²)."""

    def draw(rng: np.random.Generator, n: int) -> Array:
        return np.where(rng.random(n) < share, -apart, apart) + std * rng.standard_normal(n)

    t = np.linspace(-10.0, 10.0, 400_001)
    cdf = share * stats.norm.cdf(t, -apart, std) + (1 - share) * stats.norm.cdf(t, apart, std)
    mean = apart * (1 - 2 * share)
    variance = std**2 + apart**2 - mean**2
    return Law(draw, mean, variance, lambda q: float(np.interp(q, cdf, t)))


GAMMA = Law(lambda rng, n: rng.gamma(4.0, 1.0, n), 4.0, 4.0, stats.gamma(4.0).ppf)
TWO_MODES = bimodal(0.4, 1.5, 0.7)
COUNTS = Law(
    lambda rng, n: rng.poisson(4.0, n).astype(float),
    4.0,
    4.0,
    lambda q: float(stats.poisson(4.0).ppf(q)),
)
LAWS = {"gamma": GAMMA, "two modes": TWO_MODES, "integers": COUNTS}


def noise_like(law: Law, kind: str, share: float = 1.0) -> pf.LaplaceNoise | pf.GaussianNoise:
    """Noise whose std is this share of that of X."""
    std = share * math.sqrt(law.variance)
    return pf.LaplaceNoise(std / math.sqrt(2.0)) if kind == "laplace" else pf.GaussianNoise(std)


def draw_noise(rng: np.random.Generator, noise: pf.Noise, n: int) -> Array:
    if isinstance(noise, pf.LaplaceNoise):
        return rng.laplace(0.0, noise.scale, n)
    return rng.normal(0.0, noise.std, n)


def releases(
    law: Law, noise: pf.Noise, *, n: int, seed: int, repeats: int = REPEATS
) -> Iterator[tuple[np.random.Generator, Array, Array]]:
    """X and Y, again and again."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        x = law.draw(rng, n)
        yield rng, x, x + draw_noise(rng, noise, n)


def covers(hits: int, *, repeats: int = REPEATS) -> bool:
    """Whether so many hits are no alarm for 95% coverage."""
    return hits >= stats.binom.ppf(ALARM, repeats, 0.95)


def inside(estimate: denoise.Estimate, truth: float) -> bool:
    return estimate.lower <= truth <= estimate.upper


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
    noise = pf.LaplaceNoise(1.0, grid=0.5)
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
    assert "clipped" in told_too_much.note


def test_a_slope_that_the_noise_hides_is_refused() -> None:
    rng = np.random.default_rng(5)
    y, z = rng.laplace(0.0, 1.0, 2000), rng.standard_normal(2000)
    with pytest.raises(pf.UnsupportedError, match="say nothing about the slope"):
        denoise.slope(y, z, pf.LaplaceNoise(1.0))
    with pytest.raises(pf.UnsupportedError, match="constant"):
        denoise.slope([1.0] * 9, list(range(9)), pf.NoNoise())
    # An outcome that does not vary has a slope: 0.
    assert denoise.slope(y, np.ones(2000), pf.LaplaceNoise(0.5)).value == 0.0


# The law of the noise.


@pytest.mark.parametrize("grid", [1.0, 0.5, 0.25, 2.0**-6])
@pytest.mark.parametrize("size", [1.0, 1.3])
def test_variance_and_characteristic_function_on_a_grid_are_those_of_the_sum(
    grid: float, size: float
) -> None:
    n = np.arange(-8000, 8001)
    laplace, gaussian = pf.LaplaceNoise(size, grid), pf.GaussianNoise(size, grid)
    omega = np.array([0.1, 0.7, 1.0, 2.0, 0.9 * math.pi])
    for noise, mass in (
        (laplace, np.exp(-np.abs(n) * (grid / size))),
        (gaussian, np.exp(-0.5 * (n * (grid / size)) ** 2)),
    ):
        total = mass.sum()
        assert noise_variance(noise) == pytest.approx(mass @ (n * grid) ** 2 / total, rel=1e-12)
        direct = np.cos(np.outer(omega, n * grid)) @ mass / total
        # The sum loses digits where φ is small; e^−8 is the smallest here.
        assert 1.0 / inverse_characteristic(noise, omega) == pytest.approx(direct, rel=1e-11)
    assert noise_variance(laplace) < laplace.variance


def test_on_a_fine_grid_the_variance_is_that_of_the_continuous_law() -> None:
    assert noise_variance(pf.LaplaceNoise(1.7, 2.0**-24)) == pytest.approx(2 * 1.7**2, rel=1e-14)
    assert noise_variance(pf.LaplaceNoise(1.7, 2.0**-300)) == pytest.approx(2 * 1.7**2, rel=1e-14)
    assert noise_variance(pf.GaussianNoise(1.7, 2.0**-24)) == 1.7**2
    assert noise_variance(pf.NoNoise()) == 0.0
    # What θ² is off by at the coarsest grid that is allowed.
    assert noise_variance(pf.GaussianNoise(1.0, 1.0)) == pytest.approx(1.0, rel=2.2e-7)
    assert noise_variance(pf.GaussianNoise(1.0, 1.0)) != pytest.approx(1.0, rel=2.0e-7)


# The weights.


def smooth_cdf(u: npt.ArrayLike) -> Array:
    """P(W ≤ u), by Gauss' rule; for |u| up to 200 or so."""
    s, weight = np.polynomial.legendre.leggauss(300)
    s, weight = 0.5 * (s + 1.0), 0.5 * weight
    heights = weight * (1.0 - s**2) ** 3 / s / math.pi
    return 0.5 + np.sin(np.multiply.outer(np.asarray(u, dtype=float), s)) @ heights


@pytest.mark.parametrize(
    ("noise", "h"),
    [
        (pf.LaplaceNoise(1.4), 0.1),
        (pf.LaplaceNoise(1.0, 1.0), 0.5),
        (pf.GaussianNoise(1.0), 0.25),
        (pf.GaussianNoise(1.0, 1.0), 0.4),
    ],
)
def test_the_weights_are_the_integral(noise: pf.Noise, h: float) -> None:
    table = weight_table(noise, h)
    places = [0, 1, 40, 333, 1000, table.size - 1] if noise.grid is None else [1, 40, 100]
    # The images in the table's tail are below 1e-7, and so is what is beyond it.
    tolerance = 2e-7 * max(1.0, np.abs(table).max())
    with mp.workdps(15):
        for place in places:
            assert abs(table[place] - weight(noise, h, place / STEPS_PER_BANDWIDTH)) < tolerance
    assert abs(table[-1] - 1.0) < 2e-7


def weight(noise: pf.Noise, h: float, u: float) -> float:
    """A(u·h) by quadrature, in pieces in which sin(su) has no more than a sixth of a turn."""

    def integrand(s: mp.mpf) -> mp.mpf:
        return mp.sinc(s * u) * u * (1 - s * s) ** 3 / characteristic(noise, s / h)

    integral = mp.quad(integrand, mp.linspace(0, 1, 2 + int(u)), maxdegree=4)
    return float(mp.mpf(1) / 2 + integral / mp.pi)


def characteristic(noise: pf.Noise, omega: mp.mpf) -> mp.mpf:
    """φ_N(ω), on a grid by the sum of its definition."""
    laplace = isinstance(noise, pf.LaplaceNoise)
    size = noise.scale if laplace else noise.std
    if noise.grid is None:
        return 1 / (1 + (size * omega) ** 2) if laplace else mp.exp(-((size * omega) ** 2) / 2)
    steps = [k * noise.grid for k in range(1, 31)]
    mass = [mp.exp(-x / size) if laplace else mp.exp(-((x / size) ** 2) / 2) for x in steps]
    waves = mp.fsum(m * mp.cos(omega * x) for x, m in zip(steps, mass, strict=True))
    return (1 + 2 * waves) / (1 + 2 * mp.fsum(mass))


@pytest.mark.parametrize("h", [0.05, 0.3, 2.0])
def test_for_laplace_noise_the_weights_are_the_explicit_identity(h: float) -> None:
    """F_X = F_Y − b²·f_Y', so A = P(W ≤ v/h) − (b/h)²·w'(v/h)."""
    noise = pf.LaplaceNoise(1.3)
    table = weight_table(noise, h)
    u = np.arange(150 * STEPS_PER_BANDWIDTH, step=7) / STEPS_PER_BANDWIDTH
    u = u[u * STEPS_PER_BANDWIDTH < table.size]
    s, weight = np.polynomial.legendre.leggauss(300)
    s, weight = 0.5 * (s + 1.0), 0.5 * weight
    slope = -np.sin(np.outer(u, s)) @ (weight * s * (1.0 - s**2) ** 3) / math.pi
    explicit = smooth_cdf(u) - (1.3 / h) ** 2 * slope
    found = table[np.rint(u * STEPS_PER_BANDWIDTH).astype(int)]
    assert np.abs(found - explicit).max() < 2e-7


@pytest.mark.parametrize(("grid", "h"), [(1.0, 0.6), (0.5, 0.2), (0.25, 0.3)])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_the_weights_undo_the_noise_exactly(kind: str, grid: float, h: float) -> None:
    """Σ P(N = nγ)·A(v − nγ) = P(hW ≤ v): unbiased for X + hW, for each value of X."""
    noise: pf.Noise = (
        pf.LaplaceNoise(1.0, grid) if kind == "laplace" else pf.GaussianNoise(1.0, grid)
    )
    n = np.arange(-60 / grid, 60 / grid + 1) * grid
    mass = np.exp(-np.abs(n)) if kind == "laplace" else np.exp(-0.5 * n**2)
    mass /= mass.sum()
    table = weight_table(noise, h)
    for v in (-2.0, -0.3, 0.0, 0.45, 3.0):
        u = np.abs(v - n) / h * STEPS_PER_BANDWIDTH
        right = np.interp(u, np.arange(table.size), table, right=1.0)
        mean = mass @ np.where(v < n, 1.0 - right, right)
        # Between the table's points A is taken to be a line: (1/32)²/8 of A''.
        assert mean == pytest.approx(float(smooth_cdf(v / h)), abs=2e-4 * np.abs(table).max())


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_binning_changes_the_curve_by_little_beside_its_error(kind: str) -> None:
    noise = noise_like(GAMMA, kind, 0.5)
    _, _, y = next(releases(GAMMA, noise, n=3000, seed=6))
    h = 0.15
    binned = bin_column(y, noise, h, 0.0, 9.0)
    t, curve, error = binned.on_grid(0.0, 9.0)
    s, weight = np.polynomial.legendre.leggauss(400)
    s, weight = 0.5 * (s + 1.0), 0.5 * weight
    heights = weight * (1.0 - s**2) ** 3 / s / math.pi * inverse_characteristic(noise, s / h)
    for k in range(0, t.size, 97):
        direct = 0.5 + np.sin(np.outer((t[k] - y) / h, s)) @ heights
        stated = direct.std() / math.sqrt(y.size)
        assert abs(curve[k] - direct.mean()) < 0.02 * stated
        assert error[k] == pytest.approx(stated, rel=0.01)
        share = binned.counts @ binned.weights_at(float(t[k])) / y.size
        assert share == pytest.approx(curve[k], abs=1e-9)


# Quantiles and histograms.


@pytest.mark.parametrize(
    ("name", "kind", "share", "n"),
    [
        ("gamma", "laplace", 1.0, 3000),
        ("two modes", "laplace", 1.0, 3000),
        ("gamma", "gaussian", 0.3, 2000),
        ("two modes", "gaussian", 0.5, 2000),
    ],
)
def test_quantiles_cover_and_those_of_the_column_do_not(
    name: str, kind: str, share: float, n: int
) -> None:
    law = LAWS[name]
    noise = noise_like(law, kind, share)
    truth = [law.quantile(level) for level in LEVELS]
    hits, plain = np.zeros(len(LEVELS), dtype=int), np.zeros(len(LEVELS), dtype=int)
    for _, _, y in releases(law, noise, n=n, seed=7):
        found = denoise.quantiles(y, noise, LEVELS).estimates
        hits += [inside(e, q) for e, q in zip(found, truth, strict=True)]
        found = denoise.quantiles(y, pf.NoNoise(), LEVELS).estimates
        plain += [inside(e, q) for e, q in zip(found, truth, strict=True)]
    assert all(covers(count) for count in hits)
    # The outer quantiles of Y are those that noise moves.
    assert not covers(plain[0])
    assert not covers(plain[-1])


def test_quantiles_of_integers_cover_those_of_the_smoothed_law() -> None:
    noise = noise_like(COUNTS, "laplace")
    values = np.arange(25)
    probabilities = stats.poisson(4.0).pmf(values)
    u = np.linspace(-150.0, 150.0, 30_001)
    table = smooth_cdf(u)
    hits = np.zeros(len(LEVELS), dtype=int)
    t = np.linspace(-2.0, 12.0, 2801)
    for _, _, y in releases(COUNTS, noise, n=3000, seed=8):
        found = denoise.quantiles(y, noise, LEVELS)
        steps = np.subtract.outer(t, values) / found.bandwidth
        cdf = np.interp(steps, u, table) @ probabilities
        truth = t[[int(np.argmax(cdf >= level)) for level in LEVELS]]
        hits += [inside(e, q) for e, q in zip(found.estimates, truth, strict=True)]
    assert all(covers(count) for count in hits)


@pytest.mark.parametrize(("kind", "share"), [("laplace", 1.0), ("gaussian", 0.5)])
def test_histograms_cover_and_those_of_the_column_do_not(kind: str, share: float) -> None:
    noise = noise_like(GAMMA, kind, share)
    edges = [-math.inf, 1.5, 3.0, 4.5, 6.0, math.inf]
    truth = np.diff(stats.gamma(4.0).cdf(edges))
    hits, plain = np.zeros(5, dtype=int), np.zeros(5, dtype=int)
    for _, _, y in releases(GAMMA, noise, n=3000, seed=9):
        found = denoise.histogram(y, noise, edges)
        assert sum(e.value for e in found.estimates) == pytest.approx(1.0, abs=1e-9)
        hits += [inside(e, p) for e, p in zip(found.estimates, truth, strict=True)]
        found = denoise.histogram(y, pf.NoNoise(), edges)
        plain += [inside(e, p) for e, p in zip(found.estimates, truth, strict=True)]
    assert all(covers(count) for count in hits)
    assert not covers(plain[0])
    assert not covers(plain[1])


def test_without_noise_quantiles_and_histograms_are_those_of_the_rows() -> None:
    x = np.random.default_rng(10).integers(0, 9, 1000).astype(float)
    found = denoise.quantiles(x, pf.NoNoise(), LEVELS)
    assert found.bandwidth == 0.0
    expected = np.quantile(x, LEVELS, method="inverted_cdf")
    assert [e.value for e in found.estimates] == expected.tolist()
    assert all(inside(e, e.value) for e in found.estimates)
    shares = denoise.histogram(x, pf.NoNoise(), [-1.0, 0.0, 3.5, 8.0])
    counts = [np.sum(x == 0), np.sum((x > 0) & (x <= 3)), np.sum(x > 3)]
    assert [e.value for e in shares.estimates] == [c / 1000 for c in counts]
    p = counts[0] / 1000
    assert shares.estimates[0].standard_error == pytest.approx(math.sqrt(p * (1 - p) / 1000))


def test_extreme_levels_have_no_bound_where_there_are_no_rows() -> None:
    noise = noise_like(GAMMA, "laplace")
    _, _, y = next(releases(GAMMA, noise, n=1000, seed=11))
    low, middle, high = denoise.quantiles(y, noise, [0.001, 0.5, 0.999]).estimates
    assert low.lower == -math.inf
    assert high.upper == math.inf
    assert math.isinf(high.standard_error)
    assert "too few rows" in high.note
    assert math.isfinite(low.upper)
    assert not middle.note
    bare = denoise.quantiles(y, pf.NoNoise(), [0.0001]).estimates[0]
    assert bare.lower == -math.inf


def test_an_empty_bin_is_not_certain_to_be_empty() -> None:
    noise = noise_like(GAMMA, "laplace")
    _, _, y = next(releases(GAMMA, noise, n=1000, seed=12))
    far = denoise.histogram(y, noise, [1e4, 2e4], bandwidth=10.0).estimates[0]
    assert far.value == pytest.approx(0.0, abs=1e-9)
    assert far.upper > 1e-3


# The bandwidth.


def test_the_bandwidth_balances_the_two_integrals() -> None:
    """Both integrals by another rule, from the law that is known: X ~ N(0, 1), Laplace noise."""
    noise, n = pf.LaplaceNoise(0.7), 200_000
    rng = np.random.default_rng(13)
    y = rng.standard_normal(n) + rng.laplace(0.0, 0.7, n)
    h = choose_bandwidth(y, noise, (-5.0, 5.0))
    omega = np.linspace(1e-4, 40.0 / h, 400_000)
    kernel = np.where(omega * h < 1, np.maximum(1 - (omega * h) ** 2, 0) ** 3, 0.0)
    signal = np.exp(-(omega**2))
    gain = (1 + 0.49 * omega**2) ** 2
    bias = integrate.trapezoid(signal * (1 - kernel) ** 2 / omega**2, omega)
    variance = integrate.trapezoid((gain - signal) * kernel**2 / omega**2, omega) / n
    # |φ_X| is estimated: the ratio of the true integrals is near, not at, the target.
    assert math.sqrt(bias / variance) == pytest.approx(RATIO_LAPLACE, rel=0.1)


def test_more_rows_are_smoothed_less_and_outliers_change_little() -> None:
    noise = noise_like(GAMMA, "laplace")
    found = []
    for n in (500, 5000, 50_000):
        _, _, y = next(releases(GAMMA, noise, n=n, seed=14))
        found.append(denoise.quantiles(y, noise, [0.5]).bandwidth)
    assert found[0] > 1.3 * found[1] > 1.3**2 * found[2]
    spoilt = denoise.quantiles(np.append(y, [1e9, -1e15]), noise, [0.5])
    assert spoilt.bandwidth == pytest.approx(found[-1], rel=0.01)


def test_a_bandwidth_can_be_asked_for() -> None:
    noise = noise_like(GAMMA, "gaussian")
    _, _, y = next(releases(GAMMA, noise, n=3000, seed=15))
    chosen = denoise.quantiles(y, noise, [0.5])
    wider = denoise.quantiles(y, noise, [0.5], bandwidth=2.0 * chosen.bandwidth)
    assert wider.bandwidth == 2.0 * chosen.bandwidth
    assert wider.estimates[0].standard_error < 0.5 * chosen.estimates[0].standard_error


# Laws that hold for every column.

shifts = st.floats(-1000.0, 1000.0)
factors = st.floats(0.001, 1000.0)
seeds = st.integers(0, 10_000)


def a_release(seed: int, n: int = 600) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.gamma(3.0, 1.0, n)
    return x + rng.laplace(0.0, 1.0, n), 0.7 * x + rng.standard_normal(n)


def same(found: denoise.Estimate, expected: denoise.Estimate, shift: float, factor: float) -> None:
    """`found` is `expected` times factor, plus shift, but for rounding (and binning)."""
    tolerance = 0.02 * expected.standard_error * abs(factor) + 1e-9 * abs(shift)
    assert abs(found.value - (expected.value * factor + shift)) <= tolerance
    assert abs(found.lower - (expected.lower * factor + shift)) <= tolerance
    assert abs(found.upper - (expected.upper * factor + shift)) <= tolerance


@given(seeds, shifts, factors)
def test_estimates_move_with_the_column(seed: int, shift: float, factor: float) -> None:
    y, z = a_release(seed)
    moved = y * factor + shift
    before, after = pf.LaplaceNoise(1.0), pf.LaplaceNoise(factor)
    same(denoise.mean(moved, after), denoise.mean(y, before), shift, factor)
    same(denoise.variance(moved, after), denoise.variance(y, before), 0.0, factor**2)
    same(denoise.slope(moved, z, after), denoise.slope(y, z, before), 0.0, 1.0 / factor)
    same(denoise.slope(y, z * factor + shift, before), denoise.slope(y, z, before), 0.0, factor)


@given(seeds, shifts, factors)
def test_quantiles_and_histograms_move_with_the_column(
    seed: int, shift: float, factor: float
) -> None:
    y, _ = a_release(seed)
    moved = y * factor + shift
    before, after = pf.LaplaceNoise(1.0), pf.LaplaceNoise(factor)
    old, new = (denoise.quantiles(c, n, [0.2, 0.6]) for c, n in ((y, before), (moved, after)))
    assert new.bandwidth == pytest.approx(factor * old.bandwidth, rel=1e-3)
    # The same bandwidth from here on: its last digits move the ends of an interval by more.
    h = old.bandwidth
    old = denoise.quantiles(y, before, [0.2, 0.6], bandwidth=h)
    new = denoise.quantiles(moved, after, [0.2, 0.6], bandwidth=h * factor)
    for a, b in zip(new.estimates, old.estimates, strict=True):
        same(a, b, shift, factor)
    edges = np.array([0.0, 2.0, 5.0])
    shares = denoise.histogram(y, before, edges, bandwidth=h)
    others = denoise.histogram(moved, after, edges * factor + shift, bandwidth=h * factor)
    for a, b in zip(others.estimates, shares.estimates, strict=True):
        same(a, b, 0.0, 1.0)


@given(seeds, st.sampled_from(["laplace", "gaussian"]), st.floats(0.05, 3.0))
def test_quantiles_rise_with_the_level_inside_their_intervals(
    seed: int, kind: str, size: float
) -> None:
    rng = np.random.default_rng(seed)
    noise: pf.Noise = pf.LaplaceNoise(size) if kind == "laplace" else pf.GaussianNoise(size)
    y = rng.gamma(3.0, 1.0, 400) + draw_noise(rng, noise, 400)
    found = denoise.quantiles(y, noise, np.linspace(0.01, 0.99, 25)).estimates
    values = [e.value for e in found]
    assert values == sorted(values)
    for ends in ([e.lower for e in found], [e.upper for e in found]):
        # Where a bracket ends the interval, it too rises.
        assert ends == sorted(ends)
    assert all(e.lower <= e.value <= e.upper for e in found)


# Columns.


def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = pf.LaplaceNoise(1.0)
    y, z = a_release(16)
    whole = (denoise.slope(y, z, noise), denoise.quantiles(y, noise, [0.5]))
    monkeypatch.setattr(columns, "_PIECE", 37)
    parts = (denoise.slope(y, z, noise), denoise.quantiles(y, noise, [0.5]))
    assert parts[0].value == pytest.approx(whole[0].value, rel=1e-12)
    assert parts[0].standard_error == pytest.approx(whole[0].standard_error, rel=1e-12)
    assert parts[1] == whole[1]
    assert denoise.histogram(y, pf.NoNoise(), [0, 2]).estimates[0].value == np.mean(
        (y > 0) & (y <= 2)
    )


def test_rows_are_counted_at_the_nearest_point_of_a_line_or_a_circle() -> None:
    y = np.array([-7.6, 0.0, 0.4, 0.6, 2.0, 3.4, 9.0, 4e200])
    line = columns.binned(y, 0.0, 1.0, 4)
    assert line.tolist() == [3, 1, 1, 3]
    circle = columns.binned(y[:-1], 0.0, 1.0, 4, wrap=True)
    assert circle.tolist() == [3, 2, 1, 1]
    assert columns.binned(y, 0.0, 1.0, 4, wrap=True).sum() == 8


def test_a_column_of_floats_is_not_copied_and_others_are_read() -> None:
    y = np.array([1.0, 2.0, 4.0])
    assert columns.column("values", y, 1) is y
    for other in ([1, 2, 4], (1.0, 2.0, 4.0), np.array([1, 2, 4]), np.array(y, dtype=np.float32)):
        assert denoise.mean(other, pf.NoNoise()) == denoise.mean(y, pf.NoNoise())


def test_units_at_the_ends_of_the_range_of_floats() -> None:
    y, z = a_release(17)
    for unit in (1e90, 1e-90):
        noise = pf.LaplaceNoise(unit)
        same(denoise.mean(y * unit, noise), denoise.mean(y, pf.LaplaceNoise(1.0)), 0.0, unit)
        found = denoise.slope(y * unit, z / unit, noise)
        assert found.value * unit * unit == pytest.approx(
            denoise.slope(y, z, pf.LaplaceNoise(1.0)).value
        )
        medians = denoise.quantiles(y * unit, noise, [0.5])
        assert 1.5 * unit < medians.estimates[0].value < 4.0 * unit


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y, noise: denoise.mean([1.0], noise), "at least 2 rows"),
        (lambda y, noise: denoise.variance([1.0, 2.0], noise), "at least 3 rows"),
        (lambda y, noise: denoise.quantiles(y[:99], noise, [0.5]), "at least 100 rows"),
        (lambda y, noise: denoise.mean(np.append(y, math.nan), noise), "row 600 is not"),
        (lambda y, noise: denoise.mean([1.0, math.inf], noise), "finite"),
        (lambda y, noise: denoise.mean(y * 1e101, noise), "at most 1e"),
        (lambda y, noise: denoise.mean(y.reshape(2, -1), noise), "one-dimensional"),
        (lambda y, noise: denoise.mean(np.ma.masked_greater(y, 1.0), noise), "masked"),
        (lambda y, noise: denoise.mean(y > 1.0, noise), "real numbers"),
        (lambda y, noise: denoise.mean(y, 1.0), "noise must be"),
        (lambda y, noise: denoise.slope(y, y[1:], noise), "600 and 599"),
        (lambda y, noise: denoise.quantiles(y, noise, [50]), "ask for 0.5, not 50"),
        (lambda y, noise: denoise.quantiles(y, noise, []), "must not be empty"),
        (lambda y, noise: denoise.quantiles(y, noise, [0.5], bandwidth=0.0), "greater than 0"),
        (lambda y, noise: denoise.quantiles(y, noise, [0.5], bandwidth=1e-9), "at least 0.0001"),
        (lambda y, noise: denoise.histogram(y, noise, [2.0, 1.0]), "greater than the one before"),
        (lambda y, noise: denoise.histogram(y, noise, [1.0]), "at least two"),
        (lambda y, noise: denoise.histogram(y, noise, [0.0, 1e9]), "too far apart"),
        # Told the wrong noise, or given a column that was clipped: |φ_Y| ≤ φ_N fails.
        (lambda y, noise: denoise.quantiles(y, pf.LaplaceNoise(9.0), [0.5]), "cannot be a column"),
        (lambda y, noise: denoise.quantiles(np.clip(y, 2, 4), noise, [0.5]), "clipped"),
    ],
)
def test_refusals_say_what_is_wrong(
    call: Callable[[Array, pf.Noise], object], message: str
) -> None:
    y, _ = a_release(18)
    with pytest.raises(pf.InvalidInputError, match=message):
        call(y, pf.LaplaceNoise(1.0))


def test_a_curve_that_misses_the_level_leaves_the_whole_bracket() -> None:
    t, band = np.linspace(0.0, 1.0, 11), np.full(11, 0.01)
    for curve, value in ((np.full(11, 0.2), 1.0), (np.full(11, 0.8), 0.0)):
        found = distribution._invert(t, curve, band, 0.5, (False, False))
        assert (found.value, found.lower, found.upper) == (value, 0.0, 1.0)


# What is printed.


def test_estimates_print_two_digits_of_their_error() -> None:
    def text(value: float, error: float) -> str:
        return str(
            denoise.Estimate(
                value=value, standard_error=error, lower=value - 2 * error, upper=value + 2 * error
            )
        )

    assert text(1.23444, 0.0561) == "1.234 ± 0.056 (95%: 1.122 to 1.347)"
    assert text(123456.0, 789.0) == "123460 ± 790 (95%: 121880 to 125030)"
    assert text(1e-20, 1e-21) == "1e-20 ± 1e-21 (95%: 8e-21 to 1.2e-20)"
    assert text(2.0, math.inf) == "2.0000 ± inf (95%: -inf to inf)"
    assert text(2.0, 0.0) == "2.0000 ± 0.0000 (95%: 2.0000 to 2.0000)"
    estimate = denoise.mean([1.0, 2.0, 3.0], pf.NoNoise())
    assert estimate.excludes_zero
    assert not denoise.mean([-1.0, 1.0], pf.NoNoise()).excludes_zero
    with pytest.raises(FrozenInstanceError):
        estimate.value = 0.0  # type: ignore[misc]


def test_tables_print_a_line_for_each_estimate() -> None:
    y, _ = a_release(20)
    lines = str(denoise.quantiles(y, pf.LaplaceNoise(1.0), [0.25, 0.5])).splitlines()
    assert [line.split(":")[0] for line in lines] == ["0.25", "0.5"]
    lines = str(denoise.histogram(y, pf.LaplaceNoise(1.0), [0, 2.5, math.inf])).splitlines()
    assert [line.split(":")[0] for line in lines] == ["0 to 2.5", "2.5 to inf"]


def test_the_rule_is_the_same_on_every_run() -> None:
    y, _ = a_release(21)
    noise = pf.LaplaceNoise(1.0)
    assert denoise.quantiles(y, noise, LEVELS) == denoise.quantiles(y, noise, LEVELS)
    assert bandwidth_rule.least_bandwidth(pf.NoNoise()) == 0.0
