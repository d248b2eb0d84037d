"""What columns are for, and what secrets are called."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.beliefs.layout import NO_SECRET, Layout
from pufferfish.beliefs.rules import Rule


def rules(*names: str) -> tuple[Rule, ...]:
    return tuple(Rule(column=name, read="label") for name in names)


def test_one_secret_keeps_its_labels() -> None:
    (view,) = Layout(columns=rules("c"), secrets=rules("s")).views
    assert view.secret_of(["Black"], missing=False) == "Black"
    assert view.secret_of([3], missing=False) == 3
    assert view.secret_of([True], missing=False) is True
    assert view.secret_of([3.0], missing=False) == 3
    assert view.secret_of([0.5], missing=False) == "0.5"
    assert view.secret_of([None], missing=False) is None
    assert view.secret_of([None], missing=True) == NO_SECRET


def test_several_secrets_each_or_together() -> None:
    each = Layout(columns=rules("c"), secrets=rules("race", "sex"))
    assert [view.columns for view in each.views] == [("race",), ("sex",)]
    race, sex = each.views
    assert race.secret_of(["Black", None], missing=False) == "race = Black"
    assert sex.secret_of(["Black", None], missing=False) is None
    assert sex.secret_of(["Black", None], missing=True) == f"sex = {NO_SECRET}"
    (both,) = Layout(columns=rules("c"), secrets=rules("race", "sex"), jointly=True).views
    assert both.secret_of(["Black", "Male"], missing=False) == "race = Black, sex = Male"
    assert both.secret_of(["Black", None], missing=False) is None


@pytest.mark.parametrize(
    ("columns", "secrets", "known"),
    [("c", "c", ""), ("c", "s", "c"), ("c", "s", "s"), ("cc", "s", ""), ("c", "ss", "")],
)
def test_a_column_has_one_role(columns: str, secrets: str, known: str) -> None:
    with pytest.raises(pf.InvalidInputError, match="named twice"):
        Layout(columns=rules(*columns), secrets=rules(*secrets), known=rules(*known))


def test_something_is_published_and_something_is_secret() -> None:
    with pytest.raises(pf.InvalidInputError, match="at least one column"):
        Layout(columns=(), secrets=rules("s"))
    with pytest.raises(pf.InvalidInputError, match="column of the secret"):
        Layout(columns=rules("c"), secrets=())


def test_one_column_of_numbers_is_numeric() -> None:
    number = Rule(column="n", read="number")
    bins = Rule(column="b", read="number", edges=(1,), names=("a", "b"))
    secrets = rules("s")
    assert Layout(columns=(number,), secrets=secrets).numeric
    for columns in ((bins,), (number, bins), rules("c")):
        assert not Layout(columns=columns, secrets=secrets).numeric
    layout = Layout(columns=(number, bins), secrets=secrets, known=rules("k"))
    assert layout.column_names == ("n", "b")
    assert layout.secret_names == ("s",)
    assert layout.known_names == ("k",)
    assert [each.column for each in layout.rules] == ["n", "b", "s", "k"]
