"""Sums of exponentials on pieces: against dense points and against quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pufferfish.core.validation import FloatArray
from pufferfish.exact.pieces import Pieces

coefficients = st.one_of(st.just(0.0), st.floats(1e-12, 1.0))
widths = st.floats(1e-6, 20.0)


def pieces(w: float, m: float, a: float, b: float, c: float, d: float) -> Pieces:
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([[a], [b], [c], [d]]))
    return Pieces(np.array([w]), np.array([m]), logs[0], logs[1], logs[2], logs[3], 0.0)


@settings(max_examples=300, deadline=None)
@given(widths, coefficients, coefficients, coefficients, coefficients, coefficients)
def test_the_largest_ratio_is_that_of_dense_points(
    w: float, m: float, a: float, b: float, c: float, d: float
) -> None:
    if m + a + b == 0.0 or c + d == 0.0:
        return
    made = pieces(w, m, a, b, c, d)
    s = np.append(np.linspace(0.0, w, 4001), made.vertex(0))
    assert 0.0 <= made.vertex(0) <= w
    top = m + a * np.exp(s - w) + b * np.exp(-s)
    below = c * np.exp(s - w) + d * np.exp(-s)
    found = float(made.log_ratios()[0])
    seen = float(np.log(top / below).max())
    # Rounding of the dense points themselves.
    assert seen <= found + 1e-13
    assert found <= seen + 1e-9


@settings(max_examples=200, deadline=None)
@given(
    widths,
    coefficients,
    coefficients,
    coefficients,
    coefficients,
    coefficients,
    st.floats(0.0, 2.0),
)
def test_the_excess_is_that_of_quadrature(
    w: float, m: float, a: float, b: float, c: float, d: float, epsilon: float
) -> None:
    if m + a + b == 0.0 or c + d == 0.0:
        return
    count = 400_000
    edges = np.linspace(0.0, w, count + 1)
    s = 0.5 * (edges[:-1] + edges[1:])

    def excess(at: FloatArray) -> FloatArray:
        top = m + a * np.exp(at - w) + b * np.exp(-at)
        below = c * np.exp(at - w) + d * np.exp(-at)
        return np.maximum(top - math.exp(epsilon) * below, 0.0)

    seen = 0.5 * (excess(s).mean() * w + excess(np.array([0.0, w])).sum())
    found = pieces(w, m, a, b, c, d).delta_upper(epsilon)
    # Midpoints: h²/24 times what the slope changes by, which is below 32, and a kink of 4h².
    room = 8.0 * (w / count) ** 2 * (1.0 + w)
    assert min(seen, 1.0) - room - 1e-12 <= found <= min(seen, 1.0) + room + 1e-12


@pytest.mark.parametrize("far", [50.0, 900.0, 1e5])
def test_parts_that_floats_cannot_hold_keep_their_ratio(far: float) -> None:
    one, other, less = np.array([-far]), np.array([-far - 1.0]), np.array([-far - 2.0])
    made = Pieces(np.array([1.0]), np.array([0.0]), one, other, less, less, 0.0)
    assert float(made.log_ratios()[0]) == pytest.approx(
        2.0 + math.log((1.0 + math.exp(-2.0)) / (1.0 + math.exp(-1.0))), abs=1e-9 * (1.0 + far)
    )
    assert made.delta_upper(3.0) == 0.0
