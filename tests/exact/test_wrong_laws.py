"""Laws that may be wrong, with noise: against linear programs, random laws, and 40 digits.

None of the judges below shares code with what they judge: the worst law at an output is the
solution of a linear program over the values that may be taken, laws near the described ones are
drawn at random and judged by the plain oracle, and one case is moved mass by mass in mpmath.
"""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import norm

import pufferfish as pf
from pufferfish.core.validation import FloatArray
from pufferfish.exact.oracle import certify
from pufferfish.exact.parallel import PairWorkers
from tests.strategies import probabilities

LOW, HIGH = 0.0, 8.0
shares = st.sampled_from([1e-6, 0.001, 0.01, 0.05, 0.2, 0.6])
scales = st.sampled_from([0.5, 1.0, 2.0, 6.0, 30.0])
places = st.integers(0, 16).map(lambda each: each / 2.0)


@st.composite
def tables(draw: st.DrawFn) -> pf.Discrete:
    values = draw(st.lists(places, min_size=1, max_size=4, unique=True))
    return pf.Discrete(values, draw(probabilities(len(values))))


@st.composite
def pairs(draw: st.DrawFn) -> pf.Scenario:
    return scenario(draw(tables()), draw(tables()))


def scenario(
    first: pf.Gaussian | pf.GaussianMixture | pf.Discrete,
    second: pf.Gaussian | pf.GaussianMixture | pf.Discrete,
    cap: tuple[float, float] | None = (LOW, HIGH),
    radius: float = 0.0,
) -> pf.Scenario:
    return pf.Scenario([pf.Belief({"a": first, "b": second}, cap=cap, radius=radius)])


def extreme(law: pf.Discrete, y: float, scale: float, wrong: float, *, most: bool) -> float:
    """The largest or least ∫ e^{−|y−x|/b} dP', by a program over the law and what is moved away."""
    inside = min(max(y, LOW), HIGH)
    points = np.union1d(law.values, [LOW, HIGH, inside])
    described = law.mass(points)
    weights = np.exp(-np.abs(points - y) / scale)
    count = points.size
    # P' and at least |P' − P|, of which the sum is at most 2η.
    differ = np.block([[np.eye(count), -np.eye(count)], [-np.eye(count), -np.eye(count)]])
    limits = np.concatenate([described, -described, [2.0 * wrong]])
    found = linprog(
        np.concatenate([-weights if most else weights, np.zeros(count)]),
        A_ub=np.vstack([differ, np.concatenate([np.zeros(count), np.ones(count)])]),
        b_ub=limits,
        A_eq=[np.concatenate([np.ones(count), np.zeros(count)])],
        b_eq=[1.0],
        method="highs",
    )
    return float(abs(found.fun))


def log_ratio(given_pair: pf.Scenario, y: float, scale: float, wrong: float) -> tuple[float, float]:
    laws = next(iter(given_pair.laws()))
    bounds = [
        [extreme(each, y, scale, wrong, most=most) for most in (True, False)]
        for each in (laws.first, laws.second)
        if isinstance(each, pf.Discrete)
    ]
    (top, low), (other_top, other_low) = bounds
    return math.log(top / other_low), math.log(other_top / low)


@settings(max_examples=15, deadline=None)
@given(pairs(), scales, shares)
def test_no_output_is_worse_than_its_linear_program(
    two: pf.Scenario, scale: float, wrong: float
) -> None:
    found = pf.verify(two, pf.LaplaceNoise(scale), pf.Guarantee(1.0), wrong=wrong)
    seen = [log_ratio(two, y, scale, wrong) for y in np.linspace(LOW - 1.0, HIGH + 1.0, 41)]
    for result, column in zip(found.results, zip(*seen, strict=True), strict=True):
        # HiGHS solves to 1e-7; the step of 1/4 changes a log-ratio by 2/b of it, half each way.
        assert max(column) <= result.epsilon_upper + 1e-5
        assert max(column) >= result.epsilon_upper - 0.25 / scale - 1e-5
        if result.epsilon_upper < 4.0:
            # Beyond that masses of 1e-16, which floats cannot tell, begin to matter from below.
            assert result.epsilon_upper - result.epsilon_lower < 1e-9


