"""The paper's scales for sums: Fig. 2, groups, and the limit."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.sums import Users, binary, calibrate_sum, identical, moments, scale_curve
from pufferfish.sums.calibration import SumMethod
from pufferfish.sums.paper import limit_scale, paper_scales
from pufferfish.sums.secret import Protect, Protected
from pufferfish.theorems import cor_1a, cor_1a_identical, cor_1b

DATA = Path(__file__).parents[1] / "data" / "fig2_identical_users.csv"
PRESENCE = Protected()
GOAL = pf.Guarantee(1.0, 0.3)


def figure_2() -> dict[float, list[tuple[int, float]]]:
    curves: dict[float, list[tuple[int, float]]] = {}
    with DATA.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = int(row["K"]), float(row["b_epsilon1_delta0.3"])
            curves.setdefault(float(row["variance"]), []).append(point)
    return curves


def test_all_five_curves_of_figure_2() -> None:
    drawn = figure_2()
    assert sorted(drawn) == [1.0, 4.0, 9.0, 16.0, 25.0]
    for curve in scale_curve(range(1, 51), 1.0, drawn, GOAL, "lambert"):
        points = dict(drawn[curve.variance])
        assert curve.paper is not None
        for users, paper, exact in zip(curve.users, curve.paper, curve.exact, strict=True):
            # The figure's τ was found on a grid: 1.23738 where it is 1.23720.
            assert abs(paper - points[users]) <= 2e-4 * math.sqrt(curve.variance)
            assert exact <= paper


def test_the_other_tau_is_not_the_figures() -> None:
    paper = cor_1a_identical.scale(1, 1.0, 1.0, GOAL, "exact")
    assert abs(paper - dict(figure_2()[1.0])[1]) > 0.2


def test_no_paper_curve_without_delta() -> None:
    (curve,) = scale_curve([1, 100], 1.0, [1.0], pf.Guarantee(1.0))
    assert curve.paper is None
    # (1 + √3)/2 at any K, but for the grid.
    assert curve.exact == pytest.approx([0.5 * (1.0 + math.sqrt(3.0))] * 2, rel=2e-7)


@pytest.mark.parametrize("tau", ["exact", "lambert"])
def test_groups_are_as_many_users(tau: pf.theorems.Tau) -> None:
    means, stds, counts = [1.0, -2.0, 0.0], [0.5, 1.0, 3.0], [3, 1, 2]
    goal = pf.Guarantee(0.7, 1e-4)
    grouped = paper_scales("cor-1a", moments(means, stds, counts), PRESENCE, goal, tau)
    every = cor_1a.scales(np.repeat(means, counts), np.repeat(stds, counts), goal, tau)
    assert grouped == pytest.approx(every[[0, 3, 4]], rel=1e-14)


@pytest.mark.parametrize("count", [1, 2, 1000, 10**12])
def test_identical_users_by_both_corollaries(count: int) -> None:
    users, goal = identical(count, -0.5, 2.0), pf.Guarantee(1.0, 1e-6)
    alike = paper_scales("cor-1a-identical", users, PRESENCE, goal)
    assert paper_scales("cor-1a", users, PRESENCE, goal) == pytest.approx(alike, rel=1e-14)


def test_a_value_is_the_distance() -> None:
    users, goal = binary([0.5, 0.5, 0.1], [2.0, 2.0, 7.0]), pf.Guarantee(0.5)
    found = paper_scales("cor-1b", users, Protected(what="value"), goal)
    assert found.max() == cor_1b.scale(7.0, 0.0, goal) == 14.0


def test_the_limit_as_users_join() -> None:
    users, goal = identical(10**12, 0.5, 1.0), pf.Guarantee(1.0, 1e-3)
    assert limit_scale(users, goal) == 0.5
    found = float(paper_scales("cor-1a", users, PRESENCE, goal)[0])
    # σ·τ/(2√K), with τ(1e-3) = 3.29.
    assert 0.5 < found < 0.5 + 3.3 / 2e6


@pytest.mark.parametrize(
    ("method", "users", "protect"),
    [
        ("cor-1a", binary([0.5]), "value"),
        ("cor-1b", binary([0.5]), "presence"),
        ("cor-1a-identical", moments([0.0, 1.0], [1.0, 1.0]), "presence"),
    ],
)
def test_a_corollary_about_something_else_is_refused(
    method: SumMethod, users: Users, protect: Protect
) -> None:
    with pytest.raises(pf.UnsupportedError, match=method):
        calibrate_sum(users, GOAL, protect, method)
