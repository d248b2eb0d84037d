"""Fig. 2: the scale that hides one of K users in a sum, against K; the paper's, and the least."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import pufferfish as pf
from examples.paper.figure import Figure, Panel, Series
from examples.paper.published import Curve, scale_points

__all__ = ["GOAL", "MEAN", "Found", "compute", "figure", "largest_gap"]

GOAL = pf.Guarantee(1.0, 0.3)
MEAN = 1.0
# Values of δ that protect: a small one, and 0.
_SMALLER = (1e-3, 0.0)
# The numbers of users for which these are computed: beyond 20 nothing changes any more.
_FEWER = (*range(1, 21), 30, 40, 50)
# The points of the paper that are drawn.
_DRAWN = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50)
_INKS = ("first", "second", "third", "fourth", "level5")
_LETTERS = "bc"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Found:
    """The paper's points, and our curves.

    Attributes:
        points: The paper's points, for each variance.
        curves: Our curves for the paper's goal, with the Lambert form of τ.
        smaller: The least scales for smaller δ, for the smallest and the largest variance.
    """

    points: dict[float, Curve]
    curves: tuple[pf.sums.ScaleCurve, ...]
    smaller: tuple[tuple[float, tuple[pf.sums.ScaleCurve, ...]], ...]


def compute() -> Found:
    """Compute all curves; takes a second or two."""
    points = scale_points()
    users = [int(each) for each in next(iter(points.values())).x]
    ends = min(points), max(points)
    return Found(
        points=points,
        curves=pf.sums.scale_curve(users, MEAN, points, GOAL, "lambert"),
        smaller=tuple(
            (delta, pf.sums.scale_curve(_FEWER, MEAN, ends, pf.Guarantee(GOAL.epsilon, delta)))
            for delta in _SMALLER
        ),
    )


def largest_gap(form: pf.theorems.Tau) -> float:
    """The largest distance of the formula from the paper's points, in stds of one user."""
    return max(
        abs(
            pf.theorems.cor_1a_identical.scale(int(users), MEAN, math.sqrt(variance), GOAL, form)
            - float(scale)
        )
        / math.sqrt(variance)
        for variance, curve in scale_points().items()
        for users, scale in zip(curve.x, curve.y, strict=True)
    )


def figure(found: Found) -> Figure:
    """The paper's panel, and for two of its variances the scale that is needed."""
    free = max(curve.users[curve.exact.index(0.0)] for curve in found.curves)
    drawn_with = found.points[1.0].y[0] - MEAN
    return Figure(
        name="fig-2",
        number="Fig. 2",
        title="Scale against the number of users, all alike",
        words=(
            (
                "In the paper",
                "The bound for identical users at (ε, δ) = (1, 0.3), mean 1, variances 1 to 25.",
            ),
            (
                "Here",
                "(a) the paper’s points, and our cor-1a-identical with the Lambert form of τ: "
                f"they agree within {largest_gap('lambert'):.1g} stds. (b), (c) the least scale "
                "that truly suffices, by the exact certificate.",
            ),
            (
                "What to see",
                f"At δ = 0.3 no noise at all is needed from K = {free} on, for each of the five "
                "variances; δ = 0.001 needs some noise if users are few. Pure ε = 1 (δ = 0) takes "
                "the same noise for every K.",
            ),
            (
                "Where they differ",
                f"The figure’s τ is {drawn_with:.5f}, found on a grid; √W₀(2/(πδ²)) is "
                f"{pf.theorems.tau(GOAL.delta, 'lambert'):.5f}, and Q⁻¹(δ/2), by which the text "
                "defines τ*, is "
                f"{pf.theorems.tau(GOAL.delta):.5f}.",
            ),
        ),
        panels=(
            Panel(
                letter="a",
                title="the paper's bound, (1, 0.3)",
                caption="Diamonds: the paper’s points, the first six and some of the others. "
                "Lines: our formula.",
                x_label="number of users K",
                y_label="scale b",
                x_range=(-11.0, 51.0),
                y_range=(0.0, None),
                series=tuple(_bounds(found)),
            ),
            *(
                _least(found, letter, place)
                for letter, place in zip(_LETTERS, (0, -1), strict=True)
            ),
        ),
    )


def _bounds(found: Found) -> Iterator[Series]:
    for curve, ink in zip(found.curves, _INKS, strict=True):
        name = f"σ² = {curve.variance:g}"
        if curve.paper is not None:
            users, bound = np.array(curve.users, dtype=np.float64), np.array(curve.paper)
            yield Series(f"ours, {name}", users, bound, ink, note=name, listed=False)
    for curve, ink in zip(found.curves, _INKS, strict=True):
        points = found.points[curve.variance]
        drawn = np.isin(points.x, _DRAWN)
        label = f"the paper's points, σ² = {curve.variance:g}"
        yield Series(label, points.x[drawn], points.y[drawn], ink, "points", listed=False)


def _least(found: Found, letter: str, place: int) -> Panel:
    """The scale that is needed for one variance, compared with the paper's bound."""
    curve = found.curves[place]
    users = np.array(curve.users, dtype=np.float64)
    asked = [(GOAL.delta, users, curve.exact)]
    asked += [
        (delta, np.array(_FEWER, dtype=np.float64), curves[place].exact)
        for delta, curves in found.smaller
    ]
    lines = [
        Series(f"exact, δ = {delta:g}", x, np.array(exact), ink)
        for (delta, x, exact), ink in zip(asked, ("first", "third", "fourth"), strict=True)
    ]
    if curve.paper is not None:
        label = f"the paper's bound, δ = {GOAL.delta:g}"
        lines.insert(0, Series(label, users, np.array(curve.paper), "second"))
    return Panel(
        letter=letter,
        title=f"what is needed, σ² = {curve.variance:g}",
        caption="The least scale that keeps the promise, and the paper’s bound; 0 is no noise.",
        x_label="number of users K",
        y_label="scale b",
        x_range=(0.0, 51.0),
        y_range=(0.0, None),
        series=tuple(lines),
    )
