"""Which way quantiles and histograms are estimated, and the column without noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf
from pufferfish import denoise
from tests.denoise.simulate import LEVELS, a_release, inside


def test_without_noise_quantiles_and_histograms_are_those_of_the_rows() -> None:
    x = np.random.default_rng(10).integers(0, 9, 1000).astype(float)
    found = denoise.quantiles(x, pf.NoNoise(), LEVELS)
    assert found.bandwidth == 0.0
    expected = np.quantile(x, LEVELS, method="inverted_cdf")
    assert [e.value for e in found.estimates] == expected.tolist()
    assert all(inside(e, e.value) for e in found.estimates)
    shares = denoise.histogram(x, pf.NoNoise(), [-1.0, 0.0, 3.5, 8.0])
    counts = [np.sum(x == 0), np.sum((x > 0) & (x <= 3)), np.sum(x > 3)]
    assert [e.value for e in shares.estimates] == [c / 1000 for c in counts]
    p = counts[0] / 1000
    assert shares.estimates[0].standard_error == pytest.approx(math.sqrt(p * (1 - p) / 1000))


@pytest.mark.parametrize("bad", [10, None, [-math.inf, math.inf]])
def test_edges_that_are_none_are_refused(bad: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="edges"):
        denoise.histogram(np.arange(200.0), pf.NoNoise(), bad)  # type: ignore[arg-type]


def test_smoothing_is_asked_for_and_warns() -> None:
    y, _ = a_release(1)
    noise = pf.LaplaceNoise(1.0)
    for arguments in ({"support": "smooth"}, {"bandwidth": 0.4}):
        with pytest.warns(pf.CoverageWarning, match="whole numbers"):
            found = denoise.quantiles(y, noise, [0.5], **arguments)  # type: ignore[arg-type]
        assert found.bandwidth > 0.0
        assert "WARNING: assumed: a density" in str(found)
    assert denoise.quantiles(y, noise, [0.5]).bandwidth == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"support": 1.0, "bandwidth": 0.5}, "bandwidth belongs to"),
        ({"support": "lumpy"}, "must be a step"),
        ({"support": -1.0}, "greater than 0"),
        ({"support": [3.0]}, "2 to 20,000"),
        ({"support": True}, "real number"),
        ({"clipped": (3.0, 1.0)}, "low and a high"),
        ({"clipped": 3.0}, "two bounds"),
        ({"clipped": (2.0, 5.0)}, "between the bounds"),
        ({"rounded": 1.0, "clipped": (0.5, 5.0)}, "multiples"),
        ({"rounded": -1.0}, "negative"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(
    arguments: dict[str, object], message: str
) -> None:
    y, _ = a_release(2)
    with pytest.raises(pf.InvalidInputError, match=message):
        denoise.histogram(y, pf.LaplaceNoise(1.0), [0.0, 2.0], **arguments)  # type: ignore[arg-type]


def test_combinations_without_an_estimate_are_refused() -> None:
    y, _ = a_release(3)
    with pytest.raises(pf.UnsupportedError, match="leave it out"):
        denoise.histogram(y, pf.LaplaceNoise(1.0), [0.0, 2.0], support="smooth", rounded=1.0)
    with pytest.raises(pf.UnsupportedError, match="without noise"):
        denoise.histogram(y, pf.NoNoise(), [0.0, 2.0], clipped=(-9.0, 30.0))
    with pytest.raises(pf.UnsupportedError, match="halves"):
        denoise.histogram(y, pf.LaplaceNoise(1.0, 0.5), [0.0, 2.0], rounded=1.0)
