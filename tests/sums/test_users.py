"""Descriptions of users: what is refused, what is merged, and what they say of the sum."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.sums import (
    Users,
    binary,
    finite_users,
    identical,
    moments,
    together,
    users_from_table,
)
from pufferfish.sums.secret import Protected


def test_equal_users_are_one_kind_and_keep_their_number() -> None:
    users = binary([0.5, 0.2, 0.5, 0.2, 0.2], [1.0, 3.0, 1.0, 3.0, 2.0])
    kinds = {
        (float(mean), int(count), users.position(kind))
        for kind, (mean, count) in enumerate(zip(users.means, users.counts, strict=True))
    }
    assert kinds == {(0.5, 2, 1), (0.2 * 3.0, 2, 2), (0.2 * 2.0, 1, 5)}
    assert users.size == 5


def test_a_billion_identical_users_are_one_entry() -> None:
    users = identical(10**9, 2.0, 3.0)
    assert (users.kinds, users.size) == (1, 10**9)
    assert users.mean == 2e9
    assert users.variance == 9e9
    assert users.rest_variances.tolist() == [9.0 * (10**9 - 1)]


@pytest.mark.parametrize("stds", [[1e8, 1.0, 2.0], [1.0, 1.0], [5.0], [0.0, 0.0], [3.0, 0.0]])
def test_the_others_variance_does_not_cancel(stds: list[float]) -> None:
    found = moments(np.zeros(len(stds)), stds).rest_variances
    for k, rest in enumerate(found):
        exact = sum(Fraction(std) ** 2 for i, std in enumerate(stds) if i != k)
        # One rounding each for a handful of squares and sums.
        assert abs(Fraction(float(rest)) - exact) <= exact * Fraction(1, 2**48)


def test_moments_of_tables_are_those_of_the_values() -> None:
    law = pf.Discrete([-1.0, 0.0, 4.0], [0.25, 0.5, 0.25])
    users = finite_users([law, law, pf.Discrete([2.0], [1.0])])
    assert users.means.tolist() == [0.75, 2.0]
    assert users.variances == pytest.approx([law.variance, 0.0], rel=1e-15)
    assert users.counts.tolist() == [2, 1]


def test_groups_together_know_tables_only_if_all_do() -> None:
    coins, others = binary([0.5], counts=[3]), identical(2, 1.0, 1.0)
    assert together(coins, others).laws is None
    both = together(coins, binary([0.1], 5.0))
    assert both.laws is not None
    assert both.laws.law(1) == pf.Discrete([0.0, 5.0], [0.9, 0.1])
    assert [both.name(kind) for kind in range(2)] == ["user 1", "user 4"]


def test_certain_users_have_one_value() -> None:
    users = binary([0.0, 1.0], 7.0)
    assert users.laws is not None
    assert [users.laws.law(k).values.tolist() for k in range(2)] == [[0.0], [7.0]]


def test_nothing_of_the_users_is_shown() -> None:
    assert "0.123" not in repr(binary([0.123]))
    assert "3.25" not in repr(identical(4, 3.25, 1.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: moments([1.0], [-1.0]),
        lambda: moments([1.0, 2.0], [1.0]),
        lambda: moments([float("nan")], [1.0]),
        lambda: moments([], []),
        lambda: identical(0, 1.0, 1.0),
        lambda: identical(10**19, 1.0, 1.0),
        lambda: binary([1.5]),
        lambda: binary([1e-300]),
        lambda: binary([0.5], counts=[1.5]),
        lambda: finite_users([]),
        lambda: finite_users([pf.Gaussian(0.0, 1.0)]),  # type: ignore[list-item]
        lambda: Protected(what="nothing"),  # type: ignore[arg-type]
        lambda: Protected(what="presence", between=(0.0, 1.0)),
        lambda: Protected(what="value", between=(1.0, 1.0)),
    ],
)
def test_what_describes_nobody_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(pf.InvalidInputError):
        make()


def test_a_value_needs_two_values() -> None:
    with pytest.raises(pf.UnsupportedError, match="between"):
        Protected(what="value").gaps(identical(3, 1.0, 1.0))
    assert Protected(what="value").gaps(binary([0.5, 0.1], [2.0, -3.0])).tolist() == [3.0, 2.0]


TABLES = [
    ({"mean": [1.0, 2.0], "std": [0.5, 0.0], "count": [1, 3]}, (4, 7.0)),
    ({"p": [0.5, 0.25]}, (2, 0.75)),
    ({"p": [0.5, 0.25], "value": [2.0, 4.0]}, (2, 2.0)),
    ({"user": [7, 7, 3], "value": [0.0, 2.0, 5.0], "probability": [0.5, 0.5, 1.0]}, (2, 6.0)),
]


@pytest.mark.parametrize(("table", "expected"), TABLES)
@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "csv", "parquet"])
def test_tables_of_every_kind(
    table: dict[str, list[float]], expected: tuple[int, float], kind: str, tmp_path: object
) -> None:
    import pandas
    import polars

    given: object = table
    if kind == "pandas":
        given = pandas.DataFrame(table)
    elif kind == "polars":
        given = polars.DataFrame(table)
    elif kind in ("csv", "parquet"):
        given = f"{tmp_path}/users.{kind}"
        write = polars.DataFrame(table)
        write.write_csv(given) if kind == "csv" else write.write_parquet(given)
    users: Users = users_from_table(given)
    assert (users.size, users.mean) == expected


@pytest.mark.parametrize(
    "table",
    [
        {"age": [1.0]},
        {"mean": [1.0, None], "std": [1.0, 1.0]},
        {"mean": [], "std": []},
        {"mean": [1.0], "std": [1.0], "count": [0.5]},
        {"value": [0.0, 1.0], "probability": [0.5, 0.4]},
        {"user": [1, 1], "value": [0.0, 1.0], "probability": [0.5, 0.5], "count": [1, 2]},
    ],
)
def test_a_table_that_describes_no_users_is_refused(table: dict[str, object]) -> None:
    with pytest.raises(pf.DataError):
        users_from_table(table)