@st.composite
def near(draw: st.DrawFn, law: pf.Discrete, wrong: float) -> pf.Discrete:
    """A law on the range within η of the given one."""
    target = draw(tables())
    kept = law.probabilities.copy()
    left = 0.999999 * wrong
    for place in draw(st.permutations(range(kept.size))):
        taken = min(kept[place], left)
        kept[place] -= taken
        left -= taken
    values = np.concatenate([law.values, target.values])
    masses = np.concatenate([kept, (1.0 - kept.sum()) * target.probabilities])
    return pf.Discrete(values, masses / masses.sum())


@settings(max_examples=80, deadline=None)
@given(st.data(), pairs(), scales, shares, st.sampled_from([None, 2.0**-6, 0.25]))
def test_laws_near_the_described_ones_keep_what_is_certified(
    data: st.DataObject, two: pf.Scenario, scale: float, wrong: float, grid: float | None
) -> None:
    noise, goal = pf.LaplaceNoise(scale, grid), pf.Guarantee(0.3, 0.1)
    covered = pf.verify(two, noise, goal, wrong=wrong)
    laws = next(iter(two.laws()))
    assert isinstance(laws.first, pf.Discrete)
    assert isinstance(laws.second, pf.Discrete)
    other = scenario(data.draw(near(laws.first, wrong)), data.draw(near(laws.second, wrong)))
    plain = pf.verify(other, noise, goal)
    for one, all_of_them in zip(plain.results, covered.results, strict=True):
        assert one.epsilon_lower <= all_of_them.epsilon_upper
        assert one.delta_lower <= all_of_them.delta_upper


def test_a_law_within_the_share_reaches_the_certified_epsilon() -> None:
    """The worst pair of laws for each of many outputs, judged by the plain oracle."""
    first = pf.Discrete([2.0, 3.0, 6.0], [0.5, 0.3, 0.2])
    second = pf.Discrete([2.0, 4.0], [0.6, 0.4])
    noise, wrong = pf.LaplaceNoise(2.0), 0.05
    covered = pf.verify(scenario(first, second), noise, pf.Guarantee(1.0), wrong=wrong)
    best = 0.0
    for y in np.linspace(LOW, HIGH, 401).tolist():
        far = HIGH if y < 4.0 else LOW
        worst = scenario(
            moved(first, y, wrong, to=y, most=True), moved(second, y, wrong, to=far, most=False)
        )
        best = max(best, pf.verify(worst, noise, pf.Guarantee(1.0)).results[0].epsilon_lower)
    assert best <= covered.results[0].epsilon_upper
    # Outputs 1/50 apart: a step of 1/100 to the worst, where the log-ratio has no slope.
    assert best >= covered.results[0].epsilon_upper - 1e-4


def moved(law: pf.Discrete, y: float, wrong: float, to: float, *, most: bool) -> pf.Discrete:
    """The law with its mass farthest from y (`most`), or nearest to it, moved somewhere else."""
    distances = np.abs(law.values - y)
    kept, left = law.probabilities.copy(), wrong
    for place in np.argsort(-distances if most else distances):
        taken = min(kept[place], left)
        kept[place] -= taken
        left -= taken
    return pf.Discrete([*law.values, to], [*np.maximum(kept, 0.0), wrong])


