"""Theorem 2 and Corollary 2 fail: by certificate and by counting."""

from __future__ import annotations

import numpy as np
import pytest
from examples.paper import Written
from examples.paper.counterexamples import CASES, count_hits

from pufferfish.audits.draws import generator
from tests.paper.conftest import figure_of, series_of

# From 40-digit arithmetic; see tests/theorems/test_theorem_2_fails.py.
TRUE = {"Theorem 2": 0.0499005, "Corollary 2": 0.1905907}


@pytest.mark.parametrize("place", [0, 1])
def test_certificate_and_draws_agree_that_the_promise_is_broken(
    written: Written, place: int
) -> None:
    found = written.reproduction.cases[place]
    promised, certificate = found.case.goal.delta, found.formula.certificate
    assert certificate.holds is False
    # The formula's noise has a grid, for which it is 1e-7 larger.
    true = TRUE[found.case.statement]
    assert certificate.delta_lower - 1e-6 <= true <= certificate.delta_upper + 1e-6
    seen = found.counted
    assert seen.delta_lower > promised
    assert seen.delta_lower <= certificate.delta_upper
    assert certificate.delta_lower <= seen.delta_upper
    # Narrow enough to mean something.
    assert seen.delta_upper - seen.delta_lower < 0.1 * true + 0.002


def test_the_promises_are_the_papers() -> None:
    assert [(case.method, case.goal.epsilon, case.goal.delta) for case in CASES] == [
        ("thm-2", 1.0, 1e-3),
        ("cor-2", 1.0, 0.0),
    ]


@pytest.mark.parametrize("place", [0, 1])
def test_with_the_exact_scale_draws_show_nothing(written: Written, place: int) -> None:
    """The same counting, on noise that suffices: it must not cry out (but for 4e-6)."""
    found = written.reproduction.cases[place]
    assert found.exact.certified
    seen = count_hits(found.case, found.scales[1], generator(3))
    assert seen.delta_lower <= found.case.goal.delta


@pytest.mark.parametrize(("place", "letter"), [(0, "b"), (1, "d")])
def test_the_log_ratio_breaks_through_where_the_second_component_sits(
    written: Written, place: int, letter: str
) -> None:
    found = written.reproduction.cases[place]
    drawn = series_of(written, "counterexamples", letter)
    exact, formula = (
        next(each for label, each in drawn.items() if label.startswith(start))
        for start in ("exact", found.case.statement)
    )
    epsilon = found.case.goal.epsilon
    assert drawn["±ε"].y.tolist() == [-epsilon, epsilon]
    outside = formula.x[formula.y > epsilon]
    last = found.case.second.components().means[-1]
    assert outside.min() < last <= outside.max()
    # Where the first component is, nothing happens.
    assert np.abs(formula.y[formula.x < 3.0]).max() < epsilon
    slack = 1e-6 if found.case.goal.pure else 0.1  # δ > 0 allows a little outside
    assert np.abs(exact.y).max() <= epsilon + slack


def test_the_words_have_the_numbers(written: Written) -> None:
    words = dict(figure_of(written, "counterexamples").words)
    for statement, number in (("Theorem 2", "0.0499"), ("Corollary 2", "0.1905")):
        assert number in words[statement]
        assert "seeded draws" in words[statement]
