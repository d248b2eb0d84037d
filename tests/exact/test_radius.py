"""A belief with a radius: its certificates cover every law that close to the believed ones.

Tables are moved atom by atom, each by at most the radius and some of them split, independently for
each secret, and judged by the oracle without any radius. Moves are exact multiples of 2⁻⁸.
"""

from __future__ import annotations

import dataclasses
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.beliefs.scenario import PairOfLaws, SecretPair
from pufferfish.theorems import coupling
from tests.strategies import epsilons, mixtures, multiples, positions, tables
from tests.support import delta_of

STEP = 2.0**-8
# The tables of tests.strategies have 16 binary places, these moves 8: sums are exact.
radii = multiples(STEP, STEP, 2.0)
laplace = st.builds(
    pf.LaplaceNoise, st.sampled_from([0.5, 2.0, 8.0]), st.sampled_from([None, 2.0**-8, 0.25])
)
gaussian = st.builds(
    pf.GaussianNoise, st.sampled_from([1.0, 4.0, 16.0]), st.sampled_from([None, 2.0**-8])
)
holes = st.sampled_from([(0.0, 0.0), (0.125, 0.125), (0.25, 0.3125)])


@st.composite
def moved(draw: st.DrawFn, law: pf.Discrete, radius: float) -> pf.Discrete:
    """The table with each atom moved by at most the radius, some in two parts."""
    way = draw(st.sampled_from(["down", "up", "apart", "any"]))
    values, weights = [], []
    for value, weight in zip(law.values.tolist(), law.probabilities.tolist(), strict=True):
        if way == "any":
            ends = [draw(multiples(STEP, -radius, radius)) for _ in range(draw(st.integers(1, 2)))]
        else:
            ends = {"down": [-radius], "up": [radius], "apart": [-radius, radius]}[way]
        for end in ends:
            values.append(value + end)
            weights.append(weight / len(ends))
    total = math.fsum(weights)
    return pf.Discrete(values, [weight / total for weight in weights])


@st.composite
def believed_and_true(draw: st.DrawFn) -> tuple[pf.Belief, pf.Belief]:
    """A belief with a radius, and one of the beliefs it stands for."""
    radius = draw(radii)
    laws = {name: draw(tables()) for name in ("a", "b")}
    missing = dict(zip(("a", "b"), draw(holes), strict=True))
    true = {name: draw(moved(law, radius)) for name, law in laws.items()}
    return pf.Belief(laws, missing=missing, radius=radius), pf.Belief(true, missing=missing)


def pair_of(belief: pf.Belief) -> PairOfLaws:
    (laws,) = pf.Scenario(belief).laws()
    return laws


@given(believed_and_true(), st.one_of(laplace, gaussian), epsilons)
@settings(max_examples=150)
def test_a_certificate_covers_every_law_within(
    beliefs: tuple[pf.Belief, pf.Belief], noise: pf.Noise, epsilon: float
) -> None:
    wide, true = (pf.Scenario(belief) for belief in beliefs)
    goal = pf.Guarantee(epsilon, 0.01)
    promised, found = pf.verify(wide, noise, goal), pf.verify(true, noise, goal)
    for mine, theirs in zip(promised.results, found.results, strict=True):
        assert mine.direction == theirs.direction
        assert mine.delta_upper >= theirs.delta_lower
        assert mine.epsilon_upper >= theirs.epsilon_lower
    # Whichever is claimed, the other claim cannot contradict it.
    if promised.holds is True:
        assert found.holds is not False
    for each in (0.0, epsilon):
        assert delta_of(wide, noise, each).upper >= delta_of(true, noise, each).lower
    assert pf.pure_epsilon(wide, noise).upper >= pf.pure_epsilon(true, noise).lower


@given(tables(), tables(), st.one_of(laplace, gaussian), epsilons, radii)
@settings(max_examples=40)
def test_the_believed_laws_are_among_those_meant(
    first: pf.Discrete, second: pf.Discrete, noise: pf.Noise, epsilon: float, radius: float
) -> None:
    """The lower bounds stay, the upper bounds grow with the radius."""
    laws, goal = {"a": first, "b": second}, pf.Guarantee(epsilon, 0.01)
    found = [
        pf.verify(pf.Scenario(pf.Belief(laws, radius=each)), noise, goal)
        for each in (0.0, radius, 2 * radius)
    ]
    assert found[0].delta_lower <= found[1].delta_upper
    # Under Gaussian noise the better of two bounds counts, each with its own price for the grid.
    deltas = [] if isinstance(noise, pf.GaussianNoise) else [each.delta_upper for each in found]
    epsilon_uppers = [each.epsilon_upper for each in found]
    # What Gaussian noise on a grid adds depends on where the believed δ is looked up.
    if isinstance(noise, pf.LaplaceNoise):
        assert deltas == sorted(deltas)
    assert epsilon_uppers == sorted(epsilon_uppers)
    assert found[1].epsilon_lower == found[0].epsilon_lower


