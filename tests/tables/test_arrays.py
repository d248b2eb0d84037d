"""A dict of arrays as a table."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf


def message_of(table: dict[str, object], **choices: str) -> str:
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.summarise(table, column="x", secret="s", **choices)
    return str(caught.value)


@pytest.mark.parametrize("short", ["x", "s", "n"])
def test_lengths_that_differ(short: str) -> None:
    """How many rows there are is nobody's business either."""
    table = {"x": np.arange(137.0), "s": np.array(["a"] * 137), "n": np.ones(137)}
    table[short] = table[short][:-3]
    message = message_of(table, count="n")
    assert "equally long" in message
    assert repr(short) in message
    assert "137" not in message
    assert "134" not in message


def test_columns_have_one_dimension() -> None:
    assert "'x' must be one-dimensional" in message_of({"x": np.ones((3, 2)), "s": ["a"] * 3})
    two = np.array([["a"], ["b"]])
    assert "'s' must be one-dimensional" in message_of({"x": np.ones(2), "s": two})
    assert "holds list" in message_of({"x": np.ones(2), "s": [["a"], ["b"]]})


def test_arrays_are_left_alone() -> None:
    values, secrets = np.array([3.0, -0.0, math.nan, 1.0]), np.array(["b", "a", "a", "b"])
    kept = values.copy(), secrets.copy()
    summary = pf.summarise({"x": values, "s": secrets}, column="x", secret="s")
    np.testing.assert_array_equal(values, kept[0])
    np.testing.assert_array_equal(secrets, kept[1])
    values[:] = 9.0
    assert summary.groups["b"].values.tolist() == [1.0, 3.0]


def test_minus_zero_is_zero() -> None:
    """With counts and without."""
    table = {"x": [-0.0, 0.0, 0.0, -0.0], "s": ["a", "a", "b", "b"], "n": [1, 2, 3, 4]}
    for count in (None, "n"):
        summary = pf.summarise(table, column="x", secret="s", count=count)
        for group in summary.groups.values():
            assert group.values.tolist() == [0.0]
            assert math.copysign(1.0, group.values[0]) == 1.0


def test_numbers_of_every_width() -> None:
    for kind in (np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float32):
        summary = pf.summarise(
            {"x": np.array([1, 2, 2], dtype=kind), "s": np.array([0, 1, 1], dtype=np.uint8)},
            column="x",
            secret="s",
        )
        assert summary.groups[1].values.tolist() == [2.0]
        assert summary.groups[1].counts.tolist() == [2]
        assert [type(each) for each in summary.groups] == [int, int]
