"""The words of a record: they follow from its facts, and from nothing else."""

from __future__ import annotations

from typing import Any, Protocol

from pufferfish.calibration.recoded_words import kept_in_words, whose, wrong_in_words
from pufferfish.calibration.rows import TEST_LEVEL
from pufferfish.columns.statement.facts import BeliefsFrom, Facts, RecodeStated, is_elsewhere
from pufferfish.core.ladder import Rounding
from pufferfish.mechanisms import words_of
from pufferfish.noise import Law, Stratified
from pufferfish.words.beliefs import ANOTHER_TABLE, UNKNOWN_TABLE
from pufferfish.words.numbers import percent, readable
from pufferfish.words.phrases import (
    cap_in_words,
    join_words,
    list_in_words,
    multiples_in_words,
    name_pairs,
    rows_tested,
    unit_in_words,
    unprotected,
    wrong_laws,
)

__all__ = [
    "WORDS",
    "Sourced",
    "described_adversaries",
    "headline",
    "missing_in_words",
    "missing_not_promised",
    "noise_in_words",
    "not_promised",
    "of_another_table",
    "of_private_data",
    "promise",
    "recode_in_words",
    "size_not_promised",
    "words",
]

# The entries of a record that are words.
WORDS = ("headline", "promise", "not_promised")
# Pairs that are named one by one.
_MOST_NAMED = 10


def words(facts: Facts) -> dict[str, Any]:
    """All that a record says in words, by entry."""
    return {
        "headline": headline(facts),
        "promise": promise(facts),
        "not_promised": not_promised(facts),
    }


def headline(facts: Facts) -> list[str]:
    """What a reader must know before the promise: what is published and not covered by it."""
    said = []
    if facts.kept:
        together = list_in_words([facts.column, *facts.kept])
        found = facts.reveals
        measured = (
            f"What {together} reveal together about {_secret(facts)} was not measured."
            if found is None
            else f"With {together} published together, a learner finds whether {_secret(facts)} is "
            f"{found.pair.first!r} or {found.pair.second!r} in up to {found.found_percent}% of "
            f"rows it has not seen, if half are of each (50% by guessing{_of_many(facts)})."
        )
        said.append(
            f"{measured} The promise is about {facts.column!r} by itself: it does not hold for the "
            "whole file."
        )
    if _rests_on_curator(facts):
        tested = rows_tested(TEST_LEVEL, facts.rows_tested)
        said.append(
            f"The rows of one person are taken to be independent given {_secret(facts)}, as the "
            f"curator states; {tested}. If they are not, the promise for a person does not hold."
        )
    said += of_another_table(facts)
    said += of_other_rows(facts)
    if facts.order == "table":
        said.append(
            "The rows are in the order of the table: what that says about "
            f"{_secret(facts)} is not covered."
        )
    if facts.unprotected_percent:
        share = f"{facts.unprotected_percent}%"
        said.append(unprotected(share, f"value of {_secret(facts)}", _same(facts)))
    return said + of_private_data(facts)


class Sourced(Protocol):
    """What every statement says about adversaries, and about what depends on private data."""

    @property
    def adversaries(self) -> int:
        """How many adversaries are described."""

    @property
    def beliefs_from(self) -> BeliefsFrom:
        """Where the beliefs come from."""

    @property
    def beliefs_fitted(self) -> str | None:
        """When they were fitted, if to another table."""

    @property
    def rows_fitted(self) -> int | None:
        """How many other rows of the table they were fitted to."""

    @property
    def noise(self) -> Law:
        """What was applied."""

    @property
    def rounding(self) -> Rounding | None:
        """How its size was rounded to be published."""

    @property
    def recode(self) -> RecodeStated | None:
        """What a recoding had to keep."""

    @property
    def confidence(self) -> float | None:
        """The confidence with which the promise covers the population; None: it does not."""

    @property
    def wrong_of_table(self) -> bool:
        """For noise: whether the share by which laws may be wrong was chosen by the table."""


def of_another_table(facts: Sourced) -> list[str]:
    """The sentence that the beliefs are about another table than the one that is released."""
    if facts.beliefs_from != "another table":
        return []
    fitted = (
        "It is not known which table the described adversaries were fitted on: that table was not "
        "compared with this one."
        if facts.beliefs_fitted is None
        else "The described adversaries were fitted on another table on "
        f"{facts.beliefs_fitted}: the promise holds against somebody who believes what that table "
        "says."
    )
    return [f"{fitted} Nothing is promised against somebody who knows this table."]


