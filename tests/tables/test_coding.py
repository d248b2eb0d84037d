"""Entries become labels by public rules, whatever the rest of the table holds."""

from __future__ import annotations

import pickle
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

from pufferfish.beliefs.labels import label_key
from pufferfish.beliefs.rules import band_names
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.tables.batch import Batch, Coded
from pufferfish.tables.coding import (
    MISSING,
    UNKNOWN,
    Coding,
    ordered,
    places_of,
)


def numbers(*values: float | None) -> Batch:
    array = np.array([np.nan if each is None else each for each in values], dtype=np.float64)
    return Batch({"x": array}, Coded.nothing(array.size))


def labels(*entries: Any) -> Batch:
    found = list(dict.fromkeys(each for each in entries if each is not None))
    codes = np.array([-1 if each is None else found.index(each) for each in entries])
    return Batch({}, Coded.nothing(codes.size), {"x": Coded(codes, tuple(found))})


def rows(coded: Coded) -> list[Any]:
    return [None if code < 0 else coded.labels[code] for code in coded.codes]


def test_bins_are_closed_below_and_reach_to_infinity() -> None:
    edges = (25.0, 45.0)
    rule = Coding(column="x", read="number", edges=edges, names=band_names(edges))
    found = rule.coded(numbers(-1e300, 24.999, 25, 44, 45, None, 1e300))
    assert rows(found) == ["<25", "<25", "[25,45)", "[25,45)", ">=45", None, ">=45"]
    assert rule.display == ("<25", "[25,45)", ">=45")


def test_names_of_bands() -> None:
    assert band_names((0.5, 2)) == ("<0.5", "[0.5,2)", ">=2")
    assert band_names((-1e300,)) == ("<-1e+300", ">=-1e+300")
    with pytest.raises(InvalidInputError, match="at least one"):
        band_names(())


def test_bins_may_share_a_name() -> None:
    rule = Coding(column="x", read="number", edges=(0, 1), names=(0.0, 5.0, 0))
    found = rule.coded(numbers(-1, 0.5, 2))
    assert rows(found) == [0.0, 5.0, 0.0]
    assert len(found.labels) == 2


@pytest.mark.parametrize(
    "values",
    [
        (3.0, 1.0, None, 3.0, -2.0),
        (0.25, 1e9, None, 0.25, -0.0, 0.0),
        (1e300, 1.0, 1.0),
        (2.0**60, 2.0**60 + 256.0),
        (None, None),
        (),
    ],
)
def test_numbers_are_labels_of_their_own(values: tuple[float | None, ...]) -> None:
    found = Coding(column="x", read="number").coded(numbers(*values))
    assert rows(found) == list(values)
    assert len(set(found.labels)) == len(found.labels)


def test_dates_by_a_unit() -> None:
    given = labels(date(2024, 7, 1), datetime(1999, 12, 31, 23), "2024-02-29", None, " 0987-01-01 ")
    by = {
        unit: rows(Coding(column="x", read="label", unit=unit).coded(given))
        for unit in ("year", "quarter", "month")
    }
    assert by["year"] == [2024, 1999, 2024, None, 987]
    assert by["quarter"] == ["2024-Q3", "1999-Q4", "2024-Q1", None, "0987-Q1"]
    assert by["month"] == ["2024-07", "1999-12", "2024-02", None, "0987-01"]
    timed = labels("2024-07-01T12:30:00Z", "2024-07-01 12:30")
    assert Coding(column="x", read="label", unit="year").coded(timed).labels == (2024,)


@pytest.mark.parametrize("bad", ["01.07.2024", "2024-02-30", "2024-07-01 noon", "2024", 2024, True])
def test_what_is_no_date_is_refused_by_its_row(bad: Any) -> None:
    rule = Coding(column="x", read="label", unit="year")
    given = labels("2024-07-01", bad)
    with pytest.raises(DataError, match="column 'x', row 12: the entry is not a date") as error:
        rule.coded(given, 10)
    assert str(bad) not in str(error.value).replace("'x', row 12", "")
    with pytest.raises(DataError, match="a row"):
        rule.coded(given)
    unused = Batch({}, Coded.nothing(1), {"x": Coded(np.array([0]), ("2024-07-01", bad))})
    assert rule.coded(unused).codes.tolist() == [0]


