"""What a promise becomes on rows that were not used."""

import math
from fractions import Fraction

import numpy as np
import pytest

import pufferfish as pf
from pufferfish import datasets
from pufferfish.insight.held_out import _enough, judge, measure
from pufferfish.insight.set_apart import Split

GOAL = pf.Guarantee(1.0)
PAIR = ("Black", "Asian-Pac-Islander")
BARE = {"mechanism": "recode", "floor": None, "keep_histogram": False}


@pytest.fixture(scope="module")
def counts() -> pf.Counts:
    return pf.summarise(datasets.adult_education(), column="education-num", secret="race")


@pytest.fixture(scope="module")
def scenario(counts) -> pf.Scenario:
    return pf.Scenario(pf.fit_belief(counts, family="empirical"), [PAIR])


class Spy:
    """Calibrates with the least noise, and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[pf.Scenario] = []

    def __call__(self, scenario: pf.Scenario) -> pf.Calibration:
        self.given.append(scenario)
        return pf.calibrate(scenario, GOAL)


def test_a_recoding_without_slack_does_not_survive_the_other_half(scenario):
    bare = pf.held_out(scenario, GOAL, nominal=True, **BARE)
    slack = pf.held_out(scenario, GOAL, wrong=0.03, **BARE)
    assert bare.held == 0
    assert bare.epsilon > 1.2
    assert slack.held == 5
    assert slack.wrong == 0.03
    # A prototype found 0.51 and 1.19 for one split.
    assert bare.rmse == pytest.approx(0.5, abs=0.1)
    assert slack.rmse == pytest.approx(1.19, abs=0.1)


def test_noise_is_judged_as_well(scenario):
    found = pf.held_out(scenario, GOAL, splits=8)
    assert 0.7 < found.epsilon < 1.3
    assert 0 < found.held < 8
    assert found.share == found.held / 8


def test_the_same_seed_finds_the_same_and_another_one_another(scenario):
    once, again = (pf.held_out(scenario, GOAL, splits=2) for _ in range(2))
    assert once == again
    assert pf.held_out(scenario, GOAL, splits=2, seed=1) != once


def test_the_halves_are_half_the_rows_each_and_know_all_values(counts, scenario):
    spy = Spy()
    measure(scenario, GOAL, counts, spy, splits=6)
    whole = counts.pooled
    sizes = []
    for each in spy.given:
        (belief,) = each.beliefs
        assert set(belief.priors) == set(counts.groups)
        assert np.array_equal(belief.frequencies.values, whole.values)
        for secret, law in belief.priors.items():
            group = counts.groups[secret]
            given = dict(zip(group.values.tolist(), group.counts.tolist(), strict=True))
            drawn = dict(zip(law.values.tolist(), law.counts.tolist(), strict=True))
            assert all(drawn[value] <= given[value] for value in drawn)
        sizes.append(sum(int(law.counts.sum()) for law in belief.priors.values()))
    assert len(set(sizes)) > 1
    # Five std of fair coins.
    assert all(abs(size - 32_561 / 2) < 2.5 * math.sqrt(32_561) for size in sizes)


def test_rows_of_secrets_in_no_pair_are_split_as_well(counts):
    some = counts.only(PAIR)
    scenario = pf.Scenario(pf.fit_belief(some, family="empirical"))
    seen = []

    def look(each: pf.Scenario) -> pf.Calibration:
        seen.append(int(each.beliefs[0].frequencies.counts.sum()))
        return pf.calibrate(each, GOAL)

    measure(scenario, GOAL, some, look, splits=1)
    assert 15_000 < seen[0] < 17_500
    one = pf.held_out(scenario, GOAL, splits=1, mechanism="recode")
    two = pf.held_out(scenario, GOAL, splits=1, mechanism="recode", counts=some)
    assert one.rmse == pytest.approx(two.rmse, rel=0.1)


def test_epsilon_is_that_of_the_other_half_in_fractions():
    """A recoding of two values by hand: Q(y) from counts, and log of the largest ratio."""
    recoding = pf.Recoding.from_matrix([0.0, 1.0], [[0.75, 0.25], [0.25, 0.75]])
    belief = pf.Belief(
        {"a": pf.Discrete([0.0, 1.0], [0.5, 0.5]), "b": pf.Discrete([0.0, 1.0], [0.5, 0.5])}
    )
    scenario = pf.Scenario(belief)
    certificate = pf.verify(scenario, recoding, GOAL)
    calibration = pf.Calibration(
        scenario=scenario, goal=GOAL, method="recode", mechanism=recoding, certificate=certificate
    )
    other = pf.Counts.from_counts(["a", "a", "b", "b"], [0.0, 1.0, 0.0, 1.0], [9, 1, 2, 8])
    (found,) = judge(calibration, GOAL, other).splits
    likely = {
        secret: share * Fraction(3, 4) + (1 - share) * Fraction(1, 4)
        for secret, share in (("a", Fraction(9, 10)), ("b", Fraction(2, 10)))
    }
    ratios = [likely["a"] / likely["b"], (1 - likely["b"]) / (1 - likely["a"])]
    assert found.epsilon == pytest.approx(math.log(max(ratios)), abs=1e-12)
    assert found.holds is (max(ratios) <= math.e)
    # A quarter of the rows moves by 1.
    assert found.rmse == pytest.approx(0.5)


def test_delta_is_judged_where_it_was_promised(scenario):
    goal = pf.Guarantee(0.5, 0.01)
    found = pf.held_out(scenario, goal, splits=3)
    assert all(each.holds is (each.delta <= goal.delta) for each in found.splits)
    assert "δ at ε = 0.5" in str(found)


def test_gaussians_and_mixtures_are_fitted_anew(counts):
    some = counts.only(PAIR)
    beliefs = pf.fit_beliefs(some, families=["gaussian", "mixture-2", "empirical"], bootstrap=1)
    scenario, spy = pf.Scenario(beliefs), Spy()
    measure(scenario, GOAL, some, spy, splits=1)
    for old, new in zip(beliefs, spy.given[0].beliefs, strict=True):
        assert new.name == old.name
        for secret, law in new.priors.items():
            assert type(law) is type(old.priors[secret])
            assert law != old.priors[secret]
            assert law.mean == pytest.approx(old.priors[secret].mean, abs=0.5)


def test_a_band_around_a_half_is_as_wide_as_its_rows_ask(counts):
    some = counts.capped(1.0, 16.0).only(PAIR)
    families = ["mixture-2", "empirical"]
    beliefs = pf.fit_beliefs(some, families=families, confidence=0.95, region="band")
    spy = Spy()
    measure(pf.Scenario(beliefs), GOAL, some, spy, splits=1)
    smooth, table = spy.given[0].beliefs
    assert smooth.region.rows == table.region.rows
    for secret in PAIR:
        assert dict(table.region.rows)[secret] == table.priors[secret].counts.sum()
        width = dict(table.region.widths)[secret]
        # Widths shrink as one over the root of the rows: a half needs about 1.4 times as much.
        assert width > 1.2 * dict(beliefs[1].region.widths)[secret]
        assert dict(smooth.region.widths)[secret] > width


def test_a_belief_from_elsewhere_stays_as_it_is(counts):
    known = pf.fit_belief(counts.only(PAIR), family="gaussian", provenance="reference sample")
    table = pf.fit_belief(counts.only(PAIR), family="empirical")
    spy = Spy()
    measure(pf.Scenario([known, table]), GOAL, counts, spy, splits=1)
    assert spy.given[0].beliefs[0] == known
    assert spy.given[0].beliefs[1] != table


def test_where_no_row_was_used_all_of_them_judge(counts):
    known = pf.fit_belief(counts.only(PAIR), family="gaussian", provenance="reference sample")
    scenario = pf.Scenario(known)
    (found,) = measure(scenario, GOAL, counts, Spy(), splits=5).splits
    table = pf.Scenario(pf.fit_belief(counts.only(PAIR), family="empirical"))
    noise = pf.calibrate(scenario, GOAL).noise
    assert found.epsilon == pytest.approx(pf.pure_epsilon(table, noise).upper)


def test_missing_values_are_split_like_others():
    counts = pf.summarise(datasets.hungarian_cholesterol(), column="chol", secret="sex")
    scenario = pf.Scenario(pf.fit_belief(counts, family="empirical"))
    # With holes in both halves, and with none that anybody expects.
    found = pf.held_out(scenario, pf.Guarantee(3.0), splits=2, mechanism="recode")
    assert all(each.rmse > 0.0 for each in found.splits)


def test_patience_ends_after_a_split(counts, scenario):
    spy = Spy()
    found = measure(scenario, GOAL, counts, spy, splits=9, patience=-1.0)
    assert len(found.splits) == len(spy.given) == 1


def test_the_least_wrong_that_holds(scenario):
    found = pf.wrong_that_holds(scenario, GOAL, share=0.8, **BARE)
    assert found.wrong in (0.02, 0.03, 0.05)
    fresh = pf.held_out(scenario, GOAL, splits=20, seed=3, wrong=found.wrong, **BARE)
    # Where the choice failed, 80% of the splits hold: 20 in 20 with probability 0.01.
    assert fresh.held >= 19
    below = pf.held_out(scenario, GOAL, splits=20, seed=3, wrong=0.01, **BARE)
    assert below.held < 19
    with pytest.raises(pf.UnreachableGoalError, match="too many splits"):
        pf.wrong_that_holds(scenario, GOAL, share=0.8, wrongs=[0.0], **BARE)


def _tossed(holds: list[bool]) -> list[Split]:
    return [Split(epsilon=1.0, delta=0.0, rmse=1.0, holds=each) for each in holds]


@pytest.mark.parametrize(("broken", "needed"), [(0, 73), (1, 113), (2, 153)])
def test_how_many_splits_decide(broken, needed):
    """(0.99/0.95)^kept · 0.2^broken ≥ 20, from the formula by hand."""
    holds = [False] * broken + [True] * 300
    found = _enough(iter(_tossed(holds)), 0.95, 0.95)
    assert len(found) == needed
    kept = needed - broken
    assert (0.99 / 0.95) ** kept * 0.2**broken >= 20.0
    assert (0.99 / 0.95) ** (kept - 1) * 0.2**broken < 20.0


def test_a_third_failure_ends_it_and_one_judgement_is_enough_where_no_coin_decides():
    assert _enough(iter(_tossed([False] * 3 + [True] * 900)), 0.95, 0.95) is None
    assert _enough(iter(_tossed([True])), 0.95, 0.95) is not None
    assert _enough(iter(_tossed([False])), 0.95, 0.95) is None


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_a_smaller_share_is_taken_rarely(share):
    """At the edge of what is allowed: in at most 5% of cases, in 2,000 with a fixed seed."""
    generator = np.random.default_rng(7)
    taken = 0
    for _ in range(2_000):
        holds = (generator.random(400) < share).tolist()
        taken += _enough(iter(_tossed(holds)), share, 0.95) is not None
    # Five std above 5%.
    assert taken <= 100 + 5 * math.sqrt(2_000 * 0.05 * 0.95)


@pytest.mark.parametrize("wrong", [{"share": 0.0}, {"share": 1.0}, {"confidence": 1.0}])
def test_certainty_is_refused(scenario, wrong):
    with pytest.raises(pf.InvalidInputError, match="between 0 and 1"):
        pf.wrong_that_holds(scenario, GOAL, **wrong, **BARE)


def test_what_cannot_be_split_is_refused(counts):
    smooth = pf.Scenario(pf.fit_belief(counts.only(PAIR), family="gaussian"))
    with pytest.raises(pf.InvalidInputError, match="counts="):
        pf.held_out(smooth, GOAL)
    with pytest.raises(pf.InvalidInputError, match="splits"):
        pf.held_out(smooth, GOAL, counts=counts, splits=0)


def test_words_and_medians():
    splits = tuple(
        Split(epsilon=e, delta=0.0, rmse=r, holds=e <= 1)
        for e, r in ((0.9, 3.0), (math.inf, 1.0), (0.5, 2.0))
    )
    found = pf.HeldOut(goal=GOAL, splits=splits)
    assert (found.epsilon, found.rmse, found.held) == (0.9, 2.0, 2)
    assert str(found) == (
        "on rows that were not used, ε is 0.9 (median of 3 random splits; ε = 1 held in 2)."
    )
    assert "ε is inf (one split; ε = 1 does not hold" in str(
        pf.HeldOut(goal=GOAL, splits=splits[1:2])
    )


def test_splits_that_could_not_judge_are_said():
    one = Split(epsilon=0.9, delta=0.0, rmse=1.0, holds=True)
    assert "could not judge" not in str(pf.HeldOut(goal=GOAL, splits=(one,) * 3))
    said = str(pf.HeldOut(goal=GOAL, splits=(one,) * 3, lost=2))
    assert (
        "held in 3; 2 of 5 splits could not judge, because a half had no row of some secret" in said
    )


@pytest.mark.parametrize("rare", [1, 2])
def test_measure_counts_halves_without_a_secret(rare):
    """Of one row no split can judge; of two, about half of the splits."""
    table = {"x": np.arange(100.0) % 5, "s": np.array(["b"] * rare + ["a"] * (100 - rare))}
    counts = pf.summarise(table, column="x", secret="s")
    scenario = pf.Scenario(pf.fit_belief(counts, family="empirical", min_group=1))

    def calibrated(each):
        return pf.calibrate(each, GOAL)

    if rare == 1:
        with pytest.raises(pf.DataError, match="'s'"):
            measure(scenario, GOAL, counts, calibrated, splits=6)
        return
    found = measure(scenario, GOAL, counts, calibrated, splits=12)
    assert 0 < found.lost < 12
    assert len(found.splits) == 12 - found.lost


def test_the_wrong_that_holds_for_noise_holds_on_fresh_splits():
    """Of Laplace noise between public bounds; the least noise keeps it in some splits only."""
    counts = pf.summarise(datasets.adult(), column="hours-per-week", secret="sex").capped(1, 99)
    scenario = pf.Scenario(pf.fit_belief(counts, family="empirical"))
    found = pf.wrong_that_holds(scenario, GOAL, counts=counts, mechanism="laplace", seed=1)
    assert found.wrong > 0.0
    fresh = {"counts": counts, "splits": 40, "seed": 2}
    assert pf.held_out(scenario, GOAL, wrong=found.wrong, **fresh).held >= 36
    bare = pf.held_out(scenario, GOAL, **fresh)
    assert bare.held < 30
    assert bare.rmse < found.rmse


def test_noise_without_bounds_has_no_wrong_to_find(scenario, counts):
    with pytest.raises(pf.PufferfishError, match="bounds"):
        pf.wrong_that_holds(scenario, GOAL, counts=counts, mechanism="laplace", wrongs=(0.01,))
