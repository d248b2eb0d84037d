"""Associations against values that were worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pufferfish.core.errors import InvalidInputError
from pufferfish.insight.associations import Joint, associations, information, noised_ratio


def only(joint: Joint, *numbers: str) -> tuple[str, float, float | None]:
    (found,) = associations(joint, numbers)
    return found.measure, found.strength, found.information


def test_two_labels_have_cramers_v() -> None:
    # χ²/n = Σ (p − p₁p₂)²/(p₁p₂) = 4·0.15²/0.25 = 0.36.
    cells = [("a", "u"), ("a", "v"), ("b", "u"), ("b", "v")]
    joint = Joint.of(("x", "y"), cells, np.array([40.0, 10.0, 10.0, 40.0]))
    measure, strength, bits = only(joint)
    assert (measure, strength) == ("Cramér's V", pytest.approx(0.6))
    assert bits == pytest.approx(1.0 + 0.8 * math.log2(0.8) + 0.2 * math.log2(0.2))


def test_numbers_and_labels_have_the_correlation_ratio() -> None:
    # Means 1 and 3, halves: between 1; within group b 1 (values 2 and 4), so 1/(1 + 0.5).
    joint = Joint.of(("x", "g"), [(1, "a"), (2, "b"), (4, "b")], np.array([2.0, 1.0, 1.0]))
    for each in (joint, Joint.of(("g", "x"), [c[::-1] for c in joint.cells], joint.weights)):
        assert only(each, "x")[:2] == ("correlation ratio", pytest.approx(math.sqrt(1.0 / 1.5)))


def test_numbers_have_pearsons_correlation_with_its_sign() -> None:
    joint = Joint.of(("x", "y"), [(0, 1), (1, 0), (1, 1), (None, 9)], np.array([2.0, 2, 1, 5]))
    # Of the five rows that have both: means 0.6, covariance 0.2 − 0.36, variances 0.24.
    assert only(joint, "x", "y")[:2] == ("correlation", pytest.approx(-0.16 / 0.24))


def test_what_is_independent_or_constant_has_none() -> None:
    cells = [(x, y) for x in (1, 2) for y in ("a", "b")]
    joint = Joint.of(("x", "y"), cells, np.array([3.0, 6.0, 1.0, 2.0]))
    for numbers in ((), ("x",)):
        assert only(joint, *numbers)[1:] == pytest.approx((0.0, 0.0), abs=1e-7)
    constant = Joint.of(("x", "y"), [(1, "a"), (1, "b")], np.ones(2))
    for numbers in ((), ("x",)):
        assert only(constant, *numbers)[1:] == (0.0, 0.0)
    missing = Joint.of(("x", "y"), [(None, 2), (None, 3)], np.ones(2))
    for numbers in (("x",), ("x", "y")):
        assert only(missing, *numbers)[1] == 0.0


def test_a_function_of_the_other_is_all_of_it() -> None:
    joint = Joint.of(("x", "y"), [("a", 1), ("b", 2), ("c", 3)], np.array([1.0, 2.0, 3.0]))
    assert only(joint)[1] == pytest.approx(1.0)
    assert only(joint, "y")[1] == pytest.approx(1.0)
    assert information(np.eye(4) / 4.0) == pytest.approx(2.0)


def test_labels_that_python_calls_equal_are_told_apart() -> None:
    joint = Joint.of(("x",), [(1,), (True,), (1.0,), (None,)], np.ones(4))
    assert joint.marginal("x") == ((1, 0.5), (True, 0.25), (None, 0.25))


def test_noise_adds_its_variance_to_what_lies_within() -> None:
    # Between 1 (means 0 and 2), within 3, noise 0 and 8.
    groups = [(0.5, 0.0, 3.0, 0.0), (0.5, 2.0, 3.0, 8.0)]
    assert noised_ratio(groups) == pytest.approx((0.5, math.sqrt(1.0 / 8.0)))


def test_no_rows_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="no rows"):
        Joint.of(("x",), [("a",)], np.zeros(1))
