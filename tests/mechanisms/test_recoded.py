"""Recodings drawn, told and written down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import pufferfish as pf
from pufferfish.mechanisms import drawing_of, words_of
from pufferfish.noise import law_from_dict, law_to_dict
from pufferfish.recoding.exact import WHOLE
from pufferfish.sampling import SystemEntropy

MATRIX = np.array([[0.7, 0.2, 0.1, 0.0], [0.1, 0.6, 0.2, 0.1], [0.05, 0.15, 0.7, 0.1]])
LAW = pf.Recoding.from_matrix([3, 5, 9], MATRIX, outputs=[3, 5, 9, 10])


def statistic(published: Any, outputs: Any, chances: Any) -> float:
    """Pearson's chi-square of one row; inf where something impossible was drawn."""
    counts = np.array([(published == each).sum() for each in outputs])
    assert counts.sum() == published.size
    if counts[chances == 0].any():
        return float("inf")
    possible = chances > 0
    expected = published.size * chances[possible]
    return float(((counts[possible] - expected) ** 2 / expected).sum())


def test_every_row_is_drawn_as_its_numbers_say_and_a_row_that_is_off_is_seen() -> None:
    drawing, rows = drawing_of(LAW), 200_000
    limit = chi2.isf(1e-6 / 3, df=3)
    for value, chances in zip(LAW.values, MATRIX, strict=True):
        published = drawing.draw(LAW, np.full(rows, value), SystemEntropy())
        assert statistic(published, LAW.outputs, chances) < limit
        # 5% of what the row says at its mode is elsewhere.
        off = chances.copy()
        off[chances.argmax()] *= 0.95
        off[1] += 1.0 - off.sum()
        if chances.argmax() != 1:
            assert statistic(published, LAW.outputs, off) > limit


def test_values_keep_their_places() -> None:
    law = pf.Recoding.from_matrix([3, 5, 9], np.eye(3), outputs=[30, 50, 90])
    given = np.array([9, 3, 5, 5, 9])
    assert drawing_of(law).draw(law, given, SystemEntropy()).tolist() == [90, 30, 50, 50, 90]


def test_holes_go_in_and_come_out() -> None:
    law = pf.Recoding.from_matrix([1, None], [[0, 1], [1, 0]])
    drawn = drawing_of(law).draw(law, np.array([1.0, np.nan]), SystemEntropy())
    assert np.isnan(drawn[0])
    assert drawn[1] == 1.0


@pytest.mark.parametrize("value", [4.0, np.nan, np.inf, 3.0000001])
def test_a_value_that_is_not_listed_is_refused_without_being_told(value: float) -> None:
    with pytest.raises(pf.InvalidInputError) as error:
        drawing_of(LAW).draw(LAW, np.array([3.0, value]), SystemEntropy())
    assert "3.0000001" not in str(error.value)


def test_noise_goes_first_and_then_the_bin_is_looked_up() -> None:
    noise = pf.LaplaceNoise(1.0, 2.0**-20)
    table = np.array([[WHOLE, 0], [0, WHOLE]])
    law = pf.Recoding(values=(0.0, 2.0), outputs=(0.0, 2.0), table=table, edges=(1.0,), noise=noise)
    drawn = drawing_of(law).draw(law, np.zeros(100_000), SystemEntropy())
    share = (drawn == 2.0).mean()
    # e^{-1}/2, within 6 standard errors.
    assert abs(share - 0.18394) < 6 * np.sqrt(0.18394 * 0.816 / 100_000)
    with pytest.raises(pf.InvalidInputError, match="does not cover"):
        drawing_of(law).draw(law, np.array([1e300]), SystemEntropy())


def test_a_document_holds_every_digit_and_is_checked_again() -> None:
    floor = pf.Recoding.from_matrix([1, 2], [[0.6, 0.4], [0.4, 0.6]], floor=0.5)
    noise = pf.LaplaceNoise(1.0, 2.0**-20)
    binned = pf.Recoding(
        values=(0.0, 2.0, None),
        outputs=(0.0, 2.0, None),
        table=np.diag([WHOLE] * 3),
        edges=(1.0,),
        noise=noise,
    )
    metric = pf.Recoding.from_matrix(
        [1, 2], [[0.6, 0.4], [0.4, 0.6]], floor=0.1, distances=[[0, 9], [9, 0]]
    )
    for law in (LAW, floor, binned, metric):
        assert law_from_dict(law_to_dict(law)) == law
    document = law_to_dict(floor)
    one, other = document["rows"][0].split(" ")
    for rows in (
        [f"{other} {one}"] * 2 + ["0 1"],
        [f"{one} {one}", document["rows"][1]],
        [f"{one} {other} 0", document["rows"][1]],
        [f"-{one} {other}", document["rows"][1]],
        ["", document["rows"][1]],
        [f"{WHOLE:x} 0", f"0 {WHOLE:x}"],  # keeps no floor
    ):
        with pytest.raises(pf.InvalidInputError):
            law_from_dict(document | {"rows": rows})


def test_words_say_what_happens_and_what_the_floor_means() -> None:
    law = pf.Recoding.from_matrix([1, 2], [[0.6, 0.4], [0.4, 0.6]], floor=0.5)
    words = words_of(law)
    assert words.noun(law) == "a recoding of 2 values with floor 0.5"
    assert "Laplace noise of scale 2" in words.done(law)
    assert "without a floor" in words_of(LAW).done(LAW)
    assert "noise" not in words_of(LAW).done(LAW)
