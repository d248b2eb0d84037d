"""The attack on a pair: what it must find, and how often it may be wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.audits.draws import generator
from pufferfish.audits.events import attack
from pufferfish.audits.power import chance_to_notice
from pufferfish.audits.result import PairFinding
from pufferfish.audits.subject import as_subject
from tests.audits.subjects import (
    ADULT,
    ADULT_SCALE,
    POINTS,
    PURE,
    Column,
    draw_less,
    mechanism,
    numpy_laplace,
    only_pair,
    too_many,
)
from tests.cases import load, prior_from
from tests.support import scenario_of

GOLDEN = load("golden.json")
# What an audit of one pair at the confidence 0.999999 spends on the pair.
ALPHA = 5e-7


def findings(
    subject: Any,
    scenario: pf.Scenario,
    goal: pf.Guarantee,
    draws: int,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
) -> tuple[PairFinding, PairFinding]:
    return attack(as_subject(subject), only_pair(scenario), goal, draws, alpha, generator(seed))


def broken(found: tuple[PairFinding, ...], goal: pf.Guarantee) -> bool:
    return any(each.breaks(goal) for each in found)


def _golden(case: dict[str, Any]) -> pf.Scenario:
    return scenario_of(prior_from(case["p"]), prior_from(case["q"]))


def _ids(case: dict[str, Any]) -> str:
    return f"{case['kind']}-eps{case['epsilon']}-b{case['scale']:.3g}"


# --- noise that is too small --------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDEN, ids=_ids)
def test_noise_40_percent_too_small_is_shown_on_every_golden_case(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, goal = _golden(case), pf.Guarantee(case["epsilon"])
    honest = mechanism(scenario, goal)
    assert not broken(findings(honest, scenario, goal, 100_000), goal)
    draw_less(monkeypatch, 0.4)
    assert broken(findings(honest, scenario, goal, 500_000), goal)


# Of the golden cases, those where theory says that a million draws notice 10%.
NOTICED = [GOLDEN[place] for place in (0, 2, 4, 6, 7)]


@pytest.mark.parametrize("case", NOTICED, ids=_ids)
def test_noise_10_percent_too_small_is_shown_where_theory_says_so(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, goal, draws = _golden(case), pf.Guarantee(case["epsilon"]), 1_000_000
    claimed = pf.LaplaceNoise(case["exact_scale_delta_0"])
    pairs = [only_pair(scenario)]
    assert chance_to_notice(pairs, claimed, 0.1, goal, draws, ALPHA, generator(0)) > 0.99
    honest = mechanism(scenario, goal)
    draw_less(monkeypatch, 0.1)
    assert broken(findings(honest, scenario, goal, draws), goal)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_both_kinds_of_noise_with_delta(noise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.2))
    goal = pf.Guarantee(0.5, 0.01)
    honest = mechanism(scenario, goal, noise=noise)
    found = findings(honest, scenario, goal, 400_000)
    assert not broken(found, goal)
    # The promise is kept with nothing to spare, and most of it can be shown to be needed.
    assert max(each.epsilon_lower for each in found) > 0.35
    draw_less(monkeypatch, 0.4)
    found = findings(honest, scenario, goal, 400_000)
    assert broken(found, goal)
    assert max(each.delta_lower for each in found) > 0.01


@pytest.mark.parametrize("less", [0.4, 0.2])
def test_a_black_box_is_attacked_with_what_is_learned(less: float) -> None:
    noised = numpy_laplace((1.0 - less) * ADULT_SCALE, digits=4)
    assert broken(findings(noised, ADULT, PURE, 400_000), PURE)
    honest = numpy_laplace(ADULT_SCALE, digits=4)
    assert not broken(findings(honest, ADULT, PURE, 400_000), PURE)


def test_theorem_2_is_refuted_on_its_counterexample() -> None:
    # P = N(0,1), Q = 0.95·N(0,1) + 0.05·N(10,1): the formula says b = 0.5, and δ is 0.0499.
    mixture = pf.GaussianMixture([0.95, 0.05], [0.0, 10.0], [1.0, 1.0])
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), mixture)
    found = findings(numpy_laplace(0.5), scenario, pf.Guarantee(1.0, 1e-3), 400_000)
    assert 0.045 < max(each.delta_lower for each in found) <= 0.0499


def test_corollary_2_is_refuted_on_its_counterexample() -> None:
    # ½N(0,1)+½N(100,1) and ½N(0.001,1)+½N(110,1): b ≈ 5 should give δ = 0, and δ is 0.1906.
    scenario = scenario_of(
        pf.GaussianMixture([0.5, 0.5], [0.0, 100.0], [1.0, 1.0]),
        pf.GaussianMixture([0.5, 0.5], [0.001, 110.0], [1.0, 1.0]),
    )
    found = findings(numpy_laplace(5.0005), scenario, PURE, 400_000)
    assert 0.17 < max(each.delta_lower for each in found) <= 0.1906


# --- what the bounds say ------------------------------------------------------------------------


def test_bounds_approach_the_truth_from_below() -> None:
    # With scale 1/2 log-ratios reach 2, and δ(1) = 1 − e^{(1−2)/2}.
    exact = pf.verify(POINTS, pf.LaplaceNoise(0.5), PURE)
    assert exact.delta_upper == pytest.approx(1.0 - math.exp(-0.5), rel=1e-6)
    for draws, reached in ((10_000, 0.65), (1_000_000, 0.95)):
        for each in findings(numpy_laplace(0.5), POINTS, PURE, draws):
            assert reached * 2.0 < each.epsilon_lower <= 2.0
            assert reached * exact.delta_upper < each.delta_lower <= exact.delta_upper


def test_the_two_directions_are_two_attacks() -> None:
    # Only "b" ever publishes values near 10.
    rare = pf.GaussianMixture([0.9, 0.1], [0.0, 10.0], [1.0, 1.0])
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), rare)
    forward, backward = findings(numpy_laplace(0.5), scenario, PURE, 100_000)
    assert (forward.direction, backward.direction) == (("a", "b"), ("b", "a"))
    assert not forward.breaks(PURE)
    assert backward.breaks(PURE)
    assert "above" in backward.delta_event.words


def test_evidence_is_fresh_and_counted() -> None:
    (finding, _) = findings(numpy_laplace(1.0), POINTS, PURE, 10_001)
    for event in (finding.epsilon_event, finding.delta_event):
        assert event.draws == 5001
        assert 0 <= event.hits_second <= event.hits_first <= event.draws


def test_a_hole_is_an_event() -> None:
    one = pf.Gaussian(0.0, 1.0)
    scenario = scenario_of(one, one, missing={"a": 0.2, "b": 0.02})
    found = findings(numpy_laplace(1.0), scenario, PURE, 100_000)
    # ε is at least log 10; and δ(1) = 0.2 − 0.02·e.
    assert 2.0 < found[0].epsilon_lower <= math.log(10.0)
    assert 0.12 < found[0].delta_lower <= 0.2 - 0.02 * math.e
    assert found[0].delta_event.words == "the published value is missing"


def test_a_hole_that_the_program_makes_is_an_event() -> None:
    def hides_large(values: Column) -> Column:
        return np.where(values > 0.5, np.nan, 0.0)

    assert broken(findings(hides_large, POINTS, PURE, 10_000), PURE)


def test_no_noise_on_a_table_is_shown_and_allowed_where_it_is_certified() -> None:
    # δ(1) of the tables themselves is 0.0551.
    certificate = pf.verify(ADULT, pf.NoNoise(), pf.Guarantee(1.0, 0.056))
    bare = pf.Mechanism(noise=pf.NoNoise(), certificate=certificate, allow_no_noise=True)
    found = findings(bare, ADULT, certificate.goal, 400_000)
    assert not broken(found, certificate.goal)
    assert 0.04 < max(each.delta_lower for each in found) <= 0.0551
    assert broken(findings(bare, ADULT, PURE, 20_000), PURE)


# --- false alarms -------------------------------------------------------------------------------


@pytest.mark.parametrize("black_box", [False, True])
def test_a_promise_that_is_just_kept_is_rarely_called_broken(black_box: bool) -> None:
    honest = mechanism(POINTS, PURE)
    subject = honest.apply if black_box else honest
    # The four bounds of each direction are wrong with α/8 = 0.1 each, the two directions are
    # mirror images: what is allowed is α, and one bound alone would take an eighth of it.
    alpha, runs = 0.8, 100
    alarms = sum(
        broken(findings(subject, POINTS, PURE, 2000, alpha=alpha, seed=run), PURE)
        for run in range(runs)
    )
    assert alarms > 0
    assert not too_many(alarms, runs, alpha / 2.0)


def test_noise_10_percent_too_small_is_called_broken_in_the_same_setting() -> None:
    alarms = sum(
        broken(findings(numpy_laplace(0.9, run), POINTS, PURE, 20_000, alpha=0.8, seed=run), PURE)
        for run in range(20)
    )
    assert alarms == 20
