"""The kernels' stated error κ, measured; and the log-concavity that the oracle lives on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import erfcx

import pufferfish as pf
from pufferfish.exact.bounds import (
    KAPPA_ABSOLUTE,
    KAPPA_RELATIVE,
    BoundedLaw,
    MixtureBounds,
    TableBounds,
)
from pufferfish.noise.kernels import GaussianKernel, LaplaceKernel
from tests import reference
from tests.support import plain_law, plain_noise


class Case(NamedTuple):
    mean: float
    std: float
    size: float
    y: float


def cases(count: int, seed: int, decades: float) -> list[Case]:
    """Random units, std to scale ratios over 24 decades, points near, between and far out."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        std = 10.0 ** rng.uniform(-decades, decades)
        ratio = 10.0 ** rng.uniform(-12, 12)
        size = std / ratio
        length = [std, size, std * ratio][rng.integers(3)] * 10.0 ** rng.uniform(-3, 3)
        mean = std * rng.uniform(-3, 3)
        y = mean + rng.choice([-1.0, 1.0]) * length
        if 1e-99 < size < 1e99 and abs(y) < 1e99:
            found.append(Case(mean, std, size, float(y)))
    return found


def exceeds_kappa(computed: float, exact: mpf) -> bool:
    return abs(mpf(computed) - exact) > KAPPA_ABSOLUTE + KAPPA_RELATIVE * abs(mpf(computed))


@pytest.mark.parametrize(("seed", "decades"), [(11, 3.0), (12, 80.0)])
def test_kappa_bounds_the_error_of_the_laplace_kernel(seed: int, decades: float) -> None:
    bad = []
    for case in cases(1200, seed, decades):
        kernel = LaplaceKernel(np.array([case.mean]), np.array([case.std]), case.size)
        value = float(kernel.density_and_score(np.array([case.y]))[0][0, 0])
        with mp.workdps(50):
            law = [(1, case.mean, case.std)]
            exact = mp.log(reference.density(law, case.y, ("laplace", case.size)))
            if exceeds_kappa(value, exact):
                bad.append((case, value, float(abs(value - exact))))
    assert not bad


@pytest.mark.parametrize(("seed", "decades"), [(13, 3.0), (14, 95.0)])
def test_kappa_bounds_the_error_of_the_gaussian_kernel(seed: int, decades: float) -> None:
    bad = []
    for case in cases(800, seed, decades):
        kernel = GaussianKernel(np.array([case.mean]), np.array([case.std]))
        value = float(kernel.density_and_score(np.array([case.y]))[0][0, 0])
        with mp.workdps(50):
            exact = mp.log(reference.density([(1, case.mean, case.std)], case.y, ("none",)))
            if exceeds_kappa(value, exact):
                bad.append((case, value, float(abs(value - exact))))
    assert not bad


def test_kappa_bounds_the_error_where_the_peak_and_the_exponent_cancel() -> None:
    # log density ≈ 0 between a peak of +200 and an exponent of −200: only κ's absolute part is
    # left to cover the roundings of both.
    rng = np.random.default_rng(15)
    for _ in range(400):
        std = 10.0 ** rng.uniform(-95, -80)
        z = np.sqrt(-2 * np.log(std * np.sqrt(2 * np.pi))) * (1 + rng.uniform(-1e-3, 1e-3))
        y = float(z * std)
        value = float(
            GaussianKernel(np.array([0.0]), np.array([std])).density_and_score(np.array([y]))[0][
                0, 0
            ]
        )
        with mp.workdps(50):
            assert not exceeds_kappa(value, mp.log(reference.density([(1, 0, std)], y, ("none",))))


def bounded_laws() -> list[tuple[BoundedLaw, list[tuple[float, float, float]], tuple[object, ...]]]:
    rng = np.random.default_rng(16)
    found = []
    for noise in (pf.LaplaceNoise(0.5), pf.GaussianNoise(0.5), pf.LaplaceNoise(1e-4)):
        weights = rng.integers(1, 1000, 6)
        mixture = pf.GaussianMixture(
            weights / weights.sum(), rng.normal(0, 5, 6), 10.0 ** rng.uniform(-2, 2, 6)
        )
        law = pf.output_law(mixture, noise)
        found.append((MixtureBounds(law), plain_law(mixture), plain_noise(noise)))
        if isinstance(noise, pf.LaplaceNoise):
            table = pf.Discrete(rng.normal(0, 5, 6), weights / weights.sum())
            law = pf.output_law(table, noise)
            found.append((TableBounds(law), plain_law(table), plain_noise(noise)))
    return found


