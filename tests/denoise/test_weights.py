"""The law of the noise and the weights that undo it, against direct sums and integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp

import pufferfish as pf
from pufferfish.denoise.curve import bin_column
from pufferfish.denoise.kernel import STEPS_PER_BANDWIDTH, weight_table
from pufferfish.denoise.law import inverse_characteristic, noise_variance
from tests.denoise.simulate import GAMMA, noise_like, releases, smooth_cdf

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
    offsets, curve, error = binned.on_grid(0.0, 9.0)
    t = binned.first + offsets
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
