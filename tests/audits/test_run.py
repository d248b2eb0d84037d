"""Whole audits: what is called violated, what is called consistent, and how often wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.audits import run as run_module
from pufferfish.core.errors import InvalidInputError
from tests import seams
from tests.audits.subjects import (
    ADULT,
    ADULT_SCALE,
    POINTS,
    PURE,
    Column,
    Sampler,
    draw_by,
    draw_less,
    failed,
    mechanism,
    numpy_laplace,
    too_many,
)
from tests.support import scenario_of

LAW = "the noise follows the law that was certified"
EVERY_ROW = "every row is noised"
ALIKE = "all rows have the same noise"
FRESH = "every row of every run has noise of its own"
DIGITS = "the last digits do not tell values apart"
DRAWS = 100_000


def audited(subject: Any, scenario: pf.Scenario = ADULT, goal: pf.Guarantee = PURE) -> Any:
    return pf.audit(subject, scenario, goal, draws=DRAWS)


@pytest.fixture
def _few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the edges of the parts in which a mechanism works do not matter."""
    seams.put(monkeypatch, seams.ROWS_OF_A_RUN, 501)


# --- what must pass -----------------------------------------------------------------------------

SHIFTED = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.5))
HOLES = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0), missing={"a": 0.1, "b": 0.15})
CHOLESTEROL = pf.Scenario([pf.datasets.hungarian_tables()])
SEVERAL = pf.Scenario(
    [pf.datasets.adult_tables(), pf.Belief(dict(pf.datasets.adult_tables().priors), name="other")],
    pairs=[("Black", "Asian-Pac-Islander"), ("White", "Black")],
)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("scenario", [SHIFTED, HOLES, CHOLESTEROL, SEVERAL])
def test_our_mechanisms_are_consistent(
    scenario: pf.Scenario, noise: str, request: pytest.FixtureRequest
) -> None:
    if scenario is not SHIFTED:
        request.getfixturevalue("_few_rows")
    goal = pf.Guarantee(1.0, 0.01)
    found = audited(mechanism(scenario, goal, noise=noise), scenario, goal)
    assert found.verdict == "consistent", str(found)
    assert len(found.findings) == 2 * len(list(scenario.laws()))
    passed = {each.name: each.passed for each in found.checks}
    assert all(passed.pop(name) for name in (LAW, EVERY_ROW, ALIKE, FRESH, DIGITS))
    # What else is looked at is told, and judges nothing: the average of many runs.
    assert set(passed.values()) <= {None}
    assert [less for less, _ in found.power] == [0.4, 0.1]


@pytest.mark.usefixtures("_few_rows")
@pytest.mark.parametrize(
    "steps",
    [
        (pf.RoundTo(1.0),),
        (pf.RoundTo(0.1),),
        (pf.Clip(1.0, 16.0),),
        (pf.Clip(8.0, 9.0),),
        (pf.RoundTo(5.0), pf.Clip(0.0, 10.0)),
    ],
)
def test_post_processing_changes_nothing(steps: tuple[pf.Postprocess, ...]) -> None:
    calibration = pf.calibrate(ADULT, PURE)
    entropy = pf.NotPrivateEntropy(3)
    rounded = pf.Mechanism.from_calibration(calibration, steps, entropy=entropy)
    assert audited(rounded).verdict == "consistent"
    assert audited(rounded.apply).verdict == "consistent"


def test_no_noise_where_none_is_needed() -> None:
    certificate = pf.verify(ADULT, pf.NoNoise(), pf.Guarantee(1.0, 0.06))
    bare = pf.Mechanism(noise=pf.NoNoise(), certificate=certificate, allow_no_noise=True)
    found = audited(bare, ADULT, certificate.goal)
    assert found.verdict == "consistent"
    assert {each.passed for each in found.checks} == {None}
    assert found.power == ()
    assert audited(bare).verdict == "violated"


@pytest.mark.usefixtures("_few_rows")
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("place", [0.0, 100.0])
def test_values_and_noise_of_any_size(size: float, place: float) -> None:
    first = pf.Discrete([place * size], [1.0])
    scenario = scenario_of(first, first.shift(size))
    honest = mechanism(scenario, PURE)
    assert audited(honest, scenario).verdict == "consistent"
    assert audited(honest.apply, scenario).verdict == "consistent"


def test_two_secrets_that_are_alike() -> None:
    one = pf.Discrete([5.0], [1.0])
    found = audited(numpy_laplace(1.0, digits=4), scenario_of(one, one))
    assert found.verdict == "consistent"
    assert found.epsilon_lower < 0.05


@pytest.mark.usefixtures("_few_rows")
@pytest.mark.parametrize("digits", range(1, 7))
def test_rounded_noise_of_numpy_is_consistent(digits: int) -> None:
    assert audited(numpy_laplace(ADULT_SCALE, digits=digits)).verdict == "consistent"


# --- false alarms -------------------------------------------------------------------------------


