"""Laws that every enclosure obeys, whatever the priors: more noise, other units, other orders.

An enclosure is not a number, so a law f(x) ≤ f(y) becomes lower(x) ≤ upper(y), and f(x) = f(y)
becomes: the two enclosures overlap. None of these needs a tolerance.
"""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from tests import reference
from tests.strategies import (
    epsilons,
    factors,
    gaussians,
    growths,
    missing_probabilities,
    mixtures,
    noises,
    priors,
    shifts,
    tables,
)
from tests.support import delta_of, overlap, plain_law, plain_noise, scenario_of

Noise = pf.LaplaceNoise | pf.GaussianNoise


def resized(noise: Noise, factor: float) -> Noise:
    if isinstance(noise, pf.LaplaceNoise):
        return pf.LaplaceNoise(noise.scale * factor)
    return pf.GaussianNoise(noise.std * factor)


def assert_same(one: pf.Scenario, other: pf.Scenario, noise: Noise, epsilon: float) -> None:
    """Two descriptions of the same laws."""
    assert_same_under(one, noise, other, noise, epsilon)


def assert_same_under(
    one: pf.Scenario, one_noise: Noise, other: pf.Scenario, other_noise: Noise, epsilon: float
) -> None:
    assert overlap(delta_of(one, one_noise, epsilon), delta_of(other, other_noise, epsilon))
    assert overlap(pf.pure_epsilon(one, one_noise), pf.pure_epsilon(other, other_noise))


@given(priors, priors, noises(), epsilons)
@settings(max_examples=60)
def test_bounds_are_in_order_and_in_range(
    first: Prior, second: Prior, noise: Noise, epsilon: float
) -> None:
    delta = delta_of(scenario_of(first, second), noise, epsilon)
    assert 0.0 <= delta.lower <= delta.upper <= 1.0
    assert delta.upper - delta.lower <= 1e-8  # it aims at 1e-10
    least = pf.pure_epsilon(scenario_of(first, second), noise)
    assert 0.0 <= least.lower <= least.upper
    if isinstance(noise, pf.LaplaceNoise):
        assert math.isfinite(least.upper)
        # Where the log-ratio never passes ε there is nothing above it.
        if epsilon >= least.upper:
            assert delta.lower == 0.0


@given(priors, priors, noises(), epsilons)
@settings(max_examples=12)
def test_the_truth_is_inside(first: Prior, second: Prior, noise: Noise, epsilon: float) -> None:
    laws = plain_law(first), plain_law(second)
    certificate = pf.verify(scenario_of(first, second), noise, pf.Guarantee(epsilon, 1e-3))
    for result, (p, q) in zip(certificate.results, (laws, laws[::-1]), strict=True):
        delta = reference.hockey_stick(p, q, epsilon, plain_noise(noise))
        assert result.delta_lower <= delta <= result.delta_upper
        supremum = reference.sup_log_ratio(p, q, plain_noise(noise))
        # The reference's own accuracy: 40 digits asked for, of which 30 are relied on.
        slack = 0 if math.isinf(supremum) else abs(supremum) * 1e-30 + 1e-30
        assert result.epsilon_lower <= supremum + slack
        assert supremum - slack <= result.epsilon_upper


@given(priors, priors, noises(), epsilons, growths)
def test_delta_falls_with_epsilon(
    first: Prior, second: Prior, noise: Noise, epsilon: float, growth: float
) -> None:
    scenario = scenario_of(first, second)
    smaller, larger = (
        pf.Enclosure(point.delta_lower, point.delta_upper)
        for point in pf.privacy_profile(scenario, noise, [epsilon, epsilon * growth])
    )
    assert larger.lower <= smaller.upper


@given(priors, priors, noises(), epsilons, growths)
def test_more_noise_is_never_worse(
    first: Prior, second: Prior, noise: Noise, epsilon: float, growth: float
) -> None:
    scenario, more = scenario_of(first, second), resized(noise, growth)
    assert delta_of(scenario, more, epsilon).lower <= delta_of(scenario, noise, epsilon).upper
    assert pf.pure_epsilon(scenario, more).lower <= pf.pure_epsilon(scenario, noise).upper


@given(priors, priors, noises(), epsilons)
def test_any_noise_is_no_worse_than_none(
    first: Prior, second: Prior, noise: Noise, epsilon: float
) -> None:
    scenario = scenario_of(first, second)
    bare = delta_of(scenario, pf.NoNoise(), epsilon)
    assert delta_of(scenario, noise, epsilon).lower <= bare.upper
    least = pf.pure_epsilon(scenario, pf.NoNoise())
    assert pf.pure_epsilon(scenario, noise).lower <= least.upper