@settings(max_examples=10, deadline=None)
@given(pairs(), st.sampled_from([1.0, 3.0]), st.sampled_from([0.001, 0.02, 0.1]), st.floats(0.1, 2))
def test_delta_is_the_sum_of_bounds_or_the_bound_for_any_mechanism(
    two: pf.Scenario, scale: float, wrong: float, epsilon: float
) -> None:
    goal = pf.Guarantee(epsilon, 0.5)
    covered = pf.verify(two, pf.LaplaceNoise(scale), goal, wrong=wrong)
    described = pf.verify(two, pf.LaplaceNoise(scale), goal)
    step = 0.08
    outputs = np.arange(LOW - 12.0 * scale, HIGH + 12.0 * scale, step)
    laws = next(iter(two.laws()))
    for result, plain, direction in zip(
        covered.results, described.results, ((0, 1), (1, 0)), strict=True
    ):
        both = [(laws.first, laws.second)[place] for place in direction]
        summed = _sum_of_bounds(both[0], both[1], outputs, scale, wrong, epsilon) * step
        simple = plain.delta_upper + (1.0 + math.exp(epsilon)) * wrong
        expected = min(summed, simple, 1.0)
        if result.epsilon_upper <= epsilon:
            expected = 0.0
        # A Riemann sum of a function with slopes of at most 1/b², and a kink or two.
        assert result.delta_upper == pytest.approx(expected, abs=2e-3)
        assert result.delta_lower <= result.delta_upper


def _sum_of_bounds(
    first: pf.Discrete,
    second: pf.Discrete,
    outputs: FloatArray,
    scale: float,
    wrong: float,
    epsilon: float,
) -> float:
    """Σ_y (most − e^ε least)₊ g, with the worst law for each output."""

    def extreme_at(law: pf.Discrete, y: float, *, most: bool) -> float:
        nearest = min(max(y, LOW), HIGH)
        far = HIGH if y < 0.5 * (LOW + HIGH) else LOW
        other = moved(law, y, wrong, to=nearest if most else far, most=most)
        return float(other.probabilities @ np.exp(-np.abs(other.values - y) / scale))

    terms = (
        max(
            extreme_at(first, y, most=True) - math.exp(epsilon) * extreme_at(second, y, most=False),
            0.0,
        )
        for y in outputs.tolist()
    )
    return math.fsum(terms) / (2.0 * scale)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({0: 3, 2: 5, 3: 1, 7: 1}, {1: 2, 2: 2, 5: 5, 8: 11}),
        # The worst output lies between all points where anything changes: at 4.46.
        ({0: 1, 8: 1}, {0: 3, 8: 2}),
    ],
)
def test_forty_digits(first: dict[int, int], second: dict[int, int]) -> None:
    """Mass moved in mpmath, the worst output found by golden section."""
    wrong, scale = mpmath.mpf("0.0625"), mpmath.mpf("1.5")
    with mpmath.workdps(40):
        best = _most(first, second, wrong, scale)
        reverse = _most(second, first, wrong, scale)
    two = scenario(*(pf.Discrete.from_counts(each) for each in (first, second)))
    found = pf.verify(two, pf.LaplaceNoise(1.5), pf.Guarantee(1.0), wrong=0.0625)
    for result, exact in zip(found.results, (best, reverse), strict=True):
        assert result.epsilon_lower <= exact <= result.epsilon_upper
        assert result.epsilon_upper - result.epsilon_lower < 1e-10


def _most(
    first: dict[int, int], second: dict[int, int], wrong: mpmath.mpf, scale: mpmath.mpf
) -> mpmath.mpf:
    """The largest log-ratio, by golden section in the three best of 320 cells."""

    def ratio(y: mpmath.mpf) -> mpmath.mpf:
        most = _moved_mass(first, y, wrong, scale, most=True)
        return mpmath.log(most / _moved_mass(second, y, wrong, scale, most=False))

    places = [mpmath.mpf(number) / 40 for number in range(321)]
    seen = {place: ratio(place) for place in places}
    golden, found = (mpmath.sqrt(5) - 1) / 2, []
    for middle in sorted(seen, key=lambda each: seen[each])[-3:]:
        one, other = max(middle - places[1], places[0]), min(middle + places[1], places[-1])
        for _ in range(70):
            left, right = other - golden * (other - one), one + golden * (other - one)
            one, other = (one, right) if ratio(left) > ratio(right) else (left, other)
        found.append(ratio(one))
    return max(*found, *seen.values())


