"""A release in plain words, for the curator: what was done, what was promised, and to whom.

It contains statistics of the beliefs: only those who may see the data may see it.
"""

from __future__ import annotations

import math

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.known import given_in_words, given_key
from pufferfish.beliefs.scenario import RELEASED, Belief, Scenario
from pufferfish.calibration.losses import weighed_by
from pufferfish.calibration.postprocess import Clip
from pufferfish.calibration.recoded_words import compare_in_words, moves_in_words, wrong_in_words
from pufferfish.calibration.rows import TEST_LEVEL
from pufferfish.calibration.slight import publishes_values
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.columns.statement import BeliefsFrom, headline, not_promised
from pufferfish.columns.statement.facts import is_elsewhere
from pufferfish.insight.averages import averages_lost
from pufferfish.insight.extremes import outliers
from pufferfish.insight.guesses import Guess, best_guess, by_heart
from pufferfish.insight.other_ways import Alternative, alternatives
from pufferfish.insight.strongest import half_width
from pufferfish.mechanisms import words_of
from pufferfish.noise import Law
from pufferfish.words.beliefs import ANOTHER_TABLE, UNKNOWN_TABLE, adversary
from pufferfish.words.numbers import percent_up, readable, times
from pufferfish.words.phrases import (
    beside_column,
    cap_in_words,
    join_words,
    meaning,
    pair_in_words,
    pairs_in_words,
    rows_tested,
    secret_in_words,
    unit_in_words,
    unprotected,
    wrong_laws,
)
from pufferfish.words.steps import Entry, Step

__all__ = [
    "adversaries_in_words",
    "adversary_in_words",
    "cap_moved_in_words",
    "gaps",
    "guess_compared",
    "guess_in_words",
    "mean_within",
    "missing_rows_in_words",
    "promise_in_words",
    "publication_in_words",
    "steps_in_words",
    "story",
]


def story(record: Record) -> tuple[Step, ...]:
    """What happened, part by part."""
    plan = record.plan
    law = plan.calibration.mechanism
    said = {
        "Beware": headline(record.facts),
        "Promise": [promise_in_words(plan, tested=record.rows_tested), _wrong(record)],
        "Against": [adversaries_in_words(plan, record.beliefs_from)],
        "Published": [publication_in_words(record)],
        "Before it": [cap_moved_in_words(plan.cap, law, record.rows_capped)],
        "Noise": [_noise(record) if plan.calibration.mechanism.additive else ""],
        "Recoding": [_recoding(record)],
        "Outliers": [_outliers(plan)],
        "Compared": [_beside(plan)],
        "Guessing": [_guessing(plan)],
    }
    steps = [Step(title, tuple(filter(None, texts))) for title, texts in said.items()]
    steps.append(Step("Not covered", entries=tuple(Entry(text) for text in gaps(record))))
    return tuple(step for step in steps if step.paragraphs or step.entries)


def publication_in_words(record: Record) -> str:
    """Which rows were published, where, in which order, and with which other columns."""
    plan = record.plan
    place = f" in {record.output}" if record.output else ""
    order = ", in random order" if record.order == "random" else ", in the order of the table"
    kept = f", with {', '.join(plan.keep)} unchanged" if plan.keep else ""
    dropped = missing_rows_in_words(plan.missing, plan.calibration.mechanism, record.rows_missing)
    each = {
        None: "",
        "first": ", the first of each person",
        "mean": ", one for each person, with the mean of its values",
    }[plan.one_row]
    return (
        f"{record.rows_published:,} rows of {plan.column!r}{place}{each}{order}{kept}; "
        f"{plan.secret!r} is not published{dropped}."
    )


def missing_rows_in_words(how: str, law: Law, missing: int) -> str:
    """What became of rows without a number: how the plan treats them, and by which law."""
    rows = f"{missing:,}"
    if how == "drop":
        return f"; {rows} rows without a value were left out"
    if not missing:
        return ""
    if law.takes_missing:
        return f"; {rows} missing values were recoded like the others"
    return f"; {rows} of them are holes, because the value was missing"


def promise_in_words(plan: ColumnPlan, *, tested: bool | None = None) -> str:
    """The promise for one unit, what it means, and what it rests on.

    Args:
        plan: What is planned.
        tested: Whether rows that are stated to be independent were tested; None: nothing is
            released yet.
    """
    promise, pairs = plan.promise, plan.calibration.scenario.pairs
    pair = pairs_in_words(pairs)
    unit = unit_in_words(plan.unit, plan.rows_per_person, plan.dependence, plan.one_row)
    if plan.keep:
        # No factor for the odds: with the other columns they may change by any factor.
        return (
            f"{promise} for {unit}, between {pair}, and about {plan.column!r} by itself: to "
            f"somebody who does not see {', '.join(map(repr, plan.keep))}. Certified exactly, for "
            "one release of that column alone; nothing is promised for the file."
        )
    return f"{promise} for {unit}: {meaning(promise, pair)}. {_rests_on(plan, tested=tested)}"