@pytest.mark.parametrize("number", range(5))
def test_the_margin_bounds_the_error_of_whole_laws(number: int) -> None:
    law, plain, noise = bounded_laws()[number]
    rng = np.random.default_rng(17)
    y = np.sort(rng.normal(0, 5, 60) * 10.0 ** rng.uniform(-2, 2, 60))
    rows = law.at(y)
    values = law.log_density(rows)
    margins = law.margin(rows, values)
    for point, value, margin in zip(y.tolist(), values.tolist(), margins.tolist(), strict=True):
        with mp.workdps(50):
            assert abs(mpf(value) - mp.log(reference.density(plain, point, noise))) <= margin


@pytest.mark.parametrize("number", range(5))
def test_cells_enclose_score_and_mass(number: int) -> None:
    law, plain, noise = bounded_laws()[number]
    features = law.features()
    edges = np.unique(np.concatenate([features, np.linspace(-12, 12, 40)]))
    edges = edges[np.abs(edges) < 1e3]
    left, right = edges[:-1], edges[1:]
    score = law.score_bounds(law.at(left), law.at(right), right - left)
    mass = law.log_mass(left[::2], right[::2])  # disjoint intervals
    rng = np.random.default_rng(18)
    chosen = rng.choice(left.size, 40, replace=False)
    for index in chosen.tolist():
        low, high = float(left[index]), float(right[index])
        for share in (0.0, 0.3, 0.9):
            y = mpf(low) + (mpf(high) - mpf(low)) * share
            with mp.workdps(40):
                # The derivative from the right, inside the cell.
                value, slope = exact_density_and_slope(plain, y, noise)
                assert score.lower[index] <= slope / value <= score.upper[index]
        if index % 2 == 0:
            with mp.workdps(40):
                part = reference.cdf(plain, high, noise) - reference.cdf(plain, low, noise)
                if part > mpf(10) ** -25:  # the difference keeps 15 of its 40 digits
                    assert mass.lower[index // 2] <= mp.log(part) <= mass.upper[index // 2]


def exact_density_and_slope(
    law: list[tuple[float, float, float]], y: mpf, noise: tuple[object, ...]
) -> tuple[mpf, mpf]:
    """p(y) and p'(y+), by a one-sided difference quotient of the reference's density."""
    with mp.workdps(60):
        h = mpf(10) ** -20 * (1 + abs(y))
        here, there, twice = (reference.density(law, y + k * h, noise) for k in (0, 1, 2))
        return here, (-3 * here + 4 * there - twice) / (2 * h)


RATIOS = [1e-12, 1e-6, 1e-2, 0.3, 1.0, 3.0, 1e2, 1e4, 9e4, 1.1e5, 1e6, 1e12]


@pytest.mark.parametrize("ratio", RATIOS)
def test_scores_fall_along_the_line(ratio: float) -> None:
    std, b = 1.0, 1.0 / ratio
    steps = np.concatenate([[0.0], 10.0 ** np.linspace(-6, 3, 200)])
    y = np.unique(np.concatenate([s * d for d in (std, b, ratio) for s in (-steps, steps)]))
    kernel = LaplaceKernel(np.array([0.0]), np.array([std]), b)
    score = kernel.density_and_score(y)[1][0]
    # Rounding may lift a computed score by what the kernel itself declares, and by a few units of
    # its own last place.
    slack = float(kernel.score_slack[0, 0]) + 64 * 2.0**-53 * np.abs(score[1:])
    assert np.all(np.diff(score) <= slack)
    # No log-density of a law smoothed by Lap(b) is steeper than 1/b; two roundings.
    assert np.abs(score).max() <= (1 / b) * (1 + 4 * 2.0**-53)
    np.testing.assert_array_equal(score, -score[::-1])


def test_gaussian_scores_fall_along_the_line() -> None:
    kernel = GaussianKernel(np.array([0.0, 2.0]), np.array([1.0, 1e6]))
    y = np.linspace(-50, 50, 2001)
    assert np.all(np.diff(kernel.density_and_score(y)[1], axis=1) < 0)


@pytest.mark.parametrize("ratio", RATIOS)
def test_scores_are_the_slope_of_the_log_density(ratio: float) -> None:
    std, b = 1.0, 1.0 / ratio
    kernel = LaplaceKernel(np.array([0.0]), np.array([std]), b)
    y = np.array([s * d for d in (std, b, ratio) for s in (1e-3, 0.4, 1.0, 5.0)])
    scores = kernel.density_and_score(y)[1][0]
    for point, score in zip(y.tolist(), scores.tolist(), strict=True):
        with mp.workdps(60):
            # R − L over R + L, from the two halves of the convolution.
            z, a = mpf(point), mpf(ratio)
            mp.dps = 60 + 2 * max(0, int(2 * mp.log10(1 + a + z)))
            halves = [
                mp.exp(a * a / 2 - a * x) * mp.erfc((a - x) / mp.sqrt(2)) / 2 for x in (z, -z)
            ]
            exact = -(halves[0] - halves[1]) / (halves[0] + halves[1]) / mpf(b)
            # The slack that the kernel declares, and the relative slack of the cell bounds.
            allowed = float(kernel.score_slack[0, 0]) + 1e-13 * abs(exact)
            assert abs(mpf(score) - exact) <= allowed


# Points (b, y) for σ = 1 at which a search over 3·10⁸ points found the largest errors: 8.05 to 8.15
# units of 2⁻⁵³/b, where 8 had been stated.
HARD = [
    (40.81063798431878, 2.578977975636136e-09),
    (149.59806871642746, 2.175125064485159e-09),
    (26002.493583110012, 6.045277098531973e-10),
    (9330896.430357505, 6.762090559291341e-09),
    (5574450.344268338, 4.571020848176003e-09),
    (332.7292753417068, 6.000893814672763e-08),
    (29903.183351240743, 8.78504874253195e-11),
    (6572.168531724018, 9.850356279026498e-09),
]


def exact_score(b: float, y: float) -> mpf:
    """d/dy log of the density of N(0, 1) + Lap(b), from the two halves of the convolution."""
    z, a = mpf(y), 1 / mpf(b)
    right, left = (mp.exp(-a * x) * mp.erfc((a - x) / mp.sqrt(2)) for x in (z, -z))
    return -(right - left) / (right + left) / mpf(b)


@pytest.mark.parametrize(("b", "y"), HARD)
def test_the_slack_of_the_score_where_it_is_most_wrong(b: float, y: float) -> None:
    """docs/theory/certificate.md: 10⁻¹³ relative plus 16·2⁻⁵³/b."""
    kernel = LaplaceKernel(np.array([0.0]), np.array([1.0]), b)
    with mp.workdps(60):
        exact = exact_score(b, y)
        error = abs(mpf(float(kernel.density_and_score(np.array([y]))[1][0, 0])) - exact)
        assert error <= mpf(float(kernel.score_slack[0, 0])) + mpf(10) ** -13 * abs(exact)
        assert float(kernel.score_slack[0, 0]) * b == pytest.approx(16 * 2.0**-53, rel=1e-15)


def test_the_slack_of_the_score_by_search() -> None:
    """For y ≪ σ the score is −z·h(a)/b, z = y/σ, h(a) = √(2/π)/erfcx(a/√2) − a."""
    generator = np.random.default_rng(7)
    stds = 10.0 ** generator.uniform(-9, 1, 4000)
    y = 10.0 ** generator.uniform(-19, -15, 1000)
    scores = LaplaceKernel(np.zeros(stds.size), stds, 1.0).density_and_score(y)[1]
    steepness = np.sqrt(2 / np.pi) / erfcx(stds / np.sqrt(2)) - stds
    worst = float(np.abs(scores + y / stds[:, None] * steepness[:, None]).max())
    # Near the worst that is known, so that a smaller slack would be seen.
    assert 7 * 2.0**-53 < worst <= 16 * 2.0**-53
