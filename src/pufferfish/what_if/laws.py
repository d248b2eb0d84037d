"""Adversaries whose laws differ from those described: the population's, or wrong by some share.

A resample draws as many rows as the table has from it, with replacement: the laws of the population
differ from those of the table about as the table's differ from those of a resample. The law of the
plan stays as it is. A split calibrates to one half of the rows and judges by the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

from pufferfish.beliefs.labels import label_key
from pufferfish.beliefs.pairs import SecretPair
from pufferfish.calibration.again import calibrate_again
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.errors import PufferfishError
from pufferfish.exact import verify
from pufferfish.insight.held_out import measure
from pufferfish.noise import Stratified
from pufferfish.tables import Counting, Counts
from pufferfish.what_if.judged import Found, Meeting, Tally, judge_meetings, meetings, not_judged
from pufferfish.what_if.resamples import resamples
from pufferfish.what_if.result import Case
from pufferfish.what_if.rows import Rows, because
from pufferfish.what_if.spread import Spread
from pufferfish.what_if.subject import Subject
from pufferfish.words.numbers import percent_down

__all__ = ["Resampled", "Sample", "judge_samples", "laws_case", "population_case", "split_case"]

# The share of samples that a case reports.
_MOST = 0.95


class Sample(NamedTuple):
    """What the promise becomes under one resample.

    Attributes:
        meetings: The strata of its rows.
        found: The result of each of them.
    """

    meetings: tuple[Meeting, ...]
    found: tuple[Found, ...]

    @property
    def epsilon(self) -> float:
        """The worst stratum's."""
        return max(each.epsilon for each in self.found)

    @property
    def delta(self) -> float:
        """The worst stratum's."""
        return max(each.delta for each in self.found)

    @property
    def guess(self) -> float:
        """The worst stratum's."""
        return max(each.guess for each in self.found)

    @property
    def holds(self) -> bool:
        """Whether the promise is kept in all strata."""
        return all(each.holds for each in self.found)


class Resampled(NamedTuple):
    """What the promise becomes under several resamples.

    Attributes:
        samples: Those in which some stratum was judged.
        tally: The sum over all resamples: strata counts those of the table, once for each resample;
            small counts those in which a secret has no row by chance, so that a pair could not be
            judged that the table has there.
    """

    samples: tuple[Sample, ...]
    tally: Tally


def judge_samples(
    subject: Subject, counted: Counts, count: int, seed: int, go_on: Callable[[], bool]
) -> Resampled:
    """The promise under the frequencies of resamples, as many as there is time for."""
    found: list[Sample] = []
    tally = Tally()
    whole = _pairs_by_stratum(_all_meetings(subject, counted, Tally())) if count else set()
    strata = len({stratum for stratum, _ in whole})
    lost = looked = 0
    for each in islice(resamples(counted, seed), count):
        if not go_on():
            break
        looked += strata
        met = _all_meetings(subject, each, tally)
        lost += len({stratum for stratum, _ in whole - _pairs_by_stratum(met)})
        judged = judge_meetings(subject, met)
        if judged is not None:
            found.append(Sample(met, tuple(judged)))
    return Resampled(tuple(found), replace(tally, strata=looked, small=lost))


def _all_meetings(subject: Subject, counted: Counts, tally: Tally) -> tuple[Meeting, ...]:
    """The strata of all described adversaries in which both secrets of some pair have a row."""
    return tuple(
        meeting
        for known in subject.known_sets
        for meeting in meetings(subject, counted, known, 1, tally)
    )


def _pairs_by_stratum(met: Sequence[Meeting]) -> set[tuple[Any, SecretPair]]:
    """The cases to judge: each pair, for each known value."""
    return {
        (frozenset((name, label_key(label)) for name, label in each.belief.given.items()), pair)
        for each in met
        for pair in each.scenario.pairs
    }


def population_case(subject: Subject, resampled: Resampled) -> Case:
    """What the promise becomes for somebody who knows the population and not the sample."""
    samples, tally = resampled
    case = Case(
        kind="population",
        knows="knows the population, not the sample",
        strata=tally.strata,
        small=tally.small,
        small_share=tally.untold / tally.rows if tally.rows else 0.0,
    )
    if not samples:
        if not tally.rows:
            return not_judged(case)
        return replace(case, note=because("no resample has rows of both secrets of a pair"))
    spread = _spread([(each.epsilon, each.holds) for each in samples])
    deltas = [each.delta for each in samples]
    return replace(
        case,
        epsilon=spread.most,
        delta=None if subject.goal.pure else _largest_of_most(deltas),
        guess=_largest_of_most([each.guess for each in samples]),
        spread=spread,
        holds=spread.held >= _MOST * spread.samples,
        note=(
            "each resample has as many rows as the table; the guess is that of 95% of them, at most"
        ),
    )


