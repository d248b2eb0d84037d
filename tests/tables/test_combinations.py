"""Counts of combinations: the same however rows are cut, ordered and shown, and bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.tables import Counting, Counts, Tally, tally
from pufferfish.tables.batch import Batch, Coded
from pufferfish.tables.coding import Coding
from tests import seams

X, A, B = (
    Coding(column="x", read="number"),
    Coding(column="a", read="label"),
    Coding(column="b", read="label"),
)
Row = tuple[float | None, Any, Any]


def coded(entries: Sequence[Any]) -> Coded:
    keys = [None if each is None else (type(each), each) for each in entries]
    found = list(dict.fromkeys(each for each in keys if each is not None))
    codes = [-1 if each is None else found.index(each) for each in keys]
    return Coded(np.array(codes, dtype=np.int64), tuple(label for _, label in found))


def batch(rows: Sequence[Row]) -> Batch:
    x = np.array([np.nan if each is None else each for each, _, _ in rows], dtype=np.float64)
    parts = {"a": coded([row[1] for row in rows]), "b": coded([row[2] for row in rows])}
    return Batch({"x": x}, Coded.nothing(x.size), parts)


def tally_of(codings: Sequence[Coding], **more: Any) -> Tally:
    return Tally(Counting(codings=tuple(codings), **more))


def counted(*parts: Sequence[Row], codings: Sequence[Coding] = (X, A, B)) -> Counts:
    found = tally_of(codings)
    for part in parts:
        found.add(batch(part))
    return found.result()


def as_counter(table: Counts) -> Counter[tuple[Any, ...]]:
    return Counter(dict(zip(table.cells, table.counts.tolist(), strict=True)))


ROWS: list[Row] = [
    (2, "u", True),
    (1, "u", False),
    (None, None, None),
    (2, "u", True),
    (10, "a", None),
    (1, "ö", False),
]


def test_what_is_counted() -> None:
    table = counted(ROWS)
    assert table.columns == ("x", "a", "b")
    assert table.shown == ((1, 2, 10, None), ("a", "u", "ö", None), (False, True, None))
    assert all(type(each) is int for each in table.shown[0][:3])
    assert as_counter(table) == Counter(ROWS)
    assert table.codes.tolist() == sorted(table.codes.tolist())
    assert table.rows == len(ROWS)
    assert repr(table) == "Counts('x', 'a', 'b')"
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0] = 7


def test_numbers_are_whole_if_all_are() -> None:
    """Also where the batches would decide differently."""
    table = counted(ROWS, [(2.5, "u", True)])
    assert table.shown[0] == (1.0, 2.0, 2.5, 10.0, None)
    assert all(type(each) is float for each in table.shown[0][:4])
    assert counted(ROWS, ROWS).shown[0] == (1, 2, 10, None)


rows_of = st.lists(
    st.tuples(
        st.sampled_from([None, 0.0, -0.0, 1.0, 2.5, 1e9]),
        st.sampled_from([None, "a", "b", 1, True]),
        st.sampled_from([None, False, True]),
    ),
    min_size=1,
    max_size=40,
)


@settings(deadline=None)
@given(rows_of, st.integers(0, 40), st.randoms(use_true_random=False))
def test_neither_order_nor_batches_matter(rows: list[Row], cut: int, random: Any) -> None:
    one = counted(rows)
    mixed = rows.copy()
    random.shuffle(mixed)
    other = counted(mixed[:cut], mixed[cut:])
    assert one.fingerprint == other.fingerprint
    assert one.shown == other.shown
    assert [list(map(type, each)) for each in one.shown] == [
        list(map(type, each)) for each in other.shown
    ]
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.counts, other.counts)
    assert one.rows == len(rows)
    for names in ("x", "ba"):
        places = [one.columns.index(name) for name in names]
        # 1 and True are equal, and two labels; 0.0 and -0.0 are one.
        by_hand = Counter(str([row[place] for place in places]).replace("-0", "0") for row in rows)
        assert Counter(by_hand.values()) == Counter(one.marginal(tuple(names)).counts.tolist())


@pytest.mark.parametrize(
    "other",
    [
        [*ROWS, ROWS[0]],
        [(2, "u", True), *ROWS[1:3], (2, "u", 1), *ROWS[4:]],
        [(2.5, "u", True), *ROWS[1:]],
        [(2, "v", True), *ROWS[1:]],
    ],
)
def test_other_tables_have_other_fingerprints(other: list[Row]) -> None:
    assert counted(other).fingerprint != counted(ROWS).fingerprint


def test_the_fingerprint_does_not_know_what_is_shown() -> None:
    shown = Coding(column="a", read="label", order=("u", "ö"))
    table = counted(ROWS, codings=(X, shown, B))
    assert table.shown[1] == ("u", "ö", "a", None)
    assert table.fingerprint == counted(ROWS).fingerprint
    found = tally_of((X, A, B))
    found.add(batch(ROWS))
    assert found.result({"a": ("ö", "never")}).shown[1] == ("ö", "a", "u", None)


def test_marginals_and_slices() -> None:
    table = counted(ROWS)
    assert as_counter(table.marginal(["b", "x"])) == Counter((b, x) for x, _, b in ROWS)
    slice_ = table.rows_with({"a": "u"})
    assert slice_.columns == ("x", "b")
    assert slice_.shown == ((1, 2, 10, None), (False, True, None))  # one code book for all parts
    assert as_counter(slice_) == Counter((x, b) for x, a, b in ROWS if a == "u")
    assert as_counter(table.rows_with({"x": None, "a": None})) == {(None,): 1}
    assert table.rows_with({"x": 2.0}).rows == 2
    with pytest.raises(InvalidInputError, match="no row has these labels in 'b'"):
        table.rows_with({"b": 1})
    with pytest.raises(InvalidInputError, match="no column is left"):
        table.rows_with(dict(zip("xab", ROWS[0], strict=True)))
    with pytest.raises(InvalidInputError, match="no column 'c'"):
        table.marginal(["c"])


def test_labels_that_are_pooled() -> None:
    table = counted(ROWS).merged("a", {"ö": "a", None: "rest"})
    assert table.shown[1] == ("a", "u", "rest")
    rule = Coding(column="a", read="label", merged={"ö": "a", None: "rest"})
    assert table.fingerprint == counted(ROWS, codings=(X, rule, B)).fingerprint
    first = counted(ROWS).merged("a", {"a": "z", "ö": "z"})
    assert first.shown[1] == ("z", "u", None)


def test_too_many_combinations() -> None:
    values = np.arange(100.0)
    many = Batch({"x": values}, Coded.nothing(100), {"a": coded(list("ab" * 50))})
    for codings in ((X, A), (A, X)):
        found = tally_of(codings, most_cells=99)
        with pytest.raises(DataError, match=r"have more than 99 .* public edges"):
            found.add(many)
    found = tally_of((X, A), most_cells=100)
    found.add(many)
    assert found.result().counts.size == 100


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is added up; a limit is not noticed at the end alone."""
    seams.put(monkeypatch, seams.CELLS_PENDING, 100)
    found = tally_of((X, A), most_cells=150)
    generator = np.random.default_rng(0)

    def add_many() -> None:
        for _ in range(1000):
            x = generator.integers(0, 100, 50).astype(float)
            entries = generator.choice(["a", "b", "c"], 50).tolist()
            found.add(Batch({"x": x}, Coded.nothing(50), {"a": coded(entries)}))

    with pytest.raises(DataError, match="'x', 'a' have more than 150"):
        add_many()
    assert found.rows < 50_000


