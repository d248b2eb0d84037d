"""How the three laws are drawn, apart from the mechanism that certifies them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.mechanisms import drawing_of

ON_GRID = [pf.LaplaceNoise(2.0, 0.25), pf.GaussianNoise(2.0, 0.25)]


@pytest.mark.parametrize("law", ON_GRID, ids=repr)
def test_noise_is_added_on_its_grid(law: pf.Noise) -> None:
    drawing, values = drawing_of(law), np.linspace(-3.0, 3.0, 1001)
    drawing.check(law)
    published = drawing.draw(law, values, pf.NotPrivateEntropy(5))
    assert (published % 0.25 == 0.0).all()
    # 1,001 draws: 8 standard errors of a mean square, of kurtosis 6 at most.
    assert np.mean((published - values) ** 2) == pytest.approx(law.variance, rel=0.6)
    again = drawing.draw(law, values, pf.NotPrivateEntropy(5))
    np.testing.assert_array_equal(published, again)
    assert drawing.limit(law) == 2.0**58
    assert drawing.reach(law) == 700.0 * law.std
    assert drawing.explain_exactness(law) == "in steps of 0.25"


@pytest.mark.parametrize("law", [pf.LaplaceNoise(2.0), pf.GaussianNoise(2.0)], ids=repr)
def test_an_ideal_law_is_not_drawn(law: pf.Noise) -> None:
    with pytest.raises(pf.UnsupportedError, match="the noise has no grid"):
        drawing_of(law).check(law)
    with pytest.raises(pf.UnsupportedError, match="no sampler"):
        drawing_of(law).draw(law, np.zeros(1), pf.NotPrivateEntropy(1))
    imitated = drawing_of(law).imitate(law, 7, np.random.default_rng(1))
    assert imitated.shape == (7,)


def test_too_fine_a_grid_is_refused() -> None:
    law = pf.LaplaceNoise(1.0, 2.0**-50)
    with pytest.raises(pf.UnsupportedError, match="too fine"):
        drawing_of(law).check(law)


def test_no_noise_gives_back_the_values() -> None:
    law, values = pf.NoNoise(), np.array([1.0, 2.0])
    drawing = drawing_of(law)
    drawing.check(law)
    assert drawing.draw(law, values, pf.NotPrivateEntropy(1)).tolist() == [1.0, 2.0]
    assert drawing.limit(law) == math.inf
    assert drawing.reach(law) == 0.0
