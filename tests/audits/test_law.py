"""The noise against the law that was certified."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.audits.law import check_law
from pufferfish.audits.subject import as_subject
from tests.audits.subjects import ADULT, PURE, Sampler, draw_by, draw_less, mechanism, too_many
from tests.support import scenario_of

SHIFTED = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0))


def _mechanism(noise: str) -> pf.Mechanism:
    return mechanism(SHIFTED, pf.Guarantee(0.5, 0.01), noise=noise)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_false_alarms_are_as_rare_as_stated_and_not_much_rarer(noise: str) -> None:
    subject, runs, rate = as_subject(_mechanism(noise)), 300, 0.2
    alarms = sum(check_law(subject, 0.5, 2000, rate).passed is False for _ in range(runs))
    assert not too_many(alarms, runs, rate)
    # The inequality is nearly an equality here: a bound twice as wide would give 0.2^4.
    assert alarms > 0.4 * runs * rate


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("less", [0.4, 0.1, 0.05])
def test_noise_that_is_too_small_is_noticed(
    noise: str, less: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = as_subject(_mechanism(noise))
    assert check_law(subject, 0.5, 400_000, 1e-7).passed is True
    draw_less(monkeypatch, less)
    found = check_law(subject, 0.5, 400_000, 1e-7)
    assert found.passed is False
    assert "by the law" in found.detail


def _one_sided(sampler: Sampler) -> Sampler:
    return lambda *given: np.abs(sampler(*given))


def _sometimes_none(sampler: Sampler) -> Sampler:
    def drawn(count: int, *rest: object) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.where(np.arange(count) % 50 == 0, 0, sampler(count, *rest))

    return drawn


def _capped(sampler: Sampler) -> Sampler:
    return lambda *given: np.clip(sampler(*given), -(2**25), 2**25)


@pytest.mark.parametrize("fault", [_one_sided, _sometimes_none, _capped])
def test_wrong_noise_of_other_kinds_is_noticed(
    fault: Callable[[Sampler], Sampler], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = mechanism(ADULT, PURE)
    draw_by(monkeypatch, fault)
    assert check_law(as_subject(honest), 9.0, 400_000, 1e-7).passed is False


@pytest.mark.parametrize("value", [0.0, -9.125, 1e9])
def test_the_value_and_post_processing_do_not_matter(value: float) -> None:
    calibration = pf.calibrate(ADULT, PURE)
    rounded = pf.Mechanism.from_calibration(
        calibration, [pf.RoundTo(1.0), pf.Clip(1.0, 16.0)], entropy=pf.NotPrivateEntropy(2)
    )
    assert check_law(as_subject(rounded), value, 100_000, 1e-7).passed is True


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_small_and_large_noise(scale: float) -> None:
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([scale], [1.0]))
    subject = as_subject(mechanism(scenario, PURE))
    assert check_law(subject, 0.0, 100_000, 1e-7).passed is True


def test_a_coarse_grid_is_allowed_for() -> None:
    # A grid of half the scale: the law on it is far from the continuous one, and certified.
    noise = pf.LaplaceNoise(1.0, grid=0.5)
    scenario = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([0.5], [1.0]))
    coarse = pf.Mechanism(noise=noise, certificate=pf.verify(scenario, noise, pf.Guarantee(3.0)))
    assert check_law(as_subject(coarse), 0.0, 100_000, 1e-7).passed is True


def test_without_a_grid_there_is_nothing_to_compare() -> None:
    with pytest.raises(TypeError, match="grid"):
        check_law(as_subject(lambda values: values), 0.0, 1000, 0.1)