def test_more_combinations_than_can_be_numbered() -> None:
    """Ten columns of a thousand labels are more than whole numbers of 64 bits can tell apart."""
    generator = np.random.default_rng(0)
    codings = [Coding(column=str(number), read="number") for number in range(10)]
    columns = generator.integers(0, 1000, (10, 5000)).astype(float)
    columns = np.concatenate([columns, columns[:, :7]], axis=1)
    found = tally_of(codings)
    numbers = {str(number): each for number, each in enumerate(columns)}
    found.add(Batch(numbers, Coded.nothing(5007)))
    table = found.result()
    assert as_counter(table) == Counter(map(tuple, columns.T.tolist()))
    assert table.codes.tolist() == sorted(table.codes.tolist())


def test_counts_of_rows() -> None:
    some = batch(ROWS)._replace(counts=np.array([3, 0, 1, 2, 0, 5]))
    found = tally_of((X, A, B))
    found.add(some)
    assert as_counter(found.result()) == {ROWS[0]: 5, ROWS[2]: 1, ROWS[5]: 5}


def test_what_was_counted_elsewhere() -> None:
    found = tally_of((X, A, B))
    for part in (ROWS[:2], ROWS[2:]):
        there = tally_of((X, A, B))
        there.add(batch(part))
        found.merge(there.cells())
    assert found.result().fingerprint == counted(ROWS).fingerprint


def test_codings_that_have_no_meaning() -> None:
    with pytest.raises(InvalidInputError, match="at least one column"):
        tally_of(())
    with pytest.raises(InvalidInputError, match="each column once"):
        tally_of((X, X))
    with pytest.raises(DataError, match="no rows to count in 'x', 'a'"):
        tally_of((X, A)).result()
    assert tally.MOST_CELLS == 1_000_000


def test_parts_are_those_of_each_combination() -> None:
    table = counted(ROWS)
    for names in (table.columns[:1], table.columns[1:], table.columns[:2]):
        parts = dict(table.parts(names))
        assert list(parts) == list(table.marginal(names).cells)
        for labels, part in parts.items():
            wanted = table.rows_with(dict(zip(names, labels, strict=True)))
            assert part.columns == wanted.columns
            assert part.shown == wanted.shown
            assert part.fingerprint == wanted.fingerprint
    with pytest.raises(InvalidInputError, match="no column is left"):
        next(table.parts(table.columns))


def test_frequent_and_rare_combinations_are_divided() -> None:
    table = counted(ROWS)
    names = table.columns[:1]
    most = int(table.marginal(names).counts.max())
    for least in (1, most, most + 1):
        frequent, rare, number = table.divided(names, least)
        assert frequent.rows + rare.rows == table.rows
        counts = table.marginal(names).counts
        assert frequent.rows == counts[counts >= least].sum()
        assert number == (counts < least).sum()
