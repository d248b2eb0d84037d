"""Resampled rows: as many as there were, of the values there were, the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.fit.bootstrap import draw_resamples


def summary() -> pf.Counts:
    return pf.Counts.from_counts(
        ["a", "a", "a", "b", "b", "a", "b"],
        [0.0, 1.0, 5.0, 1.0, 2.0, None, None],
        [50, 30, 20, 400, 100, 7, 3],
        bin_width=0.5,
    )


def test_totals_holes_and_bins_stay() -> None:
    plain = summary()
    for sample in draw_resamples(plain, 25, seed=1):
        assert list(sample.groups) == list(plain.groups)
        assert (sample.column, sample.secret, sample.bin_width) == ("value", "secret", 0.5)
        for secret, group in sample.groups.items():
            assert group.records == plain.groups[secret].records
            assert group.missing == plain.groups[secret].missing
            assert set(group.values) <= set(plain.groups[secret].values)
            assert np.all(group.counts > 0)


def test_counts_are_multinomial() -> None:
    """Mean n·p and variance n·p·(1 − p), to five std errors over 4,000 resamples."""
    draws = [
        dict(zip(each.groups["a"].values, each.groups["a"].counts, strict=True))
        for each in draw_resamples(summary(), 4_000, seed=0)
    ]
    for value, p in ((0.0, 0.5), (1.0, 0.3), (5.0, 0.2)):
        counts = np.array([draw.get(value, 0) for draw in draws], dtype=np.float64)
        variance = 100 * p * (1 - p)
        assert abs(counts.mean() - 100 * p) <= 5 * math.sqrt(variance / 4_000)
        assert counts.var() == pytest.approx(variance, rel=5 * math.sqrt(2 / 4_000))


def test_resamples_differ_and_repeat() -> None:
    def counts(seed: int) -> list[list[int]]:
        return [
            np.concatenate([group.counts for group in each.groups.values()]).tolist()
            for each in draw_resamples(summary(), 5, seed)
        ]

    assert counts(3) == counts(3)
    assert counts(3) != counts(4)
    assert len({tuple(each) for each in counts(3)}) == 5
    assert counts(3)[:2] == [
        np.concatenate([group.counts for group in each.groups.values()]).tolist()
        for each in draw_resamples(summary(), 2, 3)
    ]
    assert list(draw_resamples(summary(), 0, 3)) == []
