"""Laws by known values: drawn by nobody at once, told, written and read."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.mechanisms import drawing_of, words_of
from pufferfish.noise import Stratified, Stratum, law_from_dict, law_to_dict
from pufferfish.recoding.exact import WHOLE
from pufferfish.sampling import SystemEntropy

HALF = WHOLE // 2
LABELS = pf.Recoding(
    values=(("a", True), ("a", 1), (None, 0.5)),
    outputs=(("a", True), (None, 0.5)),
    table=[[WHOLE, 0], [HALF, HALF], [0, WHOLE]],
    unseen=(HALF, HALF),
)
CODES = pf.Recoding(values=(3, 1), outputs=(3, 1), table=[[HALF, HALF]] * 2, labelled=True)
LAW = Stratified(
    columns=("sex", "old"),
    strata=(
        Stratum(("Male", True), LABELS),
        Stratum(("Male", 1), CODES),
        Stratum((None, 0), CODES),
    ),
)


@pytest.mark.parametrize("law", [LABELS, CODES, LAW])
def test_what_is_written_is_read(law: pf.Recoding | Stratified) -> None:
    again = law_from_dict(json.loads(json.dumps(law_to_dict(law))))
    assert again == law
    if isinstance(again, pf.Recoding) and isinstance(law, pf.Recoding):
        assert repr(again.values) == repr(law.values)
        assert again.unseen == law.unseen
        assert again.labelled
    if isinstance(again, Stratified) and isinstance(law, Stratified):
        assert repr([each.given for each in again.strata]) == repr(
            [each.given for each in law.strata]
        )
        assert again.place_of({"sex": "Male", "old": 1}) == 1


def test_a_document_that_is_no_law_is_refused() -> None:
    data = law_to_dict(LAW)
    for wrong in (
        data | {"given": data["given"][:2]},
        data | {"laws": []},
        data | {"columns": []},
        data | {"laws": [data, data, data]},
        data | {"given": [["Male", True]] * 3},
    ):
        with pytest.raises(pf.InvalidInputError):
            law_from_dict(wrong)


def test_nobody_draws_without_knowing_the_row() -> None:
    with pytest.raises(pf.UnsupportedError, match="each law to its own rows"):
        drawing_of(LAW).draw(LAW, np.zeros(3), SystemEntropy())
    drawing_of(LAW).check(LAW)
    assert drawing_of(LAW).tells(LAW)


def test_words_say_how_many_there_are() -> None:
    words = words_of(LAW)
    assert "3" in words.short(LAW)
    assert "sex" in words.short(LAW)
    assert "old" in words.short(LAW)
    for text in (words.noun(LAW), words.done(LAW), words.error(LAW), words.in_full(LAW)):
        assert text
        assert "Male" not in text
    assert ("known-columns", "the promise holds given what is known") in words.proofs(LAW)


def test_what_is_applied_is_called_by_its_kind() -> None:
    """`verify` says "this recoding keeps" of recodings, also by known values."""

    def by_sex(*laws: pf.Recoding | pf.LaplaceNoise) -> Stratified:
        strata = tuple(Stratum((place,), each) for place, each in enumerate(laws))
        return Stratified(columns=("sex",), strata=strata)

    noise = pf.LaplaceNoise(2.0)
    for law, called in (
        (LAW, "recoding"),
        (CODES, "recoding"),
        (noise, "noise"),
        (by_sex(noise, noise), "noise"),
        (by_sex(noise, CODES), "mechanism"),
    ):
        assert words_of(law).called(law) == called
