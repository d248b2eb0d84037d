"""What a page asks for, and on which part of it an answer depends."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pufferfish.core.validation import FloatArray
from pufferfish.options.planning import Asked
from pufferfish.studio.sources import Source
from pufferfish.tables.batch import IntArray

__all__ = ["Question", "column_digest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a page asks for.

    Attributes:
        asked: The options, as on the command line; the table is named as its user knows it.
        source: The table itself.
        reference: The table to which beliefs are fitted, if not the same.
        category: Whether the (first) column to publish holds categories.
    """

    asked: Asked
    source: Source
    reference: Source | None = None
    category: bool = False

    @property
    def of_table(self) -> bool:
        """Whether more is asked for than a single column of numbers."""
        return self.category or self.asked.joint

    @property
    def labelled(self) -> bool:
        """Whether categories, or several columns, are published; these are recoded."""
        columns, asked = self.asked.table.column or [], self.asked
        ruled = {*(asked.roles.codes or ()), *asked.recoding.cuts}
        return self.category or len(columns) > 1 or bool(ruled.intersection(columns))

    @property
    def counted(self) -> tuple[str, ...]:
        """What the counts depend on."""
        if self.of_table:
            return self.source.key, repr(self.asked.counting)
        return self.source.key, *self.asked.table.columns, repr(self.asked.reduction)

    @property
    def described(self) -> tuple[str, ...]:
        """What the scenario depends on."""
        reference = "" if self.reference is None else self.reference.key
        return *self.counted, reference, repr(self.asked.describing)

    @property
    def answered(self) -> tuple[str, ...]:
        """What the plan depends on."""
        return *self.described, repr(self.asked)

    @property
    def slow(self) -> bool:
        """Whether the answer takes too long to compute with every movement of a slider."""
        return self.of_table or bool(self.asked.recoding.arguments.get("wrong"))


def column_digest(values: FloatArray, counts: IntArray) -> str:
    """A key that is equal for equal values, whatever their file and their order."""
    found = hashlib.sha256(values.tobytes())
    found.update(counts.tobytes())
    return found.hexdigest()
