"""The least scale under the Gaussian belief, against certifying every user one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.scenario import PairOfLaws, SecretPair
from pufferfish.exact.family import laplace_family
from pufferfish.exact.search import least_size, shortfall
from pufferfish.sums import (
    SumCalibration,
    Users,
    binary,
    calibrate_sum,
    certified_sum,
    identical,
    moments,
)
from pufferfish.sums.gaussian import GaussianSearch
from pufferfish.sums.paper import paper_scales
from pufferfish.sums.secret import Protected
from tests import reference
from tests.strategies import multiples

PRESENCE = Protected()
# Two searches for the same root, each to about 1e-9.
SAME = 1e-8


def pair(gap: float, variance: float, others: float) -> PairOfLaws:
    """Presence of one user, written down anew."""
    with_user, without = (
        pf.Gaussian(mean, math.sqrt(spread)) if spread > 0.0 else pf.Discrete([mean], [1.0])
        for mean, spread in ((gap, others + variance), (0.0, others))
    )
    return PairOfLaws("", SecretPair("in", "out"), with_user, without, 0.0, 0.0)


def one_by_one(means: list[float], stds: list[float], goal: pf.Guarantee) -> list[float]:
    """Each user's own least scale; 0 where none is needed."""
    family, found = laplace_family(goal), []
    for k, (mean, std) in enumerate(zip(means, stds, strict=True)):
        others = math.fsum(s**2 for i, s in enumerate(stds) if i != k)
        laws = pair(abs(mean), std**2, others)
        none = laws.first == laws.second or shortfall(laws, pf.NoNoise(), goal) <= 0.0
        found.append(0.0 if none else least_size(laws, family, goal))
    return found


users_of = st.lists(
    st.tuples(multiples(0.125, -4.0, 4.0), multiples(0.125, 0.0, 3.0)), min_size=1, max_size=8
)
goals = st.builds(
    pf.Guarantee, st.sampled_from([0.1, 0.5, 1.0, 3.0]), st.sampled_from([0.0, 1e-9, 1e-4, 0.05])
)


@given(described=users_of, goal=goals)
def test_it_is_the_largest_of_the_users_own_scales(
    described: list[tuple[float, float]], goal: pf.Guarantee
) -> None:
    means, stds = [mean for mean, _ in described], [std for _, std in described]
    own = one_by_one(means, stds, goal)
    found = calibrate_sum(moments(means, stds), goal)
    assert found.holds
    assert found.scale >= max(own) * (1.0 - SAME)
    # At δ = 0 the closed form with its reserve of 2γ/b may decide: 2^-23.
    assert found.scale <= max(own) * (1.0 + SAME + 2.0**-23 + 2.0**-23 / min(goal.epsilon, 1.0))
    if found.scale > 0.0:
        assert own[found.kind] >= max(own) * (1.0 - 2.0**-22)


@given(described=users_of, goal=goals.filter(lambda goal: not goal.pure))
def test_exact_is_at_most_the_papers(
    described: list[tuple[float, float]], goal: pf.Guarantee
) -> None:
    users = moments(*(list(each) for each in zip(*described, strict=True)))
    paper = float(paper_scales("cor-1a", users, PRESENCE, goal).max())
    assert calibrate_sum(users, goal).scale <= paper


# The facts that docs/theory/sums.md proves, as the oracle sees them.
gaps = multiples(0.125, 0.0, 4.0)
spreads = multiples(0.125, 0.125, 3.0)
scales = multiples(0.125, 0.25, 4.0)
epsilons = st.sampled_from([0.1, 0.5, 1.0, 2.0])


def losses(gap: float, variance: float, others: float, scale: float, epsilon: float) -> list[float]:
    """δ and ε*, each with and against: lower bounds first, then upper ones."""
    oracle = pf.exact.pair.PairOracle(pair(gap, variance, others), pf.LaplaceNoise(scale))
    delta, pure = oracle.delta(epsilon), oracle.epsilon()
    enclosures = (delta.forward, delta.backward, pure.forward, pure.backward)
    return [each.lower for each in enclosures] + [each.upper for each in enclosures]


@given(gap=gaps, more=gaps, variance=spreads, others=gaps, scale=scales, epsilon=epsilons)
def test_a_larger_mean_never_tells_less(
    gap: float, more: float, variance: float, others: float, scale: float, epsilon: float
) -> None:
    smaller = losses(gap, variance, others, scale, epsilon)[:4]
    larger = losses(gap + more, variance, others, scale, epsilon)[4:]
    assert all(one <= other for one, other in zip(smaller, larger, strict=True))


@given(gap=gaps, total=spreads, shares=st.tuples(spreads, spreads), scale=scales, epsilon=epsilons)
def test_with_against_without_tells_more_of_a_larger_variance(
    gap: float, total: float, shares: tuple[float, float], scale: float, epsilon: float
) -> None:
    whole = max(shares) + total
    smaller, larger = (
        losses(gap, share, whole - share, scale, epsilon) for share in sorted(shares)
    )
    assert smaller[0] <= larger[4]
    assert smaller[2] <= larger[6]


