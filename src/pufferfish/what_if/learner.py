"""All other columns together: what a learner finds from them, without and with what is published.

Counting strata ends where they become small. If the secret is the xor of three columns, one of them
published, nobody who knows two of them finds it, but a learner that sees all of them may. What it
finds is measured on held-out rows (`learning.reveals`); another learner may find more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.layout import View
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.rows import RowRules
from pufferfish.joint.rows import TableRules
from pufferfish.learning import measure_leak
from pufferfish.learning.reveals import Reveals
from pufferfish.learning.sample import MOST_ROWS, Sampled
from pufferfish.tables import Counts
from pufferfish.tables.batch import Batch, Coded, IntArray, Numbers
from pufferfish.what_if.resamples import draw_rows
from pufferfish.what_if.result import Case
from pufferfish.what_if.rows import Rows, because
from pufferfish.what_if.subject import Subject

__all__ = ["learner_case"]


def learner_case(subject: Subject, rows: Rows, seed: int) -> Case:
    """What a learner that sees all other columns, and what is published, finds."""
    knows = "knows all other columns (a learner)"
    others = (*subject.layout.known_names, *rows.raw)
    if rows.whole is None:
        return Case(
            kind="learner",
            knows=knows,
            columns=others,
            note=because("there are too many different rows to count"),
        )
    found = [
        each
        for view in subject.layout.views
        if (each := _measured(subject, rows.whole, view, others, seed)) is not None
    ]
    if not found:
        return Case(
            kind="learner", knows=knows, columns=others, note=because("no pair has rows of both")
        )
    without, after, before = max(found, key=lambda each: each[1].found_percent)
    return Case(
        kind="learner",
        knows=knows,
        columns=others,
        guess=after.found_percent / 100.0,
        before=before.found_percent / 100.0,
        without=without.found_percent / 100.0,
        pair=after.pair,
        note=(
            "upper limits from held-out rows, with 95% confidence each; another learner may find "
            "more"
        ),
    )


def _measured(
    subject: Subject, table: Counts, view: View, others: tuple[str, ...], seed: int
) -> tuple[Reveals, Reveals, Reveals] | None:
    """The share found without what is published, with it, and with the true values in its place."""
    cells, secrets, labels = _sampled(subject, table, view, seed)
    if not cells.size:
        return None
    known = {name: _column(table, name, cells) for name in others}
    true = {name: _column(table, name, cells) for name in subject.layout.column_names}
    pairs = [each for each in subject.scenario.pairs if all(one in labels for one in each)]

    def found(columns: Mapping[str, list[Any]]) -> Reveals | None:
        return measure_leak(Sampled(dict(columns), secrets, labels), pairs)

    # Without other columns there is nothing to learn from: use a column of one value.
    without = found(known or {"nothing": [0] * cells.size})
    after = found(known | _published(subject, table, cells))
    before = found(known | true)
    return None if without is None or after is None or before is None else (without, after, before)


def _sampled(
    subject: Subject, table: Counts, view: View, seed: int
) -> tuple[IntArray, IntArray, tuple[Any, ...]]:
    """Rows in random order, as cells of the table: as many of each secret as a learner uses."""
    layout = subject.layout
    places = [table.columns.index(name) for name in layout.secret_names]
    shown = [table.labels_of(name) for name in layout.secret_names]
    kinds = {
        tuple(codes): view.secret_of(
            [labels[code] for labels, code in zip(shown, codes, strict=True)],
            missing=layout.missing_secret,
        )
        for codes in np.unique(table.codes[:, places], axis=0).tolist()
    }
    own = np.array([str(kinds[tuple(each)]) for each in table.codes[:, places].tolist()])
    present = np.ones(own.size, dtype=bool)
    if subject.numeric and subject.plan.missing == "drop":
        labels = table.labels_of(table.columns[0])
        present = np.array([each is not None for each in labels])[table.codes[:, 0]]
    wanted = [each for each in subject.scenario.secrets if each in {*kinds.values()}]
    cells, secrets = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for number, secret in enumerate(wanted):
        mine = np.flatnonzero((own == str(secret)) & present)
        chosen = mine[draw_rows(table.counts[mine], MOST_ROWS // len(wanted), seed + number)]
        cells.append(chosen)
        secrets.append(np.full(chosen.size, number, dtype=np.int64))
    every = np.concatenate(cells)
    order = draw_rows(np.ones(every.size, dtype=np.int64), every.size, seed)
    return every[order], np.concatenate(secrets)[order], tuple(wanted)


def _coded(table: Counts, name: str, cells: IntArray) -> Coded:
    place, labels = table.columns.index(name), table.labels_of(name)
    codes = table.codes[cells, place]
    there = tuple(each for each in labels if each is not None)
    # None is last among labels.
    return Coded(np.where(codes >= len(there), -1, codes), there)


def _column(table: Counts, name: str, cells: IntArray) -> list[Label]:
    labels = table.labels_of(name)
    return [labels[code] for code in table.codes[cells, table.columns.index(name)].tolist()]


def _published(subject: Subject, table: Counts, cells: IntArray) -> dict[str, list[Any]]:
    """A fresh draw for these rows, as a release would make it."""
    plan, names = subject.plan, subject.layout.column_names
    numbers = {}
    if subject.numeric:
        column = _column(table, names[0], cells)
        numbers[names[0]] = np.array([np.nan if each is None else float(each) for each in column])
    if isinstance(plan, ColumnPlan):
        batch = Batch(numbers, _coded(table, plan.secret, cells))
        changed = RowRules.of(plan).change(batch, None)
    else:
        rules = TableRules.of(plan)
        batch = Batch(numbers, Coded.nothing(cells.size))
        coded = [
            each.coded(batch) if each.column in numbers else _coded(table, each.column, cells)
            for each in rules.codings
        ]
        changed = rules.draw(coded, numbers, None)
    return {name: _plain(changed.columns[name]) for name in names}


def _plain(column: Numbers | Coded) -> list[Any]:
    if isinstance(column, Numbers):
        return [
            None if hole else value
            for value, hole in zip(column.values.tolist(), column.holes.tolist(), strict=True)
        ]
    return [None if code < 0 else column.labels[code] for code in column.codes.tolist()]
