"""The pictures of a table."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import pufferfish as pf
from pufferfish.insight.associations import Association
from pufferfish.insight.before_after import rows_of
from pufferfish.report.table_columns import CategoryShare, ColumnLook
from pufferfish.report.table_facts import Compared
from pufferfish.report.table_pictures import (
    associations_picture,
    column_pictures,
    map_pictures,
    shares_figure,
)
from tests.report.tables import planned


def share(label: str, after: float, before: float | None = None) -> CategoryShare:
    return CategoryShare(label=label, before=before, after=after)


def look(*shares: CategoryShare) -> ColumnLook:
    return ColumnLook(column="job", bars=None, shares=shares)


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def test_bars_have_names_and_shares() -> None:
    svg = shares_figure("a", [share("<i>", 0.75, 0.5), share("b", 0.25, 0.5)], ["<i>", "b"])
    ElementTree.fromstring(svg)
    assert {"&lt;i&gt;", "b", "75%", "25%"} <= set(texts(svg))
    # A bar for each, and a frame for what was there before.
    assert svg.count("<rect") == 1 + 4
    assert shares_figure("a", [share("a", 1.0)], ["a"]).count("<rect") == 1 + 1


def test_rare_labels_are_added_up() -> None:
    many = [share(f"label {place}", 1.0 / 40, 1.0 / 40) for place in range(40)]
    (picture,) = column_pictures([look(*many)], internal=True)
    shown = texts(picture.svg)
    assert "17 others" in shown
    assert "label 39" not in shown
    assert "The 17 rarest are summed." in picture.description


def test_long_labels_are_cut_and_listed_in_full() -> None:
    (picture,) = column_pictures([look(share("a" * 50, 0.5), share("b", 0.5))], internal=True)
    assert picture.listed == ("a" * 50, "b")
    assert "a" * 50 not in picture.svg
    # Two that become the same are numbered.
    pair = share("a" * 50 + "1", 0.5), share("a" * 50 + "2", 0.5)
    (picture,) = column_pictures([look(*pair)], internal=True)
    cut = [each for each in texts(picture.svg) if "aa" in each]
    assert len(set(cut)) == 2


@pytest.mark.parametrize(("internal", "called"), [(True, "private"), (False, "believed")])
def test_what_was_there_before_is_named(internal: bool, called: str) -> None:
    (picture,) = column_pictures([look(share("a", 0.4, 0.5))], internal=internal)
    assert called in picture.keys[1].label
    (picture,) = column_pictures([look(share("a", 0.4))], internal=internal)
    assert len(picture.keys) == 1


def test_associations_are_drawn_where_they_are_known() -> None:
    def one(strength: float) -> Association:
        return Association(
            first="a", second="b", measure="correlation", strength=strength, information=0.1
        )

    known = Compared(before=one(-0.5), after=one(-0.25), published=None)
    assert known.lost == 0.25
    unknown = Compared(before=one(0.5), after=None, published=None)
    assert associations_picture([unknown], internal=True) is None
    picture = associations_picture([known, unknown], internal=True)
    assert picture is not None
    assert picture.listed == ("a and b",)
    assert "0.25" in texts(picture.svg)


def test_small_maps_are_drawn_once() -> None:
    plan = planned()
    drawn = list(map_pictures(rows_of(plan.calibration, plan.keep)))
    assert [each.title.split(": ")[1] for each in drawn] == ["sex = f", "sex = m"]
    assert all("clerk · 0" in each.listed for each in drawn)
    alike = planned(one_law=True)
    (only,) = map_pictures(rows_of(alike.calibration, alike.keep))
    assert only.title == "Which row becomes which"


def test_large_maps_are_not() -> None:
    plan = planned()
    (first, *_) = rows_of(plan.calibration, plan.keep)
    names = [f"x{place}" for place in range(41)]
    law = pf.Recoding.from_matrix(names, [[1.0 / 41] * 41] * 41)
    large = type(first)(given={}, share=1.0, values=first.values, often=first.often, law=law)
    assert list(map_pictures([large])) == []
