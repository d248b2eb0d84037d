"""What an adversary also knows of a row: the values of other columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from pufferfish.beliefs.labels import Label, Place, check_label, label_key
from pufferfish.beliefs.priors import Categorical, Prior
from pufferfish.beliefs.rules import Rule
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require

__all__ = ["Given", "Rules", "check_columns", "check_given", "check_rules", "given_in_words"]
__all__ += ["given_key"]

# By column, the value that is known.
Given = Mapping[str, Label]
# By column, the public rule by which its entries become labels.
Rules = Mapping[str, Rule]


def check_given(given: object) -> Given:
    """Known values by column, copied and frozen."""
    if given is None:
        return MappingProxyType({})
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            f"given must map columns to known values, got {type(given).__name__}."
        )
    for name in given:
        require(isinstance(name, str) and bool(name), f"{name!r} is no column's name.")
    return MappingProxyType({name: check_label(value) for name, value in given.items()})


def check_rules(rules: object) -> Rules:
    """Public rules by column, frozen."""
    given: list[Rule] = []
    rules = rules.values() if isinstance(rules, Mapping) else rules
    for rule in rules if isinstance(rules, Iterable) else (rules,):
        if not isinstance(rule, Rule):
            raise InvalidInputError(f"a rule must be a Rule, got {type(rule).__name__}.")
        given.append(rule)
    names = [rule.column for rule in given]
    require(len(set(names)) == len(names), "a column has two rules.")
    return MappingProxyType(dict(zip(names, given, strict=True)))


def check_columns(
    columns: object, laws: Collection[Prior], missing: Iterable[float]
) -> tuple[str, ...]:
    """The columns that categories are of; a column of numbers needs no name here.

    Args:
        columns: Names, as many as a tuple of categories has parts.
        laws: The laws of a belief, which must all be of categories, or none.
        missing: For each secret, the probability that a value is missing.
    """
    require(
        isinstance(columns, Sequence) and not isinstance(columns, str),
        "columns must be a list of names.",
    )
    names = tuple(columns) if isinstance(columns, Sequence) else ()
    require(
        all(isinstance(each, str) and each for each in names) and len(set(names)) == len(names),
        "columns must be names of columns, each once.",
    )
    labelled = [law for law in laws if isinstance(law, Categorical)]
    if not labelled:
        require(not names, "columns= names the columns of categories; these laws are of numbers.")
        return ()
    require(
        len(labelled) == len(laws),
        "some laws are of categories and some of numbers: one adversary describes one thing.",
    )
    require(
        len({law.width for law in labelled}) == 1 and len(names) in (0, labelled[0].width),
        f"columns must name each part of a category: got {len(names)} name(s) for categories of "
        f"{labelled[0].width} part(s).",
    )
    require(
        not any(missing),
        "a missing category is one of the values: write None among them, and leave out missing.",
    )
    return names


def given_key(given: Given) -> frozenset[tuple[str, Place]]:
    """What tells knowledge apart: True and 1 are equal to Python, and no order matters."""
    return frozenset((name, label_key(label)) for name, label in given.items())


def given_in_words(given: Given) -> str:
    """Such as "sex = Male, income = >50K"; empty where nothing is known."""
    return ", ".join(f"{name} = {_shown(value)}" for name, value in given.items())


def _shown(value: Label) -> str:
    return "(missing)" if value is None else str(value)
