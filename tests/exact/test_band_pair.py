"""Pairs with bands: smooth laws against many rows of equal weight, both directions, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import pufferfish as pf
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.exact.band_laws import BandTables
from pufferfish.exact.band_pair import band_ratios

LOW, HIGH = 0.0, 8.0
ROWS = 4_000


def laws_of(
    first: pf.Gaussian | pf.Discrete,
    second: pf.Gaussian | pf.Discrete,
    cap: tuple[float, float] | None = (LOW, HIGH),
) -> PairOfLaws:
    return next(iter(pf.Scenario([pf.Belief({"a": first, "b": second}, cap=cap)]).laws()))


# A width that hardly differs from none.
NONE = 1e-11


def ratios_of(
    laws: PairOfLaws, noise: pf.LaplaceNoise, widths: tuple[float, float]
) -> tuple[BandTables, BandTables]:
    named = (("a", widths[0]), ("b", widths[1]))
    # So many rows that any of these widths has the confidence.
    rows = (("a", 10**24), ("b", 10**24))
    region = pf.SampleRegion(confidence=0.95, shape="band", widths=named, rows=rows)
    return band_ratios(laws, region, noise)


@pytest.mark.parametrize("scale", [1.0, 4.0])
@pytest.mark.parametrize("widths", [(0.01, 0.1), (0.1, NONE), (NONE, NONE), (0.05, 0.05)])
def test_smooth_laws_are_capped_and_enclosed(scale: float, widths: tuple[float, float]) -> None:
    """Against 4,000 rows of each law, each of which moves within its interval."""
    first, second = pf.Gaussian(3.0, 1.0), pf.Gaussian(4.0, 2.0)
    levels = (np.arange(ROWS) + 0.5) / ROWS
    pieces = [np.clip(norm.ppf(levels, law.mean, law.std), LOW, HIGH) for law in (first, second)]
    outputs = np.linspace(LOW, HIGH, 321)
    seen = []
    for values, width in zip(pieces, widths, strict=True):
        reach = round(ROWS * width)
        left = np.concatenate([np.full(reach, LOW), values[: ROWS - reach]])[:, None]
        right = np.concatenate([values[reach:], np.full(reach, HIGH)])[:, None]
        near = np.maximum(np.maximum(left - outputs, outputs - right), 0.0)
        far = np.maximum(outputs - left, right - outputs)
        seen.append((np.exp(-near / scale).mean(axis=0), np.exp(-far / scale).mean(axis=0)))
    ratios = seen[0][0] / seen[1][1], seen[1][0] / seen[0][1]
    both = ratios_of(laws_of(first, second), pf.LaplaceNoise(scale), widths)
    for direction, ratio in zip(both, ratios, strict=True):
        found = direction.supremum()
        top = float(np.log(ratio).max())
        # Rows of 1/4,000 of the mass, outputs 1/40 apart.
        assert found.lower - 0.02 <= top <= found.upper + 0.005
        if min(widths) > NONE:
            assert found.width < 2e-3
        assert direction.hockey_stick(found.upper).upper == 0.0
        assert direction.hockey_stick(0.1).upper > 0.0


def test_a_smooth_law_is_never_promised_more_than_its_own_certificate() -> None:
    first, second = pf.Gaussian(3.0, 0.5), pf.Gaussian(4.0, 0.5)
    noise = pf.LaplaceNoise(2.0)
    one, other = ratios_of(laws_of(first, second), noise, (NONE, NONE))
    tails = 1e-8  # What lies beyond the range, in which the plain certificate is not capped.
    plain = pf.verify(pf.Scenario([pf.Belief({"a": first, "b": second})]), noise, pf.Guarantee(1.0))
    for found, result in zip((one, other), plain.results, strict=True):
        assert result.epsilon_lower - tails <= found.supremum().upper
        assert found.supremum().upper <= result.epsilon_upper + (HIGH - LOW) / 2.0**15


def test_directions_and_widths_belong_together() -> None:
    first, second = pf.Discrete([2.0, 3.0], [0.5, 0.5]), pf.Discrete([3.0, 5.0], [0.5, 0.5])
    noise = pf.LaplaceNoise(2.0)
    one, other = ratios_of(laws_of(first, second), noise, (0.2, 0.01))
    swapped = ratios_of(laws_of(second, first), noise, (0.01, 0.2))
    assert (one.supremum(), other.supremum()) == (swapped[1].supremum(), swapped[0].supremum())
    assert one.supremum() != other.supremum()


def test_what_is_not_proven_is_refused() -> None:
    two = pf.Discrete([2.0, 3.0], [0.5, 0.5]), pf.Discrete([3.0, 5.0], [0.5, 0.5])
    noise = pf.LaplaceNoise(4.0)
    with pytest.raises(pf.UnsupportedError, match="public bounds"):
        ratios_of(laws_of(*two, cap=None), noise, (0.1, 0.1))
    with pytest.raises(pf.UnsupportedError, match="wrong by a share as well"):
        ratios_of(laws_of(*two)._replace(wrong=0.01), noise, (0.1, 0.1))
    with pytest.raises(pf.UnsupportedError, match="missing"):
        ratios_of(laws_of(*two)._replace(missing_first=0.1), noise, (0.1, 0.1))
