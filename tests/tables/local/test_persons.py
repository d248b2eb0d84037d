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
from pufferfish.tables.batch import Coded
from pufferfish.tables.local import heaps
from pufferfish.tables.local.persons import PersonCounter, SomePersons, array_persons, arrow_persons
from pufferfish.tables.seen import MOST_PAIRS, PersonsFound


def alike(size: int) -> tuple[Any, Coded]:
    """Rows that differ in nothing but their persons."""
    return np.zeros(size), Coded(np.zeros(size, dtype=np.int64), ("a",))


def some(column: pa.Array) -> SomePersons:
    return arrow_persons("p", column, *alike(len(column)))


def most(parts: list[pa.Array], most_held: int | None, level: int = 0) -> int:
    counter = PersonCounter(None, most_held, level)
    for part in parts:
        counter.add(some(part))
    return counter.found().most


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
            found = np.bincount(heaps.hash_rows(pa.array(names, pa.large_string()), level))
            assert found.max() < 2.0 * len(names) / 256


def test_another_deal_parts_those_that_were_together() -> None:
    names = np.array([f"person {row}" for row in range(64_000)])
    first = heaps.hash_rows(pa.array(names.tolist(), pa.large_string()), 0)
    heap = pa.array(names[first == 7].tolist(), pa.large_string())
    assert np.bincount(heaps.hash_rows(heap, 1), minlength=256).max() < 20


def test_a_hash_is_that_of_the_name_wherever_it_stands() -> None:
    names = pa.array([f"person {row % 100}" for row in range(50_000)], pa.large_string())
    found = heaps.hash_rows(names, 0)
    assert np.array_equal(found[:100], found[-100:])
    assert np.array_equal(heaps.hash_rows(names.slice(12_345, 100), 0), np.roll(found[:100], -45))


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
        some(column)


def test_what_has_no_name_is_refused() -> None:
    with pytest.raises(pf.DataError, match="'p' is of type list"):
        some(pa.array([[1], [2]]))


def test_plain_arrays_are_counted() -> None:
    counter = PersonCounter()
    assert counter.found().most == 0
    counter.add(array_persons("p", np.array(["a", "b", "a"]), *alike(3)))
    assert counter.found().most == 2


def test_few_persons_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    real = heaps.Scratch
    monkeypatch.setattr(heaps, "Scratch", lambda place: opened.append(place) or real(place))
    few = PersonCounter(tmp_path, most_held=100)
    for _ in range(50):
        few.add(some(pa.array([f"person {row}" for row in range(40)])))
    assert few.found().most == 50
    assert not opened
    many = PersonCounter(tmp_path, most_held=100)
    for number in range(50):
        many.add(some(pa.array([f"{number} {row}" for row in range(40)])))
        assert sum(each.num_rows for each in many._held) <= 100
    assert many.found().most == 1
    assert set(opened) == {tmp_path}
    assert not list(tmp_path.iterdir())


# What is seen of each person: secrets and values.

ROWS = 3000


def rows_of_persons() -> tuple[Any, Any, Any]:
    """Names, secrets and values: of every person one secret, and some values."""
    generator = np.random.default_rng(7)
    numbers = generator.integers(0, 900, ROWS)
    values = np.where(generator.random(ROWS) < 0.2, np.nan, generator.normal(size=ROWS))
    return numbers, np.array(["a", "b", "c"])[numbers % 3], values


def found(
    names: Any, secrets: Any, values: Any, most_held: int | None, size: int, kind: str = "arrow"
) -> PersonsFound:
    """From pieces, each with labels of its own, in an order of its own."""
    counter = PersonCounter(None, most_held)
    for start in range(0, len(values), size):
        part = slice(start, start + size)
        labels, codes = np.unique(secrets[part], return_inverse=True)
        rows = values[part], Coded(codes.astype(np.int64), tuple(labels.tolist()))
        if kind == "arrow":
            counter.add(arrow_persons("p", pa.array(names[part]), *rows, start, pairs="present"))
        else:
            counter.add(array_persons("p", names[part], *rows, pairs="present"))
    return counter.found()


@pytest.mark.parametrize("most_held", [None, 50, 700])
@pytest.mark.parametrize("size", [ROWS, 97])
def test_what_is_seen_does_not_depend_on_the_pieces(most_held: int | None, size: int) -> None:
    whole = found(*rows_of_persons(), None, ROWS, "array")
    parts = found(*rows_of_persons(), most_held, size)
    assert parts.most == whole.most == np.bincount(rows_of_persons()[0]).max()
    assert parts.unequal
    assert parts.partly_missing
    assert not parts.two_secrets
    # The same two rows of each person, whatever the pieces.
    pairs = [np.sort(np.stack([each.pairs.first, each.pairs.second])) for each in (whole, parts)]
    assert np.array_equal(np.sort(pairs[0].ravel()), np.sort(pairs[1].ravel()))
    names, _, values = rows_of_persons()
    present = np.bincount(names[~np.isnan(values)])
    assert whole.pairs.keys.size == np.count_nonzero(present >= 2)


@pytest.mark.parametrize("most_held", [None, 50])
@pytest.mark.parametrize("kind", ["arrow", "array"])
def test_one_odd_row_is_found(most_held: int | None, kind: str) -> None:
    names = np.tile(np.arange(500), 3)
    secrets = np.array(["a", "b"])[names % 2]
    values = names * 1.0
    size = values.size if kind == "array" else 130
    calm = found(names, secrets, values, most_held, size, kind)
    assert (calm.most, calm.two_secrets, calm.unequal, calm.partly_missing) == (3, *[False] * 3)
    other = secrets.copy()
    other[777] = "b" if secrets[777] == "a" else "a"
    assert found(names, other, values, most_held, size, kind).two_secrets
    other = secrets.astype("U2")
    other[1203] = "zz"
    assert found(names, other, values, most_held, size, kind).two_secrets
    moved = values.copy()
    moved[1100] = np.nextafter(moved[1100], np.inf)
    assert found(names, secrets, moved, most_held, size, kind).unequal
    holes = values.copy()
    holes[3] = np.nan
    seen = found(names, secrets, holes, most_held, size, kind)
    assert seen.partly_missing
    assert not seen.unequal
    # Nobody has a value in one row only.
    holes[503] = holes[1003] = np.nan
    assert not found(names, secrets, holes, most_held, size, kind).partly_missing


def test_pairs_are_of_one_person_each_and_not_too_many() -> None:
    persons = MOST_PAIRS + 5000
    names = np.repeat(np.arange(persons), 3)
    values = names + np.tile([0.1, 0.2, 0.3], persons)
    seen = found(names, np.full(names.size, "a"), values, None, names.size, "array").pairs
    assert seen.keys.size == MOST_PAIRS
    assert np.array_equal(np.floor(seen.first), np.floor(seen.second))
    # Two of three rows at random: each of the three is left out in a third of cases.
    left = np.round(10 * (0.6 - (seen.first % 1) - (seen.second % 1)))
    shares = np.bincount(left.astype(np.int64), minlength=4)[1:] / MOST_PAIRS
    assert np.all(np.abs(shares - 1.0 / 3.0) < 0.02)
