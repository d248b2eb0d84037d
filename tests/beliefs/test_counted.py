"""Counts that a belief keeps: exact, in agreement with its probabilities, and never in its way."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import pufferfish as pf

LAWS = {"a": pf.Discrete.from_counts({1: 3, 2: 4}), "b": pf.Discrete.from_counts({1: 1, 5: 1})}
WHOLE = pf.Discrete.from_counts({1: 4, 2: 4, 5: 2})


def counted(**more: Any) -> pf.Belief:
    fields = {"missing_counts": {"a": 3}, "frequencies": WHOLE, "frequencies_missing": 5}
    return pf.Belief(LAWS, **{**fields, **more})


def test_a_share_follows_from_counts() -> None:
    belief = counted()
    assert dict(belief.missing) == {"a": 3 / 10, "b": 0.0}
    assert dict(belief.missing_counts) == {"a": 3, "b": 0}
    assert belief.frequencies is WHOLE
    assert belief.frequencies_missing == 5
    with pytest.raises(TypeError):
        belief.missing_counts["a"] = 0  # type: ignore[index]


def test_what_nobody_counted_is_not_known() -> None:
    plain = pf.Belief({**LAWS, "c": pf.Gaussian(0.0, 1.0)}, missing={"a": 0.3})
    assert dict(plain.missing_counts) == {"b": 0}
    assert (plain.frequencies, plain.frequencies_missing) == (None, 0)


def test_beliefs_compare_by_what_is_promised_about() -> None:
    bare = pf.Belief(LAWS, missing={"a": 0.3})
    uncounted = {secret: pf.Discrete(law.values, law.probabilities) for secret, law in LAWS.items()}
    for other in (bare, pf.Belief(uncounted, missing={"a": 0.3})):
        assert counted() == other
        assert hash(counted()) == hash(other)
        assert repr(counted()) == repr(other)


@pytest.mark.parametrize(
    "duplicate", [lambda belief: pickle.loads(pickle.dumps(belief)), copy.copy, copy.deepcopy]
)
def test_copies_keep_them(duplicate: Callable[[pf.Belief], pf.Belief]) -> None:
    twin = duplicate(counted())
    assert twin == counted()
    assert dict(twin.missing_counts) == {"a": 3, "b": 0}
    assert twin.frequencies is not None
    assert twin.frequencies.counts is not None
    assert twin.frequencies.counts.tolist() == [4, 4, 2]
    assert twin.frequencies_missing == 5


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"missing_counts": {"c": 1}}, "'c', which has no prior"),
        ({"missing_counts": [1]}, "missing_counts must map secrets"),
        ({"missing_counts": {"a": -1}}, "whole number of at least 0"),
        ({"missing_counts": {"a": 1.0}}, "whole number of at least 0"),
        ({"missing_counts": {"a": True}}, "whole number of at least 0"),
        ({"missing_counts": {"a": 2**53 - 7}}, "too large"),
        ({"missing": {"a": 0.25}}, "contradict each other"),
        ({"missing": {"a": 0.0}}, "contradict each other"),
        ({"missing": {"a": 0.3 + 1e-11}}, "contradict each other"),
        ({"frequencies": pf.Discrete([1.0], [1.0])}, "a table with counts"),
        ({"frequencies": {1: 3}}, "a table with counts"),
        ({"frequencies_missing": -1}, "whole number of at least 0"),
        ({"frequencies_missing": 0.5}, "whole number of at least 0"),
        ({"frequencies": None}, "frequencies_missing needs frequencies"),
        ({"cap": (0.0, 5.0), "frequencies": WHOLE.shift(1.0)}, "outside"),
    ],
    ids=range(15),
)
def test_what_contradicts_itself_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        counted(**fields)


def test_a_smooth_law_has_no_counts_to_add_to() -> None:
    with pytest.raises(pf.InvalidInputError, match="needs a prior with counts"):
        pf.Belief({"a": pf.Gaussian(0.0, 1.0)}, missing_counts={"a": 1})
