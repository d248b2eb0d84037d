"""Describe a table: from its counts, what must look alike, and to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pufferfish.beliefs.labels import Label, key_of
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.scenario import Belief, Scenario, Secret, SecretPair
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.fit.layout import count_table
from pufferfish.fit.sampled import with_sampling_error
from pufferfish.fit.table import strata_with_enough
from pufferfish.fit.verbs import fit_counts
from pufferfish.options.adversaries import Described
from pufferfish.options.counting import (
    Opener,
    count_asked,
    holds_categories,
    refuse_for_table,
    split_asked,
)
from pufferfish.options.planning import Asked
from pufferfish.options.roles import label_meant
from pufferfish.options.table import Table
from pufferfish.options.voice import Voice
from pufferfish.tables import Counts
from pufferfish.tables.halves import Halves
from pufferfish.words.phrases import list_in_words

__all__ = ["DescribedTable", "describe", "describe_half", "describe_table", "in_view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedTable:
    """A scenario, and what it was made from.

    Attributes:
        scenario: What must look alike, to whom.
        others: The secrets of the table that are in no belief.
        counted: The counts of the rows that are released.
        never: Labels that are never published together.
        fitted: The counts of the rows that beliefs are fitted to.
        halves: How the table was split, if these are not the released rows.
    """

    scenario: Scenario
    others: tuple[Secret, ...]
    counted: Counts
    never: list[dict[str, Label]]
    fitted: Counts
    halves: Halves | None = None


def describe(asked: Asked, voice: Voice) -> Described | DescribedTable:
    """The scenario: of one column of numbers by itself, or of a table.

    A column by itself is read as numbers; if that fails, as categories. Numbers with some text
    among them are still refused.
    """
    if asked.joint:
        return describe_table(asked, voice)
    try:
        return asked.described(voice)
    except InvalidInputError:
        if holds_categories(asked):
            return describe_table(asked, voice)
        raise


def describe_half(asked: Asked, voice: Voice) -> tuple[Described | DescribedTable, Halves]:
    """The scenario from a random half of the rows, and how the table was split."""
    if not asked.joint:
        try:
            halves = asked.halves(voice)
            return asked.described(voice, halves), halves
        except InvalidInputError:
            if not holds_categories(asked):
                raise
    refuse_for_table(asked)
    halves = split_asked(asked, voice)
    fitted, rest = halves.fitted, halves.rest
    _refuse_apart(fitted, rest)
    least = asked.adversaries.min_group
    try:
        made = _described(asked, voice, Table.opened, fitted, rest)
        strata_with_enough(made.counted, least)
    except DataError as error:
        raise DataError(f"in a random half of the rows (--fit-on half): {error}") from None
    return replace(made, halves=halves), halves


def _refuse_apart(fitted: Counts, rest: Counts) -> None:
    """Refuse secrets, and values of known columns, that only one half has."""
    layout = fitted.roles
    for names in (layout.secret_names, layout.known_names):
        if not names:
            continue
        one, other = (
            {key_of(cell) for cell in each.marginal(names).cells} for each in (fitted, rest)
        )
        if one != other:
            raise DataError(
                f"some values of {list_in_words(names)} are in only one random half of the rows, "
                "so for them there is no row to fit beliefs to, or no row to release. Merge small "
                "groups by a public rule (--merge, --bands), or leave out --fit-on half."
            )


def describe_table(
    asked: Asked,
    voice: Voice,
    opened: Opener = Table.opened,
    counts: Counts | None = None,
) -> DescribedTable:
    """The scenario of a table, from its counts.

    Args:
        asked: What is asked for.
        voice: Told how far it has come.
        opened: Gives the engine that reads the table, and the table that beliefs are fitted to.
        counts: The result of `count_asked`, if it was called already.

    Raises:
        InvalidInputError: Options that do not go together, or that the table contradicts.
    """
    refuse_for_table(asked)
    whole = counts or count_asked(asked, voice, opened)
    return _described(asked, voice, opened, whole, whole)


def _described(
    asked: Asked, voice: Voice, opened: Opener, fitted: Counts, released: Counts
) -> DescribedTable:
    for counts in (fitted, released):
        _refuse_holes(asked, counts)
    pairs, named = _pairs(asked, fitted)
    only = None if named is None else tuple(sorted(named, key=str))
    counted = replace(fitted, wanted=only)
    never = [
        {name: label_meant(counted, name, text, option="--never") for name, text in rule.items()}
        for rule in asked.recoding.forbidden
    ]
    beliefs = _beliefs(asked, counted, voice, opened)
    described = set().union(*(each.priors for each in beliefs))
    _refuse_silence(beliefs, counted.roles, pairs)
    others = tuple(each for each in counted.secrets if each not in described)
    return DescribedTable(
        scenario=Scenario(beliefs, pairs),
        others=others,
        counted=replace(released, wanted=only),
        never=never,
        fitted=counted,
    )


def _refuse_holes(asked: Asked, counted: Counts) -> None:
    """Refuse missing values unless they are to be kept."""
    layout = counted.roles
    if asked.adversaries.missing_of(numbers=layout.numeric) != "refuse":
        return
    kept = (
        "publish them as holes, which the certificate takes into account"
        if layout.numeric
        else "recode a missing entry like any other"
    )
    for name in layout.column_names:
        if None in counted.labels_of(name):
            raise DataError(f"column {name!r} has missing values. Give --missing keep to {kept}.")


def _pairs(asked: Asked, counted: Counts) -> tuple[list[SecretPair], tuple[Secret, ...] | None]:
    """The pairs to protect, and the secrets in them; None: all secrets of the table."""
    sizes, layout = counted.secrets, counted.roles
    views = [
        {secret: size for secret, size in sizes.items() if in_view(secret, view.name)}
        for view in layout.views
    ]
    named = asked.adversaries.pairs_among(sizes, ", ".join(layout.secret_names))
    if named is None:
        return [SecretPair(*pair) for view in views for pair in combinations(view, 2)], None
    if asked.adversaries.against is not None:
        named = [pair for pair in named if any({*pair} <= {*view} for view in views)]
        reference = named[0].first if named else None
        named += [
            SecretPair(*pair)
            for view in views
            if reference not in view
            for pair in combinations(view, 2)
        ]
    for pair in named:
        require(
            any({*pair} <= {*view} for view in views),
            "--pair names values of two different secrets: a pair is two values of one secret.",
        )
    for view, secrets in zip(layout.views, views, strict=True):
        require(
            any({*pair} <= {*secrets} for pair in named),
            f"no --pair has values of {view.name!r}, so it would not be protected: name a pair of "
            f"its values ({view.name} = A:{view.name} = B), or leave out --secret {view.name}.",
        )
    return named, tuple(dict.fromkeys(secret for pair in named for secret in pair))


def _refuse_silence(beliefs: Sequence[Belief], layout: Layout, pairs: Sequence[SecretPair]) -> None:
    """Refuse a belief that lacks a secret of a column that it is about.

    A scenario would refuse it as well, and name the secret. This message does not: the secret may
    be that of few people.
    """
    for belief in beliefs:
        own = [
            {secret for pair in pairs for secret in pair if in_view(secret, view.name)}
            for view in layout.views
        ]
        about = [secrets for secrets in own if secrets & belief.priors.keys()]
        require(
            bool(about) and all(secrets <= belief.priors.keys() for secrets in about),
            f"belief {belief.name!r} lacks some of the secrets to protect. Use --pair to name the "
            "pairs that it has.",
        )


def in_view(secret: Secret, name: str) -> bool:
    """Whether a secret belongs to the view (`Layout.views`) with this name."""
    return not name or str(secret).startswith(f"{name} = ")


def _beliefs(asked: Asked, counted: Counts, voice: Voice, opened: Opener) -> tuple[Belief, ...]:
    adversaries = asked.adversaries
    found, confidence = adversaries.from_files, adversaries.confidence
    if adversaries.fitted == ():
        return tuple(found)
    source = counted
    if adversaries.reference is not None:
        other = replace(asked.table, file=str(adversaries.reference), format=None, delimiter=None)
        layout = counted.roles
        names = [rule.column for rule in layout.rules]
        with opened(other, names) as engine, voice.progress(f"Counting {other.file}"):
            there = count_table(engine, layout)
        source = replace(there, wanted=counted.wanted or tuple(counted.secrets))
        _refuse_unknown_strata(counted, source)
    with voice.progress("Fitting"):
        fitted = fit_counts(
            source,
            adversaries.fitted,
            adversaries.bootstrap,
            min_group=adversaries.min_group,
            cap=adversaries.bounds,
            provenance=adversaries.provenance,
        )
    if confidence is not None:
        fitted = with_sampling_error(fitted, confidence, adversaries.shape)
    return (*found, *fitted)


def _refuse_unknown_strata(counted: Counts, reference: Counts) -> None:
    names = counted.roles.known_names
    if not names:
        return
    here, there = (set(each.marginal(names).cells) for each in (counted, reference))
    if not here <= there:
        raise DataError(
            f"the reference table lacks some combinations of {list_in_words(names)} that the table "
            "has, so no belief describes somebody who knows them. Merge them by a public rule "
            "(--merge, --bands), or give another --reference."
        )
