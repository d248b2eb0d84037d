"""The table as text: CSV, cells for the page, and a short form in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pufferfish as pf
from examples.paper.experiments import TABLE
from examples.paper.figure import csv_text
from examples.paper.table import Entry, Row, Table
from pufferfish.noise import as_noise
from pufferfish.words.numbers import at_most, percent_up, readable
from pufferfish.words.phrases import without_name

__all__ = ["SHOWN", "Cell", "Line", "Part", "markdown", "parts", "short_form", "table_csv"]

# The ways that have a column; the other form of τ is in the CSV.
SHOWN = ("Theorem 2", "repaired coupling", "exact", "exact, Gaussian noise", "local DP")
_HEADER = (
    *("experiment", "adversary", "epsilon", "delta", "way", "noise", "scale", "std"),
    *("delta_lower", "delta_upper", "least_epsilon_upper", "kept"),
    *("guessed_before", "guessed_after", "reason"),
)
_SHORT = (
    ("Adult", "paper's mixtures", (0.3, 1e-3, 0.0)),
    ("Adult", TABLE, (0.3, 0.0)),
    ("Hungarian", "our mixtures of 3", (0.3, 1e-3, 0.0)),
    ("Hungarian", TABLE, (0.3, 0.0)),
)
_NONE, _REFUSED = "none", "–"


def table_csv(table: Table) -> str:
    """A line for each row and way."""
    return csv_text(
        _HEADER, (_record(row, entry) for row in table.rows for entry in row.entries.values())
    )


def _record(row: Row, entry: Entry) -> tuple[object, ...]:
    place = (row.experiment, row.belief, row.goal.epsilon, row.goal.delta, entry.way)
    certificate = entry.certificate
    if certificate is None:
        return (*place, *[""] * 7, row.before_upper, "", entry.reason)
    return (
        *place,
        type(certificate.noise).__name__,
        "" if entry.scale is None else entry.scale,
        as_noise(certificate.noise).std,
        certificate.delta_lower,
        certificate.delta_upper,
        certificate.epsilon_upper,
        {True: "yes", False: "no", None: "undecided"}[certificate.holds],
        row.before_upper,
        entry.accuracy_upper,
        "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One way of one row: the std of its noise, and below it scale, true δ and right guesses."""

    std: str
    details: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the page's table."""

    delta: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The table of one adversary, with the reasons why some ways do not apply."""

    title: str
    bare: str
    before: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def parts(table: Table) -> Iterator[Part]:
    """One table for each adversary."""
    for experiment, belief in dict.fromkeys((row.experiment, row.belief) for row in table.rows):
        rows = table.of(experiment, belief)
        reasons = {
            f"{way}: {without_name('thm-2', reason)}": None
            for row in rows
            for way in SHOWN
            if (reason := row.entries[way].reason)
        }
        yield Part(
            title=f"{experiment}, {belief}",
            bare=at_most(rows[0].bare_upper, 3),
            before=percent_up(rows[0].before_upper),
            lines=tuple(
                Line(
                    delta=f"{row.goal.delta:g}",
                    cells=tuple(_cell(row.entries[way]) for way in SHOWN),
                )
                for row in rows
            ),
            notes=tuple(reasons),
        )


def _cell(entry: Entry) -> Cell:
    certificate = entry.certificate
    if certificate is None:
        return Cell(std=_REFUSED, details="")
    details = [
        f"δ {at_most(certificate.delta_upper, 3)}",
        percent_up(entry.accuracy_upper or 0.0),
    ]
    if entry.scale is not None:
        details.insert(0, f"b {readable(entry.scale)}")
    return Cell(std=_std(entry), details=" · ".join(details))


def _std(entry: Entry) -> str:
    if entry.noise is None:
        return _REFUSED
    size = _NONE if isinstance(entry.noise, pf.NoNoise) else readable(entry.noise.std)
    holds = entry.certificate is not None and entry.certificate.holds is True
    return size if holds else f"{size} (not kept)"


def short_form(table: Table) -> tuple[tuple[str, ...], ...]:
    """A few rows: the std of the noise by each way, and how often an adversary guesses right."""
    rows = [table.row(name, belief, delta) for name, belief, deltas in _SHORT for delta in deltas]
    return (
        ("data, adversary", "δ", *SHOWN, "guessed before", "after (exact)"),
        *(
            (
                f"{row.experiment}, {row.belief}",
                f"{row.goal.delta:g}",
                *(_std(row.entries[way]) for way in SHOWN),
                percent_up(row.before_upper),
                percent_up(row.entries["exact"].accuracy_upper or 0.0),
            )
            for row in rows
        ),
    )


def markdown(table: Table) -> str:
    """The short form as a table in Markdown."""
    header, *rows = short_form(table)
    lines = [header, ("---", *["---:"] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
