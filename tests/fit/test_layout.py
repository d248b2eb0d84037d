"""From names of columns to public rules."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pytest

import pufferfish as pf
from pufferfish.fit.layout import count_table, layout_of, middles
from pufferfish.tables.verbs import to_read

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 70],
        "job": ["a", "b", None, "a"],
        "size": pd.Categorical(["S", "L", "M", None], categories=["S", "M", "L"], ordered=True),
        "born": [dt.date(2000, 2, 1), dt.date(2000, 11, 1), dt.date(2001, 5, 5), None],
        "code": [7, 8, 7, 8],
        "s": ["x", "y", "x", "y"],
    }
)


def layout(*columns: str, known: tuple[str, ...] = (), **rules: object) -> object:
    return layout_of(to_read(FRAME), columns, ["s"], known, **rules)  # type: ignore[arg-type]


def counted(
    *columns: str, known: tuple[str, ...] = (), **rules: object
) -> dict[str, tuple[object, ...]]:
    found = layout_of(to_read(FRAME), columns, ["s"], known, **rules)  # type: ignore[arg-type]
    table = count_table(to_read(FRAME), found)
    return dict(zip(table.columns, table.labels, strict=True))


def test_middles_stand_for_bins() -> None:
    assert middles([10, 20, 40]) == (5, 15, 30, 50)
    assert middles([0.5]) == (0, 1)
    assert middles([1]) == (0.5, 1.5)
    assert all(isinstance(each, int) for each in middles([10, 20]))


def test_a_published_number_gets_the_middle_and_a_known_one_a_text() -> None:
    published = counted("age", "job", edges={"age": [25, 45]})
    assert published["age"] == (15, 35, 55)
    known = counted("job", known=("age",), edges={"age": [25, 45]})
    assert known["age"] == ("<25", "[25,45)", ">=45")


def test_dates_by_a_public_unit() -> None:
    assert counted("born", "job", dates={"born": "year"})["born"] == (2000, 2001, None)
    assert counted("born", "job", dates={"born": "quarter"})["born"] == (
        "2000-Q1",
        "2000-Q4",
        "2001-Q2",
        None,
    )
    with pytest.raises(pf.InvalidInputError, match="holds dates"):
        layout("born", "job")


def test_orders_are_those_of_the_column_or_chosen() -> None:
    assert counted("size")["size"] == ("S", "M", "L", None)
    assert counted("size", orders={"size": ["L", "M", "S"]})["size"] == ("L", "M", "S", None)


def test_merged_labels() -> None:
    assert counted("job", merged={"job": {None: "none", "b": "a"}})["job"] == ("a", "none")


def test_codes_are_names() -> None:
    found = layout_of(to_read(FRAME), ["code"], ["s"], codes=["code"])
    assert found.columns[0].read == "label"
    assert not found.numeric
    assert layout_of(to_read(FRAME), ["code"], ["s"]).numeric


@pytest.mark.parametrize(
    ("columns", "rules", "because"),
    [
        (("age",), {"known": ("code",)}, "give public bands"),
        (("age",), {"edges": {"job": [1]}}, "neither published, known nor secret"),
        (("job",), {"edges": {"job": [1]}}, "not a column of numbers"),
        (("age",), {"dates": {"age": "year"}}, "a unit of dates is given"),
        (("age",), {"codes": ["job"]}, "codes names 'job'"),
        (("age",), {"merged": {"other": {}}}, "neither published"),
        (("age", "age"), {}, "twice"),
        (("age", "s"), {}, "twice"),
        (("age",), {"known": ("age",), "edges": {"age": [1]}}, "twice"),
    ],
)
def test_rules_that_do_not_fit_are_refused(
    columns: tuple[str, ...], rules: dict[str, object], because: str
) -> None:
    with pytest.raises(pf.InvalidInputError, match=because):
        layout(*columns, **rules)  # type: ignore[arg-type]


def test_a_known_number_may_be_a_code() -> None:
    found = layout_of(to_read(FRAME), ["job"], ["s"], ["code"], codes=["code"])
    assert found.known[0].read == "label"
