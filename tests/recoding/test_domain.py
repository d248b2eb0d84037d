"""The cells of categories are their places."""

from __future__ import annotations

import numpy as np

from pufferfish.recoding.domain import Cells, between, cells_of_labels


def test_places_of_labels() -> None:
    cells = cells_of_labels(3)
    assert cells.numbers == (0.0, 1.0, 2.0)
    assert not cells.takes_missing
    assert cells.places(np.array([2.0, 0.0, 3.0, 0.5])).tolist() == [2, 0, -1, -1]


def test_a_list_of_holes_has_no_places() -> None:
    assert Cells((None,)).places(np.array([1.0])).tolist() == [-1]


def test_between_are_the_middles() -> None:
    assert between([0.0, 1.0, 3.0]) == (0.5, 2.0)
