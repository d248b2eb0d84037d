"""What a changed category costs, and how often each occurs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.beliefs.rules import Rule
from pufferfish.calibration.categories import categories_of, check_never, check_weights, units_of

CELLS = [("low", 1), ("high", 3), ("mid", None), ("low", 3)]


def scenario(
    cells: list[Any] = CELLS, rules: tuple[Rule, ...] = (), **frequencies: Any
) -> pf.Scenario:
    laws = {"s": [4, 3, 2, 1], "t": [1, 2, 3, 4]}
    belief = pf.Belief(
        {secret: pf.Categorical(cells, counts=often) for secret, often in laws.items()},
        columns=["level", "years"],
        rules=rules,
        **frequencies,
    )
    return pf.Scenario(belief)


def test_the_default_is_squares_in_stds_and_changed_labels() -> None:
    """Frequencies 1/4 each: years 1, 3, 3 has mean 7/3 and variance 8/9."""
    found = categories_of(scenario())
    assert found.frequencies.tolist() == [0.25] * 4
    assert found.units == (0.0, pytest.approx(math.sqrt(8 / 9)))
    cost = found.losses(None, {})
    gap = 4 / (8 / 9)
    assert cost[0].tolist() == pytest.approx([0, 1 + gap, 1 + 2.0, gap])
    # A hole stays a hole at no cost; making or filling one costs 2.
    assert cost[2].tolist() == pytest.approx([1 + 2.0, 1 + 2.0, 0, 1 + 2.0])
    assert np.array_equal(cost, cost.T)


def test_losses_by_column_and_weights() -> None:
    found = categories_of(scenario())
    only = found.losses({"years": "absolute"}, {"level": 5.0, "years": 2.0})
    assert only[0, 1] == pytest.approx(5 + 2 * 2 / math.sqrt(8 / 9))
    assert only[0, 2] == pytest.approx(5 + 2 * 2 / math.sqrt(math.pi))
    changed = found.losses("changed", {})
    assert changed[0].tolist() == [0, 2, 2, 1]
    # Alphabetically: high, low, mid.
    steps = found.losses({"level": "steps", "years": "changed"}, {})
    assert steps[:, 0].tolist() == [0, 2, 2, 1]
    assert steps[1, 2] == 2 + 1
    matrix = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    own = found.losses({"level": matrix, "years": "changed"}, {})
    assert own[0, 1] == 3 + 1  # low to high
    assert own[1, 0] == 1 + 1
    assert own[2, 0] == 6 + 1


def test_an_order_that_was_chosen_counts_and_need_not_name_everything() -> None:
    rule = Rule(column="level", read="label", order=("low", "mid", "high", "never seen"))
    found = categories_of(scenario(rules=(rule,))).losses({"level": "steps"}, {"years": 1e-9})
    assert found[0, 1] == pytest.approx(2)
    assert found[0, 2] == pytest.approx(1)
    partial = Rule(column="level", read="label", order=("mid",))
    found = categories_of(scenario(rules=(partial,))).losses({"level": "steps"}, {"years": 1e-9})
    # mid, then the rest as it comes naturally: high, low.
    assert found[2, 1] == pytest.approx(1)
    assert found[2, 0] == pytest.approx(2)


def test_codes_and_truth_values_have_no_distance() -> None:
    rule = Rule(column="years", read="label")
    assert categories_of(scenario(rules=(rule,))).units == (0.0, 0.0)
    flags = [("low", True), ("high", False), ("mid", None), ("low", False)]
    assert categories_of(scenario(flags)).units == (0.0, 0.0)
    mixed = [("low", 1), ("high", "x"), ("mid", None), ("low", 3)]
    assert categories_of(scenario(mixed)).units == (0.0, 0.0)


def test_distances_of_a_floor_are_infinite_to_a_hole() -> None:
    gaps = categories_of(scenario()).distances
    assert gaps[0].tolist() == pytest.approx(
        [0, 1 + 2 / math.sqrt(8 / 9), math.inf, 2 / math.sqrt(8 / 9)]
    )


def test_frequencies_are_of_all_rows() -> None:
    """Also of secrets in no pair, and of categories that no law has."""
    whole = pf.Categorical([*CELLS, ("rare", 9)], counts=[10, 10, 10, 10, 10])
    found = categories_of(scenario(frequencies=whole))
    assert len(found.values) == 5
    assert found.frequencies.tolist() == pytest.approx([0.2] * 5)
    # 1, 3, 3, 9 over rows that have a number.
    assert found.units[1] == pytest.approx(np.std([1, 3, 3, 9]))


def known(*given: dict[str, Any], often: Any = ((1, 3), (5, 1))) -> pf.Scenario:
    beliefs = []
    for place, each in enumerate(given):
        counts = often[place % len(often)]
        laws = {s: pf.Categorical([(0,), (2,)], counts=counts) for s in "st"}
        beliefs.append(
            pf.Belief(
                laws,
                name=str(place),
                columns=["c"],
                given=each,
                frequencies=pf.Categorical([(0,), (2,)], counts=counts),
            )
        )
    return pf.Scenario(beliefs)


def test_each_row_is_counted_once() -> None:
    """Those who know least are about all rows; the strata of one column are about all rows."""
    strata = known({"z": "a"}, {"z": "b"})
    assert categories_of(strata).frequencies.tolist() == pytest.approx([0.6, 0.4])
    for every in (
        known({}, {"z": "b"}),
        known({}, {"z": "b"}, {}),  # two adversaries who know the same
    ):
        assert categories_of(every).frequencies.tolist() == pytest.approx([0.25, 0.75])
    # In whichever order known columns are named.
    mixed = known({"y": 1, "z": "a"}, {"z": "b", "y": 1})
    assert categories_of(mixed).frequencies.tolist() == pytest.approx([0.6, 0.4])
    # True and 1 are two strata.
    kinds = known({"z": True}, {"z": 1})
    assert categories_of(kinds).frequencies.tolist() == pytest.approx([0.6, 0.4])
    units = units_of(strata)
    assert units == {"c": pytest.approx(2 * math.sqrt(0.24))}


def test_units_of_the_whole_table_replace_those_of_a_part() -> None:
    part = known({"z": "a"})
    assert categories_of(part).units == (pytest.approx(2 * math.sqrt(3 / 16)),)
    assert categories_of(part, units={"c": 7.0}).units == (7.0,)
    assert categories_of(part, units={"c": 0.0}).units == (0.0,)


def test_beliefs_must_be_about_the_same_columns() -> None:
    one = scenario().beliefs[0]
    other = pf.Belief(one.priors, name="other", columns=["years", "level"])
    with pytest.raises(pf.InvalidInputError, match="same columns"):
        categories_of(pf.Scenario([one, other]))


def test_what_must_never_occur() -> None:
    found = categories_of(scenario())
    assert found.may_publish(check_never([{"level": "low", "years": 3.0}])) == [0, 1, 2]
    assert found.may_publish(check_never([{"level": "low"}, {"years": None}])) == [1]
    assert found.may_publish(check_never([{"years": float("nan")}])) == [0, 1, 3]
    assert found.may_publish(check_never([{"years": "3"}])) == [0, 1, 2, 3]
    with pytest.raises(pf.InvalidInputError, match="leave nothing"):
        found.may_publish(check_never([{"level": each} for each in ("low", "mid", "high")]))
    with pytest.raises(pf.InvalidInputError, match="not published in the row"):
        found.may_publish(check_never([{"sex": "Male"}]))
    for wrong in ({"level": "low"}, "level", [{}], ["level"], 3):
        with pytest.raises(pf.InvalidInputError, match="never must be a list"):
            check_never(wrong)


def test_labels_of_numpy_are_labels() -> None:
    assert check_never([{"x": np.bool_(True), "y": np.int64(1)}]) == ({"x": True, "y": 1},)
    assert check_never([{"x": np.bool_(True)}])[0]["x"] is True


def test_a_rule_about_known_columns_needs_all_rows_to_have_them() -> None:
    """One law for everybody does not see what some adversaries know."""
    rule = check_never([{"z": "a", "c": 0}])
    assert categories_of(known({"z": "a"}, {"z": "a", "y": 1})).may_publish(rule) == [1]
    assert categories_of(known({"z": "b"})).may_publish(rule) == [0, 1]
    for some in (known({"z": "a"}, {"z": "b"}), known({"z": "a"}, {}), known({}, {"z": "a"})):
        with pytest.raises(pf.InvalidInputError, match="not published in the row"):
            categories_of(some).may_publish(rule)


@pytest.mark.parametrize(
    "loss",
    [
        {"sex": "changed"},
        {"level": "cubed"},
        {"level": np.zeros((2, 2))},
        {"level": -np.ones((3, 3))},
        {"level": np.full((3, 3), math.nan)},
        np.zeros((3, 3)),
        np.full((4, 4), -1.0),
    ],
)
def test_losses_without_a_meaning_are_refused(loss: Any) -> None:
    with pytest.raises(pf.InvalidInputError):
        categories_of(scenario()).losses(loss, {})


def test_weights_are_positive() -> None:
    assert check_weights(None) == {}
    assert check_weights({"a": 2}) == {"a": 2.0}
    for wrong in ({"a": 0}, {"a": -1}, {"a": math.inf}, {"a": "x"}):
        with pytest.raises(pf.InvalidInputError):
            check_weights(wrong)
