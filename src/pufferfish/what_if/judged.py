"""What a promise becomes for somebody who has counted rows: by stratum, and the worst decides.

In a stratum (rows with the same known values) the adversary's laws are the frequencies of its rows.
What is published there has the law Q_s(y) = Σ_x P_s(x)·M(x,y), and the oracle gives ε, δ and the
total variation distance of each pair, exactly. A pair is judged where both of its secrets have
enough rows: frequencies of fewer rows say little about anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.scenario import REFERENCE, Belief, Scenario, Secret, SecretPair
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.exact import verify
from pufferfish.fit.belief import fit_summary
from pufferfish.fit.table import empirical_belief
from pufferfish.insight.guesses import accuracy_upper, by_heart_at_worst
from pufferfish.insight.other_rows import as_met, counts_of_rows
from pufferfish.noise import Law, NoNoise, Stratified
from pufferfish.tables import Counts
from pufferfish.what_if.result import Case
from pufferfish.what_if.rows import TOO_LONG, because
from pufferfish.what_if.subject import Subject

__all__ = ["Found", "Meeting", "Tally", "judge", "judge_meetings", "meetings", "not_judged"]


class Meeting(NamedTuple):
    """The rows of a stratum, and the law that is applied to them.

    Attributes:
        scenario: What the adversary believes about these rows, and the pairs with enough of them.
        law: The law of the stratum.
    """

    scenario: Scenario
    law: Law

    @property
    def belief(self) -> Belief:
        """The belief of the one adversary who is judged."""
        return self.scenario.beliefs[0]


@dataclass
class Tally:
    """Counts of what was judged, summed over strata.

    Attributes:
        strata: How many strata were judged.
        small: In how many strata some pair was not judged.
        rows: The rows of secrets in some pair.
        untold: The rows for which nothing was judged.
        refused: The rows that a release would refuse.
    """

    strata: int = 0
    small: int = 0
    rows: int = 0
    untold: int = 0
    refused: int = 0


class Found(NamedTuple):
    """What the promise becomes in one stratum."""

    epsilon: float
    delta: float
    guess: float
    holds: bool
    pair: SecretPair
    meeting: Meeting


def judge(
    subject: Subject,
    counted: Counts,
    others: Sequence[str],
    min_rows: int,
    case: Case,
    go_on: Callable[[], bool] = lambda: True,
) -> Case:
    """A case of somebody who has counted these rows, and knows further columns.

    Each of the described adversaries may know them: the worst is taken.

    Args:
        subject: The law.
        counted: The rows.
        others: The further columns that are known.
        min_rows: The least number of rows of each secret of a judged pair.
        case: The case, as far as it is known.
        go_on: Whether there is time for another stratum.
    """
    tallies = [Tally() for _ in subject.known_sets]
    every = (
        meeting
        for known, tally in zip(subject.known_sets, tallies, strict=True)
        for meeting in meetings(subject, counted, (*known, *others), min_rows, tally)
    )
    found = judge_meetings(subject, every, go_on)
    if found is None and not go_on():
        return not_judged(case)
    # Somebody who knows more columns meets smaller strata: shares are the largest of anybody's.
    told = replace(
        case,
        strata=sum(each.strata for each in tallies),
        small=sum(each.small for each in tallies),
        small_share=max(each.untold / each.rows if each.rows else 1.0 for each in tallies),
        refused_share=max(each.refused / each.rows if each.rows else 0.0 for each in tallies),
    )
    if found is None:
        refused = any(each.refused for each in tallies)
        return replace(told, note=_joined(case.note, _cannot_tell(refused, min_rows)))
    return _with(told, subject, found)


def not_judged(case: Case) -> Case:
    """A case for which there was no time."""
    return replace(case, late=True, note=_joined(case.note, because(TOO_LONG)))


def judge_meetings(
    subject: Subject, every: Iterable[Meeting], go_on: Callable[[], bool] = lambda: True
) -> list[Found] | None:
    """The result of each stratum; None where there is none, or no time for all of them."""
    found = []
    for meeting in every:
        if not go_on():
            return None
        certificate = verify(meeting.scenario, meeting.law, subject.goal)
        found.append(
            Found(
                epsilon=certificate.epsilon_upper,
                delta=certificate.delta_upper,
                guess=accuracy_upper(meeting.scenario, meeting.law),
                holds=certificate.holds is True,
                pair=certificate.worst.pair,
                meeting=meeting,
            )
        )
    return found or None


def _with(case: Case, subject: Subject, found: Sequence[Found]) -> Case:
    worst = max(found, key=lambda each: each.epsilon if subject.goal.pure else each.delta)
    guess = max(found, key=lambda each: each.guess)
    before = accuracy_upper(guess.meeting.scenario, NoNoise())
    return replace(
        case,
        epsilon=max(each.epsilon for each in found),
        delta=None if subject.goal.pure else max(each.delta for each in found),
        guess=guess.guess,
        before=before,
        by_heart=by_heart_at_worst(guess.meeting.scenario, before),
        where=given_in_words(worst.meeting.belief.given),
        pair=worst.pair,
        holds=all(each.holds for each in found),
    )


def meetings(
    subject: Subject, counted: Counts, known: Sequence[str], min_rows: int, tally: Tally
) -> Iterator[Meeting]:
    """Every stratum that has enough rows of both secrets of some pair, with its law.

    Args:
        subject: The law.
        counted: The rows.
        known: The columns that the adversary knows.
        min_rows: The least number of rows of each secret of a pair.
        tally: The counts, which are updated.
    """
    every = subject.scenario.pairs
    if known:
        # Thousands of strata that are too small for any pair are counted together.
        counted, rare, strata = counted.divided(known, 2 * max(min_rows, 1))
        for stratum in rare.strata() if strata else ():
            rows = sum(_published_rows(subject, stratum).values())
            tally.rows += rows
            tally.untold += rows
            tally.small += strata * any(_about(each, stratum) for each in every)
    for stratum in counted.strata(known):
        groups = _published_rows(subject, stratum)
        mine = [each for each in every if _about(each, stratum)]
        enough = [
            pair for pair in mine if all(groups.get(each, 0) >= max(min_rows, 1) for each in pair)
        ]
        total = sum(groups.values())
        judged = {secret for pair in enough for secret in pair}
        tally.rows += total
        tally.small += len(enough) < len(mine)
        tally.untold += total - sum(groups[secret] for secret in judged)
        if not enough:
            continue
        law = _law_of(subject.law, stratum)
        met = None if law is None else _met(subject, stratum, enough, law)
        if met is None:
            tally.refused += sum(groups[secret] for secret in judged)
            continue
        meeting, taken = met
        tally.refused += sum(groups[secret] for secret in judged) - taken
        tally.strata += 1
        yield meeting


def _about(pair: SecretPair, stratum: Counts) -> bool:
    """Whether a pair belongs to the secret being judged, where several are protected."""
    return all(map(stratum.about.holds, pair))


def _law_of(law: Law, stratum: Counts) -> Law | None:
    """The law of these rows; None where there is none for their known values."""
    if not isinstance(law, Stratified):
        return law
    place = law.place_of(stratum.given)
    return None if place is None else law.strata[place].law


def _published_rows(subject: Subject, stratum: Counts) -> dict[Secret, int]:
    """The rows of each secret that are published."""
    if subject.numeric and subject.plan.missing == "drop":
        return {secret: group.records for secret, group in stratum.groups.items()}
    return {secret: part.rows for secret, part in stratum.by_secret.items()}


def _met(
    subject: Subject, stratum: Counts, pairs: Sequence[SecretPair], law: Law
) -> tuple[Meeting, int] | None:
    """The beliefs about the rows that the law accepts, and their number."""
    wanted = sorted({secret for pair in pairs for secret in pair}, key=str)
    belief = _belief(subject, replace(stratum, wanted=tuple(wanted)), law)
    if belief is None:
        return None
    try:
        scenario, law = as_met(Scenario(belief, pairs), law)
    except InvalidInputError:
        return None  # it accepts none of the rows
    taken = sum(
        int(counts_of_rows(prior).sum()) + scenario.beliefs[0].missing_counts.get(secret, 0)
        for secret, prior in scenario.beliefs[0].priors.items()
        if isinstance(prior, Categorical | Discrete)
    )
    return Meeting(scenario, law), taken


def _belief(subject: Subject, counts: Counts, law: Law) -> Belief | None:
    """The frequencies of the values from which a release would draw."""
    if not subject.numeric:
        return empirical_belief(counts, REFERENCE)
    plan = subject.plan
    holes = any(group.missing for group in counts.groups.values())
    if holes and plan.missing == "refuse":
        raise DataError(
            f"column {counts.column!r} has missing values, and the plan refuses them: choose "
            "--missing keep or drop when you make the plan."
        )
    if plan.missing == "drop" or (not law.additive and not law.takes_missing):
        counts = counts.without_missing()
    if any(not group.records for group in counts.groups.values()):
        return None
    if plan.cap is not None:
        counts = counts.capped(*plan.cap)
    fitted = fit_summary(counts, ("empirical",), provenance=REFERENCE)[0]
    return replace(fitted, given=dict(counts.given))


def _cannot_tell(refused: bool, min_rows: int) -> str:
    if refused:
        return because("a release would refuse all rows that could be judged")
    return because(f"no combination has {min_rows} rows of both secrets of a pair")


def _joined(*said: str) -> str:
    return "; ".join(each for each in said if each)
