"""Certificates over a sampling region: for all laws inside, with witnesses that can be checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pufferfish as pf

GOAL = pf.Guarantee(1.0)


def belief(**region: Any) -> pf.Belief:
    laws = {
        "a": pf.Discrete(values=[1.0, 2.0, 3.0, 4.0], counts=[120, 60, 30, 6]),
        "b": pf.Discrete(values=[1.0, 2.0, 3.0, 4.0], counts=[40, 50, 70, 20]),
    }
    return pf.Belief(laws, region=pf.SampleRegion(confidence=0.95, **region))


def scenario(**region: Any) -> pf.Scenario:
    return pf.Scenario([belief(**region)])


SHAPES: list[dict[str, Any]] = [
    {},
    {"shape": "likelihood", "cells": 5},
    {"shape": "boxes", "cells": 5},
]


@pytest.fixture(scope="module", params=SHAPES, ids=lambda each: each.get("shape", "dirichlet"))
def calibrated(request: pytest.FixtureRequest) -> pf.Calibration:
    return pf.calibrate(
        scenario(**request.param), GOAL, mechanism="recode", floor=None, keep_histogram=False
    )


def test_what_is_calibrated_is_certified_and_costs_more_than_the_plain_promise(
    calibrated: pf.Calibration,
) -> None:
    certificate = calibrated.certificate
    assert certificate.holds is True
    assert certificate.confidence == 0.95
    assert certificate.epsilon_upper <= 1.0
    plain = pf.calibrate(
        calibrated.scenario.as_described(),
        GOAL,
        mechanism="recode",
        floor=None,
        keep_histogram=False,
        nominal=True,
    )
    assert plain.certificate.confidence is None
    assert plain.rmse < calibrated.rmse
    # And the plain one does not keep the promise for the population.
    assert pf.verify(calibrated.scenario, plain.mechanism, GOAL).holds is not True


def test_the_gap_to_the_best_map_is_stated(calibrated: pf.Calibration) -> None:
    recode = calibrated.recode
    assert recode is not None
    assert recode.least_loss <= recode.mean_loss <= 1.01 * recode.least_loss


def test_random_laws_of_the_region_keep_the_promise(calibrated: pf.Calibration) -> None:
    """Laws of resamples that the region does not exclude: by the definition of its shape."""
    law: Any = calibrated.mechanism
    table = law.table / 2.0**62
    region = calibrated.scenario.beliefs[0].region
    assert region is not None
    # Twice the rows drawn anew: near enough to be inside often, far enough to matter.
    generator = np.random.default_rng(0)
    counts = np.array([120, 60, 30, 6]), np.array([40, 50, 70, 20])
    reached = 0.0
    for _ in range(4000):
        p, q = (generator.dirichlet(each + 1.0) for each in counts)
        spent = sum(
            float((c * np.log(c / c.sum() / x)).sum()) for c, x in zip(counts, (p, q), strict=True)
        )
        if spent > 4.0:  # log 20 and more: inside all three shapes
            continue
        ratio = (p @ table) / (q @ table)
        reached = max(reached, float(np.abs(np.log(ratio)).max()))
    assert 0.5 < reached <= 1.0


def test_recorded_witnesses_are_checked_and_a_forged_bound_is_not_believed() -> None:
    found = pf.calibrate(scenario(), GOAL, mechanism="recode", floor=None)
    certificate = found.certificate
    assert all(len(each.witnesses) == 4 for each in certificate.results)
    again = pf.verify(found.scenario, found.mechanism, GOAL, recorded=certificate)
    assert [each.epsilon_upper for each in again.results] == [
        each.epsilon_upper for each in certificate.results
    ]
    forged = replace(
        certificate,
        results=tuple(
            replace(each, epsilon_upper=0.5, epsilon_lower=0.0) for each in certificate.results
        ),
    )
    judged = pf.verify(found.scenario, found.mechanism, GOAL, recorded=forged)
    assert judged.epsilon_upper > 0.9


def test_delta_is_bounded_by_the_sum_over_outputs() -> None:
    goal = pf.Guarantee(0.5, 0.02)
    found = pf.calibrate(scenario(), goal, mechanism="recode", floor=None)
    assert found.certificate.holds is True
    assert found.certificate.delta_upper <= 0.02
    law: Any = found.mechanism
    table = law.table / 2.0**62
    for p, q in (([0.5, 0.3, 0.16, 0.04], [0.22, 0.28, 0.39, 0.11]),):
        for one, other in ((p, q), (q, p)):
            gap = np.array(one) @ table - np.exp(0.5) * (np.array(other) @ table)
            assert np.maximum(gap, 0.0).sum() <= 0.02


def test_a_region_and_laws_that_may_be_wrong_are_refused_together() -> None:
    fitted, refused = scenario(), "sampling region.*wrong by a share as well.*leave out one of them"
    recoding = pf.calibrate(fitted, GOAL, mechanism="recode", floor=None).mechanism
    noise = pf.LaplaceNoise(scale=4.0, grid=2.0**-20)
    asked: dict[str, Any] = {"goal": GOAL, "wrong": 0.01}
    for refuses in (
        lambda: pf.calibrate(fitted, **asked),
        lambda: pf.calibrate(fitted, **asked, mechanism="recode", floor=None),
        lambda: pf.verify(fitted, noise, **asked),
        lambda: pf.verify(fitted, recoding, **asked),
    ):
        with pytest.raises(pf.UnsupportedError, match=refused):
            refuses()


def test_nothing_adds_up_over_a_region() -> None:
    noise = pf.calibrate(scenario(), GOAL)
    assert noise.certificate.holds is True
    assert noise.composable is None
