"""The comonotone coupling: exact for tables, enclosing for other laws, best for what it is used."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, chain, combinations, permutations
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.integrate import quad
from scipy.optimize import brentq

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.transport import (
    KNOTS,
    ComonotoneCoupling,
    Displacement,
    MongeMap,
    bounded_displacement,
    comonotone,
)
from tests.strategies import gaussians, mixtures, positions, priors, shifts, spreads, tables
from tests.support import PlainLaw, plain_law

# Knots reach 8.3 stds to either side of each component.
REACH = 8.3
# More than what rounding may lose with the default number of knots, and the mass beyond them.
LOST = 1e-10
# Pieces lighter than this are rounding.
SLIVER = 1e-14

Table = list[tuple[Fraction, Fraction]]  # (probability, value), by value


def read(table: pf.Discrete) -> Table:
    """What the doubles say, exactly; they sum to one but for their rounding."""
    masses = [Fraction(mass) for mass in table.probabilities.tolist()]
    total = sum(masses)
    return [
        (mass / total, Fraction(value))
        for mass, value in zip(masses, table.values.tolist(), strict=True)
    ]


def quantile(table: Table, u: Fraction) -> Fraction:
    """The smallest x with P(X ≤ x) ≥ u."""
    sums = list(accumulate(mass for mass, _ in table))
    return table[bisect_left(sums, u)][1]


def pieces(p: Table, q: Table) -> list[tuple[Fraction, Fraction, Fraction]]:
    """(probability, X, X') between all breakpoints of U, from the two quantile functions."""
    sums = {*accumulate(mass for mass, _ in p), *accumulate(mass for mass, _ in q)}
    found, last = [], Fraction(0)
    for level in sorted(sums):
        found.append((level - last, quantile(p, level), quantile(q, level)))
        last = level
    return found


def table_tail(p: Table, q: Table, distance: Fraction) -> Fraction:
    """P(|X − X'| > distance)."""
    return sum((w for w, x, y in pieces(p, q) if abs(x - y) > distance), Fraction(0))


@st.composite
def counted(draw: st.DrawFn, most: int = 4) -> tuple[pf.Discrete, Table]:
    """A table of frequencies k/n as doubles, and as the fractions that are meant."""
    values = draw(st.lists(positions, min_size=1, max_size=most, unique=True))
    counts = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    total = sum(counts)
    meant = sorted(
        (Fraction(value), Fraction(count, total))
        for value, count in zip(values, counts, strict=True)
    )
    table = pf.Discrete(values, [count / total for count in counts])
    return table, [(mass, value) for value, mass in meant]


def points(coupling: ComonotoneCoupling) -> list[tuple[float, float, float]]:
    """(weight, X, X') of a coupling of tables, slivers left out."""
    assert np.array_equal(coupling.first_low, coupling.first_high)
    assert np.array_equal(coupling.second_low, coupling.second_high)
    columns = coupling.weights, coupling.first_low, coupling.second_low
    return [(float(w), float(x), float(y)) for w, x, y in zip(*columns, strict=True) if w > SLIVER]


# -------------------------------------------------------------------------------------------------
# Two tables
# -------------------------------------------------------------------------------------------------


@given(counted(), counted())
@settings(max_examples=100)
def test_tables_are_coupled_as_by_their_quantiles(
    first: tuple[pf.Discrete, Table], second: tuple[pf.Discrete, Table]
) -> None:
    found = points(comonotone(first[0], second[0]))
    expected = pieces(first[1], second[1])
    assert [(x, y) for _, x, y in found] == [(float(x), float(y)) for _, x, y in expected]
    for (weight, _, _), (exact, _, _) in zip(found, expected, strict=True):
        # Each sum of at most four probabilities is rounded.
        assert weight == pytest.approx(float(exact), abs=1e-15)


@given(tables(6), tables(6), positions)
@settings(max_examples=100)
def test_the_tail_of_tables_is_never_too_small(
    first: pf.Discrete, second: pf.Discrete, distance: float
) -> None:
    p, q = read(first), read(second)
    moved = comonotone(first, second).displacement
    # At every distance that occurs, just below it, and at some other one.
    occurring = {float(abs(x - y)) for _, x, y in pieces(p, q)}
    for at in {*occurring, *(math.nextafter(d, 0.0) for d in occurring), abs(distance)}:
        true = table_tail(p, q, Fraction(at))
        bound = moved.exceeds_upper(at)
        # Lost is 2⁻⁵⁰ for either table and the rounding of its sums; 1e-12 is added to the rest.
        assert true <= bound <= float(true) * (1 + 2e-12) + 1e-14


# |log((0.1 + 0.2)/0.3)| of the doubles, each table divided by its sum.
_THREE_TENTHS = Fraction(0.1) + Fraction(0.2), Fraction(0.3)
_SHARES = [part / (part + Fraction(0.7)) for part in _THREE_TENTHS]
CHARGE_NEEDED = abs(math.log1p(float(_SHARES[0] / _SHARES[1] - 1)))


def test_sums_that_are_meant_to_be_equal_are_taken_as_equal() -> None:
    """0.1 + 0.2 is not 0.3 in doubles; a sliver must not couple 1 with 100."""
    first = pf.Discrete([0.0, 1.0, 100.0], [0.1, 0.2, 0.7])
    second = pf.Discrete([1.0, 100.0], [0.3, 0.7])
    found = points(comonotone(first, second))
    assert [(x, y) for _, x, y in found] == [(0.0, 1.0), (1.0, 1.0), (100.0, 100.0)]
    assert [w for w, _, _ in found] == pytest.approx([0.1, 0.2, 0.7], abs=1e-15)
    for pair in ((first, second), (second, first)):
        bounded = bounded_displacement(*pair)
        assert bounded is not None
        assert bounded.reach == 1.0
        # {0, 1} here is {1} there: their probabilities must change by at least this factor in all.
        assert 0.0 < CHARGE_NEEDED <= bounded.charge < 1e-14


def test_an_atom_is_split_where_it_must_be() -> None:
    """F_j⁻¹(F_i(X)) would send everything to 1, which is not the second law."""
    coin, biased = pf.Discrete([0.0, 1.0], [0.5, 0.5]), pf.Discrete([0.0, 1.0], [0.25, 0.75])
    assert points(comonotone(coin, biased)) == [
        (0.25, 0.0, 0.0),
        (0.25, 0.0, 1.0),
        (0.5, 1.0, 1.0),
    ]


units = st.lists(positions, min_size=6, max_size=6)


@given(units, units)
@settings(max_examples=40)
def test_of_all_couplings_it_has_the_least_mean_square_and_the_least_largest_distance(
    first: list[float], second: list[float]
) -> None:
    """Six equally likely units each: the extreme couplings are the permutations."""
    orders = np.array(list(permutations(range(6))))
    apart = np.abs(np.array(first) - np.array(second)[orders])
    p, q = (pf.Discrete(values, [1 / 6] * 6) for values in (first, second))
    found = points(comonotone(p, q))
    square = sum(w * (x - y) ** 2 for w, x, y in found)
    # Sums of six squares below 100.
    assert square == pytest.approx((apart**2).sum(axis=1).min() / 6, abs=1e-12)
    # Positions are multiples of 2⁻¹⁶: differences are exact.
    least = apart.max(axis=1).min()
    assert max(abs(x - y) for _, x, y in found) == least
    bounded = bounded_displacement(p, q)
    assert bounded is not None
    assert bounded.reach == least


def furthest(p: Table, q: Table) -> Fraction:
    """W_∞ without any coupling: the least D with P(A) ≤ Q(A widened by D) for every set A of atoms.

    By Hall's theorem (Strassen's, on the line) a coupling within D exists exactly then.
    """
    sets = list(chain.from_iterable(combinations(p, size) for size in range(1, len(p) + 1)))

    def coupled_within(distance: Fraction) -> bool:
        return all(
            sum(mass for mass, _ in chosen)
            <= sum(m for m, y in q if any(abs(x - y) <= distance for _, x in chosen))
            for chosen in sets
        )

    return min(d for d in {abs(x - y) for _, x in p for _, y in q} if coupled_within(Fraction(d)))


@given(counted(), counted())
@settings(max_examples=100)
def test_the_bounded_distance_of_tables_is_the_bottleneck(
    first: tuple[pf.Discrete, Table], second: tuple[pf.Discrete, Table]
) -> None:
    bounded = bounded_displacement(first[0], second[0])
    assert bounded is not None
    assert bounded.reach == furthest(first[1], second[1])
    # Probabilities of at least 1/36, changed by a few roundings.
    assert bounded.charge < 1e-13


@given(tables(6), tables(6))
@settings(max_examples=60)
def test_the_bounded_distance_of_tables_is_never_too_small(
    first: pf.Discrete, second: pf.Discrete
) -> None:
    """Against what the doubles say: without a charge no coupling is closer."""
    bounded = bounded_displacement(first, second)
    assert bounded is not None
    if bounded.charge == 0.0:
        assert bounded.reach >= furthest(read(first), read(second))


@pytest.mark.parametrize("tiny", [1e-3, 1e-6, 1e-9, 1e-12, 1e-13])
def test_a_light_atom_counts_like_any_other(tiny: float) -> None:
    first = pf.Discrete([0.0, 1000.0], [1.0 - tiny, tiny])
    second = pf.Discrete([0.0, 1.0], [0.5, 0.5])
    for pair in ((first, second), (second, first)):
        bounded = bounded_displacement(*pair)
        assert bounded is not None
        assert (bounded.reach, bounded.charge) == (999.0, 0.0)
        moved = comonotone(*pair).displacement
        assert tiny <= moved.exceeds_upper(998.0) <= tiny * (1 + 2e-12) + 1e-14


@given(counted(), counted(), st.floats(0.001, 0.999))
def test_the_quantile_of_tables_is_a_distance_that_occurs(
    first: tuple[pf.Discrete, Table], second: tuple[pf.Discrete, Table], delta: float
) -> None:
    p, q = first[1], second[1]
    distances = sorted({Fraction(0), *(abs(x - y) for _, x, y in pieces(p, q))})
    tails = [table_tail(p, q, distance) for distance in distances]
    assume(all(abs(each - Fraction(delta)) > 1e-9 for each in tails))
    least = next(d for d, each in zip(distances, tails, strict=True) if each <= delta)
    found = comonotone(first[0], second[0]).displacement.quantile_upper(delta)
    # The search halves until four units in the last place are left.
    assert least <= found <= float(least) * (1 + 2.0**-50)


# -------------------------------------------------------------------------------------------------
# Laws without atoms
# -------------------------------------------------------------------------------------------------


def width(prior: Prior) -> float:
    """The widest interval between knots of a continuous law; a gap between components apart."""
    law = plain_law(prior)
    return 2 * REACH * max(std for _, _, std in law) / (KNOTS // len(law) - 1) * (1 + 1e-9)


def cdf(law: PlainLaw) -> Callable[[float], float]:
    return lambda x: math.fsum(w * NormalDist(mean, std).cdf(x) for w, mean, std in law)


def survival(law: PlainLaw) -> Callable[[float], float]:
    return lambda x: math.fsum(w * NormalDist(-mean, std).cdf(-x) for w, mean, std in law)


def true_quantile(law: PlainLaw, u: float, above: float) -> float:
    """x with P(X ≤ x) = u, or where that is finer P(X > x) = above."""
    ends = [NormalDist(mean, std).inv_cdf(u) for _, mean, std in law]
    low, high = min(ends) - 1e-6, max(ends) + 1e-6
    if u <= 0.5:
        return float(brentq(lambda x: cdf(law)(x) - u, low, high, xtol=1e-14))
    return float(brentq(lambda x: above - survival(law)(x), low, high, xtol=1e-14))


@given(gaussians, gaussians, st.floats(-6.0, 7.0))
@settings(max_examples=30)
def test_two_gaussians_are_coupled_by_the_monge_map(
    first: pf.Gaussian, second: pf.Gaussian, z: float
) -> None:
    gap, spread = abs(first.mean - second.mean), abs(first.std - second.std)
    distance = max(gap + z * spread, 0.0)
    monge = MongeMap(first, second).displacement
    bound = comonotone(first, second).displacement.exceeds_upper(distance)
    # Monge's own bound is 1e-12 of itself above the truth (tested with the map).
    assert monge.exceeds_upper(distance) * (1 - 3e-12) <= bound
    # Both values are known up to an interval, so a distance is overstated by at most two widths.
    closer = distance - width(first) - width(second)
    assert bound <= (monge.exceeds_upper(closer) if closer >= 0.0 else 1.0) + LOST


@given(mixtures(), mixtures(), st.data())
@settings(max_examples=20)
def test_pieces_hold_both_quantiles(
    first: pf.GaussianMixture, second: pf.GaussianMixture, data: st.DataObject
) -> None:
    coupling = comonotone(first, second)
    assert coupling.weights.sum() == pytest.approx(1.0, abs=1e-12)  # 2¹⁶ roundings
    below = np.cumsum(coupling.weights) - 0.5 * coupling.weights
    above = np.cumsum(coupling.weights[::-1])[::-1] - 0.5 * coupling.weights
    # Heavy enough that neither the rounding of the sums nor that of a cdf leaves the piece.
    heavy = np.flatnonzero(coupling.weights > 1e-9)
    for index in heavy[[data.draw(st.integers(0, heavy.size - 1)) for _ in range(12)]]:
        for law, low, high in (
            (plain_law(first), coupling.first_low, coupling.first_high),
            (plain_law(second), coupling.second_low, coupling.second_high),
        ):
            x = true_quantile(law, float(below[index]), float(above[index]))
            assert low[index] <= x <= high[index]


@given(mixtures(), mixtures())
@settings(max_examples=20)
def test_the_mean_distance_is_the_area_between_the_distribution_functions(
    first: pf.GaussianMixture, second: pf.GaussianMixture
) -> None:
    """E|F⁻¹(U) − G⁻¹(U)| = ∫|F − G|, which needs no quantile."""
    f, g = cdf(plain_law(first)), cdf(plain_law(second))
    area, error = quad(lambda x: abs(f(x) - g(x)), -35.0, 35.0, epsabs=1e-7, limit=500)
    moved = comonotone(first, second).displacement
    known = np.isfinite(moved.means)  # all but the half-lines, of 1e-16
    mean = float(moved.weights[known] @ moved.means[known])
    assert area - error - 1e-12 <= mean
    # Each distance is overstated by at most two widths.
    assert mean <= area + error + width(first) + width(second)


def gaussian_tail(table: pf.Discrete, law: pf.Gaussian, distance: Any) -> Any:
    """P(|X − X'| > distance): for each atom, its part of (0, 1) less where X' is near."""
    with mp.workdps(40):

        def phi(x: Any) -> Any:
            return mp.erfc((mpf(law.mean) - x) / (mpf(law.std) * mp.sqrt(2))) / 2

        far, start = mpf(0), mpf(0)
        masses = [mpf(mass) for mass in table.probabilities.tolist()]
        total = sum(masses)
        for mass, atom in zip(masses, table.values.tolist(), strict=True):
            end = start + mass / total
            near = min(end, phi(atom + distance)) - max(start, phi(atom - distance))
            far += end - start - max(near, mpf(0))
            start = end
        return far


@given(tables(), gaussians, st.floats(0.0, 12.0))
@settings(max_examples=40)
def test_a_table_against_a_gaussian(table: pf.Discrete, law: pf.Gaussian, distance: float) -> None:
    true = gaussian_tail(table, law, mpf(distance))
    for pair in ((table, law), (law, table)):
        bound = comonotone(*pair).displacement.exceeds_upper(distance)
        assert true <= bound
        # X' is known up to one interval.
        closer = distance - width(law)
        assert bound <= (gaussian_tail(table, law, mpf(closer)) if closer >= 0 else 1.0) + LOST


@given(priors, priors, st.integers(64, 4096), st.floats(0.0, 10.0))
@settings(max_examples=20)
def test_fewer_knots_say_less(first: Prior, second: Prior, knots: int, distance: float) -> None:
    """Never below the truth, and so hardly below the fine coupling, which is near the truth."""
    fine = comonotone(first, second).displacement
    coarse = comonotone(first, second, knots).displacement
    finest = sum(width(law) for law in (first, second) if not isinstance(law, pf.Discrete))
    assert fine.exceeds_upper(distance + finest) - LOST <= coarse.exceeds_upper(distance)


@given(priors, priors, st.floats(0.0, 10.0))
@settings(max_examples=20)
def test_the_order_of_a_pair_changes_nothing(first: Prior, second: Prior, distance: float) -> None:
    one, other = comonotone(first, second).displacement, comonotone(second, first).displacement
    assert one.exceeds_upper(distance) == pytest.approx(other.exceeds_upper(distance), rel=1e-14)


@given(priors)
@settings(max_examples=20)
def test_a_law_is_not_moved_onto_itself(prior: Prior) -> None:
    moved = comonotone(prior, prior).displacement
    finest = 0.0 if isinstance(prior, pf.Discrete) else width(prior)
    assert moved.exceeds_upper(finest) <= LOST
    bounded = bounded_displacement(prior, prior)
    assert bounded is not None
    assert (bounded.reach, bounded.charge) == (0.0, 0.0)


# -------------------------------------------------------------------------------------------------
# A bounded distance
# -------------------------------------------------------------------------------------------------


@given(priors, shifts)
def test_translations_move_everything_by_one_distance(prior: Prior, shift: float) -> None:
    # All places are multiples of 2⁻¹⁶ below 2⁷: sums and differences are exact.
    bounded = bounded_displacement(prior, prior.shift(shift))
    assert bounded is not None
    assert (bounded.reach, bounded.charge) == (abs(shift), 0.0)


@st.composite
def adapted(draw: st.DrawFn) -> tuple[pf.GaussianMixture, pf.GaussianMixture]:
    """Two mixtures that differ in their means only."""
    one = draw(mixtures(4))
    count = len(one.means)
    means = draw(st.lists(positions, min_size=count, max_size=count))
    return one, pf.GaussianMixture(one.weights, means, one.stds)


@given(adapted())
def test_mixtures_that_differ_in_means_move_at_most_by_the_largest_difference(
    pair: tuple[pf.GaussianMixture, pf.GaussianMixture],
) -> None:
    first, second = pair
    bounded = bounded_displacement(first, second)
    assert bounded is not None
    largest = max(abs(a - b) for a, b in zip(first.means, second.means, strict=True))
    assert bounded.reach <= largest
    if len(set(first.stds)) == len(first.stds):  # then every component has only one partner
        assert bounded.reach == largest


@given(st.lists(st.tuples(positions, spreads), min_size=2, max_size=4, unique=True), shifts)
def test_the_order_of_components_does_not_matter(
    components: list[tuple[float, float]], shift: float
) -> None:
    means, stds = zip(*components, strict=True)
    weights = [1 / len(means)] * len(means)
    first = pf.GaussianMixture(weights, means, stds)
    second = pf.GaussianMixture(weights, means[::-1], stds[::-1]).shift(shift)
    bounded = bounded_displacement(first, second)
    assert bounded is not None
    assert bounded.reach == abs(shift)


def test_a_component_may_be_cut_to_fit_another_of_its_shape() -> None:
    first = pf.GaussianMixture([0.5, 0.5], [0.0, 1.0], [2.0, 2.0])
    second = pf.GaussianMixture([0.25, 0.25, 0.5], [0.0, 0.5, 2.0], [2.0, 2.0, 2.0])
    bounded = bounded_displacement(first, second)
    assert bounded is not None
    assert (bounded.reach, bounded.charge) == (1.0, 0.0)


def test_components_whose_weights_agree_but_for_rounding_are_charged_for_it() -> None:
    first = pf.GaussianMixture([0.1, 0.2, 0.7], [0.0, 1.0, 0.0], [1.0, 1.0, 2.0])
    second = pf.GaussianMixture([0.3, 0.7], [1.0, 0.5], [1.0, 2.0])
    bounded = bounded_displacement(first, second)
    assert bounded is not None
    assert bounded.reach == 1.0
    assert CHARGE_NEEDED <= bounded.charge < 1e-14


UNEQUAL: Sequence[tuple[Prior, Prior]] = [
    (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 1.5)),
    (pf.Gaussian(0.0, 1.0), pf.Discrete([0.0], [1.0])),
    (
        pf.GaussianMixture([0.5, 0.5], [0.0, 0.0], [1.0, 2.0]),
        pf.GaussianMixture([0.25, 0.75], [0.0, 0.0], [1.0, 2.0]),
    ),
    (
        pf.GaussianMixture([0.5, 0.5], [0.0, 5.0], [1.0, 2.0]),
        pf.GaussianMixture([0.5, 0.5], [0.0, 5.0], [1.0, 2.5]),
    ),
    (
        pf.GaussianMixture([0.5, 0.5], [0.0, 5.0], [1.0, 2.0]),
        pf.GaussianMixture([0.5, 0.5 - 1e-9, 1e-9], [0.0, 5.0, 5.0], [1.0, 2.0, 3.0]),
    ),
]


@pytest.mark.parametrize("pair", UNEQUAL)
def test_shapes_that_disagree_have_no_bounded_distance(pair: tuple[Prior, Prior]) -> None:
    assert bounded_displacement(*pair) is None
    assert bounded_displacement(*reversed(pair)) is None


@pytest.mark.parametrize("rare", [1e-15, 1e-18, 1e-19, 1e-20, 1e-100])
def test_what_cannot_be_told_from_rounding_is_not_claimed(rare: float) -> None:
    """An atom this rare lies within what is taken for rounding: no distance, or the true one."""
    first = pf.Discrete([0.0, 1000.0], [1.0 - rare, rare])
    for second in (pf.Discrete([0.0, 1.0], [0.5, 0.5]), pf.Discrete([0.0], [1.0])):
        for pair in ((first, second), (second, first)):
            bounded = bounded_displacement(*pair)
            assert bounded is None or bounded.reach >= 999.0


@given(st.floats(-1e6, 1e6), st.floats(-1.0, 1.0))
def test_a_bounded_distance_is_never_rounded_down(x: float, y: float) -> None:
    bounded = bounded_displacement(pf.Discrete([x], [1.0]), pf.Discrete([y], [1.0]))
    assert bounded is not None
    exact = abs(Fraction(x) - Fraction(y))
    # Up to the next float and no further.
    assert exact <= Fraction(bounded.reach) <= exact * (1 + Fraction(2) ** -52)


# -------------------------------------------------------------------------------------------------
# Displacements as such
# -------------------------------------------------------------------------------------------------


def test_lost_mass_is_infinitely_far() -> None:
    moved = Displacement(
        weights=np.array([0.75]), means=np.array([2.0]), stds=np.array([0.0]), lost=0.25
    )
    assert moved.reach == math.inf
    assert moved.exceeds_upper(1e300) == 0.25
    assert moved.exceeds_upper(1.0) == 1.0
    assert moved.quantile_upper(0.2) == math.inf
    assert moved.quantile_upper(0.3) == pytest.approx(2.0, rel=1e-15)


# A fixed distance, or a folded normal.
parts_of_a_displacement = st.lists(
    st.tuples(
        st.integers(1, 9),
        st.floats(0.0, 9.0, allow_subnormal=False),
        st.just(0.0) | st.floats(1e-3, 3.0),
    ),
    min_size=1,
)


@given(parts_of_a_displacement, st.data())
@settings(max_examples=40)
def test_tails_fall_with_distance_and_quantiles_keep_their_word(
    parts: list[tuple[int, float, float]], data: st.DataObject
) -> None:
    counts, means, stds = map(np.array, zip(*parts, strict=True))
    moved = Displacement(weights=counts / counts.sum(), means=means, stds=stds)
    near, far = sorted(data.draw(st.tuples(st.floats(0, 30), st.floats(0, 30))))
    assert moved.exceeds_upper(far) <= moved.exceeds_upper(near) <= 1.0
    delta = data.draw(st.floats(1e-9, 0.999))
    found = moved.quantile_upper(delta)
    assert moved.exceeds_upper(found) <= delta
    if found > 0.0:
        assert moved.exceeds_upper(found * (1 - 1e-14)) > delta  # a few units in the last place
