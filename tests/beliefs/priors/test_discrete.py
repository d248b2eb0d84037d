"""Tables: exact small cases, and a hundred thousand atoms."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

import pufferfish as pf

UNIT = 2.0**-53
# NumPy would turn every one of these into a float.
LOOKALIKES = ["1.0", b"1.0", True, np.True_, 1 + 0j, np.datetime64(1, "D")]
# Probabilities that are exact in binary, so that sums are exact too.
VALUES = [3.0, -1.0, 0.5, 8.0]
MASSES = [0.125, 0.25, 0.5, 0.125]
TABLE = pf.Discrete(VALUES, MASSES)
EXACT = {Fraction(x): Fraction(p) for x, p in zip(VALUES, MASSES, strict=True)}
POINTS = [-np.inf, -2.0, -1.0, -0.999, 0.0, 0.5, 2.0, 3.0, 7.5, 8.0, 9.0, np.inf]


def test_atoms_are_sorted() -> None:
    assert TABLE.values.tolist() == [-1.0, 0.5, 3.0, 8.0]
    assert TABLE.probabilities.tolist() == [0.25, 0.5, 0.125, 0.125]
    assert np.array_equal(TABLE.values, TABLE.values)
    assert np.array_equal(TABLE.probabilities, TABLE.probabilities)
    weights, means, stds = TABLE.components()
    assert (weights.tolist(), means.tolist()) == (
        TABLE.probabilities.tolist(),
        TABLE.values.tolist(),
    )
    assert stds.tolist() == [0.0] * 4


def test_moments_are_exact() -> None:
    mean = sum(x * p for x, p in EXACT.items())
    variance = sum((x - mean) ** 2 * p for x, p in EXACT.items())
    assert Fraction(TABLE.mean) == mean
    assert Fraction(TABLE.variance) == variance


@pytest.mark.parametrize("x", POINTS)
def test_mass_cdf_and_survival_are_exact(x: float) -> None:
    assert float(TABLE.mass(x)) == EXACT.get(Fraction(x) if math.isfinite(x) else None, 0)
    assert float(TABLE.cdf(x)) == sum(p for value, p in EXACT.items() if value <= x)
    assert float(TABLE.survival(x)) == sum(p for value, p in EXACT.items() if value > x)


def test_shapes_follow_the_points() -> None:
    for method in (TABLE.mass, TABLE.cdf, TABLE.survival, TABLE.quantile):
        assert method(0.5).shape == ()
        assert method([[0.25, 0.5, 0.75]]).shape == (1, 3)
        assert method([]).shape == (0,)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (5e-324, -1.0),
        (0.25, -1.0),
        (math.nextafter(0.25, 1), 0.5),
        (0.75, 0.5),
        (math.nextafter(0.75, 1), 3.0),
        (0.875, 3.0),
        (math.nextafter(1.0, 0), 8.0),
    ],
)
def test_quantile_is_the_smallest_value_that_reaches_the_level(
    level: float, expected: float
) -> None:
    assert float(TABLE.quantile(level)) == expected


def test_quantiles_of_every_atom_come_back() -> None:
    levels = TABLE.cdf(TABLE.values) - 2.0**-40
    np.testing.assert_array_equal(TABLE.quantile(levels), TABLE.values)


def test_a_level_near_one_stays_in_the_table_when_the_sum_rounds_below_one() -> None:
    tenth = pf.Discrete(range(10), [0.1] * 10)
    assert float(tenth.quantile(math.nextafter(1.0, 0.0))) == 9.0


@pytest.mark.parametrize("t", [-1e4, -1.0, 0.0, 1e-12, 0.5, 1e4])
def test_log_mgf_with_many_digits(t: float) -> None:
    with mp.workdps(50):
        exact = mp.log(
            sum(mpf(p) * mp.exp(mpf(t) * mpf(x)) for x, p in zip(VALUES, MASSES, strict=True))
        )
        # A handful of roundings of an exponent as large as the result itself.
        assert abs(TABLE.log_mgf(t) - exact) <= 16 * UNIT * (1 + abs(exact))


def test_the_far_tail_keeps_its_digits() -> None:
    tiny = 1e-200
    table = pf.Discrete([0.0, 1.0, 2.0], [1.0, tiny, tiny])
    assert float(table.survival(0.0)) == 2 * tiny
    assert float(table.survival(1.0)) == tiny
    assert float(table.scale(-1.0).cdf(-1.0)) == 2 * tiny


def test_equal_values_are_merged() -> None:
    table = pf.Discrete([1.0, 0.0, 1.0, 0.0, 1.0], [0.125, 0.25, 0.25, 0.25, 0.125])
    assert table == pf.Discrete([0.0, 1.0], [0.5, 0.5])
    assert table.values.size == 2


def test_minus_zero_is_zero() -> None:
    table = pf.Discrete([-0.0, 0.0, 1.0], [0.25, 0.25, 0.5])
    assert table.values.tolist() == [0.0, 1.0]
    assert math.copysign(1.0, table.values[0]) == 1.0
    plus, minus = pf.Discrete([0.0], [1.0]), pf.Discrete([-0.0], [1.0])
    assert plus == minus
    assert hash(plus) == hash(minus)
    assert hash(plus.scale(-1.0)) == hash(plus)
    assert float(table.mass(-0.0)) == 0.5


def test_atoms_of_probability_zero_are_dropped() -> None:
    padded = pf.Discrete([5.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 0.0])
    assert padded == pf.Discrete([0.0, 1.0], [0.5, 0.5])
    assert hash(padded) == hash(pf.Discrete([0.0, 1.0], [0.5, 0.5]))
    assert float(padded.mass(5.0)) == 0.0


def test_probabilities_within_a_billionth_are_made_to_sum_to_one() -> None:
    table = pf.Discrete([0.0, 1.0], [0.5, 0.5 - 5e-10])
    assert math.fsum(table.probabilities) == pytest.approx(
        1.0, abs=4 * UNIT
    )  # one rounding per mass


@pytest.mark.parametrize("factor", [2.0, -1.0, -0.25])
@pytest.mark.parametrize("offset", [0.0, -3.5])
def test_shift_and_scale_are_exact(factor: float, offset: float) -> None:
    moved = TABLE.scale(factor).shift(offset)
    expected = pf.Discrete([factor * x + offset for x in VALUES], MASSES)
    assert moved == expected
    assert moved.mean == factor * TABLE.mean + offset
    assert moved.variance == factor**2 * TABLE.variance
    for x in POINTS[1:-1]:
        y = factor * x + offset
        below = moved.cdf(y) if factor > 0 else moved.survival(y) + moved.mass(y)
        assert float(below) == float(TABLE.cdf(x))


def test_a_point_mass() -> None:
    point = pf.Discrete([7.0], [1.0])
    assert (point.mean, point.variance, point.log_mgf(2.0)) == (7.0, 0.0, 14.0)
    assert float(point.quantile(0.5)) == 7.0


def duplicates() -> list[Callable[[pf.Discrete], pf.Discrete]]:
    return [
        lambda table: table,
        lambda table: pickle.loads(pickle.dumps(table)),
        copy.copy,
        copy.deepcopy,
        lambda table: table.shift(1.0),
    ]


@pytest.mark.parametrize(
    "duplicate", duplicates(), ids=["itself", "pickled", "copied", "deep-copied", "shifted"]
)
def test_arrays_are_read_only(duplicate: Callable[[pf.Discrete], pf.Discrete]) -> None:
    table = duplicate(TABLE)
    for array in (table.values, table.probabilities, table.values, table.probabilities):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.5
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.values = [1.0]


def test_the_callers_arrays_stay_his() -> None:
    values, masses = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    table = pf.Discrete(values, masses)
    values[0], masses[0] = 99.0, 0.0
    assert table == pf.Discrete([0.0, 1.0], [0.5, 0.5])
    assert values.flags.writeable


def test_equality_hash_and_pickling() -> None:
    shuffled = pf.Discrete(VALUES[::-1], MASSES[::-1])
    assert shuffled == TABLE
    assert hash(shuffled) == hash(TABLE)
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE
    assert hash(pickle.loads(pickle.dumps(TABLE))) == hash(TABLE)
    assert TABLE.shift(1.0) != TABLE
    assert pf.Discrete([0.0, 1.0], [0.5, 0.5]) != pf.Discrete([0.0, 1.0], [0.25, 0.75])
    assert TABLE != "table"
    assert pf.Discrete([0.0], [1.0]) != pf.Gaussian(0.0, 1.0)


def test_repr_is_short_for_a_long_table() -> None:
    assert repr(pf.Discrete([1.0, 0.0], [0.25, 0.75])) == (
        "Discrete(values=[0.0, 1.0], probabilities=[0.75, 0.25])"
    )
    long = repr(pf.Discrete(range(1000), [1e-3] * 1000))
    assert "1000 values" in long
    assert len(long) < 80


COUNT = 100_000


@pytest.fixture(scope="module")
def large() -> pf.Discrete:
    rng = np.random.default_rng(20240)
    weights = rng.integers(1, 1000, COUNT)
    return pf.Discrete(rng.permutation(COUNT) / 16.0, weights / weights.sum())


@pytest.mark.parametrize(
    "operation",
    [
        lambda table: pf.Discrete(table.values[::-1].copy(), table.probabilities[::-1].copy()),
        lambda table: table.mean + table.variance,
        lambda table: table.mass(table.values),
        lambda table: table.cdf(table.values),
        lambda table: table.survival(table.values),
        lambda table: table.quantile(np.linspace(1e-9, 1 - 1e-9, COUNT)),
        lambda table: table.log_mgf(0.001),
        lambda table: table.shift(1.0),
        lambda table: table.scale(-2.0),
        lambda table: table == table.shift(0.0),
        hash,
        repr,
        lambda table: pickle.loads(pickle.dumps(table)),
        lambda table: table.components(),
        lambda table: table.whole_weights,
    ],
)
def test_a_hundred_thousand_atoms_are_normal(
    large: pf.Discrete, operation: Callable[[pf.Discrete], object]
) -> None:
    tracemalloc.start()
    began = time.process_time()
    operation(large)
    elapsed = time.process_time() - began
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A table of atoms by atoms would take 80 GB; a few working arrays take 1 MB each.
    assert peak < 100e6
    # n log n takes milliseconds, even traced; n² takes minutes.
    assert elapsed < 20.0


def test_a_large_table_is_right(large: pf.Discrete) -> None:
    assert large.values.size == COUNT
    # Summing n terms in sequence loses at most n units in the last place, relatively.
    allowed = COUNT * UNIT
    assert large.mean == pytest.approx(
        math.fsum(
            float(x) * float(p) for x, p in zip(large.values, large.probabilities, strict=True)
        ),
        rel=allowed,
    )
    middle = COUNT // 3
    assert float(large.cdf(large.values[middle])) == pytest.approx(
        math.fsum(large.probabilities[: middle + 1]), rel=allowed
    )
    assert float(large.survival(large.values[middle])) == pytest.approx(
        math.fsum(large.probabilities[middle + 1 :]), rel=allowed
    )


@pytest.mark.parametrize(
    ("values", "probabilities", "message"),
    [
        ([], [], "values must not be empty"),
        ([0.0, 1.0], [1.0], r"one entry per atom, got 2 and 1"),
        ([0.0], [0.5, 0.5], r"got 1 and 2"),
        ([0.0, 1.0], [0.5, 0.25], r"sum to 0.75 \(off by -0.25\).*divide them by their sum"),
        ([0.0, 1.0], [0.5, 0.5 + 3e-9], r"off by \+3e-09"),
        ([0.0, 1.0], [2.0, -1.0], r"must not be negative; entry 1 is -1"),
        ([0.0, 1.0], [0.0, 0.0], r"sum to 0 \(off by -1\)"),
        ([math.nan, 1.0], [0.5, 0.5], r"values must be finite; entry 0 is nan"),
        ([0.0, -math.inf], [0.5, 0.5], r"values must be finite; entry 1 is -inf"),
        ([0.0, 1.0], [0.5, math.inf], r"probabilities must be finite; entry 1 is inf"),
        ([0.0, None], [0.5, 0.5], "values"),
        ([[0.0, 1.0]], [0.5, 0.5], r"values must be one-dimensional, got shape \(1, 2\)"),
        ([0.0, 1.0], np.full((2, 1), 0.5), r"probabilities must be one-dimensional"),
        (0.0, 1.0, "values must be one-dimensional"),
        ({0.0: 1.0}, [1.0], "values must be a list of real numbers"),
        ([2e100], [1.0], r"at most 1e\+100"),
        ([10**400], [1.0], "values"),
    ],
    # The texts of the arguments would be too long.
    ids=range(17),
)
def test_refused_tables(values: object, probabilities: object, message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        pf.Discrete(values, probabilities)


@pytest.mark.parametrize("entry", LOOKALIKES, ids=lambda entry: type(entry).__name__)
def test_entries_that_only_look_like_numbers_are_refused(entry: object) -> None:
    for given in ([entry], np.array([entry])):
        with pytest.raises(pf.InvalidInputError, match="values"):
            pf.Discrete(given, [1.0])
        with pytest.raises(pf.InvalidInputError, match="probabilities"):
            pf.Discrete([1.0], given)


def test_masked_entries_are_refused() -> None:
    values = np.ma.array([1.0, 2.0], mask=[False, True])
    with pytest.raises(pf.InvalidInputError, match="values"):
        pf.Discrete(values, [0.5, 0.5])


def test_nan_is_no_point_and_levels_lie_inside() -> None:
    for method in (TABLE.mass, TABLE.cdf, TABLE.survival):
        with pytest.raises(pf.InvalidInputError, match="nan"):
            method(math.nan)
    for level in (0.0, 1.0, math.nan):
        with pytest.raises(pf.InvalidInputError, match="strictly between 0 and 1"):
            TABLE.quantile(level)
    with pytest.raises(pf.InvalidInputError, match="factor must not be 0"):
        TABLE.scale(0.0)
    with pytest.raises(pf.InvalidInputError, match="offset"):
        TABLE.shift(math.inf)


def test_a_table_from_counts() -> None:
    table = pf.Discrete.from_counts({20: 30, 10: 10, 30: 0})
    assert table == pf.Discrete([10.0, 20.0], [0.25, 0.75])
    for bad in ({}, {1: -1, 2: 3}, {1: 0}, [1, 2]):
        with pytest.raises(pf.InvalidInputError, match="counts"):
            pf.Discrete.from_counts(bad)


# Three counts whose quotients need rounding, one of 0, one given as a float.
COUNTED = {20: 3, 10: 1, 30: 0, 7.5: 3.0}


def test_counts_are_kept_beside_the_sorted_values() -> None:
    table = pf.Discrete.from_counts(COUNTED)
    assert table.values.tolist() == [7.5, 10.0, 20.0]
    assert table.counts is not None
    assert table.counts.dtype == np.int64
    assert table.counts.tolist() == [3, 1, 3]
    assert table.probabilities.tolist() == [3 / 7, 1 / 7, 3 / 7]
    assert TABLE.counts is None


def test_counts_of_equal_values_add_up() -> None:
    # The last two are the same number as doubles.
    table = pf.Discrete.from_counts({0: 1, 2**53: 2, 2**53 + 1: 4})
    assert table.counts is not None
    assert table.counts.tolist() == [1, 6]
    again = pf.Discrete([5.0, 3.0, 5.0], counts=[1, 2, 4])
    assert again.counts is not None
    assert again.counts.tolist() == [2, 5]


@pytest.mark.parametrize("counts", [{1: 0.5, 2: 1.0}, {1: 2**53, 2: 1}, {1: 1e60, 2: 1e60}])
def test_weights_that_are_no_exact_counts_are_probabilities_only(counts: dict[int, float]) -> None:
    table = pf.Discrete.from_counts(counts)
    assert table.counts is None
    total = sum(counts.values())
    assert table.probabilities == pytest.approx([each / total for each in counts.values()])


def test_probabilities_are_the_quotients_to_the_last_bit() -> None:
    rng = np.random.default_rng(7)
    for most in (3, 1000, 10**9):
        counts = rng.integers(1, most, 500)
        values = rng.permutation(500).astype(float)
        table = pf.Discrete.from_counts(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        plain = pf.Discrete(values, counts / counts.sum())
        assert table == plain
        assert hash(table) == hash(plain)
        assert table.probabilities.tobytes() == plain.probabilities.tobytes()
        assert table.counts is not None
        assert plain.counts is None
        assert repr(table) == repr(plain)
        assert table.probabilities.tobytes() == table.shift(0.0).probabilities.tobytes()


@pytest.mark.parametrize(
    "duplicate",
    [
        *duplicates(),
        lambda table: table.scale(-2.0).scale(-0.5),
        lambda table: pf.Discrete(table.values, table.probabilities, counts=table.counts),
    ],
)
def test_counts_stay_with_the_law(duplicate: Callable[[pf.Discrete], pf.Discrete]) -> None:
    table = duplicate(pf.Discrete.from_counts(COUNTED))
    assert table.counts is not None
    assert table.counts.tolist() == [3, 1, 3]
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0] = 9
    assert duplicate(TABLE).counts is None


def test_counts_follow_their_values() -> None:
    mirrored = pf.Discrete.from_counts({1: 5, 2: 7}).scale(-1.0)
    assert mirrored.counts is not None
    assert dict(zip(mirrored.values, mirrored.counts, strict=True)) == {-2.0: 7, -1.0: 5}
    # Far away, the two values are one.
    far = pf.Discrete.from_counts({1: 5, 2: 7, 3e17: 4}).shift(1e17)
    assert far.counts is not None
    assert far.counts.tolist() == [12, 4]
    assert far.probabilities.tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    ("probabilities", "counts", "message"),
    [
        (None, None, "needs probabilities, or counts"),
        (None, [1, 2, 3], "values and counts must have one entry per atom, got 2 and 3"),
        (None, [1, -1], "counts must be whole numbers"),
        (None, [1, 1.5], "counts must be whole numbers"),
        (None, [0, 0], "counts must be whole numbers"),
        (None, [2**53, 1], "below 2⁵³"),
        (None, [True, True], "counts must be real numbers"),
        (None, ["1", "1"], "counts"),
        ([0.5, 0.5], [1, 2], "probabilities must be the counts divided by their sum"),
        ([0.5, 0.5], [1, 1, 0], "probabilities must be the counts divided"),
        ([1 / 3, 2 / 3 + 1e-11], [1, 2], "probabilities must be the counts divided"),
        # What never occurs has no probability, however small.
        ([1.0 - 1e-13, 1e-13], [1, 0], "probabilities must be the counts divided"),
    ],
    ids=range(12),
)
def test_refused_counts(probabilities: object, counts: object, message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        pf.Discrete([0.0, 1.0], probabilities, counts=counts)


def test_probabilities_are_computed_from_the_counts() -> None:
    table = pf.Discrete([0.0, 1.0], [math.nextafter(1 / 3, 0.0), 2 / 3], counts=[1, 2])
    assert table.probabilities.tolist() == [1 / 3, 2 / 3]


def test_whole_weights_are_the_counts() -> None:
    assert pf.Discrete.from_counts(COUNTED).whole_weights == ((3, 1, 3), 7)


@pytest.mark.parametrize("masses", [MASSES, [0.1, 0.2, 0.3, 0.4], [1e-200, 0.5, 0.25, 0.25]])
def test_whole_weights_without_counts_are_exactly_a_law(masses: list[float]) -> None:
    table = pf.Discrete(VALUES, masses)
    weights, total = table.whole_weights
    assert sum(weights) == total
    assert all(type(each) is int for each in (*weights, total))
    exact = [Fraction(each) for each in table.probabilities.tolist()]
    for weight, probability in zip(weights, exact, strict=True):
        assert Fraction(weight, total) == probability / sum(exact)
