"""Smoothed quantiles and histograms, and how much they are smoothed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import pufferfish as pf
from pufferfish import denoise
from pufferfish.denoise.bandwidth import RATIO_LAPLACE, choose_bandwidth
from tests.denoise.simulate import (
    COUNTS,
    GAMMA,
    LAWS,
    LEVELS,
    Law,
    a_release,
    covers,
    draw_noise,
    inside,
    noise_like,
    releases,
    same,
    smooth_cdf,
)

# Every estimate by smoothing warns.
pytestmark = pytest.mark.filterwarnings("ignore::pufferfish.CoverageWarning")

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
        found = denoise.quantiles(y, noise, LEVELS, support="smooth").estimates
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
        found = denoise.quantiles(y, noise, LEVELS, support="smooth")
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
        found = denoise.histogram(y, noise, edges, support="smooth")
        assert sum(e.value for e in found.estimates) == pytest.approx(1.0, abs=1e-9)
        hits += [inside(e, p) for e, p in zip(found.estimates, truth, strict=True)]
        found = denoise.histogram(y, pf.NoNoise(), edges)
        plain += [inside(e, p) for e, p in zip(found.estimates, truth, strict=True)]
    assert all(covers(count) for count in hits)
    assert not covers(plain[0])
    assert not covers(plain[1])


def test_extreme_levels_have_no_bound_where_there_are_no_rows() -> None:
    noise = noise_like(GAMMA, "laplace")
    _, _, y = next(releases(GAMMA, noise, n=1000, seed=11))
    low, middle, high = denoise.quantiles(y, noise, [0.001, 0.5, 0.999], support="smooth").estimates
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
    h, note = choose_bandwidth(y, noise, (-5.0, 5.0))
    assert note == ""
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
        found.append(denoise.quantiles(y, noise, [0.5], support="smooth").bandwidth)
    assert found[0] > 1.3 * found[1] > 1.3**2 * found[2]
    spoilt = denoise.quantiles(np.append(y, [1e9, -1e15]), noise, [0.5], support="smooth")
    assert spoilt.bandwidth == pytest.approx(found[-1], rel=0.01)


def test_a_bandwidth_can_be_asked_for() -> None:
    noise = noise_like(GAMMA, "gaussian")
    _, _, y = next(releases(GAMMA, noise, n=3000, seed=15))
    chosen = denoise.quantiles(y, noise, [0.5], support="smooth")
    wider = denoise.quantiles(y, noise, [0.5], bandwidth=2.0 * chosen.bandwidth)
    assert wider.bandwidth == 2.0 * chosen.bandwidth
    assert wider.estimates[0].standard_error < 0.5 * chosen.estimates[0].standard_error


# Laws that hold for every column.

shifts = st.floats(-1000.0, 1000.0)
factors = st.floats(0.001, 1000.0)
seeds = st.integers(0, 10_000)


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
    old, new = (
        denoise.quantiles(c, n, [0.2, 0.6], support="smooth")
        for c, n in ((y, before), (moved, after))
    )
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
    found = denoise.quantiles(y, noise, np.linspace(0.01, 0.99, 25), support="smooth").estimates
    values = [e.value for e in found]
    assert values == sorted(values)
    for ends in ([e.lower for e in found], [e.upper for e in found]):
        # Where a bracket ends the interval, it too rises.
        assert ends == sorted(ends)
    assert all(e.lower <= e.value <= e.upper for e in found)


CAUCHY = Law(lambda rng, n: rng.standard_cauchy(n), 0.0, 1.0, stats.cauchy.ppf)


@pytest.mark.parametrize("scale", [0.05, 1.0])
def test_quantiles_of_heavy_tails_cover(scale: float) -> None:
    """The range of the column must not decide how much its middle is smoothed."""
    noise, levels = pf.LaplaceNoise(scale), (0.25, 0.5, 0.75)
    hits = np.zeros(len(levels), dtype=int)
    repeats = 60
    for _, _, y in releases(CAUCHY, noise, n=4000, seed=41, repeats=repeats):
        found = denoise.quantiles(y, noise, levels, support="smooth")
        hits += [
            inside(estimate, CAUCHY.quantile(level))
            for level, estimate in zip(levels, found.estimates, strict=True)
        ]
    assert all(covers(int(count), repeats=repeats) for count in hits)


def test_smoothing_beyond_what_the_data_ask_for_is_noted() -> None:
    """So wide a range that even the finest circle cannot show the peak in its middle."""
    rng = np.random.default_rng(3)
    rows = np.where(rng.random(20_000) < 0.02, 1e6 * rng.standard_cauchy(20_000), 0.0)
    noise = pf.LaplaceNoise(0.01)
    found = denoise.histogram(
        rows + rng.laplace(0.0, 0.01, 20_000), noise, [-1e3, 0.0, 1e3], support="smooth"
    )
    assert all("smoothed more" in estimate.note for estimate in found.estimates)


@pytest.mark.parametrize("offset", [1e9, 1e12, 1e14])
def test_quantiles_far_from_zero_are_those_near_it_moved(offset: float) -> None:
    rng = np.random.default_rng(5)
    # Multiples of 2^-5, which stay what they are beside 1e14.
    rows = np.rint(32 * (rng.gamma(4.0, 1.0, 5000) + rng.laplace(0.0, 1.0, 5000))) / 32
    noise = pf.LaplaceNoise(1.0)
    near = denoise.quantiles(rows, noise, LEVELS, bandwidth=0.4)
    far = denoise.quantiles(rows + offset, noise, LEVELS, bandwidth=0.4)
    for one, other in zip(near.estimates, far.estimates, strict=True):
        # Bins begin at another place; a bin is h/32, and at 1e14 a float has steps of 1/64.
        assert other.value - offset == pytest.approx(one.value, abs=0.05)
        assert other.lower <= other.value <= other.upper
