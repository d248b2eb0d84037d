"""Fig. 2: our curve on the paper's points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples.paper import Written
from examples.paper.fig_2 import largest_gap
from scipy.special import lambertw
from scipy.stats import norm

from tests.paper.conftest import figure_of, reference, series_of


def test_our_curves_pass_through_the_papers_points(written: Written) -> None:
    drawn = series_of(written, "fig-2", "a")
    tau = math.sqrt(lambertw(2.0 / (math.pi * 0.3**2)).real)
    seen = 0
    for row in reference("fig2_identical_users.csv"):
        variance, users = float(row["variance"]), int(row["K"])
        std, scale = math.sqrt(variance), float(row["b_epsilon1_delta0.3"])
        ours = drawn[f"ours, σ² = {variance:g}"]
        (found,) = ours.y[ours.x == users]
        assert found == pytest.approx(
            1.0 + (math.sqrt(users) - math.sqrt(users - 1)) * std * tau, rel=1e-13
        )
        # The figure's τ was found on a grid: 1.23738 where it is 1.23720.
        assert abs(found - scale) <= 2e-4 * std
        seen += 1
    assert seen == 250


def test_the_points_that_are_drawn_are_the_papers(written: Written) -> None:
    points = {
        (float(row["variance"]), float(row["K"])): float(row["b_epsilon1_delta0.3"])
        for row in reference("fig2_identical_users.csv")
    }
    drawn = series_of(written, "fig-2", "a")
    shown = [each for each in drawn.items() if each[1].shape == "points"]
    assert len(shown) == 5
    for label, each in shown:
        variance = float(label.rpartition("= ")[2])
        for users, scale in zip(each.x, each.y, strict=True):
            assert points[variance, users] == scale


def test_the_other_tau_would_miss_them() -> None:
    assert largest_gap("lambert") <= 2e-4
    # At K = 1 the gap is the difference of the two forms.
    wanted = 1.23738 - norm.isf(0.15)
    assert largest_gap("exact") == pytest.approx(wanted, abs=1e-5)


def test_what_is_needed_is_less(written: Written) -> None:
    for letter in "bc":
        drawn = series_of(written, "fig-2", letter)
        paper = drawn["the paper's bound, δ = 0.3"]
        exact = drawn["exact, δ = 0.3"]
        assert (exact.y <= paper.y).all()
        # A user alone is hidden by noise only; one of two or more by the others.
        assert exact.y[0] > 0.0
        assert not exact.y[1:].any()
        assert (drawn["exact, δ = 0.001"].y <= drawn["exact, δ = 0"].y).all()


@pytest.mark.parametrize(("letter", "variance"), [("b", 1.0), ("c", 25.0)])
def test_pure_epsilon_costs_the_same_for_all_numbers(
    written: Written, letter: str, variance: float
) -> None:
    pure = series_of(written, "fig-2", letter)["exact, δ = 0"].y
    # The tails decide: 1/b + σ²/(2b²) = 1, the presence of one user, whatever K is.
    wanted = 0.5 * (1.0 + math.sqrt(1.0 + 2.0 * variance))
    np.testing.assert_allclose(pure, wanted, rtol=3e-7)  # the grid of the noise is reserved
    assert (pure >= wanted).all()


def test_it_says_from_when_on_nothing_is_needed(written: Written) -> None:
    words = dict(figure_of(written, "fig-2").words)
    assert "from K = 2 on" in words["What to see"]
    assert "1.23738" in words["Where they differ"]
