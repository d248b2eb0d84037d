"""The least scale by the true law of the sum: closed forms, every user one by one, the coins."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import pufferfish as pf
from pufferfish.beliefs.scenario import PairOfLaws, SecretPair
from pufferfish.exact.family import laplace_family
from pufferfish.exact.pair import PairOracle
from pufferfish.exact.search import least_size, shortfall
from pufferfish.sums import Users, binary, calibrate_sum, check_limit, finite_users, together
from pufferfish.sums.finite import FiniteSearch
from pufferfish.sums.secret import Protected
from tests.sums.test_tables import exact_law

PRESENCE, VALUE = Protected(), Protected(what="value")
COINS = together(binary([0.5], counts=[36]), binary([0.002], 18.0))
# The grid takes 2^-23 of ε, the tables much less.
GRID = 3e-7


def prior(law: dict[Fraction, Fraction]) -> pf.Discrete:
    values, shares = zip(*law.items(), strict=True)
    total = sum(shares)
    return pf.Discrete([float(each) for each in values], [float(each / total) for each in shares])


def own_pair(users: Users, kind: int, protected: Protected = PRESENCE) -> PairOfLaws:
    """One user's pair from exact fractions, by another road than the library's."""
    rest = prior(exact_law(users, kind))
    if protected.what == "presence":
        first = prior(exact_law(users))
    else:
        first = rest.shift(float(protected.gaps(users)[kind]))
    return PairOfLaws("", SecretPair("a", "b"), first, rest, 0.0, 0.0)


def one_by_one(users: Users, goal: pf.Guarantee, protected: Protected = PRESENCE) -> list[float]:
    found = []
    for kind in range(users.kinds):
        laws = own_pair(users, kind, protected)
        none = laws.first == laws.second or shortfall(laws, pf.NoNoise(), goal) <= 0.0
        found.append(0.0 if none else least_size(laws, laplace_family(goal), goal))
    return found


def test_the_coins_by_the_truth() -> None:
    found = calibrate_sum(COINS, pf.Guarantee(1.0, 1e-3))
    assert found.worst == "user 37"
    # The numbers of docs/theory/cor-1a.md, rounded up there.
    assert 1.765549 <= found.scale <= 1.765550
    assert 2.663866 <= calibrate_sum(COINS, pf.Guarantee(1.0)).scale <= 2.663867


def test_the_gaussian_belief_and_the_paper_break_the_promise_to_the_coins() -> None:
    goal = pf.Guarantee(1.0, 1e-3)
    for method in ("gaussian", "cor-1a"):
        with pytest.raises(pf.CertificationError, match="user 37"):
            calibrate_sum(COINS, goal, method=method)  # type: ignore[arg-type]
        shown = calibrate_sum(COINS, goal, method=method, certified_only=False)  # type: ignore[arg-type]
        assert not shown.holds
        assert 0.0018 < shown.calibration.certificate.delta_lower < 0.002


def test_the_papers_order_of_users_is_wrong_here() -> None:
    """By the corollary a coin is the hardest; in truth the 37th user is, by far."""
    search = FiniteSearch(COINS, PRESENCE, pf.Guarantee(1.0, 1e-3))
    losses = [
        PairOracle(search.pairs(kind)[0], pf.LaplaceNoise(0.384515)).delta(1.0).worst
        for kind in (0, 1)
    ]
    assert losses[0].upper < 1e-8
    assert losses[1].lower > 0.0019


small = st.lists(
    st.tuples(
        st.lists(st.integers(-3, 5), min_size=1, max_size=3, unique=True),
        st.lists(st.integers(1, 9), min_size=3, max_size=3),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=3,
)


def described(groups: list[tuple[list[int], list[int], int]]) -> Users:
    laws = [
        pf.Discrete(values, np.array(weights[: len(values)]) / sum(weights[: len(values)]))
        for values, weights, _ in groups
    ]
    return finite_users(laws, [count for _, _, count in groups])


@pytest.mark.parametrize("protected", [PRESENCE, VALUE])
@given(groups=small, epsilon=st.sampled_from([0.3, 1.0, 2.0]), delta=st.sampled_from([1e-6, 1e-2]))
def test_it_is_the_largest_of_the_users_own_scales(
    protected: Protected,
    groups: list[tuple[list[int], list[int], int]],
    epsilon: float,
    delta: float,
) -> None:
    users, goal = described(groups), pf.Guarantee(epsilon, delta)
    own = max(one_by_one(users, goal, protected))
    found = calibrate_sum(users, goal, protected.what)
    # Each search is right to 1e-9, and the tables' reserve takes about as much of δ.
    assert own * (1.0 - 1e-7) <= found.scale <= own * (1.0 + 1e-6)


@given(groups=small, epsilon=st.sampled_from([0.3, 1.0, 2.0]))
def test_without_exceptions_no_user_needs_more(
    groups: list[tuple[list[int], list[int], int]], epsilon: float
) -> None:
    users, goal = described(groups), pf.Guarantee(epsilon)
    own = one_by_one(users, goal)
    found = calibrate_sum(users, goal)
    assert found.scale >= max(own) * (1.0 - 1e-8)
    one_signed = all(min(values) >= 0 or max(values) <= 0 for values, _, _ in groups)
    if one_signed:  # then it is exact, whatever the others are
        assert found.scale <= max(own) * (1.0 + GRID)


@pytest.mark.parametrize("p", [1.0, 0.5, 0.01, 1e-9])
@pytest.mark.parametrize("value", [1.0, -3.0])
def test_a_binary_user_in_closed_form(p: float, value: float) -> None:
    users = together(binary([p], value), binary([0.3], 0.5, counts=[5]))
    goal = pf.Guarantee(0.8)
    closed = abs(value) / math.log1p(math.expm1(0.8) / p)
    found = calibrate_sum(users, goal)
    others = 0.5 / math.log1p(math.expm1(0.8) / 0.3)
    # ε = log M(1/b) amplifies the reserve 2^-23 of ε where p is small.
    assert found.scale == pytest.approx(max(closed, others), rel=1e-6)


def test_a_value_without_exceptions_is_its_distance() -> None:
    found = calibrate_sum(COINS, pf.Guarantee(0.5), "value")
    assert found.scale == pytest.approx(36.0, rel=GRID)
    named = calibrate_sum(COINS, pf.Guarantee(0.5), "value", between=(0.25, 1.0))
    assert named.scale == pytest.approx(1.5, rel=GRID)


@given(p=st.floats(0.01, 0.99), epsilon=st.sampled_from([0.2, 1.0]), scale=st.floats(0.3, 3.0))
def test_the_loss_of_a_binary_user_is_that_of_a_shift(
    p: float, epsilon: float, scale: float
) -> None:
    """HS_ε(P‖Q) = p·HS_ε'(Q⁺‖Q) with e^ε' = 1 + (e^ε − 1)/p."""
    users = together(binary([p], 2.0), binary([0.4], counts=[6]))
    search = FiniteSearch(users, PRESENCE, pf.Guarantee(epsilon, 1e-6))
    laws, noise = search.pairs(0)[0], pf.LaplaceNoise(scale)
    shifted = laws._replace(first=laws.second.shift(2.0))
    inner = math.log1p(math.expm1(epsilon) / p)
    direct = PairOracle(laws, noise).delta(epsilon).forward
    by_shift = PairOracle(shifted, noise).delta(inner).forward
    # ε' rounds, and δ changes by no more than that.
    assert direct.lower <= p * by_shift.upper + 1e-13
    assert p * by_shift.lower <= direct.upper + 1e-13


@given(
    chances=st.lists(st.floats(0.01, 0.99), min_size=2, max_size=12),
    epsilon=st.sampled_from([0.1, 0.5, 2.0]),
    scale=st.floats(0.1, 4.0),
)
def test_of_binary_users_alike_in_value_the_likeliest_shows_most(
    chances: list[float], epsilon: float, scale: float
) -> None:
    users = binary(chances)
    search = FiniteSearch(users, PRESENCE, pf.Guarantee(epsilon, 1e-6))
    order = np.argsort(users.means)
    for noise in (pf.LaplaceNoise(scale), pf.NoNoise()):
        found = [PairOracle(search.pairs(int(kind))[0], noise).delta(epsilon) for kind in order]
        for less, more in itertools.pairwise(found):
            # Upper and lower bounds are about 1e-12 apart, and tables as far from the truth.
            assert less.forward.lower <= more.forward.upper + 1e-11
            assert less.backward.lower <= more.backward.upper + 1e-11


def test_twenty_thousand_different_users_need_few_certificates() -> None:
    users = binary(np.random.default_rng(3).uniform(0.0, 1.0, 20_000))
    found = calibrate_sum(users, pf.Guarantee(0.01, 1e-6))
    assert users.means[found.kind] == users.means.max()
    assert found.certificates < 10
    assert 90.0 < found.scale < 100.0


def test_many_users_who_need_the_same_are_settled_together() -> None:
    users = binary(np.random.default_rng(3).uniform(0.4, 0.6, 600), 1.0)
    goal = pf.Guarantee(0.05, 1e-6)
    found = calibrate_sum(users, goal, "value")
    hardest = FiniteSearch(users, VALUE, goal).pairs(found.kind)[0]
    own = least_size(hardest, laplace_family(goal), goal)
    assert own * (1.0 - 1e-6) <= found.scale <= 1.001 * own
    assert found.certificates < 2000


def test_no_noise_is_found_and_is_true() -> None:
    goal = pf.Guarantee(1.0, 1e-3)
    users = binary([0.5], counts=[400])
    assert calibrate_sum(users, goal).noise == pf.NoNoise()
    laws = own_pair(binary([0.5], counts=[40]), 0)
    assert (shortfall(laws, pf.NoNoise(), goal) <= 0.0) == (
        calibrate_sum(binary([0.5], counts=[40]), goal).noise == pf.NoNoise()
    )


def test_a_delta_too_small_for_tables_is_kept_without_exception() -> None:
    found = calibrate_sum(COINS, pf.Guarantee(1.0, 1e-200))
    assert found.scale == calibrate_sum(COINS, pf.Guarantee(1.0)).scale


def test_a_tenth_less_noise_is_found_out() -> None:
    users, goal = binary([0.5, 0.2, 0.9], [1.0, 4.0, 2.0], [3, 2, 5]), pf.Guarantee(1.0, 1e-3)
    found = calibrate_sum(users, goal)
    assert isinstance(found.noise, pf.LaplaceNoise)
    search = FiniteSearch(users, PRESENCE, goal)
    less = pf.LaplaceNoise(0.9 * found.scale)
    assert search.judge(found.noise).holds
    assert not search.judge(less).holds
    assert max(shortfall(own_pair(users, kind), less, goal) for kind in range(3)) > 0.0


def test_a_value_of_any_user_is_found_out() -> None:
    """Also where another one, with whom it is looked at together, would pass."""
    users, goal = binary([0.5, 0.5, 0.5], [1.0, 4.0, 6.0], [60, 1, 1]), pf.Guarantee(1.0, 0.1)
    search = FiniteSearch(users, VALUE, goal)
    found = search.least()
    assert isinstance(found.noise, pf.LaplaceNoise)
    assert users.stds[found.kind] == 3.0
    less = pf.LaplaceNoise(0.9 * found.noise.scale)
    assert less.scale < 4.0  # so that no closed form settles the user with gap 4
    assert shortfall(search.pairs(int(np.argmin(abs(users.stds - 2.0))))[0], less, goal) <= 0.0
    verdict = search.judge(less)
    assert not verdict.holds
    assert verdict.kind == found.kind


def test_without_exceptions_no_table_of_the_sum_is_needed() -> None:
    users = together(binary([0.5], counts=[10**9]), binary([0.01], math.pi))
    goal = pf.Guarantee(1.0)
    found = calibrate_sum(users, goal)
    closed = max(v / math.log1p(math.expm1(1.0) / p) for v, p in ((1.0, 0.5), (math.pi, 0.01)))
    assert found.scale == pytest.approx(closed, rel=GRID)
    assert check_limit(users, goal).kolmogorov is None
    with pytest.raises(pf.UnsupportedError, match="entries"):
        calibrate_sum(users, pf.Guarantee(1.0, 1e-6))


@pytest.mark.parametrize("between", [None, (0.3, 0.1)])
def test_values_that_are_decimals_move_whole_steps(between: tuple[float, float] | None) -> None:
    """0.3 − 0.1 is not 0.2 in floats; on the lattice of tenths it is two steps."""
    law = pf.Discrete([0.1, 0.3], [0.5, 0.5])
    tenths = finite_users([law], [30])
    whole = finite_users([pf.Discrete([1.0, 3.0], [0.5, 0.5])], [30])
    goal = pf.Guarantee(0.5, 1e-3)
    found = calibrate_sum(tenths, goal, "value", between=between)
    expected = calibrate_sum(whole, goal, "value", between=None if between is None else (3.0, 1.0))
    assert 10.0 * found.scale == pytest.approx(expected.scale, rel=1e-7)
    assert found.scale > 0.0


@pytest.mark.parametrize(
    "laws",
    [
        [pf.Discrete([0, 2], [0.5, 0.5]), pf.Discrete([0, 1], [0.5, 0.5])],
        [pf.Discrete([0, 2], [0.5, 0.5]), pf.Discrete([0, 1, 2], [0.3, 0.3, 0.4])],
    ],
)
def test_every_distance_between_two_values_counts(laws: list[pf.Discrete]) -> None:
    """Among even numbers a value of 1 is told by the parity of the sum, one of 2 is not."""
    users = finite_users(laws, [100, 1])
    goal = pf.Guarantee(1.0, 1e-3)
    found = calibrate_sum(users, goal, "value")
    assert isinstance(found.noise, pf.LaplaceNoise)
    rest = pf.Discrete(2.0 * np.arange(101), binom.pmf(np.arange(101), 100, 0.5))
    for apart in (1.0, 2.0):
        belief = pf.Belief({"a": rest, "b": rest.shift(apart)})
        assert pf.verify(pf.Scenario(belief), found.noise, goal).holds is True
    pairs = found.calibration.scenario.pairs
    assert ("user 101: a value 1 higher", "user 101: a value") in pairs


def test_many_kinds_that_need_no_noise() -> None:
    chances, amounts = np.linspace(0.3, 0.7, 400), np.resize([1.0, 2.0], 400)
    found = calibrate_sum(binary(chances, amounts), pf.Guarantee(1.0, 0.01))
    assert isinstance(found.noise, pf.NoNoise)


def test_a_bound_is_not_called_the_least() -> None:
    two_signed = finite_users([pf.Discrete([-1, 1], [0.5, 0.5])], [50])
    assert not calibrate_sum(two_signed, pf.Guarantee(1.0)).least
    assert calibrate_sum(binary([0.5], counts=[50]), pf.Guarantee(1.0)).least