def of_other_rows(facts: Sourced) -> list[str]:
    """The sentence that the beliefs are about rows of the table that are not released."""
    if facts.beliefs_from != "other rows":
        return []
    count = "some" if facts.rows_fitted is None else f"{facts.rows_fitted:,}"
    return [
        f"The described adversaries were fitted on {count} other rows of the table, set apart at "
        "random and not published: the promise holds against somebody who believes what those "
        "rows say."
    ]


def of_private_data(facts: Sourced) -> list[str]:
    """The sentences that what was applied depends on private data."""
    said = []
    if facts.recode is not None and facts.rounding is not None:
        said.append(
            "The map from values to values depends on private data, and is taken as given: what it "
            "reveals about a row is not covered."
        )
        said += [_WRONG_OF_TABLE] if facts.recode.wrong_of_table else []
        exact = not facts.recode.wrong and facts.confidence is None
        if exact and not facts.noise.floored:
            said.append(
                "The promise is about exactly the described laws, without a floor: it does not "
                "survive the next sample."
            )
    elif facts.rounding is not None and facts.beliefs_from == "this table":
        what = (
            "The size of the noise"
            if facts.rounding == "ladder"
            else "Whether noise of this size keeps this ε"
        )
        said.append(f"{what} depends on the table; what it reveals about a row is not covered.")
    return [*said, _WRONG_OF_TABLE] if facts.wrong_of_table else said


_WRONG_OF_TABLE = (
    "The share by which laws may be wrong was chosen, from a short public list, by looking at the "
    "table; what that reveals about a row is not covered."
)


def _same(facts: Facts) -> str:
    """What happens to rows of other secrets."""
    return "they have the same noise" if facts.recode is None else "they are recoded as well"


def promise(facts: Facts) -> str:
    """The promise, in words that reveal nothing of a private belief."""
    unit = unit_in_words(facts.unit, facts.rows_per_person, facts.dependence, facts.one_row)
    named = name_pairs(facts.pairs, _MOST_NAMED, more="more pairs")
    return join_words(
        f"What the published {facts.column!r} of {unit}{_alone(facts)} says about {_secret(facts)} "
        f"is bounded, for each of these pairs: {named}. The bound is {facts.goal} pufferfish "
        f"privacy, against {described_adversaries(facts)}, for one release.",
        cap_in_words(facts.cap, words_of(facts.noise).called(facts.noise)),
        wrong_laws(
            facts.wrong, facts.confidence, capped=True, elsewhere=is_elsewhere(facts.beliefs_from)
        )
        if facts.recode is None
        else "",
        multiples_in_words(facts.step, words_of(facts.noise).called(facts.noise)),
        noise_in_words(facts.noise),
        recode_in_words(facts.recode, facts.confidence, elsewhere=is_elsewhere(facts.beliefs_from)),
        missing_in_words(facts.missing, facts),
    )


def missing_in_words(missing: str, facts: Sourced) -> str:
    """What is promised about missing values; nothing where there are none.

    Args:
        missing: What becomes of them, as in a plan.
        facts: What is stated of the law.
    """
    if missing == "drop":
        return "Rows without a value were left out; the promise is about the others."
    if missing != "keep":
        return ""
    if facts.recode is not None:
        return (
            "A missing value is recoded like any other, and the bound covers this."
            if facts.recode.missing
            else ""
        )
    laws = facts.noise if isinstance(facts.noise, Stratified) else (facts.noise,)
    if not all(each.additive for each in laws):
        return ""
    return (
        "A missing value stays missing. The bound covers this: that a value is missing counts as "
        "evidence about the secret, like any value."
    )


def recode_in_words(
    found: RecodeStated | None, confidence: float | None, *, elsewhere: bool
) -> str:
    """For which laws a recoding keeps the promise, and what it does to frequencies."""
    if found is None:
        return ""
    said = [
        wrong_in_words(found.wrong, confidence, elsewhere=elsewhere),
        kept_in_words(found.figures_of) if found.keep_histogram else "",
        _bins_in_words(found),
    ]
    if found.rmse is not None and found.unchanged is not None:
        among = whose(found.figures_of)
        said.append(
            f"{f'For {among}: about' if among else 'About'} {percent(found.unchanged, 2)} of the "
            "values are as they were, and the error of a value (root mean square) is about "
            f"{found.rmse:g}."
        )
    return join_words(*said)


