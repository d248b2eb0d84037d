"""How wrong a belief may be: the promise holds for every law within the radius, and not far beyond.

"Kept" means here that `pf.verify` does not find the promise broken: its lower bounds are proofs.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from tests.strategies import epsilons, gaussians, mixtures, multiples, priors, sizes, tables
from tests.support import delta_of, plain_law, scenario_of

Real = type(mpf(0))

grids = st.sampled_from([None, 2.0**-20, 2.0**-4])
laplace = st.builds(pf.LaplaceNoise, sizes, grids)
gaussian = st.builds(pf.GaussianNoise, sizes, st.sampled_from([None, 2.0**-20]))
noises = st.one_of(laplace, gaussian)
# How much weaker the promise is than what the noise gives.
rooms = st.floats(1.05, 3.0)
holes = st.sampled_from([{}, {"a": 0.125, "b": 0.125}, {"a": 0.25, "b": 0.3125}])
signs = st.lists(st.sampled_from([-1, 1]), min_size=8, max_size=8)

# Moved places are rounded: this much less than the radius is within it.
INSIDE = 1 - 1e-12


def pure_goal(scenario: pf.Scenario, noise: pf.Noise, room: float) -> pf.Guarantee:
    """A pure promise that the noise keeps, with room to spare."""
    least = pf.pure_epsilon(scenario, noise).upper
    assume(1e-3 < least < 100.0)
    return pf.Guarantee(room * least)


def loose_goal(scenario: pf.Scenario, noise: pf.Noise, epsilon: float, room: float) -> pf.Guarantee:
    """A promise with a δ that the noise keeps, with room to spare."""
    delta = room * delta_of(scenario, noise, epsilon).upper + 1e-4
    assume(delta < 0.9)
    return pf.Guarantee(epsilon, delta)


def rebuilt(prior: Prior, law: list[tuple[float, float, float]]) -> Prior:
    """A prior of the same kind from (weight, mean, std)."""
    weights, means, stds = (list(column) for column in zip(*law, strict=True))
    if isinstance(prior, pf.Discrete):
        return pf.Discrete(means, weights)
    return pf.GaussianMixture(weights, means, stds)


def moved(prior: Prior, distance: float, ways: list[int]) -> Prior:
    """Every component or atom moved by `distance`, each in its own direction."""
    law = plain_law(prior)
    return rebuilt(
        prior,
        [
            (weight, mean + way * distance, std)
            for (weight, mean, std), way in zip(law, itertools.cycle(ways), strict=False)
        ],
    )


def tilted(prior: Prior, kappa: float, ways: list[int]) -> Prior:
    """Weights changed by factors from e^{−κ} to e^κ, before and so after any noise."""
    law = plain_law(prior)
    weights = [
        weight * math.exp(0.5 * kappa * way)
        for (weight, _, _), way in zip(law, itertools.cycle(ways), strict=False)
    ]
    total = math.fsum(weights)
    return rebuilt(
        prior, [(w / total, mean, std) for w, (_, mean, std) in zip(weights, law, strict=True)]
    )


def mixed(prior: Prior, other: Prior, share: float) -> Prior:
    """`prior` but for this share of `other`: at most so far in total variation."""
    law = [(weight * (1 - share), mean, std) for weight, mean, std in plain_law(prior)]
    law += [(weight * share, mean, std) for weight, mean, std in plain_law(other)]
    return rebuilt(prior, [each for each in law if each[0] > 0.0])


def assert_kept(
    first: Prior,
    second: Prior,
    noise: pf.Noise,
    goal: pf.Guarantee,
    missing: dict[str, float] | None = None,
) -> None:
    true = scenario_of(first, second, missing=missing)
    assert pf.verify(true, noise, goal).holds is not False


# Each line of the radius is absorbed.


@given(priors, priors, laplace, epsilons, rooms, holes, signs)
def test_moved_values_are_absorbed(
    first: Prior,
    second: Prior,
    noise: pf.LaplaceNoise,
    epsilon: float,
    room: float,
    missing: dict[str, float],
    ways: list[int],
) -> None:
    scenario = scenario_of(first, second, missing=missing)
    for goal in (pure_goal(scenario, noise, room), loose_goal(scenario, noise, epsilon, room)):
        found = pf.radius(scenario, noise, goal)
        assert found.w_infinity <= found.kappa * noise.scale
        distance = found.w_infinity * INSIDE
        for one, other in ([[-1], [1]], [[1], [-1]], [ways, ways[::-1]]):
            true = moved(first, distance, one), moved(second, distance, other)
            assert_kept(*true, noise, goal, missing)


@given(
    st.one_of(gaussians, mixtures()),
    st.one_of(gaussians, mixtures()),
    laplace,
    epsilons,
    rooms,
    holes,
    st.floats(0.3, 0.95),
)
@settings(max_examples=20)
def test_a_wrong_std_is_absorbed(
    first: Prior,
    second: Prior,
    noise: pf.LaplaceNoise,
    epsilon: float,
    room: float,
    missing: dict[str, float],
    share: float,
) -> None:
    scenario = scenario_of(first, second, missing=missing)
    for goal in (pure_goal(scenario, noise, room), loose_goal(scenario, noise, epsilon, room)):
        kappa = pf.radius(scenario, noise, goal).kappa
        for ways in ((1, -1), (-1, 1), (1, 1)):
            true = []
            for prior, way in zip((first, second), ways, strict=True):
                # In the tails |σ² − σ̃²|/(2b²) is what a wrong std costs.
                change = way * share * kappa * 2 * noise.scale**2
                law = [
                    (weight, mean, math.sqrt(max(std * std + change, 0.01)))
                    for weight, mean, std in plain_law(prior)
                ]
                true.append(rebuilt(prior, law))
            costs = [
                pf.pure_epsilon(scenario_of(prior, law), noise).upper
                for prior, law in zip((first, second), true, strict=True)
            ]
            if max(costs) <= kappa:
                assert_kept(*true, noise, goal, missing)


@given(priors, priors, noises, epsilons, rooms, holes, signs)
def test_wrong_weights_are_absorbed(
    first: Prior,
    second: Prior,
    noise: pf.Noise,
    epsilon: float,
    room: float,
    missing: dict[str, float],
    ways: list[int],
) -> None:
    scenario = scenario_of(first, second, missing=missing)
    goals = [loose_goal(scenario, noise, epsilon, room)]
    if isinstance(noise, pf.LaplaceNoise):
        goals.append(pure_goal(scenario, noise, room))
    for goal in goals:
        kappa = pf.radius(scenario, noise, goal).kappa * INSIDE
        for other in (ways, [-way for way in ways], ways[::-1]):
            true = tilted(first, kappa, ways), tilted(second, kappa, other)
            assert_kept(*true, noise, goal, missing)


@given(tables(), tables(), st.one_of(noises, st.just(pf.NoNoise())), epsilons, rooms)
def test_holes_that_are_wrong_are_absorbed(
    first: pf.Discrete, second: pf.Discrete, noise: pf.Noise, epsilon: float, room: float
) -> None:
    believed = {"a": 0.25, "b": 0.3125}
    scenario = scenario_of(first, second, missing=believed)
    goal = loose_goal(scenario, noise, epsilon, room)
    kappa = pf.radius(scenario, noise, goal).kappa * INSIDE
    for way in (1, -1):
        a, b = (believed[secret] * math.exp(s * way * kappa) for secret, s in (("a", 1), ("b", -1)))
        # Of m and 1 − m it is the smaller that changes by the larger factor.
        if max(a, b) <= 0.5:
            assert_kept(first, second, noise, goal, {"a": a, "b": b})


@given(st.data(), noises, epsilons, rooms, holes)
def test_a_small_probability_of_something_else_is_absorbed(
    data: st.DataObject, noise: pf.Noise, epsilon: float, room: float, missing: dict[str, float]
) -> None:
    kind = data.draw(st.sampled_from([tables(), mixtures()]))
    first, second, third, fourth = (data.draw(kind) for _ in range(4))
    scenario = scenario_of(first, second, missing=missing)
    goal = loose_goal(scenario, noise, epsilon, room)
    share = pf.radius(scenario, noise, goal).total_variation
    for one, other in ((third, fourth), (second, first), (third.shift(50.0), fourth.shift(-50.0))):
        true = mixed(first, one, share), mixed(second, other, share)
        assert_kept(*true, noise, goal, missing)


@given(priors, priors, noises, epsilons, rooms, holes)
def test_values_moved_on_average_are_absorbed(
    first: Prior,
    second: Prior,
    noise: pf.Noise,
    epsilon: float,
    room: float,
    missing: dict[str, float],
) -> None:
    scenario = scenario_of(first, second, missing=missing)
    goal = loose_goal(scenario, noise, epsilon, room)
    mean = pf.radius(scenario, noise, goal).w_1 * INSIDE
    for way in (1, -1):
        whole, single = [], []
        for prior, sign in ((first, way), (second, -way)):
            # All values by as much, or one component by so much more.
            whole.append(moved(prior, mean, [sign]))
            (weight, place, std), *rest = sorted(plain_law(prior))
            single.append(rebuilt(prior, [(weight, place + sign * mean / weight, std), *rest]))
        assert_kept(*whole, noise, goal, missing)
        assert_kept(*single, noise, goal, missing)


# As much as is there.

POINTS = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([3.0], [1.0]))


@pytest.mark.parametrize("grid", [None, 0.5])
@pytest.mark.parametrize(("scale", "epsilon"), [(4.0, 1.0), (2.0, 2.0), (10.0, 0.4)])
def test_point_masses_cannot_be_moved_further_apart(
    scale: float, epsilon: float, grid: float | None
) -> None:
    noise, goal = pf.LaplaceNoise(scale, grid), pf.Guarantee(epsilon)
    found = pf.radius(POINTS, noise, goal)
    # ε* = (Δ + γ)/b at most; what is left of ε, halved and in the units of X.
    exact = (Fraction(epsilon) * Fraction(scale) - 3 - Fraction(grid or 0.0)) / 2
    assert exact * (1 - Fraction(1, 10**12)) <= Fraction(found.w_infinity) <= exact
    assert_kept(pf.Discrete([-found.w_infinity], [1.0]), pf.Discrete([3.0], [1.0]), noise, goal)
    ideal = pf.LaplaceNoise(scale)
    far = pf.radius(POINTS, ideal, goal).w_infinity * 1.01
    true = scenario_of(pf.Discrete([-far], [1.0]), pf.Discrete([3.0 + far], [1.0]))
    assert pf.verify(true, ideal, goal).holds is False


@pytest.mark.parametrize("epsilon", [0.1, 0.75, 2.0])
@pytest.mark.parametrize("delta", [1e-6, 1e-2, 0.3])
def test_point_masses_have_closed_forms(epsilon: float, delta: float) -> None:
    noise, goal = pf.LaplaceNoise(4.0), pf.Guarantee(epsilon, delta)
    with mp.workdps(40):
        # HS_ε = (1 − e^{(ε − Δ/b)/2})_+; then e^κ·HS_{ε−2κ} = e^κ − e^{(ε − Δ/b)/2}.
        kept = mp.exp((mpf(epsilon) - mpf(3) / 4) / 2)
        loss = max(1 - kept, 0)
        if loss > delta:
            with pytest.raises(pf.CertificationError):
                pf.radius(POINTS, noise, goal)
            return
        found = pf.radius(POINTS, noise, goal)
        kappa = min(mp.log(mpf(delta) + kept), mpf(epsilon) / 2)
        variation = (mpf(delta) - loss) / (1 + mp.exp(epsilon))
        for value, exact in (
            (found.kappa, kappa),
            (found.w_infinity, 4 * kappa),
            (found.total_variation, variation),
            (found.w_1, 8 * variation),
        ):
            assert value <= exact
            # HS is known to about 1e-15 here, and δ − HS is 1e-6 at least; κ is found by halving,
            # to 1e-13 of ε.
            assert value >= exact * (1 - mpf("1e-8")) - 4 * mpf("1e-12")


@pytest.mark.parametrize("grid", [None, 2.0**-20])
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_gaussian_noise_has_its_own_line(epsilon: float, grid: float | None) -> None:
    noise, goal = pf.GaussianNoise(4.0, grid), pf.Guarantee(epsilon, 0.2)
    found = pf.radius(POINTS, noise, goal)
    assert found.w_infinity == 0.0

    def loss(at: Real) -> Real:
        """The analytic Gaussian mechanism."""
        half, step = mpf(3) / 8, 4 * at / 3
        return mp.ncdf(half - step) - mp.exp(at) * mp.ncdf(-half - step)

    with mp.workdps(40):
        variation = (mpf("0.2") - loss(mpf(epsilon))) / (1 + mp.exp(epsilon))
        assert found.total_variation <= variation
        # A grid of 2⁻²⁰ costs (1 + e^ε)·2⁻²² = (1 + e^ε)·2.4e-7 of δ; sums are good to 1e-10.
        assert found.total_variation >= variation - mpf("2.5e-7")
        distance = 4 * mp.sqrt(2 * mp.pi) * found.total_variation - (grid or 0.0)
        assert distance * (1 - mpf("1e-14")) <= found.w_1 <= distance
        if grid is None:
            kappa = mpf(found.kappa)
            assert mp.exp(kappa) * loss(epsilon - 2 * kappa) <= mpf("0.2")
            more = kappa * (1 + mpf("1e-8"))
            # Unless nothing is left of ε.
            assert more > epsilon / 2 or mp.exp(more) * loss(epsilon - 2 * more) > mpf("0.2")


def test_what_the_grid_takes_from_the_mean_distance() -> None:
    goal = pf.Guarantee(1.0, 0.01)
    found = pf.radius(POINTS, pf.LaplaceNoise(4.0, 2.0**-10), goal)
    assert found.w_1 == pytest.approx(8 * found.total_variation - 2.0**-10, rel=1e-12)
    # A grid coarser than that leaves nothing, and not less than nothing.
    assert pf.radius(POINTS, pf.LaplaceNoise(4.0, 0.125), goal).w_1 == 0.0


TWO = 0.25, 0.5


def two_values(first: float, second: float) -> tuple[pf.Discrete, pf.Discrete]:
    """P(X = 0) for either secret."""
    return pf.Discrete([0.0, 1.0], [first, 1 - first]), pf.Discrete(
        [0.0, 1.0], [second, 1 - second]
    )


@pytest.mark.parametrize("goal", [pf.Guarantee(1.0), pf.Guarantee(0.5, 0.125)], ids=str)
def test_kappa_is_tight_without_noise(goal: pf.Guarantee) -> None:
    a, b = TWO
    kappa = pf.radius(scenario_of(*two_values(a, b)), pf.NoNoise(), goal).kappa
    # At 0 the one law loses a factor e^κ and the other gains it; at 1 both change by less.
    for share, broken in ((1 - 1e-9, False), (1.01, True)):
        true = two_values(a * math.exp(-share * kappa), b * math.exp(share * kappa))
        holds = pf.verify(scenario_of(*true), pf.NoNoise(), goal).holds
        assert (holds is False) is broken


def test_total_variation_is_tight_without_noise() -> None:
    a, b = TWO
    goal = pf.Guarantee(0.5, 0.125)
    found = pf.radius(scenario_of(*two_values(a, b)), pf.NoNoise(), goal)
    assert found.w_infinity == found.w_1 == 0.0
    for share, broken in ((1 - 1e-9, False), (1.01, True)):
        step = share * found.total_variation
        true = two_values(a - step, b + step)
        holds = pf.verify(scenario_of(*true), pf.NoNoise(), goal).holds
        assert (holds is False) is broken


@given(priors, priors, laplace, rooms)
def test_pure_kappa_is_half_of_what_is_left(
    first: Prior, second: Prior, noise: pf.LaplaceNoise, room: float
) -> None:
    scenario = scenario_of(first, second)
    goal, least = pure_goal(scenario, noise, room), pf.pure_epsilon(scenario, noise)
    found = pf.radius(scenario, noise, goal)
    left = (Fraction(goal.epsilon) - Fraction(least.upper)) / 2
    assert Fraction(found.kappa) <= left
    # Rounded down, by 1e-15 of ε and the rounding of the difference.
    assert Fraction(found.kappa) >= left - Fraction(goal.epsilon) * Fraction(1, 10**14)
    assert found.total_variation == found.w_1 == 0.0
    assert (found.goal, found.noise) == (goal, noise)


@pytest.mark.parametrize(
    ("scale", "delta", "kappa", "variation"),
    [
        # ε* = Δμ/b + |σ²−σ'²|/(2b²) = 0.78125.
        (2.0, 0.0, 0.109375, 0.0),
        # ε* < 1, so all of δ is to spare: 1e-3/(1 + e).
        (2.0, 1e-3, 0.128469, 1e-3 / (1 + math.e)),
        (1.6, 1e-3, 0.006510, 7.3394e-5),
    ],
)
def test_the_radii_of_two_gaussians(
    scale: float, delta: float, kappa: float, variation: float
) -> None:
    scenario = scenario_of(pf.Gaussian(10.0, 2.5), pf.Gaussian(11.0, 2.0))
    found = pf.radius(scenario, pf.LaplaceNoise(scale), pf.Guarantee(1.0, delta))
    assert found.kappa == pytest.approx(kappa, abs=1e-6)  # as printed
    assert found.w_infinity == pytest.approx(kappa * scale, abs=2e-6)
    assert found.total_variation == pytest.approx(variation, abs=1e-9)  # as printed
    assert found.w_1 == pytest.approx(2 * scale * variation, abs=4e-9)


def test_the_worst_pair_and_belief_decide() -> None:
    noise, goal = pf.LaplaceNoise(1.5), pf.Guarantee(1.0, 0.3)
    near = pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.0, 1.5)}, name="near")
    far = pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(2.5, 1.0)}, name="far")
    alone = [pf.radius(pf.Scenario([belief]), noise, goal) for belief in (near, far)]
    for beliefs in ([near, far], [far, near]):
        together = pf.radius(pf.Scenario(beliefs), noise, goal)
        for line in ("kappa", "w_infinity", "total_variation", "w_1"):
            # κ is found by halving, from another start.
            least, other = sorted(getattr(each, line) for each in alone)
            assert least < 0.9 * other
            assert getattr(together, line) == pytest.approx(least, rel=1e-10)


@pytest.mark.parametrize(
    ("noise", "goal"),
    [
        (pf.LaplaceNoise(2.9), pf.Guarantee(1.0)),
        (pf.LaplaceNoise(2.0), pf.Guarantee(1.0, 0.01)),
        (pf.GaussianNoise(100.0), pf.Guarantee(1.0)),
        (pf.GaussianNoise(2.0), pf.Guarantee(1.0, 0.01)),
        (pf.NoNoise(), pf.Guarantee(1.0, 0.5)),
    ],
)
def test_a_broken_promise_has_no_radius(noise: pf.Noise, goal: pf.Guarantee) -> None:
    with pytest.raises(pf.CertificationError, match=r"'a', 'b'.*'belief'"):
        pf.radius(POINTS, noise, goal)


def test_wrong_types_are_refused() -> None:
    noise, goal = pf.LaplaceNoise(4.0), pf.Guarantee(1.0)
    with pytest.raises(pf.InvalidInputError, match="Scenario"):
        pf.radius(pf.Gaussian(0.0, 1.0), noise, goal)
    with pytest.raises(pf.InvalidInputError, match="noise"):
        pf.radius(POINTS, 4.0, goal)
    with pytest.raises(pf.InvalidInputError, match="Guarantee"):
        pf.radius(POINTS, noise, 1.0)


# Calibration for a radius.

PAIRS: dict[str, tuple[Prior, Prior]] = {
    "Gaussians": (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.5, 1.25)),
    "mixtures": (
        pf.GaussianMixture([0.25, 0.75], [-1.0, 2.0], [0.5, 1.0]),
        pf.GaussianMixture([0.5, 0.5], [0.0, 2.5], [1.0, 0.75]),
    ),
    "tables": (
        pf.Discrete([0.0, 1.0, 4.0], [0.5, 0.25, 0.25]),
        pf.Discrete([0.0, 2.0, 4.0], [0.25, 0.25, 0.5]),
    ),
    "equal": (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 1.0)),
}
GOALS = [pf.Guarantee(1.0), pf.Guarantee(0.5, 1e-3)]


def scale_of(found: pf.Calibration) -> float:
    assert isinstance(found.noise, pf.LaplaceNoise)
    return found.noise.scale


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize(
    ("name", "method"),
    [(name, "exact") for name in PAIRS] + [("Gaussians", "coupling"), ("tables", "coupling")],
)
def test_calibration_absorbs_the_radius_it_is_asked_for(
    name: str, method: str, goal: pf.Guarantee
) -> None:
    if goal.pure and (name, method) == ("Gaussians", "coupling"):
        return  # unequal stds, δ = 0: no coupling proves anything
    scenario, distance = scenario_of(*PAIRS[name]), 0.3
    found = pf.calibrate(scenario, goal, method=method, radius=distance)
    assert found.radius == distance
    assert found.certified
    # The search for κ is one of 43 halvings of ε.
    assert pf.radius(scenario, found.noise, goal).w_infinity >= distance * (1 - 1e-9)
    first, second = PAIRS[name]
    for one, other in itertools.product([[-1], [1], [1, -1, 1], [-1, 1, 0]], repeat=2):
        true = moved(first, distance, one), moved(second, distance, other)
        assert pf.verify(scenario_of(*true), found.noise, goal).holds is not False


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_a_larger_radius_needs_more_noise(name: str, goal: pf.Guarantee) -> None:
    scenario = scenario_of(*PAIRS[name])
    plain = pf.calibrate(scenario, goal)
    assert pf.calibrate(scenario, goal, radius=0.0) == plain
    stds = [plain.noise.std]
    stds += [pf.calibrate(scenario, goal, radius=radius).noise.std for radius in (0.01, 0.1, 1.0)]
    assert all(less < more for less, more in itertools.pairwise(stds))


@given(
    multiples(2.0**-6, 0.0, 8.0),
    multiples(2.0**-6, 2.0**-6, 4.0),
    st.floats(0.1, 4.0),
    st.sampled_from(["exact", "coupling"]),
)
def test_point_masses_need_twice_the_radius_more(
    apart: float, radius: float, epsilon: float, method: str
) -> None:
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([apart], [1.0]))
    found = pf.calibrate(scenario, pf.Guarantee(epsilon), method=method, radius=radius)
    least = (Fraction(apart) + 2 * Fraction(radius)) / Fraction(epsilon)
    assert Fraction(scale_of(found)) >= least
    # The grid takes γ/b ≤ 2⁻²⁴·min(1, ε) of ε and the search 1e-9 of the scale.
    assert Fraction(scale_of(found)) <= least * (1 + Fraction(2, 2**24) + Fraction(2, 10**9))
    far = scenario_of(pf.Discrete([-radius], [1.0]), pf.Discrete([apart + radius], [1.0]))
    less = pf.LaplaceNoise(scale_of(found) * (1 - 1e-5))
    assert pf.verify(far, less, pf.Guarantee(epsilon)).holds is False


def test_repeats_are_charged_with_the_radius() -> None:
    found = pf.calibrate(POINTS, pf.Guarantee(1.0), radius=0.5)
    assert found.composable is not None
    assert found.composable.distance_upper == pytest.approx(4.0, rel=1e-15)
    assert found.composable.distance_upper >= 4.0


@pytest.mark.parametrize(
    "choices",
    [
        {"mechanism": "gaussian"},
        {"method": "thm-1"},
        {"method": "remark-1"},
        {"method": "thm-2"},
        {"method": "cor-2"},
    ],
)
def test_no_radius_for_gaussian_noise_nor_for_the_papers_formulas(choices: dict[str, str]) -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0))
    goal = pf.Guarantee(1.0, 1e-3)
    assert pf.calibrate(scenario, goal, **choices).radius == 0.0
    with pytest.raises(pf.UnsupportedError, match="radius"):
        pf.calibrate(scenario, goal, **choices, radius=0.1)


@pytest.mark.parametrize("radius", [-0.1, math.nan, math.inf, "0.1", None, True])
def test_refused_radii(radius: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="radius"):
        pf.calibrate(POINTS, pf.Guarantee(1.0), radius=radius)
