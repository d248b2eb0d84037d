"""Public rules as data: what they refuse, and what they say about order."""

from __future__ import annotations

import math
import pickle

import pytest

import pufferfish as pf
from pufferfish.beliefs.rules import Rule, band_names


def test_band_names() -> None:
    assert band_names([25, 45.0, 65.5]) == ("<25", "[25,45)", "[45,65.5)", ">=65.5")
    assert band_names([0]) == ("<0", ">=0")
    with pytest.raises(pf.InvalidInputError, match="at least one"):
        band_names([])


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ({"read": "text"}, "read must be"),
        ({"read": "label", "unit": "week"}, "unit must be"),
        ({"read": "number", "unit": "year"}, "read as labels"),
        ({"read": "label", "edges": (1.0,), "names": ("a", "b")}, "edges= are for numbers"),
        ({"read": "number", "names": ("a",)}, "need edges"),
        ({"read": "number", "edges": (1.0,), "names": ("a",)}, "must have one label"),
        ({"read": "number", "edges": (2.0, 1.0), "names": ("a", "b", "c")}, "larger than"),
        ({"read": "number", "edges": (1.0, math.inf), "names": ("a", "b", "c")}, "finite"),
        ({"read": "number", "edges": (), "names": ("a",)}, "finite numbers"),
        ({"read": "number", "edges": (1.0,), "names": ("a", None)}, "needs a name"),
        ({"read": "label", "merged": {"a": (1, 2)}}, "a label must be"),
        ({"read": "label", "order": (math.nan,)}, "a label must be"),
    ],
)
def test_rules_without_a_meaning_are_refused(said: dict[str, object], because: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=because) as caught:
        Rule(column="c", **said)  # type: ignore[arg-type]
    assert "'c'" in str(caught.value)


def test_what_labels_become_is_found_by_their_kind() -> None:
    rule = Rule(column="c", read="label", merged={1: "one", "1": "text", None: "none"})
    assert rule.renamed[0, 1] == "one"
    assert rule.renamed[0, 1.0] == "one"
    assert rule.renamed[2, "1"] == "text"
    assert rule.renamed[3, 0] == "none"
    assert (1, True) not in rule.renamed


def test_order_is_that_of_the_rule_or_of_its_bins() -> None:
    bins = Rule(column="c", read="number", edges=(1, 2), names=("low", "mid", "high"))
    assert bins.display == ("low", "mid", "high")
    merged = Rule(
        column="c", read="number", edges=(1, 2), names=("low", "mid", "high"), merged={"mid": "low"}
    )
    assert merged.display == ("low", "high")
    assert Rule(column="c", read="label", order=("z", "a")).display == ("z", "a")
    assert Rule(column="c", read="label").display == ()
    assert not bins.whole
    assert Rule(column="c", read="number").whole


def test_a_rule_is_copied_when_it_is_made_and_travels() -> None:
    merged = {"a": "b"}
    rule = Rule(column="c", read="label", merged=merged)
    merged["a"] = "c"
    assert rule.merged == {"a": "b"}
    assert pickle.loads(pickle.dumps(rule)) == rule
