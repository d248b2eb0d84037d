"""The cells that values fall into: listed values or bins, and a missing value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import Labels
from pufferfish.core.validation import FloatArray
from pufferfish.noise import LaplaceNoise

__all__ = ["AnyValue", "Cells", "Value", "between", "cells_of_labels"]

# None stands for a missing value.
Value = float | None
# A value or a category, or a tuple of these for several columns.
AnyValue = Value | Labels


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells by which a value is looked up.

    Attributes:
        values: Listed values in rising order, or the number that stands for each bin; None, at the
            end, for a missing value.
        edges: The edges of bins: bin k is [edges[k−1], edges[k]), and the first and the last bin
            reach to infinity. None: the values are listed.
        noise: Laplace noise on its grid that is added first; None: no noise.
    """

    values: tuple[Value, ...]
    edges: tuple[float, ...] | None = None
    noise: LaplaceNoise | None = None

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values that are not missing."""
        return tuple(value for value in self.values if value is not None)

    @property
    def takes_missing(self) -> bool:
        """Whether a missing value is one of them."""
        return self.values[-1] is None

    def places(self, numbers: FloatArray) -> npt.NDArray[np.int64]:
        """The cell of each number; −1 for one that is not listed."""
        if self.edges is not None:
            return np.searchsorted(np.array(self.edges), numbers, side="right")
        listed = np.array(self.numbers)
        if listed.size == 0:
            return np.full(numbers.shape, -1)
        place = np.minimum(np.searchsorted(listed, numbers), listed.size - 1)
        return np.where(listed[place] == numbers, place, -1)


def cells_of_labels(count: int) -> Cells:
    """The cells of categories, which are looked up by their places 0, 1, 2, …"""
    return Cells(tuple(map(float, range(count))))


def between(values: Sequence[float] | FloatArray) -> tuple[float, ...]:
    """The middles between values in rising order."""
    numbers = np.asarray(values, dtype=np.float64)
    return tuple((0.5 * numbers[1:] + 0.5 * numbers[:-1]).tolist())
