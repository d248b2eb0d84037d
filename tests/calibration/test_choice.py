"""What keeps a promise: arguments that go together, and adversaries that must be there."""

from __future__ import annotations

from typing import Any

import pytest

import pufferfish as pf
from tests.calibration.labelled import CELLS, belief, scenario

LAWS = {"s": [9, 1], "t": [1, 9]}
GOAL = pf.Guarantee(1.0)
NUMBERS = pf.Scenario(pf.Belief({"s": pf.Gaussian(0, 1), "t": pf.Gaussian(1, 1)}))


def test_only_those_who_know_are_not_enough() -> None:
    """A promise to those who know a column implies none to those who do not."""
    with pytest.raises(pf.InvalidInputError, match="every adversary of the scenario knows"):
        pf.calibrate(
            pf.Scenario(belief(LAWS, CELLS, z="a")), GOAL, mechanism="recode", nominal=True
        )
    known = pf.Belief(NUMBERS.beliefs[0].priors, given={"z": "a"})
    with pytest.raises(pf.InvalidInputError, match="every adversary of the scenario knows"):
        pf.calibrate(pf.Scenario(known), GOAL)


@pytest.mark.parametrize("wrong", ["z", [3], [""], None, 3])
def test_keep_is_a_list_of_names(wrong: Any) -> None:
    with pytest.raises(pf.InvalidInputError, match="keep must be a list"):
        pf.calibrate(scenario({"True": LAWS}), GOAL, mechanism="recode", nominal=True, keep=wrong)


@pytest.mark.parametrize(
    "asked",
    [
        {"never": [{"c": "a"}]},
        {"loss": "steps"},
        {"loss": {"c": "changed"}},
        {"weights": {"c": 1.0}},
        {"nominal": True},
    ],
)
def test_what_is_asked_of_a_recoding_is_refused_for_noise(asked: dict[str, Any]) -> None:
    with pytest.raises(pf.InvalidInputError, match='mechanism="recode"'):
        pf.calibrate(NUMBERS, GOAL, **asked)


@pytest.mark.parametrize(
    "asked", [{"never": [{"c": "a"}]}, {"loss": "steps"}, {"loss": {"c": "changed"}}]
)
def test_what_is_about_categories_is_refused_for_numbers(asked: dict[str, Any]) -> None:
    tables = pf.Scenario(pf.Belief({s: pf.Discrete([0, 1], counts=law) for s, law in LAWS.items()}))
    with pytest.raises(pf.InvalidInputError, match="categories"):
        pf.calibrate(tables, GOAL, mechanism="recode", **asked)


@pytest.mark.parametrize(
    "asked", [{"edges": [0.5]}, {"loss": "cubed"}, {"metric": [[0, 1], [1, 0]]}, {"floor": "much"}]
)
def test_what_is_no_question_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(pf.InvalidInputError):
        pf.calibrate(pf.Scenario(belief(LAWS, CELLS)), GOAL, mechanism="recode", **asked)


def test_several_secrets_are_each_kept_and_jointly_implies_each() -> None:
    """x is race and sex together: hiding the pair hides both, and costs more."""
    joint = {
        ("b", "f"): [8, 1, 1, 2],
        ("b", "m"): [1, 8, 2, 1],
        ("w", "f"): [1, 2, 8, 1],
        ("w", "m"): [2, 1, 1, 8],
    }
    cells = ["p", "q", "r", "v"]

    def added(place: int) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for both, counts in joint.items():
            name = f"{('race', 'sex')[place]} = {both[place]}"
            found[name] = [a + b for a, b in zip(found.get(name, [0] * 4), counts, strict=True)]
        return found

    def of(laws: dict[str, list[int]], name: str) -> pf.Belief:
        return pf.Belief(
            {s: pf.Categorical(cells, counts=law) for s, law in laws.items()},
            name=name,
            columns=["c"],
        )

    race, sex = of(added(0), "race"), of(added(1), "sex")
    both = of({f"race = {r}, sex = {s}": law for (r, s), law in joint.items()}, "both")
    goal = pf.Guarantee(0.5)
    asked: dict[str, Any] = {"mechanism": "recode", "nominal": True, "keep_histogram": False}
    each = pf.calibrate(pf.Scenario([race, sex]), goal, **asked)
    together = pf.calibrate(pf.Scenario(both), goal, **asked)
    assert {result.belief for result in each.certificate.results} == {"race", "sex"}
    for belief_ in (race, sex):
        assert pf.verify(pf.Scenario(belief_), each.mechanism, goal).holds
        assert pf.verify(pf.Scenario(belief_), together.mechanism, goal).holds
    # The other way round nothing is implied.
    assert not pf.verify(pf.Scenario(both), each.mechanism, goal).holds
    assert each.recode is not None
    assert together.recode is not None
    assert each.recode.mean_loss < together.recode.mean_loss
    for alone in (race, sex):
        single = pf.calibrate(pf.Scenario(alone), goal, **asked).recode
        assert single is not None
        assert single.mean_loss <= each.recode.mean_loss * (1 + 1e-6)
