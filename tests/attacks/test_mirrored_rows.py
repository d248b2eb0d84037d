"""Rows that are alike one by one, and told apart at once when seen together.

Refuted: that a coupling of the laws of single rows covers several dependent rows. Under one secret
the two rows of a person are equal, under the other one is the mirror image of the other. Each row
by itself has the same law under both, so a coupling of single rows has distance 0.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.theorems import composable, composable_rows
from tests.attacks.rows_of_persons import KINDS, log_odds, released

EQUAL = [(0.5, [0.0, 0.0]), (0.5, [1.0, 1.0])]
MIRRORED = [(0.5, [0.0, 1.0]), (0.5, [1.0, 0.0])]
LAW = pf.Discrete([0.0, 1.0], [0.5, 0.5])
SCENARIO = pf.Scenario(pf.Belief({"a": LAW, "b": LAW}))


def table(persons: int = 400) -> dict[str, Any]:
    """Two rows of each person, in two halves of the table."""
    generator = np.random.default_rng(2)
    value = generator.integers(0, 2, persons).astype(np.float64)
    secret = np.where(np.arange(persons) % 2 == 0, "a", "b")
    other = np.where(secret == "a", value, 1.0 - value)
    return {
        "id": np.tile(np.arange(persons), 2),
        "s": np.tile(secret, 2),
        "x": np.concatenate([value, other]),
    }


def largest_change(scale: float) -> float:
    """The largest change of the log-odds, over a grid of all that may be published."""
    seen = np.array(list(product(np.linspace(-2.0, 3.0, 51), repeat=2)))
    return float(np.abs(log_odds(EQUAL, MIRRORED, scale, seen)).max())


def test_row_by_row_nothing_is_seen_and_together_everything() -> None:
    one = composable(SCENARIO, pf.LaplaceNoise(0.1), 0.0)
    assert one is not None
    # Charged by the coupling of single rows, any number of rows would cost nothing.
    assert one.cost(2).epsilon < 1e-9
    assert largest_change(0.1) > 9.0


@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0, 3.0])
def test_the_certificate_of_any_rows_covers_it(scale: float) -> None:
    found = composable_rows(
        SCENARIO, pf.LaplaceNoise(scale), 0.0, wrong=0.0, rows=2, dependence="any"
    )
    assert found is not None
    assert largest_change(scale) <= found.cost().epsilon
    # Two rows, each as far apart as the values can be: Δ = 1.
    assert found.cost().epsilon == pytest.approx(2.0 / scale)


def plan(calibration: pf.Calibration, dependence: Any) -> pf.Plan:
    return pf.Plan(
        calibration=calibration,
        column="x",
        secret="s",
        unit="person",
        person="id",
        rows_per_person=2,
        dependence=dependence,
        allow_no_noise=True,
    )


def test_a_plan_without_noise_is_refused() -> None:
    """One row needs none, and two of them give the secret away."""
    none = pf.calibrate(SCENARIO, pf.Guarantee(1.0))
    assert none.noise == pf.NoNoise()
    with pytest.raises(pf.UnsupportedError, match="2 rows of one person"):
        plan(none, "any")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_stated_is_refused_by_the_data(kind: str, tmp_path: Path) -> None:
    half = pf.calibrate(SCENARIO, pf.Guarantee(0.5))
    with pytest.raises(pf.DataError, match="not independent given the secret"):
        released(kind, table(), plan(half, "independent"), tmp_path)
    whole = pf.calibrate(SCENARIO, pf.Guarantee(1.0))
    with pytest.raises(pf.DataError, match="several values of 'x'"):
        released(kind, table(), plan(whole, "equal"), tmp_path)
    enough = pf.calibrate_rows(SCENARIO, pf.Guarantee(1.0), 2)
    done = released(kind, table(), plan(enough, "any"), tmp_path)
    noise = done.record.plan.calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert largest_change(noise.scale) <= 1.0
