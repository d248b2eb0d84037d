"""Several releases of one value: the certificate against the exact joint law of all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from tests.strategies import epsilons, missing_probabilities, multiples, priors, sizes, tables
from tests.support import scenario_of

Real = type(mpf(0))
Holes = tuple[float, float]
NO_HOLES: Holes = (0.0, 0.0)

# Where there is a δ: shares that the small tables of the strategies can well have in one atom.
deltas = st.sampled_from([1e-6, 0.01, 0.05, 0.125, 0.25, 0.4])
laplace = st.builds(pf.LaplaceNoise, multiples(2.0**-10, 0.125, 4.0))
releases = st.lists(laplace, min_size=1, max_size=3)
radii = multiples(2.0**-10, 2.0**-10, 2.0)
# γ/b from 1/8 to 1/2, so coarse that what the grid costs is seen.
gridded = st.builds(
    lambda scale, share: pf.LaplaceNoise(scale, scale * share),
    st.sampled_from([0.25, 0.5, 1.0, 2.0]),
    st.sampled_from([0.125, 0.25, 0.5]),
)
grid_releases = st.lists(gridded, min_size=1, max_size=2)
either_releases = st.lists(st.one_of(laplace, gridded), min_size=1, max_size=2)


# The joint law of all releases, from its definition.


def places(table: pf.Discrete, noise: pf.LaplaceNoise) -> list[float]:
    """Where the noise is centred for each atom: on a grid, at the nearest multiple."""
    values = table.values.tolist()
    return values if noise.grid is None else [round(x / noise.grid) * noise.grid for x in values]


def masses(table: pf.Discrete) -> list[Real]:
    """The probabilities, made to sum to one."""
    given = [mpf(p) for p in table.probabilities.tolist()]
    return [p / mp.fsum(given) for p in given]


def joint_log_ratios(
    p: pf.Discrete, q: pf.Discrete, noises: Sequence[pf.LaplaceNoise]
) -> list[Real]:
    """log of the two joint densities' quotient at every (y_1, …, y_T) of which each is an atom.

    With the other y's held fixed both densities are A·e^{y/b} + B·e^{−y/b} between neighbouring
    atoms, so their quotient is monotone there, and constant beyond the last: the extremes over the
    whole space are among these points. On a grid the atoms are the rounded ones.
    """
    factors: list[list[tuple[list[Real], list[Real]]]] = []
    for noise in noises:
        ends = places(p, noise), places(q, noise)
        factors.append(
            [
                tuple([mp.exp(-abs(mpf(y) - mpf(x)) / mpf(noise.scale)) for x in xs] for xs in ends)
                for y in sorted({*ends[0], *ends[1]})
            ]
        )
    weights = masses(p), masses(q)
    found = []
    for point in itertools.product(*factors):
        densities = [
            mp.fsum(
                weight * mp.fprod(factor[side][k] for factor in point)
                for k, weight in enumerate(weights[side])
            )
            for side in (0, 1)
        ]
        found.append(mp.log(densities[0] / densities[1]))
    return found


def joint_epsilon(
    p: pf.Discrete,
    q: pf.Discrete,
    noises: Sequence[pf.LaplaceNoise],
    holes: Holes = NO_HOLES,
) -> Real:
    """ε* of all releases together, both orders; a hole is one outcome, the same in each release."""
    with mp.workdps(40):
        ratios = joint_log_ratios(p, q, noises)
        first, second = mpf(holes[0]), mpf(holes[1])
        ratios = [ratio + mp.log((1 - first) / (1 - second)) for ratio in ratios]
        if first != second:
            ratios.append(mp.log(first / second))
        return max(abs(ratio) for ratio in ratios)


def no_less(epsilon: float, exact: Real) -> bool:
    """Whether ε covers the reference, of whose 40 digits 30 are relied on."""
    with mp.workdps(40):
        return bool(mpf(epsilon) >= exact * (1 - mpf("1e-30")) - mpf("1e-30"))


def cell_masses(table: pf.Discrete, others: pf.Discrete, noise: pf.LaplaceNoise) -> np.ndarray:
    """P(y_t in the cell | X = atom), one row for each cell and one column for each atom.

    Every atom is an edge, so that each cell is on one side of it and its mass has all its digits.
    On a grid the cells are the single points of a window.
    """
    centres = np.array(places(table, noise))
    ends = np.array([*centres, *places(others, noise)])
    low, high = ends.min() - 12 * noise.scale, ends.max() + 12 * noise.scale
    if noise.grid is not None:
        points = np.arange(math.floor(low / noise.grid), math.ceil(high / noise.grid)) * noise.grid
        steps = np.exp(-np.abs(points[:, None] - centres) / noise.scale)
        return steps * math.tanh(noise.grid / (2 * noise.scale))
    edges = np.unique(np.concatenate([ends, np.linspace(low, high, 48)]))
    left, right = edges[:-1, None], edges[1:, None]
    near = np.maximum(np.maximum(left - centres, centres - right), 0.0)
    inner = 0.5 * np.exp(-near / noise.scale) * -np.expm1(-(right - left) / noise.scale)
    tails = [0.5 * np.exp(-np.abs(edge - centres) / noise.scale) for edge in edges[[0, -1]]]
    return np.vstack([tails[0], inner, tails[1]])


def joint_cells(
    table: pf.Discrete, others: pf.Discrete, noises: Sequence[pf.LaplaceNoise]
) -> np.ndarray:
    """P of every box of cells."""
    given = [cell_masses(table, others, noise) for noise in noises]
    weights = table.probabilities / math.fsum(table.probabilities)
    boxes = weights * given[0]
    for each in given[1:]:
        boxes = boxes[..., None, :] * each
    return np.asarray(boxes.sum(axis=-1))


def joint_delta_lower(
    p: pf.Discrete,
    q: pf.Discrete,
    noises: Sequence[pf.LaplaceNoise],
    epsilon: float,
    holes: Holes = NO_HOLES,
) -> float:
    """At most δ at ε of all releases together: only the box is seen, which is post-processing."""
    boxes = joint_cells(p, q, noises), joint_cells(q, p, noises)
    found = 0.0
    for one, other in ((0, 1), (1, 0)):
        # e^ε times a mass may overflow where the mass is tiny: both are multiplied as logarithms.
        with np.errstate(divide="ignore"):
            known = np.log(boxes[other]) + math.log1p(-holes[other]) + epsilon
        seen = (1 - holes[one]) * boxes[one] - np.exp(np.minimum(known, 1.0))
        hole = holes[one] - math.exp(min(epsilon, 700.0)) * holes[other]
        found = max(found, float(np.maximum(seen, 0.0).sum()) + max(hole, 0.0))
    return found


# Each mass and its logarithm are off by about 1e-15 of themselves for each release, and where the
# difference of two counts neither exceeds one; ε itself may be 100, known to 1e-14.
SUMS = 1e-13


@given(tables(), tables(), laplace, laplace)
@settings(max_examples=20)
def test_the_reference_is_a_supremum(
    p: pf.Discrete, q: pf.Discrete, one: pf.LaplaceNoise, two: pf.LaplaceNoise
) -> None:
    supremum = float(joint_epsilon(p, q, [one, two]))
    line = np.linspace(-9.0, 9.0, 60)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    logs = []
    for table in (p, q):
        exponents = -sum(
            np.abs(points[:, [t]] - table.values) / noise.scale
            for t, noise in enumerate([one, two])
        )
        largest = exponents.max(axis=1)
        shares = table.probabilities / math.fsum(table.probabilities)
        logs.append(largest + np.log(np.exp(exponents - largest[:, None]) @ shares))
    # The exponents are at most 2·14/0.125 = 224, so the logarithms are good to about 1e-13.
    assert np.abs(logs[0] - logs[1]).max() <= supremum + 1e-12


# Never below the truth.


@given(tables(), tables(), releases)
@settings(max_examples=80)
def test_pure_epsilon_covers_the_joint_law(
    p: pf.Discrete, q: pf.Discrete, noises: list[pf.LaplaceNoise]
) -> None:
    certificate = pf.composable(scenario_of(p, q), noises[0], 0.0)
    assert certificate is not None
    total = certificate.total(noises)
    assert total.pure
    assert no_less(total.epsilon, joint_epsilon(p, q, noises))
    twice = joint_epsilon(p, q, [noises[0], noises[0]])
    assert no_less(certificate.cost(2).epsilon, twice)


@given(tables(), tables(), releases, deltas)
@settings(max_examples=80)
def test_delta_covers_the_joint_law(
    p: pf.Discrete, q: pf.Discrete, noises: list[pf.LaplaceNoise], delta: float
) -> None:
    certificate = pf.composable(scenario_of(p, q), noises[0], delta)
    assert certificate is not None
    total = certificate.total(noises)
    assert total.delta == delta
    assert joint_delta_lower(p, q, noises, total.epsilon) <= delta + SUMS


@given(tables(), tables(), grid_releases)
@settings(max_examples=80)
def test_pure_epsilon_covers_the_joint_law_on_grids(
    p: pf.Discrete, q: pf.Discrete, noises: list[pf.LaplaceNoise]
) -> None:
    certificate = pf.composable(scenario_of(p, q), noises[0], 0.0)
    assert certificate is not None
    assert no_less(certificate.total(noises).epsilon, joint_epsilon(p, q, noises))


@given(tables(), tables(), grid_releases, deltas)
@settings(max_examples=60)
def test_delta_covers_the_joint_law_on_grids(
    p: pf.Discrete, q: pf.Discrete, noises: list[pf.LaplaceNoise], delta: float
) -> None:
    certificate = pf.composable(scenario_of(p, q), noises[0], delta)
    assert certificate is not None
    epsilon = certificate.total(noises).epsilon
    assert joint_delta_lower(p, q, noises, epsilon) <= delta + SUMS


@given(tables(), tables(), either_releases, missing_probabilities, missing_probabilities, deltas)
@settings(max_examples=80)
def test_holes_are_covered(
    p: pf.Discrete,
    q: pf.Discrete,
    noises: list[pf.LaplaceNoise],
    missing_first: float,
    missing_second: float,
    delta: float,
) -> None:
    holes = missing_first, missing_second
    scenario = scenario_of(p, q, missing=dict(zip("ab", holes, strict=True)))
    pure = pf.composable(scenario, noises[0], 0.0)
    loose = pf.composable(scenario, noises[0], delta)
    if min(holes) == 0.0 < max(holes):
        assert pure is None
        assert loose is None
        return
    assert pure is not None
    assert loose is not None
    assert no_less(pure.total(noises).epsilon, joint_epsilon(p, q, noises, holes))
    epsilon = loose.total(noises).epsilon
    assert joint_delta_lower(p, q, noises, epsilon, holes) <= delta + SUMS


@given(tables(), tables(), either_releases, radii, deltas, st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_a_radius_covers_every_law_within_it(
    p: pf.Discrete,
    q: pf.Discrete,
    noises: list[pf.LaplaceNoise],
    radius: float,
    delta: float,
    random: object,
) -> None:
    believed = scenario_of(p, q)
    for directions in ((-1, 1), (1, -1), None):
        true = [
            pf.Discrete(
                [
                    value + radius * (random.choice([-1, 0, 1]) if directions is None else way)
                    for value in table.values.tolist()
                ],
                table.probabilities,
            )
            for table, way in zip((p, q), directions or (0, 0), strict=True)
        ]
        pure = pf.composable(believed, noises[0], 0.0, radius)
        assert pure is not None
        assert no_less(pure.total(noises).epsilon, joint_epsilon(*true, noises))
        loose = pf.composable(believed, noises[0], delta, radius)
        assert loose is not None
        epsilon = loose.total(noises).epsilon
        assert joint_delta_lower(*true, noises, epsilon) <= delta + SUMS


@pytest.mark.parametrize("scales", [(0.5, 0.5), (1.0, 0.25)])
def test_delta_covers_the_joint_law_of_gaussians(scales: tuple[float, float]) -> None:
    delta, stds = 0.05, (1.0, 1.5)
    scenario = scenario_of(pf.Gaussian(0.0, stds[0]), pf.Gaussian(0.5, stds[1]))
    noises = [pf.LaplaceNoise(scale) for scale in scales]
    certificate = pf.composable(scenario, noises[0], delta)
    assert certificate is not None
    epsilon = certificate.total(noises).epsilon
    # X on a fine mesh: as a function of x a cell's mass has a kink in its slope at two places, so
    # a mesh of h = 0.002 errs by h³/b² < 2e-7 there, and the cells together by less than 1e-5.
    z = np.arange(-4500, 4501) * 0.002
    edges = np.concatenate([[-1e3], np.linspace(-12.0, 12.0, 80), [1e3]])
    boxes = []
    for mean, std in zip((0.0, 0.5), stds, strict=True):
        weights = np.exp(-0.5 * z * z)
        given = [
            np.diff(laplace_cdf((edges[:, None] - mean - std * z) / noise.scale), axis=0)
            for noise in noises
        ]
        boxes.append((given[0] * (weights / weights.sum())) @ given[1].T)
    for one, other in (boxes, boxes[::-1]):
        assert np.maximum(one - math.exp(epsilon) * other, 0.0).sum() <= delta + 1e-5


def laplace_cdf(x: np.ndarray) -> np.ndarray:
    half = 0.5 * np.exp(-np.abs(x))
    return np.where(x < 0, half, 1 - half)


# As tight as it can be.


@given(tables(), multiples(2.0**-10, 0.125, 8.0), st.one_of(releases, grid_releases))
def test_a_translation_costs_its_distance_each_time(
    table: pf.Discrete, distance: float, noises: list[pf.LaplaceNoise]
) -> None:
    certificate = pf.composable(scenario_of(table, table.shift(distance)), noises[0], 0.0)
    assert certificate is not None
    exact = sum(
        Fraction(distance + (noise.grid or 0.0)) / Fraction(noise.scale) for noise in noises
    )
    found = Fraction(certificate.total(noises).epsilon)
    # The distance is a difference of doubles, and the sum is rounded: a few units each.
    assert exact <= found <= exact * (1 + Fraction(2) ** -50)
    if all(noise.grid is None for noise in noises):
        assert float(joint_epsilon(table, table.shift(distance), noises)) == pytest.approx(
            float(exact), rel=1e-12
        )


def test_rounding_to_a_grid_must_be_paid_for() -> None:
    # 0.49 is rounded to 0 and 2.51 to 3: 2.02 apart become 3 apart.
    p, q = pf.Discrete([0.49], [1.0]), pf.Discrete([2.51], [1.0])
    noises = [pf.LaplaceNoise(4.0, 1.0)] * 2
    certificate = pf.composable(scenario_of(p, q), noises[0], 0.0)
    assert certificate is not None
    exact = float(joint_epsilon(p, q, noises))
    assert exact == pytest.approx(2 * 3 / 4, rel=1e-12)
    assert 2 * certificate.distance_upper / 4 < exact <= certificate.cost(2).epsilon
    assert certificate.cost(2).epsilon == pytest.approx(2 * 3.02 / 4, rel=1e-12)


@pytest.mark.parametrize("share", [1e-3, 0.125])
def test_delta_is_spent_on_what_stands_out(share: float) -> None:
    p, q = pf.Discrete([0.0, 10.0], [1 - share, share]), pf.Discrete([0.0], [1.0])
    noises = [pf.LaplaceNoise(0.25), pf.LaplaceNoise(0.5)]
    enough = pf.composable(scenario_of(p, q), noises[0], share * (1 + 1e-9))
    assert enough is not None
    # With that probability left out, nothing is left to tell apart: but for it, all is seen.
    assert enough.total(noises).epsilon <= 1e-90
    seen = joint_delta_lower(p, q, noises, enough.total(noises).epsilon)
    assert 0.999 * share <= seen <= enough.delta + SUMS
    little = pf.composable(scenario_of(p, q), noises[0], 0.99 * share)
    assert little is not None
    assert little.distance_upper == 10.0


@pytest.mark.parametrize("std", [0.0, 0.5])
def test_the_hole_is_charged_once(std: float) -> None:
    priors = [pf.Gaussian(mean, std) if std else pf.Discrete([mean], [1.0]) for mean in (0.0, 2.0)]
    scenario = scenario_of(*priors, missing={"a": 0.1, "b": 0.2})
    certificate = pf.composable(scenario, pf.LaplaceNoise(4.0), 0.0)
    assert certificate is not None
    for count in (1, 2, 5):
        with mp.workdps(30):
            # log 0.2/0.1 is more than log 0.9/0.8.
            exact = count * mpf(2) / 4 + mp.log(mpf(0.2) / mpf(0.1))
            found = certificate.cost(count).epsilon
            # The quotient and its logarithm are rounded up, by a few units of 1e-16 each.
            assert exact <= found <= exact * (1 + mpf("1e-14"))


@pytest.mark.parametrize(("gap", "widening", "delta"), [(0.5, 0.5, 0.05), (0.0, 2.0, 1e-9)])
def test_gaussians_are_charged_the_quantile_of_their_distance(
    gap: float, widening: float, delta: float
) -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(gap, 1.0 + widening))
    certificate = pf.composable(scenario, pf.LaplaceNoise(1.0), delta)
    assert certificate is not None

    def exceeds(distance: Real) -> Real:
        return mp.ncdf((gap - distance) / widening) + mp.ncdf((-gap - distance) / widening)

    with mp.workdps(30):
        assert exceeds(mpf(certificate.distance_upper)) <= delta
        # Normal tails are known to 1e-12 of themselves, which is less than 1e-11 of a quantile.
        assert exceeds(mpf(certificate.distance_upper) * (1 - mpf("1e-11"))) > delta


# Why the exact certificate is no substitute.


@pytest.mark.parametrize("share", [1e-2, 1e-3])
def test_two_releases_that_cost_one_each_cost_far_more_than_two(share: float) -> None:
    p, q = pf.Discrete([0.0, 10.0], [1 - share, share]), pf.Discrete([0.0], [1.0])
    # One release has ε* = log(1 − p + p·e^{10/b}); this is the b that makes it 1, and a little.
    scale = 10.0 / math.log1p(math.expm1(1.0) / share) * (1 + 1e-9)
    scenario, noise = scenario_of(p, q), pf.LaplaceNoise(scale)
    assert pf.verify(scenario, noise, pf.Guarantee(1.0)).holds is True
    joint = float(joint_epsilon(p, q, [noise, noise]))
    assert joint == pytest.approx(math.log(1 - share + share * math.exp(20.0 / scale)), rel=1e-12)
    assert joint > 5.5
    certificate = pf.composable(scenario, noise, 0.0)
    assert certificate is not None
    assert certificate.cost(2).epsilon >= joint


def test_two_releases_may_cost_nine_times_the_delta() -> None:
    p, q = pf.Discrete([0.0, 10.0], [0.999, 0.001]), pf.Discrete([0.0], [1.0])
    scenario, noise, delta = scenario_of(p, q), pf.LaplaceNoise(1.30542), 1e-4
    assert pf.verify(scenario, noise, pf.Guarantee(1.0, delta)).holds is True
    assert joint_delta_lower(p, q, [noise, noise], 2.0) > 8.5 * delta
    certificate = pf.composable(scenario, noise, delta)
    assert certificate is not None
    assert joint_delta_lower(p, q, [noise, noise], certificate.cost(2).epsilon) <= delta


# The arithmetic.


@given(
    priors,
    priors,
    st.one_of(laplace, gridded),
    st.sampled_from([0.0, 1e-3, 0.1]),
    st.integers(1, 40),
)
def test_the_cost_is_linear_and_rounded_up_once(
    first: Prior, second: Prior, noise: pf.LaplaceNoise, delta: float, count: int
) -> None:
    scenario = scenario_of(first, second, missing={"a": 0.25, "b": 0.125})
    certificate = pf.composable(scenario, noise, delta)
    if certificate is None:
        assert delta == 0.0
        return
    each = (Fraction(certificate.distance_upper) + Fraction(noise.grid or 0.0)) / Fraction(
        noise.scale
    )
    exact = Fraction(certificate.once_upper) + count * each
    found = certificate.cost(count)
    assert found.delta == delta
    assert Fraction(found.epsilon) >= exact
    assert Fraction(math.nextafter(found.epsilon, 0.0)) < exact
    assert found == certificate.total([noise] * count)


@given(tables(), tables(), releases, radii)
def test_a_radius_adds_twice_its_size_to_the_distance(
    p: pf.Discrete, q: pf.Discrete, noises: list[pf.LaplaceNoise], radius: float
) -> None:
    scenario = scenario_of(p, q)
    plain = pf.composable(scenario, noises[0], 0.0)
    wide = pf.composable(scenario, noises[0], 0.0, radius)
    assert plain is not None
    assert wide is not None
    extra = sum(2 * Fraction(radius) / Fraction(noise.scale) for noise in noises)
    least = Fraction(plain.distance_upper) + 2 * Fraction(radius)
    assert least <= Fraction(wide.distance_upper)
    assert wide.once_upper == plain.once_upper
    found = Fraction(wide.total(noises).epsilon) - Fraction(plain.total(noises).epsilon)
    # Rounded up once as a distance and once as a sum.
    assert float(found) == pytest.approx(float(extra), rel=1e-12, abs=1e-12)


@given(priors, priors, sizes, st.tuples(deltas, deltas))
def test_a_larger_delta_needs_no_larger_distance(
    first: Prior, second: Prior, size: float, pair: tuple[float, float]
) -> None:
    scenario, noise = scenario_of(first, second), pf.LaplaceNoise(size)
    tight, loose = (pf.composable(scenario, noise, delta) for delta in sorted(pair))
    assert tight is not None
    assert loose is not None
    assert loose.distance_upper <= tight.distance_upper
    pure = pf.composable(scenario, noise, 0.0)
    if pure is not None:
        assert tight.distance_upper <= pure.distance_upper


@given(tables(), tables(), tables(), laplace, st.sampled_from([0.0, 0.05, 0.25]))
def test_the_worst_pair_and_belief_decide(
    p: pf.Discrete, q: pf.Discrete, r: pf.Discrete, noise: pf.LaplaceNoise, delta: float
) -> None:
    one = pf.Belief({"a": p, "b": q, "c": r}, name="one")
    two = pf.Belief({"a": q, "b": p.shift(1.0), "c": r}, name="two")
    alone = {}
    for belief, pair in itertools.product((one, two), itertools.combinations("abc", 2)):
        found = pf.composable(pf.Scenario([belief], pairs=[pair]), noise, delta)
        assert found is not None
        alone[belief.name, pair] = found.distance_upper
    largest = max(alone.values())
    for beliefs in ([one, two], [two, one]):
        together = pf.composable(pf.Scenario(beliefs), noise, delta)
        assert together is not None
        assert together.distance_upper == largest
        assert alone[together.belief, tuple(together.pair)] == largest


# What is refused.

FAR = pf.Gaussian(3.0, 1.0)
MIXTURES = (
    pf.GaussianMixture([0.5, 0.5], [0.0, 2.0], [1.0, 0.5]),
    pf.GaussianMixture([0.5, 0.5], [0.0, 2.0], [1.0, 0.75]),
)


@pytest.mark.parametrize("noise", [pf.GaussianNoise(1.0), pf.NoNoise()])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_only_laplace_noise_composes(noise: pf.Noise, delta: float) -> None:
    assert pf.composable(scenario_of(pf.Gaussian(0.0, 1.0), FAR), noise, delta) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        MIXTURES,
        (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 1.5)),
        (pf.Gaussian(0.0, 1.0), pf.Discrete([0.0], [1.0])),
        # The same stds, with other weights: some mass must change its shape.
        (MIXTURES[0], pf.GaussianMixture([0.25, 0.75], [0.0, 2.0], [1.0, 0.5])),
    ],
)
def test_no_distance_bounds_unequal_shapes_without_a_delta(first: Prior, second: Prior) -> None:
    noise = pf.LaplaceNoise(1.0)
    assert pf.composable(scenario_of(first, second), noise, 0.0) is None
    loose = pf.composable(scenario_of(first, second), noise, 1e-6)
    assert loose is not None
    assert math.isfinite(loose.distance_upper)


@pytest.mark.parametrize("order", [1, -1])
def test_a_far_pair_does_not_excuse_an_unbounded_one(order: int) -> None:
    # The tails of T releases are 1.5·T²/b² apart for "wide", more than any T·D/b in the end; that
    # |Z| > 100 is too improbable for a double must not count as never.
    far = pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(100.0, 1.0)}, name="far")
    wide = pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.0, 2.0)}, name="wide")
    scenario = pf.Scenario([far, wide][::order])
    assert pf.composable(scenario, pf.LaplaceNoise(1.0), 0.0) is None
    loose = pf.composable(scenario, pf.LaplaceNoise(1.0), 1e-9)
    assert loose is not None
    assert (loose.belief, loose.distance_upper) == ("far", 100.0)


@given(epsilons)
def test_the_same_laws_cost_nothing(scale: float) -> None:
    certificate = pf.composable(scenario_of(FAR, FAR), pf.LaplaceNoise(scale), 0.0)
    assert certificate is not None
    assert certificate.distance_upper == certificate.once_upper == 0.0
    assert certificate.cost(1000).epsilon <= 1e-90


@pytest.mark.parametrize("count", [0, -1, True, 1.5, 2.0, "2", None])
def test_releases_are_counted_in_whole_numbers(count: object) -> None:
    certificate = pf.composable(scenario_of(FAR, FAR.shift(1.0)), pf.LaplaceNoise(1.0), 0.0)
    assert certificate is not None
    with pytest.raises(pf.InvalidInputError, match="releases"):
        certificate.cost(count)


@pytest.mark.parametrize("delta", [-0.1, 1.0, math.nan, math.inf, "0", True])
def test_refused_deltas(delta: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="delta"):
        pf.composable(scenario_of(FAR, FAR.shift(1.0)), pf.LaplaceNoise(1.0), delta)


@pytest.mark.parametrize("radius", [-0.1, math.nan, math.inf, "0", True])
def test_refused_radii(radius: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="radius"):
        pf.composable(scenario_of(FAR, FAR.shift(1.0)), pf.LaplaceNoise(1.0), 0.0, radius)


def test_a_scenario_is_asked_for() -> None:
    with pytest.raises(pf.InvalidInputError, match="Scenario"):
        pf.composable(FAR, pf.LaplaceNoise(1.0), 0.0)


def test_only_laplace_noise_is_totalled_and_only_noise_is_judged() -> None:
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0]))
    certificate = pf.composable(scenario, pf.LaplaceNoise(1.0), 0.0)
    assert certificate is not None
    with pytest.raises(pf.UnsupportedError, match="Laplace"):
        certificate.total([pf.GaussianNoise(1.0)])  # type: ignore[list-item]
    for noise in ("laplace", 3, None):
        with pytest.raises(pf.InvalidInputError, match="noise"):
            pf.composable(scenario, noise, 0.0)  # type: ignore[arg-type]


def test_a_billion_releases_are_counted_at_once() -> None:
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0]))
    certificate = pf.composable(scenario, pf.LaplaceNoise(2.0**40), 0.0)
    assert certificate is not None
    assert certificate.cost(2**30).epsilon == 2.0**-10


@pytest.mark.parametrize("grid", [None, 0.25])
@pytest.mark.parametrize("releases", [1, 2, 7])
def test_the_scale_for_a_budget_spends_it_and_no_more(releases: int, grid: float | None) -> None:
    scenario = scenario_of(
        pf.Discrete([0.0, 4.0], [0.5, 0.5]),
        pf.Discrete([3.0, 7.0], [0.5, 0.5]),
        missing={"a": 0.25, "b": 0.3},
    )
    certificate = pf.composable(scenario, pf.LaplaceNoise(5.0, grid), 0.0)
    assert certificate is not None
    scale = certificate.scale_for(1.0, releases)
    assert certificate.total([pf.LaplaceNoise(scale, grid)] * releases).epsilon <= 1.0
    less = pf.LaplaceNoise(scale * (1 - 1e-9), grid)
    assert certificate.total([less] * releases).epsilon > 1.0
    with pytest.raises(pf.InvalidInputError, match="charged once"):
        certificate.scale_for(0.01)
