"""τ(δ): both forms against 50 digits, from δ near 1 to δ = 1e-300."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from pufferfish.theorems import tau

DELTAS = [0.999, 0.9, 0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-10, 1e-17, 1e-50, 1e-100, 1e-200, 1e-300]
# From 1 − 1e-3 to 1e-300, evenly in the logarithm of δ and again near 1.
deltas = st.one_of(st.floats(-300.0, -1.0).map(lambda x: 10.0**x), st.floats(0.1, 0.999))


def exact_tau(delta: float) -> Any:
    """t with P(|Z| > t) = erfc(t/√2) = δ, by bisection at 50 digits."""
    with mp.workdps(50):
        low, high = mpf(0), mpf(40)
        for _ in range(180):
            middle = (low + high) / 2
            if mp.erfc(middle / mp.sqrt(2)) > delta:
                low = middle
            else:
                high = middle
        return high


def lambert_tau(delta: float) -> Any:
    with mp.workdps(50):
        return mp.sqrt(mp.lambertw(2 / (mp.pi * mpf(delta) ** 2)).real)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_exact_form_is_the_quantile(delta: float) -> None:
    # SciPy's ndtri is good to a few units in the last place; near δ = 1 it loses a digit or two.
    assert abs(tau(delta) / exact_tau(delta) - 1) < 1e-13


@given(deltas)
def test_the_exact_form_leaves_delta_outside(delta: float) -> None:
    with mp.workdps(50):
        left = mp.erfc(mpf(tau(delta)) / mp.sqrt(2)) / delta
    # An error of 1e-15 in τ ≤ 37.1 changes the tail by τ²·1e-15.
    assert abs(left - 1) < 2e-12


@pytest.mark.parametrize("delta", DELTAS)
def test_the_lambert_form_is_the_root_of_w(delta: float) -> None:
    assert abs(tau(delta, "lambert") / lambert_tau(delta) - 1) < 1e-14  # a few roundings


@given(deltas)
def test_the_lambert_form_solves_its_equation(delta: float) -> None:
    """τ²·e^{τ²} = 2/(πδ²), which says that the bound e^{−τ²/2}/(τ√(2π)) on the tail is δ/2."""
    with mp.workdps(50):
        square = mpf(tau(delta, "lambert")) ** 2
        both = mp.log(square) + square, mp.log(2 / mp.pi) - 2 * mp.log(mpf(delta))
    assert abs(both[0] - both[1]) < 1e-14 * (1 + abs(both[1]))  # relative error of τ²


@given(deltas)
def test_the_lambert_form_is_never_smaller(delta: float) -> None:
    assert tau(delta, "lambert") >= tau(delta, "exact")


@pytest.mark.parametrize("form", ["exact", "lambert"])
@given(deltas, st.floats(1e-3, 0.999))
def test_a_smaller_delta_never_has_a_smaller_tau(form: str, delta: float, factor: float) -> None:
    assert tau(delta * factor, form) > tau(delta, form) > 0.0


@pytest.mark.parametrize("form", ["exact", "lambert"])
def test_there_is_no_finite_tau_at_zero(form: str) -> None:
    assert tau(0.0, form) == math.inf


def test_the_default_is_exact() -> None:
    assert tau(0.3) == tau(0.3, "exact")
    # As known from tables of the normal law, and 1.2372 as known from the paper's Fig. 2.
    assert tau(0.3) == pytest.approx(1.036433, abs=5e-7)
    assert tau(0.3, "lambert") == pytest.approx(1.23720, abs=5e-6)
