"""The law of Y = X + N against many digits, direct sums and itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import integrate

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.noise import AtomsOutput, MixtureOutput, TableOutput
from tests import reference
from tests.support import mirrored, plain_law, plain_noise

Noise = pf.LaplaceNoise | pf.GaussianNoise

UNIT = 2.0**-53
RATIOS = [1e-12, 1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e6, 1e12]
TABLE = pf.Discrete([-2.0, 0.0, 0.25, 7.0], [0.125, 0.5, 0.25, 0.125])
MIXTURE = pf.GaussianMixture([0.25, 0.75], [-1.0, 3.0], [0.5, 2.0])


def assert_law(prior: Prior, noise: Noise, points: list[float]) -> None:
    """Density and both tails of the output law, compared with 40 digits at each point."""
    law, exact, sort = pf.output_law(prior, noise), plain_law(prior), plain_noise(noise)
    log_density, cdf, survival = law.log_density(points), law.cdf(points), law.survival(points)
    for index, y in enumerate(points):
        with mp.workdps(50):
            log_exact = mp.log(reference.density(exact, y, sort))
            # One exponent as large as the result, built from a dozen rounded operations.
            allowed = 1e-13 + 16 * UNIT * abs(log_exact)
            assert abs(mpf(float(log_density[index])) - log_exact) <= allowed
            below = reference.cdf(exact, y, sort)
            above = reference.cdf(mirrored(exact), -y, sort)
            for value, truth in ((cdf[index], below), (survival[index], above)):
                if truth < mpf("1e-300"):  # a double cannot hold its digits
                    assert value <= 1e-299
                else:
                    # As above, for e to that exponent.
                    allowed = 1e-13 + 16 * UNIT * abs(mp.log(truth))
                    assert abs(mpf(float(value)) / truth - 1) <= allowed


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("family", [pf.LaplaceNoise, pf.GaussianNoise])
def test_one_gaussian(ratio: float, family: type[Noise]) -> None:
    std, size = 0.75, 0.75 / ratio
    steps = [0.0, 1e-3, 0.5, 1.0, 3.0, 8.0, 30.0]
    # Around the mean, at the noise's own length, and where the Gaussian body turns into the tail.
    lengths = [std, size, std * ratio]
    points = [2.0 + sign * step * d for d in lengths for step in steps for sign in (-1, 1)]
    assert_law(pf.Gaussian(2.0, std), family(size), points)


@pytest.mark.parametrize("ratio", RATIOS)
def test_far_tails_where_the_log_density_is_below_minus_a_hundred_thousand(ratio: float) -> None:
    std, b = 0.75, 0.75 / ratio
    # In a Laplace tail at −d/b + a²/2, in a Gaussian one at −z²/2.
    distance = max(2e5 * b + std * ratio / 2 * 1.5, 0.0)
    far = [2.0 - distance, 2.0 + distance]
    if ratio > 1e3:  # still in the Gaussian body
        far += [2.0 - 500 * std, 2.0 + 500 * std]
    law = pf.output_law(pf.Gaussian(2.0, std), pf.LaplaceNoise(b))
    assert np.all(law.log_density(far) < -1e5)
    assert_law(pf.Gaussian(2.0, std), pf.LaplaceNoise(b), far)
    gaussian = pf.output_law(pf.Gaussian(2.0, std), pf.GaussianNoise(b))
    far = [2.0 - 500 * math.hypot(std, b), 2.0 + 1e6 * math.hypot(std, b)]
    assert np.all(gaussian.log_density(far) < -1e5)
    assert_law(pf.Gaussian(2.0, std), pf.GaussianNoise(b), far)


@pytest.mark.parametrize("noise", [pf.LaplaceNoise(0.5), pf.GaussianNoise(0.5)])
@pytest.mark.parametrize("prior", [MIXTURE, TABLE])
def test_mixtures_and_tables(prior: Prior, noise: Noise) -> None:
    points = [-400.0, -30.0, -2.0, -1.999, -0.5, 0.0, 0.125, 0.25, 1.0, 6.9, 7.0, 12.0, 400.0]
    assert_law(prior, noise, points)


def test_no_noise_is_the_prior_itself() -> None:
    x = np.array([-3.0, 0.0, 0.5, 9.0])
    law = pf.output_law(MIXTURE, pf.NoNoise())
    # The same formulas through a logarithm: a few roundings, times z² < 50 in the exponent.
    np.testing.assert_allclose(np.exp(law.log_density(x)), MIXTURE.density(x), rtol=1e-13)
    np.testing.assert_allclose(law.cdf(x), MIXTURE.cdf(x), rtol=1e-13)
    np.testing.assert_allclose(law.survival(x), MIXTURE.survival(x), rtol=1e-13)
    atoms = pf.output_law(TABLE, pf.NoNoise())
    np.testing.assert_array_equal(atoms.cdf(x), TABLE.cdf(x))
    np.testing.assert_array_equal(atoms.survival(x), TABLE.survival(x))
    with pytest.raises(pf.UnsupportedError, match=r"masses, not a density.*table\.mass"):
        atoms.log_density(x)


def test_which_law_has_which_shape() -> None:
    laplace, gaussian, none = pf.LaplaceNoise(1.0), pf.GaussianNoise(1.0), pf.NoNoise()
    for noise in (laplace, gaussian, none):
        assert isinstance(pf.output_law(MIXTURE, noise), MixtureOutput)
    assert isinstance(pf.output_law(TABLE, laplace), TableOutput)
    assert isinstance(pf.output_law(TABLE, gaussian), MixtureOutput)
    assert isinstance(pf.output_law(TABLE, none), AtomsOutput)
    with pytest.raises(pf.UnsupportedError, match=r"covered are Gaussian.*Discrete"):
        pf.output_law(object(), laplace)


def test_the_grid_is_set_aside() -> None:
    y = np.linspace(-5, 5, 11)
    for prior in (MIXTURE, TABLE):
        on_grid = pf.output_law(prior, pf.LaplaceNoise(1.0, grid=0.5))
        ideal = pf.output_law(prior, pf.LaplaceNoise(1.0))
        np.testing.assert_array_equal(on_grid.log_density(y), ideal.log_density(y))


@pytest.mark.parametrize("noise", [pf.LaplaceNoise(0.75), pf.GaussianNoise(0.75), pf.NoNoise()])
@pytest.mark.parametrize("prior", [MIXTURE, TABLE, pf.Gaussian(1.0, 0.01), pf.Gaussian(0.0, 50.0)])
def test_cdf_and_survival_are_one(prior: Prior, noise: Noise) -> None:
    law = pf.output_law(prior, noise)
    y = np.concatenate([np.linspace(-40, 40, 321), [-1e9, 1e9, -np.inf, np.inf]])
    # Two sums of a few terms of at most one, each term rounded a dozen times.
    np.testing.assert_allclose(law.cdf(y) + law.survival(y), 1.0, rtol=0, atol=32 * UNIT)
    assert np.all(np.diff(law.cdf(np.sort(y))) >= -32 * UNIT)
    assert law.cdf([-np.inf, np.inf]).tolist() == [0.0, 1.0]
    assert law.survival([-np.inf, np.inf]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("noise", [pf.LaplaceNoise(0.75), pf.GaussianNoise(0.75)])
@pytest.mark.parametrize("prior", [MIXTURE, TABLE, pf.Gaussian(0.0, 5.0)])
def test_the_density_is_the_derivative_of_the_cdf(prior: Prior, noise: Noise) -> None:
    law = pf.output_law(prior, noise)
    for low, high in [(-9.0, -2.0), (-2.0, 0.0), (0.0, 0.25), (0.25, 7.0), (7.0, 15.0)]:
        mass, _ = integrate.quad(lambda y: math.exp(law.log_density(y)), low, high, epsabs=1e-13)
        # quad aims at 1.5e-8 of the integral, which is at most one.
        assert float(law.cdf(high) - law.cdf(low)) == pytest.approx(mass, abs=2e-8)
        assert float(law.survival(low) - law.survival(high)) == pytest.approx(mass, abs=2e-8)


def test_the_ends_of_the_line_have_no_density() -> None:
    for prior in (MIXTURE, TABLE):
        for noise in (pf.LaplaceNoise(0.5), pf.GaussianNoise(0.5)):
            values = pf.output_law(prior, noise).log_density([-np.inf, np.inf])
            assert values.tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("noise", [pf.LaplaceNoise(0.75), pf.GaussianNoise(0.75)])
@pytest.mark.parametrize("prior", [MIXTURE, TABLE])
def test_shapes_and_nan(prior: Prior, noise: Noise) -> None:
    law = pf.output_law(prior, noise)
    for method in (law.log_density, law.cdf, law.survival):
        assert method(0.5).shape == ()
        assert method([[0.5, 1.0, 2.0]]).shape == (1, 3)
        np.testing.assert_array_equal(method([[0.5], [1.0]]).reshape(-1), method([0.5, 1.0]))
        with pytest.raises(pf.InvalidInputError, match="nan"):
            method([0.0, math.nan])


# Tables with Laplace noise: recurrences instead of sums.


def direct_log_density(table: pf.Discrete, b: float, y: float) -> mpf:
    with mp.workdps(50):
        terms = zip(table.probabilities.tolist(), table.values.tolist(), strict=True)
        total = sum(mpf(w) * mp.exp(-abs(mpf(y) - mpf(x)) / mpf(b)) for w, x in terms)
        return mp.log(total / (2 * mpf(b)))


@pytest.mark.parametrize("b", [1e-3, 0.25, 1.0, 100.0])
def test_tables_against_direct_sums(b: float) -> None:
    rng = np.random.default_rng(7)
    weights = rng.integers(1, 100, 30)
    table = pf.Discrete(rng.normal(0, 5, 30), weights / weights.sum())
    points = np.concatenate([table.values, rng.normal(0, 10, 30)])
    values = pf.output_law(table, pf.LaplaceNoise(b)).log_density(points)
    for y, value in zip(points.tolist(), values.tolist(), strict=True):
        truth = direct_log_density(table, b, y)
        # A recurrence of 30 steps rounds thrice a step; the exponent is rounded relatively.
        assert abs(mpf(value) - truth) <= (100 + 4 * abs(truth)) * UNIT


def test_atoms_a_million_scales_apart_do_not_overflow() -> None:
    # Prefix sums of e^{x/b} would need e^{10⁶}; here every sum is taken relative to its own atom.
    b = 0.5
    atoms = b * np.array([-1e6, -1e6 + 1.0, -3.0, 0.0, 2.0, 5e5, 1e6])
    table = pf.Discrete(atoms, [0.25, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125])
    law = pf.output_law(table, pf.LaplaceNoise(b))
    points = [*atoms.tolist(), -6e5, -2.5e5, 1e4, 3e5, 9e5, -1e6]
    for y, value in zip(points, law.log_density(points).tolist(), strict=True):
        truth = direct_log_density(table, b, y)
        assert abs(mpf(value) - truth) <= (100 + 4 * abs(truth)) * UNIT  # as above
    # In the deserts between the atoms the cdf is flat, at an exact sum of the masses.
    assert law.cdf([-2.5e5, 1e5]).tolist() == [0.375, 0.75]
    assert law.survival([-2.5e5, 1e5]).tolist() == [0.625, 0.25]


def test_tiny_masses_keep_their_digits() -> None:
    table = pf.Discrete([0.0, 1000.0], [1e-200, 1.0])
    law = pf.output_law(table, pf.LaplaceNoise(1.0))
    # At 5 the far atom contributes e^{−995}: only the tiny one is seen.
    expected = 1e-200 * (1 - 0.5 * math.exp(-5.0))
    assert float(law.cdf(5.0)) == pytest.approx(expected, rel=1e-14)  # three roundings
    assert float(law.log_density(5.0)) == pytest.approx(
        -5.0 + math.log(1e-200) - math.log(2.0), rel=1e-14
    )


def test_the_density_has_its_kinks_at_the_atoms() -> None:
    b = 0.5
    law = pf.output_law(TABLE, pf.LaplaceNoise(b))
    h = 1e-6
    for atom, mass in zip(TABLE.values, TABLE.probabilities, strict=True):
        left, here, right = np.exp(law.log_density([atom - h, atom, atom + h]))
        jump = (right - here) / h - (here - left) / h
        # The slope of one Laplace density jumps by −w/b² at its centre; differences over h err by
        # h times the second derivative, at most (1/2b³)·h, and by rounding, 1e-15/h.
        assert jump == pytest.approx(-mass / b**2, abs=1e-5)
        # Nowhere else: half a step aside the slope is continuous.
        left, here, right = np.exp(law.log_density([atom + 0.1 - h, atom + 0.1, atom + 0.1 + h]))
        assert (right - here) / h - (here - left) / h == pytest.approx(0.0, abs=1e-5)


def test_a_hundred_thousand_atoms_take_no_table_of_atoms_by_points() -> None:
    count = 100_000
    table = pf.Discrete(np.arange(count) / 8.0, np.full(count, 1.0 / count))
    law = pf.output_law(table, pf.LaplaceNoise(2.0))
    y = np.linspace(-10.0, count / 8.0 + 10.0, count)  # 80 GB as a table
    density = np.exp(law.log_density(y))
    # In the middle the law is uniform on a lattice of step 1/8, smoothed by b = 2:
    # 8/count up to a relative ripple of about (h/b)²/12 = 3e-4.
    np.testing.assert_allclose(density[count // 2], 8.0 / count, rtol=5e-4)
    # An even law has its median in the middle.
    middle = (count - 1) / 16.0
    assert float(law.cdf(middle)) == pytest.approx(0.5, abs=1e-5)  # within one atom's mass
