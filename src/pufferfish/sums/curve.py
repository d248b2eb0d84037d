"""Scale against the number of users, all alike: the paper's Fig. 2, and the exact curve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import finite, nonnegative, require
from pufferfish.sums.calibration import calibrate_sum
from pufferfish.sums.users import identical
from pufferfish.theorems import Tau, cor_1a_identical

__all__ = ["ScaleCurve", "scale_curve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleCurve:
    """The scale for each number of identical users.

    Attributes:
        variance: The variance of what each user adds.
        users: The numbers of users.
        paper: The scale of `cor-1a-identical`; None where it does not apply (δ = 0).
        exact: The least certified scale; 0 where no noise is needed.
    """

    variance: float
    users: tuple[int, ...]
    paper: tuple[float, ...] | None
    exact: tuple[float, ...]


def scale_curve(
    users: Iterable[int],
    mean: float,
    variances: Iterable[float],
    goal: Guarantee,
    tau: Tau = "exact",
) -> tuple[ScaleCurve, ...]:
    """One curve for each variance: presence of one of K users who all have this mean."""
    numbers, centre = tuple(users), finite("mean", mean)
    require(bool(numbers), "users must not be empty.")
    curves = []
    for variance in variances:
        std = nonnegative("a variance", variance) ** 0.5
        paper: tuple[float, ...] | None
        try:
            paper = tuple(cor_1a_identical.scale(k, centre, std, goal, tau) for k in numbers)
        except UnsupportedError:
            paper = None
        exact = tuple(calibrate_sum(identical(k, centre, std), goal).scale for k in numbers)
        curves.append(ScaleCurve(variance=variance, users=numbers, paper=paper, exact=exact))
    return tuple(curves)
