"""The error of a recoding for other ε, with all other options as they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import PufferfishError
from pufferfish.insight.held_out import held_out
from pufferfish.recoding.law import Recoding

__all__ = ["ErrorPoint", "error_curve"]

# As fractions of the promised ε.
_PARTS = (0.25, 0.5, 1.0, 2.0, 4.0)
# Cells of a map that is found again within seconds, with laws as they are and with wrong ones. No
# clock decides, so that the same record gives the same picture.
_MOST_CELLS, _MOST_WRONG = 120, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPoint:
    """One ε.

    Attributes:
        epsilon: What is promised.
        rmse: The root mean square error of a recoded value.
        laplace_rmse: That of the least Laplace noise; None where there is none.
        held_out: What ε becomes on held-out rows; None where that was not measured.
    """

    epsilon: float
    rmse: float
    laplace_rmse: float | None
    held_out: float | None = None


def error_curve(calibration: Calibration, splits: int = 0) -> tuple[ErrorPoint, ...]:
    """The errors from a quarter of the promised ε to four times as much, in rising order.

    With `splits`, each point has what ε becomes on held-out rows, if beliefs were counted from
    rows: the median of this many random splits, which reveals something about private rows.

    Empty where the recoding cannot be found again, because its loss is the curator's own or it
    comes from elsewhere; and where that would take long. The curator's own weights are not known
    here: the loss counts all rows alike.
    """
    law, asked, goal = calibration.mechanism, calibration.recode, calibration.goal
    if asked is None or asked.loss == "own" or not isinstance(law, Recoding):
        return ()
    if len(law.values) > (_MOST_WRONG if asked.wrong else _MOST_CELLS):
        return ()
    options: dict[str, Any] = {
        "mechanism": "recode",
        "floor": "noise" if asked.floor_of_noise else asked.floor,
        "wrong": asked.wrong,
        "loss": asked.loss,
        "keep_histogram": asked.keep_histogram,
        "metric": law.distances,
        "edges": _given_edges(calibration, law),
        "nominal": True,
    }
    found = []
    for part in _PARTS:
        wanted = Guarantee(part * goal.epsilon, goal.delta)
        try:
            other = calibration
            if part != 1.0:
                other = calibrate(calibration.scenario, wanted, **options)
        except PufferfishError:
            continue  # it cannot be reached
        if other.recode is not None:
            point = ErrorPoint(
                epsilon=wanted.epsilon,
                rmse=other.recode.rmse,
                laplace_rmse=other.recode.laplace_rmse,
                held_out=_held_out(calibration, wanted, splits, options),
            )
            found.append(point)
    return tuple(found)


def _held_out(
    calibration: Calibration, goal: Guarantee, splits: int, options: dict[str, Any]
) -> float | None:
    if not splits:
        return None
    try:
        return held_out(calibration.scenario, goal, splits=splits, **options).epsilon
    except PufferfishError:
        return None  # no belief was counted from rows


def _given_edges(calibration: Calibration, law: Recoding) -> tuple[float, ...] | None:
    """The edges of bins; none where they only separate listed values, since noise comes first."""
    listed = set(law.cells.numbers)
    priors = (each for belief in calibration.scenario.beliefs for each in belief.priors.values())
    if all(isinstance(each, Discrete) and listed.issuperset(each.values) for each in priors):
        return None
    return law.edges
