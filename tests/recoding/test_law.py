"""Recodings as data: what they refuse, and what their figures are."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.kernels import line_kernel

HALVES = [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]


def halves() -> pf.Recoding:
    return pf.Recoding.from_matrix([1, 2, 4], HALVES)


def test_it_lists_what_it_takes_and_what_it_gives() -> None:
    law = halves()
    assert law.values == law.outputs == law.domain == (1.0, 2.0, 4.0)
    assert np.array_equal(law.matrix, HALVES)
    assert law.table.sum(axis=1).tolist() == [WHOLE] * 3


def test_a_matrix_in_another_order_is_the_same_map() -> None:
    order = [2, 0, 1]
    given = np.array(HALVES)[np.ix_(order, order)]
    law = pf.Recoding.from_matrix([4, 1, 2], given)
    assert law.values == (1.0, 2.0, 4.0)
    assert law.outputs == (4.0, 1.0, 2.0)
    assert law.rmse([1, 1, 1]) == halves().rmse([1, 1, 1])


def test_the_figures_are_sums_over_rows_and_outputs() -> None:
    law, counts = halves(), {1: 10, 2: 20, 4: 70}
    square = same = moved = changed = 0.0
    for x, row in zip((1, 2, 4), HALVES, strict=True):
        for y, chance in zip((1, 2, 4), row, strict=True):
            square += counts[x] * chance * (x - y) ** 2
            same += counts[x] * chance * (x == y)
            changed += counts[x] * chance * (x != y)
            moved += counts[x] * chance * abs(x - y)
    assert law.rmse(counts) == pytest.approx(math.sqrt(square / 100))
    assert law.rmse([10, 20, 70]) == law.rmse(counts)
    assert law.unchanged(counts) == pytest.approx(same / 100)
    assert law.moved(counts) == pytest.approx(moved / changed)
    assert law.error() == pytest.approx(math.sqrt(2.0))
    assert law.error({1: 1.0}) == pytest.approx(math.sqrt(0.5))


def test_frequencies_come_in_many_forms() -> None:
    law, column = halves(), pd.Series([4, 1, 4, 4, 2])
    true = law.rmse([1, 1, 3])
    for given in (
        {1: 1, 2: 1, 4: 3},
        column.value_counts(),
        column.value_counts(normalize=True),
        pf.Discrete.from_counts({1: 1, 2: 1, 4: 3}),
        np.array([1.0, 1.0, 3.0]),
    ):
        assert law.rmse(given) == pytest.approx(true)


def test_a_hole_counts_as_unchanged_and_has_no_error() -> None:
    law = pf.Recoding.from_matrix([1, 2, None], [[1, 0, 0], [0, 0.5, 0.5], [0.2, 0.0, 0.8]])
    assert law.takes_missing
    assert law.rmse({1: 1, 2: 1, None: 2}) == 0.0
    assert law.unchanged({1: 1, 2: 1, None: 2}) == pytest.approx((1 + 0.5 + 1.6) / 4)
    assert law.unchanged([1, 1, 2]) == law.unchanged({1: 1, 2: 1, None: 2})


def test_bins_take_any_number() -> None:
    table = np.array([[WHOLE, 0], [WHOLE // 4, WHOLE - WHOLE // 4]])
    law = pf.Recoding(values=(0.0, 10.0), outputs=(0.0, 10.0), table=table, edges=(5.0,))
    assert law.domain is None
    # 5 itself is in the upper bin.
    assert law.cells.places(np.array([-1e9, 4.999, 5.0, 1e9])).tolist() == [0, 0, 1, 1]
    assert law.rmse({4.0: 1.0}) == 4.0
    assert law.unchanged({4.0: 1, 6.0: 1}) == pytest.approx((1 + 0.75) / 2)


def test_noise_goes_first() -> None:
    noise = pf.LaplaceNoise(2.0, 2.0**-20)
    law = pf.Recoding(
        values=(0.0, 10.0),
        outputs=(0.0, 10.0),
        table=np.diag([WHOLE, WHOLE]),
        edges=(5.0,),
        noise=noise,
    )
    assert law.spread([5.0]) == pytest.approx(np.array([[0.5, 0.5]]))
    assert law.spread([1.0])[0, 1] == pytest.approx(0.5 * math.exp(-4.0 / 2.0))
    assert law.kappa == pytest.approx(0.5)
    assert law.at_floor == noise


def test_a_floor_is_checked_and_not_believed() -> None:
    kernel = line_kernel(np.array([1.0, 2.0, 4.0]), 0.7)
    law = pf.Recoding.from_matrix([1, 2, 4], 0.999 * kernel + 0.001 / 3, floor=0.7)
    assert law.at_floor is not None
    assert law.at_floor.scale == pytest.approx(1 / 0.7)
    with pytest.raises(pf.InvalidInputError, match=r"floor of 0\.6"):
        pf.Recoding.from_matrix([1, 2, 4], kernel, floor=0.6)
    assert halves().at_floor is None
    assert halves().ratio_scale == 0.0


def test_a_floor_may_be_about_distances_of_ones_own() -> None:
    matrix = np.full((3, 3), 1 / 3)
    matrix[0], matrix[2] = [0.4, 0.3, 0.3], [0.3, 0.3, 0.4]
    near = np.array([[0.0, 1.0, 0.1], [1.0, 0.0, 1.0], [0.1, 1.0, 0.0]])
    assert pf.Recoding.from_matrix([1, 2, 3], matrix, floor=3.0, distances=near).floor == 3.0
    with pytest.raises(pf.InvalidInputError, match="floor"):
        pf.Recoding.from_matrix([1, 2, 3], matrix, floor=2.0, distances=near)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": (2.0, 1.0, 4.0)}, "rising"),
        ({"values": (1.0, 1.0, 4.0)}, "twice"),
        ({"values": (1.0, None, 4.0)}, "must be the last"),
        ({"values": (1.0, 2.0)}, "shape"),
        ({"outputs": (1.0, 2.0, math.inf)}, "finite"),
        ({"table": np.full((3, 3), WHOLE // 3)}, "sum to 2"),
        ({"table": np.array([[-1, WHOLE, 1]] * 3)}, "sum to 2"),
        ({"edges": (1.5,)}, "edges"),
        ({"edges": (3.0, 1.5)}, "edges"),
        ({"noise": pf.LaplaceNoise(1.0, 0.5)}, "edges"),
        ({"edges": (1.5, 3.0), "noise": pf.LaplaceNoise(1.0)}, "grid"),
        ({"edges": (1.5, 3.0), "floor": 1.0}, "bin"),
        ({"floor": 0.0}, "floor"),
        ({"distances": np.ones((3, 3))}, "symmetric"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "values": (1.0, 2.0, 4.0),
        "outputs": (1.0, 2.0, 4.0),
        "table": halves().table,
    }
    with pytest.raises(pf.InvalidInputError, match=message):
        pf.Recoding(**given | change)


@pytest.mark.parametrize(
    "matrix", [[[0.5, 0.4], [0, 1]], [[1.5, -0.5], [0, 1]], [[1, 0]], [[math.nan, 1], [0, 1]]]
)
def test_a_matrix_must_hold_probabilities(matrix: Any) -> None:
    with pytest.raises(pf.InvalidInputError):
        pf.Recoding.from_matrix([1, 2], matrix)


def test_frequencies_of_values_that_it_does_not_take_are_refused() -> None:
    for wrong in ({3: 1.0}, [1.0], [0, 0, 0], {1: -1.0, 2: 3.0}):
        with pytest.raises(pf.InvalidInputError):
            halves().rmse(wrong)  # type: ignore[arg-type]  # refused


def test_it_cannot_be_changed_and_a_copy_is_the_same() -> None:
    law = halves()
    with pytest.raises(ValueError, match="read-only"):
        law.table[0, 0] = 1
    again = pickle.loads(pickle.dumps(law))
    assert again == law
    assert hash(again) == hash(law)
    assert law != pf.Recoding.from_matrix([1, 2, 4], np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        again.table[0, 0] = 1
    assert "0.25" not in repr(law)


def test_only_a_map_that_changes_nothing_is_the_identity() -> None:
    assert pf.Recoding.from_matrix([1, 2], np.eye(2)).identity
    assert not pf.Recoding.from_matrix([1, 2], np.eye(2), outputs=[2, 1]).identity
    assert not halves().identity


def test_what_comes_out_of_a_table() -> None:
    published = halves().output(pf.Discrete([1.0, 4.0], [0.5, 0.5]))
    assert published == pf.Discrete([1, 2, 4], [0.25, 0.5, 0.25])
    with pytest.raises(pf.InvalidInputError):
        halves().output(pf.Gaussian(0.0, 1.0))


def test_numbers_beyond_53_bits_stay_floats() -> None:
    assert not pf.Recoding.from_matrix([0, 1e20], np.eye(2)).whole
    assert pf.Recoding.from_matrix([0, 2.0**52], np.eye(2)).whole


def test_distances_of_ones_own_are_for_few_values() -> None:
    with pytest.raises(pf.InvalidInputError, match="at most 200"):
        pf.Recoding.from_matrix(
            range(201), np.full((201, 201), 1 / 201), floor=1.0, distances=np.zeros((201, 201))
        )
