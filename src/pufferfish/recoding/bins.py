"""The cells of a column: a list of its values if they are few, or else public bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.recoding.domain import Cells, Value, between

__all__ = ["MOST_LISTED", "cells_of", "round_edges"]

# Up to this many distinct values are listed one by one.
MOST_LISTED = 400
# The approximate number of bins of a column, and the reach of smooth laws, in stds of a component.
_BINS, _STDS = 100, 4.0


def cells_of(scenario: Scenario, values: FloatArray, edges: Sequence[float] | None = None) -> Cells:
    """The cells of a column.

    Args:
        scenario: The beliefs, with the values that they consider.
        values: The values of the column, as far as they are known.
        edges: Public edges of bins; None: a list of values, or round edges where that is too long.
    """
    missing: tuple[Value, ...] = (
        (None,) if any(any(each.missing.values()) for each in scenario.beliefs) else ()
    )
    priors = [prior for belief in scenario.beliefs for prior in belief.priors.values()]
    tables = [prior for prior in priors if isinstance(prior, Discrete)]
    listed = np.unique(np.concatenate([values, *(table.values for table in tables)]))
    if edges is None and 0 < listed.size <= MOST_LISTED:
        # Under a smooth law a listed value stands for all numbers that are closer to it than to
        # others.
        smooth = len(tables) < len(priors)
        return Cells((*listed.tolist(), *missing), between(listed) if smooth else None)
    parts = [prior.components() for prior in priors]
    low = min(float((each.means - _STDS * each.stds).min()) for each in parts)
    high = max(float((each.means + _STDS * each.stds).max()) for each in parts)
    inner = tuple(edges) if edges is not None else round_edges(low, high)
    caps = [belief.cap for belief in scenario.beliefs if belief.cap is not None]
    if len(caps) < len(scenario.beliefs):
        require(
            len(inner) > 1,
            "one edge makes two bins without an end, and what stands for them must not be read "
            "off the data: give at least two edges (--edges, edges=), or public bounds (--cap).",
        )
        return Cells((*_middles(inner), *missing), inner)
    # Nothing is published beyond public bounds: a bin there would have no value of its own.
    least, most = min(low for low, _ in caps), max(high for _, high in caps)
    within = tuple(edge for edge in inner if least <= edge <= most)
    require(
        bool(within),
        "no edge of a bin lies between the bounds of the cap: give edges there (--edges, edges=), "
        "or a wider cap.",
    )
    return Cells((*_middles(within, (least, most)), *missing), within)


def round_edges(low: float, high: float, bins: int = _BINS) -> tuple[float, ...]:
    """Multiples of 1, 2 or 5 times a power of ten, at most `bins` − 1 of them, inside a range."""
    least = (high - low) / bins
    if not 0.0 < least < math.inf:
        raise UnsupportedError(
            "all values are the same, so there is nothing to recode: leave the column out of the "
            "release."
        )
    power = 10.0 ** math.floor(math.log10(least))
    step = next(each * power for each in (1.0, 2.0, 5.0, 10.0, 20.0) if each * power >= least)
    first, last = math.ceil(low / step), math.floor(high / step)
    return tuple(number * step for number in range(first, last + 1))


def _middles(edges: Sequence[float], cap: tuple[float, float] | None = None) -> tuple[float, ...]:
    """The middle of each bin, which stands for it.

    An end bin ends at the cap; without a cap it is taken as wide as the next one.
    """
    below, above = cap or (2.0 * edges[0] - edges[1], 2.0 * edges[-1] - edges[-2])
    ends = (below, *edges, above)
    return tuple(0.5 * (low + high) for low, high in pairwise(ends))
