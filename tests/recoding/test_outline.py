"""What a public edition says of a recoding."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.mechanisms import drawing_of, words_of
from pufferfish.noise import law_from_dict, law_to_dict
from pufferfish.recoding.outline import RecodingOutline


def test_it_says_the_floor_and_nothing_else() -> None:
    law = RecodingOutline(0.5)
    assert law_to_dict(law) == {"kind": "recoding-outline", "floor": 0.5}
    assert law_from_dict(law_to_dict(law)) == law
    assert law.at_floor == pf.LaplaceNoise(2.0)
    assert RecodingOutline().at_floor is None
    assert "Laplace noise of scale 2" in words_of(law).done(law)
    for ask in (law.error, lambda: law.output(pf.Gaussian(0, 1))):
        with pytest.raises(pf.UnsupportedError, match="private"):
            ask()
    assert not law.drawable
    assert not drawing_of(law).told
