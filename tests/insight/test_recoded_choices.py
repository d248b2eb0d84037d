"""A table to choose ε from, for recodings."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.insight.guesses import accuracy_upper
from pufferfish.insight.recoded_choices import choose_recoding

LAWS = {
    "a": pf.Discrete([0.0, 1.0, 2.0], [0.6, 0.3, 0.1]),
    "b": pf.Discrete([0.0, 1.0, 2.0], [0.1, 0.3, 0.6]),
}
SCENARIO = pf.Scenario(pf.Belief(LAWS, provenance="public"))


def test_a_weaker_promise_costs_less_and_tells_more() -> None:
    found = choose_recoding(SCENARIO, epsilons=(0.25, 1.0, 4.0))
    errors = [each.rmse for each in found]
    assert errors == sorted(errors, reverse=True)
    told = [each.accuracy_after for each in found]
    assert told == sorted(told)
    assert all(each.accuracy_after <= each.accuracy_allowed + 1e-12 for each in found)


def test_each_choice_is_what_calibrate_finds() -> None:
    (found,) = choose_recoding(SCENARIO, epsilons=(1.0,), floor=0.5, wrong=0.01)
    made = pf.calibrate(SCENARIO, pf.Guarantee(1.0), mechanism="recode", floor=0.5, wrong=0.01)
    assert made.recode is not None
    assert (found.rmse, found.unchanged) == (made.recode.rmse, made.recode.unchanged)
    assert found.accuracy_after == accuracy_upper(SCENARIO, made.mechanism)


def test_independent_rows_share_the_promise() -> None:
    (two,) = choose_recoding(SCENARIO, epsilons=(2.0,), rows=2)
    (one,) = choose_recoding(SCENARIO, epsilons=(1.0,))
    assert two.rmse == pytest.approx(one.rmse, rel=1e-9)
    assert two.goal.epsilon == 2.0


def test_no_epsilon_is_no_table() -> None:
    with pytest.raises(pf.InvalidInputError):
        choose_recoding(SCENARIO, epsilons=())