@given(positions, positions, multiples(STEP, STEP, 2.0), st.sampled_from([0.5, 2.0, 8.0]))
def test_two_points_cost_twice_the_radius(
    first: float, second: float, radius: float, scale: float
) -> None:
    """Two atoms: ε* = |x − x'|/b exactly, and 2r/b more for those that the radius allows."""
    laws = {"a": pf.Discrete([first], [1.0]), "b": pf.Discrete([second], [1.0])}
    found = pf.pure_epsilon(pf.Scenario(pf.Belief(laws, radius=radius)), pf.LaplaceNoise(scale))
    expected = (abs(first - second) + 2 * radius) / scale
    assert found.upper >= expected
    assert found.upper <= expected * (1 + 1e-9) + 1e-12


@given(
    positions,
    positions,
    multiples(STEP, STEP, 2.0),
    st.sampled_from([0.5, 2.0, 8.0]),
    epsilons,
)
def test_two_points_are_coupled_twice_the_radius_further_apart(
    first: float, second: float, radius: float, scale: float, epsilon: float
) -> None:
    """Two atoms D apart have HS_ε = (1 − e^{(ε − D/b)/2})_+: what the coupling says, no less."""
    laws = {"a": pf.Discrete([first], [1.0]), "b": pf.Discrete([second], [1.0])}
    pair = pair_of(pf.Belief(laws, radius=radius))
    found = coupling.delta_upper(pair, pf.LaplaceNoise(scale), epsilon)
    apart = abs(first - second) + 2 * radius
    expected = -math.expm1(min((epsilon - apart / scale) / 2, 0.0))
    assert found >= expected
    if epsilon >= 2 * radius / scale * (1 + 1e-12):
        assert found <= expected * (1 + 1e-9) + 1e-12


@given(believed_and_true(), epsilons)
@settings(max_examples=20)
def test_without_noise_nothing_is_promised(
    beliefs: tuple[pf.Belief, pf.Belief], epsilon: float
) -> None:
    wide = pf.Scenario(beliefs[0])
    found = pf.verify(wide, pf.NoNoise(), pf.Guarantee(epsilon, 0.5))
    assert found.delta_upper == 1.0
    assert found.epsilon_upper == math.inf
    assert found.holds is not True
    assert pf.pure_epsilon(wide, pf.NoNoise()).upper == math.inf


def test_equal_laws_with_a_radius_still_need_noise() -> None:
    """Moved apart they are not equal: no noise is no answer."""
    law = pf.Discrete([0.0, 1.0], [0.5, 0.5])
    goal = pf.Guarantee(1.0)
    plain = pf.calibrate(pf.Scenario(pf.Belief({"a": law, "b": law})), goal)
    assert isinstance(plain.noise, pf.NoNoise)
    found = pf.calibrate(pf.Scenario(pf.Belief({"a": law, "b": law}, radius=0.5)), goal)
    assert isinstance(found.noise, pf.LaplaceNoise)
    assert found.noise.scale >= 1.0
    assert found.noise.scale == pytest.approx(1.0, rel=1e-5)


def test_gaussian_noise_promises_no_pure_epsilon() -> None:
    law = pf.Gaussian(0.0, 1.0)
    belief = pf.Belief({"a": law, "b": law.shift(0.5)}, radius=2.0**-8)
    found = pf.verify(pf.Scenario(belief), pf.GaussianNoise(40.0), pf.Guarantee(1.0))
    assert found.epsilon_upper == math.inf
    assert found.holds is not True
    assert found.delta_upper < 1.0


@given(believed_and_true(), laplace, epsilons, st.sampled_from([0.0, 1e-3, 0.2]))
@settings(max_examples=120)
def test_couplings_cover_every_law_within(
    beliefs: tuple[pf.Belief, pf.Belief], noise: pf.LaplaceNoise, epsilon: float, delta: float
) -> None:
    wide, true = beliefs
    laws = pair_of(wide)
    proven = coupling.delta_upper(laws, noise, epsilon)
    assert proven >= delta_of(pf.Scenario(true), noise, epsilon).lower
    assert coupling.epsilon_upper(laws, noise) >= pf.pure_epsilon(pf.Scenario(true), noise).lower
    goal = pf.Guarantee(epsilon, delta)
    if coupling.shortfall(laws, noise, goal) <= 0.0:
        assert pf.verify(pf.Scenario(true), noise, goal).holds is not False
    # And less is proven with a radius than without.
    plain = laws._replace(radius=0.0)
    assert coupling.shortfall(laws, noise, goal) >= coupling.shortfall(plain, noise, goal)


@given(believed_and_true(), laplace, st.sampled_from([0.0, 0.01, 0.25]))
@settings(max_examples=60)
def test_repeated_releases_are_charged_with_the_radius(
    beliefs: tuple[pf.Belief, pf.Belief], noise: pf.LaplaceNoise, delta: float
) -> None:
    """One release that costs (ε, δ) by the composable certificate keeps it for the true laws."""
    wide, true = (pf.Scenario(belief) for belief in beliefs)
    certificate = pf.composable(wide, noise, delta)
    assert certificate is not None
    plain = pf.composable(
        pf.Scenario(pf.Belief(dict(beliefs[0].priors), missing=dict(beliefs[0].missing))),
        noise,
        delta,
    )
    radius = beliefs[0].radius
    assert certificate.distance_upper >= plain.distance_upper + 2 * radius
    assert certificate.distance_upper == pytest.approx(plain.distance_upper + 2 * radius, 1e-12)
    assert certificate.once_upper == plain.once_upper
    assert pf.verify(true, noise, certificate.cost()).holds is not False
    # A radius of the belief and one asked for add up.
    both = pf.composable(wide, noise, delta, radius=1.5)
    assert both.distance_upper == pytest.approx(plain.distance_upper + 2 * radius + 3.0, 1e-12)


