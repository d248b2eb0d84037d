"""The believed probability of each cell of a recoding: exact for counts, else enclosed.

Smooth laws in bins, and laws after noise on a grid, are enclosed (docs/theory/recoding.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pufferfish.beliefs.labels import Labels, places_of
from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.scenario import Belief, Secret
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.cells import CellLaw
from pufferfish.recoding.domain import Cells

__all__ = ["cell_law", "rows_of_cells"]

# Bounds on the errors of computed probabilities, for each and in all.
_RELATIVE, _ABSOLUTE = 1e-12, 1e-14


def rows_of_cells(
    cells: Cells | Sequence[Labels], belief: Belief, secret: Secret
) -> tuple[int, ...]:
    """The number of rows of a secret in each cell, if they were counted.

    Raises:
        UnsupportedError: The cells are not those of the sample: noise is added first, or nothing
            was counted.
    """
    if not isinstance(cells, Sequence) and cells.noise is not None:
        raise UnsupportedError(
            "this recoding adds noise first, and a sampling region is about values as they were "
            "counted: describe the adversaries by tables alone (--belief empirical), with a floor "
            "in units of the column or none (--floor none)."
        )
    law = cell_law(cells, belief, secret)
    prior = belief.priors[secret]
    rows = belief.missing_counts.get(secret, 0)
    if isinstance(prior, Discrete | Categorical) and prior.counts is not None:
        rows += int(prior.counts.sum())
    found = [each * rows for each in law.low]
    if not rows or any(each % law.total for each in found) or (law.low != law.high).any():
        raise UnsupportedError(
            f"the rows of belief {belief.name!r} were not counted, so it has no sampling region: "
            'use families=["empirical"] (--belief empirical).'
        )
    return tuple(int(each // law.total) for each in found)


def cell_law(cells: Cells | Sequence[Labels], belief: Belief, secret: Secret) -> CellLaw:
    """The probability of each cell under a secret, as one adversary believes.

    Args:
        cells: Cells of numbers; or categories, each of which is a cell.
        belief: The adversary's belief.
        secret: The secret.

    Raises:
        UnsupportedError: The belief has values without a cell.
    """
    prior = belief.priors[secret]
    if isinstance(cells, Sequence):
        return _labelled(cells, prior, belief)
    if isinstance(prior, Categorical):
        raise UnsupportedError(
            f"belief {belief.name!r} is about categories, and the recoding is of numbers."
        )
    hole = _hole(belief, secret)
    if hole and not cells.takes_missing:
        raise UnsupportedError(
            f"belief {belief.name!r} states that values may be missing, and the recoding does not "
            "take a missing value."
        )
    if belief.radius and cells.noise is None:
        raise UnsupportedError(
            f"belief {belief.name!r} was fitted to a table whose values were put into narrow bins, "
            'and no noise is added first that would cover them: use floor="noise" (--floor noise).'
        )
    if cells.noise is None and isinstance(prior, Discrete):
        law = _counted(cells, prior, belief)
    else:
        law = _enclosed(cells, prior, belief.radius)
    if not cells.takes_missing:
        return law
    # P(x)·(1−h) and h, over a common total.
    above, below = hole.numerator, hole.denominator
    low, high = (
        np.append(each * (below - above), above * law.total) for each in (law.low, law.high)
    )
    return CellLaw(low, high, law.total * below)


def _labelled(labels: Sequence[Labels], prior: Prior, belief: Belief) -> CellLaw:
    if not isinstance(prior, Categorical):
        raise UnsupportedError(
            f"belief {belief.name!r} is about numbers, and the recoding is of categories."
        )
    places, counts = places_of(labels), [0] * len(labels)
    weights, _ = prior.whole_weights
    for key, weight in zip(prior.values.keys, weights, strict=True):
        place = places.get(key)
        if place is None:
            raise UnsupportedError(
                f"belief {belief.name!r} has categories that the recoding does not take."
            )
        counts[place] += weight
    return CellLaw.from_counts(counts)


def _hole(belief: Belief, secret: Secret) -> Fraction:
    """The probability of a missing value; exact if such rows were counted."""
    prior, holes = belief.priors[secret], belief.missing_counts.get(secret)
    if holes is None or not isinstance(prior, Discrete) or prior.counts is None:
        return Fraction(belief.missing[secret])
    return Fraction(holes, holes + int(prior.counts.sum()))


def _counted(cells: Cells, prior: Discrete, belief: Belief) -> CellLaw:
    places = cells.places(prior.values)
    if (places < 0).any():
        raise UnsupportedError(
            f"belief {belief.name!r} has values that the recoding does not take."
        )
    counts = [0] * len(cells.numbers)
    weights, _ = prior.whole_weights
    for place, weight in zip(places.tolist(), weights, strict=True):
        counts[place] += weight
    return CellLaw.from_counts(counts)


def _enclosed(cells: Cells, prior: Prior, radius: float) -> CellLaw:
    """The cells of a smooth law, or of any law after noise on its grid, enclosed.

    A probability on the grid γ and that of the continuous law, for the points of the grid in a
    cell, differ by a factor between e^{−r} and e^{r} and by one that all laws share, r = γ/b
    (`exact.grid`); laws within W_∞ ≤ d of the believed one by a factor of e^{d/b} more.
    """
    if cells.edges is None:
        raise UnsupportedError(
            "a smooth belief gives no probability to a single value: use bins (--edges, edges=...)."
        )
    edges = np.array(cells.edges)
    if cells.noise is None:
        likely, factor = _steps(prior.cdf(edges), prior.survival(edges)), 1.0
    else:
        noise, grid = cells.noise, cells.noise.grid or 0.0
        # The first point of the grid from an edge on; each point stands for half a step on both
        # sides.
        first = (np.ceil(edges / grid) - 0.5) * grid
        law = noise.output(prior)
        likely = _steps(law.cdf(first), law.survival(first))
        factor = math.exp((2.0 * grid + radius) / noise.scale * (1.0 + _RELATIVE))
    # A generous bound on the rounding of a sum of this many parts.
    lost = 8.0 * UNIT * prior.components().weights.size
    low = np.clip(likely / factor * (1.0 - _RELATIVE - lost) - _ABSOLUTE - lost, 0.0, 1.0)
    high = np.clip(likely * factor * (1.0 + _RELATIVE + lost) + _ABSOLUTE + lost, 0.0, 1.0)
    return CellLaw.from_bounds(low.tolist(), high.tolist())


def _steps(below: FloatArray, above: FloatArray) -> FloatArray:
    """The probability of each cell, from the side of the law where it has more digits."""
    left = np.diff(below, prepend=0.0, append=1.0)
    right = -np.diff(above, prepend=1.0, append=0.0)
    return np.where(np.concatenate([below, [1.0]]) < 0.5, left, right)
