"""A published column as counts of cells, from which a likelihood is computed.

A row says that Y lies in a cell: a small interval if the column was published as it is; all
numbers that round to the published one if it was rounded; a half-line if it was clipped and the
row lies at a bound. The probability of a cell is exact for every value of X, so cells lose a little
information and bias nothing. docs/theory/denoise.md, "The likelihood".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pufferfish.core.errors import InvalidInputError, UnsupportedError
from pufferfish.core.validation import FloatArray, finite, nonnegative, require
from pufferfish.denoise.columns import pieces
from pufferfish.denoise.law import noise_size
from pufferfish.noise import Noise

__all__ = ["Cells", "Published", "count_cells"]

# Cells per scale or std of the noise.
_CELLS = 16.0
# On a coarser grid, ties of rounding have a probability that matters.
_FINEST_TIE = 64.0


@dataclass(frozen=True, slots=True)
class Published:
    """What was done to X + N before it was published.

    Attributes:
        rounded: The step to which it was rounded; 0 if it was not.
        clipped: The bounds between which it was clipped; None if it was not.
    """

    rounded: float = 0.0
    clipped: tuple[float, float] | None = None

    @classmethod
    def checked(cls, rounded: object, clipped: object, noise: Noise) -> Published:
        """Refuse invalid steps and bounds, and those that leave cells without clear ends."""
        step = nonnegative("rounded", rounded)
        if step and noise.grid is not None and noise.grid * _FINEST_TIE > step:
            raise UnsupportedError(
                f"the noise was drawn on a grid of {noise.grid:g} and rounded to {step:g}: on such "
                "a coarse grid it is not known which way halves were rounded."
            )
        if clipped is None:
            return cls(step)
        if not isinstance(clipped, tuple | list) or len(clipped) != 2:
            raise InvalidInputError("clipped must be the two bounds, for example clipped=(0, 100).")
        low, high = finite("clipped[0]", clipped[0]), finite("clipped[1]", clipped[1])
        require(low < high, f"clipped must be a low and a high bound, got {low:g} and {high:g}.")
        if step:
            whole = all(abs(end / step - round(end / step)) < 1e-9 for end in (low, high))
            require(whole, f"the bounds must be multiples of the step {step:g}.")
        return cls(step, (low, high))


class Cells(NamedTuple):
    """The cells that hold rows, from left to right, and the number of rows in each."""

    low: FloatArray
    high: FloatArray
    counts: FloatArray


def count_cells(
    rows: FloatArray, noise: Noise, published: Published, windows: list[tuple[float, float]]
) -> Cells:
    """Small cells in the windows, one cell for each gap between them.

    `windows` rise and do not overlap. Ends of cells lie midway between points of the grid.
    """
    step, grid = published.rounded, noise.grid or 0.0
    width = noise_size(noise) / _CELLS
    unit = step or grid
    if unit:
        width = unit * max(1.0, math.floor(width / unit))
    origin, bottom, top = 0.5 * unit, -math.inf, math.inf
    if published.clipped is not None:
        low, high = published.clipped
        bottom, top = low + 0.5 * unit, high - 0.5 * unit
        require(
            float(rows.min()) >= low and float(rows.max()) <= high,
            "values must lie between the bounds at which they were clipped.",
        )
    places, counts = _occupied_cells(rows, origin, width, bottom, top)
    left = np.maximum(origin + width * places, bottom)
    right = np.minimum(origin + width * (places + 1.0), top)
    left[places == -math.inf], right[places == -math.inf] = -math.inf, bottom
    left[places == math.inf], right[places == math.inf] = top, math.inf
    snapped = [
        (
            origin + width * math.floor((start - origin) / width),
            origin + width * math.ceil((end - origin) / width),
        )
        for start, end in windows
        if end > bottom and start < top
    ]
    return _lump(Cells(left, right, counts), snapped)


def _occupied_cells(
    rows: FloatArray, origin: float, width: float, bottom: float, top: float
) -> tuple[FloatArray, FloatArray]:
    """The numbers of the cells that hold rows, ∓∞ for those at a bound, and their counts."""
    places, counts = [], []
    for _, piece in pieces(rows):
        place = np.floor((piece - origin) / width)
        place[piece <= bottom] = -math.inf
        place[piece >= top] = math.inf
        found, many = np.unique(place, return_counts=True)
        places.append(found)
        counts.append(many)
    merged, where = np.unique(np.concatenate(places), return_inverse=True)
    return merged, np.bincount(where, weights=np.concatenate(counts)).astype(np.float64)


def _lump(cells: Cells, windows: list[tuple[float, float]]) -> Cells:
    """Merge the cells outside all windows into one for each gap."""
    starts = np.array([start for start, _ in windows] + [math.inf])
    ends = np.array([-math.inf] + [end for _, end in windows])
    middle = np.where(
        np.isfinite(cells.low),
        np.where(np.isfinite(cells.high), 0.5 * (cells.low + cells.high), cells.low),
        cells.high,
    )
    # A cell is in the gap before window k if it lies after window k − 1 and before window k.
    gap = np.searchsorted(starts, middle, side="right")
    outside = middle > ends[gap]
    low, high = cells.low.copy(), cells.high.copy()
    low[outside], high[outside] = ends[gap[outside]], starts[gap[outside]]
    first = np.concatenate([[True], (low[1:] != low[:-1]) | (high[1:] != high[:-1])])
    counts = np.bincount(np.cumsum(first) - 1, weights=cells.counts).astype(np.float64)
    return Cells(low[first], high[first], counts)
