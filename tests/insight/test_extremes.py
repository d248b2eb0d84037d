"""Which part of the range sets the noise: computed with capped beliefs, said only where clear."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.beliefs.scenario import RELEASED
from pufferfish.insight.extremes import Outliers, outliers

GOAL = pf.Guarantee(1.0)
GENERATOR = np.random.default_rng(11)
SECRETS = np.repeat(["a", "b"], 4_000)
BULK = np.concatenate([GENERATOR.integers(0, 20, 4_000), GENERATOR.integers(1, 21, 4_000)])


def table(share_low: float = 0.0, share_high: float = 0.0) -> dict[str, np.ndarray]:
    """Twenty values, and a few rows of one secret that are far away."""
    values = BULK.astype(float)
    values[: round(4_000 * share_low)] = -1_000.0
    values[100 : 100 + round(4_000 * share_high)] = 1_000.0
    return {"x": values, "s": SECRETS}


def least(data: dict[str, np.ndarray], *families: str) -> pf.Calibration:
    beliefs = pf.fit_beliefs(data, "x", "s", families or ("mixture", "empirical"))
    return pf.calibrate(pf.Scenario(beliefs), GOAL)


@pytest.mark.parametrize(
    ("low", "high", "sides"),
    [(0.004, 0.0, (True, False)), (0.0, 0.004, (False, True)), (0.004, 0.004, (True, True))],
)
@pytest.mark.parametrize("families", [("empirical",), ("mixture", "empirical"), ("gaussian",)])
def test_what_it_says_is_what_a_cap_gives(
    low: float, high: float, sides: tuple[bool, bool], families: tuple[str, ...]
) -> None:
    data = table(low, high)
    calibration = least(data, *families)
    said = outliers(calibration)
    if families == ("gaussian",):
        assert said is None  # no belief is a table
        return
    assert said is not None
    assert (said.low is not None, said.high is not None) == sides
    assert not said.of_tables
    ends = (-math.inf if said.low is None else said.low, said.high or math.inf)
    again = least({**data, "x": np.clip(data["x"], *ends)}, *families)
    # Two searches that start elsewhere agree to about 1e-9; counts were found again from shares.
    assert again.noise.std / calibration.noise.std == pytest.approx(said.ratio, rel=1e-6)


def test_nothing_is_said_where_the_outermost_values_do_not_decide() -> None:
    assert outliers(least(table())) is None


def test_the_mildest_cap_that_helps_is_named() -> None:
    said = outliers(least(table(0.0, 0.0015), "empirical"))
    assert said is not None
    assert said.high == 20.0


def test_no_noise_needs_no_cap() -> None:
    law = pf.Discrete([0.0, 1.0, 100.0], [0.5, 0.49, 0.01])
    scenario = pf.Scenario(pf.Belief({"a": law, "b": law}))
    calibration = pf.calibrate(scenario, GOAL)
    assert calibration.noise == pf.NoNoise()
    assert outliers(calibration) is None


def test_gaussian_noise_has_outliers_too() -> None:
    beliefs = pf.fit_beliefs(table(0.0, 0.008), "x", "s", ["empirical"])
    goal = pf.Guarantee(1.0, 1e-4)
    calibration = pf.calibrate(pf.Scenario(beliefs), goal, mechanism="gaussian")
    said = outliers(calibration)
    assert said is not None
    assert said.high is not None
    capped = pf.summarise(table(0.0, 0.008), column="x", secret="s").capped(-1, said.high)
    again = pf.calibrate(
        pf.Scenario(pf.fit_beliefs(capped, families=["empirical"])), goal, mechanism="gaussian"
    )
    assert again.noise.std / calibration.noise.std == pytest.approx(said.ratio, rel=1e-6)


def test_a_smooth_belief_from_elsewhere_is_said_to_be_left_out() -> None:
    data = table(0.0, 0.004)
    fitted = pf.fit_belief(data, "x", "s", "empirical")
    public = pf.Belief(
        {"a": pf.Gaussian(10.0, 6.0), "b": pf.Gaussian(11.0, 6.0)}, "guess", provenance="public"
    )
    said = outliers(pf.calibrate(pf.Scenario([fitted, public]), GOAL))
    assert said is not None
    assert said.of_tables
    assert "for the beliefs that are tables" in str(said)


def test_another_pair_that_needs_as_much_is_not_forgotten() -> None:
    """Capping helps the pair that decides, but not all: then the noise stays, and nothing is said.

    The second pair is as far apart as the first, in values that no cap of 1% reaches.
    """
    a = pf.Discrete([0.0, 10.0, 1_000.0], [0.5, 0.496, 0.004])
    b = pf.Discrete([0.0, 10.0], [0.5, 0.5])
    c, d = pf.Discrete([-500.0, 500.0], [0.9, 0.1]), pf.Discrete([-500.0, 500.0], [0.1, 0.9])
    laws = {"a": a, "b": b, "c": c, "d": d}
    alone = pf.calibrate(pf.Scenario(pf.Belief(laws, provenance=RELEASED), [("a", "b")]), GOAL)
    assert outliers(alone) is not None
    both = pf.Scenario(pf.Belief(laws, provenance=RELEASED), [("a", "b"), ("c", "d")])
    assert outliers(pf.calibrate(both, GOAL)) is None


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(0.66, "two thirds"), (0.5, "half"), (0.112, "a ninth"), (0.05, "1/20"), (0.0, "none at all")],
)
def test_the_part_in_words(ratio: float, words: str) -> None:
    text = str(Outliers(low=None, high=41_310.0, ratio=ratio, of_tables=False))
    assert "Values above 41,310 set the noise" in text
    assert words in text
    assert "--cap LOW:41310" in text
