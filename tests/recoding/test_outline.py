"""What a public edition says of a recoding."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.mechanisms import drawing_of, words_of
from pufferfish.noise import law_from_dict, law_to_dict
from pufferfish.recoding.outline import RecodingOutline


def test_it_says_the_floor_and_nothing_else() -> None:
    law = RecodingOutline(0.5)
    assert law_to_dict(law) == {"kind": "recoding-outline", "floor": 0.5, "own": False}
    assert law_from_dict(law_to_dict(law)) == law
    assert law.at_floor == pf.LaplaceNoise(2.0)
    assert RecodingOutline().at_floor is None
    assert not RecodingOutline().floored
    own = RecodingOutline(0.5, own=True)
    assert own.floored
    # In units that the column does not have, it is no noise of the column.
    assert own.at_floor is None
    assert "a floor of 0.5 or stronger, in its own distances between values" in words_of(own).done(
        own
    )
    assert "Laplace noise of scale 2" in words_of(law).done(law)
    for ask in (law.error, lambda: law.output(pf.Gaussian(0, 1))):
        with pytest.raises(pf.UnsupportedError, match="private"):
            ask()
    assert not law.drawable
    assert not drawing_of(law).told
