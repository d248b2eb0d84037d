"""How often categories occur, in the forms that people have it."""

from __future__ import annotations

import pandas as pd
import pytest

import pufferfish as pf
from pufferfish.recoding.domain import Cells
from pufferfish.recoding.frequencies import weigh, weigh_labels

VALUES = (("a", 1), ("a", True), ("b", None))


@pytest.mark.parametrize(
    "given",
    [
        {("a", 1): 2, ("b", None): 3},
        [2, 0, 3],
        pd.Series([2, 3], index=pd.Index([("a", 1.0), ("b", None)], tupleize_cols=False)),
        pf.Categorical([("b", None), ("a", 1)], counts=[3, 2]),
    ],
)
def test_every_form_says_the_same(given: object) -> None:
    found = weigh_labels(VALUES, given)
    assert (found / found.sum()).tolist() == [0.4, 0.0, 0.6]


@pytest.mark.parametrize(
    "wrong",
    [{("c", 1): 1}, {("a", "1"): 1}, [1, 2], [0, 0, 0], [-1, 1, 1], {"a": 1}, [float("nan")] * 3],
)
def test_what_is_not_there_is_refused(wrong: object) -> None:
    with pytest.raises(pf.InvalidInputError):
        weigh_labels(VALUES, wrong)


def test_numbers_and_categories_are_two_things() -> None:
    with pytest.raises(pf.InvalidInputError, match="recoding is of numbers"):
        weigh(Cells((1.0, 2.0)), pf.Categorical([1, 2], [0.5, 0.5]))
