"""Rows drawn again, as another sample of the same population might have been.

The generators are seeded. They imitate sampling and choose rows to look at; they protect nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pufferfish.fit.table import TableCounts
from pufferfish.tables.summary import IntArray

__all__ = ["draw_rows", "resamples", "shuffled"]


def resamples(counted: TableCounts, seed: int) -> Iterator[TableCounts]:
    """An endless sequence of resamples: as many rows as there are, drawn with replacement."""
    table = counted.crosstab
    generator = np.random.default_rng(seed)
    while True:
        counts = generator.multinomial(table.rows, table.counts / table.rows)
        some = counts > 0
        part = replace(table, codes=table.codes[some], counts=counts[some])
        yield replace(counted, crosstab=part.marginal(table.columns))


def draw_rows(counts: IntArray, most: int, seed: int) -> IntArray:
    """Some of the rows of a table, without replacement and in random order, by their cells."""
    generator = np.random.default_rng(seed)
    rows = int(counts.sum())
    if rows <= most:
        found = np.repeat(np.arange(counts.size), counts)
    else:
        chosen = np.sort(generator.choice(rows, most, replace=False, shuffle=False))
        found = np.searchsorted(np.cumsum(counts), chosen, side="right")
    return np.asarray(generator.permutation(found), dtype=np.int64)


def shuffled(counted: TableCounts, columns: Sequence[str], seed: int) -> TableCounts:
    """The same rows, with the entries of some columns dealt out among them at random."""
    table = counted.crosstab
    generator = np.random.default_rng(seed)
    codes = np.repeat(table.codes, table.counts, axis=0)
    places = [table.columns.index(name) for name in columns]
    codes[:, places] = generator.permutation(codes[:, places])
    part = replace(table, codes=codes, counts=np.ones(table.rows, dtype=np.int64))
    return replace(counted, crosstab=part.marginal(table.columns))
