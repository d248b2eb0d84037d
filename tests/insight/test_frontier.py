"""Errors, guesses and held-out ε of several ways, for several ε."""

import math

import pytest

import pufferfish as pf
from pufferfish import datasets
from pufferfish.cli.frontier_words import frontier_in_words
from pufferfish.insight.choosing import choose_mechanism
from pufferfish.insight.frontier import Way, frontier, with_clipped
from pufferfish.insight.halves import split_rows

COUNTS = pf.summarise(datasets.adult_education(), column="education-num", secret="race")
SCENARIO = pf.Scenario(pf.fit_belief(COUNTS, family="empirical"), [("Black", "White")])
ROWS = 32_561
NOISE = Way(name="noise", calibrated=lambda each, goal: pf.calibrate(each, goal, rounding="ladder"))


def mapped(name: str = "map", **asked: object) -> Way:
    return Way(
        name=name,
        calibrated=lambda each, goal: pf.calibrate(each, goal, mechanism="recode", **asked),
    )


def test_each_entry_is_what_calibrate_finds():
    found = frontier(SCENARIO, [NOISE, mapped()], epsilons=(1.0, 0.5), rows=ROWS)
    assert found.epsilons == (0.5, 1.0)
    assert found.ways == ("noise", "map")
    for way, epsilon in (("noise", 0.5), ("map", 1.0)):
        entry = found.at(way, epsilon)
        goal = pf.Guarantee(epsilon)
        alone = (NOISE if way == "noise" else mapped()).calibrated(SCENARIO, goal)
        assert entry.rmse == alone.rmse
        # (1 + TV)/2, from the certified profile.
        tv = pf.privacy_profile(SCENARIO, alone.mechanism, [0.0]).delta_upper[0]
        assert entry.guess == 0.5 + 0.5 * tv
    pooled = COUNTS.pooled
    mean = sum(pooled.values * pooled.counts) / ROWS
    variance = sum((pooled.values - mean) ** 2 * pooled.counts) / ROWS
    assert found.constant_rmse == pytest.approx(math.sqrt(variance))
    assert 0.5 < found.at("map", 0.5).guess < found.guess_of_values < 0.6


def test_what_breaks_on_other_rows_is_never_called_best():
    """Without slack the error is the least, and no other half keeps the promise."""
    bare = mapped("bare", floor=None, nominal=True)
    safe = mapped("safe", floor=None, wrong=0.05)
    halves = split_rows(SCENARIO, COUNTS, 2)
    found = frontier(SCENARIO, [bare, safe], epsilons=(0.5,), halves=halves)
    assert found.at("bare", 0.5).rmse < found.at("safe", 0.5).rmse
    assert found.at("bare", 0.5).held_out.held == 0
    assert found.best(0.5).way == "safe"
    alone = pf.held_out(
        SCENARIO, pf.Guarantee(0.5), splits=2, mechanism="recode", floor=None, wrong=0.05
    )
    assert found.at("safe", 0.5).held_out.splits == alone.splits
    unseen = frontier(SCENARIO, [mapped("bare", floor=None, nominal=True)], epsilons=(0.5,))
    assert unseen.best(0.5).held_out is None


def test_what_other_rows_could_not_judge_says_why_and_is_not_called_best():
    """A way that errs least, and cannot be found for a half of the rows."""
    bare = mapped("bare", floor=None, nominal=True)

    def whole_only(each: pf.Scenario, goal: pf.Guarantee) -> pf.Calibration:
        if each is not SCENARIO:
            raise pf.UnreachableGoalError("too few rows.")
        return bare.calibrated(each, goal)

    picky = Way(name="picky", calibrated=whole_only)
    halves = split_rows(SCENARIO, COUNTS, 1)
    safe = mapped("safe", floor=None, wrong=0.1)
    found = frontier(SCENARIO, [picky, safe], epsilons=(1.0,), halves=halves)
    unjudged = found.at("picky", 1.0)
    assert unjudged.held_out is None
    assert unjudged.not_judged == "too few rows"
    assert unjudged.rmse < found.at("safe", 1.0).rmse
    assert found.best(1.0).way == "safe"
    assert found.to_dict()["choices"][0]["not_judged"] == "too few rows"
    said = frontier_in_words(found, of_rows=False)
    assert "picky at ε = 1 was not judged by rows that were not used" in said
    assert "(too few rows)" in " ".join(said.split())
    # Where nothing was judged at all, what errs least is shown as before.
    alone = frontier(SCENARIO, [picky], epsilons=(1.0,), halves=halves)
    assert alone.best(1.0).way == "picky"


