"""The recoding of labels that loses least: what it promises, to whom, and what it costs."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.rules import Rule
from pufferfish.calibration.recode import check_figures
from pufferfish.recoding.exact import WHOLE
from tests.calibration.labelled import CELLS, Table, judged, scenario, tables

GOAL = pf.Guarantee(1.0)


def recode(given: pf.Scenario, goal: pf.Guarantee = GOAL, **asked: Any) -> pf.Calibration:
    asked = {"nominal": not asked.get("wrong"), "keep_histogram": False, **asked}
    return pf.calibrate(given, goal, mechanism="recode", **asked)


def one(*laws: list[int], cells: Any = None, columns: tuple[str, ...] = ("c",)) -> pf.Scenario:
    listed = list("abcdefgh")[: len(laws[0])] if cells is None else cells
    whole = [sum(each) for each in zip(*laws, strict=True)]
    return pf.Scenario(
        pf.Belief(
            {s: pf.Categorical(listed, counts=law) for s, law in zip("stuv", laws, strict=False)},
            columns=columns,
            frequencies=pf.Categorical(listed, counts=whole),
        )
    )


@settings(max_examples=40)
@given(
    table=tables(),
    epsilon=st.floats(0.1, 2.0),
    delta=st.sampled_from([0.0, 0.0, 0.05]),
    wrong=st.sampled_from([0.0, 0.03, 0.2]),
    keep_histogram=st.booleans(),
)
def test_one_law_keeps_the_promise_to_everybody(
    table: Table, epsilon: float, delta: float, wrong: float, keep_histogram: bool
) -> None:
    given = scenario(table)
    goal = pf.Guarantee(epsilon, delta)
    found = recode(given, goal, wrong=wrong, keep_histogram=keep_histogram)
    assert found.certified
    for each in judged(found, table, wrong=wrong):
        assert each.keeps(epsilon, delta)
    law, figures = found.mechanism, found.recode
    assert isinstance(law, pf.Recoding)
    assert figures is not None
    assert figures.least_loss <= figures.mean_loss * (1 + 1e-6) + 1e-9
    assert (law.unseen is None) == (wrong == 0.0)
    check_figures(found)
    if keep_histogram:
        whole = given.beliefs[0].frequencies
        assert isinstance(whole, pf.Categorical)
        published = law.output(whole)
        assert isinstance(published, pf.Categorical)
        for label, share in zip(whole.values, whole.probabilities, strict=True):
            assert published.mass(label) == pytest.approx(share, abs=1e-5)


@settings(max_examples=25)
@given(
    counts=st.lists(st.lists(st.integers(1, 9), min_size=4, max_size=4), min_size=2, max_size=3),
    order=st.permutations(range(4)),
)
def test_names_and_order_change_nothing(counts: list[list[int]], order: list[int]) -> None:
    before = recode(one(*counts)).recode
    names = [("x", 0), ("x", 1), ("x", True), ("y", None)]
    moved = [[law[place] for place in order] for law in counts]
    # As one label each: a tuple that changes has changed, whatever its parts.
    renamed = recode(
        one(*moved, cells=[repr(names[place]) for place in order]), keep_histogram=False
    )
    after = renamed.recode
    assert before is not None
    assert after is not None
    assert after.mean_loss == pytest.approx(before.mean_loss, rel=1e-5, abs=1e-7)
    assert after.unchanged == pytest.approx(before.unchanged, rel=1e-5, abs=1e-7)


@settings(max_examples=20)
@given(
    counts=st.lists(st.lists(st.integers(1, 9), min_size=4, max_size=4), min_size=2, max_size=2),
    keep_histogram=st.booleans(),
)
def test_numbers_as_categories_lose_what_numbers_lose(
    counts: list[list[int]], keep_histogram: bool
) -> None:
    """Squared errors in stds, times the variance, are squared errors."""
    numbers = [0.0, 1.0, 2.0, 3.0]
    plain = pf.Scenario(
        pf.Belief(
            {s: pf.Discrete(numbers, counts=law) for s, law in zip("st", counts, strict=True)}
        )
    )
    labelled = pf.Scenario(
        pf.Belief(
            {
                s: pf.Categorical([int(each) for each in numbers], counts=law)
                for s, law in zip("st", counts, strict=True)
            },
            columns=["n"],
        )
    )
    asked: dict[str, Any] = {"keep_histogram": keep_histogram, "floor": None}
    theirs, mine = recode(plain, **asked).recode, recode(labelled, **asked).recode
    assert mine is not None
    assert theirs is not None
    (part,) = mine.parts
    assert part.std is not None
    assert mine.mean_loss * part.std**2 == pytest.approx(theirs.mean_loss, rel=1e-4, abs=1e-7)
    assert part.std == pytest.approx(theirs.constant_rmse)
    assert part.rmse == pytest.approx(math.sqrt(max(theirs.mean_loss, 0)), rel=1e-4, abs=1e-4)


def test_a_label_that_only_one_secret_has_is_never_published_as_it_is() -> None:
    found = recode(one([5, 5, 0], [5, 0, 5]))
    law = found.mechanism
    assert isinstance(law, pf.Recoding)
    matrix = law.matrix
    assert matrix[1, 1] < 1.0
    assert found.certificate.epsilon_upper <= 1.0


def test_one_label_only_is_published_as_it_is() -> None:
    found = recode(one([5], [7]))
    assert found.mechanism.identity
    assert found.certificate.epsilon_upper == 0.0
    assert found.recode is not None
    assert found.recode.unchanged == 1.0


def test_too_many_categories_are_refused() -> None:
    many = one([1] * 1_001, [1] * 1_001, cells=[f"c{k}" for k in range(1_001)])
    with pytest.raises(
        pf.UnsupportedError, match=r"categories \(1,001 different ones\), .* at most 1,000"
    ):
        recode(many)
    with pytest.raises(pf.UnsupportedError, match=r"column 'c' is text and taken as categories"):
        recode(many, wrong=0.05, floor=1.0)


def test_a_floor_for_many_categories_is_refused_before_the_search() -> None:
    with pytest.raises(pf.InvalidInputError, match="at most 200 categories"):
        recode(one([1] * 201, [1] * 201, cells=[f"c{k}" for k in range(201)]), floor=1.0)


def test_a_promise_that_would_not_survive_the_next_sample_is_refused() -> None:
    given = one([5, 3], [3, 5])
    with pytest.raises(pf.InvalidInputError, match="next sample"):
        pf.calibrate(given, GOAL, mechanism="recode")
    public = pf.Scenario(pf.Belief(given.beliefs[0].priors, provenance="public", columns=["c"]))
    assert pf.calibrate(public, GOAL, mechanism="recode").certified


def test_what_must_never_occur_is_never_published() -> None:
    given = scenario({"True": {"s": [3, 2, 1, 4, 5], "t": [1, 4, 2, 3, 5]}}, everybody=False)
    found = pf.calibrate(
        given,
        GOAL,
        mechanism="recode",
        wrong=0.05,
        keep_histogram=False,
        keep=["z"],
        never=[{"c": "b", "d": None}, {"z": True, "d": 0.5}, {"z": 1, "c": "a"}],
    )
    (law,) = found.mechanism  # type: ignore[misc]
    assert law.values == tuple(CELLS)
    assert repr(law.outputs) == repr((("a", 1), ("a", True), ("b", 1)))
    assert sum(law.unseen) == WHOLE
    check_figures(found.parts[0])


def test_rows_that_must_not_occur_cannot_keep_their_histogram() -> None:
    with pytest.raises(pf.InvalidInputError, match="correct those rows"):
        recode(one([5, 3], [3, 5]), never=[{"c": "a"}], keep_histogram=True)


def test_a_floor_and_forbidden_labels_do_not_go_together() -> None:
    with pytest.raises(pf.InvalidInputError, match="floor needs every category"):
        recode(one([5, 3], [3, 5]), never=[{"c": "a"}], floor=1.0)


def test_a_floor_holds_between_tuples() -> None:
    cells = [("a", 1.0), ("a", 2.0), ("b", 2.0)]
    given = one([5, 3, 1], [3, 5, 2], cells=cells, columns=("c", "n"))
    law = recode(given, floor=1.0).mechanism
    assert isinstance(law, pf.Recoding)
    assert law.floor == 1.0
    assert law.distances is not None
    matrix, gap = law.matrix, law.distances[0, 1]
    assert (matrix[0] <= math.exp(gap) * matrix[1] * (1 + 1e-12)).all()


def test_a_floor_that_would_leave_out_missing_numbers_is_refused() -> None:
    """No distance to a hole is finite: the floor would be silent about it, and no file holds it."""
    cells = [("a", 1.0), ("a", 2.0), ("b", None)]
    given = one([5, 3, 1], [3, 5, 2], cells=cells, columns=("c", "n"))
    with pytest.raises(pf.InvalidInputError, match="a missing number has none from the others"):
        recode(given, floor=1.0)
    labels = one([5, 3], [3, 5], cells=["a", "b"], columns=("c",))
    with pytest.raises(pf.InvalidInputError, match="finite distance"):
        recode(labels, floor=1.0, metric=[[0.0, math.inf], [math.inf, 0.0]])


def test_missing_numbers_inside_tuples_stay_what_they_are() -> None:
    cells = [("a", None), ("a", 2), ("b", None), ("b", 4)]
    found = recode(one([5, 3, 4, 4], [4, 4, 5, 3], cells=cells, columns=("c", "n")))
    assert found.mechanism.identity
    assert found.recode is not None
    assert [each.rmse for each in found.recode.parts] == [None, 0.0]
    assert [each.unchanged for each in found.recode.parts] == [1.0, 1.0]


def test_weights_say_which_column_matters() -> None:
    cells = [(x, y) for x in "ab" for y in "cd"]
    given = one([4, 1, 1, 4], [1, 4, 4, 1], cells=cells, columns=("x", "y"))
    first = recode(given, pf.Guarantee(0.2), weights={"x": 100.0}).recode
    second = recode(given, pf.Guarantee(0.2), weights={"y": 100.0}).recode
    assert first is not None
    assert second is not None
    assert first.parts[0].unchanged > second.parts[0].unchanged
    assert first.parts[1].unchanged < second.parts[1].unchanged
    assert first.weighted
    with pytest.raises(pf.InvalidInputError, match="weights name the column 'z'"):
        recode(given, weights={"z": 1.0})
    with pytest.raises(pf.InvalidInputError, match="weights name the column"):
        recode(given, weights={("a", "c"): 1.0})


def test_losses_are_told_by_name() -> None:
    given = one([9, 1, 3], [3, 3, 7])
    rule = Rule(column="c", read="label", order=("c", "a", "b"))
    ordered = pf.Scenario(pf.Belief(given.beliefs[0].priors, columns=["c"], rules=[rule]))
    for loss, name in (
        (None, "columns"),
        ("steps", "steps"),
        ("changed", "changed"),
        ({"c": "steps"}, "own"),
        (1.0 - np.eye(3), "own"),
    ):
        found = recode(ordered, loss=loss).recode
        assert found is not None
        assert found.loss == name
    matrix = recode(given, loss=1.0 - np.eye(3)).recode
    plain = recode(given).recode
    assert matrix is not None
    assert plain is not None
    assert matrix.mean_loss == pytest.approx(plain.mean_loss, rel=1e-5)


def test_figures_that_do_not_follow_are_refused() -> None:
    found = recode(one([9, 1, 3], [3, 3, 7]), keep_histogram=True)
    check_figures(found)
    figures = found.recode
    assert figures is not None
    (part,) = figures.parts
    for wrong in (
        replace(figures, unchanged=figures.unchanged - 0.01),
        replace(figures, parts=(replace(part, unchanged=1.0),)),
        replace(figures, parts=(replace(part, column="other"),)),
        replace(figures, parts=()),
        replace(figures, rmse=figures.rmse / 2),
        replace(figures, moved=0.0),
        replace(figures, constant_rmse=9.0),
        replace(figures, least_loss=figures.mean_loss * 2),
        replace(figures, floor=1.0),
    ):
        changed = type(found)(
            scenario=found.scenario,
            goal=found.goal,
            method=found.method,
            mechanism=found.mechanism,
            certificate=found.certificate,
            recode=wrong,
        )
        with pytest.raises(pf.InvalidInputError, match="do not follow"):
            check_figures(changed)


def test_a_calibration_travels() -> None:
    found = recode(scenario({"True": {"s": [3, 2, 1], "t": [1, 4, 2]}}), wrong=0.05)
    again = pickle.loads(pickle.dumps(found))
    assert again.mechanism == found.mechanism
    assert again.certificate == found.certificate
    assert again.recode == found.recode
