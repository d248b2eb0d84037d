"""What a change costs, summed over a column."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.calibration.losses import column_of, cost_of
from pufferfish.recoding.domain import Cells


def scenario(missing: int = 0) -> pf.Scenario:
    laws = {
        "a": pf.Discrete.from_counts({1: 3, 2: 1}),
        "b": pf.Discrete.from_counts({2: 2, 4: 2}),
    }
    whole = pf.Discrete.from_counts({1: 3, 2: 3, 4: 2, 8: 2})
    return pf.Scenario(
        pf.Belief(
            laws,
            missing_counts={"a": missing},
            frequencies=whole,
            frequencies_missing=missing,
        )
    )


def test_the_whole_table_counts_not_only_secrets_of_a_pair() -> None:
    column = column_of(scenario(), None)
    assert column.frequencies == {1.0: 0.3, 2.0: 0.3, 4.0: 0.2, 8.0: 0.2}
    values = [1, 1, 1, 2, 2, 2, 4, 4, 8, 8]
    assert column.std == pytest.approx(np.std(values))


def test_without_a_table_every_secret_counts_alike() -> None:
    laws = dict(scenario().beliefs[0].priors)
    column = column_of(pf.Scenario(pf.Belief(laws)), None)
    assert column.frequencies == pytest.approx({1.0: 0.375, 2.0: 0.375, 4.0: 0.25})
    smooth = column_of(
        pf.Scenario(pf.Belief({"a": pf.Gaussian(0, 1), "b": pf.Gaussian(3, 1)})), None
    )
    assert smooth.std == pytest.approx(math.sqrt(1 + 2.25), rel=0.01)


@pytest.mark.parametrize("loss", ["squared", "absolute", "changed"])
def test_the_cost_is_that_of_each_row(loss: Any) -> None:
    column, cells = column_of(scenario(), None), Cells((1.0, 2.0, 4.0, 8.0))
    cost, (given, wanted) = cost_of(column, cells, loss)
    true = {"squared": lambda x, y: (x - y) ** 2, "absolute": lambda x, y: abs(x - y)}
    for i, x in enumerate(cells.numbers):
        for j, y in enumerate(cells.numbers):
            each = true.get(loss, lambda x, y: float(x != y))(x, y)
            assert cost[i, j] == pytest.approx(column.histogram[i] * each)
    assert given == pytest.approx(column.histogram)
    assert wanted == pytest.approx(column.histogram)


def test_bins_sum_up_the_values_in_them() -> None:
    column, cells = column_of(scenario(), None), Cells((1.5, 6.0), (3.0,))
    cost, (given, wanted) = cost_of(column, cells, "squared")
    assert cost[0, 1] == pytest.approx(0.3 * 25 + 0.3 * 16)
    assert cost[1, 1] == pytest.approx(0.2 * 4 + 0.2 * 4)
    assert given.tolist() == wanted.tolist() == pytest.approx([0.6, 0.4])


def test_noise_that_goes_first_spreads_them() -> None:
    noise = pf.LaplaceNoise(1.0, 2.0**-20)
    column, cells = column_of(scenario(), None), Cells((1.5, 6.0), (3.0,), noise)
    cost, (given, wanted) = cost_of(column, cells, "squared")
    above = [0.5 * math.exp(-2), 0.5 * math.exp(-1), 1 - 0.5 * math.exp(-1), 1 - 0.5 * math.exp(-5)]
    shares = [0.3, 0.3, 0.2, 0.2]
    assert given[1] == pytest.approx(sum(a * s for a, s in zip(above, shares, strict=True)))
    assert wanted[1] == pytest.approx(0.4)
    squares = [(x - 6.0) ** 2 for x in (1, 2, 4, 8)]
    expected = sum(a * s * c for a, s, c in zip(above, shares, squares, strict=True))
    assert cost[1, 1] == pytest.approx(expected)


def test_a_hole_costs_what_another_rows_value_would() -> None:
    column = column_of(scenario(missing=10), None)
    assert column.missing == 0.5
    cells = Cells((1.0, 2.0, 4.0, 8.0, None))
    cost, (given, _) = cost_of(column, cells, "squared")
    rows = np.repeat([1.0, 2.0, 4.0, 8.0], [3, 3, 2, 2])
    apart = np.mean((rows[:, None] - rows) ** 2)
    assert cost[0, 4] == pytest.approx(column.histogram[0] * apart)
    assert cost[4, 2] == pytest.approx(0.5 * apart)
    assert cost[4, 4] == 0.0
    assert given[4] == 0.5
    cost, _ = cost_of(column, cells, "absolute")
    assert cost[4, 0] == pytest.approx(0.5 * np.mean(np.abs(rows[:, None] - rows)))


def test_weights_are_for_the_loss_and_leave_the_histogram() -> None:
    column = column_of(scenario(), {8: 3.0, 16: 1.0})
    cells = Cells((1.0, 2.0, 4.0, 8.0, 16.0))
    cost, (given, _) = cost_of(column, cells, "squared")
    assert given == pytest.approx([0.3, 0.3, 0.2, 0.2, 0.0])
    assert cost[3, 4] == pytest.approx(0.75 * 64)
    assert cost[0].tolist() == [0.0] * 5
