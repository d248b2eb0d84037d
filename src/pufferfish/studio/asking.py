"""From what is entered on a page to the options of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from pathlib import Path
from typing import Any

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.fit.families import FAMILIES
from pufferfish.options.adversaries import Adversaries, families_of
from pufferfish.options.goal import Accuracy, Goal
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.table import Table
from pufferfish.studio.bench import Question
from pufferfish.studio.sources import Source

__all__ = ["read_page"]

_PROVENANCES = ("released", "reference", "public")
_WAYS = ("epsilon", "value", "mean")
_ROWS = ("any", "equal", "independent", "first", "mean")
# An input of the page by its name; None where it is not there, or empty.
Entry = Callable[[str], Any]


def read_page(
    source: Source, reference: Source | None, columns: Iterable[str], entry: Entry
) -> Question:
    """The question that the page puts.

    Nothing that is entered names a file: beliefs are families to fit, and tables are sources.
    Whether values may be published without noise is asked only when they are.

    Args:
        source: The table.
        reference: The table to fit beliefs to, if not the same.
        columns: Those of the table, which alone can be named.
        entry: What is entered.

    Raises:
        InvalidInputError: Something that is not complete, or does not go together.
    """
    known = set(columns)
    other = _answer(entry, "provenance", _PROVENANCES) != "released"
    require(not other or reference is not None, "choose the table that beliefs are fitted to.")
    asked = Asked(
        table=Table(
            file=source.name,
            column=_column(entry("column"), known),
            secret=_column(entry("secret"), known),
            na=list(source.format.na) or None,
        ),
        adversaries=_adversaries(entry, reference if other else None),
        goal=_goal(entry),
        accuracy=_accuracy(entry),
        publishing=_publishing(entry, known),
    )
    asked.publishing.check()
    return Question(asked=asked, source=source, reference=reference if other else None)


def _adversaries(entry: Entry, reference: Source | None) -> Adversaries:
    usual = Adversaries()
    families = _answers(entry, "beliefs")
    require(bool(families), "choose at least one adversary.")
    require(set(families) <= set(FAMILIES), "an adversary is one of those that can be ticked.")
    which = _answer(entry, "which", ("all", "against", "some"))
    pairs = _answers(entry, "pair") if which == "some" else None
    require(pairs is None or bool(pairs), "choose at least one pair.")
    return Adversaries(
        pair=pairs,
        against=str(entry("against")) if which == "against" else None,
        belief=None if families == families_of(None) else families,
        bootstrap=_whole(entry, "bootstrap", usual.bootstrap),
        reference=None if reference is None else Path(reference.name),
        public_reference=entry("provenance") == "public",
        missing=_answer(entry, "missing", ("refuse", "keep", "drop")),
        min_group=_whole(entry, "min_group", usual.min_group),
        cap=_bounds(entry, "cap_low", "cap_high"),
    )


def _goal(entry: Entry) -> Goal:
    by_promise = _answer(entry, "by", _WAYS) == "epsilon"
    kind = _answer(entry, "kind", ("laplace", "gaussian"))
    return Goal(
        epsilon=_number(entry, "epsilon", "the ε of a promise") if by_promise else None,
        delta=_number(entry, "delta", "the δ of a promise"),
        noise=None if kind == "laplace" else kind,
    )


def _accuracy(entry: Entry) -> Accuracy:
    by = _answer(entry, "by", _WAYS)
    if by == "epsilon":
        return Accuracy()
    cases = _number(entry, "confidence", "the number of cases")
    require(0.0 < cases < 100.0, f"the number of cases must lie between 0 and 100, got {cases:g}.")
    level = None if cases / 100.0 == Accuracy().level else cases / 100.0
    if by == "value":
        return Accuracy(accuracy=_number(entry, "within", "the accuracy"), confidence=level)
    return Accuracy(mean_within=_number(entry, "mean_within", "the accuracy"), confidence=level)


def _publishing(entry: Entry, known: set[str]) -> Publishing:
    several = _answer(entry, "unit", ("row", "person")) == "person"
    rows = _answer(entry, "rows_way", _ROWS) if several else "any"
    one = rows in ("first", "mean")
    number = _whole(entry, "rows_per_person") if several and not one else 1
    kept = [_column(each, known) for each in _answers(entry, "keep")]
    return Publishing(
        keep=kept or None,
        keep_order=bool(entry("keep_order")),
        person=_column(entry("person"), known) if several else None,
        rows_per_person=number,
        # Of a single row there is nothing to say.
        rows_are_equal=rows == "equal" and number > 1,
        rows_are_independent=rows == "independent" and number > 1,
        one_row=rows if one else None,
        round_to=None if entry("round") is None else _number(entry, "round", "the step"),
        clip=_bounds(entry, "low", "high"),
    )


def _answer(entry: Entry, name: str, known: tuple[str, ...]) -> str:
    """One of the answers that the page offers; the first where none is given."""
    given = entry(name)
    if given is None:
        return known[0]
    require(given in known, f"{name} is one of {', '.join(known)}.")
    return str(given)


def _answers(entry: Entry, name: str) -> list[str]:
    """All that are ticked."""
    given = () if entry(name) is None else entry(name)
    texts = isinstance(given, list | tuple) and all(isinstance(each, str) for each in given)
    require(texts, f"{name} is what can be ticked.")
    return list(given)


def _column(name: Any, known: set[str]) -> str:
    if not isinstance(name, str) or name not in known:
        raise InvalidInputError("choose one of the table's columns.")
    return name


def _number(entry: Entry, name: str, what: str) -> float:
    value = entry(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InvalidInputError(f"{what} must be a number.")
    return float(value)


def _whole(entry: Entry, name: str, usual: int | None = None) -> int:
    """A whole number; where it is empty the usual one, if there is one."""
    if usual is not None and entry(name) is None:
        return usual
    what = name.replace("_", " ")
    number = _number(entry, name, what)
    require(number == int(number), f"{what} must be a whole number.")
    return int(number)


def _bounds(entry: Entry, low: str, high: str) -> str | None:
    """LOW:HIGH; None where neither is given."""
    none = entry(low) is None
    require(none == (entry(high) is None), "give both bounds, or none.")
    return None if none else f"{_text(entry, low)}:{_text(entry, high)}"


def _text(entry: Entry, name: str) -> str:
    return f"{_number(entry, name, 'a bound'):.17g}"