@given(priors, priors, noises(), epsilons, shifts)
def test_moving_every_value_changes_nothing(
    first: Prior, second: Prior, noise: Noise, epsilon: float, shift: float
) -> None:
    moved = scenario_of(first.shift(shift), second.shift(shift))
    assert_same(scenario_of(first, second), moved, noise, epsilon)


@given(priors, priors, noises(), epsilons, factors)
def test_another_unit_changes_nothing(
    first: Prior, second: Prior, noise: Noise, epsilon: float, factor: float
) -> None:
    stretched = scenario_of(first.scale(factor), second.scale(factor))
    assert_same_under(
        scenario_of(first, second), noise, stretched, resized(noise, abs(factor)), epsilon
    )


@given(priors, priors, noises(), epsilons)
def test_the_order_of_a_pair_changes_nothing(
    first: Prior, second: Prior, noise: Noise, epsilon: float
) -> None:
    belief, goal = pf.Belief({"a": first, "b": second}), pf.Guarantee(epsilon, 1e-3)
    one, other = (
        {
            result.direction: result
            for result in pf.verify(pf.Scenario([belief], pairs=[pair]), noise, goal).results
        }
        for pair in (("a", "b"), ("b", "a"))
    )
    assert one.keys() == other.keys() == {("a", "b"), ("b", "a")}
    for direction, result in one.items():
        twin = other[direction]
        assert overlap(
            pf.Enclosure(result.delta_lower, result.delta_upper),
            pf.Enclosure(twin.delta_lower, twin.delta_upper),
        )
        assert overlap(
            pf.Enclosure(result.epsilon_lower, result.epsilon_upper),
            pf.Enclosure(twin.epsilon_lower, twin.epsilon_upper),
        )


@given(mixtures(), priors, noises(), epsilons, st.randoms(use_true_random=False))
def test_the_order_of_components_changes_nothing(
    first: pf.GaussianMixture, second: Prior, noise: Noise, epsilon: float, random: object
) -> None:
    components = plain_law(first)
    random.shuffle(components)
    shuffled = pf.GaussianMixture(*zip(*components, strict=True))
    assert_same(scenario_of(first, second), scenario_of(shuffled, second), noise, epsilon)


@given(gaussians, priors, noises(), epsilons)
def test_one_component_is_the_gaussian(
    first: pf.Gaussian, second: Prior, noise: Noise, epsilon: float
) -> None:
    mixture = pf.GaussianMixture([1.0], [first.mean], [first.std])
    assert_same(scenario_of(first, second), scenario_of(mixture, second), noise, epsilon)


@given(mixtures(), priors, noises(), epsilons)
def test_a_component_may_be_split(
    first: pf.GaussianMixture, second: Prior, noise: Noise, epsilon: float
) -> None:
    (weight, mean, std), *rest = plain_law(first)
    halves = [(weight / 2, mean, std), (weight / 2, mean, std)]
    split = pf.GaussianMixture(*zip(*rest, *halves, strict=True))
    assert_same(scenario_of(first, second), scenario_of(split, second), noise, epsilon)


@given(tables(), priors, noises(), epsilons)
def test_an_atom_may_be_split(
    first: pf.Discrete, second: Prior, noise: Noise, epsilon: float
) -> None:
    values, masses = first.values.tolist(), first.probabilities.tolist()
    split = pf.Discrete([*values, values[0]], [masses[0] / 2, *masses[1:], masses[0] / 2])
    assert_same(scenario_of(first, second), scenario_of(split, second), noise, epsilon)


@given(tables(), tables(), st.floats(0.25, 4.0), epsilons)
def test_an_atom_is_the_limit_of_a_narrow_gaussian(
    first: pf.Discrete, second: pf.Discrete, scale: float, epsilon: float
) -> None:
    noise, std = pf.LaplaceNoise(scale), 2.0**-40
    blurred = [
        pf.GaussianMixture(
            table.probabilities.tolist(), table.values.tolist(), [std] * table.values.size
        )
        for table in (first, second)
    ]
    sharp, soft = scenario_of(first, second), scenario_of(*blurred)
    # Blurring by N(0, s²) multiplies a law smoothed by Lap(b) by at most E e^{|sZ|/b} < e^{s/b}.
    loss = 2 * std / scale
    exact, near = pf.pure_epsilon(sharp, noise), pf.pure_epsilon(soft, noise)
    assert near.lower <= exact.upper + loss
    assert exact.lower <= near.upper + loss
    exact, near = delta_of(sharp, noise, epsilon), delta_of(soft, noise, epsilon)
    # HS moves by at most e^{2s/b} − 1 on either side (masses are at most one).
    assert near.lower <= exact.upper + 2 * math.exp(epsilon) * math.expm1(loss)
    assert exact.lower <= near.upper + 2 * math.exp(epsilon) * math.expm1(loss)