def split_case(
    subject: Subject, rows: Rows, splits: int, seed: int, patience: float
) -> Case | None:
    """What the promise becomes on held-out rows; None where nothing is fitted."""
    if subject.calibration.method == "given":
        return None  # the size was chosen without the rows: resamples are enough
    knows = "has the other half of the rows"
    try:
        found = measure(
            subject.scenario,
            subject.goal,
            _halved(subject, rows),
            lambda each: calibrate_again(subject.calibration, each),
            splits=splits,
            seed=seed,
            patience=patience,
        )
    except PufferfishError as error:
        return Case(kind="splits", knows=knows, note=because(str(error)))
    if not found.splits:
        return Case(kind="splits", knows=knows, epsilon=math.inf, holds=False, note=str(found))
    spread = _spread([(each.epsilon, each.holds) for each in found.splits])
    return Case(
        kind="splits",
        knows=knows,
        epsilon=spread.most,
        delta=None if subject.goal.pure else max(each.delta for each in found.splits),
        spread=spread,
        small=found.lost,
        small_share=found.lost / (found.lost + spread.samples),
        holds=found.share >= _MOST,
        note="fitted to a random half of the rows, judged by the other" + _unreached(found.holes),
    )


def _unreached(holes: int) -> str:
    """Further splits in which no noise keeps the promise: they count as broken."""
    if not holes:
        return ""
    return (
        f"; in {holes} more splits no noise keeps the promise for the first half, because of its "
        "missing values"
    )


def _halved(subject: Subject, rows: Rows) -> Any:
    """The rows in the form that `held_out` takes."""
    plan = subject.plan
    if not isinstance(plan, ColumnPlan):
        return rows.plain
    counts = rows.engine.fold(Counting.of_column(plan.column, plan.secret))
    counts = counts.without_missing() if plan.missing == "drop" else counts
    return counts if plan.cap is None else counts.capped(*plan.cap)


def laws_case(subject: Subject, share: float) -> Case:
    """What ε becomes if each described law may be wrong by a share, in total variation.

    For a recoding this is exact. Noise without a public range is different: if even a little mass
    may be anywhere, it can lie far out under one secret, where what is published excludes the
    other, so ε is infinite. Whatever the law of the noise, δ at the goal's ε grows by at most (1 +
    e^ε)·share: each law moves by the share, and publishing moves it no further.
    """
    knows = f"has laws that differ by {percent_down(share, 6)}"
    law, goal = subject.law, subject.goal
    laws = list(law) if isinstance(law, Stratified) else [law]
    capped = all(each.cap is not None for each in subject.scenario.beliefs)
    if share > 0.0 and any(each.additive for each in laws) and not capped:
        allowed = subject.calibration.certificate.delta_upper
        delta = min(allowed + (1.0 + math.exp(goal.epsilon)) * share, 1.0)
        return Case(
            kind="laws",
            knows=knows,
            epsilon=math.inf,
            delta=None if goal.pure else delta,
            holds=not goal.pure and delta <= goal.delta,
            note="noise on a line without public bounds (--cap) keeps no ε against such laws",
        )
    try:
        found = verify(subject.scenario, law, goal, wrong=share)
    except PufferfishError as error:
        return Case(kind="laws", knows=knows, note=because(str(error)))
    return Case(
        kind="laws",
        knows=knows,
        epsilon=found.epsilon_upper,
        delta=None if goal.pure else found.delta_upper,
        pair=found.worst.pair,
        holds=found.holds is True,
    )


def _spread(samples: Sequence[tuple[float, bool]]) -> Spread:
    sizes = [size for size, _ in samples]
    return Spread(
        median=median(sizes),
        most=_largest_of_most(sizes),
        worst=max(sizes),
        held=sum(holds for _, holds in samples),
        samples=len(sizes),
    )


def _largest_of_most(sizes: Sequence[float]) -> float:
    """A number that 95% of them do not exceed; with few, none does."""
    return sorted(sizes)[math.ceil(_MOST * len(sizes)) - 1]