def _moved_mass(
    law: dict[int, int], y: mpmath.mpf, wrong: mpmath.mpf, scale: mpmath.mpf, *, most: bool
) -> mpmath.mpf:
    total, left, kept = sum(law.values()), mpmath.mpf(wrong), mpmath.mpf(0)
    order = sorted(law, key=lambda value: abs(value - y), reverse=most)
    for value in order:
        mass = mpmath.mpf(law[value]) / total
        taken = min(mass, left)
        left -= taken
        kept += (mass - taken) * mpmath.exp(-abs(value - y) / scale)
    distance = mpmath.mpf(0) if most else max(y - int(LOW), int(HIGH) - y)
    return kept + mpmath.mpf(wrong) * mpmath.exp(-distance / scale)


@settings(max_examples=60, deadline=None)
@given(pairs(), scales, st.floats(1e-6, 0.7), st.floats(1.0, 3.0), st.floats(0.1, 2.0))
def test_more_wrong_more_range_and_less_noise_cost_more(
    two: pf.Scenario, scale: float, wrong: float, growth: float, epsilon: float
) -> None:
    goal = pf.Guarantee(epsilon, 0.2)
    laws = next(iter(two.laws()))
    base = pf.verify(two, pf.LaplaceNoise(scale), goal, wrong=wrong)
    more = pf.verify(two, pf.LaplaceNoise(scale), goal, wrong=min(growth * wrong, 0.9))
    wide = scenario(laws.first, laws.second, (LOW - growth, HIGH + growth))  # type: ignore[arg-type]
    wider = pf.verify(wide, pf.LaplaceNoise(scale), goal, wrong=wrong)
    quieter = pf.verify(two, pf.LaplaceNoise(scale / growth), goal, wrong=wrong)
    for larger in (more, wider, quieter):
        for one, other in zip(base.results, larger.results, strict=True):
            assert one.epsilon_lower <= other.epsilon_upper
            # The bound on δ is rounded up by up to 1e-9 in all, in either.
            assert one.delta_upper <= other.delta_upper + 1e-9


@settings(max_examples=60, deadline=None)
@given(pairs(), scales, st.floats(0.1, 2.0))
def test_next_to_nothing_wrong_is_the_plain_certificate(
    two: pf.Scenario, scale: float, epsilon: float
) -> None:
    goal = pf.Guarantee(epsilon, 0.2)
    plain = pf.verify(two, pf.LaplaceNoise(scale), goal)
    assert pf.verify(two, pf.LaplaceNoise(scale), goal, wrong=0.0) == plain
    small = pf.verify(two, pf.LaplaceNoise(scale), goal, wrong=1e-15)
    for one, other in zip(plain.results, small.results, strict=True):
        # Moving 1e-15 of mass costs at most that times the largest over the least density.
        room = 1e-9 + 4e-15 * math.exp((HIGH - LOW) / scale)
        assert one.epsilon_lower <= other.epsilon_upper <= one.epsilon_upper + room
        assert one.delta_lower <= other.delta_upper <= one.delta_upper + 1e-9


@pytest.mark.parametrize("wrong", [0.01, 0.1])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_smooth_laws_are_capped_and_enclosed(scale: float, wrong: float) -> None:
    """Against the same laws in 4,000 pieces of equal mass, moved piece by piece."""
    first, second = pf.Gaussian(3.0, 1.0), pf.Gaussian(4.0, 2.0)
    levels = (np.arange(4000) + 0.5) / 4000
    pieces = [np.clip(norm.ppf(levels, law.mean, law.std), LOW, HIGH) for law in (first, second)]
    count = round(4000 * wrong)

    def extreme_of(values: FloatArray, y: float, *, most: bool) -> float:
        weights = np.sort(np.exp(-np.abs(values - y) / scale))
        kept = weights[count:] if most else weights[:-count]
        distance = 0.0 if most else max(y - LOW, HIGH - y)
        return float(kept.sum() / 4000 + wrong * math.exp(-distance / scale))

    found = pf.verify(
        scenario(first, second), pf.LaplaceNoise(scale), pf.Guarantee(1.0), wrong=wrong
    )
    for result, (one, other) in zip(found.results, (pieces, pieces[::-1]), strict=True):
        seen = max(
            math.log(extreme_of(one, y, most=True) / extreme_of(other, y, most=False))
            for y in np.linspace(LOW, HIGH, 321)
        )
        # Pieces of 1/4000 of the mass, outputs 1/40 apart.
        assert result.epsilon_lower - 0.02 <= seen <= result.epsilon_upper + 0.005
        assert result.epsilon_upper - result.epsilon_lower < 2e-3


