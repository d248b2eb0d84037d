"""What other ways to a promise would have taken: against the formulas themselves."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

import pufferfish as pf
from pufferfish.insight.other_ways import PAPER_DELTA, alternatives

GAUSSIANS = {"a": pf.Gaussian(0.0, 2.0), "b": pf.Gaussian(1.5, 3.0)}
TABLES = {"a": pf.Discrete([0.0, 10.0], [0.5, 0.5]), "b": pf.Discrete([4.0, 12.0], [0.25, 0.75])}


def calibrated(*laws: dict[str, pf.Prior], delta: float = 0.0) -> pf.Calibration:
    beliefs = [pf.Belief(each, name=str(number)) for number, each in enumerate(laws)]
    return pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.5, delta))


def test_local_differential_privacy_needs_the_range() -> None:
    found = calibrated(TABLES)
    assert isinstance(found.noise, pf.LaplaceNoise)
    (local,) = alternatives(found)
    assert local.name == "local"
    assert local.values == (0.0, 12.0)
    assert local.scale == pytest.approx(12.0 / 0.5)
    assert local.ratio == pytest.approx(24.0 / found.noise.scale)
    assert local.promise == pf.Guarantee(0.5)
    assert local.holds


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_theorem_2_for_one_component_is_theorem_1(delta: float) -> None:
    found = calibrated(GAUSSIANS, delta=delta)
    (paper,) = alternatives(found)
    asked = delta or PAPER_DELTA
    assert paper.name == "thm-2"
    assert paper.promise == pf.Guarantee(0.5, asked)
    assert paper.scale == pytest.approx((1.5 + norm.isf(asked / 2.0)) / 0.5)
    assert not paper.holds
    assert paper.values is None


def test_each_speaks_of_the_beliefs_that_it_is_about() -> None:
    both = alternatives(calibrated(GAUSSIANS, TABLES))
    assert [each.name for each in both] == ["local", "thm-2"]
    assert both[1].scale == alternatives(calibrated(GAUSSIANS))[0].scale
    assert both[0].scale == alternatives(calibrated(TABLES))[0].scale


def test_other_noise_is_compared_by_its_std_and_no_noise_not_at_all() -> None:
    scenario = pf.Scenario(pf.Belief(GAUSSIANS))
    gaussian = pf.calibrate(scenario, pf.Guarantee(0.5, 0.01), "gaussian")
    (paper,) = alternatives(gaussian)
    assert paper.ratio == pytest.approx(math.sqrt(2.0) * paper.scale / gaussian.noise.std)
    bare = pf.calibrate(scenario, pf.Guarantee(1.0, 0.9))
    assert bare.noise == pf.NoNoise()
    (paper,) = alternatives(bare)
    assert paper.ratio is None
    assert paper.std > 0.0


def test_where_the_theorem_says_nothing_neither_do_we() -> None:
    scenario = pf.Scenario(pf.Belief(GAUSSIANS, missing={"a": 0.1, "b": 0.12}))
    assert alternatives(pf.calibrate(scenario, pf.Guarantee(1.0))) == ()


def test_ratios_are_of_scales() -> None:
    found = calibrated(GAUSSIANS, TABLES)
    for each in alternatives(found):
        assert each.ratio is not None
        assert each.ratio * found.noise.std == pytest.approx(each.scale * math.sqrt(2.0))