@pytest.mark.usefixtures("_few_rows")
@pytest.mark.parametrize("black_box", [False, True])
def test_false_alarms_are_as_rare_as_stated(
    black_box: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What would have been noticed has no say in the verdict, and takes most of the time.
    monkeypatch.setattr(run_module, "chance_to_notice", lambda *_: 0.0)
    # The promise is kept with nothing to spare: log-ratios of 1 occur with probability ½.
    honest, runs = mechanism(POINTS, PURE), 60
    subject = honest.apply if black_box else honest
    alarms = sum(
        pf.audit(subject, POINTS, PURE, draws=2000, confidence=0.9, seed=run).verdict == "violated"
        for run in range(runs)
    )
    assert not too_many(alarms, runs, 0.1)


# --- what must be caught ------------------------------------------------------------------------


def test_noise_40_percent_too_small_on_the_demonstration(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = mechanism(ADULT, PURE)
    draw_less(monkeypatch, 0.4)
    found = pf.audit(honest, ADULT, PURE, draws=200_000)
    assert found.verdict == "violated"
    assert found.epsilon_lower > 1.0  # an event shows it
    assert failed(found.checks) == [LAW]


def test_noise_10_percent_too_small_on_the_demonstration(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = mechanism(ADULT, PURE)
    draw_less(monkeypatch, 0.1)
    found = pf.audit(honest, ADULT, PURE, draws=3_000_000)
    assert found.verdict == "violated"
    assert found.epsilon_lower > 1.0
    assert failed(found.checks) == [LAW]


def _zero_last(sampler: Sampler) -> Sampler:
    def drawn(*given: Any) -> Any:
        noise = sampler(*given).copy()
        noise[-1] = 0
        return noise

    return drawn


def _one_chunk_for_all(sampler: Sampler) -> Sampler:
    def drawn(count: int, *rest: Any) -> Any:
        kept.setdefault("noise", sampler(2**16, *rest))
        return kept["noise"][:count]

    kept: dict[str, Any] = {}
    return drawn


def _coarse(sampler: Sampler) -> Sampler:
    return lambda *given: sampler(*given) // 4096 * 4096


def _none(sampler: Sampler) -> Sampler:
    return lambda *given: np.zeros_like(sampler(*given))


@pytest.mark.parametrize(
    ("fault", "name"),
    [(_zero_last, EVERY_ROW), (_one_chunk_for_all, FRESH), (_coarse, DIGITS), (_none, EVERY_ROW)],
)
def test_faults_in_our_own_code(
    fault: Callable[[Sampler], Sampler], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A coarse grid says something about values that are not on it.
    honest = mechanism(SHIFTED, PURE)
    draw_by(monkeypatch, fault)
    found = audited(honest, SHIFTED)
    assert found.verdict == "violated"
    assert name in failed(found.checks)


def test_a_mechanism_for_a_weaker_promise() -> None:
    weaker = mechanism(ADULT, pf.Guarantee(2.0))
    found = audited(weaker)
    assert found.verdict == "violated"
    assert failed(found.checks) == []  # the noise is what it should be, only too little
    assert 1.0 < found.epsilon_lower <= 2.0


ROUNDED = numpy_laplace(ADULT_SCALE, digits=4)


def _skips_the_last(values: Column) -> Column:
    results = ROUNDED(values)
    results[-1] = values[-1]
    return results


def _same_seed(values: Column) -> Column:
    return numpy_laplace(ADULT_SCALE, digits=4)(values)


@pytest.mark.parametrize(
    ("bad", "names"),
    [
        (numpy_laplace(ADULT_SCALE), [DIGITS]),
        (_skips_the_last, [EVERY_ROW]),
        (_same_seed, [EVERY_ROW, ALIKE, FRESH]),
        (lambda values: values, [EVERY_ROW, FRESH]),
    ],
)
def test_black_boxes(bad: Callable[[Column], Column], names: list[str]) -> None:
    found = audited(bad)
    assert found.verdict == "violated"
    assert failed(found.checks) == names


def test_a_theorem_that_is_false() -> None:
    # What Theorem 2 says of its counterexample, drawn by our own mechanism.
    mixture = pf.GaussianMixture([0.95, 0.05], [0.0, 10.0], [1.0, 1.0])
    scenario, goal = scenario_of(pf.Gaussian(0.0, 1.0), mixture), pf.Guarantee(1.0, 1e-3)
    noise = pf.LaplaceNoise(0.5, grid=2.0**-25)
    certificate = pf.verify(scenario, noise, pf.Guarantee(1.0, 0.05))
    wrong = pf.Mechanism(noise=noise, certificate=certificate, entropy=pf.NotPrivateEntropy(1))
    found = audited(wrong, scenario, goal)
    assert found.verdict == "violated"
    assert failed(found.checks) == []
    assert 0.04 < found.delta_lower <= 0.05


# --- arguments ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("_few_rows")
def test_the_same_seeds_give_the_same_audit() -> None:
    one, other, third = (
        pf.audit(mechanism(ADULT, PURE), ADULT, PURE, draws=2000, seed=seed) for seed in (1, 1, 2)
    )
    assert one == other
    assert one.findings != third.findings


def test_a_black_box_gets_fewer_draws_by_default() -> None:
    found = pf.audit(numpy_laplace(2.0, digits=4), ADULT, PURE)
    assert found.draws == 400_000
    assert found.power == ()


def test_progress_is_told() -> None:
    told: list[float] = []
    pf.audit(numpy_laplace(2.0), SEVERAL, PURE, draws=1000, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) >= 4


@pytest.mark.parametrize("draws", [0, 999, 10**11, 2000.0, True, "many"])
def test_draws_are_a_number(draws: Any) -> None:
    with pytest.raises(InvalidInputError, match="draws must be a whole number"):
        pf.audit(numpy_laplace(1.0), ADULT, PURE, draws=draws)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, float("nan")])
def test_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(InvalidInputError, match="confidence"):
        pf.audit(numpy_laplace(1.0), ADULT, PURE, draws=1000, confidence=confidence)


def test_what_is_attacked_is_checked() -> None:
    with pytest.raises(InvalidInputError):
        pf.audit("cat", ADULT, PURE)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        pf.audit(numpy_laplace(1.0), "adult", PURE)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        pf.audit(numpy_laplace(1.0), ADULT, 1.0)  # type: ignore[arg-type]
