"""Gaussian priors and mixtures against SciPy, quadrature and many digits."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import integrate, stats

import pufferfish as pf

UNIT = 2.0**-53
# NumPy would turn every one of these into a float.
LOOKALIKES = ["1.0", b"1.0", True, np.True_, 1 + 0j, np.datetime64(1, "D")]
MIXTURES = [
    pf.Gaussian(-1.5, 0.25),
    pf.GaussianMixture([0.3, 0.7], [-2.0, 5.0], [0.5, 2.0]),
    pf.GaussianMixture([0.5, 0.25, 0.25], [0.0, 0.0, 40.0], [1.0, 7.0, 0.125]),
]
POINTS = np.array([-60.0, -3.25, -1.5, 0.0, 0.5, 4.75, 39.9, 80.0])


def parts(prior: pf.Gaussian | pf.GaussianMixture) -> list[tuple[float, float, float]]:
    if isinstance(prior, pf.Gaussian):
        return [(1.0, prior.mean, prior.std)]
    return list(zip(prior.weights, prior.means, prior.stds, strict=True))


def exact_survival(prior: pf.Gaussian | pf.GaussianMixture, x: float) -> mpf:
    """P(X > x) with 50 digits."""
    with mp.workdps(50):
        return sum(
            mpf(w) * mp.erfc((mpf(x) - mpf(m)) / (mpf(s) * mp.sqrt(2))) / 2
            for w, m, s in parts(prior)
        )


@pytest.mark.parametrize("prior", MIXTURES)
def test_density_and_cdf_agree_with_scipy(prior: pf.Gaussian | pf.GaussianMixture) -> None:
    for ours, theirs in (
        (prior.density, stats.norm.pdf),
        (prior.cdf, stats.norm.cdf),
        (prior.survival, stats.norm.sf),
    ):
        expected = sum(w * theirs(POINTS, m, s) for w, m, s in parts(prior))
        # Both round z = (x − μ)/σ once or twice; an error of u·z in z moves e^{−z²/2} by u·z²,
        # and |z| ≤ 40 wherever the value has not underflowed.
        np.testing.assert_allclose(ours(POINTS), expected, rtol=1600 * 8 * UNIT, atol=1e-300)


@pytest.mark.parametrize("prior", MIXTURES)
def test_moments_agree_with_quadrature(prior: pf.Gaussian | pf.GaussianMixture) -> None:
    ends = [(m - 12 * s, m + 12 * s) for _, m, s in parts(prior)]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    breaks = sorted(m + k * s for _, m, s in parts(prior) for k in (-3, 0, 3))

    def expectation(f: object) -> float:
        value, _ = integrate.quad(
            lambda x: f(x) * float(prior.density(x)), low, high, points=breaks, limit=400
        )
        return value

    # quad's own default accuracy is 1.5e-8, absolutely and relatively.
    assert expectation(lambda x: 1.0) == pytest.approx(1.0, rel=2e-8)
    assert expectation(lambda x: x) == pytest.approx(prior.mean, rel=2e-8, abs=2e-8)
    assert expectation(lambda x: (x - prior.mean) ** 2) == pytest.approx(prior.variance, rel=2e-8)
    for t in (-0.5, 0.25):
        value = math.log(expectation(lambda x, t=t: math.exp(t * x)))
        assert prior.log_mgf(t) == pytest.approx(value, rel=2e-8, abs=2e-8)
    share, _ = integrate.quad(prior.density, low, 1.0, points=[b for b in breaks if b < 1.0])
    assert float(prior.cdf(1.0)) == pytest.approx(share, rel=2e-8, abs=2e-8)


@pytest.mark.parametrize("prior", MIXTURES)
@pytest.mark.parametrize("t", [-300.0, -1.0, 0.0, 1e-9, 2.5, 300.0])
def test_log_mgf_with_many_digits(prior: pf.Gaussian | pf.GaussianMixture, t: float) -> None:
    with mp.workdps(50):
        exact = mp.log(
            sum(
                mpf(w) * mp.exp(mpf(m) * mpf(t) + (mpf(s) * mpf(t)) ** 2 / 2)
                for w, m, s in parts(prior)
            )
        )
        # A handful of roundings of an exponent as large as the result itself.
        assert abs(prior.log_mgf(t) - exact) <= 16 * UNIT * (1 + abs(exact))


@pytest.mark.parametrize("prior", MIXTURES)
@pytest.mark.parametrize("distance", [0.5, 5.0, 20.0, 37.0])
def test_far_tails_keep_their_digits(
    prior: pf.Gaussian | pf.GaussianMixture, distance: float
) -> None:
    top = max(m + distance * s for _, m, s in parts(prior))
    bottom = min(m - distance * s for _, m, s in parts(prior))
    flipped = prior.scale(-1.0)
    # As above: a relative error of a few units of 2⁻⁵³ in z becomes one of z² times as much.
    allowed = (8 + 4 * distance**2) * UNIT
    for value, exact in (
        (prior.survival(top), exact_survival(prior, top)),
        (prior.cdf(bottom), exact_survival(flipped, -bottom)),
    ):
        assert value > 0.0
        assert abs(mpf(float(value)) / exact - 1) <= allowed


@pytest.mark.parametrize("prior", MIXTURES)
def test_quantiles_come_back(prior: pf.Gaussian | pf.GaussianMixture) -> None:
    low = np.array([1e-300, 1e-30, 1e-9, 0.01, 0.3, 0.5])
    # Rounding x by u·|x| moves log cdf by u·|x|·hazard; |x|·hazard is at most about z² + |μ|·z/σ,
    # below 40² + 320·40 here.
    allowed = 2e4 * UNIT
    np.testing.assert_allclose(prior.cdf(prior.quantile(low)), low, rtol=allowed)
    high = np.array([0.5, 0.75, 1 - 1e-9, 1 - 2.0**-52, 1 - 2.0**-53])
    np.testing.assert_allclose(prior.survival(prior.quantile(high)), 1 - high, rtol=allowed)
    quantiles = prior.quantile(np.concatenate([low, high[1:]]))
    assert np.all(np.diff(quantiles) > 0)


def test_quantiles_of_one_gaussian_agree_with_scipy() -> None:
    levels = np.array([1e-200, 1e-5, 0.5, 0.9, 1 - 1e-12])
    np.testing.assert_allclose(
        pf.Gaussian(3.0, 2.0).quantile(levels),
        stats.norm.ppf(levels, 3.0, 2.0),
        rtol=1e-14,  # both call the same inverse, good to a few units in the last place
    )


def test_quantiles_of_components_that_are_astronomically_far_apart() -> None:
    prior = pf.GaussianMixture([0.5, 0.5], [0.0, 1e30], [1.0, 1.0])
    # P(X ≤ 0) = ¼ exactly; near 0 the cdf moves by at most 0.2 per unit.
    assert float(prior.cdf(prior.quantile(0.25))) == pytest.approx(0.25, rel=1e-12)
    assert float(prior.cdf(prior.quantile(0.125))) == pytest.approx(0.125, rel=1e-12)


def test_shapes_follow_the_points() -> None:
    for prior in MIXTURES:
        for method in (prior.density, prior.cdf, prior.survival, prior.quantile):
            assert method(0.25).shape == ()
            assert method([[0.25, 0.5, 0.75]]).shape == (1, 3)
            assert method([]).shape == (0,)


@pytest.mark.parametrize("prior", MIXTURES)
def test_the_ends_of_the_line(prior: pf.Gaussian | pf.GaussianMixture) -> None:
    ends = np.array([-np.inf, np.inf])
    assert prior.density(ends).tolist() == [0.0, 0.0]
    assert prior.cdf(ends)[0] == 0.0
    assert prior.survival(ends)[1] == 0.0
    # Weights that sum to one but for their own rounding.
    np.testing.assert_allclose([prior.cdf(ends)[1], prior.survival(ends)[0]], 1.0, rtol=4 * UNIT)


@pytest.mark.parametrize("prior", MIXTURES)
@pytest.mark.parametrize("factor", [2.0, -0.5, -8.0])
@pytest.mark.parametrize("offset", [0.0, -16.0, 3.0])
def test_shift_and_scale(
    prior: pf.Gaussian | pf.GaussianMixture, factor: float, offset: float
) -> None:
    moved = prior.scale(factor).shift(offset)
    # The factors are powers of two and the offsets small integers, so every mean and std stays
    # exact and z is the same double: only sums are taken in the same order.
    assert moved.mean == pytest.approx(factor * prior.mean + offset, rel=1e-14, abs=1e-14)
    assert moved.variance == pytest.approx(factor**2 * prior.variance, rel=1e-13)
    x = np.array([-3.0, -1.5, 0.0, 0.5, 4.75])
    y = factor * x + offset
    np.testing.assert_allclose(moved.density(y), prior.density(x) / abs(factor), rtol=1e-14)
    below, above = (moved.cdf, moved.survival) if factor > 0 else (moved.survival, moved.cdf)
    np.testing.assert_allclose(below(y), prior.cdf(x), rtol=1e-14)
    np.testing.assert_allclose(above(y), prior.survival(x), rtol=1e-14)
    levels = np.array([1e-6, 0.25, 0.75])
    np.testing.assert_allclose(
        moved.quantile(levels if factor > 0 else 1 - levels),
        factor * prior.quantile(levels) + offset,
        # 1 − level is rounded by 2⁻⁵⁴, which moves the quantile at 1e-6 by about 1e-10 of a std.
        rtol=1e-9,
        atol=1e-9,
    )
    t = 0.125
    assert moved.log_mgf(t) == pytest.approx(prior.log_mgf(factor * t) + offset * t, rel=1e-13)


def test_one_component_is_the_gaussian() -> None:
    gaussian, mixture = pf.Gaussian(0.7, 1.3), pf.GaussianMixture([1.0], [0.7], [1.3])
    assert mixture.mean == gaussian.mean
    assert mixture.variance == gaussian.variance
    for method in ("density", "cdf", "survival"):
        one, other = getattr(gaussian, method)(POINTS), getattr(mixture, method)(POINTS)
        np.testing.assert_array_equal(one, other)
    levels = [1e-20, 0.3, 0.99]
    np.testing.assert_array_equal(gaussian.quantile(levels), mixture.quantile(levels))
    assert gaussian.log_mgf(1.5) == mixture.log_mgf(1.5)


def test_a_component_of_weight_zero_changes_nothing() -> None:
    plain = pf.GaussianMixture([0.5, 0.5], [0.0, 3.0], [1.0, 2.0])
    padded = pf.GaussianMixture([0.5, 0.0, 0.5], [0.0, 1e50, 3.0], [1.0, 1e-50, 2.0])
    np.testing.assert_array_equal(plain.cdf(POINTS), padded.cdf(POINTS))
    np.testing.assert_array_equal(plain.quantile([0.1, 0.9]), padded.quantile([0.1, 0.9]))
    assert plain.log_mgf(2.0) == padded.log_mgf(2.0)
    assert padded.components().weights.tolist() == [0.5, 0.5]


def test_weights_within_a_billionth_are_made_to_sum_to_one() -> None:
    mixture = pf.GaussianMixture([0.5, 0.5 + 5e-10], [0.0, 1.0], [1.0, 1.0])
    assert math.fsum(mixture.weights) == pytest.approx(1.0, abs=4 * UNIT)  # one rounding per weight


def test_fields_are_plain_and_frozen() -> None:
    mixture = pf.GaussianMixture(np.array([0.25, 0.75]), range(2), np.array([1, 2]))
    assert (mixture.weights, mixture.means, mixture.stds) == ((0.25, 0.75), (0.0, 1.0), (1.0, 2.0))
    gaussian = pf.Gaussian(np.int64(1), 2)
    assert (type(gaussian.mean), type(gaussian.std)) == (float, float)
    with pytest.raises(dataclasses.FrozenInstanceError):
        mixture.means = (5.0, 6.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        gaussian.std = 3.0
    before = mixture.components()
    before.means[:] = 99.0
    assert mixture.components().means.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("prior", MIXTURES)
def test_equality_hash_and_pickling(prior: pf.Gaussian | pf.GaussianMixture) -> None:
    twin = pickle.loads(pickle.dumps(prior))
    assert twin == prior
    assert hash(twin) == hash(prior)
    assert prior.shift(1.0) != prior
    assert prior.scale(2.0) != prior


def test_a_gaussian_is_not_equal_to_a_mixture_by_name_only() -> None:
    assert pf.Gaussian(0.0, 1.0) != pf.GaussianMixture([1.0], [0.0], [1.0])
    assert pf.Gaussian(0.0, 1.0) == pf.Gaussian(-0.0, 1)
    assert hash(pf.Gaussian(0.0, 1.0)) == hash(pf.Gaussian(-0.0, 1))


BAD_NUMBERS = [math.nan, math.inf, -math.inf, True, np.True_, "1", None, 1j, [1.0], 1e101]
BAD_STDS = [0.0, -0.0, -1.0, 1e-101]


@pytest.mark.parametrize("number", BAD_NUMBERS)
def test_refused_mean(number: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="mean"):
        pf.Gaussian(number, 1.0)


@pytest.mark.parametrize("number", BAD_NUMBERS + BAD_STDS)
def test_refused_std(number: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="std"):
        pf.Gaussian(0.0, number)


def test_a_std_of_zero_is_told_what_to_use_instead() -> None:
    for make in (lambda: pf.Gaussian(1.0, 0.0), lambda: pf.GaussianMixture([1.0], [1.0], [0.0])):
        with pytest.raises(pf.InvalidInputError, match=r"greater than 0.*pf\.Discrete"):
            make()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (([], [], []), "weights must not be empty"),
        (([1.0], [0.0, 1.0], [1.0]), r"one entry per component, got 1, 2 and 1"),
        (([0.5, 0.5], [0.0, 1.0], [1.0]), r"got 2, 2 and 1"),
        (([0.5, 0.6], [0.0, 1.0], [1.0, 1.0]), r"sum to 1.1 \(off by \+0.1\)"),
        (([0.5, 0.5 - 2e-9], [0.0, 1.0], [1.0, 1.0]), r"off by -2e-09"),
        (([1.5, -0.5], [0.0, 1.0], [1.0, 1.0]), r"weights must not be negative; entry 1 is -0.5"),
        (([0.5, math.nan], [0.0, 1.0], [1.0, 1.0]), r"weights must be finite; entry 1 is nan"),
        (([0.5, 0.5], [0.0, math.inf], [1.0, 1.0]), r"means must be finite; entry 1 is inf"),
        (([0.5, 0.5], [0.0, 1.0], [1.0, 0.0]), r"stds\[1\] must be greater than 0"),
        (([0.5, 0.5], [0.0, 1.0], [1.0, -2.0]), r"stds\[1\] must be greater than 0, got -2"),
        (([0.5, 0.5], [0.0, 1.0], [1.0, math.nan]), "stds must be finite"),
        (([[0.5, 0.5]], [0.0, 1.0], [1.0, 1.0]), r"weights must be one-dimensional.*\(1, 2\)"),
        (([1.0], [[0.0]], [1.0]), "means must be one-dimensional"),
        (([1.0], 0.0, [1.0]), "means must be one-dimensional"),
        (([1.0], [[0.0], [1.0, 2.0]], [1.0]), "means must be a list of real numbers"),
        (([1.0], ["zero"], [1.0]), "means must be a list of real numbers"),
        (([1.0], None, [1.0]), "means"),
        (([1.0], [1e101], [1.0]), "means must be at most 1e\\+100"),
    ],
)
def test_refused_mixtures(fields: tuple[object, object, object], message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        pf.GaussianMixture(*fields)


@pytest.mark.parametrize("entry", LOOKALIKES, ids=lambda entry: type(entry).__name__)
@pytest.mark.parametrize("position", [0, 1, 2])
def test_entries_that_only_look_like_numbers_are_refused(entry: object, position: int) -> None:
    fields: list[object] = [[1.0], [1.0], [1.0]]
    for values in ([entry], np.array([entry])):
        fields[position] = values
        with pytest.raises(pf.InvalidInputError, match=("weights", "means", "stds")[position]):
            pf.GaussianMixture(*fields)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.1, math.nan, [0.5, 0.0]])
def test_quantile_levels_lie_strictly_between_zero_and_one(level: object) -> None:
    for prior in MIXTURES:
        with pytest.raises(pf.InvalidInputError, match="strictly between 0 and 1"):
            prior.quantile(level)


@pytest.mark.parametrize("prior", MIXTURES)
def test_nan_is_no_point(prior: pf.Gaussian | pf.GaussianMixture) -> None:
    for method in (prior.density, prior.cdf, prior.survival):
        with pytest.raises(pf.InvalidInputError, match="nan"):
            method([0.0, math.nan])


@pytest.mark.parametrize("prior", MIXTURES)
@pytest.mark.parametrize("number", [math.nan, math.inf, "1", True])
def test_refused_moves(prior: pf.Gaussian | pf.GaussianMixture, number: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="offset"):
        prior.shift(number)
    with pytest.raises(pf.InvalidInputError, match="factor"):
        prior.scale(number)
    with pytest.raises(pf.InvalidInputError, match="factor must not be 0"):
        prior.scale(0.0)
