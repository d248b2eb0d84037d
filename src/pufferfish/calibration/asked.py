"""The requirements on a recoding: the arguments of `calibrate`, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import Labels
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.categories import Never, check_never
from pufferfish.calibration.losses import Loss
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import FloatArray, finite, positive, probability_below_one, require
from pufferfish.exact.cell_laws import cell_law, rows_of_cells
from pufferfish.recoding.cells import CellLaw
from pufferfish.recoding.domain import Cells
from pufferfish.recoding.exact import Floor
from pufferfish.recoding.table import Duty

__all__ = ["Asked", "AskedFloor", "check_asked", "duty_of"]

AskedFloor = Literal["noise"] | float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """The requirements on a recoding: the arguments of `calibrate`, checked."""

    floor: AskedFloor
    wrong: float
    loss: Loss | Mapping[str, Any] | None
    keep_histogram: bool
    weights: Mapping[Any, float] | None
    distances: FloatArray | None
    edges: tuple[float, ...] | None
    nominal: bool
    never: Never = ()
    # Stds of columns over the whole table, where part of it is calibrated by itself.
    units: Mapping[str, float] | None = None

    @property
    def kappa(self) -> float | None:
        """The floor, where it is a number."""
        return None if self.floor is None or isinstance(self.floor, str) else self.floor

    @property
    def is_default(self) -> bool:
        """Whether all requirements have their defaults."""
        nothing = (self.weights, self.distances, self.edges)
        said = (self.floor, self.wrong, self.keep_histogram, self.nominal)
        return (
            nothing == (None,) * 3
            and said == ("noise", 0.0, True, False)
            and self.loss is None
            and not self.never
        )


def check_asked(
    *,
    floor: object,
    wrong: object,
    loss: object,
    keep_histogram: bool,
    weights: Mapping[Any, float] | None,
    metric: object,
    edges: object,
    nominal: bool,
    never: object = None,
) -> Asked:
    """The requirements, from arguments that are checked as far as they can be by themselves."""
    if not (floor is None or floor == "noise" or isinstance(floor, int | float)):
        raise InvalidInputError(
            f'floor must be "noise", a number in units of the column, or None, got {floor!r}.'
        )
    if isinstance(loss, str):
        require(
            loss in ("squared", "absolute", "changed", "steps"),
            f'loss must be "squared", "absolute", "changed", "steps" or a matrix, got {loss!r}.',
        )
    own = loss is None or isinstance(loss, str | Mapping)
    if metric is not None:
        require(
            floor is not None and floor != "noise",
            "a metric of your own needs a floor in its units: floor=0.5, for example.",
        )
    for name, flag in (("keep_histogram", keep_histogram), ("nominal", nominal)):
        require(isinstance(flag, bool), f"{name} must be true or false, got {flag!r}.")
    return Asked(
        floor=floor if floor is None or isinstance(floor, str) else positive("floor", floor),
        wrong=probability_below_one("wrong", wrong),
        loss=cast("Loss", loss) if own else np.asarray(loss, dtype=np.float64),
        keep_histogram=keep_histogram,
        weights=weights,
        distances=None if metric is None else _check_distances(metric),
        edges=None if edges is None else _check_edges(edges),
        nominal=nominal,
        never=check_never(never),
    )


def _check_edges(given: object) -> tuple[float, ...]:
    require(
        isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) and len(given) > 0,
        "edges must be a list of numbers in rising order.",
    )
    edges = tuple(finite("an edge", each) for each in cast("Sequence[float]", given))
    require(sorted(set(edges)) == list(edges), "edges must be numbers in rising order.")
    return edges


def _check_distances(given: object) -> FloatArray:
    distances = np.asarray(given, dtype=np.float64)
    require(
        distances.ndim == 2
        and distances.shape[0] == distances.shape[1]
        and not np.isnan(distances).any()
        and bool((distances == distances.T).all() and (distances >= 0.0).all())
        and not np.diagonal(distances).any(),
        "metric must be a symmetric matrix of distances, with 0 on its diagonal.",
    )
    return distances


def duty_of(
    scenario: Scenario, goal: Guarantee, asked: Asked, cells: Cells | Sequence[Labels], floor: Floor
) -> Duty:
    """The promise and the floor that a recoding on these cells must keep.

    For each adversary it holds the laws of the secrets in their pairs, and the pairs by place.
    Where a belief has a sampling region, its laws are counts of rows.
    """
    laws, pairs = [], []
    for belief in scenario.beliefs:
        places = {secret: place for place, secret in enumerate(scenario.secrets_of(belief))}
        own = scenario.pairs_of(belief)
        if belief.region is None:
            laws.append(tuple(cell_law(cells, belief, secret) for secret in places))
        else:
            rows = (rows_of_cells(cells, belief, secret) for secret in places)
            laws.append(tuple(CellLaw.from_counts(each) for each in rows))
        pairs.append(tuple((places[first], places[second]) for first, second in own))
    return Duty(
        laws=tuple(laws),
        pairs=tuple(pairs),
        goal=goal,
        wrong=Fraction(asked.wrong),
        regions=tuple(belief.region for belief in scenario.beliefs),
        floor=floor,
    )
