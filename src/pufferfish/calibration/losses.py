"""The loss of published values, summed over the rows of a column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import OTHER_ROWS, RELEASED, Belief, Scenario
from pufferfish.core.validation import FloatArray, require
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.domain import Cells, Value
from pufferfish.recoding.kernels import apart
from pufferfish.recoding.law import Recoding

__all__ = ["Column", "Loss", "Weighed", "Weights", "column_of", "cost_of", "counted_belief"]
__all__ += ["has_bins", "in_bins", "weighed_by"]

# A matrix has a row for each cell and a column for each output.
Loss = Literal["squared", "absolute", "changed"] | FloatArray
# The frequency of each value, {value: frequency}; None for a missing one.
Weights = Mapping[Value, float]
# Whose frequencies the figures of a recoding are, and which frequencies it keeps.
Weighed = Literal["this table", "other rows", "another table", "reference", "laws"]
# The number of points that represent a smooth law.
_POINTS = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The frequency of each value, for the loss and for the histogram.

    Attributes:
        values: The values.
        loss: The weight of each in the loss; sums to 1 with `missing_loss`.
        histogram: How often each occurs; sums to 1 with `missing`.
        missing: How often a value is missing.
        missing_loss: The weight of a missing value in the loss.
    """

    values: FloatArray
    loss: FloatArray
    histogram: FloatArray
    missing: float
    missing_loss: float

    @property
    def frequencies(self) -> dict[Value, float]:
        """How often each value occurs, for the figures that are reported."""
        known: dict[Value, float] = dict(
            zip(self.values.tolist(), self.histogram.tolist(), strict=True)
        )
        return known | ({None: self.missing} if self.missing else {})

    @property
    def std(self) -> float:
        """The error of publishing the mean for everybody."""
        shares = self.histogram / self.histogram.sum()
        mean = float(shares @ self.values)
        return math.sqrt(float(shares @ (self.values - mean) ** 2))


def has_bins(law: Recoding, column: Column) -> bool:
    """Whether values are in bins; where noise comes first, each listed value is its own bin."""
    return not np.isin(column.values, law.cells.numbers).all()


def in_bins(law: Law, scenario: Scenario) -> bool:
    """Whether a law, or that of the first stratum, publishes what stands for bins of numbers."""
    one = law.strata[0].law if isinstance(law, Stratified) else law
    if not isinstance(one, Recoding) or one.labelled:
        return False
    return has_bins(one, column_of(scenario, None))


def counted_belief(beliefs: Iterable[Belief]) -> Belief | None:
    """The belief whose frequencies weigh the rows: one of the table itself, where there is one."""
    counted = [each for each in beliefs if each.frequencies is not None]
    own = [each for each in counted if each.of_table]
    return next(iter(own or counted), None)


def weighed_by(scenario: Scenario, *, another_table: bool = False) -> Weighed:
    """Whose rows the figures of a recoding are about.

    Args:
        scenario: The beliefs.
        another_table: Whether beliefs that are labelled as fitted on the released column turned out
            to be about another table.
    """
    found = counted_belief(scenario.beliefs)
    if found is None:
        return "laws"
    if found.provenance == RELEASED:
        return "another table" if another_table else "this table"
    return "other rows" if found.provenance == OTHER_ROWS else "reference"


def column_of(scenario: Scenario, weights: Weights | None) -> Column:
    """The column that beliefs were fitted to, or else the believed laws with equal weights.

    Args:
        scenario: Beliefs that hold the frequencies of values, if they were fitted to a table.
        weights: Weights of the values in the loss, in place of their frequencies.
    """
    values, histogram, missing = _known(scenario)
    if weights is None:
        return Column(values, histogram, histogram, missing, missing)
    require(
        isinstance(weights, Mapping) and len(weights) > 0,
        "weights must map values to weights: {value: weight}.",
    )
    given = {float(each): float(weight) for each, weight in weights.items() if each is not None}
    hole = sum(float(weight) for each, weight in weights.items() if each is None)
    total = sum(given.values()) + hole
    least = min([hole, *given.values()])
    require(
        math.isfinite(total) and total > 0.0 and least >= 0.0,
        "weights must not be negative, and not all 0.",
    )
    every = np.union1d(values, np.array(list(given)))
    position = np.searchsorted(every, values)
    spread = np.zeros(every.size)
    spread[position] = histogram
    counted = np.array([given.get(float(each), 0.0) for each in every]) / total
    return Column(every, counted, spread, missing, hole / total)


