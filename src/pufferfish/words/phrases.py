"""Phrases that several texts share: lists, pairs, the promise, its unit, what is done to values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pufferfish.beliefs.guarantee import Guarantee, guess_promised
from pufferfish.core.numerics import decimal_of
from pufferfish.words.numbers import (
    at_most,
    odds_factor,
    percent_down,
    percent_up,
    readable,
    times,
)

__all__ = [
    "LADDER",
    "beside_column",
    "bounded_probability",
    "cap_in_words",
    "changed_odds",
    "delta_rows_in_words",
    "exposed_rows",
    "guessed_right",
    "join_words",
    "larger_size",
    "list_in_words",
    "list_texts",
    "meaning",
    "moved_into",
    "multiples_in_words",
    "name_pairs",
    "pair_in_words",
    "pairs_in_words",
    "rounded_to_multiples",
    "rows_tested",
    "secret_in_words",
    "seen_by",
    "unit_in_words",
    "unprotected",
    "without_name",
    "wrong_laws",
]

# The public sizes to which a size that depends on private data is rounded up.
LADDER = "1, 1.25, 1.6, 2, ... times a power of ten"

# The secrets of at most this number of pairs are named: all pairs of eight secrets.
_MOST_NAMED = 28


def beside_column(std: float, column_std: float) -> str:
    """The std of the noise as a multiple of the column's std."""
    ratio = std / column_std if column_std else math.inf
    return f"{times(ratio)} the column's own std of {readable(column_std)}"


def list_in_words(names: Iterable[object]) -> str:
    """Names as a list, such as "'a', 'b' and 'c'"."""
    return list_texts(map(repr, names))


def list_texts(texts: Iterable[str]) -> str:
    """Texts as a list, such as "a, b and c"."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def pair_in_words(pair: tuple[object, object]) -> str:
    """A pair, such as "'a' and 'b'"."""
    first, second = pair
    return f"{first!r} and {second!r}"


def pairs_in_words(pairs: Sequence[tuple[object, object]]) -> str:
    """One pair by its secrets; more by their number, with the secrets where these are few."""
    if len(pairs) == 1:
        return pair_in_words(pairs[0])
    few = len(pairs) <= _MOST_NAMED
    secrets = dict.fromkeys(secret for pair in pairs for secret in pair) if few else ()
    named = f" ({list_in_words(secrets)})" if few else ""
    return f"each of {len(pairs):,} pairs of secrets{named}"


def without_name(name: str, reason: str) -> str:
    """A reason without the name with which it begins, for a list that gives the names."""
    return reason.removeprefix(name).lstrip()


def name_pairs(
    pairs: Sequence[tuple[object, object]], most: int, *, joint: str = "; ", more: str = "more"
) -> str:
    """The first pairs by name, and how many more there are."""
    named = joint.join(pair_in_words(pair) for pair in pairs[:most])
    return f"{named}{joint}and {len(pairs) - most:,} {more}" if len(pairs) > most else named


def seen_by(direction: tuple[object, object], belief: str) -> str:
    """One secret against the other, and the adversary who compares them."""
    first, second = direction
    return f"{first!r} against {second!r}, as {belief!r} sees it"


def join_words(*sentences: str) -> str:
    """A paragraph of the sentences that are not empty."""
    return " ".join(filter(None, sentences))


def wrong_laws(
    wrong: float,
    confidence: float | None = None,
    *,
    capped: bool = False,
    elsewhere: bool = False,
) -> str:
    """The laws, other than the described ones, for which a promise holds; empty if there are none.

    Args:
        wrong: How far in total variation each may be from the described one.
        confidence: The confidence of the sampling region that is covered; None: none is.
        capped: Whether only laws of values within the bounds of the cap, or of values that occur,
            are covered: noise leaves other values where they are.
        elsewhere: Whether the region is of other rows than those of the released table.
    """
    if confidence is not None:
        population, the = (
            ("of the rows that the described adversaries have seen", "those")
            if elsewhere
            else ("from which the rows come", "the")
        )
        listed = (
            f" and each of its values occurs in {the} rows (or, with a band, lies within the cap)"
            if capped
            else ""
        )
        other = (
            " They need not be the rows of this table: nothing is said about the population from "
            "which this table comes."
            if elsewhere
            else ""
        )
        return (
            f"The promise also holds, with {percent_down(confidence, 6)} confidence, for the "
            f"population {population}, if they are an independent sample of it (not a weighted, "
            f"stratified or clustered one){listed}: it covers every law that {the} rows do not "
            f"exclude.{other}"
        )
    if not wrong:
        return ""
    every = "law of values between the bounds of the cap that is" if capped else "law"
    far = percent_down(wrong, 6)
    points = far.removesuffix("%")
    return (
        f"The promise also holds for every {every} within {far} of a described one: as long as no "
        f"event's probability differs by more than {points} percentage "
        f"point{'' if points == '1' else 's'}."
    )


def meaning(promise: Guarantee, pair: str) -> str:
    """What a promise says about a pair, which is given in words."""
    if promise.pure:
        return changed_odds("what is published", pair, promise.epsilon)
    guess = guess_promised(promise)
    if guess is not None:
        return guessed_right(pair, guess)
    return (
        "any conclusion from what is published is at most "
        f"{odds_factor(promise.epsilon)} times as probable under one as under the other of "
        f"{pair}, plus {promise.delta_text}"
    )


def guessed_right(pair: str, guess: float) -> str:
    """What a promise by accuracy says about a pair."""
    return (
        f"the best guess between {pair} is right in at most {percent_up(guess, 10)} of cases, "
        "where both are equally likely beforehand; single published values may reveal more"
    )


def changed_odds(seen: str, pair: str, epsilon: float) -> str:
    """The bound on how much what is seen changes the odds between the secrets of a pair."""
    factor = odds_factor(epsilon)
    return f"{seen} changes the odds between {pair} by a factor of at most {factor}, up or down"


def bounded_probability(seen: str, one: str, other: str, epsilon: float) -> str:
    """The bound on how much likelier a conclusion may be in one case than in the other."""
    return (
        f"any conclusion from {seen} is at most {odds_factor(epsilon)} times as probable "
        f"{one} as {other}"
    )


def unprotected(rows: str, secret: str, noised: str) -> str:
    """The sentence on rows that the promise does not cover: how many, and what is done to them.

    Args:
        rows: How many, or which share.
        secret: What they do not have in a pair, such as "value of 'race'": they have none, or
            another.
        noised: What is done to them.
    """
    return (
        f"{rows} of the published rows have no {secret} that is in a pair: {noised}, but nothing "
        "is promised for them."
    )


def secret_in_words(names: Sequence[str], *, jointly: bool = False) -> str:
    """What is protected, such as "value of 'race' or 'sex'", or the combination of both."""
    if jointly and len(names) > 1:
        return f"combination of {list_in_words(names)}"
    return f"value of {' or '.join(map(repr, names))}"


def unit_in_words(unit: str, rows: int, dependence: str, one_row: str | None) -> str:
    """What the promise is about, and what is assumed about its rows.

    Args:
        unit: One "row", or one "person".
        rows: At most this many rows of one person.
        dependence: What is assumed about them, as in `Plan`.
        one_row: Which one row represents a person, as in `Plan`.
    """
    if unit == "row":
        return "one row"
    if one_row is not None:
        which = {"first": "its first row", "mean": "one row, with the mean of its values"}[one_row]
        return f"one person ({which})"
    if rows == 1:
        return "one person (one row)"
    what = {
        "any": "however they depend on each other",
        "equal": "which repeat one value; its law is taken not to depend on how many there are",
        "independent": "taken to be independent given the secret, however many there are",
    }[dependence]
    return f"one person (at most {rows:,} rows, {what})"


def rows_tested(level: float, found: bool | None) -> str:
    """Whether a person's rows were tested to be independent; None: they will be."""
    if found is False:
        return "that was not tested"
    test = f"a test at level {level:.0%}"
    return f"{test} found nothing against it" if found else f"the release runs {test}"


