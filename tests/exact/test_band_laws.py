"""Laws inside a band: against linear programs, rows that move, random laws, and 40 digits.

None of the judges shares code with what it judges. A table of N rows of the same weight and a band
of half-width j/N let the row of rank i lie between those of ranks i − j and i + j, and that is
all that `Rows` knows; the linear programs do not even know that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import pufferfish as pf
from pufferfish.core.validation import FloatArray
from pufferfish.exact.band_laws import Band, BandTables
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.tables import LaplaceTables
from pufferfish.noise import TableOutput
from tests.strategies import probabilities

CAP = LOW, HIGH = 0.0, 8.0
half_widths = st.sampled_from([0.0, 1e-6, 0.003, 0.05, 0.2, 0.6])
scales = st.sampled_from([0.5, 1.0, 2.0, 6.0, 30.0])
places = st.integers(0, 16).map(lambda each: each / 2.0)


@st.composite
def tables(draw: st.DrawFn) -> pf.Discrete:
    values = draw(st.lists(places, min_size=1, max_size=5, unique=True))
    return pf.Discrete(values, draw(probabilities(len(values))))


def band_tables(
    first: pf.Discrete,
    second: pf.Discrete,
    scale: float,
    widths: tuple[float, float],
    cap: tuple[float, float] = CAP,
) -> BandTables:
    noise = pf.LaplaceNoise(scale)
    one, other = TableOutput(first, noise), TableOutput(second, noise)
    return BandTables(Band(one, widths[0]), Band(other, widths[1]), cap)


def extreme(law: pf.Discrete, y: float, scale: float, width: float, *, most: bool) -> float:
    """The largest or least ∫ e^{−|y−x|/b} dG, by a program over all laws on a grid in the band."""
    points = np.union1d(np.linspace(LOW, HIGH, 33), np.append(law.values, y))
    described = np.cumsum(law.mass(points))[:-1]
    weights = np.exp(-np.abs(points - y) / scale)
    sums = np.tril(np.ones((points.size, points.size)))[:-1]
    found = linprog(
        -weights if most else weights,
        A_ub=np.vstack([sums, -sums]),
        b_ub=np.concatenate([described + width, width - described]),
        A_eq=np.ones((1, points.size)),
        b_eq=[1.0],
        method="highs",
    )
    assert found.success
    return float(weights @ found.x)


@settings(max_examples=25, deadline=None)
@given(tables(), tables(), scales, half_widths, half_widths)
def test_no_output_is_worse_than_its_linear_programs(
    first: pf.Discrete, second: pf.Discrete, scale: float, width: float, other: float
) -> None:
    found = band_tables(first, second, scale, (width, other)).supremum()

    def seen(y: float) -> float:
        top = extreme(first, y, scale, width, most=True)
        return math.log(top / max(extreme(second, y, scale, other, most=False), 1e-300))

    best = max(seen(float(y)) for y in np.linspace(LOW, HIGH, 33))
    # HiGHS keeps constraints to 1e-7, which matters where the densities themselves are small.
    room = 4e-7 * math.exp(max(best, 0.0)) + 1e-9
    if room < 0.01:
        assert best <= found.upper + room
        # The step of 1/4 changes a log-ratio by 2/b of it, half each way.
        assert best >= found.upper - 0.25 / scale - room


class Rows(NamedTuple):
    """Rows of equal weight, each of which may lie in an interval."""

    left: list[float]
    right: list[float]

    @classmethod
    def around(cls, values: list[float], reach: int) -> Rows:
        ordered, count = sorted(values), len(values)
        return cls(
            [ordered[i - reach] if i >= reach else LOW for i in range(count)],
            [ordered[i + reach] if i + reach < count else HIGH for i in range(count)],
        )

    def most(self, y: FloatArray, scale: float) -> FloatArray:
        away = np.maximum(np.array(self.left)[:, None] - y, y - np.array(self.right)[:, None])
        return np.asarray(np.exp(-np.maximum(away, 0.0) / scale).mean(axis=0))

    def least(self, y: FloatArray, scale: float) -> FloatArray:
        away = np.maximum(y - np.array(self.left)[:, None], np.array(self.right)[:, None] - y)
        return np.asarray(np.exp(-away / scale).mean(axis=0))


rows = st.lists(places, min_size=24, max_size=24)
reaches = st.integers(0, 12)


def table_of(values: list[float]) -> pf.Discrete:
    return pf.Discrete(values, counts=np.ones(len(values), dtype=np.int64))


def of_rows(
    first: list[float], second: list[float], scale: float, reach: int, other: int
) -> BandTables:
    widths = reach / len(first), other / len(second)
    return band_tables(table_of(first), table_of(second), scale, widths)


@settings(max_examples=60, deadline=None)
@given(rows, rows, scales, reaches, reaches, st.floats(0.0, 3.0))
def test_rows_that_move_within_their_intervals(
    first: list[float], second: list[float], scale: float, reach: int, other: int, epsilon: float
) -> None:
    made = of_rows(first, second, scale, reach, other)
    found, delta = made.supremum(), made.hockey_stick(epsilon)
    edges = np.linspace(LOW, HIGH, 8_001)
    y = 0.5 * (edges[:-1] + edges[1:])
    top, below = Rows.around(first, reach), Rows.around(second, other)
    ratio = np.log(top.most(edges, scale) / below.least(edges, scale))
    # A step of 0.001 changes a log-ratio by 2/b of it, half each way; points are rounded.
    assert ratio.max() <= found.upper + 1e-14
    assert ratio.max() >= found.upper - 0.001 / scale - 1e-9

    def excess(at: FloatArray) -> FloatArray:
        return np.maximum(top.most(at, scale) - math.exp(epsilon) * below.least(at, scale), 0.0) / (
            2.0 * scale
        )

    inside = float(excess(y).mean()) * (HIGH - LOW)
    seen = inside + scale * float(excess(np.array([LOW, HIGH])).sum())
    # Midpoints h apart: less than the range times h², times what a slope is or changes by.
    room = 0.001**2 * 8.0 * math.exp(epsilon) / scale**3 + 1e-9
    assert min(seen, 1.0) - room <= delta.upper <= min(seen, 1.0) + room


@settings(max_examples=60, deadline=None)
@given(rows, rows, scales, reaches, reaches, st.floats(0.0, 3.0), st.integers(0, 2**32 - 1))
def test_laws_drawn_inside_the_bands_are_covered(
    first: list[float],
    second: list[float],
    scale: float,
    reach: int,
    other: int,
    epsilon: float,
    seed: int,
) -> None:
    made = of_rows(first, second, scale, reach, other)
    found, delta = made.supremum(), made.hockey_stick(epsilon)
    generator = np.random.default_rng(seed)

    def drawn(around: Rows) -> TableOutput:
        left, right = np.array(around.left), np.array(around.right)
        share = generator.choice([0.0, 0.5, 1.0], size=left.size)
        # Near one point, or anywhere: sorting keeps every row within its interval.
        at = generator.uniform(LOW, HIGH)
        moved = np.sort(left + share * (right - left))
        near = np.clip(at, left, right)
        chosen = moved if generator.random() < 0.5 else near
        return TableOutput(table_of(chosen.tolist()), pf.LaplaceNoise(scale))

    for _ in range(4):
        pair = drawn(Rows.around(first, reach)), drawn(Rows.around(second, other))
        plain = LaplaceTables(*pair)
        assert plain.supremum().lower <= found.upper
        assert plain.hockey_stick(epsilon).lower <= delta.upper


@pytest.mark.parametrize("scale", [0.5, 3.0])
@pytest.mark.parametrize(("reach", "other"), [(0, 0), (1, 0), (0, 2), (3, 5), (11, 11)])
def test_the_enclosure_holds_in_40_digits(scale: float, reach: int, other: int) -> None:
    generator = np.random.default_rng(7)
    first, second = (generator.integers(0, 17, size=12) / 2.0 for _ in range(2))
    found = of_rows(first.tolist(), second.tolist(), scale, reach, other).supremum()
    top, below = Rows.around(first.tolist(), reach), Rows.around(second.tolist(), other)
    with mpmath.workdps(40):
        least = _highest(top, below, mpmath.mpf(scale))
        assert found.lower <= least
        # The search ends 1e-20 from the top, and would be too low: no tolerance is needed.
        assert least <= found.upper
        assert found.upper - found.lower < 1e-10


def _highest(top: Rows, below: Rows, scale: mpmath.mpf) -> mpmath.mpf:
    """The largest log-ratio, by golden section in the three best of 160 cells."""

    def ratio(y: mpmath.mpf) -> mpmath.mpf:
        most = least = mpmath.mpf(0)
        for left, right in zip(*top, strict=True):
            most += mpmath.exp(-max(left - y, y - right, mpmath.mpf(0)) / scale)
        for left, right in zip(*below, strict=True):
            least += mpmath.exp(-max(y - left, right - y) / scale)
        return mpmath.log(most / least)

    cells = [mpmath.mpf(number) / 20 for number in range(161)]
    seen = {place: ratio(place) for place in cells}
    golden, found = (mpmath.sqrt(5) - 1) / 2, []
    for middle in sorted(seen, key=lambda each: seen[each])[-3:]:
        one, other = max(middle - cells[1], cells[0]), min(middle + cells[1], cells[-1])
        for _ in range(90):
            left, right = other - golden * (other - one), one + golden * (other - one)
            one, other = (one, right) if ratio(left) > ratio(right) else (left, other)
        found.append(ratio(one))
    return max(*found, *seen.values())


@settings(max_examples=80, deadline=None)
@given(tables(), tables(), scales, st.floats(0.0, 0.7), st.floats(0.0, 0.3), st.floats(1.0, 3.0))
def test_wider_bands_more_range_and_less_noise_cost_more(
    first: pf.Discrete, second: pf.Discrete, scale: float, width: float, more: float, growth: float
) -> None:
    base = band_tables(first, second, scale, (width, width))
    wide = LOW - growth, HIGH + growth
    for larger in (
        band_tables(first, second, scale, (width + more, width)),
        band_tables(first, second, scale, (width, width + more)),
        band_tables(first, second, scale, (width, width), wide),
        band_tables(first, second, scale / growth, (width, width)),
    ):
        assert base.supremum().lower <= larger.supremum().upper
        # Bounds on δ are rounded up, by less than this.
        assert base.hockey_stick(1.0).upper <= larger.hockey_stick(1.0).upper + 1e-10


@settings(max_examples=80, deadline=None)
@given(tables(), tables(), scales, st.floats(0.0, 3.0))
def test_without_a_band_it_is_the_plain_certificate(
    first: pf.Discrete, second: pf.Discrete, scale: float, epsilon: float
) -> None:
    made = band_tables(first, second, scale, (0.0, 0.0))
    noise = pf.LaplaceNoise(scale)
    plain = LaplaceTables(TableOutput(first, noise), TableOutput(second, noise))
    assert _agree(made.supremum(), plain.supremum())
    assert _agree(made.hockey_stick(epsilon), plain.hockey_stick(epsilon))


def _agree(one: Enclosure, other: Enclosure) -> bool:
    overlap = one.lower <= other.upper and other.lower <= one.upper
    return overlap and max(one.width, other.width) < 1e-10


def test_masses_that_floats_can_hardly_add_are_not_lost_without_a_band() -> None:
    rare = 1e-30
    first = pf.Discrete([0.0, 8.0], [1.0, rare])
    second = pf.Discrete([0.0, 8.0], [1.0, rare**2])
    found = band_tables(first, second, 0.1, (0.0, 0.0)).supremum()
    top = math.exp(-80.0)
    assert found.upper == pytest.approx(math.log((rare + top) / (rare**2 + top)), abs=1e-9)


def test_a_band_of_1_leaves_only_the_range() -> None:
    first, second = pf.Discrete([2.0, 3.0], [0.5, 0.5]), pf.Discrete([5.0], [1.0])
    found = band_tables(first, second, 2.0, (1.0, 1.0)).supremum()
    assert found.lower <= (HIGH - LOW) / 2.0 <= found.upper
    assert found.width < 1e-11


def test_a_range_of_many_scales_is_enclosed() -> None:
    first, second = pf.Discrete([2.0, 3.0], [0.5, 0.5]), pf.Discrete([5.0], [1.0])
    found = band_tables(first, second, 1e-3, (0.25, 0.0)).supremum()
    # A quarter of the mass at 0, where the other law has e^{−5000}.
    assert found.lower <= 5_000.0 + math.log(0.25) <= found.upper
    assert found.width < 1e-7
    assert band_tables(first, second, 1e-3, (0.25, 0.0)).hockey_stick(1.0).upper == 1.0


def test_a_negative_width_is_refused() -> None:
    one = pf.Discrete([2.0, 3.0], [0.5, 0.5])
    with pytest.raises(pf.InvalidInputError, match="half-width"):
        band_tables(one, one, 1.0, (-0.1, 0.0))
    with pytest.raises(pf.InvalidInputError, match="half-width"):
        band_tables(one, one, 1.0, (0.1, math.nan))


@settings(max_examples=60, deadline=None)
@given(rows, rows, scales, reaches, st.floats(0.01, 1.0), st.integers(0, 2**32 - 1))
def test_values_that_were_moved_are_covered(
    first: list[float], second: list[float], scale: float, reach: int, moved: float, seed: int
) -> None:
    """The laws meant are those of rows up to `moved` away from the tables."""
    noise = pf.LaplaceNoise(scale)
    one, other = (TableOutput(table_of(each), noise) for each in (first, second))
    width = reach / len(first)
    found = BandTables(Band(one, width, moved=moved), Band(other, 0.0, moved=moved), CAP)
    assert found.supremum().upper <= (
        BandTables(Band(one, width), Band(other, 0.0), CAP).supremum().upper
        + 2.0 * moved / scale * (1.0 + 1e-12)
        # 1e-14 of the mass, to either end, where the other law has the least density there is.
        + 1e-13 * math.exp((HIGH - LOW) / scale)
    )
    generator = np.random.default_rng(seed)
    meant = [
        np.clip(np.sort(each) + generator.choice([-moved, moved], size=len(each)), LOW, HIGH)
        for each in (first, second)
    ]
    at = generator.uniform(LOW, HIGH)
    around = Rows.around(meant[0].tolist(), reach)
    near = table_of(np.clip(at, around.left, around.right).tolist())
    plain = LaplaceTables(TableOutput(near, noise), TableOutput(table_of(meant[1].tolist()), noise))
    assert plain.supremum().lower <= found.supremum().upper
    assert plain.hockey_stick(0.5).lower <= found.hockey_stick(0.5).upper


def test_a_move_costs_twice_its_length() -> None:
    one = TableOutput(pf.Discrete([4.0], [1.0]), pf.LaplaceNoise(2.0))
    found = BandTables(Band(one, 0.0, moved=0.5), Band(one, 0.0, moved=0.5), CAP)
    assert 0.5 <= found.supremum().upper <= 0.5 + 1e-9
    assert found.supremum().lower == 0.0
    assert found.hockey_stick(0.1).lower == 0.0


def test_masses_that_may_be_off_widen_the_band() -> None:
    noise = pf.LaplaceNoise(2.0)
    one = TableOutput(pf.Discrete([2.0, 3.0], [0.5, 0.5]), noise)
    other = TableOutput(pf.Discrete([3.0, 5.0], [0.5, 0.5]), noise)
    narrow, middle, wide = (
        BandTables(Band(one, width), Band(other, width), CAP).supremum()
        for width in (0.02, 0.05, 0.08)
    )
    found = BandTables(Band(one, 0.05, error=0.03), Band(other, 0.05, error=0.03), CAP).supremum()
    assert found.upper == pytest.approx(wide.upper, abs=1e-12)
    assert found.lower <= narrow.upper < middle.lower
    assert found.lower == pytest.approx(narrow.lower, abs=1e-12)
    # Nothing is known from below where the table itself may be too far away.
    found = BandTables(Band(one, 0.02, error=0.03), Band(other, 0.05), CAP).supremum()
    assert found.lower == 0.0
