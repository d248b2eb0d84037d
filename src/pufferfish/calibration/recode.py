"""The recoding with the least loss that keeps a promise, with its exact certificate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, cast

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.calibration.least_noise import calibrate_noise
from pufferfish.calibration.losses import Column, Loss, Weights, column_of, cost_of
from pufferfish.calibration.result import Calibration, Recode
from pufferfish.core.errors import CertificationError, InvalidInputError, PufferfishError
from pufferfish.core.validation import FloatArray, positive, probability_below_one, require
from pufferfish.exact import verify
from pufferfish.exact.family import laplace_family
from pufferfish.exact.recoded import cell_law
from pufferfish.noise import LaplaceNoise, Noise
from pufferfish.recoding.bins import between, cells_of
from pufferfish.recoding.domain import Cells
from pufferfish.recoding.kernels import (
    apart,
    exponential_kernel,
    line_floor,
    line_kernel,
    metric_floor,
)
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.least_loss import Found, Task, least_loss
from pufferfish.recoding.table import Duty

__all__ = ["Asked", "AskedFloor", "calibrate_recoding", "check_asked"]

AskedFloor = Literal["noise"] | float | None
# How long the search may take before it is content with what it has.
_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """What is asked of a recoding; the arguments of `calibrate`, checked."""

    floor: AskedFloor
    wrong: float
    loss: Loss
    keep_histogram: bool
    weights: Weights | None
    distances: FloatArray | None
    edges: tuple[float, ...] | None
    nominal: bool
    seconds: float | None

    @property
    def is_default(self) -> bool:
        """Whether nothing was asked."""
        nothing = (self.weights, self.distances, self.edges, self.seconds)
        said = (self.floor, self.wrong, self.keep_histogram, self.nominal)
        return (
            nothing == (None,) * 4
            and said == ("noise", 0.0, True, False)
            and isinstance(self.loss, str)
            and self.loss == "squared"
        )


def calibrate_recoding(
    scenario: Scenario,
    goal: Guarantee,
    asked: Asked,
    progress: Callable[[int], None] | None = None,
) -> Calibration:
    """The recoding with the least loss.

    Args:
        scenario: What must look alike, to whom.
        goal: The promise.
        asked: Of the recoding.
        progress: Told how often the program was solved.

    Raises:
        InvalidInputError: The promise would not survive the next sample, and that is not meant.
        UnreachableGoalError: No noise keeps the promise, so there is no floor of that noise.
    """
    noise = _least_noise(scenario, goal, needed=asked.floor == "noise")
    _refuse_brittle(scenario, asked, noise)
    column = column_of(scenario, asked.weights)
    domain = cells_of(scenario, column.values, asked.edges)
    cells, kappa = _choose_floor(domain, goal, asked, noise)
    cost, histogram = cost_of(column, cells, asked.loss)
    found = least_loss(
        Task(
            duty=_duty(scenario, goal, cells, kappa, asked),
            cost=cost,
            kernel=_kernel(cells, kappa, asked.distances),
            fixed=asked.floor == "noise",
            histogram=histogram if asked.keep_histogram else None,
        ),
        seconds=_SECONDS if asked.seconds is None else asked.seconds,
        progress=progress,
    )
    law = Recoding(
        values=cells.values,
        outputs=cells.values,
        table=found.table,
        edges=cells.edges,
        noise=cells.noise,
        floor=kappa,
        distances=asked.distances,
    )
    certificate = verify(scenario, law, goal, wrong=asked.wrong)
    if certificate.holds is not True:
        raise CertificationError(
            f"the recoding that was found cannot be shown to keep {goal}: the promise is finer "
            "than whole numbers over 2^62 can tell."
        )
    return Calibration(
        scenario=scenario,
        goal=goal,
        method="recode",
        mechanism=law,
        certificate=certificate,
        recode=_figures(column, law, found, asked, noise),
    )


def _least_noise(scenario: Scenario, goal: Guarantee, *, needed: bool) -> Noise | None:
    """The least Laplace noise for rows that have a value; None where there is none."""
    whole = Scenario([_without_holes(each) for each in scenario.beliefs], scenario.pairs)
    try:
        found = calibrate_noise(whole, goal)
    except PufferfishError:
        if needed:
            raise
        return None
    return found.noise


def _without_holes(belief: Belief) -> Belief:
    if not any(belief.missing.values()):
        return belief
    return replace(belief, missing={}, missing_counts={})


def _refuse_brittle(scenario: Scenario, asked: Asked, noise: Noise | None) -> None:
    """A map that was fitted to one table without slack promises nothing about the next."""
    if asked.nominal or asked.wrong or all(belief.public for belief in scenario.beliefs):
        return
    if asked.floor == "noise":
        return
    size = 0.0 if noise is None else noise.size
    if asked.floor is not None and asked.floor * size <= 1.0:
        return
    raise InvalidInputError(
        "this floor is weaker than that of the least noise, and the laws are taken to be exactly "
        "those of one table: such a promise does not survive the next sample. Say by how much the "
        'laws may be wrong (wrong=0.03, --wrong 0.03), use floor="noise" (--floor noise), or, to '
        "see what the table by itself allows, nominal=True (--nominal)."
    )


def _choose_floor(
    cells: Cells, goal: Guarantee, asked: Asked, noise: Noise | None
) -> tuple[Cells, float | None]:
    """The cells, with noise that goes first where that is what gives the floor; and κ otherwise.

    On listed values the kernel of the floor loses less than noise, and keeps the same pure ε. With
    δ > 0 only the noise itself keeps all that it protects, and between values of a bin only noise
    makes a floor.
    """
    if asked.floor is None:
        return cells, None
    if asked.floor == "noise":
        if noise is None or noise.identity:
            return cells, None  # nothing has to be hidden
        first, kappa = cast("LaplaceNoise", noise), 1.0 / noise.size
    else:
        kappa = positive("floor", asked.floor)
        size = math.nextafter(1.0 / kappa, math.inf)
        first = laplace_family(goal)(size)
    listed = cells.edges is None
    if listed and (goal.pure or asked.floor != "noise"):
        return cells, kappa
    require(asked.distances is None, "distances of your own need listed values and delta = 0.")
    return replace(cells, edges=cells.edges or between(cells.numbers), noise=first), None


def _kernel(cells: Cells, kappa: float | None, distances: FloatArray | None) -> FloatArray | None:
    if kappa is None:
        return None
    kernel = (
        line_kernel(np.array(cells.numbers), kappa)
        if distances is None
        else exponential_kernel(distances, kappa)
    )
    return apart(kernel) if cells.takes_missing else kernel


def _duty(
    scenario: Scenario, goal: Guarantee, cells: Cells, kappa: float | None, asked: Asked
) -> Duty:
    secrets = scenario.secrets
    places = {secret: place for place, secret in enumerate(secrets)}
    pairs = tuple((places[first], places[second]) for first, second in scenario.pairs)
    floor: tuple[tuple[int, int, Fraction], ...] = ()
    if kappa is not None and asked.distances is None:
        floor = line_floor(np.array(cells.numbers), kappa)
    elif kappa is not None and asked.distances is not None:
        floor = metric_floor(asked.distances, kappa)
    return Duty(
        laws=tuple(
            tuple(cell_law(cells, belief, secret) for secret in secrets)
            for belief in scenario.beliefs
        ),
        pairs=(pairs,) * len(scenario.beliefs),
        goal=goal,
        wrong=Fraction(asked.wrong),
        floor=floor,
    )


def _figures(
    column: Column, law: Recoding, found: Found, asked: Asked, noise: Noise | None
) -> Recode:
    frequencies = column.frequencies
    return Recode(
        floor=law.kappa,
        floor_of_noise=asked.floor == "noise",
        wrong=asked.wrong,
        loss=asked.loss if isinstance(asked.loss, str) else "own",
        keep_histogram=asked.keep_histogram,
        mean_loss=float(found.loss),
        least_loss=found.bound,
        rmse=law.rmse(frequencies),
        unchanged=law.unchanged(frequencies),
        moved=law.moved(frequencies),
        constant_rmse=column.std,
        laplace_rmse=None if noise is None else noise.error(),
    )


def check_asked(
    *,
    floor: object,
    wrong: object,
    loss: object,
    keep_histogram: bool,
    weights: Weights | None,
    metric: object,
    edges: object,
    nominal: bool,
    seconds: float | None,
) -> Asked:
    """The arguments, as far as they can be checked by themselves."""
    if not (floor is None or floor == "noise" or isinstance(floor, int | float)):
        raise InvalidInputError(
            f'floor must be "noise", a number in units of the column, or None, got {floor!r}.'
        )
    known: Loss = "squared" if loss is None else loss  # type: ignore[assignment]  # checked below
    if isinstance(known, str):
        require(
            known in ("squared", "absolute", "changed"),
            f'loss must be "squared", "absolute", "changed" or a matrix, got {known!r}.',
        )
    return Asked(
        floor=floor if floor is None or isinstance(floor, str) else positive("floor", floor),
        wrong=probability_below_one("wrong", wrong),
        loss=known if isinstance(known, str) else np.asarray(known, dtype=np.float64),
        keep_histogram=keep_histogram,
        weights=weights,
        distances=None if metric is None else np.asarray(metric, dtype=np.float64),
        edges=None if edges is None else tuple(float(each) for each in edges),  # type: ignore[attr-defined]
        nominal=nominal,
        seconds=None if seconds is None else positive("seconds", seconds),
    )
