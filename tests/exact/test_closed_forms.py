"""The oracle against formulas that need no oracle, and against direct sums over the lattice."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import log_ndtr, logsumexp, ndtr

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.exact.compressed import compress
from tests import reference
from tests.support import delta_of, plain_law, plain_noise, scenario_of

DIGITS = 40


def normal_cdf(z: mpf) -> mpf:
    return mp.erfc(-z / mp.sqrt(2)) / 2


def directions(certificate: pf.Certificate) -> tuple[pf.PairResult, pf.PairResult]:
    forward, backward = certificate.results
    assert forward.direction == ("a", "b")
    assert backward.direction == ("b", "a")
    return forward, backward


# Gaussian noise, Gaussian priors.


def analytic_gaussian(shift: float, std: mpf, epsilon: float) -> mpf:
    """The analytic Gaussian mechanism (Balle and Wang 2018, Theorem 8)."""
    half, ratio = mpf(shift) / (2 * std), mpf(epsilon) * std / mpf(shift)
    return normal_cdf(half - ratio) - mp.exp(mpf(epsilon)) * normal_cdf(-half - ratio)


@pytest.mark.parametrize("prior_std", [0.5, 3.0])
@pytest.mark.parametrize("noise_std", [0.25, 2.0])
@pytest.mark.parametrize("shift", [0.125, 1.5, 20.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_equal_variances_give_the_analytic_gaussian_mechanism(
    prior_std: float, noise_std: float, shift: float, epsilon: float
) -> None:
    scenario = scenario_of(pf.Gaussian(1.0, prior_std), pf.Gaussian(1.0 + shift, prior_std))
    certificate = pf.verify(scenario, pf.GaussianNoise(noise_std), pf.Guarantee(epsilon, 1e-6))
    with mp.workdps(DIGITS):
        exact = analytic_gaussian(
            shift, mp.sqrt(mpf(prior_std) ** 2 + mpf(noise_std) ** 2), epsilon
        )
        for result in directions(certificate):
            assert result.delta_lower <= exact <= result.delta_upper
            # Far apart the enclosure would be true but useless: it aims at 1e-10.
            assert result.delta_upper - result.delta_lower <= 1e-9
            assert result.epsilon_lower == math.inf  # the log-ratio is a line
    if exact > 1e-6:
        assert certificate.holds is False


def quadratic_hockey_stick(
    p: tuple[float, float, float], q: tuple[float, float, float], epsilon: float, theta: float
) -> mpf:
    """∫(w_p·N(μ_p, v_p) − e^ε·w_q·N(μ_q, v_q))_+ through the roots of a quadratic, v_p ≠ v_q."""
    (wp, mp_, sp), (wq, mq, sq) = (tuple(map(mpf, law)) for law in (p, q))
    vp, vq = sp**2 + mpf(theta) ** 2, sq**2 + mpf(theta) ** 2
    # log-ratio − ε = A·y² + B·y + C
    a = (1 / vq - 1 / vp) / 2
    b = mp_ / vp - mq / vq
    c = mq**2 / (2 * vq) - mp_**2 / (2 * vp) + mp.log(vq / vp) / 2 + mp.log(wp / wq) - mpf(epsilon)
    discriminant = b**2 - 4 * a * c

    def mass(weight: mpf, mean: mpf, variance: mpf, low: mpf, high: mpf) -> mpf:
        s = mp.sqrt(variance)
        return weight * (normal_cdf((high - mean) / s) - normal_cdf((low - mean) / s))

    if discriminant <= 0:
        return max(wp - mp.exp(mpf(epsilon)) * wq, mpf(0)) if a > 0 else mpf(0)
    low, high = sorted((-b + sign * mp.sqrt(discriminant)) / (2 * a) for sign in (-1, 1))
    inside = mass(wp, mp_, vp, low, high) - mp.exp(mpf(epsilon)) * mass(wq, mq, vq, low, high)
    return inside if a < 0 else wp - mp.exp(mpf(epsilon)) * wq - inside


UNEQUAL = [
    ((0.0, 1.0), (0.5, 1.25)),
    ((0.0, 1.0), (0.0, 4.0)),
    ((-3.0, 0.125), (3.0, 2.0)),
    ((0.0, 1.0), (1e-3, 1.0 + 2.0**-20)),
]


@pytest.mark.parametrize(("first", "second"), UNEQUAL)
@pytest.mark.parametrize("theta", [0.25, 3.0])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_unequal_gaussians_through_the_roots_of_the_quadratic(
    first: tuple[float, float], second: tuple[float, float], theta: float, epsilon: float
) -> None:
    scenario = scenario_of(pf.Gaussian(*first), pf.Gaussian(*second))
    certificate = pf.verify(scenario, pf.GaussianNoise(theta), pf.Guarantee(epsilon, 1e-3))
    forward, backward = directions(certificate)
    with mp.workdps(80):
        for result, p, q in ((forward, first, second), (backward, second, first)):
            exact = quadratic_hockey_stick((1, *p), (1, *q), epsilon, theta)
            assert result.delta_lower <= exact <= result.delta_upper
            assert result.delta_upper - result.delta_lower <= 1e-9  # it aims at 1e-10
    # The wider law outweighs the other without bound, never the other way round.
    assert backward.epsilon_lower == math.inf
    assert math.isfinite(forward.epsilon_upper)


def test_no_noise_is_gaussian_noise_of_std_zero() -> None:
    (first, second), epsilon = UNEQUAL[0], 0.25
    certificate = pf.verify(
        scenario_of(pf.Gaussian(*first), pf.Gaussian(*second)),
        pf.NoNoise(),
        pf.Guarantee(epsilon, 1e-3),
    )
    with mp.workdps(80):
        for result, p, q in zip(
            directions(certificate), (first, second), (second, first), strict=True
        ):
            exact = quadratic_hockey_stick((1, *p), (1, *q), epsilon, 0.0)
            assert result.delta_lower <= exact <= result.delta_upper


# Laplace noise, point masses and translations.


def point(value: float) -> pf.Discrete:
    return pf.Discrete([value], [1.0])


@pytest.mark.parametrize("distance", [0.25, 1.0, 7.5])
@pytest.mark.parametrize("scale", [0.125, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.5])
def test_two_point_masses_with_laplace_noise(distance: float, scale: float, epsilon: float) -> None:
    certificate = pf.verify(
        scenario_of(point(-1.0), point(-1.0 + distance)),
        pf.LaplaceNoise(scale),
        pf.Guarantee(epsilon, 1e-6),
    )
    with mp.workdps(DIGITS):
        exponent = (mpf(epsilon) - mpf(distance) / mpf(scale)) / 2
        exact = max(1 - mp.exp(exponent), mpf(0))
        for result in directions(certificate):
            assert result.delta_lower <= exact <= result.delta_upper
            assert result.epsilon_lower <= mpf(distance) / mpf(scale) <= result.epsilon_upper
            assert result.delta_upper - result.delta_lower <= 1e-11  # closed form: rounding only


TRANSLATED: list[Prior] = [
    pf.Gaussian(0.25, 1.5),
    pf.GaussianMixture([0.25, 0.5, 0.25], [-1.0, 0.5, 4.0], [0.5, 1.0, 0.125]),
    pf.Discrete([-1.0, 0.5, 4.0], [0.25, 0.5, 0.25]),
    point(0.0),
]


@pytest.mark.parametrize("prior", TRANSLATED)
@pytest.mark.parametrize(("shift", "epsilon"), [(0.5, 0.25), (-3.0, 1.5), (0.75, 3.0)])
def test_a_translation_is_decided_exactly_at_its_own_scale(
    prior: Prior, shift: float, epsilon: float
) -> None:
    scenario, goal = scenario_of(prior, prior.shift(shift)), pf.Guarantee(epsilon)
    scale = abs(shift) / epsilon
    assert scale * epsilon == abs(shift)  # all of it exact in binary
    kept = pf.verify(scenario, pf.LaplaceNoise(scale), goal)
    assert kept.holds is True
    assert kept.epsilon_upper == epsilon
    assert kept.delta_upper == 0.0
    # One unit in the last place less is too little; rounding may leave that open, but not a pass.
    assert pf.verify(scenario, pf.LaplaceNoise(math.nextafter(scale, 0)), goal).holds is not True
    assert pf.verify(scenario, pf.LaplaceNoise(scale * (1 - 1e-6)), goal).holds is False


def test_a_mixture_whose_means_move_by_different_amounts_is_capped_by_the_largest() -> None:
    # W_∞ ≤ 2 although the means differ by less on average; the cap is not attained here.
    first = pf.GaussianMixture([0.5, 0.5], [0.0, 10.0], [1.0, 1.0])
    second = pf.GaussianMixture([0.5, 0.5], [1.0, 12.0], [1.0, 1.0])
    assert pf.pure_epsilon(scenario_of(first, second), pf.LaplaceNoise(1.0)).upper <= 2.0


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_two_atoms_at_exactly_their_own_scale(share: float) -> None:
    # Far to the left of both, P(0) = 1 and Q = share·δ₀ + (1 − share)·δ₃ differ by
    # log(share + (1−share)·e^{−Δ/b}) and far to the right by log(share + (1−share)·e^{Δ/b}).
    distance, scale = 3.0, 2.0
    first, second = point(0.0), pf.Discrete([0.0, distance], [share, 1 - share])
    found = pf.pure_epsilon(scenario_of(first, second), pf.LaplaceNoise(scale))
    with mp.workdps(DIGITS):
        ratio = mpf(distance) / mpf(scale)
        ends = [mp.log(mpf(share) + (1 - mpf(share)) * mp.exp(s * ratio)) for s in (-1, 1)]
        exact = max(abs(end) for end in ends)
        assert found.lower <= exact <= found.upper
        assert found.upper - found.lower <= 1e-11  # rounding only
        # Exactly there the enclosure must not pass for less than it is, and just above it must.
        assert (
            pf.verify(
                scenario_of(first, second),
                pf.LaplaceNoise(scale),
                pf.Guarantee(float(exact) * (1 - 1e-9)),
            ).holds
            is False
        )
    assert pf.verify(
        scenario_of(first, second), pf.LaplaceNoise(scale), pf.Guarantee(float(exact) * (1 + 1e-9))
    ).holds


# The law that is really sampled: a value rounded to the grid, plus noise on the grid.


def rounded_table(table: pf.Discrete, grid: float) -> dict[int, float]:
    """Masses of the rounded value, by multiple of the grid; no atom may lie between two."""
    cells: dict[int, float] = {}
    for x, mass in zip(table.values.tolist(), table.probabilities.tolist(), strict=True):
        assert x / grid % 1.0 != 0.5
        cell = round(x / grid)
        cells[cell] = cells.get(cell, 0.0) + mass
    return cells


def rounded_gaussian(prior: pf.Gaussian, grid: float, reach: float = 16.0) -> dict[int, float]:
    """log-masses would underflow beyond 38 stds; here nothing beyond 16 of them matters."""
    low = math.floor((prior.mean - reach * prior.std) / grid)
    high = math.ceil((prior.mean + reach * prior.std) / grid)
    cells = np.arange(low, high + 1)
    edges = ((cells[:, None] + np.array([-0.5, 0.5])) * grid - prior.mean) / prior.std
    # On the right of the mean the upper tails keep the digits of the difference.
    flip = edges.sum(axis=1) > 0
    inner = np.where(flip, -edges[:, 0], edges[:, 1])
    outer = np.where(flip, -edges[:, 1], edges[:, 0])
    log_mass = log_ndtr(inner) + np.log(-np.expm1(log_ndtr(outer) - log_ndtr(inner)))
    return dict(zip(cells.tolist(), np.exp(log_mass).tolist(), strict=True))


def rounded(prior: Prior, grid: float) -> dict[int, float]:
    if isinstance(prior, pf.Gaussian):
        return rounded_gaussian(prior, grid)
    assert isinstance(prior, pf.Discrete)
    return rounded_table(prior, grid)


def lattice_log_law(
    cells: dict[int, float], log_noise: Callable[[np.ndarray], np.ndarray], outputs: np.ndarray
) -> np.ndarray:
    """log P(Y = n·grid), up to a constant that every law shares."""
    positions, masses = np.array(list(cells)), np.array(list(cells.values()))
    kept = masses > 0
    steps = outputs[:, None] - positions[kept][None, :]
    return logsumexp(log_noise(steps) + np.log(masses[kept]), axis=1)


class Lattice:
    """Both laws on the lattice, wide enough that no mass and no ratio is lost."""

    def __init__(
        self, first: Prior, second: Prior, noise: pf.LaplaceNoise | pf.GaussianNoise
    ) -> None:
        grid = noise.grid
        assert grid is not None
        cells = rounded(first, grid), rounded(second, grid)
        size = noise.scale if isinstance(noise, pf.LaplaceNoise) else noise.std
        # Beyond 40 scales there is e^{−40} = 4e-18 of a Laplace law, beyond 10 stds 2e-23 of a
        # Gaussian one.
        reach = math.ceil((40 if isinstance(noise, pf.LaplaceNoise) else 10) * size / grid)
        every = [*cells[0], *cells[1]]
        outputs = np.arange(min(every) - reach, max(every) + reach + 1)
        r = grid / size

        def log_noise(n: np.ndarray) -> np.ndarray:
            steps = np.abs(n) * r
            return -steps if isinstance(noise, pf.LaplaceNoise) else -0.5 * steps**2

        if isinstance(noise, pf.LaplaceNoise):
            log_norm = -math.log(math.tanh(r / 2))  # Σ e^{−|n|r} = coth(r/2)
        else:
            log_norm = float(logsumexp(log_noise(np.arange(-reach, reach + 1))))
        self.log_p, self.log_q = (
            lattice_log_law(each, log_noise, outputs) - log_norm for each in cells
        )
        # A lattice law that forgot some of its mass would make every test below easier.
        assert np.exp(self.log_p).sum() == pytest.approx(1.0, abs=1e-11)
        assert np.exp(self.log_q).sum() == pytest.approx(1.0, abs=1e-11)

    def delta(self, epsilon: float, *, flipped: bool = False) -> float:
        p, q = (self.log_q, self.log_p) if flipped else (self.log_p, self.log_q)
        return math.fsum(np.maximum(np.exp(p) - np.exp(epsilon + q), 0.0))

    def supremum(self, *, flipped: bool = False) -> float:
        ratio = self.log_p - self.log_q
        return float((-ratio if flipped else ratio).max())


@cache
def lattice_of(first: Prior, second: Prior, noise: pf.LaplaceNoise | pf.GaussianNoise) -> Lattice:
    return Lattice(first, second, noise)


# A direct sum in doubles: some thousand terms of at most one, each good to 1e-14.
SUM_ERROR = 1e-12

GRID_PAIRS: list[tuple[Prior, Prior]] = [
    (pf.Discrete([0.0, 1.03], [0.75, 0.25]), pf.Discrete([0.0, 1.03, 2.6], [0.25, 0.5, 0.25])),
    (point(0.06), point(0.07)),
    (pf.Discrete([-2.0, 0.1, 0.2], [0.5, 0.25, 0.25]), point(0.3)),
    (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.7, 1.0)),
    (pf.Gaussian(0.0, 0.5), pf.Gaussian(0.3, 1.1)),
]


@pytest.mark.parametrize("pair", GRID_PAIRS, ids=range(5))
@pytest.mark.parametrize("fineness", [1, 8, 32])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.25])
def test_laplace_noise_on_a_coarse_grid(
    pair: tuple[Prior, Prior], fineness: int, epsilon: float
) -> None:
    noise = pf.LaplaceNoise(1.0, grid=1.0 / fineness)
    lattice = lattice_of(*pair, noise)
    certificate = pf.verify(scenario_of(*pair), noise, pf.Guarantee(epsilon, 1e-3))
    step = 1.0 / fineness
    for result, flipped in zip(directions(certificate), (False, True), strict=True):
        delta, supremum = lattice.delta(epsilon, flipped=flipped), lattice.supremum(flipped=flipped)
        assert result.delta_lower - SUM_ERROR <= delta <= result.delta_upper + SUM_ERROR
        assert result.epsilon_lower - SUM_ERROR <= supremum <= result.epsilon_upper + SUM_ERROR
        # And not by being vacuous: the grid may cost 2r of ε and e^r of δ, seen from both sides.
        if fineness == 32:
            assert result.delta_upper - delta <= 8 * step
            assert delta - result.delta_lower <= 12 * step
            assert result.epsilon_upper - supremum <= 4 * step


def test_the_grid_really_costs_something() -> None:
    # Two values 0.01 apart round to neighbours 1/8 apart: the continuous law would promise ε = 0.01
    # and the law that is sampled has ε = 1/8. A certificate that ignored the grid would be false.
    noise = pf.LaplaceNoise(1.0, grid=0.125)
    scenario = scenario_of(point(0.06), point(0.07))
    assert Lattice(point(0.06), point(0.07), noise).supremum() == pytest.approx(0.125, abs=1e-12)
    assert pf.verify(scenario, noise, pf.Guarantee(0.1)).holds is not True
    assert pf.verify(scenario, pf.LaplaceNoise(1.0), pf.Guarantee(0.1)).holds is True


@pytest.mark.parametrize("pair", GRID_PAIRS, ids=range(5))
@pytest.mark.parametrize("fineness", [1, 8, 32])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.25])
def test_gaussian_noise_on_a_coarse_grid(
    pair: tuple[Prior, Prior], fineness: int, epsilon: float
) -> None:
    noise = pf.GaussianNoise(1.0, grid=1.0 / fineness)
    lattice = lattice_of(*pair, noise)
    certificate = pf.verify(scenario_of(*pair), noise, pf.Guarantee(epsilon, 1e-3))
    loss = (1 + math.exp(epsilon)) / fineness
    for result, flipped in zip(directions(certificate), (False, True), strict=True):
        delta = lattice.delta(epsilon, flipped=flipped)
        assert result.delta_lower - SUM_ERROR <= delta <= result.delta_upper + SUM_ERROR
        # And not by being vacuous: twice the stated loss.
        assert result.delta_upper - result.delta_lower <= 2 * loss + 1e-9


def test_gaussian_noise_on_a_grid_that_holds_every_atom_keeps_its_supremum() -> None:
    first = pf.Discrete([0.0, 0.5, 2.0], [0.25, 0.5, 0.25])
    second = pf.Discrete([0.0, 1.0, 2.0], [0.5, 0.25, 0.25])
    noise = pf.GaussianNoise(1.0, grid=0.125)
    lattice = Lattice(first, second, noise)
    certificate = pf.verify(scenario_of(first, second), noise, pf.Guarantee(1.0))
    for result, flipped in zip(directions(certificate), (False, True), strict=True):
        supremum = lattice.supremum(flipped=flipped)
        assert result.epsilon_lower <= supremum <= result.epsilon_upper + SUM_ERROR
    assert certificate.holds is True


def test_gaussian_noise_on_a_grid_that_moves_an_atom_promises_no_supremum() -> None:
    # 0.6 rounds to 0.5 or 1: the ratio of the rounded laws is not that of the given ones.
    first = pf.Discrete([0.0, 0.6, 2.0], [0.25, 0.5, 0.25])
    second = pf.Discrete([0.0, 1.0, 2.0], [0.5, 0.25, 0.25])
    noise = pf.GaussianNoise(1.0, grid=0.5)
    certificate = pf.verify(scenario_of(first, second), noise, pf.Guarantee(5.0))
    assert certificate.holds is not True


def test_values_that_round_to_the_same_point_are_not_said_to_differ() -> None:
    # 0 and 0.25 both round to 0 on a grid of 1: the sampled laws are equal, so ε* = 0.
    noise = pf.GaussianNoise(1.0, grid=1.0)
    found = pf.pure_epsilon(scenario_of(point(0.0), point(0.25)), noise)
    assert found.lower <= 0.0 <= found.upper


# Missing values.


HOLES = [(0.0, 0.25), (0.25, 0.0), (0.125, 0.5), (0.5, 0.5), (0.01, 0.02), (0.9, 0.2)]


@pytest.mark.parametrize(("m_first", "m_second"), HOLES)
@pytest.mark.parametrize("epsilon", [0.1, 0.75, 2.0])
def test_missing_values_with_gaussian_noise(
    m_first: float, m_second: float, epsilon: float
) -> None:
    first, second, theta = (0.0, 1.0), (0.5, 1.25), 0.75
    scenario = scenario_of(
        pf.Gaussian(*first), pf.Gaussian(*second), missing={"a": m_first, "b": m_second}
    )
    certificate = pf.verify(scenario, pf.GaussianNoise(theta), pf.Guarantee(epsilon, 1e-3))
    with mp.workdps(80):
        for result, (m, p), (n, q) in zip(
            directions(certificate),
            ((m_first, first), (m_second, second)),
            ((m_second, second), (m_first, first)),
            strict=True,
        ):
            hole = max(mpf(m) - mp.exp(mpf(epsilon)) * mpf(n), mpf(0))
            kept = (1 - mpf(m), *p), (1 - mpf(n), *q)
            exact = hole + quadratic_hockey_stick(*kept, epsilon, theta)
            assert result.delta_lower <= exact <= result.delta_upper
            assert result.delta_upper - result.delta_lower <= 1e-9  # it aims at 1e-10


@pytest.mark.parametrize(("m_first", "m_second"), HOLES)
@pytest.mark.parametrize("noise", [pf.LaplaceNoise(0.8), pf.GaussianNoise(0.8)])
def test_missing_values_with_mixtures_and_tables(
    m_first: float, m_second: float, noise: pf.LaplaceNoise | pf.GaussianNoise
) -> None:
    epsilon = 0.4
    for first, second in (
        (pf.GaussianMixture([0.25, 0.75], [0.0, 2.0], [1.0, 0.5]), pf.Gaussian(1.0, 1.0)),
        (pf.Discrete([0.0, 1.0, 3.0], [0.5, 0.25, 0.25]), pf.Discrete([0.0, 3.0], [0.25, 0.75])),
    ):
        certificate = pf.verify(
            scenario_of(first, second, missing={"a": m_first, "b": m_second}),
            noise,
            pf.Guarantee(epsilon, 1e-3),
        )
        for result, p, q, holes in zip(
            directions(certificate),
            (first, second),
            (second, first),
            ((m_first, m_second), (m_second, m_first)),
            strict=True,
        ):
            laws = plain_law(p), plain_law(q)
            exact = reference.hockey_stick_missing(*laws, epsilon, plain_noise(noise), holes)
            assert result.delta_lower <= exact <= result.delta_upper
            with mp.workdps(DIGITS):
                kept = reference.sup_log_ratio(*laws, plain_noise(noise))
                kept += mp.log((1 - mpf(holes[0])) / (1 - mpf(holes[1])))
                hole = -mp.inf
                if holes[0] > 0:
                    hole = mp.log(mpf(holes[0]) / holes[1]) if holes[1] > 0 else mp.inf
                supremum = max(kept, hole)
                assert result.epsilon_lower <= supremum <= result.epsilon_upper


@pytest.mark.parametrize(("m_first", "m_second"), HOLES)
def test_no_noise_hides_a_hole(m_first: float, m_second: float) -> None:
    epsilon = 0.1
    scenario = scenario_of(
        pf.Gaussian(0.0, 1.0), pf.Gaussian(3.0, 1.0), missing={"a": m_first, "b": m_second}
    )
    growth = math.exp(epsilon)
    floor = max(
        max(m - growth * n, 0.0) + max((1 - m) - growth * (1 - n), 0.0)
        for m, n in ((m_first, m_second), (m_second, m_first))
    )
    drowned = delta_of(scenario, pf.LaplaceNoise(1e9), epsilon)
    # At this scale the values themselves tell 3/1e9 at most.
    assert drowned.upper >= floor - 1e-15  # the floor is itself rounded
    assert drowned.lower <= floor + 4e-9
    least = pf.pure_epsilon(scenario, pf.LaplaceNoise(1e9))
    if 0.0 in (m_first, m_second):
        assert least.lower == math.inf
    else:
        holes = max(
            abs(math.log(m_first / m_second)), abs(math.log1p(-m_first) - math.log1p(-m_second))
        )
        assert least.lower <= holes + 4e-9
        assert least.upper >= holes - 1e-15  # the logarithms are themselves rounded


@pytest.mark.parametrize("epsilon", [700.0, 1000.0, 1e6])
def test_missing_values_at_an_absurd_epsilon(epsilon: float) -> None:
    scenario = scenario_of(
        pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0), missing={"a": 0.125, "b": 0.25}
    )
    assert pf.verify(scenario, pf.LaplaceNoise(1.0), pf.Guarantee(epsilon, 1e-3)).holds is True


@pytest.mark.parametrize("exponent", [10, 60, 130, 177, 240])
def test_a_hole_that_hardly_ever_happens_elsewhere(exponent: int) -> None:
    # log(m/m') is hundreds, and a double near it is off by up to 6e-14: the enclosure must know.
    prior = pf.Gaussian(0.0, 1.0)
    for m in (0.1, 0.3, 0.7):
        for digits in range(1, 10):
            other = digits * 10.0**-exponent
            scenario = scenario_of(prior, prior, missing={"a": m, "b": other})
            found = pf.pure_epsilon(scenario, pf.LaplaceNoise(1.0))
            with mp.workdps(DIGITS):
                assert found.lower <= mp.log(mpf(m) / mpf(other)) <= found.upper


def test_a_wide_table_with_gaussian_noise() -> None:
    """A thousand atoms, an even table moved by half a step: with much noise it looks the same."""
    atoms = np.arange(1000.0)
    even = pf.Discrete(atoms, np.full(1000, 1e-3))
    found = delta_of(scenario_of(even, even.shift(0.5)), pf.GaussianNoise(50.0), 0.2)
    assert found.upper <= 1e-9
    # Far from the ends both are flat; the total variation is half a step out of a thousand.
    apart = delta_of(scenario_of(even, even.shift(0.5)), pf.GaussianNoise(50.0), 0.0)
    assert apart.lower <= 5e-4 <= apart.upper + 1e-9  # tails of the ends overlap: 1e-9 is generous


def test_a_long_table_with_gaussian_noise_against_all_its_atoms() -> None:
    """The compressed table against a sum over every atom, on a fine grid of intervals.

    Σ (P(I) − e^ε Q(I))_+ over intervals is a lower bound of HS, short by at most the largest change
    of the log-ratio in an interval: 4e-6 here, as densities change by (h/θ)·|z| ≤ 2e-6 each.
    """
    rng = np.random.default_rng(3)
    first = pf.Discrete(rng.normal(0.0, 1.0, 1500), rng.dirichlet(np.ones(1500)))
    second = pf.Discrete(rng.exponential(1.0, 1500), np.full(1500, 1 / 1500))
    theta, epsilon = 0.5, 0.5
    found = delta_of(scenario_of(first, second), pf.GaussianNoise(theta), epsilon)
    edges = np.linspace(-8.0, 12.0, 4001)
    cdfs = [
        sum(
            (
                table.probabilities[block] @ ndtr((edges - table.values[block, None]) / theta)
                for block in np.array_split(np.arange(1500), 10)
            ),
            start=np.zeros(edges.size),
        )
        for table in (first, second)
    ]
    p, q = (np.diff(cdf) for cdf in cdfs)
    direct = max(
        float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum()),
        float(np.maximum(q - math.exp(epsilon) * p, 0.0).sum()),
    )
    assert direct <= found.upper
    assert found.lower <= direct + 1e-5
    assert found.upper - found.lower <= 1e-9


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e10])
def test_compression_keeps_moments_and_says_how_far_it_is(offset: float) -> None:
    rng = np.random.default_rng(4)
    table = pf.Discrete(offset + rng.uniform(-3.0, 3.0, 4000), rng.dirichlet(np.ones(4000)))
    short, error = compress(table, 2.0)
    assert short.weights.size <= 5 * 13
    # The bound of the remainder, and the last rounding of positions 1e10 stds from zero.
    assert 0.0 < error <= 1e-12 + 1e-15 * abs(offset)
    law, plain = pf.Discrete(short.means, short.weights / short.weights.sum()), table
    points = offset + np.linspace(-12.0, 12.0, 97)
    blurred = [
        ndtr((points[:, None] - each.values) / 2.0) @ each.probabilities for each in (law, plain)
    ]
    # cdfs differ by no more than the total variation, and sums of 4000 terms by 1e-12.
    assert np.max(np.abs(blurred[0] - blurred[1])) <= error + 1e-12


def test_tables_of_100_000_values_with_gaussian_noise() -> None:
    rng = np.random.default_rng(5)
    even = np.full(100_000, 1e-5)
    scenario = scenario_of(
        pf.Discrete(rng.normal(0.0, 1.0, 100_000), even),
        pf.Discrete(rng.normal(0.5, 1.0, 100_000), even),
    )
    found = pf.verify(scenario, pf.GaussianNoise(3.0), pf.Guarantee(0.5, 1e-3))
    # Nearly N(0, 10) against N(0.5, 10), whose δ(0.5) is 2.2e-4; the samples add their own error.
    assert found.holds is True
    assert found.epsilon_lower == math.inf
    assert found.delta_upper - found.delta_lower <= 1e-9
