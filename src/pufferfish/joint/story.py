"""A released table in plain words, for the curator: what was done and promised, and to whom.

It contains statistics of the beliefs: only those who may see the data may see it.
"""

from __future__ import annotations

from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.scenario import Belief
from pufferfish.calibration.losses import Weighed, weighed_by
from pufferfish.calibration.recoded_words import (
    compare_in_words,
    constant_for,
    kept_in_words,
    moves_in_words,
    part_in_words,
    whose,
    wrong_in_words,
)
from pufferfish.columns.statement import BeliefsFrom
from pufferfish.columns.statement.facts import is_elsewhere
from pufferfish.columns.story import (
    cap_moved_in_words,
    guess_in_words,
    missing_rows_in_words,
    provenance_in_words,
)
from pufferfish.insight.guesses import best_guess
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord
from pufferfish.joint.words import headline, not_promised, those_who_know_less
from pufferfish.mechanisms import words_of
from pufferfish.words.numbers import percent, percent_up, readable
from pufferfish.words.phrases import (
    join_words,
    list_in_words,
    meaning,
    pairs_in_words,
    secret_in_words,
    unprotected,
    wrong_laws,
)
from pufferfish.words.steps import Entry, Step

__all__ = ["adversaries_in_words", "promise_in_words", "story"]

# How many adversaries, and strata, are listed one by one.
_MOST_TOLD = 8


def story(record: TableRecord) -> tuple[Step, ...]:
    """What happened, part by part."""
    plan = record.plan
    wrong, confidence = plan.certificate.wrong, plan.certificate.confidence
    elsewhere = is_elsewhere(record.beliefs_from)
    of = weighed_by(plan.scenario, another_table=record.beliefs_from == "another table")
    said = {
        "Beware": headline(record.facts),
        "Promise": [
            promise_in_words(plan),
            wrong_in_words(wrong, confidence, elsewhere=elsewhere)
            if plan.calibration.recode is not None
            else wrong_laws(wrong, confidence, capped=True, elsewhere=elsewhere),
        ],
        "Against": [adversaries_in_words(plan, record.beliefs_from)],
        "Published": [_published(record)],
        "Before it": [
            cap_moved_in_words(plan.cap, plan.calibration.mechanism, record.rows_capped),
            *_binned(plan),
        ],
        "Mechanism": [_mechanism(plan, of)],
        "Guessing": [_guessing(plan)],
    }
    steps = [Step(title, tuple(filter(None, texts))) for title, texts in said.items()]
    place = next(place for place, step in enumerate(steps) if step.title == "Guessing")
    stays = "What stays" if plan.calibration.recode is not None else "Known"
    steps.insert(place, Step(stays, entries=tuple(map(Entry, _what_stays(plan, of)))))
    steps.append(Step("Not covered", entries=tuple(map(Entry, _gaps(record)))))
    return tuple(step for step in steps if step.paragraphs or step.entries)


def promise_in_words(plan: TablePlan) -> str:
    """The promise for one row, what it means, and for whom."""
    promise, pairs = plan.promise, plan.scenario.pairs
    pair = pairs_in_words(pairs)
    who = f", for somebody who already knows {list_in_words(plan.known)}" if plan.known else ""
    unit = "one row" if plan.unit == "row" else "the one row of a person"
    together = " together" if len(plan.columns) > 1 else ""
    told = those_who_know_less(plan.known, plan.keep)
    less = f" {told}" if told else ""
    return (
        f"{promise} for {unit}{who}: {meaning(promise, pair)}. It is about "
        f"{list_in_words(plan.columns)}{together}. Certified exactly, for one release.{less}"
    )


def adversaries_in_words(plan: TablePlan, source: BeliefsFrom | None = None) -> str:
    """The adversaries, in words; `source` as in a record, None before a release.

    Those who know the same columns, and laws of the same kind, are listed together.
    """
    groups: dict[tuple[tuple[str, ...], str, str], None] = {}
    for belief in plan.scenario.beliefs:
        origin = provenance_in_words(belief, source)
        groups[tuple(belief.given), _knowledge(plan, belief), origin] = None
    told = [
        f"somebody who knows {list_in_words(given)} and {laws.removeprefix('knows ')} ({origin})"
        if given
        else f"somebody who {laws} ({origin})"
        for given, laws, origin in list(groups)[:_MOST_TOLD]
    ]
    more = len(groups) - len(told)
    return "; ".join(told) + (f"; and {more:,} more." if more else ".")


def _knowledge(plan: TablePlan, belief: Belief) -> str:
    """The kind of laws that an adversary knows or believes."""
    laws = belief.priors.values()
    what = list_in_words(plan.columns)
    each = f"each value of {what}" if len(plan.columns) == 1 else f"each combination of {what}"
    if all(isinstance(law, Discrete) for law in laws):
        return f"knows how often {each} occurs for each secret"
    if not all(isinstance(law, Categorical) for law in laws):
        return f"believes smooth laws of {what} for each secret"
    if all(isinstance(law, Categorical) and law.counts is not None for law in laws):
        return f"knows how often {each} occurs for each secret"
    model = belief.name.partition(",")[0]
    return f"believes a model of how often {each} occurs for each secret ({model!r})"


