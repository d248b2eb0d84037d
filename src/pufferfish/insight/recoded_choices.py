"""A table to choose ε from, for recodings: what each costs those who use the column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.rows import share
from pufferfish.core.errors import UnreachableGoalError
from pufferfish.core.validation import require
from pufferfish.insight.guesses import accuracy_allowed, accuracy_upper
from pufferfish.insight.strongest import EPSILONS

__all__ = ["RecodedChoice", "choose_recoding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecodedChoice:
    """One promise, and what its recoding means for those who use the column and those who pry.

    Attributes:
        goal: The promise.
        rmse: The root mean square error of a published value.
        unchanged: The share of values that are published as they are.
        constant_rmse: The error of publishing one constant for everybody.
        laplace_rmse: That of the least Laplace noise; None where there is none.
        accuracy_after: How often an ideal adversary guesses right of two secrets, at worst.
        accuracy_allowed: The same, by the promise alone.
    """

    goal: Guarantee
    rmse: float
    unchanged: float
    constant_rmse: float
    laplace_rmse: float | None
    accuracy_after: float
    accuracy_allowed: float


def choose_recoding(
    scenario: Scenario,
    delta: float = 0.0,
    epsilons: tuple[float, ...] = EPSILONS,
    *,
    rows: int = 1,
    progress: Callable[[float], None] | None = None,
    **recoding: Any,
) -> tuple[RecodedChoice, ...]:
    """The recoding with the least loss for several ε.

    Args:
        scenario: What must look alike, to whom.
        delta: The δ of the promise.
        epsilons: The ε to try.
        rows: How many rows of one person the promise is for, independent given the secret.
        progress: Told the share of the ε that are done.
        **recoding: Arguments of `calibrate` that are about a recoding.

    Raises:
        UnreachableGoalError: None of them can be reached.
    """
    require(bool(epsilons), "epsilons must not be empty.")
    found = []
    for number, epsilon in enumerate(epsilons, start=1):
        goal = Guarantee(epsilon, delta)
        try:
            made = calibrate(scenario, share(goal, rows), mechanism="recode", **recoding)
        except UnreachableGoalError as error:
            refused = error
            continue
        figures = made.recode
        if figures is not None:
            found.append(
                RecodedChoice(
                    goal=goal,
                    rmse=figures.rmse,
                    unchanged=figures.unchanged,
                    constant_rmse=figures.constant_rmse,
                    laplace_rmse=figures.laplace_rmse,
                    accuracy_after=accuracy_upper(scenario, made.mechanism),
                    accuracy_allowed=accuracy_allowed(goal),
                )
            )
        if progress is not None:
            progress(number / len(epsilons))
    if not found:
        raise refused
    return tuple(found)
