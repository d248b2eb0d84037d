"""Every law answers the same questions, and nobody asks which one it is."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import pufferfish as pf
from pufferfish.noise import as_noise
from pufferfish.noise.base import AdditiveLaw, Law

LAWS = [pf.LaplaceNoise(1.5), pf.GaussianNoise(1.5), pf.LaplaceNoise(3.0, 0.25), pf.NoNoise()]
DRAWN = [
    (pf.LaplaceNoise(1.5), stats.laplace(scale=1.5)),
    (pf.GaussianNoise(1.5), stats.norm(scale=1.5)),
]
# Who may ask: the laws, the oracle, proofs, estimates, and what is registered.
MAY_ASK = ("noise", "exact", "theorems", "denoise", "mechanisms")


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_each_law_answers(law: pf.Noise) -> None:
    assert isinstance(law, Law)
    assert isinstance(law, AdditiveLaw)
    assert law.additive
    assert law.domain is None
    assert law.identity == (law == pf.NoNoise())
    assert law.drawable == (law.grid is not None or law.identity)
    assert law.error() == law.error({1.0: 0.5, 2.0: 0.5}) == law.std
    prior = pf.Gaussian(0.0, 1.0)
    assert law.output(prior).cdf(1.0) == pf.output_law(prior, law).cdf(1.0)
    assert as_noise(law) is law


@pytest.mark.parametrize(("law", "same"), DRAWN, ids=["laplace", "gaussian"])
def test_the_numbers_of_a_law_are_those_of_its_density(law: pf.Noise, same: Any) -> None:
    points = np.array([-4.0, -1.0, 0.0, 0.5, 7.0])
    np.testing.assert_allclose(law.cdf(points), same.cdf(points), rtol=1e-13)
    assert law.peak_width == pytest.approx(1.0 / same.pdf(0.0), rel=1e-15)
    second, fourth = law.unit.moments
    assert second * law.size**2 == pytest.approx(same.moment(2), rel=1e-13)
    assert fourth * law.size**4 == pytest.approx(same.moment(4), rel=1e-13)
    mean, _ = quad(lambda n: 2.0 * n * same.pdf(n), 0.0, math.inf)
    assert law.mean_absolute == pytest.approx(mean, rel=1e-8)
    for confidence in (0.5, 0.95, 0.999):
        inside = same.cdf(law.half_width(confidence)) - same.cdf(-law.half_width(confidence))
        assert inside == pytest.approx(confidence, rel=1e-13)
    for frequency in (0.2, 1.0, 3.0):
        found, _ = quad(lambda n, t: 2.0 * math.cos(t * n) * same.pdf(n), 0.0, 60.0, (frequency,))
        # 1e-9 for a grid is in the Gaussian one; the integral is this accurate.
        assert law.modulus(frequency) == pytest.approx(found, abs=2e-9)


def test_a_grid_does_not_lower_what_the_modulus_allows() -> None:
    for law in (pf.LaplaceNoise(3.0, 0.25), pf.GaussianNoise(3.0, 0.25)):
        steps = np.arange(-400, 401) * 0.25
        density = np.exp(-np.abs(steps) / 3.0 if law.ratio_scale else -0.5 * np.square(steps / 3.0))
        for frequency in (0.1, 0.7, 2.0, 12.0, 25.0):
            drawn = abs(float(density @ np.cos(frequency * steps))) / float(density.sum())
            assert drawn <= law.modulus(frequency)


def test_only_laplace_bounds_the_log_ratio() -> None:
    shifted = pf.LaplaceNoise(2.0)
    assert shifted.ratio_scale == 2.0
    assert pf.GaussianNoise(2.0).ratio_scale == pf.NoNoise().ratio_scale == 0.0


def test_no_noise_is_a_law_too() -> None:
    none = pf.NoNoise()
    assert none.identity
    assert none.size == none.peak_width == none.mean_absolute == none.half_width(0.95) == 0.0
    assert none.unit.moments == (0.0, 0.0)
    assert none.modulus(3.0) == 1.0
    assert none.resized(5.0) is none.ideal(0.5) is none
    assert none.cdf(np.array([-1.0, 0.0, 1.0])).tolist() == [0.0, 1.0, 1.0]


def test_other_sizes() -> None:
    assert pf.LaplaceNoise(4.0, 0.5).resized(8.0) == pf.LaplaceNoise(8.0, 0.5)
    assert pf.GaussianNoise(4.0, 0.5).resized(8.0) == pf.GaussianNoise(8.0, 0.5)
    assert pf.LaplaceNoise(4.0, 0.5).ideal(0.5) == pf.LaplaceNoise(2.0)
    assert pf.GaussianNoise(4.0, 0.5).ideal() == pf.GaussianNoise(4.0)


def test_nobody_asks_which_noise_it_is() -> None:
    home = Path(pf.__file__).parent
    asked = re.compile(
        r"isinstance\([^()]*\b(LaplaceNoise|GaussianNoise|NoNoise)\b"
        r"|\btype\([^()]*\) (is|==|in)[^\n]*\b(LaplaceNoise|GaussianNoise|NoNoise)\b"
        r"|\.(scale|std) is defined"
    )
    found = []
    for path in sorted([*home.rglob("*.py"), *home.rglob("*.j2")]):
        if path.relative_to(home).parts[0] in MAY_ASK:
            continue
        text = path.read_text(encoding="utf-8")
        found += [f"{path.relative_to(home)}: {each[0]}" for each in asked.finditer(text)]
    assert not found
