"""Mechanisms to attack: ours with a seed, ours with a fault in its sampler, and bad ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

import pufferfish as pf
from pufferfish.audits.result import AuditCheck
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.mechanisms import drawing as home
from tests.support import scenario_of

Column = npt.NDArray[np.float64]
Sampler = Callable[..., npt.NDArray[np.int64]]

PURE = pf.Guarantee(1.0)
ADULT = pf.Scenario([pf.datasets.adult_tables()], pairs=[("Black", "Asian-Pac-Islander")])
# The least scale for pure ε = 1 on the Adult tables, rounded up (tests/exact/test_golden.py).
ADULT_SCALE = 1.64873
# Two values known for certain: with scale 1 the event y ≤ 0 has log-ratio 1, and nothing has more.
POINTS = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0]))


def mechanism(
    scenario: pf.Scenario, goal: pf.Guarantee, *, noise: str = "laplace", seed: int = 1
) -> pf.Mechanism:
    """The one that is calibrated, with noise that is the same on every run of the test."""
    calibration = pf.calibrate(scenario, goal, mechanism=noise)  # type: ignore[arg-type]
    return pf.Mechanism.from_calibration(calibration, entropy=pf.NotPrivateEntropy(seed))


def only_pair(scenario: pf.Scenario) -> PairOfLaws:
    """The laws of a scenario with one belief and one pair."""
    (laws,) = scenario.laws()
    return laws


def draw_by(monkeypatch: pytest.MonkeyPatch, change: Callable[[Sampler], Sampler]) -> None:
    """Give every mechanism a sampler with a fault."""
    for name in ("discrete_laplace", "discrete_gaussian"):
        monkeypatch.setattr(home, name, change(getattr(home, name)))


def draw_less(monkeypatch: pytest.MonkeyPatch, less: float) -> None:
    """Noise too small by a share: the first sampler is told a rate, the second a std."""
    kept = 1 - Fraction(str(less))
    laplace, gaussian = home.discrete_laplace, home.discrete_gaussian
    monkeypatch.setattr(home, "discrete_laplace", lambda n, rate, e: laplace(n, rate / kept, e))
    monkeypatch.setattr(home, "discrete_gaussian", lambda n, std, e: gaussian(n, std * kept, e))


def numpy_laplace(scale: float, seed: int = 3, digits: int | None = None) -> Callable[..., Column]:
    """Noise in floating point; rounded to so many decimal digits, its last bits tell nothing."""
    source = np.random.default_rng(seed)

    def noised(values: Column) -> Column:
        results = values + source.laplace(0.0, scale, values.size)
        return results if digits is None else np.round(results, digits)

    return noised


def failed(checks: Any) -> list[str]:
    """The names of the checks that did not pass."""
    return [each.name for each in checks if isinstance(each, AuditCheck) and each.passed is False]


def too_many(alarms: int, runs: int, rate: float) -> bool:
    """More alarms than a rate explains; wrong with probability 1e-6."""
    return alarms > binom.isf(1e-6, runs, rate)
