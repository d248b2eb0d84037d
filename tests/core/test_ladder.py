"""The public ladder."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.core.ladder import RUNGS, rung_up

numbers = st.floats(1e-60, 1e60)


@given(numbers)
def test_a_rung_is_the_next_one_above_and_stays(number: float) -> None:
    rung = rung_up(number)
    assert rung >= number
    assert rung_up(rung) == rung
    # What is left of its power of ten is listed, and the one before would be too little.
    mantissa = Decimal(repr(rung)).scaleb(-Decimal(repr(rung)).adjusted())
    places = [Decimal(each) for each in RUNGS]
    place = places.index(mantissa)
    before = places[place - 1] if place else Decimal("0.8")
    assert float(before.scaleb(Decimal(repr(rung)).adjusted())) < number


@given(numbers, numbers)
def test_rungs_keep_the_order(first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert rung_up(low) <= rung_up(high)


def test_rungs_are_ten_to_a_decade_and_evenly_spaced() -> None:
    rungs = [float(each) for each in RUNGS]
    assert (rungs[0], rungs[-1], len(rungs)) == (1.0, 10.0, 11)
    for lower, higher in pairwise(rungs):
        assert 1.25 <= higher / lower <= 1.28
    for place, rung in enumerate(rungs):
        # As close to 10^(place/10) as numbers of two or three digits come.
        assert math.log10(rung) == pytest.approx(place / 10, abs=0.006)


@pytest.mark.parametrize(
    ("number", "rung"),
    [
        (1.0, 1.0),
        (1.7153, 2.0),
        (30.99, 32.0),
        (42.56, 50.0),
        (0.081, 0.1),
        (9.0, 10.0),
        (8.0, 8.0),
    ],
)
def test_some_rungs(number: float, rung: float) -> None:
    assert rung_up(number) == rung


@pytest.mark.parametrize("number", [0.0, -1.0, math.inf, math.nan])
def test_what_has_no_rung_is_refused(number: float) -> None:
    with pytest.raises(pf.InvalidInputError):
        rung_up(number)
