"""The recoding with the least loss that keeps a promise, with its exact certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal, cast

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.calibration.asked import Asked, duty_of
from pufferfish.calibration.categories import units_of
from pufferfish.calibration.least_noise import calibrate_noise
from pufferfish.calibration.losses import Column, Loss, column_of, cost_of
from pufferfish.calibration.other_laws import check_sampled, survives_resampling
from pufferfish.calibration.recode_categories import (
    calibrate_categories,
    wrong_figures_of_categories,
)
from pufferfish.calibration.result import Calibration, Recode
from pufferfish.core.errors import (
    CertificationError,
    InvalidInputError,
    PufferfishError,
    UnsupportedError,
)
from pufferfish.core.validation import FloatArray, positive, require
from pufferfish.exact import verify
from pufferfish.exact.family import laplace_family
from pufferfish.noise import LaplaceNoise, Noise
from pufferfish.recoding.bins import MOST_LISTED, cells_of
from pufferfish.recoding.domain import Cells, between
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
from pufferfish.words.phrases import list_in_words

__all__ = ["calibrate_recoding", "check_figures", "needs_public_bins"]

_LOSSES = ("squared", "absolute", "changed")
# The relative difference permitted between figures that were computed elsewhere and here.
_AGREE = 1e-6
# How much a kept frequency may change: by the repair, and by the grid of noise.
_KEPT = 1e-5


def calibrate_recoding(
    scenario: Scenario,
    goal: Guarantee,
    asked: Asked,
    progress: Callable[[int], None] | None = None,
) -> Calibration:
    """The recoding with the least loss.

    Args:
        scenario: The beliefs, and the pairs of secrets.
        goal: The promise.
        asked: The requirements on the recoding.
        progress: Called with the number of programs solved.

    Raises:
        InvalidInputError: The promise would not survive the next sample, and `nominal` was not
            given.
        UnreachableGoalError: No noise keeps the promise, so there is no floor of that noise.
        UnsupportedError: A sampling region is a band, or laws may be wrong by a share as well.
    """
    check_sampled(asked.wrong, scenario)
    if any(each.region is not None and each.region.shape == "band" for each in scenario.beliefs):
        raise UnsupportedError(
            'a band around a distribution function (region="band", --region band) is covered by '
            'Laplace noise alone: use mechanism="laplace" (--mechanism laplace), or '
            'region="dirichlet" (--region dirichlet) for a recoding.'
        )
    if any(belief.labelled for belief in scenario.beliefs):
        return calibrate_categories(scenario, goal, asked, progress)
    loss = _loss_of_numbers(asked)
    noise = _least_noise(scenario, goal, needed=asked.floor == "noise")
    _refuse_brittle(scenario, asked, noise)
    column = column_of(scenario, asked.weights)
    domain = cells_of(scenario, column.values, asked.edges)
    require(
        not scenario.sampled or asked.edges is not None or domain.edges is None,
        _no_region(scenario, column),
    )
    require(
        asked.distances is None or len(asked.distances) == len(domain.numbers),
        f"metric must have a row for each of the {len(domain.numbers)} values.",
    )
    cells, kappa = _choose_floor(domain, goal, asked, noise)
    cost, histogram = cost_of(column, cells, loss)
    found = least_loss(
        Task(
            duty=_duty(scenario, goal, cells, kappa, asked),
            cost=cost,
            kernel=_kernel(cells, kappa, asked.distances),
            fixed=asked.floor == "noise",
            histogram=histogram if asked.keep_histogram else None,
        ),
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
        recode=_figures(column, law, found, asked, _noise_of_all(scenario, goal, noise)),
    )


def needs_public_bins(scenario: Scenario, values: int) -> bool:
    """Whether a recoding of a column with this number of values needs public bins.

    No sampling region is proven for bins that are chosen by looking at the table.
    """
    return scenario.sampled and (values > MOST_LISTED or bool(_smooth(scenario)))


def _smooth(scenario: Scenario) -> list[str]:
    """The beliefs with laws that are no tables, by name."""
    return [
        each.name
        for each in scenario.beliefs
        if not all(isinstance(law, Discrete) for law in each.priors.values())
    ]


def _no_region(scenario: Scenario, column: Column) -> str:
    """That bins need public edges, and why there are bins."""
    binned = "for bins that are chosen by looking at the table"
    smooth = _smooth(scenario)
    if smooth and len(column.values) <= MOST_LISTED:
        return (
            f"no sampling region is proven {binned}, and the smooth laws of "
            f"{list_in_words(smooth)} need bins. The column has few different values: describe it "
            'as a table (families=["empirical"], --belief empirical), or give public edges '
            "(edges=..., --edges)."
        )
    return f"no sampling region is proven {binned}: give public edges (edges=..., --edges)."


def _loss_of_numbers(asked: Asked) -> Loss:
    loss = asked.loss
    require(
        not asked.never,
        "rules of what must never occur (never=, --never) are for categories: leave them out.",
    )
    if loss is None:
        return "squared"
    if isinstance(loss, Mapping) or (isinstance(loss, str) and loss not in _LOSSES):
        raise InvalidInputError(
            'a loss by column, and "steps", are for categories and for several columns; for one '
            'column of numbers use "squared", "absolute", "changed" or a matrix.'
        )
    return loss


def _least_noise(scenario: Scenario, goal: Guarantee, *, needed: bool) -> Noise | None:
    """The least Laplace noise for rows that have a value; None if none keeps the promise."""
    whole = Scenario([_without_holes(each) for each in scenario.beliefs], scenario.pairs)
    try:
        found = calibrate_noise(whole, goal)
    except PufferfishError:
        if needed:
            raise
        return None
    return found.noise


def _noise_of_all(scenario: Scenario, goal: Guarantee, noise: Noise | None) -> Noise | None:
    """The least Laplace noise that keeps the promise with missing values as they are.

    It is compared with; `noise`, that of rows which have a value, gives the floor.
    """
    if noise is None or not any(any(each.missing.values()) for each in scenario.beliefs):
        return noise
    try:
        return calibrate_noise(scenario, goal).noise
    except PufferfishError:
        return None


def _without_holes(belief: Belief) -> Belief:
    if not any(belief.missing.values()):
        return belief
    return replace(belief, missing={}, missing_counts={})


def _refuse_brittle(scenario: Scenario, asked: Asked, noise: Noise | None) -> None:
    """Refuse a map fitted to one table without slack: it promises nothing about the next."""
    if asked.nominal or asked.wrong or survives_resampling(scenario):
        return
    if asked.floor == "noise":
        return
    # A metric of the user's own has other distances than the noise.
    if (
        noise is not None
        and asked.floor is not None
        and asked.distances is None
        and asked.floor * noise.size <= 1.0
    ):
        return
    raise InvalidInputError(
        "this floor is weaker than that of the least noise, and the laws are taken to be exactly "
        "those of one table: such a promise does not survive the next sample. State by how much "
        "the laws may be wrong (wrong=0.03, --wrong 3%), cover the sampling error (confidence=0.95 "
        'of fit_beliefs, --sampling-confidence 95%), use floor="noise" (--floor noise), or, to see '
        "what is possible for this table alone, nominal=True (--nominal)."
    )


def _choose_floor(
    cells: Cells, goal: Guarantee, asked: Asked, noise: Noise | None
) -> tuple[Cells, float | None]:
    """The cells, with noise added first if the floor comes from it, and otherwise κ of the floor.

    On listed values the kernel of the floor loses less than noise, and keeps the same pure ε. With
    δ > 0 only the noise itself keeps all of its protection, and between values of one bin only
    noise makes a floor.
    """
    if asked.floor is None:
        return cells, None
    if asked.floor == "noise":
        if noise is None or noise.identity:
            return cells, None  # no value needs protection
        first, kappa = cast("LaplaceNoise", noise), 1.0 / noise.size
    else:
        kappa = positive("floor", asked.floor)
        size = math.nextafter(1.0 / kappa, math.inf)
        first = laplace_family(goal)(size)
    listed = cells.edges is None
    if listed and (goal.pure or asked.floor != "noise"):
        return cells, kappa
    require(
        asked.distances is None,
        "a metric of your own needs listed values (no edges) and delta = 0.",
    )
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
    floor: tuple[tuple[int, int, Fraction], ...] = ()
    if kappa is not None and asked.distances is None:
        floor = line_floor(np.array(cells.numbers), kappa)
    elif kappa is not None and asked.distances is not None:
        floor = metric_floor(asked.distances, kappa)
    return duty_of(scenario, goal, asked, cells, floor)


def _name_of(asked: Asked) -> Literal["squared", "absolute", "changed"]:
    return cast("Literal['squared', 'absolute', 'changed']", asked.loss or "squared")


def _figures(
    column: Column, law: Recoding, found: Found, asked: Asked, noise: Noise | None
) -> Recode:
    return Recode(
        **_figures_of(column, law),  # type: ignore[arg-type]  # by name
        floor=law.kappa,
        floor_of_noise=asked.floor == "noise",
        wrong=asked.wrong,
        wrong_of_table=False,
        loss="own" if isinstance(asked.loss, np.ndarray) else _name_of(asked),
        weighted=asked.weights is not None,
        keep_histogram=asked.keep_histogram,
        mean_loss=float(found.loss),
        least_loss=max(found.bound, 0.0),
        laplace_rmse=None if noise is None else noise.error(),
        edges=None if asked.edges is None else law.edges,
    )


def _figures_of(column: Column, law: Recoding) -> dict[str, float]:
    """The figures of a map: what it does to the rows of a column."""
    frequencies = column.frequencies
    return {
        "rmse": law.rmse(frequencies),
        "unchanged": law.unchanged(frequencies),
        "moved": law.moved(frequencies),
        "constant_rmse": column.std,
    }


def _keeps_histogram(column: Column, law: Recoding) -> bool:
    """Whether each output occurs as often as its cell."""
    chances = law.spread(column.values, missing=law.takes_missing)
    shares = np.append(column.histogram, column.missing) if law.takes_missing else column.histogram
    before = np.zeros(len(law.values))
    np.add.at(before, law.cells.places(column.values), column.histogram)
    before[-1] += column.missing if law.takes_missing else 0.0
    after = shares @ chances
    return law.values == law.outputs and bool(np.abs(after - before).max() <= _KEPT)


def _wrong_figures(
    scenario: Scenario, law: Recoding, said: Recode, units: Mapping[str, float] | None
) -> list[str]:
    """The names of stated figures that do not follow from a map and its beliefs."""
    if law.labelled:
        return wrong_figures_of_categories(scenario, law, said, units)
    column = column_of(scenario, None)
    other = [
        name
        for name, figure in _figures_of(column, law).items()
        if not math.isclose(figure, getattr(said, name), rel_tol=_AGREE, abs_tol=_AGREE)
    ]
    if said.keep_histogram and not _keeps_histogram(column, law):
        other.append("keep_histogram")
    if said.edges is not None and said.edges != law.edges:
        other.append("edges")
    # For categories only.
    other += [name for name in ("never", "parts") if getattr(said, name)]
    return other


def check_figures(calibration: Calibration) -> None:
    """Refuse stated figures of recodings that do not follow from their maps and beliefs."""
    if not calibration.parts:
        _check_figures(calibration, None)
        return
    units = units_of(calibration.scenario)
    for part in calibration.parts:
        _check_figures(part, units)


def _check_figures(calibration: Calibration, units: Mapping[str, float] | None) -> None:
    law, said = calibration.mechanism, calibration.recode
    if said is None or not isinstance(law, Recoding):
        require(
            said is None, "figures of a recoding are given, but the mechanism is not a recoding."
        )
        return
    other = _wrong_figures(calibration.scenario, law, said, units)
    if said.least_loss > said.mean_loss * (1.0 + _AGREE):
        other.append("least_loss")
    require(
        not other and said.floor == law.kappa and said.wrong == calibration.certificate.wrong,
        f"the figures of the recoding do not follow from it: {', '.join(other) or 'floor'}.",
    )
