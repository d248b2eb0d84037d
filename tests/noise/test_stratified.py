"""A law for each value of what everybody knows: which one is meant, and what holds for all."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.noise import NoNoise, Stratified, Stratum
from pufferfish.recoding.exact import WHOLE

ONE, TWO = pf.LaplaceNoise(1.0), pf.LaplaceNoise(2.0)


def by(*strata: tuple[tuple[object, ...], object], columns: tuple[str, ...] = ("z",)) -> Stratified:
    return Stratified(columns=columns, strata=tuple(Stratum(*each) for each in strata))  # type: ignore[arg-type]


def test_labels_are_matched_by_their_kind() -> None:
    law = by((("1",), ONE), ((1,), TWO), ((True,), ONE), ((None,), TWO))
    assert law.place_of({"z": "1"}) == 0
    assert law.place_of({"z": 1}) == law.place_of({"z": 1.0}) == 1
    assert law.place_of({"z": True}) == 2
    assert law.place_of({"z": None}) == 3
    assert law.place_of({"z": "other"}) is None
    assert law.place_of({"w": "1"}) is None
    assert law.place_of({}) is None
    assert law.place_of({"w": 3, "z": "1"}) == 0


def test_columns_may_be_named_in_any_order() -> None:
    law = by((("a", "b"), ONE), (("b", "a"), TWO), columns=("y", "z"))
    assert law.place_of({"z": "b", "y": "a"}) == 0
    assert law.place_of({"z": "a", "y": "b"}) == 1


def test_labels_are_plain_and_travel() -> None:
    law = by(((np.int64(3),), ONE), ((math.nan,), TWO))
    assert [each.given for each in law.strata] == [(3,), (None,)]
    again = pickle.loads(pickle.dumps(law))
    assert again == law
    assert again.place_of({"z": 3}) == 0
    assert hash(again) == hash(law)


def test_what_leaves_open_which_law_is_meant_is_refused() -> None:
    for strata, columns in (
        ([], ("z",)),
        ([((1,), ONE), ((1.0,), TWO)], ("z",)),
        ([((None,), ONE), ((math.nan,), TWO)], ("z",)),
        ([((1, 2), ONE)], ("z",)),
        ([((1,), ONE)], ("z", "z")),
        ([((), ONE)], ()),
        ([((1,), by(((1,), ONE)))], ("z",)),
        ([(((1, 2),), ONE)], ("z",)),
    ):
        with pytest.raises(pf.InvalidInputError):
            by(*strata, columns=columns)


def test_what_is_said_of_all_is_true_of_the_worst() -> None:
    law = by((("a",), ONE), (("b",), TWO))
    assert law.ratio_scale == 1.0
    assert law.at_floor == ONE
    assert law.error() == TWO.error()
    assert not law.identity
    assert not law.additive
    assert by((("a",), NoNoise()), (("b",), NoNoise())).identity
    assert not by((("a",), NoNoise()), (("b",), ONE)).identity
    without = pf.Recoding(values=("a",), outputs=("a",), table=[[WHOLE]])
    assert by((("a",), ONE), (("b",), without)).at_floor is None
    with pytest.raises(pf.UnsupportedError, match="ask each stratum"):
        law.output(pf.Gaussian(0, 1))


def test_rows_with_true_are_not_those_with_one() -> None:
    """Else the certificate of one law would be taken for that of another."""
    assert by(((True,), ONE), ((1,), TWO)) != by(((1,), ONE), ((True,), TWO))
    assert by(((1,), ONE)) == by(((1.0,), ONE))
