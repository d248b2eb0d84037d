"""Numbers for people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pufferfish.words.numbers import (
    about,
    at_most,
    between,
    odds_factor,
    percent,
    percent_down,
    percent_of,
    percent_up,
    readable,
    times,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.72, "1.72"),
        (2.43244, "2.432"),
        (14424.9, "14,420"),
        (-373300.0, "-373,300"),
        (9999.4, "9999"),
        (1e12, "1e+12"),
        (1.5e-7, "1.5e-07"),
    ],
)
def test_thousands_are_set_apart_instead_of_an_exponent(number: float, text: str) -> None:
    assert readable(number) == text


def test_few_digits_need_no_exponent_either() -> None:
    assert readable(843.0, 2) == "840"


@given(st.floats(1e-6, 1e6), st.integers(2, 9))
def test_what_bounds_is_rounded_to_its_side(value: float, digits: int) -> None:
    assert float(at_most(value, digits)) >= value
    assert float(at_most(value, digits)) <= value * (1.0 + 2.1 * 10.0 ** (1 - digits))


@given(st.floats(1e-6, 1e6), st.floats(1e-12, 0.5))
def test_neither_end_of_an_enclosure_moves_inwards(lower: float, wide: float) -> None:
    upper = lower * (1.0 + wide)
    low, high = map(float, between(lower, upper).removeprefix("between ").split(" and "))
    # What is known to ten digits is written with nine.
    assert low <= lower
    assert upper <= high


def test_what_has_no_bound_stays_without() -> None:
    assert at_most(float("inf"), 4) == "inf"


@given(st.floats(0.0, 1.0))
def test_shares_are_rounded_to_their_side(share: float) -> None:
    assert float(percent_up(share)[:-1]) >= 100.0 * share * (1.0 - 2.0**-52)
    assert float(percent_down(share)[:-1]) <= 100.0 * share * (1.0 + 2.0**-52)


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_share_in_whole_percent_is_never_less(part: int, whole: int) -> None:
    assert percent_of(part, whole) * whole >= 100 * part
    assert percent_of(part, 0) == 0


@pytest.mark.parametrize(
    ("epsilon", "text"), [(0.0, "1"), (1.0, "2.719"), (699.0, "3.732e+303"), (800.0, "e^800")]
)
def test_the_factor_of_the_odds_is_never_too_small(epsilon: float, text: str) -> None:
    assert odds_factor(epsilon) == text


def test_an_enclosure_is_rounded_outwards() -> None:
    assert between(0.5, 0.5) == "0.5"
    assert between(0.12341, 0.12349) == "between 0.1234 and 0.1235"


def test_percent_times_and_parts() -> None:
    assert percent(0.25) == "25%"
    assert percent(0.123456, 2) == "12%"
    assert times(12.34) == "12 times"
    assert [about(each) for each in (0.66, 0.5, 1 / 3, 0.05)] == [
        "about two thirds",
        "about half",
        "about a third",
        "about 1/20",
    ]
