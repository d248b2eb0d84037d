"""Intervals from the likelihood of the cells, for means of a score, mainly shares of values.

For a score c(s) between 0 and 1 (1 within a bin and 0 outside, say), θ = E c(X) has the profile

    Λ(θ) = 2n·(max ℓ − max of ℓ over laws with E c(X) = θ)

and the interval holds the θ with Λ(θ) ≤ cut. The laws on that path maximise the likelihood when
the column of each s is divided by 1 − (1 − e^−τ)·c(s); τ > 0 leads to larger θ.
Proofs, and why the cut is not 3.84: docs/theory/denoise.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, xlogy

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.denoise.cells import Cells
from pufferfish.denoise.law import cell_probabilities
from pufferfish.denoise.mixing import Fit, maximise, spread_start
from pufferfish.noise import GaussianNoise, LaplaceNoise

__all__ = ["CUT", "CUT_ANY", "Likelihood", "likelihood"]

# The 99% point of χ² with one degree of freedom. Where weights are 0, as they are nearly everywhere
# in a column of spikes, Λ at the truth is not χ²: 95% points from 1 to 7 were measured.
CUT = 6.634896601021213
# The same where X may be any number: more weights are 0, and 95% points were larger.
CUT_ANY = 9.0
# How close ℓ is brought to its maximum, in units of Λ, and Λ to the cut.
_NEAR = 0.02
_CLOSE = 0.05
_SEARCHES = 60
# At this tilt, e^−tilt is so small that no weight is left outside.
_STEEPEST = 100.0
# More entries than this would take more memory than a column does.
_MOST_ENTRIES = 40_000_000
# A misfit larger than chance gives once in a million columns is refused.
_ALARM = 1e-6
_IN_A_PIECE = 20.0
_PIECES = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """The cells of a column, their probabilities for each value of X, and the most likely law.

    Attributes:
        values: What X may be, rising.
        matrix: P(cell | value).
        shares: Shares of the rows in each cell.
        rows: Number of rows.
        best: The most likely law.
        cut: The largest Λ that does not refute a value.
    """

    values: FloatArray
    matrix: FloatArray
    shares: FloatArray
    rows: int
    best: Fit
    cut: float

    def mean(self, score: FloatArray) -> float:
        """E c(X) under the most likely law."""
        return float(self.best.weights @ score)

    def interval(self, score: FloatArray) -> tuple[float, float]:
        """The least and the largest E c(X) that the data do not refute."""
        lower, upper = 1.0 - self.most(1.0 - score), self.most(score)
        return min(max(lower, 0.0), 1.0), min(upper, 1.0)

    def most(self, score: FloatArray) -> float:
        """The largest E c(X) with Λ ≤ cut."""
        return self._search(score, None)

    def may_reach(self, score: FloatArray, level: float) -> bool:
        """Whether the largest E c(X) with Λ ≤ cut is at least `level`."""
        return self.mean(score) >= level or self._search(score, level) >= level

    def _search(self, score: FloatArray, level: float | None) -> float:
        """`most`; with a level, any number on the same side of it."""
        if float(score.max()) < 1.0:
            return float(score.max())
        if level is None and self._lost(self._within(score == 1.0)) <= self.cut:
            return 1.0
        start, target = self.best.weights, math.sqrt(self.cut)
        low, low_root, high, high_root = 0.0, 0.0, math.inf, math.inf
        theta = self.mean(score)
        tilt = 0.3 / math.sqrt(self.rows * max(theta * (1.0 - theta), 1.0 / self.rows))
        for _ in range(_SEARCHES):
            fit = self._tilted(score, tilt, start)
            lost, start = self._lost(fit), fit.weights
            found = float(start @ score)
            if abs(lost - self.cut) <= _CLOSE or tilt > _STEEPEST:
                break
            if level is not None and (lost <= self.cut) == (found >= level):
                break
            # √Λ is nearly linear in the tilt.
            root = math.sqrt(max(lost, 0.0))
            if lost < self.cut:
                low, low_root = tilt, root
            else:
                high, high_root = tilt, root
            if math.isinf(high):
                tilt *= min(max(target / max(root, 0.01), 1.5), 8.0)
            else:
                part = (target - low_root) / (high_root - low_root)
                tilt = low + min(max(part, 0.05), 0.95) * (high - low)
        return found

    def _tilted(self, score: FloatArray, tilt: float, start: FloatArray) -> Fit:
        """The most likely law on the path, at this tilt."""
        # Not 1 + expm1(−τ)·c, which is 0 for c = 1 and τ ≥ 37.
        scale = 1.0 / ((1.0 - score) + math.exp(-min(tilt, 600.0)) * score)
        begin = start / scale
        fit = maximise(
            self.matrix, self.shares, begin / begin.sum(), _NEAR / (2.0 * self.rows), scale
        )
        weights = fit.weights * scale
        return self._at(weights / weights.sum(), fit.gap)

    def _within(self, inside: npt.NDArray[np.bool_]) -> Fit:
        """The most likely law on these values alone."""
        weights = np.zeros_like(self.best.weights)
        matrix = np.ascontiguousarray(self.matrix[:, inside])
        begin = self.best.weights[inside] + 1e-3 * spread_start(matrix.shape[1])
        fit = maximise(matrix, self.shares, begin / begin.sum(), _NEAR / (2.0 * self.rows))
        weights[inside] = fit.weights
        return Fit(weights, fit.height, fit.gap)

    def _at(self, weights: FloatArray, gap: float) -> Fit:
        return Fit(weights, float(xlogy(self.shares, self.matrix @ weights).sum()), gap)

    def _lost(self, fit: Fit) -> float:
        """Λ of a law, less what the search may still have gained: the interval errs long."""
        return 2.0 * self.rows * (self.best.height - fit.height - fit.gap)


def likelihood(
    cells: Cells, noise: LaplaceNoise | GaussianNoise, values: FloatArray, cut: float
) -> Likelihood:
    """The most likely law on these values.

    Raises:
        InvalidInputError: The rows contradict the cells of the most likely law. No column with this
            noise on these values does that.
        UnsupportedError: There are more cells and values than memory should hold.
    """
    if cells.counts.size * values.size > _MOST_ENTRIES:
        raise UnsupportedError(
            f"{cells.counts.size:,} cells and {values.size:,} possible values are too many for one "
            "likelihood; ask for fewer edges or levels at a time."
        )
    matrix = cell_probabilities(noise, cells.low, cells.high, values)
    rows = int(cells.counts.sum())
    shares = cells.counts / rows
    best = maximise(matrix, shares, spread_start(values.size), _NEAR / (2.0 * rows))
    found = Likelihood(values=values, matrix=matrix, shares=shares, rows=rows, best=best, cut=cut)
    require(
        math.isfinite(best.height) and not _contradiction(cells, noise, values, best.weights),
        "values cannot be a column with this noise alone: no law of X on its support explains "
        "them. Give the law that was published with them, and the support; if they were clipped "
        "or rounded afterwards, give clipped=(low, high) or rounded=step.",
    )
    return found


def _contradiction(
    cells: Cells, noise: LaplaceNoise | GaussianNoise, values: FloatArray, weights: FloatArray
) -> bool:
    """Pearson's test of the most likely law, on at most 100 pieces of the line, 20 rows in each."""
    rows = float(cells.counts.sum())
    before = np.cumsum(cells.counts) - cells.counts
    piece = np.floor(before / max(_IN_A_PIECE, rows / _PIECES))
    last = np.flatnonzero(np.diff(piece, append=math.inf) > 0.0)
    # Pieces beyond the outermost rows hold none, which reveals a column that was cut off.
    ends = np.concatenate([cells.low[:1], cells.high[last], [math.inf]])
    starts = np.concatenate([[-math.inf], ends[:-1]])
    expected = rows * (cell_probabilities(noise, starts, ends, values) @ weights)
    seen = np.concatenate([[0.0], np.diff(np.cumsum(cells.counts)[last], prepend=0.0), [0.0]])
    distance = float(np.sum(np.square(seen - expected) / np.maximum(expected, 1.0)))
    return distance > float(chdtri(max(seen.size, 2), _ALARM))
