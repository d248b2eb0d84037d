"""A mixture of Gaussians for one table of counts: the best of several starts, by likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import GaussianMixture
from pufferfish.fit import starts
from pufferfish.fit.em import Run, Theta, Weighted, climb
from pufferfish.tables import Group

__all__ = ["MixtureFit", "fit_mixtures", "refit"]

# The number of cycles to compare all starts, to follow the best ones, and on all values.
_LOOK, _BEST, _ALL = 12, 400, 2_000
_KEPT = 6
# The number of cells that replace the values while starts are compared, and before the last climb.
_FEW_CELLS, _SOME_CELLS = 256, 4096
# A component at the floor with fewer records than this is due to chance; such fits rank last.
_FEWEST = 10
# Components are merged and split again at most this many times.
_ROUNDS = 4
_ROUGH, _FINE = 1e-7, 1e-11
# A component with a smaller share of the records is left out of the result.
_LEAST_WEIGHT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MixtureFit:
    """One fit by maximum likelihood, and how it converged.

    Attributes:
        prior: The mixture, components in the order of their means.
        components: The requested number of components.
        log_likelihood: Σ log f(x) over the records.
        bic: −2·log-likelihood + (3·components − 1)·log(records); smaller is better.
        status: "converged", or "stopped" where the iterations ran out first.
        iterations: Cycles of three EM steps that the best start took, on cells and on all values.
        starts: The number of starts that were compared.
        at_floor: The number of components whose std is at the floor.
        floor: The least std that a component may have.
    """

    prior: GaussianMixture
    components: int
    log_likelihood: float
    bic: float
    status: Literal["converged", "stopped"]
    iterations: int
    starts: int
    at_floor: int
    floor: float

    def __repr__(self) -> str:
        """The status only: the law and its likelihood may be private."""
        return f"MixtureFit({self.components} components, {self.status})"


def fit_mixtures(group: Group, most: int, floor: float) -> tuple[MixtureFit, ...]:
    """The best mixtures of 1, 2, ..., `most` components; each gives starts for the next.

    Args:
        group: The counts of each value.
        most: The largest number of components.
        floor: The least std of a component, in the units of the values; above 0.
    """
    data, units = _standardise(group, floor)
    few, some = (starts.coarse(data, most_cells) for most_cells in (_FEW_CELLS, _SOME_CELLS))
    fits: list[MixtureFit] = []
    run, tried = climb(data, starts.first(data, units.floor), units.floor, _ALL, _FINE), 1
    while True:
        fits.append(_describe(run, tried, group.records, units))
        if len(fits) == most:
            return tuple(fits)
        candidates = starts.with_one_more(few, run.theta, units.floor)
        best, tried = _best(few, candidates, units.floor, group.records)
        # Climb on a few thousand cells first, so that few cycles are needed on all values.
        nearly = climb(some, best.theta, units.floor, _ALL, _FINE)
        run = climb(data, nearly.theta, units.floor, _ALL, _FINE)
        run = run._replace(cycles=best.cycles + nearly.cycles + run.cycles)


def refit(group: Group, start: GaussianMixture, floor: float) -> GaussianMixture:
    """The mixture that EM reaches when it starts from a given one."""
    data, units = _standardise(group, floor)
    weights, means, stds = start.components()
    theta = Theta(
        weights[None],
        (means[None] - units.centre) / units.unit,
        np.maximum(stds[None] / units.unit, units.floor),
    )
    return _prior(climb(data, theta, units.floor, _ALL, _FINE), units)


class _Units(NamedTuple):
    """The origin and the unit of standardised values, and the floor in this unit."""

    centre: float
    unit: float
    floor: float


def _standardise(group: Group, floor: float) -> tuple[Weighted, _Units]:
    shares = group.counts / group.records
    # The origin is a value of the table, so that whole numbers stay whole.
    centre = float(group.values[np.searchsorted(np.cumsum(shares), 0.5)])
    moved = group.values - centre
    unit = math.sqrt(float(shares @ (moved - shares @ moved) ** 2)) or floor
    return Weighted(moved / unit, shares), _Units(centre, unit, floor / unit)


def _best(few: Weighted, candidates: Theta, floor: float, records: int) -> tuple[Run, int]:
    """The start with the highest likelihood on few cells, and the number of starts tried."""
    best = _highest(few, candidates, floor, records)
    tried = candidates.weights.shape[0]
    for _ in range(_ROUNDS if candidates.weights.shape[1] > 2 else 0):
        others = starts.merge_and_split(best.theta, floor)
        tried += others.weights.shape[0]
        other = _highest(few, others, floor, records)
        if other.log_likelihood[0] <= best.log_likelihood[0] + _ROUGH:
            break
        best = other
    return best, tried


def _highest(few: Weighted, candidates: Theta, floor: float, records: int) -> Run:
    """A short climb from every start, a long one from the best of them."""
    looked = climb(few, candidates, floor, _LOOK, _ROUGH)
    order = _rank(looked, floor, records)[:_KEPT]
    tried = climb(few, looked.theta.rows(order), floor, _BEST, _ROUGH)
    best = _rank(tried, floor, records)[:1]
    return Run(
        tried.theta.rows(best),
        tried.log_likelihood[best],
        tried.converged[best],
        looked.cycles + tried.cycles,
        tried.trace[:, best],
    )


def _rank(run: Run, floor: float, records: int) -> npt.NDArray[np.intp]:
    """The runs by falling likelihood; those that describe a few single records come last."""
    weights, _, stds = run.theta
    by_chance = ((stds <= 2.0 * floor) & (weights * records < _FEWEST)).any(axis=1)
    return np.lexsort((-run.log_likelihood, by_chance))


def _describe(run: Run, tried: int, records: int, units: _Units) -> MixtureFit:
    count = run.theta.weights.size
    likelihood = records * (float(run.log_likelihood[0]) - math.log(units.unit))
    prior = _prior(run, units)
    floor = units.floor * units.unit
    return MixtureFit(
        prior=prior,
        components=count,
        log_likelihood=likelihood,
        bic=-2.0 * likelihood + (3 * count - 1) * math.log(records),
        status="converged" if run.converged[0] else "stopped",
        iterations=run.cycles,
        starts=tried,
        at_floor=sum(std <= floor * (1.0 + 1e-6) for std in prior.stds),
        floor=floor,
    )


def _prior(run: Run, units: _Units) -> GaussianMixture:
    """The mixture in the units of the values, sorted by mean, without vanished components."""
    weights, means, stds = (part[0] for part in run.theta)
    kept = np.flatnonzero(weights > _LEAST_WEIGHT)
    order = kept[np.lexsort((stds[kept], means[kept]))]
    return GaussianMixture(
        weights[order] / weights[order].sum(),
        units.centre + units.unit * means[order],
        units.unit * stds[order],
    )