def test_the_largest_distance_of_several_beliefs() -> None:
    """A near pair with a large radius may decide, in whatever order the beliefs come."""

    def belief(name: str, apart: float, radius: float) -> pf.Belief:
        laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([apart], [1.0])}
        return pf.Belief(laws, name=name, radius=radius)

    noise = pf.LaplaceNoise(1.0)
    some = [belief("far", 5.0, 0.0), belief("loose", 1.0, 3.0), belief("near", 0.5, 0.25)]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0], [0, 2, 1]):
        found = pf.composable(pf.Scenario([some[index] for index in order]), noise, 0.0)
        assert found.distance_upper == pytest.approx(7.0, rel=1e-14)
        assert found.distance_upper >= 7.0
        assert found.belief == "loose"
    found = pf.composable(pf.Scenario([some[2], some[0]]), noise, 0.0)
    assert (found.distance_upper, found.belief) == (5.0, "far")


@given(
    believed_and_true(),
    st.sampled_from([pf.Guarantee(1.0), pf.Guarantee(0.5, 0.01), pf.Guarantee(2.0, 1e-3)]),
    st.sampled_from(["exact", "coupling"]),
)
@settings(max_examples=20)
def test_calibrated_noise_keeps_the_goal_for_every_law_within(
    beliefs: tuple[pf.Belief, pf.Belief], goal: pf.Guarantee, method: str
) -> None:
    wide, true = (pf.Scenario(belief) for belief in beliefs)
    if len(set(beliefs[0].missing.values())) > 1:
        goal = dataclasses.replace(goal, delta=max(goal.delta, 0.2))
    found = pf.calibrate(wide, goal, method=method)
    assert found.certified
    assert pf.verify(true, found.noise, goal).holds is not False
    # At the ends of the radius, for the believed laws, the least noise is hardly too much.
    plain = pf.Scenario(pf.Belief(dict(beliefs[0].priors), missing=dict(beliefs[0].missing)))
    assert found.noise.std >= pf.calibrate(plain, goal, method=method).noise.std


@given(believed_and_true(), st.sampled_from([pf.Guarantee(0.5, 0.05), pf.Guarantee(2.0, 0.1)]))
@settings(max_examples=8)
def test_calibrated_gaussian_noise_too(
    beliefs: tuple[pf.Belief, pf.Belief], goal: pf.Guarantee
) -> None:
    if len(set(beliefs[0].missing.values())) > 1:
        goal = dataclasses.replace(goal, delta=0.3)
    found = pf.calibrate(pf.Scenario(beliefs[0]), goal, mechanism="gaussian")
    assert found.certified
    assert pf.verify(pf.Scenario(beliefs[1]), found.noise, goal).holds is not False


@given(mixtures(), mixtures(), multiples(STEP, STEP, 1.0), epsilons, st.sampled_from([1, -1]))
@settings(max_examples=25)
def test_mixtures_within_the_radius_are_covered(
    first: Prior, second: Prior, radius: float, epsilon: float, way: int
) -> None:
    noise = pf.LaplaceNoise(2.0)
    wide = pf.Scenario(pf.Belief({"a": first, "b": second}, radius=radius))
    true = pf.Scenario(
        pf.Belief({"a": first.shift(way * radius), "b": second.shift(-way * radius)})
    )
    assert delta_of(wide, noise, epsilon).upper >= delta_of(true, noise, epsilon).lower
    assert pf.pure_epsilon(wide, noise).upper >= pf.pure_epsilon(true, noise).lower


# -------------------------------------------------------------------------------------------------
# The belief itself
# -------------------------------------------------------------------------------------------------

LAWS = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.0, 1.0)}


@pytest.mark.parametrize("radius", [-0.5, math.nan, math.inf, "1", None, True])
def test_unusable_radii(radius: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="radius"):
        pf.Belief(LAWS, radius=radius)


def test_a_radius_is_part_of_the_belief() -> None:
    plain, wide = pf.Belief(LAWS), pf.Belief(LAWS, radius=0.5)
    assert plain.radius == 0.0
    assert plain != wide
    assert pickle.loads(pickle.dumps(wide)) == wide
    (laws,) = pf.Scenario(wide).laws()
    assert laws.radius == 0.5
    assert laws.pair == SecretPair("a", "b")


def test_the_radius_is_explained() -> None:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1.0], [1.0])}
    belief = pf.Belief(laws, radius=0.5, provenance="public")
    text = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0)).explain()
    assert "within 0.5 of these" in " ".join(text.split())
