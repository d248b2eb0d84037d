"""Several secrets, each protected: who may be silent about which pairs."""

from __future__ import annotations

import pickle

import pytest

import pufferfish as pf

LOW, HIGH = pf.Discrete([0.0, 1.0], [0.5, 0.5]), pf.Discrete([0.0, 1.0], [0.4, 0.6])
RACE = {"race = Black": LOW, "race = White": HIGH, "race = Other": LOW}
SEX = {"sex = Female": LOW, "sex = Male": HIGH}


def two(**given: object) -> list[pf.Belief]:
    return [
        pf.Belief(RACE, name=f"race {given}", given=given),
        pf.Belief(SEX, name=f"sex {given}", given=given),
    ]


def test_pairs_are_within_secrets_and_never_across() -> None:
    scenario = pf.Scenario(two())
    assert len(scenario.pairs) == 4
    assert scenario.pairs_of(scenario.beliefs[0]) == tuple(scenario.pairs)[:3]
    assert scenario.pairs_of(scenario.beliefs[1]) == (("sex = Female", "sex = Male"),)
    for first, second in scenario.pairs:
        assert first[:3] == second[:3]
    assert scenario.secrets == (*RACE, *SEX)
    assert scenario.secrets_of(scenario.beliefs[1]) == tuple(SEX)


def test_laws_are_those_that_somebody_believes() -> None:
    laws = list(pf.Scenario(two()).laws())
    assert [(each.belief, each.pair.first[:3]) for each in laws] == [
        *[("race {}", "rac")] * 3,
        ("sex {}", "sex"),
    ]


def test_only_keeps_who_knows_the_pair() -> None:
    scenario = pf.Scenario([*two(), *two(age="old")])
    alone = scenario.only([("sex = Female", "sex = Male")])
    assert [each.name for each in alone.beliefs] == ["sex {}", "sex {'age': 'old'}"]
    assert len(alone.pairs) == 1


def test_nobody_is_half_silent() -> None:
    partial = pf.Belief({"race = Black": LOW, "race = White": HIGH}, name="partial")
    with pytest.raises(pf.InvalidInputError, match=r"'partial'.*'race = Other'"):
        pf.Scenario([*two(), partial])


def test_two_beliefs_that_share_one_secret_are_half_silent() -> None:
    one, other = pf.Belief({"a": LOW, "b": HIGH}, "one"), pf.Belief({"b": LOW, "c": HIGH}, "other")
    with pytest.raises(pf.InvalidInputError, match=r"'other'.*'a'"):
        pf.Scenario([one, other])


def test_everything_that_is_known_needs_somebody_for_every_pair() -> None:
    """Who knows the age of a row, too, must be described for race and for sex."""
    with pytest.raises(pf.InvalidInputError, match="has no prior for secret 'sex = Female'"):
        pf.Scenario([*two(), two(age="old")[0]])
    # True and 1 are two labels: each needs both.
    with pytest.raises(pf.InvalidInputError, match="has no prior"):
        pf.Scenario([*two(), two(age=True)[0], two(age=1)[1]])
    # The order in which known columns are named does not matter.
    mixed = [two(age="old", job="x")[0], two(job="x", age="old")[1]]
    assert len(pf.Scenario([*two(), *mixed]).pairs) == 4


def test_a_belief_that_would_be_ignored_is_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="knows no secret of any pair"):
        pf.Scenario(two(), pairs=[("race = Black", "race = White")])


def test_one_secret_each_makes_no_pair() -> None:
    with pytest.raises(pf.InvalidInputError, match="at least two secrets"):
        pf.Scenario([pf.Belief({"a": LOW}, "one"), pf.Belief({"b": HIGH}, "other")])


def test_such_scenarios_are_copied_and_compared() -> None:
    scenario = pf.Scenario(two())
    again = pickle.loads(pickle.dumps(scenario))
    assert again == scenario
    assert hash(again) == hash(scenario)
    assert pf.Scenario(two(), pairs=scenario.pairs) == scenario


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_noise_for_each_secret_is_what_the_worst_of_them_needs(noise: str) -> None:
    """Judged secret by secret, and all together: the same."""
    goal = pf.Guarantee(0.3, 0.01)
    far = pf.Belief({"far = 0": pf.Gaussian(0, 1), "far = 1": pf.Gaussian(3, 1)}, name="far")
    near = pf.Belief({"near = 0": pf.Gaussian(0, 1), "near = 1": pf.Gaussian(1, 1)}, name="near")
    both = pf.calibrate(pf.Scenario([far, near]), goal, mechanism=noise)
    alone = [pf.calibrate(pf.Scenario(each), goal, mechanism=noise) for each in (far, near)]
    assert both.noise == max((each.noise for each in alone), key=lambda law: law.std)
    assert both.certificate.worst.belief == "far"
    assert {each.belief for each in both.certificate.results} == {"far", "near"}
    assert pf.pure_epsilon(pf.Scenario([far, near]), pf.LaplaceNoise(2.0)) == pf.pure_epsilon(
        pf.Scenario(far), pf.LaplaceNoise(2.0)
    )
    assert "'near'" in str(both.explain())


def test_thousands_of_pairs_of_one_secret_and_one_of_another() -> None:
    many = {f"town = {k}": pf.Discrete([0.0, 1.0], [0.5, 0.5]) for k in range(44)}
    many["town = 44"] = pf.Discrete([0.0, 1.0], [0.3, 0.7])
    town = pf.Belief(many, name="town")
    sex = pf.Belief({"sex = 0": LOW, "sex = 1": pf.Discrete([0.0, 1.0], [0.1, 0.9])}, name="sex")
    extra = pf.Belief(many, name="town again")
    scenario = pf.Scenario([town, extra, sex])
    assert sum(len(scenario.pairs_of(each)) for each in scenario.beliefs) == 2 * 990 + 1
    goal = pf.Guarantee(0.7)
    law = pf.Recoding.from_matrix([0.0, 1.0], [[0.6, 0.4], [0.4, 0.6]])
    for mechanism in (law, pf.LaplaceNoise(1.0)):
        found = pf.verify(scenario, mechanism, goal)
        assert found.worst.belief == "sex"
        alone = pf.verify(pf.Scenario(sex), mechanism, goal)
        assert found.epsilon_upper == pytest.approx(alone.epsilon_upper, abs=1e-9)
        assert sum(each.pairs for each in found.screened) + len(found.results) // 2 == 2 * 990 + 1