def _rests_on(plan: ColumnPlan, *, tested: bool | None) -> str:
    """How the promise is proven."""
    rows = plan.several_rows
    if rows.count == 1:
        return "Certified exactly, for one release."
    if rows.dependence == "independent":
        none = ": no person has two rows" if tested is False else ""
        return (
            f"Each row is certified exactly, at {plan.calibration.goal}, for one release. Together "
            "they are taken to be independent given the secret, as you stated; "
            f"{rows_tested(TEST_LEVEL, tested)}{none}."
        )
    how = (
        "from the range of all possible values, however the rows depend on each other"
        if rows.dependence == "any"
        else "as several releases of one value; a table in which they differ is refused"
    )
    return f"Proven for all rows of a person together, {how}. For one release."


def adversaries_in_words(plan: ColumnPlan, source: BeliefsFrom | None = None) -> str:
    """The adversaries, in words; `source` as in a record, None before a release."""
    beliefs = plan.calibration.scenario.beliefs
    return "; ".join(adversary_in_words(belief, source) for belief in beliefs) + "."


def adversary_in_words(belief: Belief, source: BeliefsFrom | None = None) -> str:
    """An adversary's name, the belief's provenance, and its kind of knowledge."""
    provenance = provenance_in_words(belief, source)
    return adversary(belief.name, provenance, belief.priors.values())


def provenance_in_words(belief: Belief, source: BeliefsFrom | None) -> str:
    """Where a belief comes from; it names the released column only if that was checked."""
    if belief.provenance != RELEASED or source == "this table":
        return belief.provenance
    if source is None:
        return "fitted on the column to be released"
    return UNKNOWN_TABLE if belief.fitted_at is None else f"{ANOTHER_TABLE} on {belief.fitted_at}"


def cap_moved_in_words(cap: tuple[float, float] | None, law: Law, capped: int) -> str:
    """Between which bounds numbers were moved first, and how many; nothing without a cap."""
    if cap is None:
        return ""
    return join_words(
        cap_in_words(cap, words_of(law).called(law)),
        f"That moved {capped:,} {'value' if capped == 1 else 'values'}.",
    )


def _outliers(plan: ColumnPlan) -> str:
    found = outliers(plan.calibration) if plan.calibration.mechanism.additive else None
    return "" if found is None else str(found)


def _wrong(record: Record) -> str:
    certificate = record.plan.calibration.certificate
    wrong, confidence = certificate.wrong, certificate.confidence
    elsewhere = is_elsewhere(record.beliefs_from)
    if certificate.noise.additive:
        return wrong_laws(wrong, confidence, capped=True, elsewhere=elsewhere)
    return wrong_in_words(wrong, confidence, elsewhere=elsewhere)


def _recoding(record: Record) -> str:
    calibration = record.plan.calibration
    law, recode = calibration.mechanism, calibration.recode
    if law.additive:
        return ""
    if recode is None:
        return words_of(law).done(law)
    scenario = calibration.scenario
    of = weighed_by(scenario, another_table=record.beliefs_from == "another table")
    return join_words(
        words_of(law).done(law),
        moves_in_words(recode, scenario, law, of),
        compare_in_words(recode, scenario, calibration.goal, law, of),
    )


def _noise(record: Record) -> str:
    plan = record.plan
    noise = plan.calibration.noise
    if noise.identity:
        return "none: the values are published as they are."
    before, true = ("", "true") if plan.cap is None else (" before the cap", "capped")
    slight = publishes_values(plan.calibration)
    text = "in name only, because the values can be read off: " if slight else ""
    text += (
        f"{words_of(noise).figures(noise)}: "
        f"{beside_column(noise.error(), record.column_std)}{before}. 95% of the noised values are "
        f"within ±{readable(half_width(noise, 0.95), 3)} of the {true} ones"
    )
    mean = mean_within(plan, record.rows_read - record.rows_missing)
    if mean is not None:
        text += f"; with the same confidence their mean is within ±{readable(mean, 2)} of the " + (
            "true mean" if plan.cap is None else "mean of the capped values"
        )
    return f"{text}{steps_in_words(plan)}."


