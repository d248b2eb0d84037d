"""A layout from names of columns: how each is read, and by which public rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.rules import Rule, Unit, band_names
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.tables import Counting, Counts, Engine

__all__ = ["count_table", "layout_of", "middles"]


def layout_of(
    engine: Engine,
    columns: Sequence[str],
    secrets: Sequence[str],
    known: Sequence[str] = (),
    *,
    edges: Mapping[str, Sequence[float]] | None = None,
    dates: Mapping[str, Unit] | None = None,
    merged: Mapping[str, Mapping[Any, Any]] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    codes: Sequence[str] = (),
    jointly: bool = False,
    missing_secret: bool = False,
) -> Layout:
    """The layout of a table: the role of each column, and how it is read.

    Args:
        engine: The engine that reads the table.
        columns: Those published together, under the promise.
        secrets: Those that must not be revealed.
        known: Those that an adversary may know of a row.
        edges: Public edges of bins, for columns of numbers. A published column gets the middle of
            each bin, a known one a text such as "[25,45)".
        dates: For columns of dates: "year", "quarter" or "month".
        merged: For some columns, labels that become others: a public rule.
        orders: For some columns, their labels in an order of your choice.
        codes: Columns of whole numbers that serve as names, with no distance between them.
        jointly: Whether the combinations of several secrets are protected.
        missing_secret: Whether a missing secret is a group of its own.

    Raises:
        InvalidInputError: A rule is for a column that has no role or another type, or a known
            column of numbers has no bands.
    """
    names = [*columns, *secrets, *known]
    for what, given in (("edges", edges), ("dates", dates), ("merged", merged), ("orders", orders)):
        for name in given or {}:
            require(
                name in names,
                f"{what} are given for column {name!r}, which is neither published, known nor "
                "secret.",
            )
    for name in codes:
        require(name in names, f"codes names {name!r}, which is neither published nor known.")
    kinds = engine.kinds(tuple(dict.fromkeys(names)))

    def rule(name: str, *, published: bool) -> Rule:
        kind, cut = kinds[name].read, (edges or {}).get(name)
        unit = (dates or {}).get(name)
        if kind == "date" and unit is None:
            raise InvalidInputError(
                f"column {name!r} holds dates: name the public unit in which to publish them, "
                f'dates={{{name!r}: "year"}} (--dates {name}=year; or quarter, month).'
            )
        require(
            unit is None or kind != "number",
            f"column {name!r} holds numbers, and a unit of dates is given for it: leave the unit "
            "out.",
        )
        require(
            cut is None or kind == "number",
            f"column {name!r} is not a column of numbers, and edges of bins are given for it: "
            "leave the edges out.",
        )
        number = kind == "number" and name not in codes and (name not in secrets or cut is not None)
        return Rule(
            column=name,
            read="number" if number else "label",
            edges=None if cut is None else tuple(cut),
            names=None if cut is None else (middles(cut) if published else band_names(cut)),
            unit=unit,
            merged=(merged or {}).get(name, {}),
            order=tuple((orders or {}).get(name, kinds[name].order)),
        )

    known_rules = tuple(rule(name, published=False) for name in known)
    for each in known_rules:
        require(
            each.read == "label" or each.edges is not None,
            f"column {each.column!r} is a known column of numbers: give public bands for it, "
            f"edges={{{each.column!r}: [25, 45, 65]}} (--bands {each.column}=25,45,65), or declare "
            f"its numbers to be codes (codes=[{each.column!r}], --codes {each.column}).",
        )
    return Layout(
        columns=tuple(rule(name, published=True) for name in columns),
        secrets=tuple(rule(name, published=False) for name in secrets),
        known=known_rules,
        jointly=jointly,
        missing_secret=missing_secret,
    )


def count_table(engine: Engine, layout: Layout, progress: Any = None) -> Counts:
    """How often each combination of a layout's columns occurs."""
    return engine.fold(Counting.of(layout), progress=progress)


def middles(edges: Sequence[float]) -> tuple[Label, ...]:
    """The middle of each bin, which stands for it; an end bin is taken as wide as the next one."""
    cut = [float(each) for each in edges]
    inner = [0.5 * (low + high) for low, high in pairwise(cut)]
    width = (cut[1] - cut[0], cut[-1] - cut[-2]) if len(cut) > 1 else (1.0, 1.0)
    found = (cut[0] - 0.5 * width[0], *inner, cut[-1] + 0.5 * width[1])
    return tuple(int(each) if each.is_integer() else each for each in found)
