"""The promise: what it refuses, and what it says of itself."""

from __future__ import annotations

import dataclasses
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import pufferfish as pf


def test_fields_are_floats() -> None:
    goal = pf.Guarantee(1, 0)
    assert (goal.epsilon, goal.delta) == (1.0, 0.0)
    assert isinstance(goal.epsilon, float)
    assert isinstance(goal.delta, float)
    assert pf.Guarantee(np.float32(0.5), Fraction(1, 4)) == pf.Guarantee(0.5, 0.25)


def test_delta_is_zero_unless_asked_for() -> None:
    assert pf.Guarantee(2.0).delta == 0.0


@pytest.mark.parametrize(("delta", "pure"), [(0.0, True), (-0.0, True), (5e-324, False)])
def test_pure_means_delta_zero(delta: float, pure: bool) -> None:
    assert pf.Guarantee(1.0, delta).pure is pure


@pytest.mark.parametrize(
    "epsilon", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf, True, "1", None, 1j, 1e101, 1e-101]
)
def test_epsilon_refused(epsilon: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="epsilon"):
        pf.Guarantee(epsilon)


@pytest.mark.parametrize("delta", [-1e-300, 1.0, 1.5, math.nan, math.inf, False, "0", None, [0.0]])
def test_delta_refused(delta: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="delta"):
        pf.Guarantee(1.0, delta)


@pytest.mark.parametrize("number", [10**400, np.complex128(1 + 1j)], ids=["huge", "complex"])
def test_a_number_that_is_no_float_is_refused_as_any_other(number: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="epsilon"):
        pf.Guarantee(number)


def test_the_largest_delta_below_one_is_allowed() -> None:
    assert pf.Guarantee(1.0, math.nextafter(1.0, 0.0)).delta < 1.0


def test_text() -> None:
    assert str(pf.Guarantee(1.0)) == "ε = 1"
    assert str(pf.Guarantee(0.5, 1e-5)) == "(ε = 0.5, δ = 1e-05)"


def test_frozen_comparable_hashable_picklable() -> None:
    goal = pf.Guarantee(1.0, 1e-6)
    with pytest.raises(dataclasses.FrozenInstanceError):
        goal.epsilon = 2.0
    assert goal == pf.Guarantee(1, 1e-6)
    assert hash(goal) == hash(pf.Guarantee(1, 1e-6))
    assert goal != pf.Guarantee(1.0, 2e-6)
    assert pickle.loads(pickle.dumps(goal)) == goal
