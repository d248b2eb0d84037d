"""The words of a table's record: they follow from its facts, and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pufferfish.beliefs.layout import is_missing_secret
from pufferfish.columns.statement.facts import is_elsewhere
from pufferfish.columns.statement.in_words import (
    described_adversaries,
    missing_in_words,
    missing_not_promised,
    noise_in_words,
    of_another_table,
    of_other_rows,
    of_private_data,
    recode_in_words,
    size_not_promised,
)
from pufferfish.joint.facts import TableFacts
from pufferfish.learning.reveals import Reveals
from pufferfish.mechanisms import words_of
from pufferfish.words.phrases import (
    cap_in_words,
    join_words,
    list_in_words,
    name_pairs,
    secret_in_words,
    unprotected,
    wrong_laws,
)

__all__ = ["headline", "known_in_words", "not_promised", "promise", "those_who_know_less", "words"]

# Pairs that are named one by one.
_MOST_NAMED = 10


def words(facts: TableFacts) -> dict[str, Any]:
    """All that a record says in words, by entry."""
    return {
        "headline": headline(facts),
        "promise": promise(facts),
        "not_promised": not_promised(facts),
    }


def headline(facts: TableFacts) -> list[str]:
    """What a reader must know before the promise: what is published and not covered by it."""
    said = []
    if facts.unprotected:
        together = list_in_words([*facts.columns, *facts.kept, *facts.unprotected])
        measured = (
            f"What {together} reveal together about {_secret(facts)} was not measured."
            if facts.reveals is None
            else f"With {together} published together, a learner finds whether "
            f"{_found(facts, facts.reveals)} of rows it has not seen, if half are of each (50% by "
            f"guessing{_of_many(facts)})."
        )
        are = "is" if len(facts.unprotected) == 1 else "are"
        said.append(
            f"{measured} {list_in_words(facts.unprotected)} {are} published without protection: "
            "the promise does not hold for the whole file."
        )
    if facts.known:
        said.append(known_in_words(facts))
    said += of_another_table(facts)
    said += of_other_rows(facts)
    if facts.order == "table":
        said.append(
            f"The rows are in the order of the table: what that says about {_secret(facts)} is not "
            "covered."
        )
    if facts.unprotected_percent:
        secret = secret_in_words(facts.secret, jointly=facts.jointly)
        said.append(unprotected(f"{facts.unprotected_percent}%", secret, _same(facts)))
    return said + of_private_data(facts)


def known_in_words(facts: TableFacts) -> str:
    """What known columns say by themselves, and for whom the promise holds."""
    names, one = list_in_words(facts.known), len(facts.known) == 1
    hidden = [name for name in facts.known if name not in facts.kept]
    where = "published in every row" if not hidden else "known to some"
    if hidden and facts.kept:
        where = f"known to some ({list_in_words(facts.kept)} to everybody, in every row)"
    said = (
        f"What {'it says' if one else 'they say'} about {_secret(facts)} by "
        f"{'itself' if one else 'themselves'} was not measured."
        if facts.known_says is None
        else f"By {'itself it reveals' if one else 'themselves they reveal'} whether "
        f"{_found(facts, facts.known_says)} of rows, if half are of each (50% by "
        f"guessing{_of_many(facts)})."
    )
    adds = (
        f"what {list_in_words(facts.columns)} add{'s' if len(facts.columns) == 1 else ''} to that"
    )
    return (
        f"{names} {'is' if one else 'are'} {where}. {said} The promise is about {adds}: it holds "
        f"for somebody who already knows {names}."
    )


def promise(facts: TableFacts) -> str:
    """The promise, in words that reveal nothing of a private belief."""
    named = name_pairs(facts.pairs, _MOST_NAMED, more="more pairs")
    who = (
        f"For somebody who already knows {list_in_words(facts.known)}, what"
        if facts.known
        else "What"
    )
    several = f", of {list_in_words(facts.secret)} {'together' if facts.jointly else 'each'}"
    unit = "a row" if facts.unit == "row" else "the one row of a person"
    elsewhere = is_elsewhere(facts.beliefs_from)
    return join_words(
        f"{who} the published {list_in_words(facts.columns)} of {unit}{_alone(facts)} "
        f"say{'s' if len(facts.columns) == 1 else ''} about {_secret(facts)} is bounded, for each "
        f"of these pairs{several if len(facts.secret) > 1 else ''}: {named}. The bound is "
        f"{facts.goal} pufferfish privacy, against {described_adversaries(facts)}, for one "
        "release.",
        those_who_know_less(facts.known, facts.kept),
        cap_in_words(facts.cap, words_of(facts.noise).called(facts.noise)),
        wrong_laws(facts.wrong, facts.confidence, capped=True, elsewhere=elsewhere)
        if facts.recode is None
        else "",
        noise_in_words(facts.noise),
        recode_in_words(facts.recode, facts.confidence, elsewhere=elsewhere),
        missing_in_words(facts.missing, facts),
    )


def not_promised(facts: TableFacts) -> list[str]:
    """What the promise does not cover."""
    secret = _secret(facts)
    others = "rows are" if facts.unit == "row" else "different persons are"
    text = [
        "Anything to an adversary who knows more than those described: the exact rows, other "
        f"columns, or that {others} not independent given the secret.",
        "Anything about several releases of the same columns, each drawn afresh.",
        "That a given person's row is in the table, or how many rows it has, or what that number "
        f"says about {secret}.",
    ]
    if facts.unit == "row":
        text.append(
            "Anything about several rows of one person: together they can reveal far more than one."
        )
    if len(facts.secret) > 1 and not facts.jointly:
        text.append(
            f"Anything about combinations of {secret}, or about one of them to an adversary who "
            "knows another: each is protected by itself (--secrets-jointly)."
        )
    text += [
        f"Anything about values of {secret} that are in none of the pairs{_without_secret(facts)}.",
        f"Anything about values of {list_in_words(facts.columns)} that the described adversaries "
        "do not consider, or to somebody who believes something else.",
    ]
    if facts.known:
        alone = "by itself says" if len(facts.known) == 1 else "by themselves say"
        text.append(f"What {list_in_words(facts.known)} {alone} about {secret}.")
    if facts.unprotected:
        measured = "What one learner finds was measured; another may find more."
        columns = list_in_words(facts.unprotected)
        text.append(
            join_words(
                f"What {columns} says about {secret}, alone or together with the other columns.",
                "" if facts.reveals is None else measured,
            )
        )
    if facts.order == "table":
        text.append(f"What the order of the rows says about {secret}.")
    text += missing_not_promised(facts.missing, facts)
    return text + size_not_promised(facts)


def _without_secret(facts: TableFacts) -> str:
    """Rows without a secret are not covered, unless they are a group in some pair."""
    one = len(facts.secret) == 1 or facts.jointly
    if one and any(is_missing_secret(each) for pair in facts.pairs for each in pair):
        return ""
    return ", or about rows that have none"


def those_who_know_less(known: Sequence[str], kept: Sequence[str]) -> str:
    """The sentence on those who know less: not everybody knows a column that is not published."""
    hidden = [name for name in known if name not in kept]
    if not hidden:
        return ""
    names = list_in_words(hidden)
    less = f"does not know {names}" if len(hidden) == 1 else f"knows none, or only some, of {names}"
    return f"It also holds for somebody who {less}."


def _found(facts: TableFacts, found: Reveals) -> str:
    """How often two secrets are told apart; secrets of several columns name their column."""
    whose = f"{_secret(facts)} is" if len(facts.secret) == 1 else "a row has"
    return f"{whose} {found.pair.first!r} or {found.pair.second!r} in up to {found.found_percent}%"


def _same(facts: TableFacts) -> str:
    """What happens to rows of other secrets."""
    return "they have the same noise" if facts.recode is None else "they are recoded as well"


def _of_many(facts: TableFacts) -> str:
    """Which pair was measured, where there are others."""
    return "; this pair is the easiest to tell apart of those tried" if len(facts.pairs) > 1 else ""


def _alone(facts: TableFacts) -> str:
    if not facts.unprotected:
        return ""
    return f", without {list_in_words(facts.unprotected)},"


def _secret(facts: TableFacts) -> str:
    return list_in_words(facts.secret)
