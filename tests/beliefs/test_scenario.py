"""Beliefs, pairs and the scenario they make."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from itertools import combinations

import numpy as np
import pytest

import pufferfish as pf

LOW, HIGH, WIDE = pf.Gaussian(0.0, 1.0), pf.Gaussian(2.0, 1.0), pf.Gaussian(0.0, 3.0)
THREE = {"x": LOW, "y": HIGH, "z": WIDE}


def test_all_pairs_by_default() -> None:
    scenario = pf.Scenario([pf.Belief(THREE)])
    assert scenario.pairs == (("x", "y"), ("x", "z"), ("y", "z"))
    assert all(isinstance(pair, pf.SecretPair) for pair in scenario.pairs)


def test_all_pairs_are_as_many_as_combinations() -> None:
    belief = pf.Belief(dict.fromkeys(range(12), LOW))
    assert list(pf.Scenario([belief]).pairs or ()) == list(combinations(range(12), 2))


def test_explicit_pairs_keep_their_order_and_lose_their_repeats() -> None:
    asked = [("z", "x"), ("x", "z"), ("y", "x"), ("z", "x"), ("x", "y")]
    scenario = pf.Scenario([pf.Belief(THREE)], pairs=iter(asked))
    assert scenario.pairs == (("z", "x"), ("y", "x"))


def test_a_single_belief_needs_no_list() -> None:
    belief = pf.Belief(THREE)
    assert pf.Scenario(belief) == pf.Scenario([belief])


def test_beliefs_may_come_from_an_iterator() -> None:
    beliefs = [pf.Belief(THREE, name=name) for name in ("one", "two")]
    assert pf.Scenario(iter(beliefs)).beliefs == tuple(beliefs)


def test_laws_are_every_belief_times_every_pair() -> None:
    one = pf.Belief(THREE, name="one", missing={"x": 0.25})
    two = pf.Belief({"x": HIGH, "y": HIGH, "z": HIGH}, name="two")
    laws = list(pf.Scenario([one, two], pairs=[("x", "y"), ("y", "z")]).laws())
    assert [(each.belief, each.pair) for each in laws] == [
        ("one", ("x", "y")),
        ("one", ("y", "z")),
        ("two", ("x", "y")),
        ("two", ("y", "z")),
    ]
    assert (laws[0].first, laws[0].second) == (LOW, HIGH)
    assert (laws[0].missing_first, laws[0].missing_second) == (0.25, 0.0)
    assert (laws[1].first, laws[1].second) == (HIGH, WIDE)
    assert (laws[3].first, laws[3].missing_first) == (HIGH, 0.0)


def test_the_same_secret_twice_is_no_pair() -> None:
    with pytest.raises(pf.InvalidInputError, match=r"different secrets.*'x'"):
        pf.Scenario([pf.Belief(THREE)], pairs=[("x", "x")])


def test_true_and_one_are_the_same_secret() -> None:
    belief = pf.Belief({0: LOW, 1: HIGH})
    with pytest.raises(pf.InvalidInputError, match="different secrets"):
        pf.Scenario([belief], pairs=[(1, True)])


def test_an_unknown_secret_is_named_with_belief_and_pair() -> None:
    beliefs = [pf.Belief(THREE, name="full"), pf.Belief({"x": LOW, "y": HIGH}, name="partial")]
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.Scenario(beliefs, pairs=[("x", "y"), ("y", "z")])
    message = str(caught.value)
    for part in ("'partial'", "secret 'z'", "('y', 'z')"):
        assert part in message
    assert "'full'" not in message


def test_all_pairs_need_every_belief_to_know_every_secret() -> None:
    beliefs = [pf.Belief(THREE, name="full"), pf.Belief({"x": LOW, "y": HIGH}, name="partial")]
    with pytest.raises(pf.InvalidInputError, match=r"'partial'.*'z'"):
        pf.Scenario(beliefs)


@pytest.mark.parametrize(
    "secrets", [("a", "b"), (0, 1), (False, True), (-3, "minus three"), ("", 0)]
)
def test_secrets_of_every_kind_keep_their_type(secrets: tuple[object, object]) -> None:
    scenario = pf.Scenario([pf.Belief(dict(zip(secrets, (LOW, HIGH), strict=True)))])
    (pair,) = scenario.pairs or ()
    assert pair == secrets
    assert [type(each) for each in pair] == [type(each) for each in secrets]


@pytest.mark.parametrize("secret", [1.5, None, ("a",), b"a"])
def test_other_kinds_of_secret_are_refused(secret: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="secret must be a str, an int or a bool"):
        pf.Belief({secret: LOW})
    with pytest.raises(pf.InvalidInputError, match="secret must be a str, an int or a bool"):
        pf.Scenario([pf.Belief(THREE)], pairs=[("x", secret)])


@pytest.mark.parametrize("pair", [("x",), ("x", "y", "z"), 3, None])
def test_a_pair_is_two_secrets(pair: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="pair must be two secrets"):
        pf.Scenario([pf.Belief(THREE)], pairs=[pair])


def test_a_text_is_not_a_pair_of_letters() -> None:
    belief = pf.Belief({"a": LOW, "b": HIGH})
    with pytest.raises(pf.InvalidInputError, match="pair"):
        pf.Scenario([belief], pairs=["ab"])


def test_scenarios_that_protect_nothing_are_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="at least one belief"):
        pf.Scenario([])
    with pytest.raises(pf.InvalidInputError, match="at least two secrets"):
        pf.Scenario([pf.Belief({"x": LOW})])
    with pytest.raises(pf.InvalidInputError, match="pairs must not be empty"):
        pf.Scenario([pf.Belief(THREE)], pairs=[])


@pytest.mark.parametrize("beliefs", [None, 3, [THREE], "belief"])
def test_beliefs_must_be_beliefs(beliefs: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="belief"):
        pf.Scenario(beliefs)


def test_pairs_must_be_a_list() -> None:
    with pytest.raises(pf.InvalidInputError, match="pair"):
        pf.Scenario([pf.Belief(THREE)], pairs=3)


def test_two_beliefs_of_one_name_are_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match=r"different names.*twice"):
        pf.Scenario([pf.Belief(THREE, name="twice"), pf.Belief(THREE, name="twice")])


def test_a_plain_dictionary_of_gaussians_is_accepted() -> None:
    plain: dict[str, pf.Gaussian] = {"x": LOW, "y": HIGH}
    assert dict(pf.Belief(plain).priors) == plain


def test_missing_is_zero_unless_named() -> None:
    belief = pf.Belief(THREE, missing={"y": 0.125})
    assert [belief.missing[each] for each in THREE] == [0.0, 0.125, 0.0]
    assert pf.Belief(THREE).missing == {"x": 0.0, "y": 0.0, "z": 0.0}


@pytest.mark.parametrize("probability", [-0.1, 1.0, 2.0, float("nan"), True, "0.1", None])
def test_missing_must_be_a_probability_below_one(probability: object) -> None:
    with pytest.raises(pf.InvalidInputError, match=r"missing\['x'\]"):
        pf.Belief(THREE, missing={"x": probability})


def test_missing_of_an_unknown_secret_is_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="'w', which has no prior"):
        pf.Belief(THREE, missing={"w": 0.1})


def test_missing_must_be_a_mapping() -> None:
    with pytest.raises(pf.InvalidInputError, match="missing"):
        pf.Belief(THREE, missing=0.25)


@pytest.mark.parametrize("priors", [{}, [LOW], None, LOW])
def test_a_belief_maps_secrets_to_priors(priors: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="prior"):
        pf.Belief(priors)


def test_a_prior_of_another_kind_is_named() -> None:
    with pytest.raises(pf.InvalidInputError, match=r"prior of 'y'.*tuple"):
        pf.Belief({"x": LOW, "y": (0.0, 1.0)})


@pytest.mark.parametrize("field", ["name", "provenance"])
@pytest.mark.parametrize("text", ["", None, 3])
def test_names_are_texts(field: str, text: object) -> None:
    with pytest.raises(pf.InvalidInputError, match=field):
        pf.Belief(THREE, **{field: text})


@pytest.mark.parametrize(
    ("provenance", "public"), [("public", True), ("private", False), ("published", False)]
)
def test_only_public_is_public(provenance: str, public: bool) -> None:
    assert pf.Belief(THREE, provenance=provenance).public is public
    assert not pf.Belief(THREE).public


@pytest.mark.parametrize("provenance", ["Public", "PUBLIC", " public"])
def test_what_is_meant_to_be_public_and_would_not_be_is_refused(provenance: str) -> None:
    with pytest.raises(pf.InvalidInputError, match="public"):
        pf.Belief(THREE, provenance=provenance)


def test_a_belief_cannot_be_changed() -> None:
    given, holes = dict(THREE), {"x": 0.5}
    belief = pf.Belief(given, missing=holes)
    given["x"], holes["x"] = WIDE, 0.75
    assert belief.priors["x"] == LOW
    assert belief.missing["x"] == 0.5
    with pytest.raises(TypeError):
        belief.priors["x"] = WIDE
    with pytest.raises(TypeError):
        belief.missing["x"] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        belief.name = "other"


def test_a_scenario_cannot_be_changed() -> None:
    scenario = pf.Scenario([pf.Belief(THREE)])
    with pytest.raises(dataclasses.FrozenInstanceError):
        scenario.pairs = ()


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_beliefs_and_scenarios_can_be_copied_and_pickled(duplicate: object) -> None:
    table = pf.Discrete([0.0, 1.0], [0.25, 0.75])
    belief = pf.Belief({0: LOW, "t": table}, name="n", provenance="public", missing={"t": 0.125})
    twin = duplicate(belief)
    assert twin == belief
    assert (twin.name, twin.provenance, twin.missing["t"]) == ("n", "public", 0.125)
    scenario = pf.Scenario([belief])
    assert duplicate(scenario) == scenario


def test_a_private_belief_does_not_show_its_priors() -> None:
    priors = {"a": pf.Discrete([31.5, 99.0], [0.5, 0.5])}
    assert "31.5" not in repr(pf.Belief(priors, name="payroll"))
    assert "'a'" in repr(pf.Belief(priors, name="payroll"))
    assert "31.5" in repr(pf.Belief(priors, provenance="public"))
    with pytest.raises(pf.InvalidInputError, match="got Belief") as refusal:
        pf.verify(pf.Belief(priors), pf.NoNoise(), pf.Guarantee(1.0))
    assert "31.5" not in str(refusal.value)


def test_beliefs_and_scenarios_can_be_hashed() -> None:
    one, two = (pf.Belief({"a": pf.Gaussian(0, 1), "b": pf.Gaussian(1, 1)}) for _ in range(2))
    assert hash(one) == hash(two)
    assert hash(pf.Scenario(one)) == hash(pf.Scenario(two))


def test_secrets_from_numpy_become_plain() -> None:
    belief = pf.Belief({np.int64(1): pf.Gaussian(0, 1), np.str_("x"): pf.Gaussian(1, 1)})
    assert [type(secret) for secret in belief.priors] == [int, str]


def test_hints_for_common_slips() -> None:
    belief = pf.Belief({"a": pf.Gaussian(0, 1), "b": pf.Gaussian(1, 1)})
    with pytest.raises(pf.InvalidInputError, match=r"write pairs=\[\(secret_1, secret_2\)\]"):
        pf.Scenario(belief, pairs=("a", "b"))
    with pytest.raises(pf.InvalidInputError, match="it knows 'a', 'b'"):
        pf.Scenario(belief, pairs=[("a", "c")])
    with pytest.raises(pf.InvalidInputError, match=r"write pf\.Belief"):
        pf.Scenario([{"a": pf.Gaussian(0, 1)}])


@pytest.mark.parametrize("count", [2, 3, 4, 7, 30])
def test_all_pairs_are_those_of_a_list(count: int) -> None:
    secrets = [f"s{number}" for number in range(count)]
    pairs = pf.Scenario(pf.Belief(dict.fromkeys(secrets, LOW))).pairs
    listed = tuple(combinations(secrets, 2))
    assert pairs == listed
    assert listed == pairs
    assert tuple(pairs[number] for number in range(len(pairs))) == listed
    assert pairs[-1] == listed[-1]
    assert pairs[1:5] == listed[1:5]
    assert hash(pairs) == hash(listed)
    assert pickle.loads(pickle.dumps(pairs)) == pairs
    with pytest.raises(IndexError):
        pairs[len(listed)]


def test_all_pairs_named_one_by_one_are_all_pairs() -> None:
    belief = pf.Belief(dict.fromkeys("abcd", LOW))
    assert pf.Scenario(belief, list(combinations("abcd", 2))) == pf.Scenario(belief)
    assert pf.Scenario(belief, [("b", "a"), ("c", "d")]).secrets == ("b", "a", "c", "d")
    assert pf.Scenario(belief).secrets == tuple("abcd")


def test_thousands_of_secrets_need_no_list_of_pairs() -> None:
    """Twelve million pairs would take a gigabyte, and minutes to check one by one."""
    scenario = pf.Scenario(pf.Belief(dict.fromkeys(range(5_000), LOW)))
    assert len(scenario.pairs) == 12_497_500
    assert scenario.pairs[12_497_499] == (4_998, 4_999)
    assert "12,497,500 pairs" in repr(scenario.pairs)


def test_a_belief_about_capped_values_says_so() -> None:
    laws = {"a": pf.Discrete([0.0, 2.0], [0.5, 0.5]), "b": pf.Gaussian(1.0, 1.0)}
    belief = pf.Belief(laws, cap=(0, 2), fitted_on="print", fitted_at="now")
    assert belief.cap == (0.0, 2.0)
    assert belief != pf.Belief(laws)
    assert belief == pf.Belief(laws, cap=(0, 2))
    assert pickle.loads(pickle.dumps(belief)).cap == (0.0, 2.0)
    assert pickle.loads(pickle.dumps(belief)).fitted_on == "print"
    with pytest.raises(pf.InvalidInputError, match="outside the cap"):
        pf.Belief(laws, cap=(0, 1.5))
    with pytest.raises(pf.InvalidInputError, match="cap"):
        pf.Belief(laws, cap=(2, 0))
