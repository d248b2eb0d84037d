"""The cells of the published line: each value in one of them, holes beside them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.audits.cells import Cells
from pufferfish.noise import LaplaceNoise, NoNoise
from tests.audits.subjects import ADULT, POINTS, only_pair
from tests.support import scenario_of

NAN = float("nan")
THREE = Cells(np.array([1.0, 2.0, 4.0]))


def test_a_cell_holds_its_upper_end() -> None:
    values = np.array([0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, NAN, NAN, -np.inf, np.inf])
    assert THREE.counts([values]).tolist() == [3, 2, 2, 2, 2]


def test_every_value_is_counted_once_whatever_the_parts() -> None:
    source = np.random.default_rng(0)
    values = np.round(source.normal(size=5000), 1)
    values[source.random(5000) < 0.1] = NAN
    cells = Cells.around(values[:1000])
    counts = cells.counts([values])
    assert counts.sum() == 5000
    assert counts[-1] == np.isnan(values).sum()
    assert np.array_equal(counts, cells.counts(np.array_split(values, 7)))
    # By definition, one cell at a time.
    ends = [-np.inf, *cells.edges, np.inf]
    for cell, (low, high) in enumerate(pairwise(ends)):
        assert counts[cell] == ((values > low) & (values <= high)).sum()


def test_cells_are_hit_about_equally_often_and_the_ends_are_finer() -> None:
    values = np.random.default_rng(1).normal(size=200_000)
    counts = Cells.around(values).counts([values])[:-1]
    assert counts.max() <= 201
    assert counts[0] <= 3
    assert counts[-1] <= 3


@pytest.mark.parametrize("value", [0.0, 7.5, -1e300])
def test_a_constant_is_one_cell_and_values_beside_it_are_others(value: float) -> None:
    cells = Cells.around(np.full(50, value))
    assert cells.edges.tolist() == [value]
    other = np.nextafter(value, np.inf)
    assert cells.counts([np.array([value, other])]).tolist() == [1, 1, 0]


def test_nothing_but_holes() -> None:
    cells = Cells.around(np.full(50, NAN))
    assert cells.counts([np.full(50, NAN)]).tolist() == [0, 0, 50]


def test_log_ratios_of_two_points_are_those_of_the_laplace_law() -> None:
    cells = Cells(np.linspace(-3.0, 4.0, 15))
    found = cells.log_ratios(only_pair(POINTS), LaplaceNoise(0.7))
    assert found is not None
    middles = np.concatenate([[-3.0], (cells.edges[1:] + cells.edges[:-1]) / 2, [4.0]])
    expected = (np.abs(middles - 1.0) - np.abs(middles)) / 0.7
    np.testing.assert_allclose(found[:-1], expected, atol=1e-12)
    assert found[-1] == 0.0  # no holes under either secret


def test_log_ratios_count_holes() -> None:
    one = pf.Discrete([0.0], [1.0])
    scenario = scenario_of(one, one, missing={"a": 0.2, "b": 0.05})
    found = THREE.log_ratios(only_pair(scenario), LaplaceNoise(1.0))
    assert found is not None
    np.testing.assert_allclose(found[:-1], math.log(0.8 / 0.95))
    assert found[-1] == pytest.approx(math.log(0.2 / 0.05))
    # A hole that only one secret has tells everything, and comes first or last in the order.
    certain = THREE.log_ratios(
        only_pair(scenario_of(one, one, missing={"a": 0.2})), LaplaceNoise(1.0)
    )
    assert certain is not None
    assert certain[-1] > 1e300
    assert np.isfinite(certain).all()


def test_a_table_without_noise_has_no_density() -> None:
    assert THREE.log_ratios(only_pair(ADULT), NoNoise()) is None


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ([0], "at most 1"),
        ([3], "above 4"),
        ([1, 2], "above 1 and at most 4"),
        ([0, 2], "at most 1, or above 2 and at most 4"),
        ([4], "missing"),
        ([2, 3, 4], "above 2, or missing"),
        ([0, 1, 2, 3], "anything"),
        ([], "never"),
    ],
)
def test_cells_in_words(chosen: list[int], words: str) -> None:
    said = THREE.in_words(np.array(chosen, dtype=np.int64))
    assert said == f"the published value is {words}"


def test_many_ranges_are_counted() -> None:
    cells = Cells(np.arange(20.0))
    said = cells.in_words(np.arange(1, 20, 2))
    assert said.count("above") == 4
    assert said.endswith("or in one of 6 more ranges")
