"""What a recoding would err for other ε, with all else as it was asked."""

from __future__ import annotations

from dataclasses import dataclass

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.result import Calibration, Recode
from pufferfish.core.errors import PufferfishError
from pufferfish.recoding.law import Recoding

__all__ = ["ErrorPoint", "error_curve"]

# As parts of the ε that is promised.
_PARTS = (0.25, 0.5, 2.0, 4.0)
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
    """

    epsilon: float
    rmse: float
    laplace_rmse: float | None


def error_curve(calibration: Calibration) -> tuple[ErrorPoint, ...]:
    """A quarter of the ε that is promised to four times as much, in rising order.

    Empty where nobody can ask again, with a loss of one's own or a map of somebody else; and where
    that would take long. Weights of one's own are not known here: the loss counts all rows alike.
    """
    law, asked, goal = calibration.mechanism, calibration.recode, calibration.goal
    if asked is None or asked.loss == "own" or not isinstance(law, Recoding):
        return ()
    if len(law.values) > (_MOST_WRONG if asked.wrong else _MOST_CELLS):
        return ()
    found = [_point(goal.epsilon, asked)]
    for part in _PARTS:
        wanted = Guarantee(part * goal.epsilon, goal.delta)
        try:
            other = calibrate(
                calibration.scenario,
                wanted,
                mechanism="recode",
                floor="noise" if asked.floor_of_noise else asked.floor,
                wrong=asked.wrong,
                loss=asked.loss,
                keep_histogram=asked.keep_histogram,
                metric=law.distances,
                edges=_given_edges(calibration, law),
                nominal=True,
            )
        except PufferfishError:
            continue  # it cannot be reached
        if other.recode is not None:
            found.append(_point(wanted.epsilon, other.recode))
    return tuple(sorted(found, key=lambda each: each.epsilon))


def _point(epsilon: float, recode: Recode) -> ErrorPoint:
    return ErrorPoint(epsilon=epsilon, rmse=recode.rmse, laplace_rmse=recode.laplace_rmse)


def _given_edges(calibration: Calibration, law: Recoding) -> tuple[float, ...] | None:
    """The edges of bins; none where they only lie between listed values, for noise goes first."""
    listed = set(law.cells.numbers)
    priors = (each for belief in calibration.scenario.beliefs for each in belief.priors.values())
    if all(isinstance(each, Discrete) and listed.issuperset(each.values) for each in priors):
        return None
    return law.edges
