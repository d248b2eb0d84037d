"""Which laws and pairs a recoding is found for."""

from __future__ import annotations

from typing import Any

import pufferfish as pf
from pufferfish.calibration.asked import duty_of

LAW = pf.Discrete([0.0, 1.0], [0.5, 0.5])


def test_each_adversary_has_the_laws_of_their_own_pairs() -> None:
    race = pf.Belief({f"race = {k}": LAW for k in "bwo"}, name="race")
    sex = pf.Belief({f"sex = {k}": LAW for k in "fm"}, name="sex")
    given = pf.Scenario([race, sex], pairs=[("race = o", "race = b"), ("sex = f", "sex = m")])

    def named(belief: pf.Belief, secret: Any) -> Any:
        return belief.name, secret

    laws, pairs = duty_of(given, named)
    assert laws == (
        (("race", "race = o"), ("race", "race = b")),
        (("sex", "sex = f"), ("sex", "sex = m")),
    )
    assert pairs == (((0, 1),), ((0, 1),))
