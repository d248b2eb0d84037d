"""The published line cut into cells, and how often each cell is hit under each secret.

Any set of cells is an event that an adversary may look for. Holes (missing values) are a cell of
their own. Counting cells needs a fixed amount of memory, however many values are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pufferfish.audits.bounds import Counts
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.validation import FloatArray
from pufferfish.noise import Noise, output_law
from pufferfish.noise.output import AtomsOutput

__all__ = ["Cells"]

_CELLS = 1000
# Finer towards both ends, where one secret may be much likelier than the other.
_TAILS = np.geomspace(1e-5, 1.0 / _CELLS, 40, endpoint=False)
_LEVELS = np.concatenate([_TAILS, np.arange(1, _CELLS) / _CELLS, 1.0 - _TAILS[::-1]])


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """(−∞, e_0], (e_0, e_1], …, (e_m, ∞), and the holes."""

    edges: FloatArray

    @classmethod
    def around(cls, published: FloatArray) -> Cells:
        """Cells that these values hit about equally often."""
        present = published[~np.isnan(published)]
        if not present.size:
            return cls(np.zeros(1))
        return cls(np.unique(np.quantile(present, _LEVELS, method="inverted_cdf")))

    def counts(self, parts: Iterable[FloatArray]) -> Counts:
        """How often each cell is hit; the holes come last."""
        total = np.zeros(self.edges.size + 2, dtype=np.int64)
        for part in parts:
            hole = np.isnan(part)
            hit = np.searchsorted(self.edges, part[~hole], side="left")
            total[:-1] += np.bincount(hit, minlength=self.edges.size + 1)
            total[-1] += np.count_nonzero(hole)
        return total

    def log_ratios(self, laws: PairOfLaws, noise: Noise) -> FloatArray | None:
        """log p_i/p_j in the middle of each cell under a noise law; None where there is none."""
        first, second = output_law(laws.first, noise), output_law(laws.second, noise)
        if isinstance(first, AtomsOutput) or isinstance(second, AtomsOutput):
            return None
        middles = np.concatenate(
            [self.edges[:1], 0.5 * (self.edges[1:] + self.edges[:-1]), self.edges[-1:]]
        )
        m, other = laws.missing_first, laws.missing_second
        with np.errstate(divide="ignore", invalid="ignore"):
            present = first.log_density(middles) - second.log_density(middles)
            present += np.log1p(-m) - np.log1p(-other)
            hole = 0.0 if m == other else np.log(m) - np.log(other)
        return np.asarray(np.nan_to_num(np.append(present, hole), nan=0.0))

    def in_words(self, chosen: Counts) -> str:
        """Some cells as ranges of the published value."""
        picked = np.zeros(self.edges.size + 2, dtype=bool)
        picked[chosen] = True
        ends = np.concatenate([[-np.inf], self.edges, [np.inf]])
        inside = np.concatenate([[False], picked[:-1], [False]])
        starts = np.flatnonzero(inside[1:] & ~inside[:-1])
        stops = np.flatnonzero(inside[:-1] & ~inside[1:])
        ranges = [
            _range(ends[start], ends[stop]) for start, stop in zip(starts, stops, strict=True)
        ]
        if picked[-1]:
            ranges.append("missing")
        shown = ranges[:_MOST_RANGES]
        if len(ranges) > _MOST_RANGES:
            shown.append(f"in one of {len(ranges) - _MOST_RANGES} more ranges")
        return "the published value is " + (", or ".join(shown) if shown else "never")


_MOST_RANGES = 4


def _range(low: float, high: float) -> str:
    if low == -np.inf and high == np.inf:
        return "anything"
    if low == -np.inf:
        return f"at most {high:.6g}"
    if high == np.inf:
        return f"above {low:.6g}"
    return f"above {low:.6g} and at most {high:.6g}"