def _bins_in_words(found: RecodeStated) -> str:
    """For what the published numbers stand, where they stand for bins."""
    if found.bins:
        return "Published values stand for bins, whose edges are not public."
    if found.edges is None:
        return ""
    listed = ", ".join(readable(each, 6) for each in found.edges)
    return (
        f"Published values stand for the bins between the public edges {listed}: the smallest for "
        "all values below the first edge, and the largest for all from the last edge on."
    )


def _of_many(facts: Facts) -> str:
    """Which pair was measured, where there are others."""
    return "; this pair is the easiest to tell apart of those tried" if len(facts.pairs) > 1 else ""


def _rests_on_curator(facts: Facts) -> bool:
    """Whether the promise for a person rests on what the curator states about the rows."""
    return facts.rows_per_person > 1 and facts.dependence == "independent"


def _alone(facts: Facts) -> str:
    return ", without the other published columns," if facts.kept else ""


def _secret(facts: Facts) -> str:
    return repr(facts.secret)


def described_adversaries(facts: Sourced) -> str:
    """How many adversaries are described, and where their beliefs come from."""
    source = {
        "this table": "fitted on the released column",
        "other rows": "fitted on other rows of the table",
        "another table": ANOTHER_TABLE,
        "elsewhere": "",
    }[facts.beliefs_from]
    if facts.beliefs_from == "another table" and facts.beliefs_fitted is None:
        source = UNKNOWN_TABLE
    where = f" ({source})" if source else ""
    count = facts.adversaries
    if count is None:
        return f"the described adversaries{where}"
    return f"{count} described adversar{'y' if count == 1 else 'ies'}{where}"


def noise_in_words(noise: Law) -> str:
    """The noise that was added."""
    return words_of(noise).done(noise)


def not_promised(facts: Facts) -> list[str]:
    """What the promise does not cover."""
    others = "rows are" if facts.unit == "row" else "different persons are"
    text = [
        "Anything to an adversary who knows more than those described: the exact rows, or that "
        f"{others} not independent given the secret.",
        "Anything about several releases of the same column, each drawn afresh."
        if facts.recode is not None
        else "Anything about several releases of the same column, each with fresh noise.",
        "That a given person's row is in the table, or how many rows it has, or what that number "
        f"says about {_secret(facts)}.",
    ]
    if facts.unit == "row":
        text.append(
            "Anything about several rows of one person: together they can reveal far more than one."
        )
    if _rests_on_curator(facts):
        text.append(
            "Anything about several rows of one person if they are not independent given the "
            "secret: a test cannot see every dependence."
        )
    text += [
        f"Anything about values of {_secret(facts)} that are in none of the pairs.",
        f"Anything about a value of {facts.column!r} far from all that the described adversaries "
        "consider possible, or to somebody who believes something else.",
    ]
    if facts.kept:
        measured = "What one learner finds was measured; another may find more."
        others = (
            f"What the other published columns ({', '.join(facts.kept)}) say about "
            f"{_secret(facts)}, alone or together with {facts.column!r}."
        )
        text.append(join_words(others, "" if facts.reveals is None else measured))
    if facts.order == "table":
        text.append(f"What the order of the rows says about {_secret(facts)}.")
    text += missing_not_promised(facts.missing, facts)
    return text + size_not_promised(facts)


def missing_not_promised(missing: str, facts: Sourced) -> list[str]:
    """What is not promised about missing values of a column of numbers."""
    holes = facts.recode is not None and facts.recode.missing
    if missing == "keep" and holes and facts.noise.floored:
        return [
            "Whether a value is missing is protected only against the described adversaries: the "
            "floor is about values."
        ]
    if missing == "drop":
        return [
            "Which rows had no value, and how many: they were left out before anything else, and "
            "the promise is about the rows that remain."
        ]
    return []


def size_not_promised(facts: Sourced) -> list[str]:
    """What the published size says about private data; docs/theory/published-size.md."""
    if facts.rounding is None:
        return []
    if facts.recode is not None:
        return [
            "What the map from values to values, and its floor, say about the private data that "
            "they were computed from."
        ]
    if facts.rounding == "given":
        return [
            "What is revealed about the table by the fact that noise of this size, chosen without "
            "the data, keeps this ε. (If ε was computed from private data, it was rounded up to a "
            "rung of a public ladder.)"
        ]
    if facts.beliefs_from != "this table":
        return [
            "What the size of the noise says about the private data behind the described "
            "adversaries: it was rounded up to a rung of a public ladder."
        ]
    return [
        "What the size of the noise says to somebody who knows all other rows. If one value is far "
        "from all others, its row decides the size: that may reveal the secret of the row, or its "
        "value to within about a quarter."
    ]
