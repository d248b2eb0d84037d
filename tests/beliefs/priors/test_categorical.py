"""Priors of labels."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf

counts = st.dictionaries(
    st.one_of(st.none(), st.booleans(), st.text(max_size=2), st.integers(2, 5)),
    st.integers(0, 9),
    min_size=1,
).filter(lambda given: sum(given.values()) > 0)


@given(counts)
def test_counts_are_kept(given: dict[object, int]) -> None:
    law = pf.Categorical.from_counts(given)
    there = {label: number for label, number in given.items() if number}
    assert list(law.values) == list(there)
    assert law.counts is not None
    assert law.counts.tolist() == list(there.values())
    total = sum(there.values())
    weights, whole = law.whole_weights
    assert [Fraction(each, whole) for each in weights] == [
        Fraction(each, total) for each in there.values()
    ]
    assert law == pf.Categorical(list(given), counts=list(given.values()))
    for label, number in given.items():
        assert law.mass(label) == pytest.approx(number / total)
    again = pickle.loads(pickle.dumps(law))
    assert again == law
    assert hash(again) == hash(law)


def test_labels_of_two_kinds_are_two() -> None:
    law = pf.Categorical([True, 1, "1", None], counts=[1, 2, 3, 4])
    assert len(law.values) == 4
    assert law.mass(True) == 0.1
    assert law.mass(1) == law.mass(1.0) == law.mass(np.int8(1)) == 0.2
    assert law.mass("1") == 0.3
    assert law.mass(float("nan")) == 0.4
    assert law.mass("other") == 0.0
    assert pf.Categorical([True], [1.0]) != pf.Categorical([1], [1.0])
    assert pf.Categorical([13], [1.0]) == pf.Categorical([13.0], [1.0])


def test_equal_labels_are_merged_and_keep_the_first_place() -> None:
    law = pf.Categorical(["b", "a", "b"], counts=[1, 2, 3])
    assert law.values == ("b", "a")
    assert law.counts is not None
    assert law.counts.tolist() == [4, 2]
    assert pf.Categorical(["z", "b", "a"], [0.0, 0.5, 0.5]).values == ("b", "a")


def test_order_counts_for_equality() -> None:
    assert pf.Categorical(["a", "b"], [0.5, 0.5]) != pf.Categorical(["b", "a"], [0.5, 0.5])


def test_tuples_have_a_width() -> None:
    law = pf.Categorical([("a", 1, None), ("b", 2.5, True)], counts=[1, 3])
    assert law.width == 3
    assert law.mass(("b", 2.5, True)) == 0.75
    assert law.mass(("b", 2.5, 1)) == 0.0
    assert pf.Categorical(["a"], [1.0]).width == 1


@pytest.mark.parametrize(
    "said",
    [
        {"values": [], "probabilities": []},
        {"values": "ab", "probabilities": [0.5, 0.5]},
        {"values": ["a", "b"], "probabilities": [0.5, 0.6]},
        {"values": ["a", "b"], "probabilities": [1.0]},
        {"values": ["a", "b"], "counts": [1, -1]},
        {"values": ["a", "b"], "counts": [0, 0]},
        {"values": ["a", ("b",)], "probabilities": [0.5, 0.5]},
        {"values": ["a", float("inf")], "probabilities": [0.5, 0.5]},
    ],
)
def test_what_is_no_law_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(pf.InvalidInputError):
        pf.Categorical(**said)  # type: ignore[arg-type]


def test_counts_must_be_a_mapping() -> None:
    assert pf.Categorical.from_counts(Counter("aab")).values == ("a", "b")
    with pytest.raises(pf.InvalidInputError, match="must map"):
        pf.Categorical.from_counts(["a"])  # type: ignore[arg-type]


def test_labels_are_no_numbers() -> None:
    law = pf.Categorical([1, 2], [0.5, 0.5])
    for ask in (
        lambda: law.mean,
        lambda: law.variance,
        law.components,
        lambda: law.cdf(1.0),
        lambda: law.survival(1.0),
        lambda: law.quantile(0.5),
        lambda: law.log_mgf(1.0),
        lambda: law.shift(1.0),
        lambda: law.scale(2.0),
    ):
        with pytest.raises(pf.UnsupportedError, match="a recoding protects them"):
            ask()
    with pytest.raises(pf.UnsupportedError, match="a recoding protects them"):
        pf.calibrate(pf.Scenario(pf.Belief({"a": law, "b": law})), pf.Guarantee(1.0))


def test_a_long_law_is_shown_shortly() -> None:
    assert repr(pf.Categorical(list(range(9)), [1 / 9] * 9)) == "Categorical(9 values)"
    assert "'a'" in repr(pf.Categorical(["a"], [1.0]))
