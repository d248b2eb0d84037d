"""What an adversary also knows of a row."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.beliefs.known import check_given, given_in_words
from pufferfish.beliefs.rules import Rule

LAW = pf.Categorical(["a", "b"], [0.5, 0.5])
OTHER = pf.Categorical(["a", "b"], [0.25, 0.75])
TWO = {"x": LAW, "y": OTHER}


def test_known_values_are_copied_and_frozen() -> None:
    given = {"sex": "Male", "old": np.bool_(True)}
    belief = pf.Belief(TWO, columns=["c"], given=given)
    given["sex"] = "Female"
    assert belief.given["sex"] == "Male"
    assert belief.given["old"] is True
    with pytest.raises(TypeError):
        belief.given["sex"] = "Female"  # type: ignore[index]


def test_beliefs_that_know_other_things_are_others() -> None:
    one, other = (pf.Belief(TWO, columns=["c"], given={"sex": sex}) for sex in ("Male", "Female"))
    assert one != other
    assert one != pf.Belief(TWO, columns=["c"])
    assert one != pf.Belief(TWO, columns=["d"], given={"sex": "Male"})
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert again.given == {"sex": "Male"}
    assert again.columns == ("c",)


@pytest.mark.parametrize("wrong", [["sex"], "sex", 3, {3: "Male"}, {"": "Male"}, {"sex": [1]}])
def test_what_is_no_knowledge_is_refused(wrong: object) -> None:
    with pytest.raises(pf.InvalidInputError):
        check_given(wrong)


def test_words() -> None:
    assert given_in_words({"sex": "Male", "income": None}) == "sex = Male, income = (missing)"
    assert given_in_words({}) == ""


def test_columns_name_the_parts_of_categories() -> None:
    pair = {"x": pf.Categorical([("a", 1)], [1.0]), "y": pf.Categorical([("b", 2)], [1.0])}
    assert pf.Belief(pair, columns=["c", "d"]).columns == ("c", "d")
    assert pf.Belief(pair).columns == ()
    for wrong in (["c"], ["c", "c"], ["c", "d", "e"], "cd", ["c", 3], ["c", ""]):
        with pytest.raises(pf.InvalidInputError, match="columns"):
            pf.Belief(pair, columns=wrong)
    with pytest.raises(pf.InvalidInputError, match="laws are of numbers"):
        pf.Belief({"x": pf.Gaussian(0, 1), "y": pf.Gaussian(1, 1)}, columns=["c"])
    with pytest.raises(pf.InvalidInputError, match="some laws are of categories"):
        pf.Belief({"x": LAW, "y": pf.Gaussian(1, 1)})
    with pytest.raises(pf.InvalidInputError, match=r"part\(s\)"):
        pf.Belief({"x": LAW, "y": pair["y"]}, columns=["c"])


def test_a_missing_category_is_a_value() -> None:
    with pytest.raises(pf.InvalidInputError, match="write None among them"):
        pf.Belief(TWO, missing={"x": 0.1})
    with pytest.raises(pf.InvalidInputError, match="a cap is for a column of numbers"):
        pf.Belief(TWO, cap=(0, 1))


def test_a_column_has_one_rule() -> None:
    rule = Rule(column="c", read="label")
    assert pf.Belief(TWO, columns=["c"], rules=[rule]).rules == {"c": rule}
    assert pf.Belief(TWO, columns=["c"], rules={"anything": rule}).rules == {"c": rule}
    with pytest.raises(pf.InvalidInputError, match="two rules"):
        pf.Belief(TWO, columns=["c"], rules=[rule, rule])
    with pytest.raises(pf.InvalidInputError, match="must be a Rule"):
        pf.Belief(TWO, columns=["c"], rules=["c"])


def test_who_knows_true_does_not_know_one() -> None:
    def knowing(label: object) -> pf.Belief:
        return pf.Belief(TWO, columns=["c"], given={"old": label, "sex": "Male"})

    assert knowing(True) != knowing(1)
    assert knowing(1.0) == knowing(1)
    assert hash(knowing(1.0)) == hash(knowing(1))
    assert knowing(1) == pf.Belief(TWO, columns=["c"], given={"sex": "Male", "old": 1})
    assert replace(knowing(True), given={"old": 1, "sex": "Male"}) == knowing(1)
