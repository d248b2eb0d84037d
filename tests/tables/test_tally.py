"""Counting in batches: the order of rows is nothing, and binning moves no value by more than said.

Centres, widths and distances are compared as fractions: nothing here rounds.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.rules import Rule
from pufferfish.tables import Batch, Counting, Tally
from pufferfish.tables.batch import Coded
from tests import seams

LABELS = ("a", "b", "c")

# (where, step): values where + step·k, far from zero, tiny, negative, or of no common step.
PLACES = [
    (0.0, 1.0),
    (0.0, 0.1),
    (1e15, 0.125),
    (-1e15, 0.25),
    (2.0**50, 0.25),
    (-7.0, 2.0**-30),
    (0.0, 1e-300),
    (1e-12, 1e-25),
    (3.0, 1e95),
    (-1e99, 1e97),
]


@st.composite
def columns(draw: st.DrawFn, most: int = 60) -> list[float]:
    """Values of one kind, or of several at once."""
    places = draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2))
    steps = draw(st.lists(st.integers(-40, 40), min_size=1, max_size=most))
    kinds = itertools.cycle(places)
    return [where + step * k for (where, step), k in zip(kinds, steps, strict=False)]


Row = tuple[float, int]


def tallied(
    batches: list[list[Row]], most: int, counts: list[list[int]] | None = None
) -> pf.Counts:
    """What is counted of batches of (value, index of a label)."""
    found = Tally(Counting.of_column("x", "s", most_values=most))
    for number, batch in enumerate(batches):
        found.add(
            Batch(
                {"x": np.array([value for value, _ in batch], dtype=np.float64)},
                Coded(np.array([code for _, code in batch], dtype=np.int64), LABELS),
                counts=None if counts is None else np.array(counts[number], dtype=np.int64),
            )
        )
    return found.result()


def content(summary: pf.Counts) -> tuple[object, ...]:
    return (
        summary.bin_width,
        [
            (secret, group.values.tolist(), group.counts.tolist(), group.missing)
            for secret, group in summary.groups.items()
        ],
    )


def cut(rows: list[Row], places: list[int]) -> list[list[Row]]:
    edges = [0, *sorted(place % (len(rows) + 1) for place in places), len(rows)]
    return [rows[a:b] for a, b in itertools.pairwise(edges)]


def coded(values: list[float]) -> list[Row]:
    return [(value, (index * 7) % 3) for index, value in enumerate(values)]


@given(columns(), st.integers(2, 25), st.randoms(use_true_random=False), st.data())
@settings(max_examples=200)
def test_order_and_batches_are_irrelevant(
    values: list[float], most: int, random: object, data: st.DataObject
) -> None:
    rows = coded(values)
    rows += [(math.nan, code) for code in data.draw(st.lists(st.integers(0, 2), max_size=4))]
    whole = content(tallied([rows], most))
    shuffled = rows.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    batches = cut(shuffled, data.draw(st.lists(st.integers(0, 70), max_size=6)))
    assert content(tallied(batches, most)) == whole
    # Merged again and again, and not only at the end.
    with pytest.MonkeyPatch.context() as patch:
        seams.put(patch, seams.CELLS_PENDING, 2)
        assert content(tallied(batches, most)) == whole
        assert content(tallied([[row] for row in shuffled], most)) == whole


@given(columns(30), st.integers(2, 25), st.data())
@settings(max_examples=60)
def test_counts_may_be_split(values: list[float], most: int, data: st.DataObject) -> None:
    """A row that counts for n is n rows, in one batch or in several."""
    rows = coded(values)
    rows.append((math.nan, 1))
    times = data.draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    repeated = [row for row, count in zip(rows, times, strict=True) for _ in range(count)]
    whole = content(tallied([repeated], most))
    assert content(tallied([rows], most, [times])) == whole
    parts = [data.draw(st.integers(0, count)) for count in times]
    rest = [count - part for count, part in zip(times, parts, strict=True)]
    some = [row for row, part in zip(rows, parts, strict=True) if part]
    others = [row for row, part in zip(rows, rest, strict=True) if part]
    split = [[part for part in parts if part], [part for part in rest if part]]
    assert content(tallied([some, others], most, split)) == whole


@given(columns(), st.integers(2, 25))
@settings(max_examples=300)
def test_bins_are_as_fine_as_allowed_and_move_nothing_further_than_half(
    values: list[float], most: int
) -> None:
    rows = coded(values)
    summary = tallied([rows], most)
    distinct = set(values)
    if len(distinct) <= most:
        assert summary.bin_width == summary.radius == 0.0
    else:
        assert math.frexp(summary.bin_width)[0] == 0.5  # a power of two
        assert summary.radius == summary.bin_width / 2
    width = Fraction(summary.bin_width)
    centres: set[float] = set()
    for secret, group in summary.groups.items():
        mine = sorted(value for value, code in rows if LABELS[code] == secret)
        assert group.records == len(mine)
        moved = [
            float(value)
            for value, count in zip(group.values, group.counts, strict=True)
            for _ in range(count)
        ]
        # The smallest with the smallest, and so on: no coupling has a smaller largest distance.
        for before, after in zip(mine, moved, strict=True):
            assert abs(Fraction(before) - Fraction(after)) <= width / 2
        centres.update(group.values.tolist())
    assert len(centres) <= max(most, len(distinct) if not width else 0)
    if width:
        for centre in centres:
            assert (Fraction(centre) / width - Fraction(1, 2)).denominator == 1
        # Half as wide, there would be too many; unless the centres were no floats any more.
        halves = {math.floor(Fraction(value) / (width / 2)) for value in distinct}
        finest = width <= 4 * Fraction(math.ulp(max(map(abs, distinct))))
        assert len(halves) > most or finest


def test_exactly_the_limit_is_exact() -> None:
    rows = [(0.1 * k, k % 2) for k in range(500)] * 2
    summary = tallied([rows], 500)
    assert summary.bin_width == 0.0
    assert {
        (secret, value): count
        for secret, group in summary.groups.items()
        for value, count in zip(group.values.tolist(), group.counts.tolist(), strict=True)
    } == Counter((LABELS[code], value) for value, code in rows)
    assert tallied([rows], 499).bin_width > 0.0


def test_the_limit_counts_values_of_all_secrets_together() -> None:
    """One width for all, or the bins of two secrets would not match."""
    rows = [(float(k), k % 3) for k in range(30)]
    summary = tallied([rows], 29)
    assert summary.bin_width == 2.0
    assert summary.pooled.values.tolist() == [2.0 * k + 1.0 for k in range(15)]
    assert summary.pooled.counts.tolist() == [2] * 15


def test_narrow_far_from_zero() -> None:
    """1e15 and eight steps of an eighth: the bins are there, not around zero."""
    rows = [(1e15 + 0.125 * k, 0) for k in range(64)]
    summary = tallied([rows], 8)
    assert summary.bin_width == 1.0
    assert summary.groups["a"].values.tolist() == [1e15 + 0.5 + k for k in range(8)]


def test_a_large_value_after_fine_bins() -> None:
    """Its own bin would have no centre among the floats: all bins grow, as if it had come first."""
    small, large = [(k * 2.0**-70, 0) for k in range(8)], [(1e15, 0)]
    found = Tally(Counting.of_column("x", "s", most_values=5))
    for part in (small, large):
        values, codes = zip(*part, strict=True)
        found.add(Batch({"x": np.array(values)}, Coded(np.array(codes), LABELS)))
        late = found.result()  # which merges
    assert content(late) == content(tallied([large + small], 5))
    values = late.groups["a"].values
    assert Fraction(float(values[-1])) - Fraction(1e15) == Fraction(late.radius)


def test_whole_numbers_beyond_floats_stay_within_half_a_bin() -> None:
    """As floats, that is: a column of int64 is published as floats."""
    whole = [2**60 + 3 * 2**9 * k + 1 for k in range(1000)]
    summary = pf.summarise(
        {"x": np.array(whole), "s": ["a", "b"] * 500}, column="x", secret="s", most_values=100
    )
    half = Fraction(summary.radius)
    for label, start in (("a", 0), ("b", 1)):
        group = summary.groups[label]
        moved = np.repeat(group.values, group.counts).tolist()
        for before, after in zip(sorted(map(float, whole[start::2])), moved, strict=True):
            assert abs(Fraction(before) - Fraction(after)) <= half


def test_summaries_may_be_asked_for_in_between() -> None:
    rows = [(float(k), k % 2) for k in range(40)]
    found = Tally(Counting.of_column("x", "s", most_values=10))
    for start in (0, 20):
        part = rows[start : start + 20]
        values, codes = (np.array(each) for each in zip(*part, strict=True))
        found.add(Batch({"x": values}, Coded(codes, LABELS)))
        expected = content(tallied([rows[: start + 20]], 10))
        assert content(found.result()) == expected


def test_labels_may_be_numbered_differently_in_each_batch() -> None:
    found = Tally(Counting.of_column("x", "s"))
    found.add(Batch({"x": np.array([1.0, 2.0])}, Coded(np.array([0, 1]), ("a", "b"))))
    values = np.array([1.0, 2.0, math.nan])
    found.add(Batch({"x": values}, Coded(np.array([2, 0, 1]), ("b", "c", "a"))))
    assert content(found.result()) == (
        0.0,
        [("a", [1.0], [2], 0), ("b", [2.0], [2], 0), ("c", [], [], 1)],
    )


def test_a_million_rows_of_many_values() -> None:
    """Within the limit and beyond, with the real limits."""
    generator = np.random.default_rng(0)
    values = generator.normal(size=300_000)
    table = {"x": values, "s": np.where(values > 0.3, "high", "low")}
    summary = pf.summarise(table, column="x", secret="s")
    pooled = summary.pooled
    assert pooled.records == 300_000
    assert 50_000 < pooled.values.size <= 100_000
    exact = pf.summarise(table, column="x", secret="s", most_values=300_000)
    assert exact.bin_width == 0.0
    for secret, group in exact.groups.items():
        moved = np.repeat(summary.groups[secret].values, summary.groups[secret].counts)
        assert np.abs(moved - np.repeat(group.values, group.counts)).max() <= summary.radius


@pytest.mark.parametrize("most", [1, 0, -5, 2.5, "many", True])
def test_a_limit_that_bins_cannot_keep_is_refused(most: object) -> None:
    """Zero is always an edge, so that two bins are the least for values on both sides of it."""
    with pytest.raises(pf.InvalidInputError, match="most_values"):
        pf.summarise(
            {"x": [-1.0, 1.0, 3.0], "s": ["a", "a", "b"]},
            column="x",
            secret="s",
            most_values=most,
        )


KNOWN = Layout(
    columns=(Rule(column="x", read="number"),),
    secrets=(Rule(column="s", read="label"),),
    known=(Rule(column="k", read="label"),),
)


def table_tallied(batches: list[list[Row]], most: int, cells: int) -> pf.Counts:
    """What is counted of batches of values next to a secret and a known column."""
    found = Tally(Counting.of(KNOWN, most_values=most, most_cells=cells))
    for batch in batches:
        codes = np.array([code for _, code in batch], dtype=np.int64)
        labels = {"s": Coded(codes % 2, LABELS), "k": Coded(codes, LABELS)}
        values = np.array([value for value, _ in batch], dtype=np.float64)
        found.add(Batch({"x": values}, Coded.nothing(values.size), labels))
    return found.result()


@given(columns(), st.integers(2, 25), st.integers(12, 40), st.data())
@settings(max_examples=100)
def test_in_a_table_bins_are_few_and_so_are_combinations(
    values: list[float], most: int, cells: int, data: st.DataObject
) -> None:
    """The column of numbers may have any number of values, in any order and any batches."""
    rows = coded(values)
    whole = table_tallied([rows], most, cells)
    places = data.draw(st.lists(st.integers(0, 70), max_size=4))
    assert table_tallied(cut(rows[::-1], places), most, cells).fingerprint == whole.fingerprint
    assert whole.rows == len(rows)
    assert whole.counts.size <= cells
    assert whole.pooled.values.size <= most
    width = Fraction(whole.bin_width)
    every = {(value, code) for value, code in rows}
    if not width:
        assert len(set(values)) <= most
        return
    moved = np.repeat(whole.pooled.values, whole.pooled.counts).tolist()
    for before, after in zip(sorted(values), moved, strict=True):
        assert abs(Fraction(before) - Fraction(after)) <= width / 2
    # Half as wide, there would be too many of one or the other.
    bins = {(math.floor(Fraction(value) / (width / 2)), code) for value, code in every}
    finest = width <= 4 * Fraction(math.ulp(max(map(abs, values))))
    assert len({each for each, _ in bins}) > most or len(bins) > cells or finest


def test_a_table_with_a_known_column_and_any_number_of_values_is_released() -> None:
    """The beliefs take half a bin into account, and the release finds the same bins again."""
    generator = np.random.default_rng(1)
    size = 120_000
    secret = generator.integers(0, 2, size)
    values = generator.normal(50.0 + secret, 10.0)
    table = {
        "x": values,
        "s": np.array(["a", "b"])[secret],
        "k": np.array(["u", "v"])[generator.integers(0, 2, size)],
    }
    beliefs = pf.fit_beliefs(table, "x", "s", ["empirical"], known=["k"], cap=(0.0, 100.0))
    assert len(beliefs) == 3
    assert {each.radius for each in beliefs} == {beliefs[0].radius}
    assert 0.0 < beliefs[0].radius < 1e-3
    for each in beliefs:
        assert each.priors["a"].values.size > 10_000  # type: ignore[attr-defined]
