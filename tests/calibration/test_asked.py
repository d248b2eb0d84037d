"""Which laws and pairs a recoding is found for."""

from __future__ import annotations

from dataclasses import replace

import pufferfish as pf
from pufferfish.calibration.asked import check_asked, duty_of

VALUES = [(0.0,), (1.0,)]


def law(first: int) -> pf.Categorical:
    return pf.Categorical(VALUES, counts=[first, 10])


def test_each_adversary_has_the_laws_of_their_own_pairs() -> None:
    race = pf.Belief({"race = b": law(1), "race = w": law(2), "race = o": law(3)}, name="race")
    sex = pf.Belief({"sex = f": law(4), "sex = m": law(5)}, name="sex")
    given = pf.Scenario([race, sex], pairs=[("race = o", "race = b"), ("sex = f", "sex = m")])
    asked = check_asked(
        floor=None,
        wrong=0.0,
        loss=None,
        keep_histogram=True,
        weights=None,
        metric=None,
        edges=None,
        nominal=True,
    )
    duty = duty_of(given, pf.Guarantee(1.0), asked, VALUES, ())
    counts = [[each.low.tolist() for each in laws] for laws in duty.laws]
    assert counts == [[[3, 10], [1, 10]], [[4, 10], [5, 10]]]
    assert duty.pairs == (((0, 1),), ((0, 1),))
    assert not duty.sampled
    sampled = replace(sex, region=pf.SampleRegion(confidence=0.95))
    both = duty_of(
        pf.Scenario([race, sampled], pairs=given.pairs), pf.Guarantee(1.0), asked, VALUES, ()
    )
    assert both.regions == (None, pf.SampleRegion(confidence=0.95, pairs=1))
    assert both.sampled
