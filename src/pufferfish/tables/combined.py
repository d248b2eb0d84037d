"""Some rows by the combination of their labels: each once, and which one each row has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.labels import Label
from pufferfish.tables.batch import Coded
from pufferfish.tables.summary import IntArray

__all__ = ["FEW", "SomeCells", "rows_by_cell"]

# Up to this many combinations are counted without sorting.
FEW = 1 << 20


class SomeCells(NamedTuple):
    """The counts of some rows.

    Attributes:
        rows: How many rows there are.
        labels: The labels of each column, in any order; a number may be a float that is whole.
        codes: The places of each combination's labels, −1 where one is missing.
        counts: How often each combination occurs.
    """

    rows: int
    labels: tuple[tuple[Label, ...], ...]
    codes: IntArray
    counts: IntArray

    @property
    def columns(self) -> list[Coded]:
        """The labels of each combination, column by column."""
        both = zip(self.codes.T, self.labels, strict=True)
        return [Coded(codes, labels) for codes, labels in both]


def rows_by_cell(columns: Sequence[Coded]) -> tuple[SomeCells, IntArray]:
    """The combinations of some rows, counted, and which of them each row has.

    What holds for a combination can then be decided once, and not for each row.
    """
    rows, total = columns[0].rows, 1
    few = max(FEW, 4 * rows)
    flat = np.zeros(rows, dtype=np.int64)
    for each in columns:
        size = len(each.labels) + 1
        if total * size > few:
            # Combinations that occur are renumbered, so that numbers stay small.
            there, flat = np.unique(flat, return_inverse=True)
            total = there.size
        flat *= size
        flat += each.codes
        flat += 1
        total *= size
    if total <= few:
        counts = np.bincount(flat, minlength=total)
        there = np.flatnonzero(counts)
        number = np.zeros(total, dtype=np.int64)
        number[there] = np.arange(there.size)
        where, counts = number.take(flat), counts[there]
    else:
        there, where, counts = np.unique(flat, return_inverse=True, return_counts=True)
    example = np.zeros(there.size, dtype=np.int64)
    example[where] = np.arange(rows)
    codes = np.stack([each.codes[example] for each in columns], axis=1)
    return SomeCells(rows, tuple(each.labels for each in columns), codes, counts), where
