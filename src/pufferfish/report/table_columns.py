"""The columns of a published table, one by one: how often each of their values occurs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, cast

import numpy as np

from pufferfish.beliefs.labels import Label, parts_of
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.rules import Rule
from pufferfish.insight.associations import Joint
from pufferfish.joint.facts import TableFacts
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.report.columns import Bars, WrittenAs, bars_of, bars_of_laws, count_column
from pufferfish.report.sources import Beside, Verified, refuse_other_rows, released_table
from pufferfish.tables import Counting
from pufferfish.tables.coding import Coding
from pufferfish.tables.engine import Engine
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.tables.verbs import to_read

__all__ = [
    "CategoryShare",
    "ColumnLook",
    "Tables",
    "engine_of",
    "label_in_words",
    "looks_of",
    "tables_of",
]


# The labels of a column, and how often each occurs.
_Shares = Sequence[tuple[Label, float]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Tables:
    """What was read from both tables.

    Attributes:
        released: The published rows, counted; None where they are not at hand. Numbers with noise
            are left out, since they hardly ever occur twice.
        original: The rows before, by the same public rules; never in a public edition.
        noised: The histogram of a single column with noise.
    """

    released: Joint | None = None
    original: Joint | None = None
    noised: Bars | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryShare:
    """One label: how often it occurred before (None: not to be shown), and occurs now."""

    label: str
    before: float | None
    after: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ColumnLook:
    """How often the values of one published column occur.

    Attributes:
        column: Its name.
        bars: A histogram of numbers; None: see `shares`.
        shares: The share of each label.
        missing: The share of missing numbers before (None: not to be shown), and after.
        averaged: Whether `after` is what the recoding gives on average; False: it was counted.
        known: Whether everybody knows the column, which is published as it is.
    """

    column: str
    bars: Bars | None
    shares: tuple[CategoryShare, ...] = ()
    missing: tuple[float | None, float] = (None, 0.0)
    averaged: bool = False
    known: bool = False


def label_in_words(label: Label) -> str:
    """A label as it is shown."""
    if label is None:
        return "(missing)"
    if isinstance(label, bool | str):
        return str(label)
    return f"{label:.6g}"


def tables_of(
    verified: Verified, beside: Beside, said: TableFacts, plan: TablePlan | None
) -> Tables:
    """Both tables, as far as they are at hand and the edition may show them.

    Raises:
        CertificationError: The published table is not what was released.
    """
    source = released_table(verified, beside)
    internal = isinstance(verified.source, TableRecord)
    original = beside.original if internal else None
    if said.recode is None and _adds_noise(said.noise):
        return Tables(
            released=_counted(engine_of(source), map(_label, said.kept))
            if source is not None and said.kept
            else None,
            noised=_noised(said, source, original, beside, verified),
        )
    return Tables(
        released=None if source is None else _released(source, said, plan, verified),
        original=None if original is None or plan is None else _original(original, plan, beside.na),
    )


def looks_of(
    said: TableFacts,
    plan: TablePlan | None,
    before: Joint | None,
    after: Joint | None,
    tables: Tables,
) -> Iterator[ColumnLook]:
    """The look of each published column for which data are at hand."""
    if tables.noised is not None:
        yield ColumnLook(column=said.columns[0], bars=tables.noised)
    now = tables.released or after
    if now is None:
        return
    orders = {} if plan is None else {each.column: each for each in plan.layout.rules}
    for name in (*said.columns, *said.kept):
        if name not in now.columns:
            continue
        known = name in said.kept
        law = now.marginal(name)
        old = None
        if before is not None and name in before.columns and not known:
            old = before.marginal(name)
        yield _look(name, old, law, orders.get(name), averaged=tables.released is None, known=known)


def _look(
    name: str,
    before: _Shares | None,
    after: _Shares,
    rule: Rule | None,
    *,
    averaged: bool,
    known: bool,
) -> ColumnLook:
    numbers = (
        not known
        and all(_is_number(label) for label, _ in after)
        and not (rule and rule.read == "label")
    )
    bars = bars_of_laws(_numbers_of(before), _numbers_of(after)) if numbers else None
    if bars is not None:
        holes = None if before is None else _missing(before), _missing(after)
        return ColumnLook(column=name, bars=bars, missing=holes, averaged=averaged)
    old = None if before is None else _by_text(before)
    new = _by_text(after)
    order = [label_in_words(each) for each in (rule.order if rule else ())]
    every = dict.fromkeys((*new, *(old or {})))
    if order:
        places = {each: place for place, each in enumerate(order)}
        listed = sorted(every, key=lambda each: places.get(each, len(places)))
    elif numbers:
        listed = list(every)
    else:
        listed = sorted(every, key=lambda each: -new.get(each, 0.0))
    return ColumnLook(
        column=name,
        bars=None,
        shares=tuple(
            CategoryShare(
                label=each,
                before=None if old is None else old.get(each, 0.0),
                after=new.get(each, 0.0),
            )
            for each in listed
        ),
        averaged=averaged,
        known=known,
    )


def _by_text(law: _Shares) -> dict[str, float]:
    """Counts by the label shown: in a CSV the number 1 and the text 1 are the same."""
    found: dict[str, float] = {}
    for label, share in law:
        text = label_in_words(label)
        found[text] = found.get(text, 0.0) + share
    return found


def _is_number(label: Label) -> bool:
    return label is None or (isinstance(label, int | float) and not isinstance(label, bool))


def _missing(law: _Shares) -> float:
    return sum(share for label, share in law if label is None)


def _numbers_of(law: _Shares | None) -> Discrete | None:
    there = [(float(label), share) for label, share in law or () if label is not None]
    total = sum(share for _, share in there)
    if not total:
        return None
    return Discrete([number for number, _ in there], [share / total for _, share in there])


def _adds_noise(law: Law) -> bool:
    laws = list(law) if isinstance(law, Stratified) else [law]
    return all(each.additive for each in laws)


def engine_of(source: Any, na: Sequence[str] = ()) -> Engine:
    """The engine that reads a table next to a record."""
    if isinstance(source, WrittenAs):
        return FilesEngine(source=source.path, source_format=source.format)
    return to_read(source, na)


def _released(source: Any, said: TableFacts, plan: TablePlan | None, verified: Verified) -> Joint:
    engine = engine_of(source)
    names = (*said.columns, *said.kept)
    if plan is None:
        kinds = {name: kind.read for name, kind in engine.kinds(names).items()}
        codings = [
            Coding(column=name, read="number" if kinds[name] == "number" else "label")
            for name in names
            if kinds[name] != "date"
        ]
    else:
        codings = [
            Coding(column=name, read="number" if name in _published_numbers(plan) else "label")
            for name in names
        ]
    found = engine.fold(Counting(codings=tuple(codings)))
    refuse_other_rows(found.rows, verified.document["published"])
    return Joint.of(found.columns, found.cells, found.counts.astype(np.float64))


def _label(column: str) -> Coding:
    return Coding(column=column, read="label")


def _counted(engine: Engine, codings: Iterable[Coding]) -> Joint:
    found = engine.fold(Counting(codings=tuple(codings)))
    return Joint.of(found.columns, found.cells, found.counts.astype(np.float64))


def _published_numbers(plan: TablePlan) -> frozenset[str]:
    """The columns that are written as numbers."""
    law = plan.calibration.mechanism
    laws = list(law) if isinstance(law, Stratified) else [law]
    outputs = [
        parts_of(cast("Any", each))
        for one in laws
        if isinstance(one, Recoding)
        for each in one.outputs
    ]
    return frozenset(
        rule.column
        for part, rule in enumerate(plan.layout.columns)
        if (rule.read == "number" or rule.unit) and all(_is_number(row[part]) for row in outputs)
    )


def _original(source: Any, plan: TablePlan, na: Sequence[str]) -> Joint:
    """The original table, read by the rules of the plan."""
    rules = [*plan.layout.columns]
    rules += [each for each in plan.layout.known if each.column in plan.keep]
    return _counted(engine_of(source, na), map(Coding.of, rules))


def _noised(
    said: TableFacts, source: Any, original: Any, beside: Beside, verified: Verified
) -> Bars | None:
    (column,) = said.columns
    released = count_column(_column_in(source, column), column)
    if released is None:
        return None
    refuse_other_rows(released.rows, verified.document["published"])
    return bars_of(released, count_column(_column_in(original, column), column, na=beside.na))


def _column_in(source: Any, column: str) -> Any:
    """A file, or the column of a frame."""
    return source if source is None or isinstance(source, str | PathLike) else source[column]