def test_a_radius_is_covered_as_well() -> None:
    two = pf.Discrete([2.0, 3.0], [0.5, 0.5]), pf.Discrete([3.0, 5.0], [0.5, 0.5])
    noise, goal = pf.LaplaceNoise(4.0), pf.Guarantee(1.0)
    exact = pf.verify(scenario(*two), noise, goal, wrong=0.05)
    binned = pf.verify(scenario(*two, radius=0.25), noise, goal, wrong=0.05)
    assert binned.epsilon_upper == pytest.approx(exact.epsilon_upper + 2.0 * 0.25 / 4.0, abs=1e-9)


def test_what_is_not_proven_is_refused() -> None:
    two = pf.Discrete([2.0, 3.0], [0.5, 0.5]), pf.Discrete([3.0, 5.0], [0.5, 0.5])
    laplace, goal = pf.LaplaceNoise(4.0), pf.Guarantee(1.0, 0.1)
    with pytest.raises(pf.UnsupportedError, match="public bounds"):
        pf.verify(scenario(*two, cap=None), laplace, goal, wrong=0.01)
    with pytest.raises(pf.UnsupportedError, match="Gaussian"):
        pf.verify(scenario(*two), pf.GaussianNoise(4.0), goal, wrong=0.01)
    holes = pf.Belief(dict(zip("ab", two, strict=True)), cap=(0, 8), missing={"a": 0.1})
    with pytest.raises(pf.UnsupportedError, match="missing"):
        pf.verify(pf.Scenario([holes]), laplace, goal, wrong=0.01)
    for share in (1.0, -0.1, math.nan):
        with pytest.raises(pf.InvalidInputError, match="wrong"):
            pf.verify(scenario(*two), laplace, goal, wrong=share)


def test_without_noise_only_a_delta_can_be_kept() -> None:
    two = pf.Discrete([2.0, 3.0], [0.5, 0.5]), pf.Discrete([2.0, 3.0], [0.5, 0.5])
    found = pf.verify(scenario(*two), pf.NoNoise(), pf.Guarantee(1.0, 0.2), wrong=0.05)
    assert found.epsilon_upper == math.inf
    assert found.delta_upper == pytest.approx(0.05 * (1.0 + math.e), rel=1e-9)
    assert pf.verify(scenario(*two), pf.NoNoise(), pf.Guarantee(1.0), wrong=0.05).holds is False


def test_thousands_of_pairs_are_all_examined() -> None:
    laws = {place: pf.Discrete([place / 8.0, 4.0], [0.5, 0.5]) for place in range(46)}
    many = pf.Scenario([pf.Belief(laws, cap=(LOW, HIGH))])
    found = certify(many, pf.LaplaceNoise(20.0), pf.Guarantee(1.0), PairWorkers(1), None, 0.02)
    assert len(found.results) == 2 * len(many.pairs) == 46 * 45
    assert not found.screened
    worst = max(
        itertools.combinations((0, 1, 32, 44, 45), 2),
        key=lambda pair: (
            pf.verify(
                many.only([pair]), pf.LaplaceNoise(20.0), pf.Guarantee(1.0), wrong=0.02
            ).epsilon_upper
        ),
    )
    assert set(found.worst.pair) == set(worst)
