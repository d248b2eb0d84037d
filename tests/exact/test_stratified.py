"""Laws by known values: each adversary before the law of the rows that they know."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import pufferfish as pf
from pufferfish.exact.recheck import certificate_gap
from pufferfish.exact.stratified import split_strata
from pufferfish.noise import Stratified, Stratum

KEPT = pf.Recoding.from_matrix(["a", "b"], [[1, 0], [0, 1]])
LOST = pf.Recoding.from_matrix(["a", "b"], [[0.5, 0.5], [0.5, 0.5]])


def belief(*shares: float, **given: object) -> pf.Belief:
    laws = {s: pf.Categorical(["a", "b"], [p, 1 - p]) for s, p in zip("st", shares, strict=True)}
    return pf.Belief(laws, name=f"{shares} {given}", columns=["c"], given=given)


def law(**by_label: pf.Recoding) -> Stratified:
    return Stratified(columns=("z",), strata=tuple(Stratum((k,), v) for k, v in by_label.items()))


def test_each_sees_the_law_of_their_rows() -> None:
    alike, apart = belief(0.5, 0.5, z="alike"), belief(0.9, 0.1, z="apart")
    scenario = pf.Scenario([alike, apart])
    right = law(alike=KEPT, apart=LOST)
    assert pf.pure_epsilon(scenario, right).upper == 0.0
    assert pf.verify(scenario, right, pf.Guarantee(0.01)).holds
    swapped = law(alike=LOST, apart=KEPT)
    assert pf.pure_epsilon(scenario, swapped).upper == pytest.approx(math.log(9), abs=1e-9)
    found = pf.verify(scenario, swapped, pf.Guarantee(0.01))
    assert found.holds is False
    assert found.worst.belief == apart.name
    profile = pf.privacy_profile(scenario, swapped, [0.0])
    assert profile.delta_upper[0] == pytest.approx(0.8)


def test_who_knows_more_is_judged_as_well() -> None:
    beliefs = [belief(0.5, 0.5, z="x"), belief(0.9, 0.1, more="m", z="x")]
    assert pf.pure_epsilon(pf.Scenario(beliefs), law(x=KEPT)).upper == pytest.approx(math.log(9))
    # The order in which known columns are named does not matter.
    both = Stratified(columns=("z", "more"), strata=(Stratum(("x", "m"), LOST),))
    assert pf.pure_epsilon(pf.Scenario(beliefs[1:]), both).upper == 0.0


def test_true_and_one_are_two_strata() -> None:
    two = Stratified(columns=("z",), strata=(Stratum((True,), KEPT), Stratum((1,), LOST)))
    beliefs = [belief(0.5, 0.5, z=True), belief(0.9, 0.1, z=1.0)]
    assert pf.pure_epsilon(pf.Scenario(beliefs), two).upper == 0.0
    parts = list(split_strata(pf.Scenario(beliefs), two))
    assert [part.beliefs for part, _ in parts] == [(beliefs[0],), (beliefs[1],)]


def test_whom_no_law_covers() -> None:
    scenario = pf.Scenario(belief(0.5, 0.5, z="x"))
    for other in (law(y=KEPT), Stratified(columns=("w",), strata=(Stratum(("x",), KEPT),))):
        with pytest.raises(pf.UnsupportedError, match="no law covers that"):
            pf.verify(scenario, other, pf.Guarantee(1.0))
    with pytest.raises(pf.UnsupportedError, match="no adversary is described"):
        pf.verify(scenario, law(x=KEPT, y=KEPT), pf.Guarantee(1.0))
    with pytest.raises(pf.UnsupportedError, match="knows nothing"):
        pf.verify(pf.Scenario(belief(0.5, 0.5)), law(x=KEPT), pf.Guarantee(1.0))


def test_noise_by_known_values_is_judged_too() -> None:
    def of_numbers(mean: float, z: str) -> pf.Belief:
        laws = {"s": pf.Gaussian(0, 1), "t": pf.Gaussian(mean, 1)}
        return pf.Belief(laws, name=z, given={"z": z})

    scenario = pf.Scenario([of_numbers(1.0, "near"), of_numbers(2.0, "far")])
    noise = Stratified(
        columns=("z",),
        strata=(
            Stratum(("near",), pf.LaplaceNoise(1.0)),
            Stratum(("far",), pf.LaplaceNoise(2.0)),
        ),
    )
    alone = [
        pf.pure_epsilon(pf.Scenario(each), pf.LaplaceNoise(size)).upper
        for each, size in zip(scenario.beliefs, (1.0, 2.0), strict=True)
    ]
    assert pf.pure_epsilon(scenario, noise).upper == max(alone)


def test_a_recorded_certificate_is_compared_also_where_pairs_are_many() -> None:
    """Pairs that only the record examined are examined by the law of their stratum."""
    secrets = [f"s{k}" for k in range(48)]

    def wide(z: str) -> pf.Belief:
        laws = {
            s: pf.Categorical(["a", "b"], counts=[20 + k, 60 - k]) for k, s in enumerate(secrets)
        }
        return pf.Belief(laws, name=z, columns=["c"], given={"z": z})

    scenario, goal = pf.Scenario([wide("x"), wide("y")]), pf.Guarantee(2.0)
    found = pf.verify(scenario, law(x=KEPT, y=LOST), goal)
    assert found.screened
    assert certificate_gap(found, found, scenario) == 0.0
    # Of rows with y nothing is learnt, whichever pair was examined.
    other = pf.verify(scenario.only([("s2", "s3")]), law(x=KEPT, y=LOST), goal)
    results = [each for each in found.results if each.belief == "x"]
    results += [each for each in other.results if each.belief == "y"]
    assert {each.pair for each in results if each.belief == "y"} == {("s2", "s3")}
    recorded = replace(found, results=tuple(results))
    assert certificate_gap(recorded, found, scenario) == 0.0
    assert certificate_gap(recorded, found) == math.inf