def _published(record: TableRecord) -> str:
    plan = record.plan
    place = f" in {record.output}" if record.output else ""
    order = ", in random order" if record.order == "random" else ", in the order of the table"
    kept = f", with {list_in_words(plan.keep)}, which everybody then knows" if plan.keep else ""
    free = (
        f", with {list_in_words(plan.keep_unprotected)} unprotected"
        if plan.keep_unprotected
        else ""
    )
    never = " and ".join(map(repr, plan.secret_columns))
    dropped = (
        missing_rows_in_words(plan.missing, plan.calibration.mechanism, record.rows_missing)
        if plan.numeric
        else ""
    )
    unseen = (
        f"; {record.rows_unseen:,} rows had values that no belief describes, and were recoded by "
        "the public row for such values"
        if record.rows_unseen
        else ""
    )
    return (
        f"{record.rows_published:,} rows of {list_in_words(plan.columns)}{place}{order}{kept}"
        f"{free}; {never} {'is' if len(plan.secret_columns) == 1 else 'are'} not published"
        f"{dropped}{unseen}."
    )


def _mechanism(plan: TablePlan, of: Weighed) -> str:
    calibration = plan.calibration
    law, recode = calibration.mechanism, calibration.recode
    if recode is None:
        return words_of(law).done(law)
    compared = compare_in_words(recode, calibration.scenario, calibration.goal, law, of)
    if not recode.parts:
        # What is done is told of one law; what follows is about the whole table.
        whole = "For all rows together:" if calibration.parts else ""
        moves = moves_in_words(recode, calibration.scenario, law, of)
        return join_words(words_of(law).done(law), whole, moves, compared)
    several = len(recode.parts) > 1
    what, other = ("row", "combination") if several else ("value", "value")
    start = ""
    if calibration.parts:
        known = "value" if len(plan.keep) == 1 else "combination of values"
        start = f"Each {known} of {list_in_words(plan.keep)} has a recoding of its own."
    kept = kept_in_words(of, other) if recode.keep_histogram else ""
    return join_words(
        start,
        f"Each {what} is kept, or replaced at random by another {other} that occurs.",
        kept,
        compared,
    )


def _binned(plan: TablePlan) -> list[str]:
    """What stands for the bins of numbers that are published as categories."""
    said = []
    for rule in plan.layout.columns:
        if rule.edges and rule.names:
            said.append(
                f"Each value of {rule.column!r} became the number that stands for its public bin: "
                f"{rule.names[0]} for all values below {readable(rule.edges[0], 6)}, and "
                f"{rule.names[-1]} from {readable(rule.edges[-1], 6)} on. Errors are measured from "
                "these numbers, and leave out the error of the bins themselves."
            )
    return said


def _what_stays(plan: TablePlan, of: Weighed) -> list[str]:
    """How much of each column stays as it is, overall and for each known value."""
    calibration = plan.calibration
    recode = calibration.recode
    among = whose(of)
    said = [f"all shares are those of {among}"] if among and recode is not None else []
    for part in () if recode is None else recode.parts:
        error = (
            ""
            if part.rmse is None or part.std is None
            else f"; error {readable(part.rmse, 3)}, that of the mean {readable(part.std, 3)}"
        )
        said.append(
            f"{part_in_words(part.column, plan.scenario)} in {percent(part.unchanged, 2)} of rows "
            f"(one constant: {percent(part.mode_share, 2)}{error})"
        )
    if recode is not None and recode.parts and calibration.parts:
        said.append(f"the constant is one for {constant_for(calibration.mechanism)}")
    if recode is not None and len(recode.parts) > 1:
        said.append(f"all of these in {percent(recode.unchanged, 2)} of rows")
    told = list(calibration.strata.items())[:_MOST_TOLD] if calibration.parts else []
    for values, stratum in told:
        known = given_in_words(dict(zip(calibration.strata.columns, values, strict=True)))
        own = (
            words_of(stratum.mechanism).short(stratum.mechanism)
            if stratum.recode is None
            else f"{percent(stratum.recode.unchanged, 2)} of rows"
        )
        said.append(f"where {known}: {own}")
    more = len(calibration.parts) - len(told)
    return [*said, f"and {more:,} more"] if more else said


def _guessing(plan: TablePlan) -> str:
    guess = best_guess(plan.calibration, plan.promise)
    return guess_in_words(
        plan.scenario, guess, "row", f"; the promise allows {percent_up(guess.allowed)}."
    )


def _gaps(record: TableRecord) -> list[str]:
    texts = not_promised(record.facts)
    if record.rows_outside:
        texts.append(
            f"{record.rows_outside:,} value(s) lie outside all that the beliefs consider possible."
        )
    if record.rows_unprotected:
        treated = "recoded" if record.plan.calibration.recode is not None else "noised"
        secret = secret_in_words(record.plan.secret_columns, jointly=record.plan.jointly)
        rows = f"{record.rows_unprotected:,}"
        texts.append(unprotected(rows, secret, f"{treated} like the others"))
    return texts
