"""How many rows one person has: exact, whether persons fit into memory or not."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import pufferfish as pf
from pufferfish.tables import persons
from pufferfish.tables.persons import PersonCounter, array_persons, arrow_persons


def most(parts: list[pa.Array], most_held: int | None, level: int = 0) -> int:
    counter = PersonCounter(None, most_held, level)
    for part in parts:
        counter.add(arrow_persons("p", part))
    return counter.most()


@pytest.mark.parametrize("most_held", [None, 10, 1000, 100_000])
@pytest.mark.parametrize("repeats", [0, 1, 2, 5])
def test_repeats_are_found_wherever_they_are(most_held: int | None, repeats: int) -> None:
    """Somebody in the first row has so many more rows in later batches, among many others."""
    batches = [[f"person {100 * number + row}" for row in range(100)] for number in range(10)]
    for number in range(repeats):
        batches[9 - number].append("person 0")
    parts = [pa.array(batch, pa.string()) for batch in [*batches[:5], [], *batches[5:], []]]
    assert most(parts, most_held) == 1 + repeats


@pytest.mark.parametrize("most_held", [None, 20, 500])
def test_counts_are_exact(most_held: int | None) -> None:
    generator = np.random.default_rng(3)
    names = [f"{each:x}" * (1 + each % 5) for each in generator.geometric(0.01, 3000).tolist()]
    parts = [pa.array(names[start : start + 250]) for start in range(0, 3000, 250)]
    assert most(parts, most_held) == max(Counter(names).values())


def test_heaps_are_alike_in_size() -> None:
    """Names that differ in a few letters at either end, in the middle, or in length only."""
    kinds = [
        [f"person {row}" for row in range(64_000)],
        [f"{row}@example.com" for row in range(64_000)],
        [f"{row:012d}-0000" for row in range(64_000)],
        ["x" * row for row in range(1, 8001)],
    ]
    for names in kinds:
        for level in (0, 1):
            found = np.bincount(persons._hashed(pa.array(names, pa.large_string()), level))
            assert found.max() < 2.0 * len(names) / 256


def test_another_deal_parts_those_that_were_together() -> None:
    names = np.array([f"person {row}" for row in range(64_000)])
    first = persons._hashed(pa.array(names.tolist(), pa.large_string()), 0)
    heap = pa.array(names[first == 7].tolist(), pa.large_string())
    assert np.bincount(persons._hashed(heap, 1), minlength=256).max() < 20


def test_a_hash_is_that_of_the_name_wherever_it_stands() -> None:
    names = pa.array([f"person {row % 100}" for row in range(50_000)], pa.large_string())
    found = persons._hashed(names, 0)
    assert np.array_equal(found[:100], found[-100:])
    assert np.array_equal(persons._hashed(names.slice(12_345, 100), 0), np.roll(found[:100], -45))


@pytest.mark.parametrize("most_held", [None, 1])
@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, 1], pa.int8()),
        pa.array([1.5, 2.0, 1.5]),
        pa.array([True, False, True]),
        pa.array([date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 1)]),
        pa.array([Decimal("1.1"), Decimal("1.2"), Decimal("1.1")]),
        pa.array(["é", "e", "é"]).dictionary_encode(),
        pa.array(["a", "b", "a"], pa.string_view()),
        pa.array([b"a", b"b", b"a"]),
    ],
    ids=lambda column: str(column.type),
)
def test_persons_may_be_called_by_anything(column: pa.Array, most_held: int | None) -> None:
    assert most([column], most_held) == 2
    assert most([column, column], most_held) == 4
    assert most([column.slice(0, 2)], most_held) == 1


def test_numbers_and_their_text_are_one_person() -> None:
    assert most([pa.array([1, 2]), pa.array(["1", "3"]), pa.array([1.0, 4.0])], None) == 3


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", None]),
        pa.array(["a", ""]),
        pa.array([1, None]),
        pa.array([1.0, float("nan")]),
        pa.array(["a", None]).dictionary_encode(),
        pa.array(["a", ""]).dictionary_encode(),
        pa.nulls(2),
    ],
    ids=str,
)
def test_rows_of_nobody_are_refused(column: pa.Array) -> None:
    with pytest.raises(pf.DataError, match="'p': some rows do not say"):
        arrow_persons("p", column)


def test_what_has_no_name_is_refused() -> None:
    with pytest.raises(pf.DataError, match="'p' is of type list"):
        arrow_persons("p", pa.array([[1], [2]]))


def test_plain_arrays_are_counted() -> None:
    counter = PersonCounter()
    assert counter.most() == 0
    counter.add(array_persons("p", np.array(["a", "b", "a"])))
    assert counter.most() == 2


def test_few_persons_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    real = persons.Scratch
    monkeypatch.setattr(persons, "Scratch", lambda place: opened.append(place) or real(place))
    few = PersonCounter(tmp_path, most_held=100)
    for _ in range(50):
        few.add(arrow_persons("p", pa.array([f"person {row}" for row in range(40)])))
    assert few.most() == 50
    assert not opened
    many = PersonCounter(tmp_path, most_held=100)
    for number in range(50):
        many.add(arrow_persons("p", pa.array([f"{number} {row}" for row in range(40)])))
        assert sum(each.num_rows for each in many._held) <= 100
    assert many.most() == 1
    assert set(opened) == {tmp_path}
    assert not list(tmp_path.iterdir())
