"""A table that is asked for: its columns, what others know, and the plan that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.scenario import Belief, Scenario, Secret, SecretPair
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.fit.layout import count_table
from pufferfish.fit.table import TableCounts
from pufferfish.fit.verbs import fit_counts
from pufferfish.joint.plan import TablePlan
from pufferfish.options.adversaries import Described
from pufferfish.options.counting import Opener, count_asked, holds_categories
from pufferfish.options.planning import Asked
from pufferfish.options.roles import label_meant
from pufferfish.options.table import Table
from pufferfish.options.voice import Voice
from pufferfish.tables.halves import Halves
from pufferfish.words.phrases import list_in_words

__all__ = ["WRONG", "DescribedTable", "Opener", "calibrate_table", "count_asked", "describe"]
__all__ += ["describe_table", "how_calibrated", "plan_table", "wrong_by_default"]

# By how much laws of categories may be wrong where nobody says.
WRONG = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedTable:
    """A scenario, and what it was made from.

    Attributes:
        scenario: What must look alike, to whom.
        others: The secrets of the table that are in no belief.
        counted: The counts of the table that is released.
        never: Labels that are never published together.
    """

    scenario: Scenario
    others: tuple[Secret, ...]
    counted: TableCounts
    never: list[dict[str, Label]]


def describe(
    asked: Asked, voice: Voice, halves: Halves | None = None
) -> Described | DescribedTable:
    """The scenario: of one column of numbers by itself, or of a table.

    A column by itself is taken to hold numbers; where it does not, it holds categories. Numbers
    with some text among them stay refused.
    """
    if asked.joint:
        return describe_table(asked, voice)
    try:
        return asked.described(voice, halves)
    except InvalidInputError:
        if halves is None and holds_categories(asked):
            return describe_table(asked, voice)
        raise


def describe_table(
    asked: Asked,
    voice: Voice,
    opened: Opener = Table.opened,
    counts: TableCounts | None = None,
) -> DescribedTable:
    """The scenario of a table, from its counts.

    Args:
        asked: What is asked for.
        voice: Told how far it has come.
        opened: Who reads the table, and the one that beliefs are fitted to.
        counts: What `count_asked` found, if that was asked already.

    Raises:
        InvalidInputError: Options that do not go together, or that the table contradicts.
    """
    whole = counts or count_asked(asked, voice, opened)
    pairs, only = _pairs(asked, whole)
    counted = replace(whole, only=only)
    never = [
        {
            name: label_meant(counted.crosstab, name, text, option="--never")
            for name, text in rule.items()
        }
        for rule in asked.recoding.forbidden
    ]
    beliefs = _beliefs(asked, counted, voice, opened)
    described = set().union(*(each.priors for each in beliefs))
    _refuse_silence(beliefs, counted.layout, pairs)
    others = tuple(each for each in counted.secrets if each not in described)
    return DescribedTable(
        scenario=Scenario(beliefs, pairs), others=others, counted=counted, never=never
    )


def plan_table(asked: Asked, described: DescribedTable, voice: Voice) -> TablePlan:
    """The plan of a table, as asked for."""
    layout, publishing = described.counted.layout, asked.publishing
    missing: Any = asked.adversaries.missing if layout.numeric else "refuse"
    return TablePlan(
        calibration=calibrate_table(asked, described, voice),
        columns=layout.column_names,
        secret=layout.secret_names,
        known=layout.known_names,
        keep=tuple(dict.fromkeys(publishing.keep or ())),
        keep_unprotected=tuple(publishing.keep_unprotected or ()),
        missing=missing,
        person=publishing.person,
        cap=asked.adversaries.bounds,
        rounding=asked.rounding,
        postprocess=publishing.postprocess,
        keep_order=publishing.keep_order,
        others=described.others,
        jointly=layout.jointly,
        missing_secret=layout.missing_secret,
        allow_no_noise=publishing.allow_no_noise,
    )


def calibrate_table(
    asked: Asked, described: DescribedTable, voice: Voice, epsilon: float | None = None
) -> Calibration:
    """What keeps the promise, by each value of the columns that are kept.

    Args:
        asked: What was asked for.
        described: The scenario.
        voice: Told of the work.
        epsilon: Instead of the one that was asked for.
    """
    goal = asked.goal if epsilon is None else replace(asked.goal, epsilon=epsilon)
    how = how_calibrated(asked, described)
    with voice.progress("Calibrating"):
        found = calibrate(described.scenario, goal.guarantee(), workers=goal.workers, **how)
    return asked.marked(found)


def how_calibrated(asked: Asked, described: DescribedTable) -> dict[str, Any]:
    """As arguments of `calibrate`, all that changes what it finds."""
    how: dict[str, Any] = {"keep": tuple(dict.fromkeys(asked.publishing.keep or ()))}
    if _recodes(asked, described.counted.layout):
        return how | {"mechanism": "recode", **_recoding(asked, described)}
    goal = asked.goal
    return how | {"noise": goal.kind, "method": goal.method, "size": goal.scale}


def wrong_by_default(asked: Asked, described: DescribedTable) -> bool:
    """Whether nobody said by how much laws may be wrong, so that the default is used."""
    labelled = not described.counted.layout.numeric
    return labelled and asked.recoding.wrong is None and not asked.recoding.nominal


def _recodes(asked: Asked, layout: Layout) -> bool:
    """Whether values are recoded: categories always are."""
    kind = asked.goal.kind
    if layout.numeric:
        asked.recoding.refuse(kind)
        return kind == "recode"
    said = asked.goal.mechanism or asked.goal.noise
    if said not in (None, "recode"):
        raise InvalidInputError(
            f"{said} noise is for one column of numbers: categories, and several columns "
            "together, are recoded. Leave out --noise and --mechanism, or say --mechanism recode."
        )
    return True


def _recoding(asked: Asked, described: DescribedTable) -> dict[str, Any]:
    """As arguments of `calibrate`."""
    layout, recoding = described.counted.layout, asked.recoding
    how = dict(recoding.arguments)
    if layout.numeric:
        return how
    require(
        "edges" not in how,
        "--edges must say which column is meant, such as --edges age=20,40,60.",
    )
    require(
        how.get("floor") != "noise",
        "--floor noise is for numbers, which noise could protect: say --floor none, or a number.",
    )
    require(
        asked.publishing.postprocess == (),
        "--round and --clip are about noise: leave them out; a recoding publishes its own values.",
    )
    if wrong_by_default(asked, described):
        how["wrong"] = WRONG
    by_column = {name: each for name, each in recoding.losses.items() if name}
    for option, columns in (("--loss", by_column), ("--weight", recoding.weights)):
        for name in columns:
            require(
                name in layout.column_names,
                f"{option} is about column {name!r}, which is not published under the promise; "
                f"those are {list_in_words(layout.column_names)} (--column).",
            )
    if by_column:
        require("loss" not in how, "--loss is given with and without a column: say it once.")
        how["loss"] = by_column
    if recoding.weights:
        how["weights"] = recoding.weights
    if described.never:
        how["never"] = described.never
    return how


def _pairs(
    asked: Asked, counted: TableCounts
) -> tuple[list[SecretPair], tuple[Secret, ...] | None]:
    """The pairs to protect, and the secrets in them; None: all secrets of the table."""
    sizes, layout = counted.secrets, counted.layout
    views = [
        {secret: size for secret, size in sizes.items() if _in_view(secret, view.name)}
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
            "--pair names values of two secrets: a pair is two values of one of them.",
        )
    for view, secrets in zip(layout.views, views, strict=True):
        require(
            any({*pair} <= {*secrets} for pair in named),
            f"no --pair is about {view.name!r}, which would not be protected then: name a pair of "
            f"its values ({view.name} = A:{view.name} = B), or leave out --secret {view.name}.",
        )
    return named, tuple(dict.fromkeys(secret for pair in named for secret in pair))


def _refuse_silence(beliefs: Sequence[Belief], layout: Layout, pairs: Sequence[SecretPair]) -> None:
    """Refuse a belief that lacks a secret of a column that it is about.

    A scenario would refuse it as well, and name the secret. That is not said here: it may be of few
    people.
    """
    for belief in beliefs:
        own = [
            {secret for pair in pairs for secret in pair if _in_view(secret, view.name)}
            for view in layout.views
        ]
        about = [secrets for secrets in own if secrets & belief.priors.keys()]
        require(
            bool(about) and all(secrets <= belief.priors.keys() for secrets in about),
            f"belief {belief.name!r} lacks some of the secrets to protect. Name the pairs that it "
            "has with --pair.",
        )


def _in_view(secret: Secret, name: str) -> bool:
    return not name or str(secret).startswith(f"{name} = ")


def _beliefs(
    asked: Asked, counted: TableCounts, voice: Voice, opened: Opener
) -> tuple[Belief, ...]:
    adversaries = asked.adversaries
    found = adversaries.from_files
    if adversaries.fitted == ():
        return tuple(found)
    source = counted
    if adversaries.reference is not None:
        other = replace(asked.table, file=str(adversaries.reference), format=None, delimiter=None)
        layout = counted.layout
        names = [rule.column for rule in layout.rules]
        with opened(other, names) as engine, voice.progress(f"Counting {other.file}"):
            there = count_table(engine, layout)
        source = TableCounts(there, layout, counted.only or tuple(counted.secrets))
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
    return (*found, *fitted)


def _refuse_unknown_strata(counted: TableCounts, reference: TableCounts) -> None:
    names = counted.layout.known_names
    if not names:
        return
    here, there = (set(each.crosstab.marginal(names).cells) for each in (counted, reference))
    if not here <= there:
        raise DataError(
            f"the reference table lacks some combinations of {list_in_words(names)} that the table "
            "has: nobody is described who knows them. Merge them by a public rule (--merge, "
            "--bands), or take another reference."
        )