@given(gap=gaps, variance=spreads, others=gaps, scale=scales)
def test_the_supremum_is_the_tails(
    gap: float, variance: float, others: float, scale: float
) -> None:
    closed = gap / scale + variance / (2.0 * scale**2)
    found = losses(gap, variance, others, scale, 1.0)
    # The closed form rounds a few times.
    assert found[2] <= closed * (1.0 + 1e-14)
    assert found[6] >= closed * (1.0 - 1e-14)


@given(gap=gaps, rest=spreads, shares=st.tuples(spreads, spreads), scale=scales, epsilon=epsilons)
def test_a_corner_covers_its_cell(
    gap: float, rest: float, shares: tuple[float, float], scale: float, epsilon: float
) -> None:
    low, high = sorted(shares)
    whole = high + rest
    kappa = (high - low) / (2.0 * scale**2)
    user = losses(gap, low, whole - low, scale, epsilon)
    corner = losses(gap, high, whole - high, scale, epsilon)
    assert user[3] <= corner[7] + kappa
    if kappa < epsilon:
        stricter = losses(gap, high, whole - high, scale, epsilon - kappa)
        assert user[1] <= math.exp(kappa) * stricter[5]


def test_without_against_with_is_not_ordered_by_variance() -> None:
    """Why a covering is needed: alone, a user of small std shows more from this side."""
    alone = losses(0.0, 0.01, 0.0, 1.0, 0.01)
    among = losses(0.0, 0.02, 1.0, 1.0, 0.01)
    assert alone[3] > among[7]
    assert alone[3] > alone[6]  # and more than the tails say


def test_a_cell_is_not_settled_by_a_corner_that_shows_less() -> None:
    """Of two users with gap 1, the one of smaller variance shows more from this side."""
    goal, noise = pf.Guarantee(0.7), pf.LaplaceNoise(1.0)
    users = moments([1.0, 1.0, 0.0], [0.1, 1.0, math.sqrt(1.99)])
    assert losses(1.0, 0.01, 2.99, 1.0, 0.7)[3] > goal.epsilon
    assert losses(1.0, 1.0, 2.0, 1.0, 0.7)[7] < goal.epsilon
    search = GaussianSearch(users, PRESENCE, goal)
    assert search._cell_short(1, 1.0, 0.99, noise) > 0.0


def test_the_judge_is_right_by_another_oracle() -> None:
    goal = pf.Guarantee(1.0, 1e-3)
    found = calibrate_sum(moments([1.0, -2.0, 0.5], [1.0, 0.5, 2.0]), goal)
    assert found.kind == 1
    law = lambda mean, var: [(1.0, mean, math.sqrt(var))]  # noqa: E731
    exact = reference.exact_scale(law(2.0, 5.25), law(0.0, 5.0), 1.0, 1e-3, "laplace")
    assert found.scale == pytest.approx(float(exact), rel=3e-7)  # the grid: 2^-23 and a little


def test_the_only_user() -> None:
    found = calibrate_sum(identical(1, 1.0, 1.0), pf.Guarantee(1.0))
    present, absent = found.calibration.scenario.beliefs[0].priors.values()
    assert absent == pf.Discrete([0.0], [1.0])
    assert present == pf.Gaussian(1.0, 1.0)
    assert found.scale == pytest.approx(0.5 * (1.0 + math.sqrt(3.0)), rel=2e-7)


def test_a_user_without_variance_is_a_translation() -> None:
    goal = pf.Guarantee(0.5)
    found = calibrate_sum(moments([3.0, 0.1], [0.0, 1.0]), goal)
    assert found.kind == 0
    assert found.scale == pytest.approx(6.0, rel=2e-7)


def test_users_who_add_nothing_need_nothing() -> None:
    found = calibrate_sum(moments([0.0, 0.0], [0.0, 0.0]), pf.Guarantee(1.0))
    assert found.noise == pf.NoNoise()


def test_signs_of_means_do_not_matter() -> None:
    goal = pf.Guarantee(1.0, 1e-4)
    found = [calibrate_sum(moments([m, 0.5], [1.0, 2.0]), goal).scale for m in (2.0, -2.0)]
    assert found[0] == found[1] > 0.0


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_one_user_far_above_a_million_others(delta: float) -> None:
    means, stds = np.full(10**6, 0.5), np.full(10**6, 1e-3)
    means[123_456], stds[123_456] = 900.0, 40.0
    goal = pf.Guarantee(1.0, delta)
    found = calibrate_sum(moments(means, stds), goal)
    assert found.worst == "user 123457"
    assert found.certificates <= 50
    others = math.fsum(stds**2) - 1600.0
    own = least_size(pair(900.0, 1600.0, others), laplace_family(goal), goal)
    assert found.scale == pytest.approx(own, rel=2e-7)


