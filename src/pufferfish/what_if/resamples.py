"""Rows drawn again, as another sample of the same population might have been.

The generators are seeded. They imitate sampling and choose rows to look at; they protect nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pufferfish.tables import Counts
from pufferfish.tables.batch import IntArray

__all__ = ["draw_rows", "resamples", "shuffled"]


def resamples(counted: Counts, seed: int) -> Iterator[Counts]:
    """An endless sequence of resamples: as many rows as there are, drawn with replacement."""
    generator = np.random.default_rng(seed)
    while True:
        yield counted.resampled(generator.multinomial(counted.rows, counted.counts / counted.rows))


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


def shuffled(counted: Counts, columns: Sequence[str], seed: int) -> Counts:
    """The same rows, with the entries of some columns dealt out among them at random."""
    generator = np.random.default_rng(seed)
    codes = np.repeat(counted.codes, counted.counts, axis=0)
    places = [counted.columns.index(name) for name in columns]
    codes[:, places] = generator.permutation(codes[:, places])
    part = replace(counted, codes=codes, counts=np.ones(counted.rows, dtype=np.int64))
    return part.marginal(counted.columns)
