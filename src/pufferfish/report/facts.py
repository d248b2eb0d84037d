"""Every number and sentence of a report, gathered from the record and its certificate.

The public edition is gathered from the public document alone, so that nothing else can get into it.
What is derived from beliefs (`Believed`) is there only if the document holds a plan, which a public
one does only where every belief is public.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.calibration.postprocess import Postprocess
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.rows import SeveralRows
from pufferfish.columns import statement
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.columns.story import gaps, publication_in_words
from pufferfish.exact import PairResult, PrivacyProfile, privacy_profile
from pufferfish.insight.comparison import Comparison, compare
from pufferfish.insight.extremes import outliers
from pufferfish.insight.guesses import (
    Guess,
    Success,
    best_guess,
    posterior_lower,
    posterior_upper,
    success_allowed,
    success_of,
    told_apart,
)
from pufferfish.insight.other_ways import Alternative, alternatives
from pufferfish.kinds.record import Edition
from pufferfish.kinds.verdict import Verification
from pufferfish.learning.reveals import Reveals
from pufferfish.noise import Law, NoNoise, as_noise
from pufferfish.report.columns import Bars, CountedColumn, bars_of
from pufferfish.report.recoded_facts import RecodedFacts, recoded_facts
from pufferfish.report.usage import Estimates, Utility, estimates, utility
from pufferfish.report.views import View, views, worst_by_pair
from pufferfish.words.phrases import cap_in_words
from pufferfish.words.steps import Step

__all__ = [
    "PRIORS",
    "Believed",
    "Facts",
    "PairFacts",
    "Posterior",
    "belief_facts",
    "gather",
    "posteriors",
    "profile_epsilons",
]

# Probabilities that an adversary may start from.
PRIORS = (0.01, 0.1, 0.25, 0.5)
# Up to this many laws (pairs times beliefs) all pairs are judged again; beyond, only the worst.
_MOST_LAWS = 40
# Pairs in the table, worst first.
_MOST_PAIRS = 12
_PROFILE_POINTS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """A prior probability, and the bounds between which it stays; None where nothing bounds it."""

    prior: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFacts:
    """One pair: the result that decides it, and how often guesses are right, where known."""

    worst: PairResult
    before_upper: float | None
    after_upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Believed:
    """What follows from the beliefs; as private as they are.

    Attributes:
        calibration: The noise, the beliefs and the certificate.
        views: The pairs and adversaries to draw.
        pairs: Some pairs, worst first.
        guess: The guess that is right most often.
        before: How far the best informed adversary gets with the true value, for that guess.
        after: The same, from the published value.
        profile: δ(ε).
        bare: δ(ε) without noise.
        of_all: Whether profile and comparison are about all pairs, or the one that decides.
        comparison: Every method side by side.
        alternatives: Local differential privacy, and the paper's bound.
        steps: The explanation, step by step.
    """

    calibration: Calibration
    views: tuple[View, ...]
    pairs: tuple[PairFacts, ...]
    guess: Guess
    before: Success
    after: Success
    profile: PrivacyProfile
    bare: PrivacyProfile
    of_all: bool
    comparison: Comparison
    alternatives: tuple[Alternative, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Facts:
    """What a page says.

    Attributes:
        edition: "internal" or "public".
        document: The record's document of that edition.
        goal: The promise for one unit: a row, or a person.
        noise: The law of the noise, or the recoding.
        steps: What was done to the noised values.
        headline: What is published but not covered by the promise, in words.
        reveals: What all published columns reveal together; None where no column is kept, or where
            that was not measured.
        promise: The promise, in words.
        beliefs_from: Where the adversaries described come from.
        cap: What was done to values before the noise, in words; empty where nothing was.
        outliers: Which values set the noise, in words; internal only, and only where some do.
        covered: What was published, in words; internal only.
        gaps: What is not promised.
        allowed: The most that the promise alone allows an adversary.
        posteriors: The same for a probability; empty where δ > 0, or where columns are kept.
        believed: What follows from the beliefs, if they may be shown.
        record: The record; internal only.
        released: The published column, if it was given.
        bars: Its histogram, with that of the original in the internal edition.
        estimates: What an analyst gets from the published column.
        utility: What the noise does to values, means, quantiles and slopes; None for a recoding.
        recoded: What a recoding does to values; None for noise.
        found: The result of verifying the document from which the record was read.
    """

    edition: Edition
    document: Mapping[str, Any]
    goal: Guarantee
    noise: Law
    steps: tuple[Postprocess, ...]
    headline: tuple[str, ...]
    reveals: Reveals | None
    promise: str
    beliefs_from: statement.BeliefsFrom
    cap: str
    outliers: str | None
    covered: str | None
    gaps: tuple[str, ...]
    allowed: Success
    posteriors: tuple[Posterior, ...]
    believed: Believed | None
    record: Record | None
    released: CountedColumn | None
    bars: Bars | None
    estimates: Estimates | None
    utility: Utility | None
    recoded: RecodedFacts | None
    found: Verification


def gather(
    source: Record | Mapping[str, Any],
    *,
    released: CountedColumn | None,
    original: CountedColumn | None,
    found: Verification | None = None,
) -> Facts:
    """The facts of a report: an internal one from a record, a public one from a public document."""
    record = source if isinstance(source, Record) else None
    document = source.to_dict("internal") if isinstance(source, Record) else source
    edition: Literal["internal", "public"] = "public" if record is None else "internal"
    said = statement.Facts.from_dict(document)
    plan = _plan(record, document)
    goal, steps = said.goal, said.postprocess
    # Where the table of a recoding is private, only the plan has it.
    law = said.noise if plan is None else plan.calibration.mechanism
    noise = as_noise(law) if law.additive else None
    estimated = None
    if released is not None and noise is not None:
        estimated = estimates(released, noise, steps, said.step)
    return Facts(
        edition=edition,
        document=document,
        goal=goal,
        noise=law,
        steps=steps,
        # Written again from the facts, whatever words the document has.
        headline=tuple(statement.headline(said)),
        reveals=said.reveals,
        promise=statement.promise(said),
        beliefs_from=said.beliefs_from,
        cap=cap_in_words(said.cap),
        outliers=None if record is None else _outliers(record.plan),
        covered=None if record is None else publication_in_words(record),
        gaps=tuple(statement.not_promised(said) if record is None else gaps(record)),
        allowed=success_allowed(goal),
        # With other columns a probability may change by any factor.
        posteriors=() if said.kept else posteriors(goal),
        believed=None
        if plan is None
        else belief_facts(plan.calibration, plan.several_rows, said.beliefs_from, steps),
        record=record,
        released=released,
        bars=None if released is None else bars_of(released, None if record is None else original),
        estimates=estimated,
        utility=None
        if noise is None
        else utility(document, noise, steps, record, released, estimated),
        recoded=None
        if noise is not None
        else recoded_facts(said, plan, internal=record is not None),
        found=found or Verification(edition=edition, checks=()),
    )


def _plan(record: Record | None, document: Mapping[str, Any]) -> ColumnPlan | None:
    if record is not None:
        return record.plan
    return ColumnPlan.from_dict(document["plan"]) if "plan" in document else None


def _outliers(plan: ColumnPlan) -> str | None:
    found = outliers(plan.calibration)
    return None if found is None else str(found)


def posteriors(goal: Guarantee) -> tuple[Posterior, ...]:
    """The bounds that the promise alone sets on a probability; none where δ > 0."""
    if not goal.pure:
        return ()
    return tuple(
        Posterior(
            prior=prior,
            lower=posterior_lower(prior, goal.epsilon),
            upper=posterior_upper(prior, goal.epsilon),
        )
        for prior in PRIORS
    )


def belief_facts(
    calibration: Calibration,
    rows: SeveralRows,
    beliefs_from: statement.BeliefsFrom | None = None,
    steps: Sequence[Postprocess] = (),
) -> Believed:
    """What follows from the beliefs of a calibration, for one row of a person who may have several.

    The pictures show what is published: `steps` follow the noise.
    """
    scenario, noise, goal = calibration.scenario, calibration.mechanism, calibration.goal
    guess = best_guess(calibration, goal)
    before, after = success_of(calibration, guess)
    alone = scenario.only([calibration.certificate.worst.pair])
    of_all = len(scenario.pairs) * len(scenario.beliefs) <= _MOST_LAWS
    looked_at = scenario if of_all else alone
    epsilons = profile_epsilons(goal)
    return Believed(
        calibration=calibration,
        views=views(scenario, calibration.certificate, steps),
        pairs=tuple(_pairs(calibration)),
        guess=guess,
        before=before,
        after=after,
        profile=privacy_profile(looked_at, noise, epsilons),
        bare=privacy_profile(looked_at, NoNoise(), epsilons),
        of_all=of_all,
        comparison=compare(looked_at, goal),
        # They would be about one row, where the noise is for several.
        alternatives=alternatives(calibration) if rows.apart else (),
        steps=calibration.explain(another_table=beliefs_from == "another table").steps,
    )


def profile_epsilons(goal: Guarantee) -> list[float]:
    """The ε at which a profile is computed: up to a little more than what is promised."""
    last = 1.5 * goal.epsilon
    return [last * step / (_PROFILE_POINTS - 1) for step in range(_PROFILE_POINTS)]


def _pairs(calibration: Calibration) -> Iterator[PairFacts]:
    """The worst pairs first; guesses only where there are not too many laws to look at."""
    listed = worst_by_pair(calibration.certificate)[:_MOST_PAIRS]
    few = len(listed) * len(calibration.scenario.beliefs) <= _MOST_LAWS
    for worst in listed:
        guessed: tuple[float, float] | tuple[None, None] = None, None
        if few:
            guessed = told_apart(calibration.scenario, calibration.mechanism, worst.pair)
        yield PairFacts(worst=worst, before_upper=guessed[0], after_upper=guessed[1])
