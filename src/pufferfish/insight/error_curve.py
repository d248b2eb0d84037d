"""What a recoding would err for other ε, with all else as it was asked."""

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

# As parts of the ε that is promised.
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
        held_out: What ε becomes on rows that were not used; None where nobody looked.
    """

    epsilon: float
    rmse: float
    laplace_rmse: float | None
    held_out: float | None = None


def error_curve(calibration: Calibration, splits: int = 0) -> tuple[ErrorPoint, ...]:
    """A quarter of the ε that is promised to four times as much, in rising order.

    With `splits`, each has what ε becomes on rows that were not used, where beliefs were counted
    from rows: the median of this many random splits, which tells of private rows.

    Empty where nobody can ask again, with a loss of one's own or a map of somebody else; and where
    that would take long. Weights of one's own are not known here: the loss counts all rows alike.
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
    """The edges of bins; none where they only lie between listed values, for noise goes first."""
    listed = set(law.cells.numbers)
    priors = (each for belief in calibration.scenario.beliefs for each in belief.priors.values())
    if all(isinstance(each, Discrete) and listed.issuperset(each.values) for each in priors):
        return None
    return law.edges
