"""Promises for the population that were once broken by its true laws."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.exact.sampled import judge_over_region
from pufferfish.recoding.regions import region_of_pair
from pufferfish.recoding.sampled import SampledPair

SURE = 0.95
VALUES = np.array([0.0, 1.0, 2.0, 30.0])


def strata(generator: np.random.Generator) -> dict[str, Any]:
    """Among rows with z = x only one secret has the value 30, so rarely that few tables show it."""
    laws = {
        ("a", "x"): (30, [0.34, 0.33, 0.31, 0.02]),
        ("b", "x"): (30, [0.35, 0.33, 0.32, 0.0]),
        ("a", "y"): (3_000, [0.3, 0.2, 0.2, 0.3]),
        ("b", "y"): (3_000, [0.3, 0.2, 0.2, 0.3]),
    }
    parts = [
        (generator.choice(VALUES, rows, p=law), [secret] * rows, [known] * rows)
        for (secret, known), (rows, law) in laws.items()
    ]
    value, secret, known = (np.concatenate(each) for each in zip(*parts, strict=True))
    return {"v": value, "s": secret, "z": known}


def true_epsilon(scale: float) -> float:
    """ε of the true laws of z = x, by hand: at the values themselves."""
    if scale == 0.0:
        return math.inf
    kernel = np.exp(-np.abs(VALUES[:, None] - VALUES) / scale)
    first = np.array([0.34, 0.33, 0.31, 0.02]) @ kernel
    second = np.array([0.35, 0.33, 0.32, 0.0]) @ kernel
    return float(np.abs(np.log(first / second)).max())


@pytest.mark.parametrize("keep", [(), ("z",)])
def test_values_of_other_strata_are_covered_under_noise(keep: tuple[str, ...]) -> None:
    broken = 0
    for seed in range(12):
        table = strata(np.random.default_rng(seed))
        how = {"known": ["z"], "confidence": SURE, "families": ["empirical"]}
        scenario = pf.Scenario(pf.fit_beliefs(table, "v", "s", **how))
        goal = pf.Guarantee(1.0)
        found = pf.calibrate(scenario, goal, mechanism="laplace", keep=keep)
        # All strata together state what each of them does.
        assert found.certificate.confidence == SURE
        law = found.parts[0].mechanism if keep else found.mechanism
        broken += true_epsilon(law.size) > 1.0
    # Once it was broken in half of the tables.
    assert broken == 0


def test_pairs_without_a_region_do_not_borrow_one() -> None:
    generator = np.random.default_rng(1)
    rows = 400
    table = {
        "v": generator.integers(0, 6, rows).astype(float),
        "race": generator.choice(["r", "s"], rows),
        "sex": generator.choice(["f", "m"], rows),
    }
    race = pf.fit_beliefs(table, "v", "race", ["empirical"], confidence=SURE)
    sex = pf.fit_belief(table, "v", "sex", "empirical")
    scenario = pf.Scenario([*race, pf.Belief(sex.priors, name="sex")])
    assert scenario.confidence is None
    # So a map without slack is refused, unless it is asked for.
    with pytest.raises(pf.InvalidInputError, match="does not survive the next sample"):
        pf.calibrate(scenario, pf.Guarantee(0.5), mechanism="recode", floor=None)


def test_a_band_around_binned_rows_covers_the_rows() -> None:
    # Nearly all rows of a lie at one end of a bin, nearly all rows of b at the other end.
    counts = pf.Counts.from_counts(
        ["a", "a", "b", "b"], [4.0, 12.0, 4.0, 12.0], [4_995, 5, 4_995, 5], bin_width=8.0
    )
    how = {"confidence": SURE, "region": "band", "cap": (0.0, 8.0)}
    beliefs = pf.fit_beliefs(counts, families=["gaussian"], **how)
    scale = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0)).noise.size
    low, high = 0.1, 7.9
    assert (high - low) / scale <= 1.0


def test_a_band_cannot_claim_more_confidence_than_its_rows_give() -> None:
    generator = np.random.default_rng(2)
    table = {
        "v": generator.normal(0.0, 1.0, 100).clip(-3.0, 3.0),
        "s": np.array(["a"] * 60 + ["b"] * 40),
    }
    how = {"confidence": SURE, "region": "band", "cap": (-3.0, 3.0)}
    beliefs = pf.fit_beliefs(table, "v", "s", ["gaussian"], **how)
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    document = pf.Plan(calibration=found, column="v", secret="s", cap=(-3.0, 3.0)).to_dict()
    forged = json.loads(
        json.dumps(document).replace('"confidence": 0.95', '"confidence": 0.999999')
    )
    with pytest.raises(pf.InvalidInputError, match="narrower"):
        pf.Plan.from_dict(forged)


@pytest.mark.parametrize("size", [math.nan, math.inf, 1e-300, 1e150, 1e300])
@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_witnesses_that_prove_nothing_are_not_used(size: float, delta: float) -> None:
    region = pf.SampleRegion(confidence=SURE, pairs=1)
    counts = [60, 30, 10], [20, 15, 15]
    table = [[3, 1, 0], [1, 2, 1], [0, 1, 3]]
    columns = np.array(table, dtype=float).T / 4.0
    pair = SampledPair(region_of_pair(region, *counts), columns, columns)
    goal = pf.Guarantee(0.2, delta)
    honest = judge_over_region(pair, goal)
    forged = judge_over_region(pair, goal, (0.2, ((size, size, size),) * 3))
    assert forged.delta >= honest.delta * (1.0 - 1e-9)
    assert forged.epsilon.upper >= honest.epsilon.lower
