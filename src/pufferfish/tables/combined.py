"""Some rows by the combination of their labels: each once, and which one each row has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pufferfish.tables.batch import Coded, IntArray

__all__ = ["SomeCells", "add_up", "rows_by_cell"]

# Up to this many combinations are counted without sorting.
_FEW = 1 << 20


class SomeCells(NamedTuple):
    """The counts of some rows.

    Attributes:
        rows: How many rows there are.
        labels: The labels of each column, in any order; a number may be a float that is whole.
        codes: The places of each combination's labels, −1 where one is missing.
        counts: How often each combination occurs.
    """

    rows: int
    labels: tuple[Any, ...]
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
    few = max(_FEW, 4 * rows)
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


def add_up(
    codes: Sequence[IntArray], counts: IntArray | None, sizes: Sequence[int]
) -> tuple[IntArray, IntArray]:
    """Each combination of codes once, sorted, and how often it occurs.

    Args:
        codes: For each column its codes, from 0.
        counts: How often each row counts; None: once.
        sizes: For each column a number above all its codes.
    """
    if counts is not None:
        some = counts > 0
        codes, counts = [each[some] for each in codes], counts[some]
    if not codes[0].size:
        return np.zeros((0, len(codes)), dtype=np.int64), np.zeros(0, dtype=np.int64)
    total = math.prod(sizes)
    if total >= 2**62:
        return _add_up_sorted(np.stack(codes, axis=1), counts)
    flat = np.zeros(codes[0].size, dtype=np.int64)
    for each, size in zip(codes, sizes, strict=True):
        flat *= size
        flat += each
    if total <= max(_FEW, 4 * flat.size):
        found = np.zeros(total, dtype=np.int64)
        if counts is None:
            found += np.bincount(flat, minlength=total)
        else:
            np.add.at(found, flat, counts)
        cells = np.flatnonzero(found)
        counted = found[cells]
    else:
        cells, place = np.unique(flat, return_inverse=True)
        counted = np.zeros(cells.size, dtype=np.int64)
        np.add.at(counted, place, 1 if counts is None else counts)
    parts = []
    for size in reversed(sizes):
        cells, part = np.divmod(cells, size)
        parts.append(part)
    return np.stack(parts[::-1], axis=1), counted


def _add_up_sorted(codes: IntArray, counts: IntArray | None) -> tuple[IntArray, IntArray]:
    """`add_up` where combinations are too many to be numbered."""
    order = np.lexsort(codes.T[::-1])
    codes = codes[order]
    ones = np.ones(order.size, dtype=np.int64) if counts is None else counts[order]
    new = np.ones(order.size, dtype=bool)
    new[1:] = np.any(codes[1:] != codes[:-1], axis=1)
    starts = np.flatnonzero(new)
    return codes[starts], np.add.reduceat(ones, starts)
