"""The rows of a table with all their columns, as counts: read once, where possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.rules import Rule, band_names
from pufferfish.core.errors import DataError
from pufferfish.core.validation import require
from pufferfish.tables import Counting, Counts
from pufferfish.tables.coding import Coding
from pufferfish.tables.engine import Engine
from pufferfish.tables.names import check_columns
from pufferfish.what_if.subject import Subject

__all__ = ["TOO_LONG", "Rows", "because", "read_rows"]

# Why something was not looked at.
TOO_LONG = "it took too long"


def because(why: str) -> str:
    """The note on a case that could not be judged.

    Args:
        why: The reason, as a clause or the text of an error.
    """
    return f"not judged, because {why.rstrip('.')}"


# A column with at most this many different numbers is known as it is, others in this many bands.
MOST_VALUES = 20
BANDS = 5


@dataclass(frozen=True)
class Rows:
    """A table, counted.

    Attributes:
        subject: What the columns are for.
        engine: Reads the table, where it could not be counted in one pass.
        raw: How each other column is read.
        rules: The public rule by which each other column is known.
        untold: Other columns that cannot be judged, and why.
        bands_of_table: The other columns whose bands were found in the table.
        whole: How often each combination of all columns occurs; None: there are too many, or no two
            of the others are judged together.
    """

    subject: Subject
    engine: Engine
    raw: Mapping[str, Rule]
    rules: Mapping[str, Rule]
    untold: Mapping[str, str]
    whole: Counts | None
    bands_of_table: tuple[str, ...] = ()

    @property
    def bands(self) -> dict[str, str]:
        """How other columns are read, where they are not read as they are."""
        told = {}
        for name, rule in self.rules.items():
            if rule.edges is not None:
                told[name] = "from " + ", ".join(f"{edge:g}" for edge in rule.edges)
            elif rule.unit is not None:
                told[name] = f"by {rule.unit}"
        return told

    def known_as(self, name: str) -> str:
        """How closely another column is known, in words; nothing where as it is."""
        rule = self.rules.get(name)
        if rule is None or (rule.edges is None and rule.unit is None):
            return ""
        return " in bands" if rule.edges is not None else f" by {rule.unit}"

    def counted(self, others: Sequence[str] = ()) -> Counts:
        """The counts of the columns of the plan, and of some others by their rules."""
        layout = self.subject.extended([self.rules[name] for name in others])
        if self._banded is None:
            table = self.engine.fold(Counting.of(layout))
        else:
            table = self._banded.marginal([each.column for each in layout.rules])
        return replace(
            table, layout=layout, wanted=tuple(sorted(self.subject.scenario.secrets, key=str))
        )

    @cached_property
    def _banded(self) -> Counts | None:
        table = self.whole
        for name, rule in self.rules.items():
            if table is not None and rule.edges is not None:
                table = table.merged(name, _in_bands(rule, table.labels_of(name)))
        return table

    @cached_property
    def plain(self) -> Counts:
        """The counts of the columns of the plan."""
        return self.counted()


def read_rows(
    engine: Engine,
    subject: Subject,
    columns: Sequence[str] | None,
    bands: Mapping[str, Sequence[float]],
    *,
    at_once: bool = True,
    go_on: Callable[[], bool] = lambda: True,
) -> Rows:
    """Count a table.

    Args:
        engine: Reads the table.
        subject: What its columns are for.
        columns: Other columns that somebody may know; None: all.
        bands: Public edges of bands, for some of them.
        at_once: Whether all columns are counted together, which takes long if there are many rows
            and hardly any two are alike; otherwise each is counted when it is judged.
        go_on: Whether there is time to find the bands of another column.

    Raises:
        InvalidInputError: A column that is not there, or has another role.
    """
    every = engine.names()
    check_columns(every, *(each.column for each in subject.layout.rules))
    names = [name for name in every if name not in subject.roles] if columns is None else columns
    check_columns(every, *names, *bands)
    for name in names:
        require(
            name not in subject.roles,
            f"column {name!r} already has a role in the plan; name other columns that somebody "
            "may know.",
        )
    for name in bands:
        require(
            name in names,
            f"bands are given for column {name!r}, which is not judged: leave them out, or name "
            "the column.",
        )
    kinds = engine.kinds(tuple(names)) if names else {}
    raw = {
        name: Rule(
            column=name,
            read="number" if kinds[name].read == "number" else "label",
            unit="year" if kinds[name].read == "date" else None,
            order=kinds[name].order,
        )
        for name in names
    }
    for name in bands:
        require(
            raw[name].read == "number",
            f"bands are given for column {name!r}, which does not hold numbers: leave them out.",
        )
    layout = subject.extended(tuple(raw.values()))
    whole: Counts | None = None
    if at_once:
        # What is refused here is refused again below, unless there were too many combinations.
        with suppress(DataError):
            whole = engine.fold(Counting.of(layout))
    rules: dict[str, Rule] = {}
    untold: dict[str, str] = {}
    for name, rule in raw.items():
        if rule.read != "number" or name in bands:
            rules[name] = _banded(rule, bands[name]) if name in bands else rule
            continue
        if not go_on():
            untold[name] = TOO_LONG
            continue
        try:
            table = (
                engine.fold(Counting(codings=(Coding.of(rule),)))
                if whole is None
                else whole.marginal([name])
            )
        except DataError as error:
            untold[name] = str(error).rstrip(".")
            continue
        rules[name] = _told_apart(rule, table)
    found = tuple(
        name for name, rule in rules.items() if rule.edges is not None and name not in bands
    )
    return Rows(subject, engine, raw, rules, untold, whole, found)


def _told_apart(rule: Rule, table: Counts) -> Rule:
    """Numbers as they are where they are few, else in bands with about equally many rows."""
    labels = table.labels_of(rule.column)
    values = [each for each in labels if each is not None]
    if len(values) <= MOST_VALUES:
        return rule
    there = np.array([each is not None for each in labels])[table.codes[:, 0]]
    numbers = np.array([float(each) for each in values])[table.codes[there, 0]]
    ends = np.cumsum(table.counts[there])
    places = [int(np.searchsorted(ends, ends[-1] * part / BANDS)) for part in range(1, BANDS)]
    # A band begins with its edge, and the smallest value begins the first band anyway.
    edges = sorted({float(numbers[place]) for place in places} - {float(numbers[0])})
    return _banded(rule, edges) if edges else _banded(rule, [float(numbers[1])])


def _banded(rule: Rule, edges: Sequence[float]) -> Rule:
    cut = tuple(float(each) for each in edges)
    return Rule(column=rule.column, read="number", edges=cut, names=band_names(cut))


def _in_bands(rule: Rule, labels: Sequence[Label]) -> dict[Any, Label]:
    edges, names = rule.edges or (), rule.names or ()
    return {
        each: names[int(np.searchsorted(edges, float(each), side="right"))]
        for each in labels
        if each is not None
    }
