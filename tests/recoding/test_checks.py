"""What may stand in a recoding."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.checks import check_categories, check_metric, check_values, has_labels


def test_labels_are_recognised() -> None:
    for labelled in (["a"], [True, 2], [(1, 2)], np.array([True]), np.array(["a"])):
        assert has_labels(labelled)
    for plain in ([1, 2.0, None], np.array([1.0]), (), 3, None):
        assert not has_labels(plain)


def test_categories_occur_once_by_their_kind() -> None:
    assert check_categories("values", [True, 1, "1", None]) == (True, 1, "1", None)
    for twice in ([1, 1.0], ["a", "a"], [None, math.nan], [("a", 1), ("a", 1.0)]):
        with pytest.raises(pf.InvalidInputError, match="twice"):
            check_categories("values", twice)


def test_values_are_numbers_once_and_a_hole_last() -> None:
    assert check_values("values", [1, -0.0, None]) == (1.0, 0.0, None)
    for wrong in ([1, 1.0], [None, 1], [], [math.nan], [math.inf]):
        with pytest.raises(pf.InvalidInputError):
            check_values("values", wrong)


def test_distances_may_be_infinite_but_not_lopsided() -> None:
    assert check_metric([[0, math.inf], [math.inf, 0]], 2)[0, 1] == math.inf
    for wrong in ([[0, 1], [2, 0]], [[1, 1], [1, 0]], [[0, -1], [-1, 0]], [[0, math.nan]] * 2):
        with pytest.raises(pf.InvalidInputError, match="symmetric"):
            check_metric(wrong, 2)
    with pytest.raises(pf.InvalidInputError, match="at most 200"):
        check_metric(np.zeros((201, 201)), 201)