def test_clipped_noise_errs_as_the_formula_of_choosing_says():
    bounds = (1.0, 16.0)
    found = frontier(SCENARIO, [NOISE, mapped()], epsilons=(0.5,))
    clipped = with_clipped(found, "noise", "clipped", SCENARIO, bounds)
    assert clipped.ways == ("noise", "clipped", "map")
    chosen = choose_mechanism(SCENARIO, pf.Guarantee(0.5), bounds=bounds)
    (expected,) = (way.rmse for way in chosen.ways if way.name == "clipped noise")
    assert clipped.at("clipped", 0.5).rmse == expected
    assert clipped.at("clipped", 0.5).guess == found.at("noise", 0.5).guess


@pytest.mark.parametrize(("delta", "rows"), [(0.0, 0), (0.001, 33), (1e-6, 1), (0.5, 16_281)])
def test_rows_that_delta_may_expose(delta, rows):
    noise = Way(name="noise", calibrated=pf.calibrate)
    found = frontier(SCENARIO, [noise], delta=delta, epsilons=(1.0,), rows=ROWS)
    assert found.exposed == rows
    assert found.to_dict()["delta_rows"] == rows


def test_an_epsilon_that_cannot_be_reached_is_absent_and_none_at_all_is_an_error():
    def picky(each: pf.Scenario, goal: pf.Guarantee) -> pf.Calibration:
        if goal.epsilon < 1.0:
            raise pf.UnreachableGoalError("too small.")
        return pf.calibrate(each, goal)

    found = frontier(SCENARIO, [Way(name="picky", calibrated=picky)], epsilons=(0.5, 2.0))
    assert found.at("picky", 0.5) is found.best(0.5) is None
    assert found.best(2.0).way == "picky"
    with pytest.raises(pf.UnreachableGoalError, match="too small"):
        frontier(SCENARIO, [Way(name="picky", calibrated=picky)], epsilons=(0.5,))
    with pytest.raises(pf.InvalidInputError, match="needs at least one ε"):
        frontier(SCENARIO, [], epsilons=(0.5,))


def test_rows_of_a_person_share_the_promise():
    two = frontier(SCENARIO, [NOISE], epsilons=(1.0,), rows_of_person=2)
    one = frontier(SCENARIO, [NOISE], epsilons=(0.5,))
    assert two.at("noise", 1.0).rmse == one.at("noise", 0.5).rmse


def test_what_only_noise_cannot_hide_is_said():
    laws = {name: pf.Discrete.from_counts({1: 30, 2: 30, 3: 30}) for name in "ab"}
    holed = pf.Scenario(pf.Belief(laws, missing_counts={"a": 40, "b": 10}))
    found = frontier(holed, [NOISE, mapped()], epsilons=(0.5, 2.0))
    assert (found.at("noise", 0.5), found.at("noise", 2.0).goal.epsilon) == (None, 2.0)
    assert found.at("map", 0.5) is not None
    needed = math.log((40 / 130) / (10 / 100))
    assert found.holes == pytest.approx(needed)
    text = " ".join(frontier_in_words(found, of_rows=False).split())
    assert f"that alone needs ε = {math.ceil(100 * needed) / 100:g}. A recoding can hide" in text
    assert frontier(holed, [mapped()], epsilons=(0.5,)).holes == 0.0
    assert frontier(SCENARIO, [NOISE], epsilons=(0.5,)).holes == 0.0


def test_what_errs_more_than_a_constant_is_never_called_best():
    found = frontier(SCENARIO, [NOISE, mapped()], epsilons=(0.1, 2.0))
    assert min(found.at(way, 0.1).rmse for way in found.ways) > found.constant_rmse
    assert found.best(0.1) is None
    assert found.best(2.0).rmse < found.constant_rmse
    assert [each["least_error"] for each in found.to_dict()["choices"]].count(True) == 1
    text = frontier_in_words(found, of_rows=False)
    assert text.count("*") == 2  # the legend, and ε = 2
    assert "Where the constant errs less" in text


def test_the_guess_from_true_values_is_called_a_bound_where_it_is_one():
    def scenario(each: int) -> pf.Scenario:
        laws = {
            name: pf.Discrete.from_counts({10 * k + shift: each for k in range(30)})
            for shift, name in enumerate("ab")
        }
        return pf.Scenario(pf.Belief(laws))

    for often, bound in ((1, True), (2, False)):
        found = frontier(scenario(often), [NOISE], epsilons=(1.0,))
        assert found.by_heart == bound
        text = " ".join(frontier_in_words(found, of_rows=False).split())
        assert ("true value (an upper bound: most values occur once" in text) == bound


def test_why_two_epsilons_have_the_same_noise_is_said():
    found = frontier(SCENARIO, [NOISE], epsilons=(1.0, 1.001, 4.0))
    assert found.at("noise", 1.0).rmse == found.at("noise", 1.001).rmse
    text = " ".join(frontier_in_words(found, of_rows=False).split())
    assert "noise is the same at ε = 1 and 1.001: sizes are rounded up to 1, 1.25, 1.6" in text
    other = frontier(SCENARIO, [NOISE], epsilons=(1.0, 4.0))
    assert "rounded up" not in frontier_in_words(other, of_rows=False)
