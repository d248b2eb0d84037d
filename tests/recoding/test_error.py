"""What a recoding of categories changes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.exact import WHOLE

HALF, QUARTER = WHOLE // 2, WHOLE // 4
VALUES = ("a", True, 1, None)
TABLE = [
    [HALF, HALF, 0, 0],
    [0, WHOLE, 0, 0],
    [QUARTER, QUARTER, QUARTER, QUARTER],
    [0, 0, 0, WHOLE],
]


def law(**changes: Any) -> pf.Recoding:
    return pf.Recoding(**{"values": VALUES, "outputs": VALUES, "table": TABLE, **changes})


def test_unchanged_is_by_label_and_not_by_place() -> None:
    often = {"a": 1, True: 1, None: 2}  # True and 1 are one key of a dict
    assert law().unchanged(often) == pytest.approx((0.5 + 1 + 2) / 4)
    assert law().unchanged([1, 1, 4, 2]) == pytest.approx((0.5 + 1 + 1 + 2) / 8)
    # The same map with its outputs in another order.
    order = [3, 1, 0, 2]
    other = law(outputs=[VALUES[k] for k in order], table=[[r[k] for k in order] for r in TABLE])
    assert other.unchanged([1, 1, 4, 2]) == law().unchanged([1, 1, 4, 2])
    assert law().error() == 0.75
    assert other != law()


def test_an_output_that_is_no_value_changes_everything() -> None:
    other = pf.Recoding(values=("a", "b"), outputs=("c",), table=[[WHOLE], [WHOLE]])
    assert other.unchanged({"a": 1, "b": 1}) == 0.0
    assert other.coded_outputs == (2.0,)


def test_there_is_no_distance_between_labels() -> None:
    for ask in (law().rmse, law().moved):
        with pytest.raises(pf.UnsupportedError, match="no distance"):
            ask([1, 1, 1, 1])


def test_identity_is_by_label() -> None:
    whole = np.eye(2, dtype=np.int64) * WHOLE
    assert pf.Recoding(values=("a", 1), outputs=("a", 1), table=whole).identity
    assert not pf.Recoding(values=("a", 1), outputs=("a", True), table=whole).identity


def test_the_row_of_unseen_values_is_a_mixture_of_the_others() -> None:
    inside = (QUARTER, HALF, 0, QUARTER)
    found = law(unseen=inside)
    assert found.unseen == inside
    assert found == law(unseen=[np.int64(each) for each in inside])
    assert found != law()
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.unseen == inside
    for wrong, because in (
        ((WHOLE, 0, 0, 0), "mixture"),  # more than any value gives to the first output
        ((0, HALF, HALF, 0), "mixture"),
        ((QUARTER, HALF, 0), "sum to"),
        ((QUARTER, HALF, 0, QUARTER - 1), "sum to"),
        ((HALF, WHOLE, -HALF, 0), "sum to"),
        ((float(QUARTER), float(HALF), 0.0, float(QUARTER)), "whole numbers"),
        ((np.int64(WHOLE),) * 4, "sum to"),
    ):
        with pytest.raises(pf.InvalidInputError, match=because):
            law(unseen=wrong)


def test_a_sum_that_overflows_is_no_row() -> None:
    """Five times 2⁶² is 2⁶² in 64 bits."""
    values = tuple("abcde")
    with pytest.raises(pf.InvalidInputError, match="sum to"):
        pf.Recoding(
            values=values,
            outputs=values,
            table=np.eye(5, dtype=np.int64) * WHOLE,
            unseen=tuple(np.full(5, WHOLE)),
        )


def test_numbers_have_no_unseen_row() -> None:
    with pytest.raises(pf.InvalidInputError, match="use edges"):
        pf.Recoding(values=(0.0,), outputs=(0.0,), table=[[WHOLE]], unseen=(WHOLE,))


def test_codes_are_labels_if_one_says_so() -> None:
    plain = pf.Recoding(values=(2, 1), outputs=(2, 1), table=[[WHOLE, 0]] * 2, labelled=True)
    assert plain.values == (2, 1)
    with pytest.raises(pf.InvalidInputError, match="rising"):
        pf.Recoding(values=(2, 1), outputs=(2, 1), table=[[WHOLE, 0]] * 2)


def test_categories_have_no_bins_noise_or_distance_of_their_own() -> None:
    with pytest.raises(pf.InvalidInputError, match="no bins"):
        law(edges=(0.5, 1.5, 2.5))
    with pytest.raises(pf.InvalidInputError, match="needs distances"):
        law(floor=1.0)


def test_what_is_published_of_a_law() -> None:
    found = law().output(pf.Categorical([True, "a"], counts=[1, 1]))
    assert isinstance(found, pf.Categorical)
    assert found.mass(True) == pytest.approx(0.75)
    assert found.mass("a") == pytest.approx(0.25)
    with pytest.raises(pf.InvalidInputError):
        law().output(pf.Discrete([0.0], [1.0]))


def test_a_matrix_of_somebody_keeps_the_order_of_categories() -> None:
    found = pf.Recoding.from_matrix(["b", "a"], [[0.75, 0.25], [0.5, 0.5]])
    assert found.values == ("b", "a")
    assert found.table[0, 0] == 3 * QUARTER
