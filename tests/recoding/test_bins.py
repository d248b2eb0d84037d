"""Which cells a column gets."""

from __future__ import annotations

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.bins import MOST_LISTED, cells_of, round_edges


def tables(count: int, missing: float = 0.0) -> pf.Scenario:
    values = np.arange(float(count))
    law = pf.Discrete(values, np.full(count, 1.0 / count))
    belief = pf.Belief({"a": law, "b": law}, missing={"a": missing})
    return pf.Scenario(belief)


def test_few_values_are_a_list_with_those_of_secrets_in_no_pair() -> None:
    cells = cells_of(tables(3), np.array([7.0]))
    assert cells.values == (0.0, 1.0, 2.0, 7.0)
    assert cells.edges is None


def test_a_missing_value_is_one_of_them() -> None:
    cells = cells_of(tables(3, missing=0.1), np.empty(0))
    assert cells.values == (0.0, 1.0, 2.0, None)
    assert cells.takes_missing
    assert cells.numbers == (0.0, 1.0, 2.0)


def test_many_values_are_put_into_bins_with_round_edges() -> None:
    assert cells_of(tables(MOST_LISTED), np.empty(0)).edges is None
    cells = cells_of(tables(MOST_LISTED + 1), np.empty(0))
    assert cells.edges == tuple(np.arange(0.0, 401.0, 5.0))
    assert cells.values[:3] == (-2.5, 2.5, 7.5)
    assert len(cells.values) == len(cells.edges) + 1


def test_given_edges_are_taken_and_smooth_laws_have_bins() -> None:
    assert cells_of(tables(9), np.empty(0), (2.0, 4.0)).values == (1.0, 3.0, 5.0)
    smooth = pf.Scenario(pf.Belief({"a": pf.Gaussian(0, 1), "b": pf.Gaussian(1, 1)}))
    cells = cells_of(smooth, np.empty(0))
    assert cells.edges is not None
    assert cells.edges[0] == pytest.approx(-4.0)
    assert cells.edges[-1] == pytest.approx(5.0)


def test_what_stands_for_a_bin_is_never_read_off_the_data() -> None:
    # One edge leaves two bins without an end: the least and the largest value would show.
    with pytest.raises(pf.InvalidInputError, match="at least two edges"):
        cells_of(tables(9), np.empty(0), (4.0,))
    belief = tables(9).beliefs[0]
    capped = pf.Scenario(pf.Belief(belief.priors, cap=(0.0, 20.0)))
    assert cells_of(capped, np.empty(0), (4.0,)).values == (2.0, 12.0)
    wider = pf.Scenario(
        pf.Belief({"a": pf.Discrete([0, 1e6], [0.5, 0.5]), "b": pf.Discrete([0, 7], [0.4, 0.6])})
    )
    edges = (2.0, 4.0)
    assert cells_of(wider, np.empty(0), edges) == cells_of(tables(9), np.empty(0), edges)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3e6, 7e9), (17.0, 17.001), (1e-9, 2e-9)])
def test_round_edges_lie_inside_and_are_few(low: float, high: float) -> None:
    edges = np.array(round_edges(low, high))
    assert 2 <= edges.size <= 101
    assert low <= edges[0] < edges[-1] <= high
    steps = np.diff(edges)
    assert steps == pytest.approx(steps[0], rel=1e-6)
    mantissa = float(f"{steps[0]:.6e}".split("e")[0])
    assert min(abs(mantissa - each) for each in (1, 2, 5)) < 1e-3


def test_a_constant_column_has_nothing_to_recode() -> None:
    with pytest.raises(pf.UnsupportedError):
        round_edges(2.0, 2.0)
