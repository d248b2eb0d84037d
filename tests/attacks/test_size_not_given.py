"""Refutes "noise of this size, chosen without the data" for sizes that were computed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import pufferfish as pf
from pufferfish.core.ladder import rung_up
from pufferfish.insight.strongest import least_epsilon
from pufferfish.sums.calibration import calibrate_sum
from pufferfish.sums.users import binary

GOAL = pf.Guarantee(1.0)


def scenario(provenance: str = "private", apart: float = 1.0, std: float = 2.0) -> pf.Scenario:
    laws = {"a": pf.Gaussian(0.0, std), "b": pf.Gaussian(apart, std)}
    return pf.Scenario(pf.Belief(laws, provenance=provenance))


def planned(calibration: pf.Calibration, **fields: bool) -> pf.Plan:
    return pf.Plan(calibration=calibration, column="x", secret="s", rounding="given", **fields)


def test_a_computed_size_was_not_given() -> None:
    with pytest.raises(pf.InvalidInputError, match="chosen without the data"):
        planned(pf.calibrate(scenario(), GOAL))


def test_nor_in_a_document() -> None:
    plan = pf.Plan(calibration=pf.calibrate(scenario(), GOAL), column="x", secret="s")
    data = json.loads(plan.to_json()) | {"rounding": "given"}
    with pytest.raises(pf.InvalidInputError, match="chosen without the data"):
        pf.Plan.from_dict(data)


def test_public_beliefs_tell_nothing() -> None:
    found = pf.calibrate(scenario("public"), GOAL)
    assert planned(found).calibration is found


def test_sizes_that_were_given_stay() -> None:
    given = pf.calibrate(scenario(), GOAL, size=9.87)
    assert planned(given).calibration.noise.size == 9.87
    found = least_epsilon(scenario(), pf.LaplaceNoise(3.21, 2.0**-24))
    assert planned(found).calibration.noise.size == 3.21


def test_a_computed_scale_of_a_sum_was_not_given() -> None:
    users = binary([0.5], counts=[10])
    assert not users.public
    with pytest.raises(pf.InvalidInputError, match="without knowledge of the users"):
        pf.SumPlan(calibration=calibrate_sum(users, GOAL), rounding="given")


def test_noise_in_name_only_does_not_tell_a_private_std() -> None:
    """It was 2⁻²⁰ of the std, which everybody could multiply."""
    slight = scenario(apart=1e-12, std=1.2345)
    given = pf.calibrate(slight, GOAL, size=1e-11)
    with pytest.raises(pf.CertificationError, match="too small to be drawn"):
        planned(given, allow_no_noise=True)
    drawn = pf.Plan(
        calibration=replace(given, method="exact"), column="x", secret="s", allow_no_noise=True
    )
    size = drawn.calibration.noise.size
    assert size == rung_up(size)
    assert size > 1e-7
