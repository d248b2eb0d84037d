"""Public rules, as data, by which the entries of a column become labels.

Numbers fall into bins by public edges, dates into years, quarters or months, and labels may become
others. A rule looks at one entry at a time and never at the rest of the table, so it reveals
nothing about anybody.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from pufferfish.beliefs.labels import Label, label_key
from pufferfish.core.validation import require

__all__ = ["Rule", "Unit", "band_names"]

Unit = Literal["year", "quarter", "month"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A public rule by which the entries of one column become labels.

    Attributes:
        column: The column's name.
        read: Whether its entries are read as numbers, or as labels: texts, whole numbers, truth
            values, dates.
        edges: Public edges of bins for numbers; bin k is [edges[k-1], edges[k]), and the first and
            the last one reach to infinity. None: each number is a label of its own.
        names: The label of each bin: one more than there are edges.
        unit: The unit in which dates are given: 2024, "2024-Q3" or "2024-07".
        merged: Labels that become others, after all of the above, in one step. None stands for a
            missing entry on either side.
        order: Labels in the order in which they are shown; all others follow.
    """

    column: str
    read: Literal["number", "label"]
    edges: tuple[float, ...] | None = None
    names: tuple[Label, ...] | None = None
    unit: Unit | None = None
    # A plain dict: executors of a cluster get a rule by pickling.
    merged: Mapping[Label, Label] = field(default_factory=dict)
    order: tuple[Label, ...] = ()

    def __post_init__(self) -> None:
        """Refuse entries that contradict each other."""
        name = f"the rule of column {self.column!r}"
        require(isinstance(self.column, str), f"column must be a name, got {self.column!r}.")
        require(
            self.read in ("number", "label"),
            f'{name}: read must be "number" or "label", got {self.read!r}.',
        )
        require(
            self.unit in (None, "year", "quarter", "month"),
            f'{name}: unit must be "year", "quarter" or "month", got {self.unit!r}.',
        )
        require(
            self.unit is None or self.read == "label",
            f'{name}: unit= is for dates, which are read as labels; use read="label".',
        )
        self._check_bins(name)
        object.__setattr__(self, "merged", dict(self.merged))
        object.__setattr__(self, "order", tuple(self.order))
        for each in (*(self.names or ()), *self.merged, *self.merged.values(), *self.order):
            require(
                each is None or _is_label(each),
                f"{name}: a label must be a text, a finite number, a truth value or None, got "
                f"{type(each).__name__}.",
            )

    def _check_bins(self, name: str) -> None:
        if self.edges is None:
            require(self.names is None, f"{name}: names= are labels of bins, which need edges=.")
            return
        require(
            self.read == "number",
            f'{name}: edges= are for numbers; use read="number", or merged= for labels.',
        )
        edges = tuple(float(each) for each in self.edges)
        require(
            len(edges) > 0
            and all(map(math.isfinite, edges))
            and all(low < high for low, high in pairwise(edges)),
            f"{name}: edges must be finite numbers, each larger than the one before.",
        )
        object.__setattr__(self, "edges", edges)
        names = () if self.names is None else tuple(self.names)
        require(
            len(names) == len(edges) + 1,
            f"{name}: {len(edges)} edges make {len(edges) + 1} bins, and names= must have one "
            f"label for each, got {len(names)}. For texts use band_names(edges).",
        )
        require(None not in names, f"{name}: a bin needs a name; None means a missing entry.")
        object.__setattr__(self, "names", names)

    @property
    def whole(self) -> bool:
        """Whether a column whose numbers are all whole becomes one of whole numbers."""
        return self.read == "number" and self.edges is None

    @property
    def display(self) -> tuple[Label, ...]:
        """Labels in the order that the rule itself gives them; empty where it gives none."""
        if self.order:
            return self.order
        rules = self.renamed
        found = [rules.get(label_key(each), each) for each in self.names or ()]
        return tuple({label_key(each): each for each in found}.values())

    @property
    def renamed(self) -> dict[tuple[int, Any], Label]:
        """The label that each merged label becomes, by key."""
        return {label_key(given): made for given, made in self.merged.items()}


def band_names(edges: Sequence[float]) -> tuple[str, ...]:
    """Texts for the bins between edges, such as "<25", "[25,45)" and ">=45"."""
    require(len(edges) > 0, "edges must hold at least one number.")
    texts = [_short(each) for each in edges]
    between = [f"[{low},{high})" for low, high in pairwise(texts)]
    return (f"<{texts[0]}", *between, f">={texts[-1]}")


def _is_label(given: object) -> bool:
    if isinstance(given, float):
        return math.isfinite(given)
    return type(given) in (str, int, bool)


def _short(number: float) -> str:
    """A number as people write it: 25, 0.5."""
    given = float(number)
    return str(int(given)) if given.is_integer() and abs(given) < 1e16 else repr(given)
