"""The audit: every attack on one mechanism, and one verdict with a stated rate of false alarms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from pufferfish.audits.draws import generator
from pufferfish.audits.events import attack
from pufferfish.audits.law import check_law
from pufferfish.audits.power import chance_to_notice
from pufferfish.audits.precision import check_precision
from pufferfish.audits.recoded import check_recoding
from pufferfish.audits.result import AuditCheck, AuditResult, PairFinding
from pufferfish.audits.rows import check_rows
from pufferfish.audits.subject import Noiser, Subject, as_subject
from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.scenario import PairOfLaws, Scenario
from pufferfish.calibration.mechanism import CHUNK, Mechanism
from pufferfish.columns.recoded import places_in
from pufferfish.core.validation import finite, require
from pufferfish.exact import verify
from pufferfish.exact.classes import class_pairs
from pufferfish.exact.many import is_many
from pufferfish.exact.oracle import check_goal, check_scenario
from pufferfish.exact.stratified import split_strata
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding

__all__ = ["audit"]

# How much smaller than claimed the noise is assumed to be, to say what would be detected.
_LESS = (0.4, 0.1)
# The most pairs that are attacked.
_MOST_PAIRS = 32
# More rows than the parts have in which a mechanism works.
_ROWS = CHUNK + 4001
_ROWS_OF_COMMAND = 4001
# Possible values, for results on a coarse grid.
_LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7)
_DRAWS = 20_000_000
_BLACK_BOX_DRAWS = 400_000
_MOST_DRAWS = 10**10
# The attacks that keep all draws in memory do not need more.
_KEPT_DRAWS = 2_000_000


def audit(
    subject: Mechanism | Noiser,
    scenario: Scenario,
    goal: Guarantee,
    *,
    draws: int | None = None,
    confidence: float = 0.999999,
    seed: int = 0,
    progress: Callable[[float], None] = lambda share: None,
) -> AuditResult:
    """Attack a mechanism: can what it publishes be shown to break the promise?

    Args:
        subject: A `Mechanism`, whose own code is run; or any callable that takes an array of values
            and returns the noised ones in the same order (`Command` makes one from a program).
        scenario: What must look alike, to whom: values are drawn as each adversary believes.
        goal: The promise.
        draws: The number of published values for each secret of each pair. By default 20 million
            shared by all pairs, at least 100,000 each; for a black box, which may be slow, 400,000
            each.
        confidence: A mechanism that keeps the promise is called "consistent" with at least this
            probability, all pairs and attacks together.
        seed: The seed of the inputs; the noise comes from the mechanism.
        progress: Called with the share of the work that is done.

    Returns:
        Lower bounds on ε and δ for every pair, what the other attacks found, and a verdict.
        "consistent" is not a proof of privacy; the certificate is.
    """
    check_scenario(scenario)
    check_goal(goal)
    parts = [*_strata(subject, scenario)]
    level = finite("confidence", confidence)
    require(0.0 < level < 1.0, f"confidence must lie between 0 and 1, got {level:g}.")
    require(
        isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0,
        f"seed must be a whole number of at least 0, got {seed!r}.",
    )
    false_alarm = 1.0 - level
    source = generator(seed)
    pairs = [(target, laws) for target, known in parts for laws in _choose_pairs(target, known)]
    if draws is None:
        slow = parts[0][0].black_box
        draws = _BLACK_BOX_DRAWS if slow else max(10**5, _DRAWS // len(pairs))
    require(
        isinstance(draws, int) and not isinstance(draws, bool) and 1000 <= draws <= _MOST_DRAWS,
        f"draws must be a whole number from 1000 to {_MOST_DRAWS}, got {draws!r}.",
    )
    # Half for the pairs, half for the attacks that are not about a pair.
    for_each = 0.5 * false_alarm / len(pairs)
    findings: list[PairFinding] = []
    for done, (target, laws) in enumerate(pairs):
        findings += attack(target, laws, goal, draws, for_each, source)
        progress(0.8 * (done + 1) / len(pairs))
    for_part = 0.5 * false_alarm / len(parts)
    checks: list[AuditCheck] = []
    for target, _ in parts:
        own = [laws for each, laws in pairs if each is target]
        checks += _checks(target, own[0], draws, for_part, seed)
    progress(0.95)
    noise = parts[0][0].noise
    power = (
        tuple(
            (
                less,
                chance_to_notice(
                    [laws for _, laws in pairs], noise, less, goal, draws, for_each, source
                ),
            )
            for less in _LESS
        )
        if noise is not None and not noise.identity and len(parts) == 1
        else ()
    )
    progress(1.0)
    return AuditResult(
        goal=goal,
        findings=tuple(findings),
        checks=tuple(checks),
        false_alarm=false_alarm,
        draws=draws,
        power=power,
        left_out=sum(len(scenario.pairs_of(each)) for each in scenario.beliefs) - len(pairs),
    )


def _strata(subject: Mechanism | Noiser, scenario: Scenario) -> Iterator[tuple[Subject, Scenario]]:
    """The subjects to attack, one for each known value, and the adversaries who see them."""
    if not isinstance(subject, Mechanism) or not isinstance(subject.noise, Stratified):
        yield as_subject(subject), scenario
        return
    for known, law in split_strata(scenario, subject.noise):
        certificate = verify(known, law, subject.certificate.goal)
        # Where nothing has to change, a plan publishes the rows of a stratum as they are.
        own = replace(subject, noise=law, certificate=certificate, allow_no_noise=True)
        yield as_subject(own), known


def _choose_pairs(subject: Subject, scenario: Scenario) -> list[PairOfLaws]:
    """All pairs; if there are very many, those that each adversary tells apart most easily.

    Categories are given by their places, as a recoding takes them.
    """
    chosen = _easiest(scenario)
    law = subject.recoding
    if law is None or not law.labelled:
        return chosen
    return [
        laws._replace(first=_coded(law, laws.first), second=_coded(law, laws.second))
        for laws in chosen
    ]


def _coded(law: Recoding, prior: Prior) -> Prior:
    """A law of categories as one of their places; without those that the recoding does not list."""
    if not isinstance(prior, Categorical):
        return prior
    there = np.asarray(prior.probabilities) > 0.0
    places = np.array(places_in(law, prior))[there]
    return Discrete(places, np.asarray(prior.probabilities)[there])


def _easiest(scenario: Scenario) -> list[PairOfLaws]:
    if not is_many(scenario):
        return list(scenario.laws())
    chosen = []
    for belief in scenario.beliefs:
        pairs = class_pairs(belief, scenario.pairs_of(belief))
        most = max(_MOST_PAIRS // len(scenario.beliefs), 1)
        hardest = pairs.difficulty().argsort()[::-1][:most]
        chosen += [pairs.example(int(number)) for number in hardest]
    return chosen


def _checks(
    subject: Subject, laws: PairOfLaws, draws: int, alpha: float, seed: int
) -> Iterator[AuditCheck]:
    """The attacks on noise as such, with inputs from the first pair; on a recoding, its rows."""
    if subject.recoding is not None:
        most = min(draws, _DRAWS)
        yield from check_recoding(
            subject, subject.recoding, most, _ROWS, alpha, generator(seed + 1)
        )
        return
    if subject.noise is not None and subject.noise.identity:
        yield AuditCheck(
            name="noise", passed=None, detail="no noise is added, as the certificate permits"
        )
        return
    share = alpha / 3.0
    inputs = _inputs(laws)
    low, high = inputs[0]
    if subject.noise is not None:
        yield check_law(subject, low, min(draws, _KEPT_DRAWS), share)
    rows = _ROWS if subject.quick else _ROWS_OF_COMMAND
    yield from check_rows(subject, low, high, rows, share, generator(seed + 1))
    support = np.concatenate([each.quantile(_LEVELS) for each in (laws.first, laws.second)])
    yield check_precision(subject, inputs, support, min(draws, 200_000), share)


def _inputs(laws: PairOfLaws) -> tuple[tuple[float, float], ...]:
    """Two typical values, and zero with one step: numbers with few binary digits."""
    spread = max(
        math.sqrt(laws.first.variance),
        math.sqrt(laws.second.variance),
        abs(laws.first.mean - laws.second.mean),
    )
    step = math.ldexp(1.0, math.frexp(spread)[1] - 2) if spread > 0.0 else 1.0
    low, high = (
        step * round(float(prior.quantile(0.5)) / step) for prior in (laws.first, laws.second)
    )
    return (low, high if high != low else low + step), (0.0, step)
