"""Fig. 5: both forms of τ."""

from __future__ import annotations

import math

import numpy as np
from examples.paper import Written
from scipy.special import lambertw
from scipy.stats import norm

from tests.paper.conftest import series_of


def test_both_curves_are_what_they_say(written: Written) -> None:
    drawn = series_of(written, "fig-5", "a")
    exact, lambert = drawn.values()
    assert (exact.x[0], exact.x[-1]) == (0.001, 0.999)
    np.testing.assert_allclose(exact.y, norm.isf(exact.x / 2.0), rtol=1e-9)
    wanted = np.sqrt(lambertw(2.0 / (math.pi * lambert.x**2)).real)
    np.testing.assert_allclose(lambert.y, wanted, rtol=1e-9)
    assert (lambert.y > exact.y).all()
    assert "Q⁻¹" in exact.label
    assert "W₀" in lambert.label
