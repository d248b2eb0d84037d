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

# The known value of each column.
Given = Mapping[str, Label]
# The public rule of each column by which its entries become labels.
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
        require(
            isinstance(name, str) and bool(name),
            f"{name!r} is not the name of a column: given maps names of columns to known values.",
        )
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
    """The columns of which the laws list categories; a column of numbers needs no name here.

    Args:
        columns: One name for each part of a tuple of categories.
        laws: The laws of a belief; either all are of categories or none is.
        missing: For each secret, the probability that a value is missing.
    """
    require(
        isinstance(columns, Sequence) and not isinstance(columns, str),
        "columns must be a list of names.",
    )
    names = tuple(columns) if isinstance(columns, Sequence) else ()
    require(
        all(isinstance(each, str) and each for each in names) and len(set(names)) == len(names),
        "columns must be names of columns, each given once.",
    )
    labelled = [law for law in laws if isinstance(law, Categorical)]
    if not labelled:
        require(not names, "columns= names the columns of categories; these laws are of numbers.")
        return ()
    require(
        len(labelled) == len(laws),
        "some laws are of categories and some of numbers: the laws of one belief must be of one "
        "kind.",
    )
    require(
        len({law.width for law in labelled}) == 1 and len(names) in (0, labelled[0].width),
        f"columns must name each part of a category: got {len(names)} name(s) for categories of "
        f"{labelled[0].width} part(s).",
    )
    require(
        not any(missing),
        "a missing category is one of the values: write None among them, and leave out missing=.",
    )
    return names


def given_key(given: Given) -> frozenset[tuple[str, Place]]:
    """A key for known values in any order, under which True and 1 (equal to Python) differ."""
    return frozenset((name, label_key(label)) for name, label in given.items())


def given_in_words(given: Given) -> str:
    """Known values in words, such as "sex = Male, income = >50K"; empty where nothing is known."""
    return ", ".join(f"{name} = {_shown(value)}" for name, value in given.items())


def _shown(value: Label) -> str:
    return "(missing)" if value is None else str(value)
