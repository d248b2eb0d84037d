"""Refits to resampled rows: adversaries who saw other samples of the same population.

The only randomness here imitates sampling error; it protects nobody, so it is seeded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pufferfish.tables import Counts, Group

__all__ = ["draw_resamples"]


def draw_resamples(summary: Counts, times: int, seed: int) -> Iterator[Counts]:
    """Counts in which the records of each secret are resampled: as many, with replacement.

    Missing values keep their frequency: a resample in which one secret has none, by chance, would
    describe an adversary against whom no noise helps.
    """
    generator = np.random.default_rng(seed)
    for _ in range(times):
        groups = {}
        for secret, group in summary.groups.items():
            counts = generator.multinomial(group.records, group.counts / group.records)
            drawn = counts > 0
            groups[secret] = Group(group.values[drawn], counts[drawn], group.missing)
        names = summary.column, summary.secret
        yield Counts.of_groups(
            groups, *names, bin_width=summary.bin_width, wanted=tuple(summary.groups)
        )