def test_dates_need_a_unit() -> None:
    with pytest.raises(DataError, match=r"row 2: the entry is a date.*unit="):
        Coding(column="x", read="label").coded(labels("a", date(2024, 1, 1)), 0)


def test_infinite_numbers_are_refused_by_their_row() -> None:
    for rule in (
        Coding(column="x", read="number"),
        Coding(column="x", read="number", edges=(0.0,), names=("a", "b")),
    ):
        with pytest.raises(DataError, match="column 'x', row 5: the entry is infinite"):
            rule.coded(numbers(1, np.inf), 3)


def test_labels_that_become_others() -> None:
    rule = Coding(column="x", read="label", merged={"b": "a", None: "none", "c": None, "d": "b"})
    assert rows(rule.coded(labels("a", "b", "c", None, "d"))) == ["a", "a", None, "none", "b"]
    number = Coding(column="x", read="number", merged={3: 2, 9: "many", None: -1})
    found = rows(number.coded(numbers(1, 2, 3, 9, None)))
    assert found == [1, 2, 2, "many", -1]
    assert [type(each) for each in found] == [float, float, float, str, float]
    bins = Coding(
        column="x",
        read="number",
        edges=(0, 1),
        names=("a", "b", "c"),
        merged={"a": "rest", "c": "rest"},
    )
    assert rows(bins.coded(numbers(-1, 0, 5))) == ["rest", "b", "rest"]
    assert bins.display == ("rest", "b")


def test_one_and_true_are_two_labels() -> None:
    given = Batch({}, Coded.nothing(2), {"x": Coded(np.array([0, 1]), (1, True))})
    assert rows(Coding(column="x", read="label", merged={True: "yes"}).coded(given)) == [1, "yes"]
    assert label_key(1) == label_key(1.0) != label_key(True)


def test_order() -> None:
    every = ["b", None, True, 2.5, "a", 1, False]
    assert ordered(every) == [1, 2.5, False, True, "a", "b", None]
    assert ordered(every, ["b", 2.5, "never"]) == ["b", 2.5, 1, False, True, "a", None]
    assert Coding(column="x", read="label", order=("b", "a")).display == ("b", "a")


def test_places_in_a_list() -> None:
    coded = Coded(np.array([0, 1, -1, 2]), (1.0, True, "a"))
    assert places_of(coded, ("a", 1)).tolist() == [1, UNKNOWN, MISSING, 0]
    assert places_of(coded, (None, True)).tolist() == [UNKNOWN, 1, 0, UNKNOWN]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"column": 3, "read": "label"}, "column must be a name"),
        ({"read": "text"}, 'read must be "number" or "label"'),
        ({"read": "number", "unit": "year"}, "unit= is for dates"),
        ({"read": "label", "unit": "week"}, "unit must be"),
        ({"read": "label", "edges": (1.0,), "names": ("a", "b")}, "edges= are for numbers"),
        ({"read": "number", "names": ("a",)}, "need edges="),
        ({"read": "number", "edges": (2.0, 1.0), "names": ("a", "b", "c")}, "each larger"),
        ({"read": "number", "edges": (), "names": ("a",)}, "each larger"),
        ({"read": "number", "edges": (np.inf,), "names": ("a", "b")}, "finite"),
        ({"read": "number", "edges": (1.0,), "names": ("a",)}, "1 edges make 2 bins"),
        ({"read": "number", "edges": (1.0,)}, "got 0"),
        ({"read": "number", "edges": (1.0,), "names": ("a", None)}, "a bin needs a name"),
        ({"read": "label", "merged": {"a": date(2024, 1, 1)}}, "a label must be .* got date"),
        ({"read": "label", "order": (float("nan"),)}, "a label must be"),
    ],
)
def test_rules_without_a_meaning(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        Coding(**({"column": "x"} | given))


def test_rules_travel() -> None:
    edges = (1.0, 2.0)
    rule = Coding(
        column="x", read="number", edges=edges, names=band_names(edges), merged={"<1": None}
    )
    assert pickle.loads(pickle.dumps(rule)) == rule
