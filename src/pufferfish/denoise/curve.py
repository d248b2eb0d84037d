"""F̂_h(t) = mean of A(t − Y_i), on a grid of t or at single points, from a binned column."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray, require
from pufferfish.denoise.columns import bin_values
from pufferfish.denoise.kernel import STEPS_PER_BANDWIDTH, weight_table
from pufferfish.noise import Noise

__all__ = ["BinnedColumn", "bin_column"]

# More points than this are refused: they would take more memory than the column.
_MOST_POINTS = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True)
class BinnedColumn:
    """The rows near the points asked for, in bins of h/32, and the weights A.

    Attributes:
        first: Centre of the first bin.
        step: Width of a bin, h/32.
        counts: Rows in each bin. The first also holds all rows further left, whose weight is 1 at
            every point asked for, the last all rows further right, whose weight is 0.
        table: A(0), A(step), ...
        rows: Number of rows.
    """

    first: float
    step: float
    counts: npt.NDArray[np.int64]
    table: FloatArray
    rows: int

    def on_grid(self, low: float, high: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """t − first for t from low to high in steps, F̂_h(t), and the standard error of F̂_h(t).

        Far from zero, rounding would make different t equal; their distances to `first` stay apart.
        """
        start = math.floor((low - self.first) / self.step)
        stop = math.ceil((high - self.first) / self.step) + 1
        # Weights for every difference in bins that can occur.
        offset = start - (self.counts.size - 1)
        weights = self._weights(np.arange(offset, stop, dtype=np.float64))
        size = self.counts.size + weights.size
        length = 1 << size.bit_length()
        spectrum = np.fft.rfft(self.counts / self.rows, length)
        inside = slice(self.counts.size - 1, self.counts.size - 1 + stop - start)
        first, second = (
            np.asarray(np.fft.irfft(spectrum * np.fft.rfft(power, length), length)[inside])
            for power in (weights, np.square(weights))
        )
        error = np.asarray(np.sqrt(np.maximum(second - np.square(first), 0.0) / self.rows))
        return self.step * np.arange(start, stop, dtype=np.float64), first, error

    def weights_at(self, point: float) -> FloatArray:
        """A(point − centre) for every bin."""
        bins = np.arange(self.counts.size, dtype=np.float64)
        return self._weights((point - self.first) / self.step - bins)

    def _weights(self, steps: FloatArray) -> FloatArray:
        size = np.abs(steps)
        right = np.interp(size, np.arange(self.table.size), self.table, right=1.0)
        return np.where(steps < 0.0, 1.0 - right, right)


def bin_column(
    rows: FloatArray, noise: Noise, bandwidth: float, low: float, high: float
) -> BinnedColumn:
    """Bins for points between low and high, and as far beyond as weights are not yet 0 or 1."""
    table = weight_table(noise, bandwidth)
    step = bandwidth / STEPS_PER_BANDWIDTH
    reach = table.size * step
    first = max(low - reach, float(rows.min()))
    last = min(high + reach, float(rows.max()))
    length = max(last - first, 0.0) / step
    require(
        max(length, (high - low) / step) <= _MOST_POINTS,
        "the points asked for are too far apart for the smoothing that the data permit. Ask for "
        "levels nearer to 0.5, or for edges nearer to each other, or give a larger bandwidth.",
    )
    count = math.ceil(length) + 1
    counts = bin_values(rows, first, step, count)
    return BinnedColumn(first=first, step=step, counts=counts, table=table, rows=rows.size)