def _known(scenario: Scenario) -> tuple[FloatArray, FloatArray, float]:
    """The values, the frequency of each, and that of a missing one."""
    belief = counted_belief(scenario.beliefs)
    if belief is not None and isinstance(belief.frequencies, Discrete):
        table, holes = belief.frequencies, belief.frequencies_missing
        rows = int(table.counts.sum()) if table.counts is not None else 1
        missing = holes / (rows + holes)
        return table.values, table.probabilities * (1.0 - missing), missing
    laws = [
        (law, belief.missing[secret])
        for belief in scenario.beliefs
        for secret, law in belief.priors.items()
    ]
    values, shares = [], []
    for law, hole in laws:
        if isinstance(law, Discrete):
            values.append(law.values)
            shares.append(law.probabilities * (1.0 - hole) / len(laws))
        else:
            levels = (np.arange(_POINTS) + 0.5) / _POINTS
            values.append(law.quantile(levels))
            shares.append(np.full(_POINTS, (1.0 - hole) / _POINTS / len(laws)))
    every, position = np.unique(np.concatenate(values), return_inverse=True)
    missing = sum(hole for _, hole in laws) / len(laws)
    return every, np.bincount(position, np.concatenate(shares)).astype(float), missing


def cost_of(
    column: Column, cells: Cells, loss: Loss
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """C(k,y), the loss of publishing y for a value in cell k, and the histogram before and after.

    With K(x,k) = 1 where x lies in cell k, or P(x + N in cell k) where noise is added first, C(k,y)
    = Σ_x π(x)·K(x,k)·c(x,y).
    """
    places = cells.places(column.values)
    require(bool((places >= 0).all()), "the column has values that are in no cell.")
    weights, histogram = column.loss, column.histogram
    inside = np.eye(len(cells.numbers))[places]
    true = inside
    if cells.noise is not None:
        below = cells.noise.cdf(np.array(cells.edges or ()) - column.values[:, None])
        inside = np.diff(below, prepend=0.0, append=1.0, axis=1)
    if cells.takes_missing:
        places = np.append(places, len(cells.numbers))
        weights = np.append(weights, column.missing_loss)
        histogram = np.append(histogram, column.missing)
        inside, true = apart(inside), apart(true)
    cost = inside.T @ (weights[:, None] * _losses(column, cells, places, loss))
    return cost, (inside.T @ histogram, true.T @ histogram)


def _losses(column: Column, cells: Cells, places: npt.NDArray[np.int64], loss: Loss) -> FloatArray:
    """c(x,y) for each value x of the column, with a missing one last, and each cell y."""
    size = len(cells.values)
    if isinstance(loss, np.ndarray):
        require(
            loss.shape == (size, size) and bool(np.isfinite(loss).all() and (loss >= 0.0).all()),
            f"a loss of your own must be a matrix of {size} by {size} numbers, none negative.",
        )
        return np.asarray(loss[places])
    if loss == "changed":
        return np.asarray((places[:, None] != np.arange(size)).astype(float))
    gaps = np.abs(column.values[:, None] - np.array(cells.numbers))
    known = gaps**2 if loss == "squared" else gaps
    if not cells.takes_missing:
        return np.asarray(known)
    found = np.full((places.size, size), _hole_loss(column, loss))
    found[:-1, :-1], found[-1, -1] = known, 0.0
    return found


def _hole_loss(column: Column, loss: Loss) -> float:
    """The loss of making or filling a hole: as much as publishing another row's value."""
    if loss == "squared":
        return 2.0 * column.std**2
    below = np.cumsum(column.histogram / column.histogram.sum())[:-1]
    return float(2.0 * (below * (1.0 - below) * np.diff(column.values)).sum())