@given(priors, noises(), epsilons)
def test_equal_priors_are_told_apart_by_nothing(prior: Prior, noise: Noise, epsilon: float) -> None:
    scenario = scenario_of(prior, prior)
    assert delta_of(scenario, noise, epsilon).lower == 0.0
    assert pf.pure_epsilon(scenario, noise).lower == 0.0
    assert pf.verify(scenario, noise, pf.Guarantee(epsilon)).holds is True


@given(priors, priors, priors, noises(), epsilons)
def test_another_pair_or_belief_never_lowers_the_certificate(
    first: Prior, second: Prior, third: Prior, noise: Noise, epsilon: float
) -> None:
    goal = pf.Guarantee(epsilon, 1e-3)
    belief = pf.Belief({"a": first, "b": second, "c": third})
    other = pf.Belief({"a": third, "b": first, "c": second}, name="other")
    small = pf.verify(pf.Scenario([belief], pairs=[("a", "b")]), noise, goal)
    more_pairs = pf.verify(pf.Scenario([belief]), noise, goal)
    more_beliefs = pf.verify(pf.Scenario([belief, other], pairs=[("a", "b")]), noise, goal)
    for large in (more_pairs, more_beliefs):
        assert small.delta_lower <= large.delta_lower
        assert small.delta_upper <= large.delta_upper
        assert small.epsilon_lower <= large.epsilon_lower
        assert small.epsilon_upper <= large.epsilon_upper
        if small.holds is False:
            assert large.holds is False


@given(priors, priors, noises(), epsilons, missing_probabilities, missing_probabilities)
def test_verify_profile_and_pure_epsilon_agree(
    first: Prior,
    second: Prior,
    noise: Noise,
    epsilon: float,
    missing_first: float,
    missing_second: float,
) -> None:
    scenario = scenario_of(first, second, missing={"a": missing_first, "b": missing_second})
    certificate = pf.verify(scenario, noise, pf.Guarantee(epsilon, 1e-3))
    assert overlap(
        pf.Enclosure(certificate.delta_lower, certificate.delta_upper),
        delta_of(scenario, noise, epsilon),
    )
    assert overlap(
        pf.Enclosure(certificate.epsilon_lower, certificate.epsilon_upper),
        pf.pure_epsilon(scenario, noise),
    )
    again = pf.Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.holds is certificate.holds


@given(priors, priors, noises(), epsilons)
def test_a_missing_value_that_says_nothing_only_dilutes(
    first: Prior, second: Prior, noise: Noise, epsilon: float
) -> None:
    # Equal probabilities m of a hole: HS becomes (1 − m)·HS, and ε* stays.
    plain = scenario_of(first, second)
    holed = scenario_of(first, second, missing={"a": 0.25, "b": 0.25})
    full, part = delta_of(plain, noise, epsilon), delta_of(holed, noise, epsilon)
    assert part.lower <= 0.75 * full.upper
    assert 0.75 * full.lower <= part.upper
    assert overlap(pf.pure_epsilon(plain, noise), pf.pure_epsilon(holed, noise))


@given(priors, priors, st.sampled_from([0.25, 1.0, 3.0]), st.sampled_from([0.0, 1e-6, 1e-2]))
def test_a_weaker_promise_needs_no_more_noise(
    first: Prior, second: Prior, epsilon: float, delta: float
) -> None:
    """Monotone in ε and in δ: a promise kept is kept when weakened, and costs no more to reach."""
    scenario = scenario_of(first, second)
    goal = pf.Guarantee(epsilon, delta)
    found = pf.calibrate(scenario, goal)
    for weaker in (pf.Guarantee(2 * epsilon, delta), pf.Guarantee(epsilon, delta + 1e-3)):
        assert pf.verify(scenario, found.noise, weaker).holds is True
        # The grid is chosen anew for every size, and costs about 1e-7 of it.
        assert pf.calibrate(scenario, weaker).noise.std <= found.noise.std * (1 + 1e-6)
