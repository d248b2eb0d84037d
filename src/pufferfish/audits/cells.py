"""The line of published values cut into cells, and how often each cell is hit under each secret.

Any set of cells is an event that an adversary may look for. Missing values are a cell of their own.
Counting cells needs a fixed amount of memory, however many values are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pufferfish.audits.bounds import Counts
from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.validation import FloatArray
from pufferfish.noise import Noise, output_law
from pufferfish.noise.output import AtomsOutput
from pufferfish.recoding.law import Recoding

__all__ = ["Cells"]

_CELLS = 1000
# Finer towards both ends, where one secret may be much likelier than the other.
_TAILS = np.geomspace(1e-5, 1.0 / _CELLS, 40, endpoint=False)
_LEVELS = np.concatenate([_TAILS, np.arange(1, _CELLS) / _CELLS, 1.0 - _TAILS[::-1]])


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """(−∞, e_0], (e_0, e_1], …, (e_m, ∞), and missing values.

    Attributes:
        edges: e_0 to e_m.
        listed: Whether only the edges themselves are published: each is a cell of its own.
    """

    edges: FloatArray
    listed: bool = False

    @classmethod
    def of(cls, recoding: Recoding) -> Cells:
        """One cell for each value that a recoding publishes."""
        numbers = [each for each in recoding.coded_outputs if each is not None]
        return cls(np.sort(np.array(numbers or [0.0])), listed=True)

    @classmethod
    def around(cls, published: FloatArray) -> Cells:
        """Cells that are hit about equally often by these values."""
        present = published[~np.isnan(published)]
        if not present.size:
            return cls(np.zeros(1))
        return cls(np.unique(np.quantile(present, _LEVELS, method="inverted_cdf")))

    def counts(self, parts: Iterable[FloatArray]) -> Counts:
        """How often each cell is hit; missing values come last."""
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

    def recoded_ratios(self, laws: PairOfLaws, recoding: Recoding) -> FloatArray | None:
        """log p_i/p_j of each output of a recoding; None for laws that are not tables."""
        first, second = (
            self._recoded(prior, missing, recoding)
            for prior, missing in (
                (laws.first, laws.missing_first),
                (laws.second, laws.missing_second),
            )
        )
        if first is None or second is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num(np.log(first) - np.log(second), nan=0.0))

    def _recoded(self, prior: Prior, missing: float, recoding: Recoding) -> FloatArray | None:
        if not isinstance(prior, Discrete):
            return None
        shares = (1.0 - missing) * prior.probabilities @ recoding.spread(prior.values)
        if missing and recoding.takes_missing:
            shares = shares + missing * recoding.table[-1] / recoding.table[-1].sum()
        found = np.zeros(self.edges.size + 2)
        for output, share in zip(recoding.coded_outputs, shares.tolist(), strict=True):
            place = -1 if output is None else int(np.searchsorted(self.edges, output))
            found[place] += share
        return found

    def in_words(self, chosen: Counts) -> str:
        """Some cells as ranges of the published value, or as a list of values."""
        picked = np.zeros(self.edges.size + 2, dtype=bool)
        picked[chosen] = True
        if self.listed:
            names = [f"{each:.6g}" for each in self.edges[picked[:-2]]]
            names += ["missing"] if picked[-1] else []
            names += ["something else"] if picked[-2] else []
            shown = names[:_MOST_VALUES]
            if len(names) > _MOST_VALUES:
                shown.append(f"one of {len(names) - _MOST_VALUES} more")
            return "the published value is " + (" or ".join(shown) if shown else "never")
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


_MOST_RANGES, _MOST_VALUES = 4, 12


def _range(low: float, high: float) -> str:
    if low == -np.inf and high == np.inf:
        return "anything"
    if low == -np.inf:
        return f"at most {high:.6g}"
    if high == np.inf:
        return f"above {low:.6g}"
    return f"above {low:.6g} and at most {high:.6g}"
