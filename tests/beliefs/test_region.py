"""What a sampling region may be, and how pairs share its confidence."""

from __future__ import annotations

from typing import Any

import pytest

import pufferfish as pf


def table(counts: list[int]) -> pf.Discrete:
    return pf.Discrete(values=list(map(float, range(len(counts)))), counts=counts)


def belief(name: str = "a", **region: Any) -> pf.Belief:
    laws = {"x": table([5, 6]), "y": table([9, 3]), "z": table([4, 4])}
    return pf.Belief(laws, name=name, region=pf.SampleRegion(confidence=0.95, **region))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 1.0}, "between 0 and 1"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"confidence": 0.95, "shape": "ball"}, "dirichlet"),
        ({"confidence": 0.95, "shape": "likelihood"}, "publicly known"),
        ({"confidence": 0.95, "shape": "boxes", "cells": 1}, "at least 2"),
        ({"confidence": 0.95, "cells": 16}, "takes no cells="),
        ({"confidence": 0.95, "shape": "band"}, "widths"),
        ({"confidence": 0.95, "widths": (("x", 0.1),)}, "widths"),
        ({"confidence": 0.95, "shape": "band", "widths": (("x", 2.0),)}, "shares"),
    ],
)
def test_what_is_no_region_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        pf.SampleRegion(**arguments)


def test_pairs_share_what_may_go_wrong() -> None:
    one = pf.Scenario([belief()], pairs=[("x", "y")])
    three = pf.Scenario([belief()])
    errors = [each.beliefs[0].region.error for each in (one, three)]  # type: ignore[union-attr]
    assert errors[0] <= 0.05
    assert errors[0] == pytest.approx(0.05)
    assert errors[1] == pytest.approx(0.05 / 3)
    # A part of a scenario keeps the share of the whole.
    part = three.only([pf.SecretPair("x", "y")])
    assert part.beliefs[0].region.error == errors[1]  # type: ignore[union-attr]
    with pytest.raises(pf.InvalidInputError, match="fit the beliefs again"):
        pf.Scenario(one.beliefs)


def test_adversaries_share_it_too() -> None:
    both = pf.Scenario([belief("a"), belief("b")], pairs=[("x", "y")])
    assert both.beliefs[1].region.pairs == 2  # type: ignore[union-attr]
    other = pf.Belief(dict(belief().priors), name="c", region=pf.SampleRegion(confidence=0.9))
    with pytest.raises(pf.InvalidInputError, match="same confidence"):
        pf.Scenario([belief("a"), other])


def test_only_counts_have_a_sampling_error() -> None:
    smooth = {"x": pf.Gaussian(0.0, 1.0), "y": pf.Gaussian(1.0, 1.0)}
    with pytest.raises(pf.InvalidInputError, match="empirical"):
        pf.Belief(smooth, region=pf.SampleRegion(confidence=0.95))


def test_a_scenario_as_described_has_no_region() -> None:
    scenario = pf.Scenario([belief()])
    assert scenario.sampled
    assert scenario.confidence == 0.95
    plain = scenario.as_described()
    assert not plain.sampled
    assert plain.confidence is None
    assert plain.pairs == scenario.pairs


def test_bands_are_those_of_one_table() -> None:
    region = pf.SampleRegion(confidence=0.95, shape="band", widths=(("x", 0.1), ("y", 0.1)))
    laws = {"x": table([5, 6]), "y": table([9, 3])}

    def band(name: str, of: str | None) -> pf.Belief:
        return pf.Belief(laws, name=name, region=region, cap=(0.0, 1.0), fitted_on=of)

    digests = ["a" * 64, "b" * 64]
    assert pf.Scenario([band("m", digests[0]), band("e", digests[0])]).sampled
    for second in (digests[1], None):
        with pytest.raises(pf.InvalidInputError, match="one table"):
            pf.Scenario([band("m", digests[0]), band("e", second)])


def test_the_population_is_covered_only_where_all_that_is_known_has_a_region() -> None:
    plain = pf.Belief(dict(belief().priors), name="b", given={"sex": "f"})
    scenario = pf.Scenario([belief(), plain])
    assert scenario.sampled
    assert scenario.confidence is None


def test_nothing_adds_up() -> None:
    scenario, noise = pf.Scenario([belief()]), pf.LaplaceNoise(1.0)
    assert pf.theorems.composable(scenario, noise, 0.0) is None
    with pytest.raises(pf.UnsupportedError, match="2 rows of one person"):
        pf.least_epsilon_rows(scenario, noise, 0.0, pf.SeveralRows(2, "equal"))
