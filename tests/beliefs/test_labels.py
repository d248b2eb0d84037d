"""What tells labels apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.labels import (
    check_label,
    check_labels,
    key_of,
    label_key,
    natural_order,
    parts_of,
    places_of,
    width_of,
)

labels = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-3, 3, allow_nan=False).map(lambda x: round(x * 2) / 2),
    st.sampled_from(["", "1", "True", "None", "a", "13", "13.0"]),
)


def test_kinds_are_told_apart() -> None:
    apart = [True, 1, "1", "True", None, "None", False, 0, "", "13", 13]
    assert len({label_key(each) for each in apart}) == len(apart)
    assert len(places_of(apart)) == len(apart)
    assert len(places_of([(each, "x") for each in apart])) == len(apart)


def test_numbers_are_one_label_whatever_their_type() -> None:
    assert label_key(13) == label_key(13.0) == label_key(check_label(np.int32(13)))
    assert label_key(check_label(-0.0)) == label_key(0)
    # A whole number beyond the doubles is not the double beside it.
    assert label_key(2**53 + 1) != label_key(float(2**53))


def test_labels_are_plain() -> None:
    assert check_label(np.bool_(True)) is True
    assert type(check_label(np.int64(3))) is int
    assert type(check_label(np.float64(0.5))) is float
    assert check_label(math.nan) is None
    assert check_label(np.float64("nan")) is None
    assert math.copysign(1.0, check_label(-0.0) or 0.0) == 1.0


@pytest.mark.parametrize("wrong", [math.inf, -math.inf, b"bytes", [1], (1,), {}, object(), 1j])
def test_other_things_are_no_labels_and_are_not_shown(wrong: object) -> None:
    with pytest.raises(pf.InvalidInputError) as caught:
        check_label(wrong)
    assert "bytes" not in str(caught.value) or "got bytes" in str(caught.value)


def test_lists_of_labels() -> None:
    assert check_labels("values", iter(["a", 1])) == ("a", 1)
    assert check_labels("values", [("a", np.nan)]) == (("a", None),)
    assert width_of([("a", 1, None)]) == 3
    assert width_of(["a"]) == 1
    assert parts_of("ab") == ("ab",)
    for wrong in ("text", 3, None):
        with pytest.raises(pf.InvalidInputError, match="must be a list"):
            check_labels("values", wrong)
    for wrong in (["a", ("a",)], [("a",), ("a", "b")]):
        with pytest.raises(pf.InvalidInputError, match="the same length"):
            check_labels("values", wrong)
    with pytest.raises(pf.InvalidInputError, match="must not be empty"):
        check_labels("values", [])


@given(st.lists(labels))
def test_the_natural_order_has_every_label_once_in_any_order(given: list[object]) -> None:
    found = natural_order(given)
    assert {label_key(each) for each in given} == {label_key(each) for each in found}
    assert len({label_key(each) for each in found}) == len(found)
    assert [*map(key_of, natural_order(reversed(given)))] == [*map(key_of, found)]
    kinds = [label_key(each)[0] for each in found]
    assert kinds == sorted(kinds)
