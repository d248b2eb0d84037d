"""From the entries of a page to the options of the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.fit.families import FAMILIES
from pufferfish.fit.models import MODELS
from pufferfish.options.adversaries import Adversaries, families_of
from pufferfish.options.goal import Accuracy, Goal
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.quoting import pieces, read_share
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.table import Table
from pufferfish.studio.question import Question
from pufferfish.studio.rules import named_options, never_options, rule_options
from pufferfish.studio.sources import Source

__all__ = ["read_columns", "read_page"]

_PROVENANCES = ("released", "reference", "public")
_WAYS = ("epsilon", "value", "mean")
_KINDS = ("laplace", "gaussian", "recode", "auto")
_LOSSES = ("squared", "absolute", "changed")
_ROWS = ("any", "equal", "independent", "first", "mean")
# The value of an input by its name; None where it is missing or empty.
Entry = Callable[[str], Any]


def read_columns(
    source: Source, columns: Iterable[str], entry: Entry, categories: Collection[str] = ()
) -> Question:
    """The question about what must be counted first: the columns that have a role.

    Args:
        source: The table.
        columns: The columns of the table in its order; no others can be named.
        entry: What is entered.
        categories: Those of them that do not hold numbers.

    Raises:
        InvalidInputError: Something that is not complete.
    """
    listed = list(columns)
    names = set(listed)
    first = {name: _column(entry(name), names) for name in ("column", "secret")}
    more, also, kept, known = (
        _columns(entry, name, names) for name in ("together", "secrets", "keep", "known")
    )
    published = list(dict.fromkeys([first["column"], *more]))
    secrets = list(dict.fromkeys([first["secret"], *also]))
    lines = {
        name: _line(entry, f"rule_{place}")
        for place, name in enumerate(listed)
        if name in {*published, *secrets, *kept, *known}
    }
    roles, recoding = named_options(
        rule_options(lines, published) | never_options(_line(entry, "never"))
    )
    roles = replace(
        roles,
        known=known or None,
        secrets_jointly=len(secrets) > 1 and bool(entry("jointly")),
    )
    found = Question(
        asked=Asked(
            table=Table(
                file=source.name,
                column=published,
                secret=secrets,
                na=list(source.format.na) or None,
            ),
            roles=roles,
            recoding=recoding,
            publishing=Publishing(keep=kept or None),
        ),
        source=source,
        category=first["column"] in categories,
    )
    return _of_numbers(found)


def read_page(
    source: Source,
    reference: Source | None,
    columns: Iterable[str],
    entry: Entry,
    categories: Collection[str] = (),
) -> Question:
    """The question that the page asks.

    No entry names a file: beliefs are families to fit, and tables are sources. Whether values may
    be published without noise is asked only when they would be.

    Args:
        source: The table.
        reference: The table to fit beliefs to, if not the same.
        columns: The columns of the table in its order; no others can be named.
        entry: What is entered.
        categories: Those of them that do not hold numbers.

    Raises:
        InvalidInputError: Something that is not complete, or does not go together.
    """
    listed = list(columns)
    other = _answer(entry, "provenance", _PROVENANCES) != "released"
    require(not other or reference is not None, "choose the table to which beliefs are fitted.")
    counted = read_columns(source, listed, entry, categories)
    asked = replace(
        counted.asked,
        adversaries=_adversaries(entry, reference if other else None, labelled=counted.labelled),
        goal=_goal(entry, labelled=counted.labelled),
        recoding=_recoding(entry, counted.asked.recoding, labelled=counted.labelled),
        accuracy=_accuracy(entry),
        publishing=replace(_publishing(entry, set(listed)), keep=counted.asked.publishing.keep),
    )
    asked.check()
    return replace(counted, asked=asked, reference=reference if other else None)


def _of_numbers(question: Question) -> Question:
    """The same question; edges for a single column of numbers lose the column's name."""
    asked = question.asked
    edges = asked.recoding.edges
    if edges is None or question.category:
        return question
    bare = replace(asked, recoding=replace(asked.recoding, edges=None))
    if bare.joint:
        return question
    unnamed = [pieces(each, "=", 1)[1] for each in edges]
    return replace(question, asked=replace(asked, recoding=HowRecoded(edges=unnamed)))


def _adversaries(entry: Entry, reference: Source | None, *, labelled: bool) -> Adversaries:
    usual = Adversaries()
    families = _answers(entry, "beliefs")
    require(bool(families), "choose at least one adversary.")
    require(
        set(families) <= {*FAMILIES, *MODELS}, "choose adversaries from those that the page lists."
    )
    which = _answer(entry, "which", ("all", "against", "some"))
    pairs = _answers(entry, "pair") if which == "some" else None
    require(pairs is None or bool(pairs), "choose at least one pair.")
    return Adversaries(
        pair=pairs,
        against=str(entry("against")) if which == "against" else None,
        belief=None if not labelled and families == families_of(None) else families,
        bootstrap=_whole(entry, "bootstrap", usual.bootstrap),
        reference=None if reference is None else Path(reference.name),
        public_reference=entry("provenance") == "public",
        missing=_missing(entry, labelled=labelled),
        min_group=_whole(entry, "min_group", usual.min_group),
        cap=_bounds(entry, "cap_low", "cap_high"),
    )


