"""Laws of sums: against SciPy, exact fractions and enumeration; tails as well as the middle."""

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
from pufferfish.sums import Users, binary, finite_users, identical, together
from pufferfish.sums.tables import LatticeTable, UserTables, as_prior


def exact_law(users: Users, without: int | None = None) -> dict[Fraction, Fraction]:
    """The law of the sum in rational arithmetic, one user after the other."""
    assert users.laws is not None
    law = {Fraction(0): Fraction(1)}
    for kind in range(users.kinds):
        table = users.laws.law(kind)
        for _ in range(int(users.counts[kind]) - (kind == without)):
            new: dict[Fraction, Fraction] = {}
            for (x, p), (z, q) in itertools.product(
                law.items(), zip(table.values, table.probabilities, strict=True)
            ):
                place = x + Fraction(repr(float(z)))
                new[place] = new.get(place, Fraction(0)) + p * Fraction(float(q))
            law = new
    return law


def compared(table: LatticeTable, step: Fraction, law: dict[Fraction, Fraction]) -> float:
    """The largest relative difference of any entry; none may be missing or too many."""
    worst = 0.0
    found = {(table.start + i) * step: mass for i, mass in enumerate(table.masses) if mass}
    assert set(found) == set(law)
    for place, mass in law.items():
        worst = max(worst, abs(float(Fraction(float(found[place])) / mass - 1)))
    return worst


@pytest.mark.parametrize(("count", "p"), [(1, 0.3), (7, 0.5), (400, 0.5), (1000, 0.01)])
def test_binomial(count: int, p: float) -> None:
    table = UserTables(binary([p], counts=[count])).total()
    assert table.start == 0
    assert math.fsum(table.masses) == pytest.approx(1.0, abs=1e-12)
    expected = binom.logpmf(np.arange(count + 1), count, p)
    seen = expected > -600.0  # beyond, doubles end
    with np.errstate(divide="ignore"):
        # SciPy's own logarithms err by about 1e-12 of their size, which is up to 700.
        assert np.log(table.masses)[seen] == pytest.approx(expected[seen], abs=1e-9)


def test_poisson_binomial_against_fractions() -> None:
    generator = np.random.default_rng(5)
    users = binary(generator.uniform(0.0, 1.0, 60))
    tables = UserTables(users)
    table = tables.total()
    assert math.fsum(table.masses) == pytest.approx(1.0, abs=1e-12)
    assert compared(table, tables.step, exact_law(users)) <= min(1e-9, table.error)


laws = st.lists(
    st.tuples(st.integers(-6, 6), st.integers(1, 20)),
    min_size=1,
    max_size=4,
    unique_by=lambda atom: atom[0],
).map(
    lambda atoms: pf.Discrete(
        [0.1 * value for value, _ in atoms],
        np.array([w for _, w in atoms]) / sum(w for _, w in atoms),
    )
)


@given(tables=st.lists(st.tuples(laws, st.integers(1, 4)), min_size=1, max_size=4))
def test_any_tables_with_and_without_a_user(tables: list[tuple[pf.Discrete, int]]) -> None:
    users = finite_users([law for law, _ in tables], [count for _, count in tables])
    # 0.1·3 is 0.30000000000000004: on the lattice of tenths only after rounding it as decimals do.
    rounded = finite_users(
        [pf.Discrete(np.round(law.values, 1), law.probabilities) for law, _ in tables],
        users.counts if users.kinds == len(tables) else [count for _, count in tables],
    )
    found = UserTables(rounded)
    assert compared(found.total(), found.step, exact_law(rounded)) <= found.total().error + 1e-15
    kinds = np.arange(rounded.kinds)
    rests = dict(found.leave_one_out(kinds, lambda *_: False))
    assert sorted(rests) == kinds.tolist()
    for kind, rest in rests.items():
        assert compared(rest, found.step, exact_law(rounded, kind)) <= rest.error + 1e-15


def test_tails_survive_where_a_fourier_transform_loses_them() -> None:
    table = UserTables(binary([0.5], counts=[400])).total()
    mgf = math.log(math.fsum(table.masses * np.exp(-np.arange(401.0))))
    assert mgf == pytest.approx(400.0 * math.log(0.5 + 0.5 * math.exp(-1.0)), rel=1e-12)
    spectrum = np.fft.rfft([0.5, 0.5], 512) ** 400
    lost = np.abs(np.fft.irfft(spectrum, 512)[:401])
    assert math.log(lost @ np.exp(-np.arange(401.0))) > -100.0  # instead of −152


@given(st.integers(1, 300), st.floats(0.01, 0.99), st.sampled_from([1e-3, 1e-9, 1e-30]))
def test_what_is_cut_is_missing_and_counted(count: int, p: float, cut: float) -> None:
    users = together(binary([p], counts=[count]), binary([0.5, 0.25], [2.0, 3.0]))
    whole, part = UserTables(users).total(), UserTables(users, cut).total()
    places = np.arange(part.masses.size) + part.start - whole.start
    assert np.all(part.masses <= whole.masses[places] * (1.0 + whole.error + part.error))
    missing = math.fsum(whole.masses) - math.fsum(part.masses)
    assert missing <= part.lost + 1e-13  # rounding of the two sums


def test_many_users_at_once_are_as_good_as_one_after_the_other() -> None:
    generator = np.random.default_rng(1)
    chances = generator.uniform(0.0, 1.0, 3000)
    table = UserTables(binary(chances)).total()
    slow = np.zeros(3001)
    slow[0] = 1.0
    for done, p in enumerate(chances):
        slow[1 : done + 2] = slow[1 : done + 2] * (1.0 - p) + slow[: done + 1] * p
        slow[0] *= 1.0 - p
    seen = slow > 1e-250
    assert table.masses[seen] == pytest.approx(slow[seen], rel=1e-9)


def test_decimals_lie_on_their_lattice() -> None:
    tables = UserTables(binary([0.5, 0.5], [0.1, 0.25]))
    assert tables.step == Fraction(1, 20)
    prior = as_prior(tables.total(), tables.step)
    assert prior.values.tolist() == [0.0, 0.1, 0.25, 0.35]


def test_a_lattice_too_fine_is_refused() -> None:
    with pytest.raises(pf.UnsupportedError, match="entries"):
        UserTables(binary([0.5, 0.5], [1e-9, 1.0]))


def test_users_without_tables_are_refused() -> None:
    with pytest.raises(pf.UnsupportedError, match="Gaussian belief"):
        UserTables(identical(3, 1.0, 1.0))
