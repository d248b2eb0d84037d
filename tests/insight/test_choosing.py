"""Which mechanism errs least at the same promise."""

from __future__ import annotations

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.calibration.losses import column_of
from pufferfish.insight.choosing import choose_mechanism, clipped_figures

GOAL = pf.Guarantee(1.0)


def table(*shares: float) -> pf.Discrete:
    return pf.Discrete(np.arange(float(len(shares))), np.array(shares) / sum(shares))


def described(**more: pf.Prior) -> pf.Scenario:
    laws = {"a": table(5, 3, 1, 1), "b": table(1, 1, 3, 5)} | more
    return pf.Scenario(pf.Belief(laws, provenance="public"), pairs=[("a", "b")])


def fitted(families: list[str]) -> pf.Scenario:
    draws = np.random.default_rng(7)
    frame = {"x": draws.integers(0, 12, 900), "s": draws.choice(["a", "b"], 900)}
    frame["x"] = frame["x"] + (frame["s"] == "b")
    return pf.Scenario(pf.fit_beliefs(frame, column="x", secret="s", families=families))


@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
@pytest.mark.parametrize("bounds", [(0.0, 3.0), (1.0, 2.0), (-5.0, 2.5), (7.0, 9.0)])
def test_the_error_of_clipped_noise_is_that_of_many_draws(
    scale: float, bounds: tuple[float, float]
) -> None:
    column = column_of(described(), None)
    error, stays = clipped_figures(scale, bounds, column)
    # The quantiles of the noise at evenly spaced levels stand for draws, without their chance.
    levels = (np.arange(1_000_000) + 0.5) / 1_000_000
    noise = -scale * np.sign(levels - 0.5) * np.log1p(-2.0 * np.abs(levels - 0.5))
    published = [np.clip(value + noise, *bounds) for value in column.values]
    squares = [
        ((each - value) ** 2).mean() for each, value in zip(published, column.values, strict=True)
    ]
    assert error**2 == pytest.approx(column.histogram @ np.array(squares), rel=1e-4)
    same = [(each == value).mean() for each, value in zip(published, column.values, strict=True)]
    assert stays == pytest.approx(column.histogram @ np.array(same), abs=1e-5)


def test_the_smallest_error_is_taken_and_all_keep_the_promise() -> None:
    scenario = fitted(["empirical"])
    found = choose_mechanism(scenario, GOAL)
    assert [way.name for way in found.ways] == ["noise", "clipped noise", "remapped noise"]
    assert found.taken.rmse == min(way.rmse for way in found.ways if not way.postprocess)
    least = pf.calibrate(scenario, GOAL).noise
    for way in found.ways:
        law = way.calibration.mechanism
        assert pf.verify(scenario, law, GOAL).holds
        # No weaker floor than that of the least noise; rounding up is on the safe side.
        assert law.at_floor is not None
        assert law.at_floor.size >= least.size * (1.0 - 1e-9)
    noise, clipped, _ = found.ways
    assert noise.rmse == noise.calibration.noise.std
    assert clipped.rmse < noise.rmse
    assert clipped.postprocess == (pf.Clip(0.0, 12.0),)
    assert found.bounds_of_data


def test_bounds_that_are_public_are_used() -> None:
    found = choose_mechanism(fitted(["empirical"]), GOAL, bounds=(-3.0, 20.0))
    assert found.ways[1].postprocess == (pf.Clip(-3.0, 20.0),)
    assert not found.bounds_of_data


def test_without_a_table_nothing_is_known_to_clip_to() -> None:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.0, 1.0)}
    scenario = pf.Scenario(pf.Belief(laws, provenance="public"))
    assert "clipped noise" not in [way.name for way in choose_mechanism(scenario, GOAL).ways]


@pytest.mark.parametrize("families", [["gaussian", "empirical"], ["gaussian"]])
def test_to_smooth_beliefs_the_values_of_the_column_are_published(families: list[str]) -> None:
    scenario = fitted(families)
    law = pf.calibrate(scenario, GOAL, mechanism="recode").mechanism
    assert isinstance(law, pf.Recoding)
    assert law.outputs == tuple(float(each) for each in range(13))
    assert pf.verify(scenario, law, GOAL).holds


def test_where_nothing_has_to_be_hidden_nothing_is_done() -> None:
    same = table(1, 2, 3)
    scenario = pf.Scenario(pf.Belief({"a": same, "b": same}, provenance="public"))
    found = choose_mechanism(scenario, GOAL)
    assert [way.name for way in found.ways] == ["noise"]
    assert (found.taken.rmse, found.taken.unchanged) == (0.0, 1.0)


def test_what_is_refused_is_said_with_the_reason() -> None:
    """Holes that are far more likely for one secret cannot be hidden by noise, but recoded."""
    belief = pf.Belief(
        {"a": table(1, 2, 3), "b": table(3, 2, 1)},
        provenance="public",
        missing={"a": 0.5, "b": 0.01},
    )
    found = choose_mechanism(pf.Scenario(belief), GOAL)
    assert [way.name for way in found.ways] == ["remapped noise"]
    assert [name for name, _ in found.refused] == ["noise"]
    assert "- noise: " in str(found)


def test_the_table_names_every_way_and_the_constant() -> None:
    found = choose_mechanism(fitted(["empirical"]), GOAL)
    lines = str(found).splitlines()
    assert lines[0].split()[0] == "way"
    assert [line.split()[0] for line in lines[2:6]] == ["noise", "clipped", "remapped", "constant"]
    assert sum("taken" in line for line in lines) == 1
    said = found.to_dict()
    assert [way["taken"] for way in said["ways"]].count(True) == 1
    assert said["constant_rmse"] == found.constant_rmse


def test_with_wrong_laws_every_way_keeps_the_promise_for_them() -> None:
    laws = {"a": table(5, 3, 1, 1), "b": table(1, 1, 3, 5)}
    scenario = pf.Scenario(pf.Belief(laws, provenance="public", cap=(0.0, 3.0)))
    found = choose_mechanism(scenario, GOAL, bounds=(0.0, 3.0), wrong=0.05)
    names = [way.name for way in found.ways]
    assert names == ["noise", "clipped noise", "remapped noise", "recoding"]
    scale = found.ways[0].calibration.noise.size
    for way in found.ways:
        law = way.calibration.mechanism
        assert way.calibration.certificate.wrong == 0.05
        assert pf.verify(scenario, law, GOAL, wrong=0.05).holds
        # No weaker floor than that of the noise that covers such laws, but for one that has none.
        if way.name == "recoding":
            assert law.at_floor is None
        else:
            assert law.at_floor is not None
            assert law.at_floor.size >= scale * (1.0 - 1e-9)
    assert found.taken.name != "recoding"
    assert "has no floor" in str(found)


def test_without_a_range_noise_is_refused_and_nothing_without_a_floor_is_taken() -> None:
    with pytest.raises(pf.UnsupportedError, match="public bounds"):
        choose_mechanism(described(), GOAL, wrong=0.05)