def test_no_noise_is_found_and_is_true() -> None:
    goal = pf.Guarantee(1.0, 1e-6)
    found = calibrate_sum(identical(1000, 1.0, 1.0), goal)
    assert found.noise == pf.NoNoise()
    assert found.calibration.certificate.delta_upper <= 1e-6
    assert calibrate_sum(identical(20, 1.0, 1.0), goal).scale > 0.0


@pytest.mark.parametrize("count", [10**6, 10**9, 10**15])
def test_without_exceptions_more_users_do_not_help(count: int) -> None:
    found = calibrate_sum(identical(count, 1.0, 1.0), pf.Guarantee(1.0))
    least = 0.5 * (1.0 + math.sqrt(3.0))
    assert least <= found.scale <= least * (1.0 + 3e-7)


def mixed(count: int) -> Users:
    generator = np.random.default_rng(count)
    return moments(
        generator.uniform(-1.0, 1.0, count), generator.uniform(0.0, 1.0, count) / count**0.5
    )


@pytest.mark.parametrize(
    "goal", [pf.Guarantee(1.0, 1e-6), pf.Guarantee(0.1), pf.Guarantee(0.1, 1e-4)]
)
def test_many_different_users_are_settled_by_few_certificates(goal: pf.Guarantee) -> None:
    found = calibrate_sum(mixed(100_000), goal)
    assert found.holds
    assert found.certificates < 500


@pytest.mark.parametrize("goal", [pf.Guarantee(1.0, 1e-4), pf.Guarantee(0.2)])
def test_a_tenth_less_noise_is_found_out(goal: pf.Guarantee) -> None:
    users = mixed(500)
    found = calibrate_sum(users, goal)
    assert isinstance(found.noise, pf.LaplaceNoise)
    less = pf.LaplaceNoise(0.9 * found.scale, found.noise.grid)
    search = GaussianSearch(users, PRESENCE, goal)
    assert search.judge(found.noise).holds
    verdict = search.judge(less)
    assert not verdict.holds
    assert shortfall(search.laws(verdict.kind), less, goal) > 0.0


def composed(found: SumCalibration) -> float:
    certificate = found.calibration.composable
    assert certificate is not None
    return certificate.distance_upper


def test_repeats_are_charged_for_the_user_who_moves_most() -> None:
    """That may be another one than the exact certificate's."""
    means, stds = [1.0, 1.25, 0.0], [2.0, 1.0, 6.0]
    goal = pf.Guarantee(1.0, 1e-2)
    found = calibrate_sum(moments(means, stds), goal)
    whole = math.fsum(std**2 for std in stds)
    for mean, std in zip(means, stds, strict=True):
        narrowing = math.sqrt(whole) - math.sqrt(whole - std**2)
        z = np.random.default_rng(7).standard_normal(10**6)
        beyond = np.mean(np.abs(mean + narrowing * z) > composed(found))
        assert beyond <= 1e-2 + 6.0 * math.sqrt(1e-2 / 10**6)
    assert 2 in (GaussianSearch(moments(means, stds), PRESENCE, goal).charge(0) or [])


@pytest.mark.parametrize("delta", [0.0, 1e-4])
def test_a_value_needs_most_where_least_is_left_to_hide_it(delta: float) -> None:
    goal = pf.Guarantee(1.0, delta)
    found = calibrate_sum(moments([0.0] * 3, [0.5, 2.0, 1.0]), goal, "value", between=(3.0, 1.0))
    if delta == 0.0:
        assert found.scale == pytest.approx(2.0, rel=2e-7)
    else:
        assert found.kind == 1
        laws = PairOfLaws(
            "",
            SecretPair("a", "b"),
            pf.Gaussian(2.0, math.sqrt(1.25)),
            pf.Gaussian(0.0, math.sqrt(1.25)),
            0.0,
            0.0,
        )
        own = least_size(laws, laplace_family(goal), goal)
        assert found.scale == pytest.approx(own, rel=SAME)


@pytest.mark.parametrize("users", [identical(5, 1.0, 1.0), binary([0.5], counts=[5])])
def test_a_grid_that_no_closed_form_allows_for_is_refused(users: Users) -> None:
    coarse = pf.LaplaceNoise(100.0, 1.0)
    with pytest.raises(pf.CertificationError, match="coarse"):
        certified_sum(users, PRESENCE, pf.Guarantee(1.0), coarse)
    certified_sum(users, PRESENCE, pf.Guarantee(1.0), pf.LaplaceNoise(100.0, 2.0**-20))


def test_a_loss_at_the_very_edge_of_the_goal_ends() -> None:
    """Equal users have equal laws to the last digit, so one does not fail where its twin passes."""
    found = calibrate_sum(moments([0.33] + [0.17] * 20, [0.55] * 21), pf.Guarantee(0.3, 0.00365929))
    assert found.holds
