"""Laws on cells."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.recoding.cells import CellLaw


def test_counts_are_exact() -> None:
    law = CellLaw.from_counts([3, 0, 1])
    assert (law.low.tolist(), law.high.tolist(), law.total) == ([3, 0, 1], [3, 0, 1], 4)
    assert law.probabilities.tolist() == [0.75, 0.0, 0.25]


@pytest.mark.parametrize("counts", [[], [0, 0], [1, -1]])
def test_what_is_no_law_is_refused(counts: list[int]) -> None:
    with pytest.raises(pf.InvalidInputError, match="counts"):
        CellLaw.from_counts(counts)


def test_bounds_must_enclose_a_law() -> None:
    with pytest.raises(pf.InvalidInputError, match="enclose"):
        CellLaw.from_bounds([0.1, 0.1], [0.2, 0.2])
    with pytest.raises(pf.InvalidInputError, match="enclose"):
        CellLaw.from_bounds([0.5, 0.2], [0.4, 0.9])
