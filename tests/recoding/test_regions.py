"""Regions of pairs: their levels, the figures that are known, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import beta

import pufferfish as pf
from pufferfish.recoding.regions import region_of_pair

FIRST, SECOND = (40, 7, 1, 0), (12, 0, 30, 2)


def region(shape: str, cells: int | None = None, confidence: float = 0.95) -> pf.SampleRegion:
    return pf.SampleRegion(confidence=confidence, shape=shape, cells=cells, pairs=1)  # type: ignore[arg-type]


def bound(shape: str, cells: int | None, columns: np.ndarray, confidence: float = 0.95) -> float:
    found = region_of_pair(region(shape, cells, confidence), FIRST, SECOND)
    worst = found.search(columns, 2.0 * columns)
    witnesses = np.column_stack([worst.above, worst.below, worst.price])
    upper = found.excess(columns, 2.0 * columns, witnesses)
    assert (worst.excess <= upper).all()
    return float(upper[0])


@pytest.mark.parametrize(("shape", "cells"), [("dirichlet", None), ("likelihood", 5), ("boxes", 5)])
def test_more_confidence_covers_more(shape: str, cells: int | None) -> None:
    columns = np.array([[0.9, 0.4, 0.2, 0.6]])
    found = [bound(shape, cells, columns, each) for each in (0.5, 0.9, 0.95, 0.999)]
    assert found == sorted(found)
    plain = np.array(FIRST) / sum(FIRST) @ columns[0] - 2.0 * np.array(SECOND) / 44 @ columns[0]
    assert plain < found[0]


def test_boxes_are_filled_as_a_linear_program_fills_them() -> None:
    generator = np.random.default_rng(0)
    columns = generator.random((6, 4))
    found = region_of_pair(region("boxes", 5), FIRST, SECOND)
    upper = found.excess(columns, 2.0 * columns, np.zeros((6, 3)))
    half = 0.05 / 10 / 2
    for y, column in enumerate(columns):
        value = 0.0
        for counts, wanted in ((FIRST, column), (SECOND, -2.0 * column)):
            rows = sum(counts)
            low = [beta.ppf(half, c, rows - c + 1) if c else 0.0 for c in counts]
            high = [beta.ppf(1 - half, c + 1, rows - c) if c < rows else 1.0 for c in counts]
            # What is not listed is published as a mixture of rows: as the worst of them.
            w = np.append(wanted, wanted.max())
            limits = [*zip(low, high, strict=True), (0.0, 1.0 - half ** (1.0 / rows))]
            value -= linprog(-w, A_eq=np.ones((1, 5)), b_eq=[1.0], bounds=limits).fun
        assert upper[y] == pytest.approx(value, rel=1e-7)
        assert upper[y] >= value - 1e-12  # what the linear program rounds


def test_boxes_without_room_for_others_are_a_little_tighter() -> None:
    columns = np.array([[0.9, 0.4, 0.2, 0.6]])
    assert bound("boxes", 4, columns) < bound("boxes", 5, columns)


def test_the_radius_of_the_likelihood_is_that_of_agrawal() -> None:
    found = region_of_pair(region("likelihood", 17), (10,) * 17, (10,) * 17)
    t, d = found.radius, 32  # type: ignore[attr-defined]
    assert t > d
    assert -t + d * (1.0 + math.log(t / d)) <= math.log(0.05)
    assert -0.999 * t + d * (1.0 + math.log(0.999 * t / d)) > math.log(0.05)


def test_more_cells_than_the_region_knows_are_refused() -> None:
    with pytest.raises(pf.UnsupportedError, match="cells="):
        region_of_pair(region("likelihood", 3), FIRST, SECOND)


def test_recodings_are_not_judged_by_a_band() -> None:
    widths, rows = (("a", 0.1), ("b", 0.1)), (("a", 900), ("b", 900))
    band = pf.SampleRegion(confidence=0.95, shape="band", widths=widths, rows=rows, pairs=1)
    with pytest.raises(pf.UnsupportedError, match="dirichlet"):
        region_of_pair(band, FIRST, SECOND)


@pytest.mark.parametrize(("shape", "cells"), [("dirichlet", None), ("likelihood", 5), ("boxes", 5)])
def test_true_laws_are_inside_as_often_as_stated(shape: str, cells: int | None) -> None:
    # At 50%, where a region that is too small shows: 400 samples, false alarms below 1e-6.
    generator = np.random.default_rng(5)
    p, q = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.1, 0.2, 0.3, 0.4])
    columns = generator.random((8, 4))
    inside = 0
    for _ in range(400):
        rows = generator.multinomial(60, p), generator.multinomial(25, q)
        found = region_of_pair(region(shape, cells, 0.5), *(each.tolist() for each in rows))
        worst = found.search(columns, 2.0 * columns)
        witnesses = np.column_stack([worst.above, worst.below, worst.price])
        upper = found.excess(columns, 2.0 * columns, witnesses)
        inside += bool((columns @ p - 2.0 * columns @ q <= upper).all())
    assert inside >= 0.5 * 400 - 5.0 * math.sqrt(100.0)