def _missing(entry: Entry, *, labelled: bool) -> str | None:
    """What becomes of rows without a value; None where the command line does so by itself."""
    given = _answer(entry, "missing", ("refuse", "keep", "drop"))
    return None if given == Adversaries().missing_of(numbers=not labelled) else given


def _goal(entry: Entry, *, labelled: bool) -> Goal:
    """The promise and the mechanism; noise for categories is passed on, so that it is refused."""
    by_promise = _answer(entry, "by", _WAYS) == "epsilon"
    kind = _answer(entry, "kind", _KINDS)
    return Goal(
        epsilon=_number(entry, "epsilon", "the ε of a promise") if by_promise else None,
        delta=_number(entry, "delta", "the δ of a promise"),
        mechanism=None if kind == "laplace" and not labelled else kind,
    )


def _recoding(entry: Entry, ruled: HowRecoded, *, labelled: bool) -> HowRecoded:
    """What is asked of a recoding; its entries are ignored while another mechanism is chosen.

    Categories have no floor by default, as the page says: another one is passed on, and refused.

    Args:
        entry: What is entered.
        ruled: The options from the rules for columns, which hold for every mechanism.
        labelled: Whether categories, or several columns, are published.
    """
    if entry("kind") != "recode":
        return ruled
    floor = _answer(entry, "floor", ("noise", "none", "number"))
    if floor == "number":
        floor = _plain(_number(entry, "floor_number", "the floor"))
    wrong = None if entry("wrong") is None else _number(entry, "wrong", "the share in percent")
    loss = _answer(entry, "loss", _LOSSES)
    by_column = ruled.loss or []
    return replace(
        ruled,
        floor=None if floor == ("none" if labelled else "noise") else floor,
        wrong=None if wrong is None else f"{_plain(wrong)}%",
        loss=([] if loss == _LOSSES[0] else [loss]) + by_column or None,
        keep_histogram=not entry("any_histogram"),
        nominal=bool(entry("nominal")),
    )


def _accuracy(entry: Entry) -> Accuracy:
    by = _answer(entry, "by", _WAYS)
    if by == "epsilon":
        return Accuracy()
    cases = _number(entry, "confidence", "the number of cases")
    require(0.0 < cases < 100.0, f"the number of cases must lie between 0 and 100, got {cases:g}.")
    share = read_share("the number of cases", f"{_plain(cases)}%", "95%")
    level = None if share == Accuracy().level else share
    if by == "value":
        return Accuracy(accuracy=_number(entry, "within", "the accuracy"), confidence=level)
    return Accuracy(mean_within=_number(entry, "mean_within", "the accuracy"), confidence=level)


def _publishing(entry: Entry, names: set[str]) -> Publishing:
    several = _answer(entry, "unit", ("row", "person")) == "person"
    rows = _answer(entry, "rows_way", _ROWS) if several else "any"
    one = rows in ("first", "mean")
    number = _whole(entry, "rows_per_person") if several and not one else 1
    return Publishing(
        keep_unprotected=_columns(entry, "unprotected", names) or None,
        keep_order=bool(entry("keep_order")),
        person=_column(entry("person"), names) if several else None,
        rows_per_person=number,
        # With a single row there is nothing to add.
        rows_are=rows if number > 1 and not one else "any",
        one_row=rows if one else None,
        round_to=None if entry("round") is None else _number(entry, "round", "the step"),
        clip=_bounds(entry, "low", "high"),
    )


def _answer(entry: Entry, name: str, known: tuple[str, ...]) -> str:
    """One of the answers that the page offers; the first one where none is given."""
    given = entry(name)
    if given is None:
        return known[0]
    require(given in known, f"{name} must be one of {', '.join(known)}.")
    return str(given)


def _answers(entry: Entry, name: str) -> list[str]:
    """All that are ticked."""
    given = () if entry(name) is None else entry(name)
    texts = isinstance(given, list | tuple) and all(isinstance(each, str) for each in given)
    require(texts, f"{name} must be one of the boxes on the page.")
    return list(given)


def _columns(entry: Entry, name: str, known: set[str]) -> list[str]:
    """All columns that are ticked."""
    return [_column(each, known) for each in _answers(entry, name)]


def _column(name: Any, known: set[str]) -> str:
    if not isinstance(name, str) or name not in known:
        raise InvalidInputError("choose one of the table's columns.")
    return name


def _line(entry: Entry, name: str) -> str:
    """A line of text; empty where none is entered."""
    given = entry(name)
    require(given is None or isinstance(given, str), "a rule must be a line of text.")
    return given or ""


def _number(entry: Entry, name: str, what: str) -> float:
    value = entry(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InvalidInputError(f"{what} must be a number.")
    return float(value)


def _whole(entry: Entry, name: str, usual: int | None = None) -> int:
    """A whole number; the default where the entry is empty, if there is one."""
    if usual is not None and entry(name) is None:
        return usual
    what = name.replace("_", " ")
    number = _number(entry, name, what)
    require(number == int(number), f"{what} must be a whole number.")
    return int(number)


def _bounds(entry: Entry, low: str, high: str) -> str | None:
    """LOW:HIGH; None where neither is given."""
    none = entry(low) is None
    require(none == (entry(high) is None), "give both bounds, or neither.")
    return None if none else f"{_text(entry, low)}:{_text(entry, high)}"


def _text(entry: Entry, name: str) -> str:
    return f"{_number(entry, name, 'a bound'):.17g}"


def _plain(number: float) -> str:
    """The number as short as it can be written without loss."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
