"""What a sampling region may be, and how pairs share its confidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.beliefs.documents import BeliefEntries, belief_to_dict
from pufferfish.beliefs.scenario import OTHER_ROWS, RELEASED
from pufferfish.documents.shape import read


def table(counts: list[int]) -> pf.Discrete:
    return pf.Discrete(values=list(map(float, range(len(counts)))), counts=counts)


BAND: dict[str, Any] = {"confidence": 0.95, "shape": "band"}


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
        ({"confidence": 0.95, "shape": "band", "widths": (("x", 0.5),)}, "rows"),
        ({"widths": (("x", 2.0),), "rows": (("x", 9),)} | BAND, "shares"),
        ({"widths": (("x", 0.5),), "rows": (("y", 9),)} | BAND, "each secret"),
        ({"widths": (("x", 0.1),), "rows": (("x", 9),)} | BAND, "narrower"),
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
    rows = (("x", 11), ("y", 12))
    region = pf.SampleRegion(widths=(("x", 0.5), ("y", 0.5)), rows=rows, **BAND)
    laws = {"x": table([5, 6]), "y": table([9, 3])}

    def band(name: str, of: str | None) -> pf.Belief:
        return pf.Belief(laws, name=name, region=region, cap=(0.0, 1.0), fitted_on=of)

    digests = ["a" * 64, "b" * 64]
    assert pf.Scenario([band("m", digests[0]), band("e", digests[0])]).sampled
    for second in (digests[1], None):
        with pytest.raises(pf.InvalidInputError, match="one table"):
            pf.Scenario([band("m", digests[0]), band("e", second)])


def test_a_band_has_the_rows_of_its_law() -> None:
    region = pf.SampleRegion(widths=(("x", 0.1),), rows=(("x", 4_000),), **BAND)
    with pytest.raises(pf.InvalidInputError, match="as many rows"):
        pf.Belief({"x": table([5, 6])}, region=region, cap=(0.0, 1.0))


def test_every_pair_needs_a_region_before_the_population_is_covered() -> None:
    other = pf.Belief({"u": table([5, 6]), "v": table([9, 3])}, name="other")
    scenario = pf.Scenario([belief(), other])
    assert scenario.sampled
    assert scenario.confidence is None
    # Smooth laws of the same pairs do not change what the rows exclude.
    laws = {secret: pf.Gaussian(mean, 1.0) for mean, secret in enumerate("xyz")}
    smooth = pf.Belief(laws, name="smooth")
    assert pf.Scenario([belief(), smooth]).confidence == 0.95


def test_kinds_of_pairs_share_equally_and_so_do_the_pairs_of_a_kind() -> None:
    # Two sets of known columns: nothing, and "known", which has two strata here.
    plain = belief("a")
    strata = [replace(belief(value), given={"known": value}) for value in ("p", "q")]
    scenario = pf.Scenario([plain, *strata])
    sizes = [each.region.pairs for each in scenario.beliefs if each.region]
    assert sizes == [2 * 3, 2 * 6, 2 * 6]
    # Pairs that are not connected are of different kinds: each has one pair.
    apart = pf.Scenario([plain, *strata], pairs=[("x", "y")])
    assert [each.region.pairs for each in apart.beliefs if each.region] == [2, 4, 4]
    for made in (scenario, apart):
        error = sum(
            each.region.error * len(made.pairs_of(each)) for each in made.beliefs if each.region
        )
        assert error <= 0.05
        assert error == pytest.approx(0.05)


def test_a_law_may_have_the_values_of_all_rows() -> None:
    # The value 9 occurs only among the rows with another known value.
    near, far = table([5, 6]), pf.Discrete([0.0, 9.0], counts=[5, 6])
    region = pf.SampleRegion(confidence=0.95)
    strata = [
        pf.Belief({"x": law, "y": law}, name=value, given={"known": value}, region=region)
        for value, law in (("p", near), ("q", far))
    ]
    scenario = pf.Scenario(strata)
    assert [each.listed for each in scenario.laws()] == [(0.0, 1.0, 9.0)] * 2
    # Rows of secrets that no pair names have values, too.
    whole = pf.Discrete([0.0, 1.0, 7.0], counts=[9, 9, 1])
    wider = replace(strata[0], frequencies=whole)
    assert next(pf.Scenario([wider]).laws()).listed == (0.0, 1.0, 7.0)
    # So it stays where the stratum is looked at by itself, and in a document.
    alone = pf.Scenario([scenario.beliefs[0]])
    assert next(alone.laws()).listed == (0.0, 1.0, 9.0)
    again = read(belief_to_dict(scenario.beliefs[0]), BeliefEntries, "belief").made()
    assert next(pf.Scenario([again]).laws()).listed == (0.0, 1.0, 9.0)


def test_the_population_is_covered_only_where_all_that_is_known_has_a_region() -> None:
    plain = pf.Belief(dict(belief().priors), name="b", given={"sex": "f"})
    scenario = pf.Scenario([belief(), plain])
    assert scenario.sampled
    assert scenario.confidence is None


def test_regions_of_a_reference_say_nothing_about_the_population_of_the_table() -> None:
    reference = replace(belief("r"), provenance="reference sample")
    assert pf.Scenario([reference]).confidence == 0.95
    laws, whole = dict(belief().priors), table([18, 13])
    of_table = pf.Belief(laws, name="t", provenance=RELEASED, frequencies=whole)
    for here in (of_table, replace(of_table, provenance=OTHER_ROWS)):
        assert pf.Scenario([reference, here]).confidence is None
        sampled = replace(here, region=pf.SampleRegion(confidence=0.95))
        assert pf.Scenario([reference, sampled]).confidence == 0.95
    # Two references are two populations, and neither is named.
    other = replace(belief("o"), provenance="public")
    assert pf.Scenario([reference, other]).confidence is None


def test_a_region_of_rows_of_the_table_knows_all_values() -> None:
    """Under noise a value far away, which only rows of other secrets have, breaks the promise."""
    secrets = ["A"] * 400 + ["B"] * 400 + ["C"] * 50
    values = [k % 3 for k in range(400)] + [1 + k % 3 for k in range(400)] + [40] * 50
    counts = pf.summarise({"x": values, "s": secrets}, column="x", secret="s").only(["A", "B"])
    (fitted,) = pf.fit_beliefs(counts, families=["empirical"], confidence=0.95)
    with pytest.raises(pf.InvalidInputError, match="needs the frequencies of all its values"):
        replace(fitted, frequencies=None)
    with pytest.raises(pf.InvalidInputError, match="needs the frequencies of all its values"):
        replace(fitted, frequencies=None, fitted_on=None)
    # Elsewhere the laws are those of rows about which nothing else is known.
    assert replace(fitted, frequencies=None, fitted_on=None, provenance="private").region


def test_nothing_adds_up() -> None:
    scenario, noise = pf.Scenario([belief()]), pf.LaplaceNoise(1.0)
    assert pf.theorems.composable(scenario, noise, 0.0) is None
    with pytest.raises(pf.UnsupportedError, match="2 rows of one person"):
        pf.least_epsilon_rows(scenario, noise, 0.0, pf.SeveralRows(2, "equal"))
