"""A smooth law of values that are moved into [L, H], as a table in narrow cells.

A cell of width h sends its mass to its middle, and each bound takes the mass beyond it. Each law
within η of the capped one then becomes a law within η of the table, and its values move by at most
h/2: a distance W_∞ of h/2, which under Laplace noise is a factor of e^{h/2b}. The rounding of the
masses adds to the total variation. Proof: docs/theory/wrong-noise.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.core.errors import UnsupportedError

__all__ = ["CappedTable", "capped_table"]

_CELLS = 2**16
# Bounds on the error of a computed probability: relative, and in all.
_RELATIVE, _ABSOLUTE = 1e-12, 1e-15
# The share of the mass that is left out, in cells too faint to compute with.
_FAINT = 1e-300


class CappedTable(NamedTuple):
    """The table, the distance that values were moved, and the total error of its masses."""

    table: Discrete
    radius: float
    error: float


def capped_table(prior: Prior, cap: tuple[float, float]) -> CappedTable:
    """A table for a law of capped values; a table within the bounds stays as it is.

    Raises:
        UnsupportedError: A table has values outside the bounds.
    """
    low, high = cap
    if isinstance(prior, Discrete):
        if prior.values[0] < low or prior.values[-1] > high:
            raise UnsupportedError(
                "a belief has values outside its stated bounds: cap its values, or widen the cap."
            )
        return CappedTable(prior, 0.0, 0.0)
    edges = np.linspace(low, high, _CELLS + 1)
    below, above = prior.cdf(edges), prior.survival(edges)
    inside = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
    masses = np.concatenate([below[:1], np.maximum(inside, 0.0), above[-1:]])
    places = np.concatenate([[low], 0.5 * (edges[:-1] + edges[1:]), [high]])
    kept = masses > _FAINT
    table = Discrete(places[kept], masses[kept] / masses[kept].sum())
    radius = 0.5 * (high - low) / _CELLS * (1.0 + 1e-9)
    # The rounding of middles and edges counts as a move too.
    radius += 4.0 * 2.0**-53 * max(abs(low), abs(high))
    return CappedTable(table, radius, _RELATIVE + _ABSOLUTE * masses.size)