def mean_within(plan: ColumnPlan, rows: int) -> float | None:
    """How close the mean of that many noised values is to the true one, in 95% of cases.

    None where values are clipped, or rounded to more than the size of the noise: it is not known
    how far that moves the mean.
    """
    if averages_lost(plan.calibration.noise, plan.postprocess) is not None:
        return None
    return 1.96 * plan.calibration.noise.error() / math.sqrt(rows)


def steps_in_words(plan: ColumnPlan) -> str:
    """What happens to noised values."""
    biased = ", which biases means"
    return "".join(
        f", then {each.in_words}{biased if isinstance(each, Clip) else ''}"
        for each in plan.postprocess
    )


def _beside(plan: ColumnPlan) -> str:
    """What other ways to keep a promise would have needed."""
    if not plan.several_rows.apart or not plan.calibration.mechanism.additive:
        return ""  # they would be about one row
    goal = plan.calibration.goal
    texts = [_alternative(each, goal) for each in alternatives(plan.calibration)]
    return "; ".join(texts) + "." if texts else ""


def _alternative(other: Alternative, goal: Guarantee) -> str:
    more = "" if other.ratio is None else f" ({times(other.ratio)} as much)"
    if other.values is not None:
        low, high = (readable(each, 6) for each in other.values)
        return (
            "local differential privacy, which protects every value from everybody, would need "
            f"scale {readable(other.scale)} on the range {low} to {high}{more}"
        )
    instead = "" if other.promise == goal else f", with δ = {other.promise.delta_text}"
    return (
        "the formula this method comes from (Theorem 2) would add scale "
        f"{readable(other.scale)} for the smooth beliefs{more}{instead}; it does not hold in "
        "general"
    )


def _guessing(plan: ColumnPlan) -> str:
    guess = best_guess(plan.calibration, plan.promise)
    whole = "" if plan.unit == "row" else " for all rows of a person"
    allowed = (
        f"; the promise allows {percent_up(guess.allowed)}{whole}."
        if not plan.keep
        else f", if {plan.column!r} is all that the adversary sees. With the other columns, see "
        "above."
    )
    return guess_in_words(plan.calibration.scenario, guess, "value of a row", allowed)


def guess_in_words(scenario: Scenario, guess: Guess, seen: str, allowed: str) -> str:
    """How often the best guess is right, whose that is, and the average where known values differ.

    Args:
        scenario: All adversaries.
        guess: The guess.
        seen: What is guessed from.
        allowed: The end of the sentence: what the promise allows.
    """
    knowing = [each for each in scenario.beliefs if given_key(each.given) == given_key(guess.given)]
    where = f"where {known}, " if (known := given_in_words(guess.given)) else ""
    first = (
        f"{where}between {pair_in_words(guess.pair)}, each as likely as the other, the best "
        f"informed adversary is right in {percent_up(guess.before_upper)} of cases from the true "
        f"{seen}{by_heart(knowing, guess.pair)}, {percent_up(guess.after_upper)} from the "
        f"published one{allowed}"
    )
    return join_words(first, guess_compared(scenario, guess))


def guess_compared(scenario: Scenario, guess: Guess) -> str:
    """Whether another pair, or other known values, are guessed better, and the average over rows.

    Empty for a single pair where nothing is known.
    """
    others = [
        *(["another pair"] if len(scenario.pairs) > 1 else []),
        *(["other known values"] if any(each.given for each in scenario.beliefs) else []),
    ]
    best = (
        f"No guess is better for {' or '.join(others)}."
        if guess.largest
        else "That is for what decides: there are too many pairs to see which is guessed best."
    )
    return join_words(best if others else "", _on_average(guess))


def _on_average(guess: Guess) -> str:
    if guess.average is None:
        return ""
    before, after = map(percent_up, guess.average)
    return (
        f"On average over the rows of these two secrets, given what is known of each, {before} of "
        f"guesses are right from the true row, {after} from the published one."
    )


def gaps(record: Record) -> list[str]:
    """What is not promised, with what is particular to this table."""
    texts = not_promised(record.facts)
    if record.rows_outside:
        law = record.plan.calibration.mechanism
        texts.append(
            f"{_values_are(record.rows_outside)} outside all that the beliefs consider possible: "
            "use beliefs that allow for them, or cap the column before the "
            f"{words_of(law).called(law)} (--cap LOW:HIGH)."
        )
    if record.rows_unprotected:
        secret = secret_in_words([record.plan.secret])
        texts.append(unprotected(f"{record.rows_unprotected:,}", secret, _treated(record)))
    return texts


def _values_are(count: int) -> str:
    return "1 value is" if count == 1 else f"{count:,} values are"


def _treated(record: Record) -> str:
    additive = record.plan.calibration.mechanism.additive
    return "noised like the others" if additive else "recoded like the others"