def cap_in_words(cap: tuple[float, float] | None, called: str = "noise") -> str:
    """What was done to values before the noise, or what `called` names; empty without a cap."""
    if cap is None:
        return ""
    low, high = (readable(each, 10) for each in cap)
    return (
        f"Values below {low} and above {high} were moved to these bounds before the {called}; the "
        "bounds must be public: a bound chosen by looking at the data reveals something about it."
    )


def multiples_in_words(step: float | None, called: str = "noise") -> str:
    """What everybody may know of the values before the noise, or what `called` names."""
    return "" if step is None else f"Before the {called} every value is a multiple of {step:g}."


def moved_into(low: float, high: float) -> str:
    """Values that were clipped, or capped."""
    return f"moved into [{low:g}, {high:g}]"


def rounded_to_multiples(step: float) -> str:
    """Values that were rounded."""
    return f"rounded to multiples of {step:g}"


def larger_size(
    goal: Guarantee,
    size: float,
    enough: float,
    *,
    whom: str,
    what: str = "scale",
    data: str = "data",
) -> str:
    """The message that noise of a given size is too little, and which size is enough.

    Args:
        goal: The promise.
        size: The given size.
        enough: The rung of the ladder that is enough.
        whom: For or against whom it is too little.
        what: What the size of this noise is called.
        data: What must not be looked at when choosing.
    """
    return (
        f"noise of {what} {readable(size, 6)} cannot be shown to keep {goal} {whom}. Choose a "
        f"larger {what} without looking at the {data}; or give none, and "
        f"{readable(enough, 6)} is used (sizes are rounded up to {LADDER}, so that they reveal "
        "less)."
    )


def exposed_rows(delta: float, rows: int) -> int:
    """δ·N, rounded up: the number of rows about which everything may be revealed, at worst."""
    return min(math.ceil(decimal_of(delta) * rows), rows)


def delta_rows_in_words(delta: float, rows: int) -> str:
    """The sentence on what δ permits: a worst case, which the mechanism need not reach."""
    return (
        f"With δ = {at_most(delta)} the definition permits, at worst, that "
        f"{exposed_rows(delta, rows):,} of {rows:,} published rows reveal everything."
    )
